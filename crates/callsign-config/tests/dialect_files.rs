//! Whole files, as users have them: found by name or content, read with places, decided.

#![allow(clippy::unwrap_used, clippy::panic)]

use callsign::ToolId;
use callsign_config::dialect::{self, Fleet};

struct Case {
    file: &'static str,
    text: &'static str,
    dialect: &'static str,
    /// How the text of the first entry begins in the file; this stands there once.
    first: &'static str,
    /// Decisions on `github/get_issue`, `github/create_issue` and `docs/search`.
    decisions: [&'static str; 3],
}

const CASES: &[Case] = &[
    Case {
        file: "p/.claude/settings.local.json",
        text: "{\n  \"permissions\": {\"allow\": [\"Bash(ls)\", \"mcp__docs\"], \"deny\": [\"mcp__github__create_*\"]}\n}\n",
        dialect: "claude-code",
        first: "\"mcp__github",
        decisions: ["default", "deny", "allow"],
    },
    Case {
        file: "p/.claude/agents/reader.md",
        text: "---\nname: reader\ndescription: Reads.\ntools: Read, mcp__docs, mcp__github__get_issue\ndisallowedTools:\n  - mcp__docs__search\n---\nYou read.\n",
        dialect: "claude-code-subagent",
        first: "mcp__docs__search",
        decisions: ["allow", "deny", "deny"],
    },
    Case {
        file: "/etc/claude-code/managed-settings.json",
        text: "{\"deniedMcpServers\": [{\"serverName\": \"docs\"}], \"allowedMcpServers\": [{\"serverName\": \"github\"}]}",
        dialect: "claude-code-managed",
        first: "\"docs",
        decisions: ["allow", "allow", "deny"],
    },
    Case {
        file: "home/.claude/settings.json",
        text: "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"mcp__github__.*\", \"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
        dialect: "claude-code-hook",
        first: "\"mcp__github",
        decisions: ["default"; 3],
    },
    Case {
        file: "home/.codex/config.toml",
        text: "model = \"x\"\n[mcp_servers.github]\ncommand = \"x\"\nenabled_tools = [\"get_issue\"]\n[mcp_servers.docs]\nurl = \"https://example.com\"\ndefault_tools_approval_mode = \"prompt\"\n",
        dialect: "codex",
        first: "\"get_issue",
        decisions: ["allow", "deny", "ask"],
    },
    Case {
        file: "/etc/codex/requirements.toml",
        text: "[mcp_servers.docs.identity]\nurl = \"https://example.com\"\n",
        dialect: "codex-requirements",
        first: "docs",
        decisions: ["deny", "deny", "default"],
    },
    Case {
        file: "p/.gemini/settings.json",
        text: "{\"mcpServers\": {\"github\": {\"command\": \"x\", \"includeTools\": [\"get_issue\"], \"trust\": true}}}",
        dialect: "gemini-server",
        first: "\"get_issue",
        decisions: ["allow", "deny", "default"],
    },
    Case {
        file: "p/.gemini/settings.json",
        text: "{\"tools\": {\"exclude\": [\"search\"], \"allowed\": [\"mcp_github_get_issue(x)\"]}, \"mcp\": {\"allowed\": []}}",
        dialect: "gemini-settings",
        first: "\"search",
        decisions: ["allow", "default", "deny"],
    },
    Case {
        file: "home/.gemini/policies/own.toml",
        text: "[[rule]]\nmcpName = \"github\"\ntoolName = [\"create_issue\", \"x\"]\ndecision = \"ask_user\"\npriority = 100\n\n[[rule]]\ntoolName = \"mcp_*\"\ndecision = \"deny\"\npriority = 1\n",
        dialect: "gemini-policy",
        first: "\"create_issue",
        decisions: ["deny", "ask", "deny"],
    },
    Case {
        file: "home/.qwen/settings.json",
        text: "{\"permissions\": {\"deny\": [\"mcp__github__create_*\"], \"allow\": [\"mcp__github\"], \"ask\": [\"ReadFile\"]}}",
        dialect: "qwen-code",
        first: "\"mcp__github__create",
        decisions: ["allow", "deny", "default"],
    },
    Case {
        file: "p/opencode.jsonc",
        text: "{\n  // mine\n  \"tools\": {\"docs_*\": false},\n  \"permission\": {\"bash\": \"ask\", \"github_*\": \"ask\", \"github_get_*\": \"allow\",},\n}\n",
        dialect: "opencode",
        first: "\"docs_",
        decisions: ["allow", "ask", "deny"],
    },
    Case {
        file: "p/.opencode/agent/plan.md",
        text: "---\ndescription: Plans.\npermission:\n  \"*\": ask\n  github_create_*: deny\n---\nPlan.\n",
        dialect: "opencode",
        first: "\"*",
        decisions: ["ask", "deny", "ask"],
    },
    Case {
        file: "p/kilo.json",
        text: "{\"permission\": {\"github_*\": \"deny\"}}",
        dialect: "kilo",
        first: "\"github_",
        decisions: ["deny", "deny", "default"],
    },
    Case {
        file: "p/.vscode/settings.json",
        text: "{\"editor.tabSize\": 2, \"chat.tools.global.autoApprove\": true}",
        dialect: "vscode",
        first: "true",
        decisions: ["allow"; 3],
    },
    Case {
        file: "p/.github/agents/docs.agent.md",
        text: "---\ntools: ['docs/*', codebase]\n---\nText.\n",
        dialect: "vscode-tools",
        first: "'docs/",
        decisions: ["deny", "deny", "allow"],
    },
    Case {
        file: "home/.copilot/permissions-config.json",
        text: "{\"locations\": {\"/p\": {\"tool_approvals\": [{\"kind\": \"mcp\", \"serverName\": \"github\", \"toolName\": null}]}}}",
        dialect: "copilot-cli-config",
        first: "{\"kind",
        decisions: ["allow", "allow", "default"],
    },
    Case {
        file: "home/.copilot/config.json",
        text: "{\"disabledMcpServers\": [\"docs\"]}",
        dialect: "copilot-cli",
        first: "\"docs",
        decisions: ["default", "default", "deny"],
    },
    Case {
        file: "p/.cursor/permissions.json",
        text: "{\"mcpAllowlist\": [\"GitHub:get_*\", \"search\"]}",
        dialect: "cursor",
        first: "\"GitHub",
        decisions: ["allow", "default", "default"],
    },
    Case {
        file: "p/.cursor/cli.json",
        text: "{\"permissions\": {\"allow\": [\"Shell(ls)\", \"Mcp(*:*)\"], \"deny\": [\"Mcp(github:create_*)\"]}}",
        dialect: "cursor-cli",
        first: "\"Mcp(github",
        decisions: ["allow", "deny", "allow"],
    },
    Case {
        file: "x/cline_mcp_settings.json",
        text: "{\"mcpServers\": {\"github\": {\"command\": \"x\", \"autoApprove\": [\"get_issue\"]}}}",
        dialect: "cline",
        first: "\"get_issue",
        decisions: ["allow", "ask", "ask"],
    },
    Case {
        file: "p/.roo/mcp.json",
        text: "{\"mcpServers\": {\"github\": {\"alwaysAllow\": [\"*\"]}, \"docs\": {\"disabledTools\": [\"search\"]}}}",
        dialect: "roo",
        first: "\"*",
        decisions: ["allow", "allow", "deny"],
    },
    Case {
        file: "p/callsign.toml",
        text: "[rules]\ndefault = \"deny\"\nallow = [{ server = \"github\", tool = \"get_*\" }]\n\n[[rules.ask]]\nserver = \"docs\"\n",
        dialect: "callsign",
        first: "[[rules.ask",
        decisions: ["allow", "deny", "ask"],
    },
    Case {
        file: "home/.continue/permissions.yaml",
        text: "exclude:\n  - create_*  # never\nask: [search]\nallow: []\n",
        dialect: "continue-cli",
        first: "create_*",
        decisions: ["default", "deny", "ask"],
    },
    Case {
        file: "home/.continue/permissions.yaml",
        text: "exclude:\n  - create_*\ndeny:\n  - x\n",
        dialect: "continue-cli",
        first: "create_*",
        decisions: ["default"; 3],
    },
    Case {
        file: "p/.amazonq/cli-agents/dev.json",
        text: "{\n  \"name\": \"dev\", \"allowedTools\": [\"fs_read\", \"@github/get_*\"]\n}\n",
        dialect: "amazon-q",
        first: "\"fs_read",
        decisions: ["allow", "ask", "ask"],
    },
    Case {
        file: "p/.kiro/agents/dev.json",
        text: "{\"tools\": [\"@docs\", \"read\"]}",
        dialect: "amazon-q-tools",
        first: "\"@docs",
        decisions: ["deny", "deny", "allow"],
    },
    Case {
        file: "home/.kiro/settings/permissions.yaml",
        text: "rules:\n  - capability: mcp\n    match: [\"github/*\"]\n    exclude: [\"github/create_*\"]\n    effect: allow\n  - {capability: mcp, effect: ask}\n",
        dialect: "kiro-3",
        first: "\"github/*",
        decisions: ["ask"; 3],
    },
    Case {
        file: "home/.config/goose/permission.yaml",
        text: "user:\n  always_allow:\n    - github__get_issue\n  ask_before: []\n  never_allow:\n    - github__create_issue\n",
        dialect: "goose",
        first: "github__create_issue",
        decisions: ["allow", "deny", "default"],
    },
    Case {
        file: "home/.config/goose/config.yaml",
        text: "GOOSE_MODE: auto\nextensions:\n  github:\n    enabled: true\n    available_tools:\n      - get_issue\n  docs:\n    available_tools: []\n",
        dialect: "goose",
        first: "get_issue",
        decisions: ["allow", "deny", "allow"],
    },
    Case {
        file: "home/.config/zed/settings.json",
        text: "{\n  // agent\n  \"agent\": {\"tool_permissions\": {\"default\": \"confirm\", \"tools\": {\"mcp:github:create_issue\": {\"default\": \"deny\"}}}}\n}\n",
        dialect: "zed",
        first: "\"confirm",
        decisions: ["ask", "deny", "ask"],
    },
    Case {
        file: "p/.zed/settings.json",
        text: "{\"agent\": {\"profiles\": {\"write\": {\"enable_all_context_servers\": true, \"context_servers\": {\"github\": {\"tools\": {\"create_issue\": false}}}}}}}",
        dialect: "zed-profile",
        first: "true",
        decisions: ["allow", "deny", "allow"],
    },
    Case {
        file: "p/crush.json",
        text: "{\"mcp\": {\"github\": {\"disabled_tools\": [\"create_issue\"]}}, \"permissions\": {\"allowed_tools\": [\"view\", \"mcp_github_get_issue\"]}, \"options\": {\"disabled_tools\": [\"mcp_docs_search\"]}}",
        dialect: "crush",
        first: "\"view",
        decisions: ["allow", "deny", "ask"],
    },
    Case {
        file: "p/.factory/mcp.json",
        text: "{\"mcpServers\": {\"github\": {\"command\": \"x\", \"enabledTools\": [\"get_issue\"], \"disabledTools\": [\"get_issue\"]}}}",
        dialect: "droid",
        first: "\"get_issue",
        decisions: ["allow", "deny", "default"],
    },
    Case {
        file: "home/.docker/mcp/tools.yaml",
        text: "github:\n  - get_issue\ndocs: []\n",
        dialect: "docker-gateway",
        first: "get_issue",
        decisions: ["allow", "deny", "deny"],
    },
    Case {
        file: "agents/coder.yaml",
        text: "agents:\n  root: {model: m}\npermissions:\n  allow: [\"github_*\"]\n  ask: [\"github_create_*\", \"docs_*\"]\n  deny: [\"mcp:docs:*\"]\n",
        dialect: "docker-agent",
        first: "\"mcp:docs",
        decisions: ["allow", "allow", "ask"],
    },
    Case {
        file: "gateway/config.yaml",
        text: "binds:\n  - listeners:\n      - routes:\n          - policies:\n              mcpAuthorization:\n                rules:\n                  - 'mcp.tool.target == \"github\"'\n                  - deny: 'mcp.tool.name.startsWith(\"create_\")'\n",
        dialect: "agentgateway",
        first: "'mcp.tool.target",
        decisions: ["allow", "deny", "deny"],
    },
    Case {
        file: "home/.config/amp/settings.json",
        text: "{\"amp.tools.disable\": [\"*_issue\", \"builtin:Bash\"], \"amp.mcpPermissions\": []}",
        dialect: "amp",
        first: "\"*_issue",
        decisions: ["deny", "deny", "default"],
    },
    Case {
        file: "home/.junie/allowlist.json",
        text: "{\"defaultBehavior\": \"ask\", \"rules\": {\"mcpTools\": [\"search\"]}}",
        dialect: "junie",
        first: "\"search",
        decisions: ["default"; 3],
    },
    Case {
        file: "home/.codeium/windsurf/mcp_config.json",
        text: "{\"mcpServers\": {\"docs\": {\"disabledTools\": [\"search\"]}}}",
        dialect: "windsurf",
        first: "\"search",
        decisions: ["default"; 3],
    },
];

#[test]
fn files_are_found_by_name_or_content_and_decided() {
    let calls = [("github", "get_issue"), ("github", "create_issue"), ("docs", "search")];
    let ids = calls.map(|(server, wire)| ToolId::parse(server, wire).unwrap());
    let fleet = Fleet::new(ids.clone());
    for Case { file, text, dialect, first, decisions } in CASES {
        let read = dialect::parse(file.as_ref(), text.as_bytes(), None);
        let read = read.unwrap_or_else(|error| panic!("{file}: {error}"));
        let rules = read.sets.iter().find(|rules| rules.dialect.profile().id == *dialect);
        let Some(rules) = rules else { panic!("{file} is not read as {dialect}") };
        let (before, _) = text.split_once(first).unwrap_or_else(|| panic!("{file}: no {first}"));
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let place = read.place(rules.entries[0].span).to_string();
        assert_eq!(place, format!("{line}:{column}"), "{file}");
        let decided = ids.each_ref().map(|id| {
            let call = fleet.find(id).unwrap();
            rules.decide(&fleet, call).verdict.as_str()
        });
        assert_eq!(&decided, decisions, "{file}");
        // callsign's own entries are put into words.
        if *dialect == "callsign" {
            continue;
        }
        // An entry without a text is a rule for everything.
        for entry in rules.entries.iter().filter(|entry| !entry.text.is_empty()) {
            let shown = &read.shown_text()[entry.span.range()];
            assert!(
                shown.contains(&entry.text.replace('"', "\\\"")) || shown.contains(&entry.text),
                "{file}: {shown}"
            );
        }
    }
}
