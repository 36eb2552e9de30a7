//! JSON values and the many texts that spell each.

use std::fmt::Write;

use proptest::prelude::*;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Word(&'static str),
    /// As written: JSON numbers have no precision.
    Number(String),
    Text(String),
    List(Vec<Json>),
    /// In order, keys may repeat.
    Object(Vec<(String, Json)>),
}

/// How to write: a seed for every choice there is.
#[derive(Debug, Clone)]
pub(crate) struct Layout(Vec<u8>);

struct Choices<'a>(std::iter::Cycle<std::slice::Iter<'a, u8>>);

impl Choices<'_> {
    fn next(&mut self, of: usize) -> usize {
        usize::from(*self.0.next().unwrap()) % of
    }
}

impl Layout {
    pub(crate) fn pick(&self, of: usize) -> usize {
        usize::from(self.0[0]) % of
    }

    pub(crate) fn shuffled<T>(&self, mut items: Vec<T>) -> Vec<T> {
        let mut choices = Choices(self.0.iter().cycle());
        for at in (1..items.len()).rev() {
            items.swap(at, choices.next(at + 1));
        }
        items
    }
}

impl Json {
    /// A text of this value with the layout's white space and escapes.
    pub(crate) fn written(&self, layout: &Layout) -> String {
        let mut out = String::new();
        self.write(&mut Choices(layout.0.iter().cycle()), &mut out);
        out
    }

    /// As [`written`](Self::written), with the keys of inner objects in another order too.
    pub(crate) fn written_shuffled(&self, layout: &Layout) -> String {
        self.shuffled(layout).written(layout)
    }

    fn shuffled(&self, layout: &Layout) -> Self {
        match self {
            Self::List(items) => {
                Self::List(items.iter().map(|item| item.shuffled(layout)).collect())
            }
            Self::Object(fields) => {
                let inner = fields.iter().map(|(key, value)| (key.clone(), value.shuffled(layout)));
                Self::Object(layout.shuffled(inner.collect()))
            }
            other => other.clone(),
        }
    }

    fn write(&self, choices: &mut Choices<'_>, out: &mut String) {
        let space = |choices: &mut Choices<'_>, out: &mut String| {
            out.push_str(["", "", "", " ", "\n  ", "\t", "\r\n"][choices.next(7)]);
        };
        match self {
            Self::Word(text) => out.push_str(text),
            Self::Number(text) => out.push_str(text),
            Self::Text(text) => write_text(text, choices, out),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    space(choices, out);
                    item.write(choices, out);
                    space(choices, out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    out.push_str(if index == 0 { "" } else { "," });
                    space(choices, out);
                    write_text(key, choices, out);
                    space(choices, out);
                    out.push(':');
                    space(choices, out);
                    value.write(choices, out);
                    space(choices, out);
                }
                out.push('}');
            }
        }
    }
}

fn write_text(text: &str, choices: &mut Choices<'_>, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        let must = c < ' ' || matches!(c, '"' | '\\');
        if !must && choices.next(6) > 0 {
            out.push(c);
            continue;
        }
        let upper = choices.next(2) == 0;
        for unit in c.encode_utf16(&mut [0; 2]) {
            let written =
                if upper { write!(out, "\\u{unit:04X}") } else { write!(out, "\\u{unit:04x}") };
            written.unwrap();
        }
    }
    out.push('"');
}

/// Any value, some levels deep; keys of inner objects are distinct.
fn values() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["true", "false", "null"]).prop_map(Json::Word),
        "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?".prop_map(Json::Number),
        "\\PC{0,12}".prop_map(Json::Text),
        any::<String>().prop_map(Json::Text),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Json::List),
            prop::collection::btree_map(keys(), inner, 0..5)
                .prop_map(|fields| Json::Object(fields.into_iter().collect())),
        ]
    })
}

fn keys() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{1,2}", "\\PC{0,6}", "(description|inputSchema|x-vendor|\\$ref)"]
}

/// The fields of a top-level object, keys distinct.
pub(crate) fn objects() -> impl Strategy<Value = Vec<(String, Json)>> {
    prop::collection::btree_map(keys(), values(), 0..6)
        .prop_map(|fields| fields.into_iter().collect())
}

pub(crate) fn layouts() -> impl Strategy<Value = Layout> {
    prop::collection::vec(any::<u8>(), 1..40).prop_map(Layout)
}
