//! The text of random JSON, as strange as the grammar allows.
#![allow(dead_code, unreachable_pub)]

use proptest::prelude::*;

/// White space between tokens, without line breaks: those end a frame.
fn blank() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\t"), 1 => Just("  ")]
}

/// The text of a JSON string, escapes of every kind and lone surrogates among them.
pub fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>()
            .prop_filter("raw in a string", |&c| c != '"' && c != '\\' && c >= ' ')
            .prop_map(String::from),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04x}")),
        any::<u16>().prop_map(|unit| format!("\\u{unit:04X}")),
        prop::sample::select(&[r#"\""#, r"\\", r"\/", r"\b", r"\n", r"\t", "name", "{", "]"][..])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

pub fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?",
        any::<f64>()
            .prop_filter("finite", |number| number.is_finite())
            .prop_map(|number| format!("{number:?}")),
    ]
}

/// The text of any JSON value: numbers of any size, keys twice, white space anywhere.
pub fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        string(),
        number(),
        prop::sample::select(&["null", "true", "false"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let item =
            (blank(), inner.clone(), blank()).prop_map(|(a, item, b)| format!("{a}{item}{b}"));
        let member = (blank(), string(), blank(), blank(), inner, blank())
            .prop_map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"));
        prop_oneof![
            prop::collection::vec(item, 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(member, 0..5)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}
