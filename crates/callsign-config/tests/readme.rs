//! The README's `callsign.toml` is one, and names every key there is.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use callsign_config::{Problem, parse};

fn example() -> &'static str {
    let readme = include_str!("../README.md");
    let (_, after) = readme.split_once("```toml\n").expect("an example");
    after.split_once("```").expect("its end").0
}

#[test]
fn the_example_is_read() {
    let file = parse(Path::new("callsign.toml"), example().as_bytes()).unwrap();
    assert_eq!(file.servers.len(), 2);
    assert_eq!(file.settings.severity.len(), 1);
    assert_eq!(file.servers[1].options[0].wire.value.as_str(), "search");
    assert_eq!(file.servers[1].transport.as_str(), "sse");
    let rules = &file.settings.rules;
    assert_eq!((rules.rules.len(), rules.disabled.len()), (4, 1));
    assert!(rules.rules.iter().all(|placed| placed.rule.pattern().is_ok()));
    assert_eq!(file.servers[0].launch.env_file.as_deref(), Some(".env"));
}

#[test]
fn the_example_names_every_key() {
    for table in ["", "[rules]", "[[rules.deny]]", "[servers.a]", "[servers.a.options.x]"] {
        let text = format!("{table}\nqqqqqqqqqq = 1");
        let error = parse(Path::new("callsign.toml"), text.as_bytes()).unwrap_err();
        let Problem::UnknownSetting { allowed, .. } = error.problem() else { panic!("{error}") };
        for key in allowed.iter().filter(|key| **key != "serverInfo") {
            assert!(example().contains(key), "{key} is not in the example");
        }
    }
}
