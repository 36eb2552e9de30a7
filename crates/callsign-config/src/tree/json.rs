//! JSON as people write it: comments and trailing commas are read, everything else must be JSON.

use std::borrow::Cow;

use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::tokens::Token;
use jsonc_parser::{CollectOptions, ParseOptions, Scanner, ScannerOptions, parse_to_ast};

use super::{Entry, MAX_DEPTH, Node, Value};
use crate::error::Problem;
use crate::place::Span;

/// Parses a whole file.
///
/// # Errors
/// Where the text is not JSON (with comments and trailing commas), or is nested too deep.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, (Span, Problem)> {
    Reader::of(text).document().ok_or_else(|| what_is_wrong(text))
}

/// What keeps [`Reader`] from reading the text. Looked for only here: of a text that is in order the parser would make a
/// tree of its own, which would then have to be copied.
fn what_is_wrong(text: &str) -> (Span, Problem) {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    if let Err(wrong) = scan(text) {
        return wrong;
    }
    match parse_to_ast(text, &CollectOptions::default(), &options) {
        Err(error) => {
            let range = error.range();
            (Span::new(range.start, range.end), syntax(&wording(error.kind())))
        }
        Ok(parsed) if parsed.value.is_none() => (Span::new(0, 0), Problem::Empty),
        Ok(_) => (Span::new(0, 0), syntax("it can't be read")),
    }
}

fn syntax(message: &str) -> Problem {
    Problem::Syntax { format: "JSON", message: message.to_owned() }
}

/// What the parser says, better where it can be.
fn wording(kind: &ParseErrorKind) -> String {
    use ParseErrorKind as Kind;
    let better = match kind {
        Kind::UnterminatedObject => "this `{` is never closed",
        Kind::UnterminatedArray => "this `[` is never closed",
        Kind::UnterminatedCommentBlock => "this comment is never closed",
        Kind::MultipleRootJsonValues => "there is more after the end of the JSON value",
        Kind::UnexpectedToken | Kind::UnexpectedWord | Kind::ExpectedObjectValue => {
            "expected a value (text needs double quotes)"
        }
        Kind::UnexpectedTokenInObject | Kind::ExpectedStringObjectProperty => {
            "expected a key in double quotes"
        }
        Kind::ExpectedColonAfterObjectKey => "expected a colon after the key",
        Kind::ExpectedComma => "expected a comma",
        Kind::SingleQuotedStringsNotAllowed => "text needs double quotes, not single ones",
        _ => "",
    };
    if !better.is_empty() {
        return better.to_owned();
    }
    let mut message = kind.to_string();
    if let Some(first) = message.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    message
}

/// Makes the tree out of the parser's tokens. Each step gives `None` where the text is not in order.
struct Reader<'t> {
    text: &'t str,
    tokens: Scanner<'t>,
    /// How many objects and arrays are open: recursion is bounded.
    depth: usize,
}

impl<'t> Reader<'t> {
    fn of(text: &'t str) -> Self {
        let options = ScannerOptions {
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        Self { text, tokens: Scanner::new(text, &options), depth: 0 }
    }

    fn document(mut self) -> Option<Node<'t>> {
        let first = self.next().ok()??;
        let root = self.node(first)?;
        self.next().ok()?.is_none().then_some(root)
    }

