//! Expressions of the Common Expression Language, as far as they can be decided for the name of a tool.
//!
//! The whole grammar is read, so that what does not compile is known. Evaluated are logic, comparison, `in`, `has`, and the
//! tests of texts; a value that depends on the request, or on a function that is not understood, is
//! [unknown](Value::Unknown), and unknown is carried on as errors are: `false && unknown` is false.

use super::fleet::Tool;
use super::pattern::Reach;

/// Deepest nesting that is read. What is deeper is unknown.
const DEPTH: usize = 48;

/// An expression that compiled.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    expression: Expression,
    /// Whether it covers what is *not* true.
    negated: bool,
}

/// Why an expression is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NoExpression;

/// Why reading stopped.
enum Stop {
    Broken,
    /// Nothing is known of what is too deep, not even that it is broken.
    TooDeep,
}

#[derive(Debug, Clone)]
enum Expression {
    Literal(Value),
    List(Vec<Expression>),
    /// A name, and the fields after it: `mcp.tool.name`.
    Path(Vec<String>),
    Not(Box<Expression>),
    Any(Vec<Expression>),
    All(Vec<Expression>),
    Equal(Box<Expression>, Box<Expression>),
    In(Box<Expression>, Box<Expression>),
    Choice(Box<[Expression; 3]>),
    /// A function and its arguments; a method's receiver is the first.
    Call(String, Vec<Expression>),
    /// Well formed and not evaluated.
    Opaque,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Bool(bool),
    Text(String),
    /// As written; only compared.
    Number(String),
    Null,
    List(Vec<Value>),
    Error,
    Unknown,
}

impl Condition {
    /// Compiles an expression that covers the tools for which it is true.
    pub(super) fn new(text: &str) -> Result<Self, NoExpression> {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
        let expression = match parser.choice() {
            Ok(expression) if parser.peek().is_none() => expression,
            Ok(_) | Err(Stop::Broken) => return Err(NoExpression),
            Err(Stop::TooDeep) => Expression::Opaque,
        };
        Ok(Self { expression, negated: false })
    }

    /// Covers the tools for which it is not true, be it false or an error.
    pub(super) fn negated(self) -> Self {
        Self { negated: !self.negated, ..self }
    }

    /// An expression that fails counts as false.
    pub(super) fn reach(&self, tool: Tool<'_>) -> Reach {
        match self.expression.value(tool) {
            Value::Unknown => Reach::Unknown("it depends on more than the tool's name".into()),
            value => Reach::of((value == Value::Bool(true)) != self.negated),
        }
    }
}

impl Expression {
    fn value(&self, tool: Tool<'_>) -> Value {
        match self {
            Self::Literal(value) => value.clone(),
            Self::List(items) => Value::List(items.iter().map(|item| item.value(tool)).collect()),
            Self::Path(path) => looked_up(path, tool),
            Self::Not(inner) => match inner.value(tool) {
                Value::Bool(flag) => Value::Bool(!flag),
                Value::Unknown => Value::Unknown,
                _ => Value::Error,
            },
            Self::Any(parts) => joined(parts, tool, true),
            Self::All(parts) => joined(parts, tool, false),
            Self::Equal(one, other) => equal(&one.value(tool), &other.value(tool)),
            Self::In(item, list) => contained(&item.value(tool), &list.value(tool)),
            Self::Choice(parts) => match parts[0].value(tool) {
                Value::Bool(true) => parts[1].value(tool),
                Value::Bool(false) => parts[2].value(tool),
                Value::Unknown => Value::Unknown,
                _ => Value::Error,
            },
            Self::Call(name, arguments) => called(name, arguments, tool),
            Self::Opaque => Value::Unknown,
        }
    }
}

