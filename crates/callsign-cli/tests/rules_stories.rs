//! Three accidents from public reports, with files as users have them: what the check shows, what decides, and that the
//! spelling it proposes mends it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use serde_json::{Value, json};
use support::Sandbox;

/// A project with these files.
fn project(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, content) in files {
        let path = sandbox.path("work").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    sandbox
}

/// Puts what is proposed into the file where the entry stood.
fn replace(sandbox: &Sandbox, file: &str, old: &str, new: &str) {
    let path = sandbox.path("work").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(old).count(), 1, "{old} in {text}");
    std::fs::write(path, text.replace(old, new)).unwrap();
}

fn check(sandbox: &Sandbox) -> support::Outcome {
    sandbox.callsign(["rules", "check", "--color", "never"]).run()
}

fn findings(sandbox: &Sandbox) -> Vec<Value> {
    let run = sandbox.callsign(["rules", "check", "--format", "json"]).run();
    run.json()["findings"].as_array().unwrap().clone()
}

/// The entries that a finding proposes, in order.
fn proposed(finding: &Value) -> Vec<String> {
    let help = finding["help"].as_str().unwrap();
    help.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// What becomes of a call, by the only language there is.
fn decision(sandbox: &Sandbox, server: &str, tool: &str) -> String {
    let run =
        sandbox.callsign(["rules", "explain", server, tool, "--format", "json"]).run().exits(0);
    let languages = &run.json()["languages"];
    assert_eq!(languages.as_array().unwrap().len(), 1, "{languages}");
    languages[0]["decision"].as_str().unwrap().to_owned()
}

const CONNECTOR: &str = "11111111-0000-4000-8000-000000000001";

/// The settings were written in one front end, where the connector is `claude_ai_Gmail`. In this one its key is an id, so
/// both restrictions are not there, and no host says so.
#[test]
fn a_deny_by_the_readable_name_of_a_connector_does_nothing_until_it_names_the_key() {
    let servers = format!(
        r#"{{
  "mcpServers": {{
    "{CONNECTOR}": {{
      "type": "http",
      "url": "https://connectors.example.invalid/{CONNECTOR}",
      "tools": ["send_message", "search_threads"]
    }},
    "github": {{ "command": "github-mcp-server", "tools": ["create_issue", "search_code"] }}
  }}
}}
"#
    );
    let settings = r#"{
  "permissions": {
    "allow": ["mcp__github", "Bash(git log:*)"],
    "ask": ["mcp__claude_ai_Gmail"],
    "deny": ["mcp__claude_ai_Gmail__send_message"]
  }
}
"#;
    let sandbox = project(&[(".mcp.json", &servers), (".claude/settings.json", settings)]);
    insta::assert_snapshot!("connector", check(&sandbox).exits(1).stdout);
    assert_eq!(decision(&sandbox, CONNECTOR, "send_message"), "default");
    // Whoever asks why is told which entry was meant for it.
    let explained =
        sandbox.callsign(["rules", "explain", CONNECTOR, "send_message"]).run().exits(0);
    explained.says(&[
        "Claude Code (claude-code): default",
        "error[CS014]: deny rule `mcp__claude_ai_Gmail__send_message`",
    ]);

    let by_tool = findings(&sandbox)
        .into_iter()
        .find(|finding| finding["location"]["line"] == 5)
        .expect("the deny is reported");
    assert_eq!((&by_tool["code"], &by_tool["severity"]), (&json!("CS014"), &json!("error")));
    let entries = proposed(&by_tool);
    assert_eq!(entries, [format!("mcp__{CONNECTOR}__send_message")]);
    replace(&sandbox, ".claude/settings.json", "mcp__claude_ai_Gmail__send_message", &entries[0]);
    assert_eq!(decision(&sandbox, CONNECTOR, "send_message"), "deny");

    // A whole server has no tool by which it could be recognised: the servers there are have to be shown.
    let whole = &findings(&sandbox)[0];
    assert_eq!(whole["location"]["line"], 4);
    assert!(whole["help"].as_str().unwrap().contains(CONNECTOR), "{whole}");
    let ask = format!("\"mcp__{CONNECTOR}\"");
    replace(&sandbox, ".claude/settings.json", "\"mcp__claude_ai_Gmail\"", &ask);
    assert_eq!(decision(&sandbox, CONNECTOR, "search_threads"), "ask");
    assert_eq!(decision(&sandbox, CONNECTOR, "send_message"), "deny");
    check(&sandbox).exits(0).says(&["every rule matches what it names"]);
}

