//! The other commands, and what holds for all: exit statuses, colours, pipes, and text from outside on a terminal.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use support::{Outcome, Sandbox, array, column, repository, root, server};

const CONFIGS: &str = "crates/callsign-config/tests/data/configs";
const FLEET: &str = "data/corpus/preflight/fleet-5x21.json";

/// Every command that a person calls.
const COMMANDS: [&str; 13] = [
    "demo",
    "check",
    "servers",
    "list",
    "alias",
    "name",
    "which",
    "call",
    "migrate",
    "serve",
    "explain",
    "completions",
    "man",
];

fn fleet(command: &str) -> Outcome {
    let sandbox = Sandbox::new();
    std::fs::copy(repository(FLEET), sandbox.path("work").join("servers.json")).expect("a copy");
    sandbox.configured(command).run()
}

#[test]
fn the_demonstration_calls_both_requests_each_at_its_own_server() {
    let sandbox = Sandbox::new();
    let outcome = sandbox.callsign(["demo", "--color", "never"]).run().exits(0);
    assert!(outcome.elapsed < Duration::from_secs(20), "{:?}", outcome.elapsed);
    let outcome = outcome.says(&[
        "7 MCP servers started over stdio",
        "tool `list_directory` is advertised by servers `filesystem` and `gdrive`",
        "tool `read_file` is advertised by servers `filesystem`, `gdrive` and `notion-lite`",
        "tool `search_files` is advertised by servers `filesystem` and `github`",
        "tool `search` is advertised by servers `gdrive` and `notion-lite`",
        "tool `request` is advertised by servers `alpha` and `beta`",
        "mcp__filesystem__read_file",
        "mcp__notion-lite__read_file",
    ]);
    for key in ["alpha", "beta"] {
        let line = outcome.stdout.lines().find(|line| {
            line.starts_with("called ") && line.contains(&format!("mcp__{key}__request"))
        });
        let line = line.unwrap_or_else(|| panic!("no call of {key} in {outcome}"));
        assert!(line.contains(&format!("sent `request` to {key}")), "{line}");
        assert!(line.ends_with(&format!("{key} was asked for `request`")), "{line}");
    }
    let names: Vec<&str> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().nth(2).filter(|name| name.starts_with("mcp__")))
        .collect();
    assert_eq!(names.len(), 23);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 23, "one name twice");
    assert_eq!(outcome.stderr, "");
    assert!(!sandbox.remembered().contains("consent"), "a demonstration leaves nothing behind");
}

/// What a reader must find in each of the clients' files stands in the index beside them.
#[test]
fn the_servers_of_every_client_are_listed() {
    let index = std::fs::read_to_string(root().join(CONFIGS).join("index.jsonl")).expect("index");
    for line in index.lines() {
        let expected: Value = serde_json::from_str(line).expect("JSON");
        let file = expected["file"].as_str().expect("a file");
        let path = repository(&format!("{CONFIGS}/{file}"));
        let arguments = ["servers".into(), "--config".into(), path, "--format=json".into()];
        let outcome = Sandbox::new().callsign(arguments).run();
        if expected.get("error").is_some() {
            let outcome = outcome.exits(2).warns(&[file, "help: "]);
            assert_eq!(outcome.stdout, "");
            continue;
        }
        let document = outcome.exits(0).json();
        let found: BTreeSet<String> = array(&document["servers"]).iter().map(summary).collect();
        let wanted: BTreeSet<String> = expected["servers"]
            .as_object()
            .expect("servers")
            .iter()
            .map(|(key, server)| {
                let disabled = server["disabled"].as_bool().unwrap_or(false);
                format!("{key} {} {disabled}", server["transport"].as_str().expect("a transport"))
            })
            .collect();
        assert_eq!(found, wanted, "{file}");
    }
}

fn summary(server: &Value) -> String {
    let text = |field: &str| server[field].as_str().unwrap_or_default().to_owned();
    let scope = server["scope"].as_str().map(|scope| format!("{scope}>")).unwrap_or_default();
    format!("{scope}{} {} {}", text("key"), text("transport"), server["disabled"])
}

