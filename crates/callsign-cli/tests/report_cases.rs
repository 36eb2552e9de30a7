//! Public reports (data/cases/reports.jsonl) that need more than the core: files, the migration of names, `which`. What the
//! core answers alone is in crates/callsign/tests/cases.rs and history.rs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use serde_json::Value;
use support::{Sandbox, root};

/// The input of a report.
fn input(id: &str) -> Value {
    let text = std::fs::read_to_string(root().join("data/cases/reports.jsonl")).expect("the file");
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut cases = cases.filter(|case| case["id"] == id);
    cases.next().unwrap_or_else(|| panic!("no report {id}"))["input"].take()
}

/// A folder with the servers of a report in `.mcp.json`.
fn with_servers(input: &Value) -> Sandbox {
    let sandbox = Sandbox::new();
    let servers = serde_json::json!({"mcpServers": input["mcpServers"]});
    sandbox.write(".mcp.json", servers.to_string());
    sandbox
}

/// A template has one client's spelling, `mcp_{server}_{tool}`.
#[test]
fn c209_a_template_in_one_clients_spelling_is_moved_to_another() {
    let input = input("c209");
    let sandbox = with_servers(&input);
    let file = sandbox.write("template.md", input["text"].as_str().unwrap());
    let arguments =
        ["migrate", "--from", "gemini-cli", "--to", "qualified", "template.md", "--write"];
    sandbox.callsign(arguments).run().exits(0);
    let migrated = std::fs::read_to_string(file).unwrap();
    assert_eq!(migrated, "Use mcp__memory__store_memory to save.");
}

/// Three prefixes for one server; the text names one tool, and two that are not there.
#[test]
fn c211_names_under_other_front_ends_keys_are_unknown_and_answered_with_the_tool_that_is_there() {
    let input = input("c211");
    let sandbox = with_servers(&input);
    let text = input["text"].as_str().unwrap();
    let names: Vec<&str> = text.trim_start_matches("tools: ").split(", ").collect();
    assert_eq!(names.len(), 3);
    sandbox.callsign(["which", names[0]]).run().exits(0).says(&["getJiraIssue"]);
    for name in &names[1..] {
        let run = sandbox.callsign(["which", name]).run().exits(2);
        run.warns(&["server `atlassian` has a tool `getJiraIssue`", names[0]]);
    }
    let file = sandbox.write("agent.md", text);
    let arguments = ["migrate", "--from", "claude-code", "--to", "opencode", "agent.md"];
    sandbox.callsign(arguments.into_iter().chain(["--check"])).run().exits(1);
    sandbox.callsign(arguments.into_iter().chain(["--write"])).run().exits(0);
    let migrated = std::fs::read_to_string(file).unwrap();
    assert_eq!(migrated, text.replacen(names[0], "atlassian_getJiraIssue", 1));
}

/// A switch that hides a tool is shown with its place. In whose state file it was stored is not read here: it stands in
/// callsign.toml.
#[test]
fn c226_which_shows_the_switch_that_hides_a_tool() {
    let input = input("c226");
    let sandbox = with_servers(&input);
    let disabled = &input["disabled"];
    sandbox.write("callsign.toml", format!("[rules]\ndisabled = {disabled}\n"));
    let name = disabled[0].as_str().unwrap();
    let run = sandbox.callsign(["which", name, "--color", "never"]).run().exits(0);
    run.says(&["rules of callsign (callsign): deny", "hide", "callsign.toml:2:13", "decides"]);
}
