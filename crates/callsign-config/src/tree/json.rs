//! JSON as people write it: comments and trailing commas are read, everything else must be JSON.

use std::borrow::Cow;

use jsonc_parser::ast;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{Entry, MAX_DEPTH, Node, Value};
use crate::error::Problem;
use crate::place::Span;

/// Parses a whole file.
///
/// # Errors
/// Where the text is not JSON (with comments and trailing commas), or is nested too deep.
pub(crate) fn parse(text: &str) -> Result<Node<'_>, (Span, Problem)> {
    scan(text)?;
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
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
        let range = error.range();
        (Span::new(range.start, range.end), syntax(&wording(error.kind())))
    })?;
    parsed.value.map(node).ok_or((Span::new(0, 0), Problem::Empty))
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

fn span(range: jsonc_parser::common::Range) -> Span {
    Span::new(range.start, range.end)
}

/// Recursion is bounded: [`scan`] has refused what is deeper than [`MAX_DEPTH`].
fn node(value: ast::Value<'_>) -> Node<'_> {
    match value {
        ast::Value::NullKeyword(null) => Node { span: span(null.range), value: Value::Null },
        ast::Value::BooleanLit(flag) => {
            Node { span: span(flag.range), value: Value::Bool(flag.value) }
        }
        ast::Value::NumberLit(number) => {
            Node { span: span(number.range), value: Value::Number(Cow::Borrowed(number.value)) }
        }
        ast::Value::StringLit(text) => {
            Node { span: span(text.range), value: Value::Text(text.value) }
        }
        ast::Value::Array(array) => Node {
            span: span(array.range),
            value: Value::List(array.elements.into_iter().map(node).collect()),
        },
        ast::Value::Object(object) => Node {
            span: span(object.range),
            value: Value::Map(object.properties.into_iter().map(entry).collect()),
        },
    }
}

fn entry(property: ast::ObjectProp<'_>) -> Entry<'_> {
    let (key, range) = match property.name {
        ast::ObjectPropName::String(name) => (name.value, name.range),
        ast::ObjectPropName::Word(name) => (Cow::Borrowed(name.value), name.range),
    };
    Entry { key, key_span: span(range), node: node(property.value) }
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