#[test]
fn the_json_of_servers_has_its_shape() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "servers.json",
        r#"{"mcpServers": {
  "b": {"command": "x", "env": {"TOKEN": "hunter2"}, "include": []},
  "a": {"url": "https://user:hunter2@example.com/mcp?key=hunter2", "exclude": ["t"], "disabled": true}
}}"#,
    );
    let outcome = sandbox.configured("servers --format json").run().exits(0).never_says("hunter2");
    assert_eq!(
        outcome.json(),
        json!({
            "version": 1,
            "files": [{"file": "servers.json", "client": "generic", "scope": null}],
            "servers": [
                {"key": "b", "scope": null, "client": "generic", "transport": "stdio",
                 "disabled": false, "include": [], "exclude": null,
                 "location": {"file": "servers.json", "line": 2, "column": 3}},
                {"key": "a", "scope": null, "client": "generic", "transport": "http",
                 "disabled": true, "include": null, "exclude": ["t"],
                 "location": {"file": "servers.json", "line": 3, "column": 3}},
            ],
        })
    );
    let human = sandbox.configured("servers").run().exits(0).never_says("hunter2");
    insta::assert_snapshot!("servers", human.stdout);
    sandbox.configured("servers --only b").run().exits(0).says(&["1 server\n", "includes none"]);
    sandbox.configured("servers --only c").run().exits(2).warns(&["no such server", "b, a"]);
}

#[test]
fn list_has_a_row_for_every_tool() {
    let outcome = fleet("list").exits(0).says(&["21 tools of 5 servers, names by `qualified`"]);
    let rows: Vec<&str> = outcome.stdout.lines().filter(|line| line.contains("mcp__")).collect();
    assert_eq!(rows.len(), 21);
    let document = fleet("list --format json").exits(0).json();
    assert_eq!(
        document["tools"][0],
        json!({"server": "filesystem", "wire": "read_file",
        "name": "mcp__filesystem__read_file", "error": null})
    );
    assert_eq!(array(&document["tools"]).len(), 21);
    assert_eq!(document["unchecked"], json!([]));
}

#[test]
fn list_says_what_it_leaves_out() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("alpha", json!({"command": "a", "tools": ["request", "a b"]})),
        ("beta", json!({"command": "b"})),
    ]);
    let outcome = sandbox.configured("list").run().exits(1);
    outcome.says(&["no name: "]).warns(&["server `beta` is left out", "does not list its tools"]);
    let document = sandbox.configured("list --format json").run().exits(1).json();
    assert_eq!(column(&document["unchecked"], "server"), ["beta"]);
    assert!(document["tools"][1]["error"].is_string(), "{document:#}");
    assert_eq!(document["tools"][1]["name"], Value::Null);
}

#[test]
fn alias_shows_only_what_is_renamed() {
    let outcome = fleet("alias").exits(0).says(&["9 aliases by `minimal`"]);
    assert!(!outcome.stdout.contains("create_issue"), "{outcome}");
    fleet("alias --scheme prefixed").exits(0).says(&["21 aliases by `prefixed`"]);
    fleet("alias --only sqlite").exits(0).says(&["no tool is renamed by `minimal`"]);
}

#[test]
fn which_says_who_answers() {
    fleet("which mcp__github__search_files").exits(0).says(&[
        "mcp__github__search_files\n",
        "server",
        "github",
        "servers.json:3:2",
        "prefixed",
        "github__search_files",
    ]);
    let document = fleet("which mcp__github__search_files --format json").exits(0).json();
    assert_eq!(document["server"], "github");
    assert_eq!(document["wire"], "search_files");
    assert_eq!(document["location"], json!({"file": "servers.json", "line": 3, "column": 2}));
    assert_eq!(
        column(&document["spellings"], "scheme"),
        ["qualified", "provider-safe", "prefixed", "prefixed-safe", "bare", "minimal"]
    );
}

/// t40 of the acceptance tests.
#[test]
fn t40_which_helps_where_nobody_answers() {
    // Every holder of a bare name.
    fleet("which read_file").exits(2).warns(&[
        "no tool answers to `read_file`",
        "`mcp__filesystem__read_file`",
        "`mcp__gdrive__read_file`",
        "`mcp__notion-lite__read_file`",
    ]);
    fleet("which create_issue").exits(2).warns(&["`github`", "`mcp__github__create_issue`"]);
    // The spelling of another scheme.
    fleet("which github__create_issue")
        .exits(2)
        .warns(&["prefixed", "`mcp__github__create_issue`"]);
    fleet("which github_search_files").exits(2).warns(&["minimal", "`mcp__github__search_files`"]);
    fleet("which mcp__github__creat_issue").exits(2).warns(&["did you mean", "create_issue"]);
    fleet("which quite-something-else").exits(2).warns(&["no tool answers to"]);
    fleet("which read_file --scheme bare").exits(2).warns(&["`read_file` is claimed by", "and"]);
    fleet("which mcp__github__search_files --scheme minimal")
        .exits(2)
        .warns(&["`github_search_files`"]);
}

