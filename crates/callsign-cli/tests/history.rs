//! `callsign history fix`: what it writes where, and what it leaves.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

mod support;

use callsign::scheme::provider_name;
use support::{Outcome, Sandbox};

const OLD: &str = "mcp__docs.v2__get/all";

/// Two lines: a call and its result, and a name that is refused.
fn stored() -> String {
    format!(
        "{{\"role\":\"assistant\",\"tool_calls\":[{{\"id\":\"1\",\"function\":{{\"name\":\"{OLD}\",\"arguments\":\"\\u007b}}\"}}}}]}}\r\n{{\"name\":\"{OLD}\",\"role\":\"tool\",\"n\":1e999}}\n{{\"role\":\"tool\",\"name\":\"get.weather\"}}"
    )
}

fn fixed() -> String {
    stored().replace(OLD, &provider_name(OLD))
}

fn fix(sandbox: &Sandbox, arguments: &[&str]) -> Outcome {
    sandbox.callsign(["history", "fix"].iter().chain(arguments)).run()
}

fn content(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path("work").join(name)).expect("a file")
}

/// Nothing but the files that the test wrote.
#[track_caller]
fn has_files(sandbox: &Sandbox, number: usize) {
    let files = std::fs::read_dir(sandbox.path("work")).expect("a folder");
    assert_eq!(files.count(), number, "something was left behind");
}

#[test]
fn the_repaired_text_goes_to_standard_output_and_the_report_beside_it() {
    let sandbox = Sandbox::new();
    sandbox.write("a.jsonl", stored());
    let outcome = fix(&sandbox, &["a.jsonl"]).exits(0);
    assert_eq!(outcome.stdout, fixed());
    outcome.warns(&[
        &format!("`{OLD}` becomes `{}`", provider_name(OLD)),
        "a.jsonl:1:65 tool_calls[0].function.name",
        "and 1 more place",
        "note: `get.weather` stays",
        "OpenAI would refuse it",
        "a.jsonl:3:24 name",
        "a.jsonl: 2 changes made; 3 tool names in 3 documents",
    ]);
    assert_eq!(content(&sandbox, "a.jsonl"), stored());
    has_files(&sandbox, 1);

    let piped = sandbox.callsign(["history", "fix", "-", "-q"]).input(stored()).run().exits(0);
    assert_eq!(piped.stdout, fixed());
    piped.stays_silent();
    let verbose = fix(&sandbox, &["a.jsonl", "-v"]).exits(0);
    verbose.warns(&["a.jsonl:2:10 name"]).never_says("more place");
}

#[test]
fn check_writes_nothing_and_ends_with_1_where_something_would_change() {
    let sandbox = Sandbox::new();
    sandbox.write("a.jsonl", stored());
    sandbox.write("b.jsonl", fixed());
    let outcome = fix(&sandbox, &["--check", "a.jsonl", "b.jsonl"]).exits(1);
    outcome
        .stays_silent()
        .says(&["a.jsonl: 2 changes to make", "b.jsonl: 0 changes; 3 tool names"]);
    assert_eq!(content(&sandbox, "a.jsonl"), stored());
    fix(&sandbox, &["--check", "b.jsonl"]).exits(0).says(&["note: `get.weather` stays"]);
    let quiet = fix(&sandbox, &["-q", "--check", "a.jsonl"]).exits(1);
    assert_eq!(quiet.stdout, "a.jsonl: 2 changes to make; 3 tool names in 3 documents\n");
    has_files(&sandbox, 2);
}

#[test]
fn write_replaces_and_a_second_time_changes_nothing() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("a.jsonl", stored());
    fix(&sandbox, &["--write", "a.jsonl"]).exits(0).says(&["2 changes made"]).stays_silent();
    assert_eq!(content(&sandbox, "a.jsonl"), fixed());
    let before = std::fs::metadata(&path).expect("a file").modified().expect("a time");
    fix(&sandbox, &["--write", "a.jsonl"]).exits(0).says(&["0 changes;"]);
    let after = std::fs::metadata(&path).expect("a file").modified().expect("a time");
    assert_eq!(before, after, "what is right already is not touched");
    has_files(&sandbox, 1);
}

