//! data/cases/dialects.jsonl: what each host's rules make of a call, certain from its source or its documentation.

#![allow(clippy::unwrap_used)]

use callsign::ToolId;
use callsign_config::dialect::{self, Fleet};
use serde_json::Value;

const CASES: &str = include_str!("../../../data/cases/dialects.jsonl");

/// Dialects that stand in no line of the file: their cases are at the end of their own files.
const WITHOUT_CASES: [&str; 22] = [
    "amp",
    "amp-servers",
    "callsign",
    "cline-sdk",
    "codex-requirements",
    "copilot-cli-config",
    "copilot-cli-filter",
    "crush-hook",
    "deep-agents",
    "droid-agent",
    "droid-hook",
    "droid-policy",
    "fastmcp",
    "junie",
    "kilo",
    "kiro-mcp",
    "librechat",
    "responses-api",
    "vscode",
    "vscode-tools",
    "windsurf",
    "zed-profile",
];

fn identity(tool: &Value) -> ToolId {
    let part = |key: &str| tool[key].as_str().unwrap();
    ToolId::parse(part("server"), part("tool")).unwrap()
}

fn cases() -> impl Iterator<Item = Value> {
    CASES.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn every_case_is_decided_as_its_host_decides_it() {
    let mut wrong = Vec::new();
    for case in cases() {
        let dialect = dialect::by_id(case["dialect"].as_str().unwrap()).unwrap();
        let rules = dialect::of_value(dialect, &case["rules"].to_string()).unwrap();
        let fleet = Fleet::new(case["registry"].as_array().unwrap().iter().map(identity));
        let call = fleet.find(&identity(&case["call"])).unwrap();
        let decision = rules.decide(&fleet, call);
        if decision.verdict.as_str() != case["decision"] {
            wrong.push(format!("{}: {decision:?} instead of {}", case["id"], case["decision"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_dialect_has_its_own_id_its_evidence_and_its_cases() {
    let ids: Vec<&str> = dialect::ALL.iter().map(|dialect| dialect.profile().id).collect();
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids[..index].contains(id), "{id} stands twice");
        assert!(!dialect::ALL[index].profile().evidence.is_empty(), "{id} has no evidence");
    }
    let has_case = |id: &&str| cases().any(|case| case["dialect"] == **id);
    let mut without: Vec<&str> = ids.iter().copied().filter(|id| !has_case(id)).collect();
    without.sort_unstable();
    assert_eq!(without, WITHOUT_CASES);
}
