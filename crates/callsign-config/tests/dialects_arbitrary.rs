//! Every dialect on arbitrary rules: no panic, no hang, and the entry it proposes for a tool names that tool.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use callsign::ToolId;
use callsign_config::dialect::{self, Fleet, Reach};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Keys that some dialect looks for, and one that none does.
const KEYS: &[&str] = &[
    "permissions",
    "allow",
    "ask",
    "deny",
    "exclude",
    "tools",
    "disallowedTools",
    "allowedMcpServers",
    "deniedMcpServers",
    "serverName",
    "serverUrl",
    "serverCommand",
    "hooks",
    "PreToolUse",
    "matcher",
    "mcp_servers",
    "mcpServers",
    "enabled_tools",
    "disabled_tools",
    "approval_mode",
    "default_tools_approval_mode",
    "identity",
    "command",
    "args",
    "url",
    "regex",
    "rule",
    "rules",
    "toolName",
    "mcpName",
    "decision",
    "priority",
    "tools.exclude",
    "mcp.allowed",
    "tools.core",
    "includeTools",
    "excludeTools",
    "trust",
    "permission",
    "agent",
    "autoApprove",
    "alwaysAllow",
    "disabledTools",
    "useMcp",
    "mcpAllowlist",
    "allow-tool",
    "available-tools",
    "excluded-tools",
    "tool_approvals",
    "kind",
    "toolName",
    "disabled",
    "default",
    "server",
    "tool",
    "user",
    "never_allow",
    "mode",
    "allowedTools",
    "yaml",
    "flags",
    "--tools",
    "match",
    "effect",
    "capability",
    "always_allow",
    "GOOSE_MODE",
    "available_tools",
    "context_servers",
    "enable_all_context_servers",
    "permissions.allowed_tools",
    "mcp.a.enabled_tools",
    "options.disabled_tools",
    "allowed_mcp",
    "enabledTools",
    "--restrict-tools",
    "mcpPolicy",
    "enabled",
    "allowlist",
    "tools.yaml",
    "allowed_tool_names",
    "require_approval",
    "always",
    "never",
    "tool_names",
    "allowed_tools",
    "read_only",
    "whitelist",
    "amp.tools.disable",
    "amp.mcpPermissions",
    "matches",
    "action",
    "calls",
    "enable",
    "disable",
    "names",
    "only",
    "require",
    "mcpAuthorization",
    "mcpTools",
    "other",
];

const PIECES: &[&str] = &[
    "mcp__",
    "mcp_",
    "a",
    "b",
    "*",
    "**",
    "?",
    "(",
    ")",
    ":",
    "@",
    "/",
    "__",
    "_",
    "-",
    "é",
    "[",
    "]",
    "{",
    "}",
    "\\",
    ",",
    "|",
    "^",
    "$",
    ".",
    " ",
    "Mcp(",
    "mcp:",
    "https://",
    "${X}",
    "approve",
    "mcp",
    "allow",
    "deny",
    "mcp.tool.name",
    "==",
    "&&",
    "\"a\"",
    "always",
];

fn text() -> impl Strategy<Value = String> {
    vec(select(PIECES), 0..6).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        8 => text().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => (0..1200_i64).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((select(KEYS), inner), 0..4).prop_map(|entries| {
                Value::Object(
                    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
                )
            }),
        ]
    })
}

fn rules() -> impl Strategy<Value = Value> {
    vec((select(KEYS), value()), 1..5).prop_map(|entries| {
        Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    })
}

const LONG: &str = "x234567890123456789012345678901234567890";

fn part() -> impl Strategy<Value = String> {
    let pieces = &["a", "b", "_", "__", "-", ".", "é", " ", "/", ":", "*", "(", LONG];
    vec(select(&pieces[..]), 1..4).prop_map(|pieces| pieces.concat())
}

fn fleet() -> impl Strategy<Value = Fleet> {
    vec((part(), part()), 1..6).prop_map(|tools| {
        Fleet::new(tools.iter().map(|(server, tool)| ToolId::parse(server, tool).unwrap()))
    })
}

