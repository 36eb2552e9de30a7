//! Random texts: requests with hostile names, JSON of no shape, and no JSON at all.

use callsign::history::fix;
use proptest::prelude::*;

fn names() -> impl Strategy<Value = String> {
    let pieces = vec!["mcp__", "a", "b.", "__", "é", "🚀", " ", "\"", "\\", "\n", "x_", "get", "-"];
    prop_oneof![
        4 => prop::collection::vec(prop::sample::select(pieces), 0..6)
            .prop_map(|pieces| format!("mcp__{}", pieces.concat())),
        1 => "[a-z_]{20,80}".prop_map(|name| format!("mcp__{name}")),
        1 => ".{0,12}",
    ]
}

/// Objects of the keys and types that the tables name, in any arrangement.
fn shapes() -> impl Strategy<Value = serde_json::Value> {
    let keys = vec![
        "messages",
        "tool_calls",
        "function",
        "name",
        "tools",
        "tool_choice",
        "functions",
        "role",
        "type",
        "input",
        "output",
        "content",
        "contents",
        "parts",
        "functionCall",
        "functionResponse",
        "functionDeclarations",
        "toolConfig",
        "functionCallingConfig",
        "allowedFunctionNames",
        "tool_name",
        "body",
        "message",
        "x",
    ];
    let words = vec![
        "tool",
        "function",
        "tool_use",
        "tool_result",
        "function_call",
        "custom",
        "tool_reference",
        "assistant",
    ];
    let leaf = prop_oneof![
        3 => names().prop_map(serde_json::Value::from),
        2 => prop::sample::select(words).prop_map(serde_json::Value::from),
        1 => any::<i64>().prop_map(serde_json::Value::from),
        1 => Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(6, 48, 6, move |inner| {
        let key = prop::sample::select(keys.clone());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|fields| fields.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

fn check(text: &str) {
    let Ok(repair) = fix(text, None) else { return };
    let fixed = repair.apply().into_owned();
    let mut rebuilt = String::new();
    let mut at = 0;
    for edit in &repair.edits {
        assert!(at <= edit.span.start, "edits are in order and apart");
        rebuilt += &text[at..edit.span.start];
        rebuilt += edit.change.replacement();
        at = edit.span.end;
    }
    assert_eq!(rebuilt + &text[at..], fixed, "nothing but the edits changes");
    let again = fix(&fixed, None).expect("what was fixed is still JSON");
    assert!(again.is_empty(), "{text}\n{fixed}\n{:?}", again.edits);
    assert_eq!(again.documents, repair.documents);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn twice_is_once_whatever_the_shape(value in shapes(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        check(&text.unwrap());
    }

    #[test]
    fn twice_is_once_for_real_requests(names in prop::collection::vec(names(), 1..5)) {
        for stored in crate::fixtures().values() {
            let mut names = names.iter().cycle();
            let mut pieces = stored.split("\"mcp__fix.me__");
            let mut text = pieces.next().expect("a text").to_owned();
            for piece in pieces {
                let (_, rest) = piece.split_once('"').expect("the end of a string");
                text += &serde_json::Value::from(names.next().expect("a name").as_str()).to_string();
                text += rest;
            }
            check(&text);
        }
    }

    #[test]
    fn lines_are_as_documents(values in prop::collection::vec(shapes(), 0..4)) {
        let lines: Vec<String> = values.iter().map(ToString::to_string).collect();
        check(&lines.join("\n"));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[\\]{}:,\"\\\\a-c0-9 \n]{0,40}|\\PC{0,40}") {
        check(&text);
    }
}
