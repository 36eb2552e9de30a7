//! No secret leaves by `Debug`, an error, or the text for excerpts.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use callsign_config::parse;

const SECRET: &str = "s3cret-välue";

fn texts() -> [(&'static str, String); 3] {
    let json = r#"{"mcpServers": {
        "a": {"command": "x", "args": ["--token", "@", "--api-key=@", "A_TOKEN=@"], "env": {"K": "@"}},
        "b": {"url": "https://u:@\u0040h.example/p?key=@", "headers": {"Authorization": "Bearer @"}}
    }}"#;
    let toml = "[servers.a]\ncommand = 'x'\nenv = { K = '@' }\n[servers.b]\nurl = 'https://h?@'\n\
                headers.Authorization = \"\"\"Bearer\n@\"\"\"";
    let inputs = r#"{"inputs": [{"apiKey": "@"}], "servers": {"a": {"url": "https://h", "headers": {"X": "@", "Y": null}}}}"#;
    [("a.json", json), ("callsign.toml", toml), ("b.json", inputs)]
        .map(|(path, text)| (path, text.replace('@', SECRET)))
}

#[test]
fn debug_and_excerpts_show_no_secret_and_spans_still_fit() {
    for (path, text) in texts() {
        let file = parse(Path::new(path), text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        let shown = file.shown_text();
        assert_eq!(shown.len(), text.len());
        for said in [format!("{file:?}"), format!("{file:#?}"), shown.to_owned()] {
            assert!(!said.contains("s3cret"), "{path}: {said}");
        }
        for server in &file.servers {
            assert_eq!(shown[server.place.span.range()], text[server.place.span.range()]);
            assert!(!server.launch.shown().contains("s3cret"), "{}", server.launch.shown());
        }
    }
}

#[test]
fn the_secret_is_there_for_the_server() {
    let [(path, text), ..] = texts();
    let file = parse(Path::new(path), text.as_bytes()).unwrap();
    assert_eq!(file.servers[0].launch.env[0].1.expose(), SECRET);
    assert_eq!(file.servers[1].launch.headers[0].1.expose(), format!("Bearer {SECRET}"));
}

/// Every way to break the file by cutting it or spoiling one character: whatever the error is, it tells no secret.
#[test]
fn errors_tell_no_secret() {
    let mut errors = 0;
    for (path, text) in texts() {
        for (at, c) in text.char_indices() {
            let spoilt = format!("{}7{}", &text[..at], &text[at + c.len_utf8()..]);
            for broken in [&text[..at], &spoilt] {
                let Err(error) = parse(Path::new(path), broken.as_bytes()) else { continue };
                errors += 1;
                let said = format!("{error} {} {error:?}", error.remedy());
                assert!(!said.contains("cret-v"), "{said}");
            }
        }
    }
    assert!(errors > 100, "{errors}");
}
