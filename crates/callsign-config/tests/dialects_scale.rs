//! Large files with rules: time grows with their size and with the tools, and not faster.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use callsign::ToolId;
use callsign_config::dialect::{self, Fleet};

/// Anything quadratic takes minutes here; what is linear takes well under a second.
const GENEROUS: Duration = Duration::from_secs(30);

fn within(work: impl FnOnce()) {
    let started = Instant::now();
    work();
    assert!(started.elapsed() < GENEROUS, "{:?}", started.elapsed());
}

#[test]
fn a_list_a_server_for_many_servers() {
    let mut text = String::from("{\"mcpServers\": {");
    for server in 0..100_000 {
        write!(text, "\"s{server}\": {{\"excludeTools\": [\"x\"]}},").unwrap();
    }
    text.push_str("}}");
    within(|| {
        let file = dialect::parse(".gemini/settings.json".as_ref(), text.as_bytes(), None).unwrap();
        let lists = &file.sets[0].lists;
        assert_eq!(lists[99_999].name, "mcpServers.s99999.excludeTools");
    });
}

#[test]
fn many_entries_in_one_text_with_and_without_escapes() {
    let names = "mcp__a__b, ".repeat(100_000);
    for text in
        [format!("{{\"tools\": \"{names}\"}}"), format!("{{\"tools\": \"\\u0061, {names}\"}}")]
    {
        within(|| {
            let agent = dialect::by_id("claude-code-subagent").unwrap();
            assert!(dialect::of_value(agent, &text).unwrap().entries.len() >= 100_000);
        });
    }
}

#[test]
fn hostile_wildcards_on_a_long_name() {
    let fleet = Fleet::new([ToolId::parse("s", &"a".repeat(5_000)).unwrap()]);
    let tool = fleet.tools().next().unwrap();
    let (stars, marks) = ("*a".repeat(400), "*?a".repeat(200));
    for (id, key) in [
        ("claude-code", "deny"),
        ("cursor-cli", "deny"),
        ("docker-agent", "deny"),
        ("amazon-q", "allowedTools"),
    ] {
        let entries = [
            format!("mcp__{stars}b"),
            format!("Mcp({marks}b:{stars}b)"),
            format!("@{stars}b"),
            format!("{marks}[b]"),
        ];
        let rules = serde_json::json!({ key: entries }).to_string();
        within(|| {
            let rules = dialect::of_value(dialect::by_id(id).unwrap(), &rules).unwrap();
            let _ = rules.decide(&fleet, tool);
        });
    }
}