/// A value in which one entry stands alone, in a list of that server.
fn alone(id: &str, entry: &str) -> Option<Value> {
    Some(match id {
        "claude-code" | "copilot-cli-config" | "callsign" | "vscode" | "vscode-tools" => {
            return None;
        }
        "claude-code-subagent" => json!({"tools": [entry]}),
        "claude-code-hook" => json!({"matcher": entry}),
        "claude-code-managed" => json!({"deniedMcpServers": [{"serverName": entry}]}),
        "codex" => json!({"disabled_tools": [entry]}),
        "gemini-server" => json!({"excludeTools": [entry]}),
        "gemini-policy" => {
            json!({"rule": [{"toolName": entry, "decision": "deny", "priority": 1}]})
        }
        "gemini-settings" => json!({"tools.exclude": [entry]}),
        "qwen-code" | "cursor-cli" => json!({"deny": [entry]}),
        "opencode" | "kilo" => json!({"permission": {entry: "deny"}}),
        "copilot-cli" => json!({"deny-tool": [entry]}),
        "copilot-cli-filter" => json!({"excluded-tools": [entry]}),
        "cursor" => json!({"mcpAllowlist": [entry]}),
        "cline-sdk" => json!({"toolPolicies": {entry: {"enabled": false}}}),
        "cline" => json!({"autoApprove": [entry]}),
        "roo" | "droid" | "kiro-mcp" | "deep-agents" => json!({"disabledTools": [entry]}),
        "continue-cli" => json!({"yaml": {"exclude": [entry]}}),
        "amazon-q" => json!({"allowedTools": [entry]}),
        "amazon-q-tools" | "librechat" => json!({"tools": [entry]}),
        "kiro-3" => json!({"rules": [{"capability": "mcp", "effect": "deny", "match": [entry]}]}),
        "goose" => json!({"user": {"never_allow": [entry]}}),
        "zed" => json!({"tools": {entry: {"default": "deny"}}}),
        "crush" => json!({"permissions.allowed_tools": [entry]}),
        "docker-gateway" => json!({"--tools": entry}),
        "docker-agent" => json!({"deny": [entry]}),
        "agents-sdk" => json!({"blocked_tool_names": [entry]}),
        "responses-api" => json!({"allowed_tools": [entry]}),
        "fastmcp" => json!({"calls": [{"disable": {"names": [entry]}}]}),
        "droid-hook" | "crush-hook" => json!({"matcher": entry}),
        _ => return None,
    })
}

proptest! {
    #[test]
    fn nothing_panics(rules in rules(), fleet in fleet()) {
        let text = rules.to_string();
        for dialect in dialect::ALL {
            let Ok(rules) = dialect::of_value(dialect, &text) else { continue };
            for tool in fleet.tools() {
                let decision = rules.decide(&fleet, tool);
                prop_assert!(decision.by.is_none_or(|by| by < rules.entries.len()));
                for entry in &rules.entries {
                    let _ = rules.reach(entry, tool);
                }
            }
        }
    }

    #[test]
    fn what_a_dialect_proposes_for_a_tool_names_it(fleet in fleet()) {
        let tool = fleet.tools().next().unwrap();
        for dialect in dialect::ALL {
            let id = dialect.profile().id;
            let Some(spelling) = dialect.spelling(tool) else { continue };
            let Some(rules) = alone(id, &spelling) else { continue };
            let rules = dialect::of_value(dialect, &rules.to_string()).unwrap();
            let reach = rules.reach(&rules.entries[0], tool);
            prop_assert!(matches!(reach, Reach::Matches), "{id}: {spelling:?} for {}: {reach:?}", tool.id());
        }
    }
}

/// Broken files of every syntax end in an error, never in half a set of rules.
#[test]
fn half_a_file_decides_nothing() {
    for (path, text) in [
        (".claude/settings.json", r#"{"permissions": {"deny": ["mcp__a"]}, "x": "#),
        (".codex/config.toml", "[mcp_servers.a]\ndisabled_tools = [\"x\"]\n[mcp_servers.b\n"),
        (".claude/agents/a.md", "---\ntools: [mcp__a]\nx: [\n---\n"),
        ("callsign.toml", "[rules]\ndeny = [\"mcp__a\"]\nx"),
    ] {
        assert!(dialect::parse(path.as_ref(), text.as_bytes(), None).is_err(), "{path}");
    }
}
