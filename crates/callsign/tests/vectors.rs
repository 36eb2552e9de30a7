//! Names executed elsewhere (data/vectors/README.md), line by line against ours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::path::PathBuf;

use callsign::scheme::{
    ProviderSafe, Scheme, aliases, history_name, legacy_spelling, provider_name,
    provider_name_utf16, raw_name,
};
use callsign::{ServerKey, WireName};
use serde_json::Value;

fn lines(file: &str) -> Vec<Value> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/vectors").join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'a>(line: &'a Value, key: &str) -> &'a str {
    line[key].as_str().unwrap_or_else(|| panic!("no text `{key}` in {line}"))
}

fn texts(line: &Value, key: &str) -> Vec<String> {
    line[key].as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

fn units(line: &Value, key: &str) -> Vec<u16> {
    let units = line[key].as_array().unwrap();
    units.iter().map(|unit| u16::try_from(unit.as_u64().unwrap()).unwrap()).collect()
}

#[test]
fn every_name_of_normalize_jsonl() {
    let mut counts = [0; 3];
    for line in lines("normalize.jsonl") {
        let expected = text(&line, "expected");
        match text(&line, "fn") {
            "register" => {
                counts[0] += 1;
                let (server, tool) = (text(&line, "server"), text(&line, "tool"));
                let raw = raw_name(server, tool);
                assert_eq!(raw, text(&line, "raw"));
                assert_eq!(provider_name(&raw), expected, "{line}");
                assert_eq!(legacy_spelling(&raw), text(&line, "legacy"), "{line}");
                let aliases = aliases(server, tool);
                assert_eq!(aliases.permission, texts(&line, "permission_aliases"), "{line}");
                assert_eq!(aliases.disabled, texts(&line, "disabled_aliases"), "{line}");
                // Only the vectors have empty parts: a server key or wire name can't be built from one.
                if let (Ok(server), Ok(wire)) = (ServerKey::new(server), WireName::new(tool)) {
                    assert_eq!(ProviderSafe.name(&server, &wire).unwrap().as_str(), expected);
                }
            }
            "provider" => {
                counts[1] += 1;
                assert_eq!(provider_name(text(&line, "raw")), expected, "{line}");
            }
            "history" => {
                counts[2] += 1;
                assert_eq!(history_name(text(&line, "raw")), expected, "{line}");
            }
            other => panic!("unknown function {other}"),
        }
    }
    println!("register {}, provider {}, history {}", counts[0], counts[1], counts[2]);
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn every_name_of_normalize_lone_surrogates_jsonl() {
    let lines = lines("normalize_lone_surrogates.jsonl");
    assert!(!lines.is_empty());
    for line in lines {
        let input = if line["raw_u16"].is_array() {
            units(&line, "raw_u16")
        } else {
            let text = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
            [text("mcp__"), units(&line, "server_u16"), text("__"), units(&line, "tool_u16")]
                .concat()
        };
        assert_eq!(provider_name_utf16(&input), text(&line, "expected"), "{line}");
    }
}