    /// The next token that is no comment; nothing at the end.
    fn next(&mut self) -> Result<Option<Token<'t>>, ParseError> {
        loop {
            match self.tokens.scan()? {
                Some(Token::CommentLine(_) | Token::CommentBlock(_)) => {}
                token => return Ok(token),
            }
        }
    }

    /// The value that begins with this token.
    fn node(&mut self, token: Token<'t>) -> Option<Node<'t>> {
        let start = self.tokens.token_start();
        let value = match token {
            Token::OpenBrace => Value::Map(self.list_of(&Token::CloseBrace, Self::entry)?),
            Token::OpenBracket => Value::List(self.list_of(&Token::CloseBracket, Self::node)?),
            Token::String(text) => self.without_control().then_some(Value::Text(text))?,
            Token::Boolean(flag) => Value::Bool(flag),
            Token::Number(number) => Value::Number(Cow::Borrowed(number)),
            Token::Null => Value::Null,
            _ => return None,
        };
        Some(Node { span: Span::new(start, self.tokens.token_end()), value })
    }

    fn entry(&mut self, token: Token<'t>) -> Option<Entry<'t>> {
        let Token::String(key) = token else { return None };
        let key_span = Span::new(self.tokens.token_start(), self.tokens.token_end());
        if !self.without_control() || self.next().ok()?? != Token::Colon {
            return None;
        }
        let first = self.next().ok()??;
        Some(Entry { key, key_span, node: self.node(first)? })
    }

    /// What stands between an opening token and `close`, with commas between and perhaps one at the end.
    fn list_of<T>(
        &mut self,
        close: &Token<'_>,
        item: fn(&mut Self, Token<'t>) -> Option<T>,
    ) -> Option<Vec<T>> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let mut items = Vec::new();
        let mut token = self.next().ok()??;
        while token != *close {
            items.push(item(self, token)?);
            token = self.next().ok()??;
            if token == Token::Comma {
                token = self.next().ok()??;
            } else if token != *close {
                return None;
            }
        }
        self.depth -= 1;
        Some(items)
    }

    /// Whether the string just read has no raw control character: the parser would take them in, but no client does.
    fn without_control(&self) -> bool {
        let raw = self.text.get(self.tokens.token_start()..self.tokens.token_end());
        raw.is_some_and(|raw| raw.bytes().fold(true, |all, byte| all & (byte > 0x1f)))
    }
}

/// One piece of JSON text: what matters for nesting and for cleaning a definition.
enum Piece {
    Text { control: Option<usize> },
    Comment,
    Open,
    Close,
    Comma,
    Space,
    Other,
}

/// Cuts JSON text into pieces without understanding more of it than quotes and comments. Never fails: what is no JSON
/// comes out in pieces all the same, and the parser says so.
struct Pieces<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Iterator for Pieces<'_> {
    type Item = (usize, Piece);

    fn next(&mut self) -> Option<(usize, Piece)> {
        let start = self.at;
        let byte = *self.bytes.get(start)?;
        self.at += 1;
        let piece = match byte {
            b'"' => Piece::Text { control: self.text() },
            b'/' if self.bytes.get(self.at) == Some(&b'/') => self.line_comment(),
            b'/' if self.bytes.get(self.at) == Some(&b'*') => self.block_comment(),
            b'{' | b'[' => Piece::Open,
            b'}' | b']' => Piece::Close,
            b',' => Piece::Comma,
            b' ' | b'\t' | b'\n' | b'\r' => Piece::Space,
            _ => Piece::Other,
        };
        Some((start, piece))
    }
}

impl Pieces<'_> {
    /// Moves behind the closing quote; gives the first control character on the way, which JSON wants escaped.
    fn text(&mut self) -> Option<usize> {
        let mut control = None;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(length) = rest.iter().position(|&b| matches!(b, b'"' | b'\\' | ..=0x1f))
            else {
                self.at = self.bytes.len();
                return control;
            };
            self.at += length + 1;
            match rest.get(length) {
                Some(b'"') => return control,
                Some(b'\\') => self.at += 1,
                _ => control = control.or(Some(self.at - 1)),
            }
        }
    }

    fn line_comment(&mut self) -> Piece {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().position(|&b| b == b'\n' || b == b'\r').unwrap_or(rest.len());
        Piece::Comment
    }

    fn block_comment(&mut self) -> Piece {
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.windows(2).position(|two| two == b"*/").map_or(rest.len(), |end| end + 2);
        Piece::Comment
    }
}

/// Refuses what the parser would take in but no client does (raw control characters in strings), and nesting that would
/// cost stack.
fn scan(text: &str) -> Result<(), (Span, Problem)> {
    let mut depth = 0_usize;
    for (at, piece) in (Pieces { bytes: text.as_bytes(), at: 0 }) {
        match piece {
            Piece::Open if depth == MAX_DEPTH => {
                return Err((Span::new(at, at + 1), Problem::TooDeep { limit: MAX_DEPTH }));
            }
            Piece::Open => depth += 1,
            Piece::Close => depth = depth.saturating_sub(1),
            Piece::Text { control: Some(at) } => {
                let message = "a control character inside a string must be written as an escape \
                               (or a closing quote is missing)";
                return Err((Span::new(at, at + 1), syntax(message)));
            }
            _ => {}
        }
    }
    Ok(())
}

