//! What `tests/data/configs/index.jsonl` says of each file.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use callsign_config::{ServerEntry, read};
use serde_json::{Value, json};

fn data(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(path)
}

/// A server in the words of the index.
fn described(server: &ServerEntry) -> (String, Value) {
    let name = match &server.scope {
        Some(scope) => format!("{scope}>{}", server.key),
        None => server.key.to_string(),
    };
    let mut said = json!({ "transport": server.transport.as_str() });
    if server.disabled {
        said["disabled"] = true.into();
    }
    for (name, list) in [("include", &server.filter.include), ("exclude", &server.filter.exclude)] {
        if let Some(list) = list {
            said[name] = list.clone().into();
        }
    }
    (name, said)
}

#[test]
fn every_file_of_the_index_is_read_as_it_says() {
    let index = std::fs::read_to_string(data("configs/index.jsonl")).unwrap();
    let mut seen = 0;
    for line in index.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let name = line["file"].as_str().unwrap();
        let file = read(&data("configs").join(name));
        seen += 1;
        if let Some(expected) = line.get("error") {
            let error = file.unwrap_err();
            assert!(error.place().is_some(), "{name}: {error}");
            assert_eq!(expected, "wrong-type mcpServers: expected an object", "{name}");
            let said = error.to_string();
            assert!(
                said.ends_with("wrong type at `mcpServers`: expected an object, found an array")
            );
            continue;
        }
        let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
        let found: BTreeMap<String, Value> = file.servers.iter().map(described).collect();
        let expected: BTreeMap<String, Value> =
            serde_json::from_value(line["servers"].clone()).unwrap();
        assert_eq!(found, expected, "{name}");
        assert_eq!(found.len(), file.servers.len(), "{name}: a server is there twice");
        let client =
            if line["client"] == "hard" { "generic" } else { line["client"].as_str().unwrap() };
        assert_eq!(file.client, client, "{name}");
        for server in &file.servers {
            let text = std::fs::read_to_string(data("configs").join(name)).unwrap();
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            let token = &text[server.place.span.range()];
            assert_eq!(serde_json::from_str::<String>(token).unwrap(), *server.key, "{name}");
            let line = text.lines().nth(server.place.line - 1).unwrap();
            let from_column: String = line.chars().skip(server.place.column - 1).collect();
            assert!(from_column.starts_with(token), "{name}: {}", server.place);
        }
    }
    assert_eq!(seen, 15, "the index has been read to its end");
}