#[test]
fn a_server_that_can_not_be_loaded_whole_is_not_served_in_part() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("alpha", json!({"command": "a", "tools": ["request", "a b"]}))]);
    let outcome = sandbox.configured("which mcp__alpha__request").run().exits(2);
    outcome.warns(&["`mcp__alpha__request` is not served", "a b", "U+0020"]);
}

/// What the registry gives nobody, no list shows.
#[test]
fn a_name_that_two_claim_is_shown_for_neither() {
    let sandbox = Sandbox::new();
    let entry = json!({"tools": ["request"]});
    sandbox.servers(&[("alpha", entry.clone()), ("beta", entry)]);
    let human = sandbox.configured("list --scheme bare").run().exits(1);
    human.says(&["no name: `request` is claimed by", "of server `alpha` and", "of server `beta`"]);
    let list = sandbox.configured("list --scheme bare --format json").run().exits(1).json();
    for tool in array(&list["tools"]) {
        assert!(tool["name"].is_null(), "{tool}");
        assert!(tool["error"].as_str().is_some_and(|error| error.contains("claimed by")), "{tool}");
    }
    let alias = sandbox.configured("alias --scheme bare --format json").run().exits(1).json();
    assert_eq!(alias["aliases"], json!([]));
    assert_eq!(array(&alias["errors"]).len(), 2);
    sandbox.configured("which request --scheme bare").run().exits(2).warns(&["is claimed by"]);
}

/// Options for a tool that is not there, and severities of findings that there are not, are mistakes.
#[test]
fn what_is_set_for_nothing_is_refused_with_its_place() {
    let sandbox = Sandbox::new();
    let server = "[servers.alpha]\ntools = ['request', 'other']\n[servers.alpha.options";
    sandbox.write("callsign.toml", format!("{server}.reqest]\nhidden = true\n"));
    for command in ["check", "list", "alias", "which mcp__alpha__request"] {
        let outcome = sandbox.callsign(command.split(' ')).run().exits(2);
        outcome.warns(&["callsign.toml:3:24: ", "`reqest`", "did you mean `request`?"]);
    }
    sandbox.write("callsign.toml", format!("{server}.request]\nhidden = true\n"));
    sandbox.callsign(["check"]).run().exits(0);
    let list = sandbox.callsign(["list"]).run().exits(0).never_says("mcp__alpha__request");
    list.says(&["mcp__alpha__other", "1 tool of 1 server", "1 tool left out: hidden"]);
    let list = sandbox.callsign(["list", "--format", "json"]).run().exits(0).json();
    assert_eq!((array(&list["tools"]).len(), &list["hidden"]), (1, &json!(1)));
    sandbox.callsign(["which", "mcp__alpha__request"]).run().exits(0);

    sandbox.write("callsign.toml", "[severity]\nCS999 = 'off'\n[servers.a]\ntools = ['t']\n");
    let refused = sandbox.callsign(["check"]).run().exits(2);
    refused.warns(&["callsign.toml:2:1: there is no finding `CS999`", "help: "]);
}

#[test]
fn every_finding_has_a_page() {
    let sandbox = Sandbox::new();
    let list = sandbox.callsign(["explain"]).run().exits(0);
    let codes: Vec<&str> =
        list.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(codes.len() >= 10 && codes.is_sorted(), "{codes:?}");
    for code in codes {
        let page = sandbox.callsign(["explain", code]).run().exits(0);
        let page = page.says(&["# What it finds", "# Why it matters", "# Example", "# What to do"]);
        page.says(&["# How to silence it", code]);
    }
    let by_name = sandbox.callsign(["explain", "duplicate-tool"]).run().exits(0).stdout;
    assert_eq!(sandbox.callsign(["explain", "cs001"]).run().exits(0).stdout, by_name);
    let unknown = sandbox.callsign(["explain", "CS999\u{1b}[31m"]).run().exits(2);
    assert!(!unknown.warns(&["CS999", "callsign explain"]).stderr.contains('\u{1b}'));
}

