//! Inputs on which a simple reader crashes or stays silent: what each file of `data/corpus/preflight/edge` says.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

use callsign_config::{ConfigFile, Problem, Statics, Transport, read};

fn edge(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/corpus/preflight/edge").join(name)
}

fn file(name: &str) -> ConfigFile {
    read(&edge(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// `key: tool tool`, a server a line; `?` where nothing is said, `*` where all are allowed.
fn tools(file: &ConfigFile) -> String {
    let line = |server: &callsign_config::ServerEntry| {
        let tools = match &server.statics {
            Statics::Listed(catalogue) => {
                let names = catalogue.tools().iter().map(|tool| tool.wire().to_string());
                names.collect::<Vec<_>>().join(" ")
            }
            Statics::AllowAll => "*".into(),
            _ => "?".into(),
        };
        format!("{}: {tools}", server.key)
    };
    file.servers.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn files_that_are_read() {
    let long = "a".repeat(57);
    let cases = [
        ("nostatic.json", "a: ?\nb: ?"),
        ("empty.json", ""),
        ("jsonc.json", ""),
        ("servers.json", "a: x"),
        ("dupin.json", "a: x x"),
        ("star.json", "a: *\nb: *"),
        ("case.json", "a: Read_File\nb: read_file"),
        ("unicode.json", "a: 読む\nb: 書く"),
        ("dot.json", "a: admin.tools.list"),
        ("slug.json", "a-b: x\na_b: x"),
        ("slugempty.json", "日本: x\n中国: x"),
        ("aliascoll.json", "a: x\nb: x a_x"),
        ("mcp__.json", "a: b__c\na__b: c"),
        ("two_versions.json", "fs1: read_file write_file\nfs2: read_file write_file"),
        ("len57.json", &format!("alpha-server-long-name: {long}\nb: {long}")),
        ("len58.json", &format!("alpha-server-long-name: a{long}\nb: a{long}")),
        ("len59.json", &format!("alpha-server-long-name: aa{long}\nb: aa{long}")),
    ];
    for (name, expected) in cases {
        assert_eq!(tools(&file(name)), expected, "{name}");
    }
    let read_or_refused = cases.len() + 2;
    let there = std::fs::read_dir(edge("")).unwrap().count();
    assert_eq!(there, read_or_refused, "every file is in this test");
}

#[test]
fn files_that_are_refused_with_place_and_cause() {
    let array = read(&edge("array.json")).unwrap_err();
    assert!(matches!(array.problem(), Problem::WrongType { expected: "an object", .. }));
    assert_eq!(array.place().unwrap().to_string(), "1:1");

    let latin1 = read(&edge("latin1.json")).unwrap_err();
    assert!(matches!(latin1.problem(), Problem::NotUtf8 { hint: Some(_) }));
    assert_eq!(latin1.place().unwrap().to_string(), "1:17");
}

#[test]
fn each_of_two_equal_names_has_its_own_place() {
    let file = file("dupin.json");
    let places: Vec<String> =
        file.servers[0].tool_spans("x").map(|span| file.place(span).to_string()).collect();
    assert_eq!(places, ["1:33", "1:38"]);
}

#[test]
fn an_allow_all_marker_is_no_filter_and_a_list_of_names_is_one() {
    assert_eq!(file("star.json").servers[0].filter.tools, None);
    assert_eq!(file("dot.json").servers[0].filter.tools, Some(vec!["admin.tools.list".into()]));
    assert_eq!(file("dot.json").servers[0].transport, Transport::Unknown);
    assert_eq!(file("servers.json").client, "vscode");
}