/// What a call of a tool has: its name at its server, and the server. It has no prompt, resource or task.
fn looked_up(path: &[String], tool: Tool<'_>) -> Value {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        ["mcp", "tool", "name"] => Value::Text(tool.wire().to_owned()),
        ["mcp", "tool", "target"] => Value::Text(tool.server().to_owned()),
        ["mcp", "prompt" | "resource" | "task", ..] => Value::Error,
        _ => Value::Unknown,
    }
}

/// `||` for the deciding value true, `&&` for false: one part that has it decides, whatever fails beside it.
fn joined(parts: &[Expression], tool: Tool<'_>, deciding: bool) -> Value {
    let mut all = Value::Bool(!deciding);
    for part in parts {
        match part.value(tool) {
            Value::Bool(flag) if flag == deciding => return Value::Bool(deciding),
            Value::Bool(_) => {}
            Value::Unknown => all = Value::Unknown,
            _ if all != Value::Unknown => all = Value::Error,
            _ => {}
        }
    }
    all
}

fn equal(one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Error, _) | (_, Value::Error) => Value::Error,
        (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
        (Value::List(one), Value::List(other)) if has_open(one) || has_open(other) => {
            Value::Unknown
        }
        // Two spellings of one number may differ.
        (Value::Number(one), Value::Number(other)) if one != other => Value::Unknown,
        _ => Value::Bool(one == other),
    }
}

fn has_open(items: &[Value]) -> bool {
    items.iter().any(|item| {
        matches!(item, Value::Error | Value::Unknown | Value::List(_) | Value::Number(_))
    })
}