/// One key is spelled as the other is when a host replaces what it can't write.
#[test]
fn a_grant_by_a_substituted_key_reaches_a_second_server_until_it_names_the_tools() {
    let servers = r#"{
  "mcpServers": {
    "team_wiki": { "command": "wiki-server", "tools": ["read_page", "list_pages"] },
    "team.wiki": { "url": "https://wiki.example.invalid/mcp", "tools": ["delete_page", "publish"] }
  }
}
"#;
    let settings = r#"{
  "$schema": "https://opencode.ai/config.json",
  "permission": {
    "team_wiki_*": "allow"
  }
}
"#;
    let sandbox = project(&[(".mcp.json", servers), ("opencode.json", settings)]);
    insta::assert_snapshot!("substituted", check(&sandbox).exits(0).stdout);
    assert_eq!(decision(&sandbox, "team.wiki", "delete_page"), "allow");
    sandbox.callsign(["rules", "check", "--fail-on", "warning"]).run().exits(1);

    let finding = &findings(&sandbox)[0];
    assert_eq!((&finding["code"], &finding["severity"]), (&json!("CS015"), &json!("warning")));
    let entries = proposed(finding)[1..].to_vec();
    assert_eq!(entries, ["team_wiki_read_page", "team_wiki_list_pages"]);
    let lines: Vec<String> =
        entries.iter().map(|entry| format!("\"{entry}\": \"allow\"")).collect();
    replace(&sandbox, "opencode.json", "\"team_wiki_*\": \"allow\"", &lines.join(", "));
    assert_eq!(decision(&sandbox, "team.wiki", "delete_page"), "default");
    assert_eq!(decision(&sandbox, "team_wiki", "read_page"), "allow");
    check(&sandbox).exits(0).says(&["every rule matches what it names"]);

    // By callsign's own decision the grant was never the other server's.
    let line = json!({
        "registry": [
            {"server": "team_wiki", "tool": "read_page"},
            {"server": "team.wiki", "tool": "delete_page"},
        ],
        "rules": {"allow": ["mcp__team_wiki__*"]},
        "call": {"server": "team.wiki", "tool": "delete_page"},
    });
    let decided = sandbox.callsign(["rules", "decide", "--jsonl"]).input(line.to_string()).run();
    assert_eq!(decided.json()["decision"], "default");
}

/// `github_*` is the beginning of `github_enterprise_…` as well.
#[test]
fn a_wildcard_for_one_server_covers_its_neighbour_until_it_names_the_tools() {
    let servers = r#"{
  "mcpServers": {
    "github": { "command": "github-mcp-server", "tools": ["get_issue", "create_issue"] },
    "github_enterprise": { "command": "ghe-mcp-server", "tools": ["delete_repository", "get_issue"] }
  }
}
"#;
    let settings = r#"{
  "permission": {
    "*": "ask",
    "github_*": "allow"
  }
}
"#;
    let sandbox = project(&[(".mcp.json", servers), ("opencode.json", settings)]);
    insta::assert_snapshot!("neighbour", check(&sandbox).exits(0).stdout);
    assert_eq!(decision(&sandbox, "github_enterprise", "delete_repository"), "allow");

    let finding = &findings(&sandbox)[0];
    assert_eq!(finding["code"], "CS015");
    assert_eq!(finding["servers"], json!(["github", "github_enterprise"]));
    let entries = proposed(finding)[1..].to_vec();
    assert_eq!(entries, ["github_get_issue", "github_create_issue"]);
    let lines: Vec<String> =
        entries.iter().map(|entry| format!("\"{entry}\": \"allow\"")).collect();
    replace(&sandbox, "opencode.json", "\"github_*\": \"allow\"", &lines.join(", "));
    assert_eq!(decision(&sandbox, "github_enterprise", "delete_repository"), "ask");
    assert_eq!(decision(&sandbox, "github", "get_issue"), "allow");
    check(&sandbox).exits(0);
}