#[test]
fn every_shell_has_its_completions() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = sandbox.callsign(["completions", shell]).run().exits(0);
        let script = script.says(&COMMANDS).says(&["provider-safe"]);
        assert!(!script.stdout.contains('\u{1b}'));
    }
    sandbox.callsign(["completions", "cmd"]).run().exits(2);
}

#[test]
fn every_command_has_a_manual_page() {
    let sandbox = Sandbox::new();
    sandbox.callsign(["man", "pages/man1"]).run().exits(0);
    let folder = sandbox.path("work/pages/man1");
    for command in COMMANDS {
        let page = std::fs::read_to_string(folder.join(format!("callsign-{command}.1")));
        assert!(page.expect(command).contains(".SH SYNOPSIS"), "{command}");
    }
    assert!(folder.join("callsign.1").is_file());
    assert!(!folder.join("callsign-demo-server.1").exists(), "it is hidden");
    sandbox.callsign(["man"]).run().exits(0).says(&[".TH callsign 1"]);
    sandbox.write("file", "");
    sandbox.callsign(["man", "file"]).run().exits(2).warns(&["can't write to file", "help: "]);
}

#[test]
fn every_command_says_what_it_is_for() {
    let sandbox = Sandbox::new();
    for command in COMMANDS {
        let help = sandbox.callsign([command, "--help"]).run().exits(0);
        let about = help.stdout.lines().next().unwrap_or_default();
        assert!(about.len() > 15 && !about.starts_with("Usage"), "{command}: {about}");
        assert!(help.stdout.lines().all(|line| line.chars().count() <= 100), "{help}");
    }
    sandbox.callsign(["--version"]).run().exits(0).says(&["callsign "]);
    sandbox.callsign::<&str>([]).run().exits(2).warns(&["Usage: callsign"]);
    sandbox.callsign(["chek"]).run().exits(2).warns(&["check"]);
}

/// The constants of the program, once each: done, found something, could not run. Interrupted is in check_live.rs.
#[test]
fn the_exit_statuses_are_those_documented() {
    fleet("list").exits(0);
    fleet("check").exits(1);
    fleet("check --only nobody").exits(2);
}

/// `callsign list | head -1`.
#[cfg(unix)]
#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    for arguments in
        [vec!["list"], vec!["check", "--format=json"], vec!["check", "-v"], vec!["name", "--jsonl"]]
    {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callsign"));
        command.args(&arguments);
        if arguments[0] != "name" {
            command.arg("--config").arg(repository("data/corpus/configs/fleet.json"));
        }
        let vectors = repository("data/vectors/normalize.jsonl");
        let input = std::fs::File::open(vectors).expect("any long file");
        let mut child = command
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let mut stdout = BufReader::with_capacity(16, child.stdout.take().expect("stdout"));
        stdout.read_line(&mut line).expect("a line");
        drop(stdout);
        let output = child.wait_with_output().expect("an end");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn colours_appear_where_they_are_wanted() {
    let sandbox = Sandbox::new();
    std::fs::copy(repository(FLEET), sandbox.path("work").join("servers.json")).expect("a copy");
    for command in ["check", "servers", "list", "alias", "which mcp__github__search_files"] {
        let always = sandbox.configured(&format!("{command} --color always")).run();
        assert!(always.stdout.contains("\u{1b}["), "{always}");
        let plain = [
            sandbox.configured(command).run(),
            sandbox.configured(&format!("{command} --color never")).run(),
            sandbox.configured(command).env("NO_COLOR", "1").run(),
            sandbox.configured(command).env("NO_COLOR", "1").env("CLICOLOR_FORCE", "0").run(),
        ];
        for outcome in plain {
            assert!(!outcome.stdout.contains('\u{1b}'), "{outcome}");
        }
        let forced = sandbox.configured(command).env("CLICOLOR_FORCE", "1").run();
        assert!(forced.stdout.contains("\u{1b}["), "{forced}");
    }
    let json = sandbox.configured("check --format json --color always").run();
    assert!(!json.stdout.contains('\u{1b}'), "JSON has no colours: {json}");
    let error = sandbox.configured("check --only x --color always").run().exits(2);
    assert!(error.stderr.contains("\u{1b}["), "{error}");
}

/// Escape, bell, carriage return, backspace, C1, bidirectional override, zero width.
const STEERING: &str = "\u{1b}[31mred\u{7}\r\u{8}\u{9b}2K\u{202e}x\u{200b}y\u{2066}";

/// Nothing of the characters above, whatever the language of the rest.
#[track_caller]
fn is_tame(outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        let steers = |c: &char| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        let found: BTreeSet<char> = text.chars().filter(steers).collect();
        assert!(found.is_empty(), "{found:?} in {outcome:?}");
    }
}

