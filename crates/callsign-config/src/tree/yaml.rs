//! YAML into the common tree, and the front matter of Markdown files.
//!
//! Values are those of YAML 1.2's core schema: `true` and `null` in any usual case, numbers, and text for everything else
//! (`yes` and `on` are text). A key that is no text keeps its spelling. An alias is the value it stands for; what all aliases
//! of a file stand for together is bounded, and so is nesting.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle};

use super::{Entry, MAX_DEPTH, Node, Value};
use crate::error::Problem;
use crate::place::Span;

/// How many values aliases may add to a file. A file that needs more was made to.
const MAX_ALIASED: usize = 10_000;

/// Parses a whole file. A file without values is `null`.
///
/// # Errors
/// Where the text is not one YAML document, or is nested too deep.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, (Span, Problem)> {
    Builder::default().build(text)
}

/// Parses what stands between two lines `---` at the top of a Markdown file; an empty map, where there is none. Spans are
/// those of the whole file.
///
/// # Errors
/// As [`parse`]; and where the second line is missing.
pub(crate) fn parse_front_matter(text: &str) -> Result<Node<'_>, (Span, Problem)> {
    let Some(start) = after_line(text, 0) else {
        return Ok(Node { span: Span::new(0, 0), value: Value::Map(Vec::new()) });
    };
    let mut at = start;
    while at < text.len() {
        match after_line(text, at) {
            Some(_) => {
                let mut builder = Builder { offset: start, ..Builder::default() };
                return Ok(map_or_empty(builder.build(&text[start..at])?));
            }
            None => at = text[at..].find('\n').map_or(text.len(), |end| at + end + 1),
        }
    }
    let unclosed = "the front matter begins with `---` and has no line `---` at its end";
    Err((Span::new(0, start.min(3)), syntax(unclosed)))
}

/// The start of the next line, if the line at `at` is `---` and blanks.
fn after_line(text: &str, at: usize) -> Option<usize> {
    let line = text[at..].split_inclusive('\n').next()?;
    (line.trim_end() == "---").then_some(at + line.len())
}

fn map_or_empty(node: Node<'_>) -> Node<'_> {
    match node.value {
        Value::Null => Node { value: Value::Map(Vec::new()), ..node },
        _ => node,
    }
}

fn syntax(message: impl Into<String>) -> Problem {
    Problem::Syntax { format: "YAML", message: message.into() }
}

/// A list or a map that is not closed yet.
#[derive(Debug)]
enum Open<'t> {
    List(usize, Vec<Node<'t>>),
    Map(usize, Vec<Entry<'t>>, Option<(Cow<'t, str>, Span)>),
}

/// What an anchor stands for.
#[derive(Debug)]
struct Anchored<'t> {
    node: Node<'t>,
    values: usize,
    depth: usize,
}

/// Puts the parser's events together.
#[derive(Debug, Default)]
struct Builder<'t> {
    /// Where the text begins in its file.
    offset: usize,
    open: Vec<(Open<'t>, usize)>,
    root: Option<Node<'t>>,
    anchors: HashMap<usize, Anchored<'t>>,
    aliased: usize,
}

