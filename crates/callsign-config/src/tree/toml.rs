//! TOML into the common tree. Duplicate keys are errors of TOML itself; the parser bounds nesting.

use std::borrow::Cow;

use toml_edit::{Document, Item, Key, TableLike};

use super::{Entry, Node, Value};
use crate::error::Problem;
use crate::place::Span;

/// Parses a whole file.
///
/// # Errors
/// Where the text is not TOML.
pub(crate) fn parse(text: &str) -> Result<Node<'static>, (Span, Problem)> {
    let document = Document::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        let problem = Problem::Syntax { format: "TOML", message: error.message().to_owned() };
        (within(text, span), problem)
    })?;
    let whole = Span::new(0, text.len());
    Ok(Node { span: whole, value: table(document.as_table(), whole) })
}

/// The parser's spans end in the text and on characters; an error's span is not promised to.
fn within(text: &str, span: std::ops::Range<usize>) -> Span {
    let start = (0..=span.start.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    let start = start.unwrap_or(0);
    let end = span.end.clamp(start, text.len());
    Span::new(start, (start..=end).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(start))
}

fn table(table: &dyn TableLike, parent: Span) -> Value<'static> {
    let entries = table.iter().map(|(key, item)| {
        let key_span =
            table.key(key).and_then(Key::span).map_or(parent, |r| Span::new(r.start, r.end));
        Entry { key: Cow::Owned(key.to_owned()), key_span, node: node(item, key_span) }
    });
    Value::Map(entries.collect())
}

/// A table that only its sub-tables name has no span of its own; its key stands for it.
fn node(item: &Item, key_span: Span) -> Node<'static> {
    let span = item.span().map_or(key_span, |range| Span::new(range.start, range.end));
    let value = match item {
        Item::None => Value::Null,
        Item::Value(value) => return of_value(value, span),
        Item::Table(inner) => table(inner, span),
        Item::ArrayOfTables(tables) => {
            let item = |inner: &toml_edit::Table| {
                let span = inner.span().map_or(span, |range| Span::new(range.start, range.end));
                Node { span, value: table(inner, span) }
            };
            Value::List(tables.iter().map(item).collect())
        }
    };
    Node { span, value }
}

fn of_value(value: &toml_edit::Value, around: Span) -> Node<'static> {
    let span = value.span().map_or(around, |range| Span::new(range.start, range.end));
    let value = match value {
        toml_edit::Value::String(text) => Value::Text(Cow::Owned(text.value().clone())),
        toml_edit::Value::Integer(number) => Value::Number(Cow::Owned(number.value().to_string())),
        toml_edit::Value::Float(number) => Value::Number(Cow::Owned(number.value().to_string())),
        toml_edit::Value::Boolean(flag) => Value::Bool(*flag.value()),
        toml_edit::Value::Datetime(date) => Value::Date(date.value().to_string()),
        toml_edit::Value::Array(items) => {
            Value::List(items.iter().map(|item| of_value(item, span)).collect())
        }
        toml_edit::Value::InlineTable(inner) => table(inner, span),
    };
    Node { span, value }
}

/// The JSON of a value, for definitions written in TOML. A number that JSON has no spelling for (`inf`, `nan`) becomes
/// `null`.
pub(crate) fn to_json(node: &Node<'_>) -> String {
    let mut out = String::new();
    write_json(node, &mut out);
    out
}

fn write_json(node: &Node<'_>, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(number) if number.contains(['n', 'N']) => out.push_str("null"),
        Value::Number(number) => out.push_str(number),
        Value::Date(text) => write_text(text, out),
        Value::Text(text) => write_text(text, out),
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_json(item, out);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, entry) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { "," });
                write_text(&entry.key, out);
                out.push(':');
                write_json(&entry.node, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push_str(&serde_json::Value::from(text).to_string());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_out_as_json() {
        let root = parse(
            "name = \"a\\tb\"\nn = [1, 2.5, true, inf]\nd = 2020-01-01\n[s]\ntype = 'object'",
        )
        .unwrap();
        assert_eq!(
            to_json(&root),
            r#"{"name":"a\tb","n":[1,2.5,true,null],"d":"2020-01-01","s":{"type":"object"}}"#
        );
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert!(parse(&format!("a = {}", "[".repeat(100_000))).is_err());
        assert!(parse(&format!("{}a = 1", "a.".repeat(100_000))).is_err());
        assert!(parse(&format!("[{}a]", "a.".repeat(100_000))).is_err());
    }
}