fn contained(item: &Value, list: &Value) -> Value {
    match (item, list) {
        (Value::Error, _) | (_, Value::Error) => Value::Error,
        (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
        (item, Value::List(items)) => {
            let found: Vec<Value> = items.iter().map(|other| equal(item, other)).collect();
            match found.contains(&Value::Bool(true)) {
                true => Value::Bool(true),
                false if found.iter().any(|value| *value != Value::Bool(false)) => Value::Unknown,
                false => Value::Bool(false),
            }
        }
        _ => Value::Error,
    }
}

fn called(name: &str, arguments: &[Expression], tool: Tool<'_>) -> Value {
    let values: Vec<Value> = arguments.iter().map(|argument| argument.value(tool)).collect();
    match (name, &values[..]) {
        ("has", [Value::Error]) => Value::Bool(false),
        ("has", [Value::Unknown]) => Value::Unknown,
        ("has", [_]) => Value::Bool(true),
        ("startsWith" | "endsWith" | "contains" | "matches", [one, other]) => {
            tested(name, one, other)
        }
        _ => Value::Unknown,
    }
}

fn tested(name: &str, one: &Value, other: &Value) -> Value {
    match (one, other) {
        (Value::Error, _) | (_, Value::Error) => Value::Error,
        (Value::Unknown, _) | (_, Value::Unknown) => Value::Unknown,
        (Value::Text(text), Value::Text(part)) => match name {
            "startsWith" => Value::Bool(text.starts_with(part.as_str())),
            "endsWith" => Value::Bool(text.ends_with(part.as_str())),
            "contains" => Value::Bool(text.contains(part.as_str())),
            // Its engine has more than ours, so what we refuse may be fine there.
            _ => regex_lite::Regex::new(part)
                .map_or(Value::Unknown, |regex| Value::Bool(regex.is_match(text))),
        },
        _ => Value::Error,
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Name(String),
    Number(String),
    Text(String),
    Sign(&'static str),
}

/// Two characters before one.
const SIGNS: [&str; 25] = [
    "==", "!=", "<=", ">=", "&&", "||", "!", "<", ">", "(", ")", "[", "]", "{", "}", ".", ",", ":",
    "?", "+", "-", "*", "/", "%", "=",
];

fn tokens(text: &str) -> Result<Vec<Token>, NoExpression> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '/' if rest.starts_with("//") => {
                rest = rest.find('\n').map_or("", |end| &rest[end..]).trim_start();
                continue;
            }
            '"' | '\'' => quoted(rest, false)?,
            'r' | 'R' if rest[1..].starts_with(['"', '\'']) => quoted(&rest[1..], true)?,
            'b' | 'B' if rest[1..].starts_with(['"', '\'']) => return Ok(opaque()),
            c if c.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.');
                let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
                (Token::Number(number.to_owned()), after)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
                (Token::Name(name.to_owned()), after)
            }
            _ => {
                let sign =
                    SIGNS.iter().find(|sign| rest.starts_with(**sign)).ok_or(NoExpression)?;
                (Token::Sign(sign), &rest[sign.len()..])
            }
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

/// Stands for an expression with something in it that is not read here: a name that nothing is known of.
fn opaque() -> Vec<Token> {
    vec![Token::Name("unread".into())]
}

fn quoted(rest: &str, is_raw: bool) -> Result<(Token, &str), NoExpression> {
    let quote =
        rest.get(..3).filter(|three| *three == "\"\"\"" || *three == "'''").unwrap_or(&rest[..1]);
    let inside = &rest[quote.len()..];
    let mut text = String::new();
    let mut at = 0;
    while let Some(c) = inside[at..].chars().next() {
        if inside[at..].starts_with(quote) {
            return Ok((Token::Text(text), &inside[at + quote.len()..]));
        }
        at += c.len_utf8();
        if c == '\n' && quote.len() == 1 {
            return Err(NoExpression);
        }
        if c != '\\' || is_raw {
            text.push(c);
            continue;
        }
        let escaped = inside[at..].chars().next().ok_or(NoExpression)?;
        at += escaped.len_utf8();
        text.push(match escaped {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            '\\' | '"' | '\'' | '`' | '?' => escaped,
            // Escapes by number: rare in names, and nothing is decided by half of one.
            'x' | 'X' | 'u' | 'U' | '0'..='3' => '\u{fffd}',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            _ => return Err(NoExpression),
        });
    }
    Err(NoExpression)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn next(&mut self) -> Option<Token> {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned()
    }

    /// Takes a sign, if it comes next.
    fn take(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(next)) if *next == sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Stop> {
        if self.take(sign) { Ok(()) } else { Err(Stop::Broken) }
    }

    fn choice(&mut self) -> Result<Expression, Stop> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(Stop::TooDeep);
        }
        let condition = self.joined("||", Expression::Any)?;
        let expression = if self.take("?") {
            let one = self.choice()?;
            self.expect(":")?;
            Expression::Choice(Box::new([condition, one, self.choice()?]))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn joined(
        &mut self,
        sign: &'static str,
        join: fn(Vec<Expression>) -> Expression,
    ) -> Result<Expression, Stop> {
        let part = |parser: &mut Self| match sign {
            "||" => parser.joined("&&", Expression::All),
            _ => parser.relation(),
        };
        let first = part(self)?;
        let mut parts = vec![first];
        while self.take(sign) {
            parts.push(part(self)?);
        }
        match parts.len() {
            1 => parts.pop().ok_or(Stop::Broken),
            _ => Ok(join(parts)),
        }
    }

    fn relation(&mut self) -> Result<Expression, Stop> {
        let mut left = self.sum()?;
        let mut seen = 0;
        loop {
            let (one, other): (_, fn(_, _) -> _) = if self.take("==") {
                (left, |one, other| Expression::Equal(one, other))
            } else if self.take("!=") {
                (left, |one, other| Expression::Not(Box::new(Expression::Equal(one, other))))
            } else if self.peek() == Some(&Token::Name("in".into())) {
                self.at += 1;
                (left, |one, other| Expression::In(one, other))
            } else if ["<=", ">=", "<", ">"].into_iter().any(|sign| self.take(sign)) {
                (left, |_, _| Expression::Opaque)
            } else {
                return Ok(left);
            };
            seen += 1;
            left = other(Box::new(one), Box::new(self.sum()?));
            if seen > 1 {
                // A comparison of a comparison says nothing about names.
                left = Expression::Opaque;
            }
        }
    }

    /// Arithmetic is read and not evaluated.
    fn sum(&mut self) -> Result<Expression, Stop> {
        let mut value = self.unary()?;
        while ["+", "-", "*", "/", "%"].into_iter().any(|sign| self.take(sign)) {
            self.unary()?;
            value = Expression::Opaque;
        }
        Ok(value)
    }

    fn unary(&mut self) -> Result<Expression, Stop> {
        let mut negations = 0_usize;
        while self.take("!") {
            negations += 1;
        }
        let mut is_negative = false;
        while self.take("-") {
            is_negative = true;
        }
        let value = self.member()?;
        Ok(match (is_negative, negations) {
            (true, _) => Expression::Opaque,
            (false, 0) => value,
            (false, odd) if odd % 2 == 1 => Expression::Not(Box::new(value)),
            (false, _) => Expression::Not(Box::new(Expression::Not(Box::new(value)))),
        })
    }

    fn member(&mut self) -> Result<Expression, Stop> {
        let mut value = self.primary()?;
        loop {
            if self.take(".") {
                let Some(Token::Name(name)) = self.next() else { return Err(Stop::Broken) };
                value = if self.take("(") {
                    let arguments = self.list(")")?;
                    match value {
                        Expression::Opaque | Expression::Call(..) => Expression::Opaque,
                        receiver => {
                            let all = std::iter::once(receiver).chain(arguments).collect();
                            Expression::Call(name, all)
                        }
                    }
                } else {
                    match value {
                        Expression::Path(mut path) => {
                            path.push(name);
                            Expression::Path(path)
                        }
                        _ => Expression::Opaque,
                    }
                };
            } else if self.take("[") {
                let index = self.choice()?;
                self.expect("]")?;
                value = match (value, index) {
                    (Expression::Path(mut path), Expression::Literal(Value::Text(key))) => {
                        path.push(key);
                        Expression::Path(path)
                    }
                    _ => Expression::Opaque,
                };
            } else if self.take("{") {
                // A message of a type, whose fields are as those of a map.
                self.map()?;
                value = Expression::Opaque;
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, Stop> {
        let token = self.next();
        Ok(match token {
            Some(Token::Text(text)) if text.contains('\u{fffd}') => Expression::Opaque,
            Some(Token::Text(text)) => Expression::Literal(Value::Text(text)),
            Some(Token::Number(number)) => Expression::Literal(Value::Number(number)),
            Some(Token::Name(name)) => return self.named(name),
            Some(Token::Sign("(")) => {
                let inner = self.choice()?;
                self.expect(")")?;
                inner
            }
            Some(Token::Sign("[")) => Expression::List(self.list("]")?),
            Some(Token::Sign("{")) => {
                self.map()?;
                Expression::Opaque
            }
            Some(Token::Sign(".")) => match self.next() {
                Some(Token::Name(name)) => return self.named(name),
                _ => return Err(Stop::Broken),
            },
            _ => return Err(Stop::Broken),
        })
    }

    fn named(&mut self, name: String) -> Result<Expression, Stop> {
        if self.take("(") {
            return Ok(Expression::Call(name, self.list(")")?));
        }
        Ok(match name.as_str() {
            "true" => Expression::Literal(Value::Bool(true)),
            "false" => Expression::Literal(Value::Bool(false)),
            "null" => Expression::Literal(Value::Null),
            "in" => return Err(Stop::Broken),
            _ => Expression::Path(vec![name]),
        })
    }

    /// Expressions up to a closing sign; the last comma may stand alone.
    fn list(&mut self, close: &str) -> Result<Vec<Expression>, Stop> {
        let mut items = Vec::new();
        while !self.take(close) {
            items.push(self.choice()?);
            if !self.take(",") {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn map(&mut self) -> Result<(), Stop> {
        while !self.take("}") {
            self.choice()?;
            self.expect(":")?;
            self.choice()?;
            if !self.take(",") {
                return self.expect("}");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::fleet;
    use super::*;

    /// `+` covers, `-` doesn't, `?` unknown, `!` does not compile.
    fn sign(text: &str) -> char {
        let fleet = fleet(&["github/get_issue"]);
        let tool = fleet.tools().next().unwrap();
        match Condition::new(text).map(|condition| condition.reach(tool)) {
            Ok(Reach::Matches) => '+',
            Ok(Reach::No) => '-',
            Ok(_) => '?',
            Err(NoExpression) => '!',
        }
    }

    #[test]
    fn what_can_be_decided() {
        for (expected, texts) in [
            (
                '+',
                &[
                    r#"mcp.tool.name == "get_issue""#,
                    r#"mcp.tool.target == 'github' && mcp.tool.name != "x""#,
                    r#"mcp.tool.name in ["a", "get_issue",]"#,
                    r#"mcp.tool.name.startsWith("get_") // why"#,
                    r#"!(mcp.tool.name.endsWith("x") || mcp.tool.name.contains("create"))"#,
                    r#"mcp.tool.name.matches(r"^get_\w+$")"#,
                    r#"mcp["tool"].name == "get_issue""#,
                    r#"has(mcp.tool.name) && !has(mcp.prompt.name)"#,
                    r#"mcp.tool.target == "github" ? true : jwt.admin"#,
                    r#"jwt.sub == "x" || true"#,
                    "!!true",
                ][..],
            ),
            (
                '-',
                &[
                    r#"mcp.tool.name == "Get_issue""#,
                    r#"mcp.tool.name == 1"#,
                    r#"mcp.prompt.name == "get_issue""#,
                    r#"!(mcp.prompt.name == "x")"#,
                    r#"mcp.tool.name in ["a"]"#,
                    r#"jwt.sub == "x" && false"#,
                    r#"mcp.tool.name.startsWith(1)"#,
                    r#"mcp.tool.name"#,
                ],
            ),
            (
                '?',
                &[
                    r#"jwt.sub == "x""#,
                    r#"jwt.sub == "x" && mcp.tool.name == "get_issue""#,
                    r#"mcp.tool.arguments.x == 1"#,
                    r#"size(mcp.tool.name) > 3"#,
                    r#"mcp.tool.name + "x" == "get_issuex""#,
                    r#"["a"].exists(x, x == mcp.tool.name)"#,
                    r#"mcp.tool.name.matches("(?=g)")"#,
                    r#"{"a": 1}["a"] == 1"#,
                    r#"mcp.tool.name == "\u0067et_issue""#,
                    r#"request.headers["x"] == b"y""#,
                ],
            ),
            (
                '!',
                &[
                    "", "(", "a ==", r#""a"#, "a b", "a..b", "a &&", "[1, 2", "a ? b", "'\\q'",
                    "a = b", "#", "1 +", "f(,)", "in",
                ],
            ),
        ] {
            for text in texts {
                assert_eq!(sign(text), expected, "{text}");
            }
        }
    }

    #[test]
    fn depth_and_length_cost_neither_the_stack_nor_much_time() {
        for text in [
            "(".repeat(20_000),
            "!".repeat(20_000) + "true",
            "[".repeat(20_000),
            "a.b".repeat(20_000),
        ] {
            let _ = sign(&text);
        }
        assert_eq!(sign(&format!("{}true{}", "(".repeat(300), ")".repeat(300))), '?');
        assert_eq!(sign(&vec!["false"; 20_000].join(" || ")), '-');
        let _ = sign(&"a?".repeat(20_000));
        let _ = sign(&vec!["a == a"; 20_000].join(" == "));
        let _ = sign(&format!("x{}", ".f(1)".repeat(20_000)));
        let _ = sign(&format!("x{}", "[0]".repeat(20_000)));
    }
}