impl<'t> Builder<'t> {
    fn build(&mut self, text: &'t str) -> Result<Node<'t>, (Span, Problem)> {
        let mut documents = 0;
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| {
                let at = self.offset + error.marker().byte_offset().unwrap_or(0).min(text.len());
                (Span::new(at, at), syntax(error.info()))
            })?;
            let range = span.byte_range().unwrap_or(0..0);
            let span = Span::new(self.offset + range.start, self.offset + range.end);
            if matches!(event, Event::DocumentStart(..)) {
                documents += 1;
            }
            if documents > 1 {
                return Err((span, syntax("the file holds more than one document")));
            }
            self.take(event, span)?;
        }
        let whole = Span::new(self.offset, self.offset + text.len());
        Ok(self.root.take().unwrap_or(Node { span: whole, value: Value::Null }))
    }

    fn take(&mut self, event: Event<'t>, span: Span) -> Result<(), (Span, Problem)> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tagged = tag.is_some();
                let value = match style {
                    ScalarStyle::Plain if !tagged => scalar(text),
                    _ => Value::Text(text),
                };
                self.put(Node { span, value }, anchor)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(Open::List(span.start, Vec::new()), anchor, span)
            }
            Event::MappingStart(_, anchor, _) => {
                self.begin(Open::Map(span.start, Vec::new(), None), anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(anchor) => self.alias(anchor, span),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, open: Open<'t>, anchor: usize, span: Span) -> Result<(), (Span, Problem)> {
        if self.open.len() >= MAX_DEPTH {
            return Err((span, Problem::TooDeep { limit: MAX_DEPTH }));
        }
        self.open.push((open, anchor));
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), (Span, Problem)> {
        let Some((open, anchor)) = self.open.pop() else { return Ok(()) };
        let (start, last, value) = match open {
            Open::List(start, items) => {
                (start, items.last().map(|item| item.span.end), Value::List(items))
            }
            Open::Map(start, entries, _) => {
                (start, entries.last().map(|entry| entry.node.span.end), Value::Map(entries))
            }
        };
        // The end of a block is where the next thing begins; what it holds ends with its last value.
        let end = if span.end > span.start { span.end } else { last.unwrap_or(span.end) };
        self.put(Node { span: Span::new(start, end.max(start)), value }, anchor)
    }

    /// A finished value takes its place in what is open.
    fn put(&mut self, node: Node<'t>, anchor: usize) -> Result<(), (Span, Problem)> {
        if anchor > 0 {
            let (values, depth) = size(&node);
            self.aliased += values;
            self.within_bounds(node.span)?;
            self.anchors.insert(anchor, Anchored { node: node.clone(), values, depth });
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some((Open::List(_, items), _)) => items.push(node),
            Some((Open::Map(_, entries, key), _)) => match key.take() {
                Some((key, key_span)) => entries.push(Entry { key, key_span, node }),
                None => *key = Some((key_text(&node)?, node.span)),
            },
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), (Span, Problem)> {
        let Some(Anchored { node, values, depth }) = self.anchors.get(&anchor) else {
            return Err((span, syntax("the alias stands within what it stands for")));
        };
        if self.open.len() + depth > MAX_DEPTH {
            return Err((span, Problem::TooDeep { limit: MAX_DEPTH }));
        }
        self.aliased += values;
        let node = node.clone();
        self.within_bounds(span)?;
        self.put(node, 0)
    }

    fn within_bounds(&self, span: Span) -> Result<(), (Span, Problem)> {
        let message = || format!("aliases stand for more than {MAX_ALIASED} values");
        if self.aliased > MAX_ALIASED { Err((span, syntax(message()))) } else { Ok(()) }
    }
}

/// How many values a node holds, itself included, and how deep they are nested.
fn size(node: &Node<'_>) -> (usize, usize) {
    let inner: Vec<(usize, usize)> = match &node.value {
        Value::List(items) => items.iter().map(size).collect(),
        Value::Map(entries) => entries.iter().map(|entry| size(&entry.node)).collect(),
        _ => return (1, 0),
    };
    let values: usize = inner.iter().map(|(values, _)| values).sum();
    let depth = inner.iter().map(|(_, depth)| *depth).max().unwrap_or(0);
    (values + 1, depth + 1)
}

fn key_text<'t>(node: &Node<'t>) -> Result<Cow<'t, str>, (Span, Problem)> {
    Ok(match &node.value {
        Value::Text(text) | Value::Number(text) => text.clone(),
        Value::Bool(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
        Value::Null => Cow::Borrowed("null"),
        Value::Date(text) => Cow::Owned(text.clone()),
        Value::List(_) | Value::Map(_) => {
            return Err((node.span, syntax("a key that is no text is not read")));
        }
    })
}

fn scalar(text: Cow<'_, str>) -> Value<'_> {
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match number(&text) {
            Some(number) => Value::Number(Cow::Owned(number)),
            None => Value::Text(text),
        },
    }
}

