//! What changes with the scheme's options, and what a scheme that always has a name makes of a finding.

use callsign::audit::{Fleet, Severity, audit};
use callsign::scheme::{Prefixed, Qualified};

use crate::reader::{codes, findings, servers};

#[test]
fn a_refused_reading_is_an_error_and_has_no_exposed_name_to_collide() {
    let text = r#"{"mcpServers": {"a": {"tools": ["b__c"]}, "a__b": {"tools": ["c"]}}}"#;
    let strict = Qualified { unambiguous: true };
    let found = audit(&Fleet::new(&strict, servers(text)));
    assert_eq!(codes(&found), ["CS011", "CS011"]);
    assert!(found.iter().all(|finding| finding.severity() == Severity::Error), "{found:#?}");
    let lenient = findings("qualified", servers(text));
    assert_eq!(codes(&lenient), ["CS002", "CS011", "CS011"]);
    assert_eq!(lenient[1].severity(), Severity::Warning);
}

#[test]
fn the_budget_is_the_limit_of_a_name() {
    let text = r#"{"mcpServers": {"docs": {"tools": ["search"]}}}"#;
    let tight = Prefixed { budget: 11, ..Prefixed::default() };
    let found = audit(&Fleet::new(&tight, servers(text)));
    assert!(found[0].message().contains("4 + 2 + 6 = 12 > 11"), "{}", found[0]);
    assert_eq!(found[0].help(), Some("load the server under a key of at most 3 characters"));
}

#[test]
fn a_total_scheme_makes_an_illegal_name_a_note() {
    let text = r#"{"mcpServers": {"a b": {"tools": ["x.y"]}}}"#;
    let found = findings("prefixed-safe", servers(text));
    assert_eq!(codes(&found), ["CS003", "CS003"]);
    assert!(found.iter().all(|finding| finding.severity() == Severity::Info));
    let changed = found[0].clone().with_severity(Severity::Error);
    assert_eq!((changed.severity(), changed.message()), (Severity::Error, found[0].message()));
}
