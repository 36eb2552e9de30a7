//! `callsign rules check`, `explain` and `list`, and `which` with rules, on files as users have them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use serde_json::{Value, json};
use support::{Outcome, Sandbox, column};

/// A folder with these files.
fn project(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, content) in files {
        let path = sandbox.path("work").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    sandbox
}

fn rules(sandbox: &Sandbox, arguments: &str) -> Outcome {
    sandbox.callsign(["rules"].into_iter().chain(arguments.split_whitespace())).run()
}

const SERVERS: (&str, &str) = (
    ".mcp.json",
    r#"{"mcpServers": {
  "github": {"command": "gh", "tools": ["get_issue", "create_issue", "delete_repo"]},
  "files": {"command": "files", "tools": ["read", "write"]}
}}"#,
);

const SETTINGS: (&str, &str) = (
    ".claude/settings.json",
    r#"{
  "permissions": {
    "allow": ["mcp__github__get_*", "mcp__files"],
    "ask": ["mcp__github__create_issue"],
    "deny": ["mcp__github__delete_repo"]
  }
}"#,
);

#[test]
fn rules_that_match_are_listed_with_their_tools_and_servers() {
    let sandbox = project(&[SERVERS, SETTINGS]);
    let run = rules(&sandbox, "check --color never").exits(0).stays_silent();
    insta::assert_snapshot!("clean", run.stdout);
    let document = rules(&sandbox, "check --format json").exits(0).json();
    assert_eq!(column(&document["rules"], "status"), ["matches"; 4]);
    assert_eq!(
        document["rules"][0],
        json!({
            "language": "claude-code", "list": "permissions.deny", "text": "mcp__github__delete_repo",
            "does": "deny", "status": "matches", "tools": 1, "servers": ["github"], "reason": null,
            "location": {"file": ".claude/settings.json", "line": 5, "column": 14},
        })
    );
    assert_eq!(
        document["summary"],
        json!({"files": 1, "rules": 4, "servers": 2, "checked": 2, "tools": 5, "errors": 0, "warnings": 0})
    );
    let keys: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys.len(), 6, "{keys:?}");
}

#[test]
fn a_broken_file_is_named_with_line_and_column_and_decides_nothing() {
    let broken = [
        (
            "a comma is missing",
            ".claude/settings.json",
            "{\n  \"permissions\": {\n    \"deny\": [\"mcp__a\" \"mcp__b\"]\n  }\n}",
        ),
        (
            "a list is a text",
            ".claude/settings.json",
            "{\"permissions\": {\"deny\": \"mcp__github\"}}",
        ),
        ("an entry is a number", ".claude/settings.json", "{\"permissions\": {\"deny\": [\n  7]}}"),
        (
            "a key stands twice",
            ".claude/settings.json",
            "{\"permissions\": {\"deny\": [], \"deny\": [\"mcp__github\"]}}",
        ),
        ("it ends in the middle", "opencode.json", "{\"permission\": {\"github_*\": \"deny\""),
        (
            "a word that means nothing",
            "opencode.json",
            "{\"permission\": {\"github_*\": \"forbid\"}}",
        ),
        ("a table is not closed", ".gemini/policies/mine.toml", "[[rule]\ntoolName = \"x\"\n"),
        (
            "a key that callsign does not know",
            "callsign.toml",
            "[[rules.denny]]\nserver = \"github\"\n",
        ),
    ];
    let mut said = String::new();
    for (about, file, text) in broken {
        let sandbox = project(&[SERVERS, (file, text)]);
        for command in ["check", "list", "explain github get_issue"] {
            let run =
                rules(&sandbox, &format!("{command} --rules {file} --config .mcp.json")).exits(2);
            assert_eq!(run.stdout, "", "{about}: {command}");
            if command == "check" {
                said.push_str(&format!("-- {about}\n{}", run.stderr));
            }
        }
    }
    insta::assert_snapshot!("broken", said);
}