/// A number of the core schema, as JSON writes it; infinities and no number as `inf` and `nan`.
fn number(text: &str) -> Option<String> {
    let plain = text.strip_prefix(['-', '+']).unwrap_or(text);
    match plain {
        ".inf" | ".Inf" | ".INF" => return Some("inf".into()),
        ".nan" | ".NaN" | ".NAN" if plain == text => return Some("nan".into()),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(|number| number.to_string());
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8).ok().map(|number| number.to_string());
    }
    let is_digit = |c: char| c.is_ascii_digit();
    if !plain.starts_with(|c| is_digit(c) || c == '.') || !plain.contains(is_digit) {
        return None;
    }
    if plain.chars().all(is_digit) {
        return text
            .parse::<i64>()
            .map(|number| number.to_string())
            .ok()
            .or_else(|| Some(text.into()));
    }
    let legal = |c: char| is_digit(c) || matches!(c, '.' | 'e' | 'E' | '-' | '+');
    let float = plain.chars().all(legal).then(|| text.parse::<f64>().ok()).flatten()?;
    serde_json::Number::from_f64(float).map(|number| number.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::toml::to_json;
    use super::*;

    fn json(text: &str) -> String {
        to_json(&parse(text).unwrap())
    }

    #[test]
    fn values_of_the_core_schema() {
        assert_eq!(
            json(
                "a: [1, -2.50, true, ~, yes, '1', \"x\\ty\", 0x1F, .inf]\nb:\n  - c: d e\n  -\n'1': |\n  x\n"
            ),
            r#"{"a":[1,-2.5,true,null,"yes","1","x\ty",31,null],"b":[{"c":"d e"},null],"1":"x\n"}"#
        );
        assert_eq!(json("# nothing\n"), "null");
        assert_eq!(json("v: !!str 5\nw: 2020-01-01\n"), r#"{"v":"5","w":"2020-01-01"}"#);
    }

    #[test]
    fn a_key_that_occurs_twice_is_kept_twice() {
        assert_eq!(parse("a: 1\na: 2\n").unwrap().entries().len(), 2);
        assert!(parse("a: 1\na: 2\n").unwrap().duplicate().is_some());
    }

    #[test]
    fn every_value_stands_where_its_span_says() {
        let text = "é: 'x'\nallow:\n  - mcp__a__b # why\n  - \"q\"\nmap: {k: v}\n";
        let root = parse(text).unwrap();
        let at = |span: Span| &text[span.range()];
        let allow = &root.entries()[1];
        assert_eq!(at(allow.key_span), "allow");
        let Value::List(items) = &allow.node.value else { panic!("a list") };
        assert_eq!([at(items[0].span), at(items[1].span)], ["mcp__a__b", "\"q\""]);
        assert!(allow.node.span.contains(items[1].span), "{:?}", allow.node.span);
        assert_eq!(at(root.entries()[2].node.span), "{k: v}");
        assert_eq!(root.path_to(items[1].span), "allow[1]");
    }

    #[test]
    fn front_matter_has_the_files_places() {
        let text = "---\r\nname: x\ntools: Read, mcp__a__b\n---\n# Title\n---\nno: yaml: here\n";
        let root = parse_front_matter(text).unwrap();
        let tools = root.get("tools").unwrap();
        assert_eq!(&text[tools.span.range()], "Read, mcp__a__b");
        for none in ["# Title\n---\na: 1\n---\n", "", "--- \n---\n", "text"] {
            assert!(parse_front_matter(none).unwrap().entries().is_empty(), "{none:?}");
        }
        let (span, problem) = parse_front_matter("---\na: [\n---\n").unwrap_err();
        assert!(span.start >= 4 && matches!(problem, Problem::Syntax { .. }));
        let (_, problem) = parse_front_matter("---\na: 1\n").unwrap_err();
        assert!(problem.to_string().contains("no line `---`"), "{problem}");
    }

    #[test]
    fn aliases_are_what_they_stand_for_and_cannot_blow_up() {
        assert_eq!(json("a: &x [1, 2]\nb: *x\n"), r#"{"a":[1,2],"b":[1,2]}"#);
        assert!(parse("a: &x [*x]\n").is_err());
        assert!(parse("a: *nobody\n").is_err());
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let list = vec![format!("*a{}", level - 1); 9].join(", ");
            bomb += &format!("a{level}: &a{level} [{list}]\n");
        }
        let (_, problem) = parse(&bomb).unwrap_err();
        assert!(problem.to_string().contains("aliases stand for more"), "{problem}");
    }

    #[test]
    fn deep_nesting_and_broken_text_are_errors() {
        for open in ["[", "{a: ", "- "] {
            assert!(parse(&open.repeat(50_000)).is_err(), "{open}");
        }
        let deep = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(parse(&deep).is_ok());
        let (_, problem) = parse(&format!("[{deep}]")).unwrap_err();
        assert!(matches!(problem, Problem::TooDeep { .. }));
        for text in ["a: [1", "a: 'x", "a: b: c", "a: 1\n b: 2", "--- 1\n--- 2\n", "[a]: b"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics_and_spans_lie_in_it(text in "[a-c\\-:#&*'\"\\[\\]{}|>~!,? \\n\\té😀]{0,40}") {
            if let Ok(root) = parse(&text) {
                prop_assert!(text.get(root.span.range()).is_some());
                for entry in root.entries() {
                    prop_assert!(text.get(entry.key_span.range()).is_some());
                    prop_assert!(text.get(entry.node.span.range()).is_some());
                }
            }
            let _ = parse_front_matter(&format!("---\n{text}\n---\n"));
        }
    }
}
