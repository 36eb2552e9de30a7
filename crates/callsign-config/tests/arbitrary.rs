//! Whatever the bytes: no panic, and every place points at what it names.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};

use callsign_config::{ConfigFile, parse};
use proptest::prelude::*;

const NAMES: [&str; 6] =
    ["x.json", ".mcp.json", "callsign.toml", "settings.json", ".claude.json", "stdin"];

/// Everything that must hold of an answer, be it a file or an error.
fn check(name: &str, bytes: &[u8]) {
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match parse(Path::new(name), bytes) {
        Ok(file) => check_places(&file, std::str::from_utf8(body).unwrap()),
        Err(error) => {
            let said = error.to_string();
            assert!(said.starts_with(name) && !said.contains('\n'), "{said:?}");
            assert!(!error.remedy().is_empty());
            if let Some(place) = error.place() {
                assert!(place.line >= 1 && place.column >= 1 && place.span.start <= body.len());
            }
        }
    }
}

fn check_places(file: &ConfigFile, text: &str) {
    assert_eq!(file.shown_text().len(), text.len());
    for server in &file.servers {
        assert_token(&text[server.place.span.range()], &server.key);
        let spans = &server.spans;
        if let Some(catalogue) = server.catalogue() {
            assert_eq!(spans.tools.len(), catalogue.advertised());
            for (index, tool) in catalogue.tools().iter().enumerate() {
                assert_token(&text[spans.tools[catalogue.position(index)].range()], tool.wire());
            }
            for (span, prompt) in spans.prompts.iter().zip(catalogue.prompts()) {
                assert_token(&text[span.range()], prompt.name());
            }
        }
        for (entries, spans) in
            [(&server.filter.include, &spans.include), (&server.filter.exclude, &spans.exclude)]
        {
            let entries = entries.as_deref().unwrap_or_default();
            assert_eq!(entries.len(), spans.len());
            for (entry, span) in entries.iter().zip(spans) {
                assert_token(&text[span.range()], entry);
            }
        }
    }
}

/// The token is the value in JSON, or quoted or bare in TOML.
fn assert_token(token: &str, value: &str) {
    let json = serde_json::from_str::<String>(token).ok();
    let is_toml = || {
        let text = format!("{token} = 1");
        let bare_or_key = text.parse::<toml_edit::Document<String>>();
        bare_or_key.is_ok_and(|parsed| parsed.iter().any(|(key, _)| key == value))
            || format!("k = {token}")
                .parse::<toml_edit::Document<String>>()
                .is_ok_and(|parsed| parsed["k"].as_str() == Some(value))
    };
    assert!(json.as_deref() == Some(value) || is_toml(), "{token:?} is not {value:?}");
}

fn samples() -> Vec<(String, Vec<u8>)> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let folders = [
        "../../../../data/corpus/preflight/edge",
        "configs/claude-desktop",
        "configs/claude-code",
        "configs/cursor",
        "configs/vscode",
        "configs/hard",
    ];
    let list = |folder: &str| -> Vec<PathBuf> {
        let found = std::fs::read_dir(data.join(folder)).unwrap();
        found.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect()
    };
    let mut files: Vec<PathBuf> = folders.iter().flat_map(|folder| list(folder)).collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut samples: Vec<_> =
        files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect();
    let toml = "scheme = 'x'\n[severity]\nCS001 = 'off'\n[servers.\"é\"]\ncommand = 'x'\nargs = ['a']\n\
                env = {A = \"b\"}\ntools = [\"q\", {name = 'w'}]\ninclude = ['''q''']\n\
                [servers.b.options.q]\nhidden = true\n[[servers.b.tools]]\nname = 'e'\n";
    samples.push(("callsign.toml".into(), toml.into()));
    let rich = r#"{"mcpServers": {"é": {"tools": ["x", {"name": "y", /* c */ "s": [1,],}], "prompts": ["p"],
        "include": ["x"], "excludeTools": ["y"], "disabled": false, "env": {"A": 1}}, "n": null}}"#;
    samples.push(("rich.json".into(), rich.into()));
    samples
}

/// Tokens that mean something somewhere.
const TOKENS: [&str; 26] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "//",
    "/*",
    "*/",
    "null",
    "true",
    "1",
    "\u{feff}",
    "\n",
    "\r",
    "é",
    "\0",
    "\"mcpServers\"",
    "\"a\": {}",
    "\"\"",
    "[[x]]",
    "=",
    "\u{2003}",
];

#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, &'static str),
    Delete(usize, usize),
    Byte(usize, u8),
    Repeat(usize, usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let at = 0..4096_usize;
    prop_oneof![
        (at.clone(), prop::sample::select(&TOKENS[..]))
            .prop_map(|(at, token)| Edit::Insert(at, token)),
        (at.clone(), 1..40_usize).prop_map(|(at, length)| Edit::Delete(at, length)),
        (at.clone(), any::<u8>()).prop_map(|(at, byte)| Edit::Byte(at, byte)),
        (at, 1..60_usize).prop_map(|(at, length)| Edit::Repeat(at, length)),
    ]
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    let within = |at: usize| at % (bytes.len() + 1);
    match *edit {
        Edit::Insert(at, token) => {
            let at = within(at);
            bytes.splice(at..at, token.bytes());
        }
        Edit::Delete(at, length) => {
            let at = within(at);
            let end = (at + length).min(bytes.len());
            bytes.drain(at..end);
        }
        Edit::Byte(at, byte) => {
            let at = within(at);
            if let Some(old) = bytes.get_mut(at) {
                *old = byte;
            }
        }
        Edit::Repeat(at, length) => {
            let at = within(at);
            let again = bytes[at..(at + length).min(bytes.len())].to_vec();
            bytes.splice(at..at, again);
        }
    }
}

#[test]
fn every_sample_passes_as_it_is() {
    for (name, bytes) in samples() {
        check(&name, &bytes);
    }
}

proptest! {
    // As many cases as `PROPTEST_CASES` says.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200), name in prop::sample::select(&NAMES[..])) {
        check(name, &bytes);
    }

    #[test]
    fn arbitrary_tokens(
        tokens in prop::collection::vec(prop::sample::select(&TOKENS[..]), 0..40),
        name in prop::sample::select(&NAMES[..]),
    ) {
        check(name, tokens.concat().as_bytes());
    }

    #[test]
    fn files_with_a_few_changes(
        sample in prop::sample::select(samples()),
        edits in prop::collection::vec(edit(), 1..5),
    ) {
        let (name, mut bytes) = sample;
        for edit in &edits {
            apply(&mut bytes, edit);
        }
        check(&name, &bytes);
    }
}