#[test]
fn to_check_nothing_is_no_pass() {
    let nothing = project(&[SERVERS]);
    rules(&nothing, "check").exits(2).warns(&["no rules were found"]);
    rules(&nothing, "check .mcp.json")
        .exits(2)
        .warns(&[".mcp.json: no rules of a known host", "--host"]);
    let empty = project(&[SERVERS, (".claude/settings.json", r#"{"permissions": {"deny": []}}"#)]);
    rules(&empty, "check").exits(2).warns(&["0 rules checked"]);
    let unknown =
        project(&[(".mcp.json", r#"{"mcpServers": {"github": {"command": "gh"}}}"#), SETTINGS]);
    let run = rules(&unknown, "check").exits(2);
    run.says(&["the tools of server `github` are not known"])
        .warns(&["0 of 1 server checked", "--live"]);
    rules(&nothing, "check --host nobody").exits(2).warns(&["no such host is known"]);
    let no_servers = project(&[SETTINGS]);
    rules(&no_servers, "check").exits(2).warns(&["no MCP configuration was found"]);
}

/// What a server that was not asked has, nobody knows.
#[test]
fn a_rule_about_a_server_that_is_not_known_can_not_be_told() {
    let servers =
        r#"{"mcpServers": {"github": {"command": "gh"}, "files": {"tools": ["read", "write"]}}}"#;
    let sandbox = project(&[(".mcp.json", servers), SETTINGS]);
    let findings = rules(&sandbox, "check --format json").exits(0).json()["findings"].clone();
    assert_eq!(column(&findings, "severity"), ["info"; 3]);
    rules(&sandbox, "check --strict").exits(1);
    // A rule about a server that is known and not looked at does what it says.
    let sandbox = project(&[SERVERS, SETTINGS]);
    let findings =
        rules(&sandbox, "check --only files --strict --format json").exits(0).json()["findings"]
            .clone();
    assert_eq!(findings, json!([]));
    // One that is not there at all is.
    let other = SETTINGS.1.replace("mcp__github__delete", "mcp__gitlab__delete");
    let sandbox = project(&[(".mcp.json", servers), (".claude/settings.json", &other)]);
    let run = rules(&sandbox, "check").exits(1);
    run.says(&[
        "error[CS014]",
        "no server `gitlab` is configured",
        "perhaps server `github` is meant",
    ]);
}

#[test]
fn explain_and_list_say_what_becomes_of_a_call_and_why() {
    let sandbox = project(&[SERVERS, SETTINGS]);
    let explained = rules(&sandbox, "explain mcp__github__create_issue --color never -v").exits(0);
    insta::assert_snapshot!("explained", explained.stdout);
    let by_identity = rules(&sandbox, "explain github create_issue --format json").exits(0).json();
    let language = &by_identity["languages"][0];
    assert_eq!(
        (&language["decision"], &language["language"]),
        (&json!("ask"), &json!("claude-code"))
    );
    assert_eq!(column(&language["rules"], "part"), ["no", "decides", "no", "no"]);
    let list = rules(&sandbox, "list --color never").exits(0);
    insta::assert_snapshot!("listed", list.stdout);
    let list = rules(&sandbox, "list --format json").exits(0).json();
    assert_eq!(column(&list["tools"], "decision"), ["allow", "ask", "deny", "allow", "allow"]);
    rules(&sandbox, "explain github create_isue").exits(2).warns(&["did you mean create_issue?"]);
    rules(&sandbox, "explain gitub create_issue")
        .exits(2)
        .warns(&["there is no server `gitub`", "github"]);
    rules(&sandbox, "explain github__create_issue").exits(2).warns(&["mcp__github__create_issue"]);
}

#[test]
fn which_shows_the_rules_that_touch_a_name() {
    let sandbox = project(&[SERVERS, SETTINGS]);
    let run = sandbox.callsign(["which", "mcp__github__delete_repo", "--color", "never"]).run();
    run.exits(0).says(&["rules of Claude Code (claude-code): deny", ".claude/settings.json:5:14"]);
    let run = sandbox.callsign(["which", "mcp__files__read", "--format", "json"]).run().exits(0);
    let rules = &run.json()["rules"][0];
    assert_eq!(
        (&rules["decision"], &rules["rules"][0]["text"]),
        (&json!("allow"), &json!("mcp__files"))
    );
    let without = project(&[SERVERS]);
    let run = without.callsign(["which", "mcp__files__read", "--format", "json"]).run().exits(0);
    assert_eq!(run.json()["rules"], json!([]));
}

#[test]
fn a_host_chooses_its_own_files() {
    let opencode = ("opencode.json", r#"{"permission": {"github_delete_repo": "deny"}}"#);
    let sandbox = project(&[SERVERS, SETTINGS, opencode]);
    let languages = |arguments: &str| -> Vec<String> {
        let document = rules(&sandbox, arguments).exits(0).json();
        column(&document["languages"], "id").into_iter().map(str::to_owned).collect()
    };
    assert_eq!(languages("check --format json"), ["claude-code", "opencode"]);
    assert_eq!(languages("check --format json --host opencode"), ["opencode"]);
    assert_eq!(languages("check --format json --host claude-code"), ["claude-code"]);
    // A file that doesn't say whose it is is read as that host's.
    let named = project(&[SERVERS, ("mine.json", r#"{"permission": {"files_*": "deny"}}"#)]);
    let document = rules(&named, "check mine.json --host opencode --format json").exits(0).json();
    assert_eq!(document["rules"][0]["tools"], 2);
}

/// What public reports ask for under one host, in words.
#[test]
fn reports_under_a_host_are_answered() {
    let report = |servers: Value, settings: Value| {
        let servers = json!({"mcpServers": servers}).to_string();
        let settings = json!({"permissions": settings}).to_string();
        let sandbox = project(&[(".mcp.json", &servers), (".claude/settings.json", &settings)]);
        rules(&sandbox, "check --format json").json()["findings"].clone()
    };
    // c141: this host skips such an entry in allow lists, and takes it in the others.
    let two = json!({"context7": {"tools": ["search"]}, "github": {"tools": ["search"]}});
    let findings = report(two.clone(), json!({"allow": ["mcp__*"]}));
    assert_eq!(column(&findings, "code"), ["CS014"], "{findings}");
    assert_eq!(findings[0]["help"], "write `mcp__context7__*` and `mcp__github__*`");
    let findings = report(two, json!({"deny": ["mcp__*"]}));
    assert_eq!(
        (column(&findings, "code"), column(&findings, "severity")),
        (vec!["CS015"], vec!["info"])
    );
    // c150: the key's dot is not in the name that this host compares.
    let dotted = json!({"acme.tools": {"tools": ["build"]}});
    let findings = report(dotted, json!({"allow": ["mcp__acme.tools__*"]}));
    assert_eq!(column(&findings, "code"), ["CS014"], "{findings}");
    assert!(findings[0]["help"].as_str().unwrap().contains("mcp__acme_tools__"), "{findings}");
    // c153: a tool's own name is no rule for it here.
    let slack = json!({"44444444-0000-4000-8000-000000000004": {"tools": ["slack_send_message"]}});
    let findings = report(slack, json!({"deny": ["slack_send_message"]}));
    let write = "write `mcp__44444444-0000-4000-8000-000000000004__slack_send_message`";
    assert_eq!(
        (column(&findings, "severity"), &findings[0]["help"]),
        (vec!["error"], &json!(write))
    );
}

#[test]
fn callsigns_own_rules_are_checked_where_they_stand() {
    let settings = "[servers.github]\ntools = [\"get_issue\", \"delete_repo\"]\n\n\
        [[rules.deny]]\nserver = \"github\"\ntool = \"delete_*\"\n\n\
        [[rules.deny]]\nserver = \"gihub\"\ntool = \"get_issue\"\n\n\
        [[rules.allow]]\nserver = \"github\"\n";
    let sandbox = project(&[("callsign.toml", settings)]);
    let run = rules(&sandbox, "check --color never").exits(1);
    insta::assert_snapshot!("own", run.stdout);
    let list = rules(&sandbox, "list --format json").exits(0).json();
    assert_eq!(column(&list["tools"], "decision"), ["allow", "deny"]);
}

/// Servers that are spelled alike, the second as given, and a grant.
fn alike(other: &str, path: &str, settings: &str) -> Sandbox {
    let servers = format!(
        r#"{{"mcpServers": {{"foo:bar": {{"command": "a", "tools": ["a.b"]}}, "foo_bar": {other}}}}}"#
    );
    project(&[(".mcp.json", &servers), (path, settings)])
}

/// Whom a grant may mean does not depend on what is looked at, asked, switched on or filtered.
#[test]
fn a_grant_is_judged_among_everything_that_is_configured() {
    let qwen = |text: &str| format!(r#"{{"permissions": {{"allow": ["{text}"]}}}}"#);
    let others = [
        r#"{"command": "b", "tools": ["a.b", "other"]}"#,
        r#"{"command": "b"}"#,
        r#"{"command": "b", "tools": ["a.b", "other"], "disabled": true}"#,
        r#"{"command": "b", "tools": ["a.b", "other"], "exclude": ["a.b"]}"#,
    ];
    for (other, text) in others
        .iter()
        .flat_map(|other| ["mcp__foo_bar__a.b", "mcp__foo_bar__*"].map(|text| (*other, text)))
    {
        let sandbox = alike(other, ".qwen/settings.json", &qwen(text));
        for only in ["", " --only foo:bar"] {
            let arguments = format!("explain foo:bar a.b --config .mcp.json --format json{only}");
            let run = rules(&sandbox, &arguments).exits(0).json();
            assert_eq!(run["languages"][0]["decision"], "default", "{text} {other} {only}");
            let part = &run["languages"][0]["rules"][0]["part"];
            assert_eq!(part, "ambiguous", "{text} {other} {only}");
        }
    }
    let which = alike(others[1], ".qwen/settings.json", &qwen("mcp__foo_bar__a.b"));
    which
        .callsign(["which", "mcp__foo_bar__a_b_1aofxjh", "--scheme", "provider-safe"])
        .run()
        .exits(0)
        .says(&["grants nothing", "server `foo_bar`"]);
    let strict = alike(others[1], ".qwen/settings.json", &qwen("mcp__foo_bar__*"));
    let run = rules(&strict, "check --config .mcp.json");
    let run = run.says(&["also means tools of server `foo_bar`"]);
    assert!(!run.stdout.contains("1aofxjh"), "refused as well: {}", run.stdout);
    rules(&strict, "check --config .mcp.json --strict").exits(1);
}

#[test]
fn a_wildcard_that_may_cover_an_unknown_server_is_no_pass_where_nothing_may_be_open() {
    let of = |other: &str| {
        let servers = format!(
            r#"{{"mcpServers": {{"github": {{"command": "a", "tools": ["get"]}}, "github_enterprise": {other}}}}}"#
        );
        project(&[
            (".mcp.json", &servers),
            ("opencode.json", r#"{"permission": {"github_*": "allow"}}"#),
        ])
    };
    let unknown = of(r#"{"command": "b"}"#);
    rules(&unknown, "check --config .mcp.json opencode.json")
        .exits(0)
        .says(&["also means tools of server `github_enterprise` can't be told"]);
    rules(&unknown, "check --config .mcp.json opencode.json --strict").exits(1);
    // One that is known and not looked at is covered for sure.
    let known = of(r#"{"command": "b", "tools": ["get", "delete"]}"#);
    rules(&known, "check --config .mcp.json opencode.json --only github")
        .says(&["CS015", "github_enterprise"]);
}

#[test]
fn a_rule_for_what_is_switched_off_or_filtered_says_so() {
    let servers = r#"{"mcpServers": {
        "a": {"command": "a", "tools": ["c", "d"], "exclude": ["c"]},
        "b": {"command": "b", "tools": ["e"], "disabled": true}
    }}"#;
    let settings = r#"{"permissions": {"deny": ["mcp__a__c", "mcp__b__e", "mcp__b__nope"]}}"#;
    let sandbox = project(&[(".mcp.json", servers), (".claude/settings.json", settings)]);
    let findings = rules(&sandbox, "check --format json").exits(1).json()["findings"].clone();
    let messages = column(&findings, "message");
    let said = |text: &str| messages.iter().any(|message| message.contains(text));
    assert!(
        said("matches only `c` of `a`, which is switched off or left out by a filter"),
        "{messages:?}"
    );
    assert!(said("matches only `e` of `b`"), "{messages:?}");
    assert!(said("server `b` has no tool `nope`"), "{messages:?}");
}

#[test]
fn an_entry_that_can_not_be_read_is_told_loudly() {
    let own = "[servers.github]\ntools = [\"get_issue\", \"delete_repo\"]\n\n[rules]\n\
        deny = [{ server = \"github\", tool = \"delete_repo\" }, 7]\n";
    let sandbox = project(&[("callsign.toml", own)]);
    let told =
        ["warning: callsign.toml:5:54: deny rule `(a number)` can't be read", "deny holds for all"];
    let list = rules(&sandbox, "list --color never").exits(0).warns(&told);
    list.says(&["can't be read: (a number)"]);
    let list = rules(&sandbox, "list --format json").exits(0).warns(&told).json();
    let tools = list["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["unreadable"] == json!(true)), "{list}");
    assert_eq!(column(&list["tools"], "rule"), ["(a number)", "github / delete_repo"]);
    assert_eq!(
        list["unreadable"][0]["location"],
        json!({"file": "callsign.toml", "line": 5, "column": 54})
    );
    let explained = rules(&sandbox, "explain github get_issue --color never").exits(0).warns(&told);
    explained.says(&[
        "callsign (callsign): deny",
        "an entry that can't be read covers",
        "error[CS014]",
    ]);
    let explained = rules(&sandbox, "explain github delete_repo --format json").exits(0).json();
    let own = &explained["languages"][0];
    assert_eq!(column(&own["rules"], "part"), ["decides", "unreadable"]);
    assert!(own["because"].as_str().unwrap().starts_with("deny, then ask"), "{own}");
    assert_eq!(column(&explained["findings"], "code"), ["CS014"]);
    let which = sandbox.callsign(["which", "mcp__github__get_issue", "--color", "never"]).run();
    which.exits(0).warns(&told).says(&[
        "deny",
        "(a number)",
        "can't be read: a number stands where",
    ]);
}

#[test]
fn a_grant_that_can_not_be_read_is_told_too() {
    let own =
        "[servers.github]\ntools = [\"get_issue\"]\n[rules]\nallow = [\"mcp__*__get_issue\"]\n";
    let sandbox = project(&[("callsign.toml", own)]);
    let told = ["allow rule `mcp__*__get_issue` can't be read", "it grants nothing"];
    let explained =
        rules(&sandbox, "explain github get_issue --format json").exits(0).warns(&told).json();
    assert_eq!(explained["languages"][0]["decision"], json!("default"));
    assert_eq!(explained["languages"][0]["rules"][0]["part"], json!("unreadable"));
}

#[test]
fn nothing_in_a_name_steers_the_terminal() {
    let servers =
        r#"{"mcpServers": {"s": {"command": "x", "tools": ["x::31mEVIL", "x\u001b[31mEVIL"]}}}"#;
    let qwen = r#"{"permissions": {"allow": ["mcp__s__x__31mEVIL"]}}"#;
    let sandbox = project(&[(".mcp.json", servers), (".qwen/settings.json", qwen)]);
    let list =
        sandbox.callsign(["list", "--scheme", "provider-safe", "--format", "json"]).run().json();
    for name in column(&list["tools"], "name") {
        for color in ["always", "never"] {
            let which = ["which", "--scheme", "provider-safe", name, "--color", color];
            let run = sandbox.callsign(which).run().exits(0);
            assert!(!run.stdout.contains("\u{1b}[31mEVIL"), "{:?}", run.stdout);
            assert!(run.stdout.contains("EVIL` of server `s`"), "{:?}", run.stdout);
        }
    }
}

#[test]
fn a_file_is_its_hosts_from_wherever_it_is_seen() {
    let qwen = r#"{"permissions": {"deny": ["mcp__github__delete_repo"]}}"#;
    let sandbox = project(&[SERVERS, (".qwen/settings.json", qwen), ("some.json", qwen)]);
    let inside =
        ["rules", "check", "settings.json", "--config", "../.mcp.json", "--format", "json"];
    let folder = sandbox.path("work").join(".qwen");
    let document = sandbox.callsign(inside).here(&folder).run().exits(0).json();
    assert_eq!(column(&document["rules"], "language"), ["qwen-code"]);
    rules(&sandbox, "check some.json").exits(2).warns(&["claude-code or qwen-code", "--host"]);
    for host in ["claude-code", "qwen-code"] {
        let run = rules(&sandbox, &format!("check some.json --host {host} --format json")).exits(0);
        assert_eq!(column(&run.json()["rules"], "language"), [host]);
    }
}
