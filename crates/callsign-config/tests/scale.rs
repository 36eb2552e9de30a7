//! Large files: time and memory grow with the size and not faster.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use callsign_config::parse;

/// Anything quadratic takes minutes here; what is linear takes well under a second.
const GENEROUS: Duration = Duration::from_secs(30);

/// `servers` × `tools` names on one single line, with characters of several bytes.
fn one_line(servers: usize, tools: usize) -> String {
    let mut text = String::from("{\"mcpServers\": {");
    for server in 0..servers {
        let comma = if server == 0 { "" } else { "," };
        write!(text, "{comma}\"sérver-{server}\": {{\"command\": \"x\", \"tools\": [").unwrap();
        for tool in 0..tools {
            let comma = if tool == 0 { "" } else { "," };
            write!(text, "{comma}\"tööl_{tool}_of_{server}\"").unwrap();
        }
        text.push_str("]}");
    }
    text.push_str("}}");
    text
}

#[test]
fn a_long_line_with_many_names_and_the_place_of_each() {
    let text = one_line(200, 1000);
    let started = Instant::now();
    let file = parse(Path::new("x.json"), text.as_bytes()).unwrap();
    let mut last = 0;
    for server in &file.servers {
        for span in &server.spans.tools {
            let place = file.place(*span);
            assert!(place.line == 1 && place.column > last);
            last = place.column;
        }
    }
    assert!(started.elapsed() < GENEROUS, "{:?}", started.elapsed());
    assert_eq!(text.chars().count(), last + r#""tööl_999_of_199"]}}}"#.chars().count() - 1);
}

#[test]
fn many_keys_on_one_level_and_an_error_at_the_end() {
    let mut text = String::from("{\"mcpServers\": {");
    for key in 0..200_000 {
        write!(text, "\"{key}\": null,").unwrap();
    }
    text.push_str("\"7\": null}}");
    let started = Instant::now();
    let error = parse(Path::new("x.json"), text.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("duplicate key `mcpServers.7` (first at 1:"), "{error}");
    assert!(started.elapsed() < GENEROUS, "{:?}", started.elapsed());
}