#[test]
fn the_report_as_json() {
    let sandbox = Sandbox::new();
    sandbox.write("a.jsonl", stored());
    let report = fix(&sandbox, &["--check", "--format", "json", "a.jsonl"]).exits(1).json();
    let file = &report["files"][0];
    assert_eq!(file["edits"][0]["field"], "tool_calls[0].function.name");
    assert_eq!(file["edits"][1]["line"], 2);
    assert_eq!(file["edits"][1]["change"], "renamed");
    assert_eq!(file["edits"][1]["new"], provider_name(OLD));
    assert_eq!(file["notes"][0]["kind"], "refused");
    assert_eq!((&file["documents"], &file["names"]), (&3.into(), &3.into()));
    assert_eq!(file["written"], false);
    let written = fix(&sandbox, &["--write", "--format", "json", "a.jsonl"]).exits(0).json();
    assert_eq!(written["files"][0]["written"], true);
}

#[test]
fn what_is_broken_has_a_place_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write("good.jsonl", stored());
    sandbox.write("bad.jsonl", "{}\n{\"messages\":[é]}\n");
    let outcome = fix(&sandbox, &["--write", "good.jsonl", "bad.jsonl"]).exits(2);
    outcome.warns(&["error: bad.jsonl: line 2, column 14:", "help: mend line 2"]);
    assert_eq!(content(&sandbox, "good.jsonl"), stored(), "all are read before one is written");
    sandbox.write("bytes.json", b"{}\n\xff");
    fix(&sandbox, &["bytes.json"]).exits(2).warns(&["bytes.json: line 2: it is not UTF-8"]);
    fix(&sandbox, &["--check", "absent.json"]).exits(2).warns(&["absent.json"]);
    fix(&sandbox, &["good.jsonl", "bad.jsonl"]).exits(2).warns(&["add --write or --check"]);
    fix(&sandbox, &["--write", "-"]).exits(2).warns(&["standard input can't be written to"]);
    fix(&sandbox, &["--write", "--check", "good.jsonl"]).exits(2);
    fix(&sandbox, &["--provider", "acme", "good.jsonl"]).exits(2).warns(&["openai, anthropic"]);
}

#[test]
fn the_provider_decides_where_names_are_looked_for() {
    let sandbox = Sandbox::new();
    sandbox.write("a.jsonl", stored());
    let other = fix(&sandbox, &["--provider", "gemini", "a.jsonl"]).exits(0);
    assert_eq!(other.stdout, stored());
    other.warns(&["looks like a tool's name", "and 1 more place"]);
    assert_eq!(fix(&sandbox, &["--provider", "openai", "a.jsonl"]).exits(0).stdout, fixed());
}

#[test]
fn a_read_only_file_stays_and_the_others_are_replaced() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("locked.jsonl", stored());
    sandbox.write("free.jsonl", stored());
    let mut permissions = std::fs::metadata(&path).expect("a file").permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).expect("permissions");
    let outcome = fix(&sandbox, &["--write", "locked.jsonl", "free.jsonl"]).exits(2);
    outcome
        .warns(&["error: can't replace locked.jsonl: it is read-only", "help: make it writable"])
        .says(&["locked.jsonl: 2 changes not made", "free.jsonl: 2 changes made"]);
    assert_eq!(content(&sandbox, "locked.jsonl"), stored());
    assert_eq!(content(&sandbox, "free.jsonl"), fixed());
    has_files(&sandbox, 2);
}

/// A name may hold what would steer a terminal.
#[test]
fn nothing_in_the_report_steers_the_terminal() {
    let sandbox = Sandbox::new();
    sandbox.write("a.json", r#"{"messages":[],"tools":[{"name":"mcp__a\u001b[31m__\u202eb"},{"name":"\u001b]0;x\u0007"}],"\u001b":1}"#);
    let outcome = fix(&sandbox, &["--check", "a.json"]).exits(1);
    assert!(!outcome.stdout.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{outcome}");
    outcome.says(&["\\u{1b}[31m"]);
}
