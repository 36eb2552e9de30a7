//! Each finding's fixtures: `CS…/invalid.json` holds what it must say, `CS…/valid.json` what it must not.

use std::path::PathBuf;

use callsign::audit::{self, Place};
use serde_json::Value;

use crate::reader::{findings_with_rules, servers_of};

/// A fixture is an array of cases: an `mcpServers` object with `about`, `rules` where it has some, and a `scheme` if it is
/// not the default.
fn cases(code: &str, file: &str) -> Vec<Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/audit").join(code);
    let text = std::fs::read_to_string(folder.join(file))
        .unwrap_or_else(|e| panic!("{code} has no {file}: {e}"));
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{code}: {e}"));
    assert!(!cases.is_empty(), "{code}/{file} is empty");
    cases
}

fn of_code(code: &str, case: &Value) -> Vec<String> {
    let scheme = case["scheme"].as_str().unwrap_or("qualified");
    findings_with_rules(scheme, servers_of(case), &case["rules"])
        .iter()
        .filter(|finding| finding.code().code == code)
        .map(|finding| {
            let places = finding.places().iter().map(|place| match place {
                Place::Server { server, entry: Some(entry) } => {
                    format!("{server} {} {}", entry.kind, entry.index)
                }
                Place::Server { server, entry: None } => server.to_string(),
                Place::Rule(rule) => rule.to_string(),
            });
            let places = places.collect::<Vec<_>>().join(", ");
            format!("{finding}\n  at: {}", places.escape_debug())
        })
        .collect()
}

#[test]
fn invalid_fixtures_say_what_is_recorded() {
    for code in audit::codes() {
        let mut report = String::new();
        for case in cases(code.code, "invalid.json") {
            let about = case["about"].as_str().expect("each case says what it is about");
            let found = of_code(code.code, &case);
            assert!(!found.is_empty(), "{}: {about}", code.code);
            report.push_str(&format!("-- {about}\n{}\n", found.join("\n")));
        }
        insta::with_settings!({ snapshot_path => format!("{}", code.code), prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("messages", report);
        });
    }
}

#[test]
fn valid_fixtures_are_silent() {
    for code in audit::codes() {
        for case in cases(code.code, "valid.json") {
            let found = of_code(code.code, &case);
            assert!(found.is_empty(), "{} ({}): {found:#?}", code.code, case["about"]);
        }
    }
}