/// JSON text without comments and trailing commas, each of their bytes replaced by a space; untouched, byte for byte, if
/// there are none. `text` must have been parsed.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let mut blanked: Vec<(usize, usize)> = Vec::new();
    let mut comma = None;
    let mut pieces = Pieces { bytes: text.as_bytes(), at: 0 };
    while let Some((start, piece)) = pieces.next() {
        match piece {
            Piece::Comment => blanked.push((start, pieces.at)),
            Piece::Comma => comma = Some(start),
            Piece::Close => blanked.extend(comma.take().map(|at| (at, at + 1))),
            Piece::Space => {}
            Piece::Other if is_odd_space(text, start) => blanked.push((start, pieces.at)),
            _ => comma = None,
        }
    }
    if blanked.is_empty() {
        return Cow::Borrowed(text);
    }
    blanked.sort_unstable();
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for (start, end) in blanked {
        out.push_str(text.get(kept..start).unwrap_or_default());
        out.extend(std::iter::repeat_n(' ', end - start));
        kept = end;
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(out)
}

/// White space that the parser skips and JSON does not know, or a later byte of such a character.
fn is_odd_space(text: &str, at: usize) -> bool {
    let start = (0..=at).rev().find(|&start| text.is_char_boundary(start)).unwrap_or(at);
    text[start..].chars().next().is_some_and(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    #[test]
    fn comments_and_trailing_commas_become_spaces_and_nothing_else_changes() {
        let text = "{ /* c */ \"a\": [1, 2, // x\n ], \"b\": \"//,}\", }";
        let plain = plain(text);
        assert_eq!(plain, "{         \"a\": [1, 2      \n ], \"b\": \"//,}\"  }");
        assert_eq!(plain.len(), text.len());
        assert!(serde_json::from_str::<serde_json::Value>(&plain).is_ok());
    }

    #[test]
    fn a_definition_without_them_is_the_same_text() {
        assert!(matches!(plain(r#"{"a" : [1,2]}"#), Cow::Borrowed(_)));
    }

    #[test]
    fn white_space_unknown_to_json_becomes_spaces() {
        let text = "{\u{a0}\"a\":\u{b}1,\u{2003}}";
        assert!(parse(text).is_ok());
        assert!(serde_json::from_str::<serde_json::Value>(&plain(text)).is_ok());
    }

    #[test]
    fn deep_nesting_is_refused_before_it_costs_stack() {
        for open in ["[", "{\"a\":"] {
            let (span, problem) = parse(&open.repeat(100_000)).unwrap_err();
            assert!(matches!(problem, Problem::TooDeep { limit: MAX_DEPTH }));
            assert_eq!(span.start, if open == "[" { 128 } else { 128 * 5 });
        }
        let deepest = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(parse(&deepest).is_ok());
    }

    proptest! {
        /// Else a text would be refused without a reason.
        #[test]
        fn what_has_nothing_wrong_is_read(
            pieces in vec(select(&["{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "\"\u{1}\"", "1", "-0.5e3", "null", "true", "b", "/*x*/", "//y\n", "/", " ", "\n", "'", "\"", "\u{a0}"][..]), 0..12)
        ) {
            let text = pieces.concat();
            if let Err((_, problem)) = parse(&text) {
                prop_assert!(!problem.to_string().contains("it can't be read"), "{text}");
            }
        }
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "{'a':1}",
            "{a:1}",
            "[1 2]",
            "[0x1]",
            "[+1]",
            "[.5]",
            "[NaN]",
            "[\"\\x41\"]",
            "{} {}",
            "[\"a\nb\"]",
            "[01]",
            "[\"\\ud800\"]",
            "[1,,2]",
            "{",
            "/*",
            "\"",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
