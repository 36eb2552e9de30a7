//! The table of codes and the pages beside the code.

use std::collections::BTreeSet;

use callsign::audit;

use crate::reader::{codes, findings_of};

const HEADINGS: [&str; 5] =
    ["# What it finds", "# Why it matters", "# Example", "# What to do", "# How to silence it"];

#[test]
fn the_set_of_codes_is_fixed() {
    let rows: Vec<String> = audit::codes()
        .iter()
        .map(|code| format!("{} {} {}", code.code, code.name, code.severity))
        .collect();
    insta::assert_snapshot!(rows.join("\n"), @r"
    CS001 duplicate-tool error
    CS002 exposed-name-collision error
    CS003 invalid-name error
    CS004 name-too-long error
    CS005 near-duplicate warning
    CS007 same-server-twice warning
    CS008 duplicate-within-server error
    CS009 unchecked-server warning
    CS010 confusable-name warning
    CS011 ambiguous-separator warning
    CS014 ineffective-rule error
    CS015 rule-reaches-further warning
    ");
    let unique: BTreeSet<&str> =
        audit::codes().iter().flat_map(|code| [code.code, code.name]).collect();
    assert_eq!(unique.len(), audit::codes().len() * 2, "codes and names are unique");
}

#[test]
fn a_code_is_found_by_its_text_or_its_name() {
    assert_eq!(audit::code("cs001").map(|code| code.name), Some("duplicate-tool"));
    assert_eq!(audit::code("unchecked-server").map(|code| code.code), Some("CS009"));
    assert!(audit::code("CS000").is_none());
}

#[test]
fn every_page_has_its_headings_in_order_and_something_under_each() {
    for code in audit::codes() {
        let headings: Vec<&str> = code.page.lines().filter(|line| line.starts_with("# ")).collect();
        assert_eq!(headings, HEADINGS, "{}", code.code);
        for part in code.page.split("\n# ") {
            let body = part.split_once('\n').map_or("", |(_, body)| body.trim());
            assert!(body.len() > 40, "{}: nothing under `{part}`", code.code);
        }
        assert!(!code.page.contains("//!"), "{}: comment markers are taken off", code.code);
    }
}

#[test]
fn every_example_gives_exactly_the_finding_it_is_for() {
    for code in audit::codes() {
        let examples: Vec<&str> = code
            .page
            .split("```json\n")
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap())
            .collect();
        assert!(!examples.is_empty(), "{} has no example", code.code);
        for example in examples {
            let found: BTreeSet<&str> =
                codes(&findings_of("qualified", example)).into_iter().collect();
            let mut expected = BTreeSet::from([code.code]);
            // A page says in a line of its own which other findings its example has.
            let others = code.page.lines().find_map(|line| line.strip_prefix("Also found here: "));
            let others = others.map(|others| others.trim_end_matches('.').split(", "));
            expected.extend(others.into_iter().flatten());
            assert_eq!(found, expected, "{}:\n{example}", code.code);
        }
    }
}