#[test]
fn text_from_a_configuration_can_not_steer_a_terminal() {
    let sandbox = Sandbox::new();
    let tool = json!({"name": format!("t{STEERING}"), "description": STEERING});
    let described = json!({"name": "d", "description": STEERING});
    sandbox.servers(&[
        (
            &format!("k{STEERING}"),
            json!({"command": STEERING, "args": [STEERING], "tools": [tool]}),
        ),
        ("plain", json!({"command": "c", "cwd": STEERING, "tools": [described, "x"]})),
        ("unlisted", json!({"command": STEERING})),
        ("absent", json!({"command": STEERING, "tools": ["x"]})),
        ("unset", json!({"command": "c", "args": [format!("${{input:{STEERING}}}")]})),
        ("url", json!({"url": format!("https://example.com/{STEERING}")})),
        ("filtered", json!({"command": "x", "tools": [{"name": "x"}], "include": []})),
    ]);
    let name = format!("mcp__k{STEERING}__t{STEERING}");
    for command in [
        "check",
        "check -v",
        "check --live --yes",
        "check --live --yes --format human -v",
        "servers",
        "list",
        "list --live --yes",
        "alias",
        "which mcp__plain__d",
        "call mcp__absent__x --yes",
        "call mcp__plain__x --yes",
    ] {
        is_tame(&sandbox.configured(command).run());
    }
    for command in ["which", "call"] {
        is_tame(&sandbox.callsign([command, &name, "--config", "servers.json"]).run().exits(2));
    }
    is_tame(&sandbox.callsign(["check", "--only", STEERING, "--config", "servers.json"]).run());
    is_tame(&sandbox.callsign(["explain", STEERING]).run().exits(2));
    is_tame(&sandbox.callsign(["check", STEERING]).run().exits(2));

    sandbox.servers(&[(
        "f",
        json!({"command": "x", "tools": [{"name": "x"}], "include": [STEERING]}),
    )]);
    is_tame(&sandbox.configured("check").run().exits(2));
    sandbox.write("callsign.toml", format!("scheme = {}\n[servers]\n", json!("a\u{9b}\u{202e}b")));
    is_tame(&sandbox.callsign(["check"]).run().exits(2));
    sandbox.write("bad.json", format!("{{\"mcpServers\": {{\"{}\": 1}}}}", "\u{202e}\u{9b}k"));
    is_tame(&sandbox.callsign(["check", "bad.json"]).run().exits(2));
}

#[test]
fn text_from_a_server_can_not_steer_a_terminal() {
    let sandbox = Sandbox::new();
    let tool = json!({"name": format!("t{STEERING}"), "description": STEERING}).to_string();
    let described = json!({"name": "d", "description": STEERING, "inputSchema": {}}).to_string();
    let refusal = json!({"code": 1, "message": STEERING}).to_string();
    let odd = json!([{"name": 1}, "\u{1b}[31m"]).to_string();
    sandbox.servers(&[
        ("names", server(["--tool-json", &tool, "--tool-json", &described])),
        ("plain", server(["--tools", "x", "--tool-json", &described, "--error", &refusal])),
        ("odd", server(["--tools", "x", "--tool-json", &odd])),
        ("dies", server(["--stderr", STEERING, "--exit-at", "list", "--name", STEERING])),
        ("junk", server(["--junk", "3", "--tools", "y"])),
    ]);
    for command in [
        "check --live --yes",
        "check --live --yes -v",
        "list --live --yes",
        "alias --live --yes",
        "which mcp__plain__d",
        "call mcp__plain__x --yes",
    ] {
        is_tame(&sandbox.configured(command).run());
    }
}

/// Whoever is sent here to look at what would be started has to see all of it.
#[test]
fn a_long_launch_is_shown_whole() {
    let sandbox = Sandbox::new();
    let script = format!("echo {}; touch marker", "a".repeat(200));
    sandbox.servers(&[("s", json!({"command": "bash", "args": ["-c", script]}))]);
    sandbox.configured("servers").run().exits(0).says(&["touch marker"]);
}
