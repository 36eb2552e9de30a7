//! What is said of tools, prompts and resources in the file, and how exactly it is kept.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use callsign::Catalogue;
use callsign_config::{ConfigFile, Problem, Statics, Transport, parse};

fn file(path: &str, text: &str) -> ConfigFile {
    parse(Path::new(path), text.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

fn catalogue(file: &ConfigFile) -> &Catalogue {
    file.servers[0].catalogue().expect("a static catalogue")
}

#[test]
fn a_tool_object_is_kept_byte_for_byte() {
    let tool = "{ \"name\" : \"a\\u0062\", \"x-n\": 123456789012345678901234567890, \"z\":1e999 }";
    let text = format!("{{\"mcpServers\": {{\"s\": {{\"tools\": [\"first\", {tool}]}}}}}}");
    let file = file("x.json", &text);
    assert_eq!(catalogue(&file).tools()[1].definition(), Some(tool));
    assert_eq!(file.servers[0].filter.tools, None, "definitions choose nothing");
    let span = file.servers[0].tool_spans("ab").next().unwrap();
    assert_eq!(&text[span.range()], "\"a\\u0062\"", "the place is the name's");
}

#[test]
fn comments_in_a_tool_object_become_spaces_so_that_it_is_json() {
    let text =
        "{\"mcpServers\": {\"s\": {\"tools\": [{\"name\": \"a\", // why\n \"enum\": [1,], }]}}}";
    let file = file("x.json", text);
    let definition = catalogue(&file).tools()[0].definition().unwrap();
    assert_eq!(definition, "{\"name\": \"a\",       \n \"enum\": [1 ]  }");
}

#[test]
fn an_unreadable_tool_costs_itself_only_and_keeps_its_position() {
    let text =
        r#"{"mcpServers": {"s": {"tools": [{"description": "no name"}, "b", {"name": "c"}]}}}"#;
    let file = file("x.json", text);
    let catalogue = catalogue(&file);
    assert_eq!(catalogue.malformed()[0].position, 0);
    let spans = &file.servers[0].spans.tools;
    let tokens: Vec<&str> = spans.iter().map(|span| &text[span.range()]).collect();
    assert_eq!(tokens, ["{\"description\": \"no name\"}", "\"b\"", "\"c\""]);
    assert_eq!(file.servers[0].tool_spans("c").collect::<Vec<_>>(), [spans[2]]);
}

#[test]
fn prompts_resources_and_what_a_server_says_of_itself() {
    let text = r#"{"mcpServers": {"s": {
        "tools": [],
        "prompts": ["p", {"name": "q", "title": "Q"}],
        "resources": ["file:///a", {"uri": "file:///b"}],
        "serverInfo": {"name": "n",  "version": "1"},
        "instructions": "Use \"q\"."
    }, "t": {"prompts": true, "serverInfo": {"name": "n"}}}}"#;
    let file = file("x.json", text);
    let said = catalogue(&file);
    assert_eq!(said.advertised(), 0);
    let prompts: Vec<&str> = said.prompts().iter().map(|p| p.name().as_str()).collect();
    let resources: Vec<&str> = said.resources().iter().map(|r| r.uri().as_str()).collect();
    assert_eq!((prompts, resources), (vec!["p", "q"], vec!["file:///a", "file:///b"]));
    assert_eq!(said.server_info(), Some(r#"{"name": "n",  "version": "1"}"#));
    assert_eq!(said.instructions(), Some("Use \"q\"."));
    let spans = &file.servers[0].spans;
    assert_eq!(&text[spans.prompts[1].range()], "\"q\"");
    assert_eq!(&text[spans.resources[1].range()], "\"file:///b\"");
    assert_eq!(
        file.servers[1].statics,
        Statics::None,
        "nothing is listed: not the same as no tools"
    );
}

#[test]
fn an_empty_list_is_a_statement_and_a_pattern_is_none() {
    let text = r#"{"mcpServers": {
        "none": {"tools": []}, "silent": {"command": "x"}, "null": {"tools": null},
        "star": {"tools": ["*"]}, "some": {"tools": ["get_*", "x"]}
    }}"#;
    let file = file("x.json", text);
    let of = |at: usize| (&file.servers[at].statics, file.servers[at].filter.tools.clone());
    assert_eq!(of(0), (&Statics::Listed(Catalogue::default()), Some(vec![])));
    assert_eq!(of(1), (&Statics::None, None));
    assert_eq!(of(2), (&Statics::None, None));
    assert_eq!(of(3), (&Statics::AllowAll, None));
    assert_eq!(of(4), (&Statics::None, Some(vec!["get_*".into(), "x".into()])));
}

/// To list prompts is not to say that there are no tools; and what says nothing of tools says the rest all the same.
#[test]
fn what_is_said_besides_tools_is_kept_and_lists_none() {
    let rest = r#""prompts": ["p"], "resources": ["file:///a"], "serverInfo": {"name": "n"}, "instructions": "i""#;
    for (tools, statics) in [
        ("", Statics::None),
        (r#""tools": ["*"], "#, Statics::AllowAll),
        (r#""tools": ["get_*"], "#, Statics::None),
    ] {
        let file = file("x.json", &format!(r#"{{"mcpServers": {{"s": {{{tools}{rest}}}}}}}"#));
        let entry = &file.servers[0];
        assert_eq!(entry.statics, statics, "{tools}");
        assert_eq!((entry.described.prompts().len(), entry.described.resources().len()), (1, 1));
        assert!(entry.described.server_info().is_some(), "{tools}");
        assert_eq!(entry.described.instructions(), Some("i"));
        assert_eq!((entry.spans.prompts.len(), entry.spans.resources.len()), (1, 1));
    }
}

#[test]
fn filters_under_every_name_with_the_place_of_each_entry() {
    let text = r#"{"mcpServers": {
        "a": {"include": ["x"], "exclude": []},
        "b": {"includeTools": ["x"], "excludeTools": ["y"]},
        "c": {"enabledTools": ["x"], "disabledTools": ["y", "z"]},
        "d": {"include": ["x"], "includeTools": ["w"]}
    }}"#;
    let file = file("x.json", text);
    let lists: Vec<_> = file
        .servers
        .iter()
        .map(|s| format!("{:?} {:?}", s.filter.include.as_deref(), s.filter.exclude.as_deref()))
        .collect();
    assert_eq!(
        lists,
        [
            "Some([\"x\"]) Some([])",
            "Some([\"x\"]) Some([\"y\"])",
            "Some([\"x\"]) Some([\"y\", \"z\"])",
            "Some([\"x\", \"w\"]) None",
        ]
    );
    assert_eq!(file.place(file.servers[2].spans.exclude[1]).to_string(), "4:61");
}

#[test]
fn callsign_toml_says_all_of_it_too() {
    let text = r#"
scheme = "prefixed"
unambiguous = true

[severity]
CS005 = "off"
CS010 = "error"

[servers.github]
command = "npx"
args = ["-y", "server-github"]
env = { TOKEN = "${GITHUB_TOKEN}" }
exclude = ["delete_*"]

[[servers.github.tools]]
name = "create.issue"
inputSchema = { type = "object" }

[servers.github.options."create.issue"]
hidden = true
time_limit_seconds = 2.5
description = "Files an issue."

[servers."remote one"]
type = "sse"
url = "https://mcp.example.com/sse"
headers = { Authorization = "Bearer x" }
tools = ["search"]
disabled = true
"#;
    let file = file("callsign.toml", text);
    let [github, remote] = &file.servers[..] else { panic!("two servers") };
    assert_eq!(
        (file.client, github.transport, remote.transport),
        ("callsign", Transport::Stdio, Transport::Sse)
    );
    assert_eq!(file.settings.scheme.as_ref().unwrap().value, "prefixed");
    assert_eq!(file.settings.scheme.as_ref().unwrap().place.to_string(), "2:10");
    assert!(file.settings.unambiguous);
    let severity: Vec<String> = file
        .settings
        .severity
        .iter()
        .map(|(code, severity)| format!("{} {severity:?} {}", code.value, code.place))
        .collect();
    assert_eq!(severity, ["CS005 Off 6:1", "CS010 Error 7:1"]);
    assert_eq!(
        catalogue(&file).tools()[0].definition(),
        Some(r#"{"name":"create.issue","inputSchema":{"type":"object"}}"#)
    );
    assert_eq!(file.place(github.spans.tools[0]).to_string(), "16:8");
    assert_eq!(github.filter.exclude, Some(vec!["delete_*".into()]));
    let option = &github.options[0];
    assert_eq!(option.wire.value.as_str(), "create.issue");
    assert_eq!(option.wire.place.to_string(), "19:25");
    assert!(option.hidden && option.time_limit == Some(std::time::Duration::from_millis(2500)));
    assert_eq!(option.description.as_deref(), Some("Files an issue."));
    assert!(remote.disabled);
    assert_eq!(remote.place.to_string(), "24:10");
    assert_eq!(remote.filter.tools, Some(vec!["search".into()]));
}

#[test]
fn a_named_transport_decides_between_command_and_address() {
    let transport = |entry: &str| {
        let text = format!("{{\"mcpServers\": {{\"s\": {entry}}}}}");
        let file = file("x.json", &text);
        let launch = &file.servers[0].launch;
        (file.servers[0].transport.as_str(), launch.command.is_some() != launch.url.is_some())
    };
    let cases = [
        (r#"{"command": "x", "url": "https://h"}"#, ("ambiguous", false)),
        (r#"{"type": "stdio", "command": "x", "url": "https://h"}"#, ("stdio", true)),
        (r#"{"type": "streamable-http", "command": "x", "url": "https://h"}"#, ("http", true)),
        (r#"{"type": "http", "command": "x"}"#, ("unknown", true)),
        (r#"{"type": "carrier-pigeon", "command": "x"}"#, ("unknown", true)),
        (r#"{"type": "SSE", "url": "https://h"}"#, ("sse", true)),
        (r#"{"url": "wss://h"}"#, ("ws", true)),
        (r#"{"serverUrl": "https://h"}"#, ("http", true)),
        (r#"{"command": "", "url": null}"#, ("unknown", false)),
        ("{}", ("unknown", false)),
    ];
    for (entry, expected) in cases {
        assert_eq!(transport(entry), expected, "{entry}");
    }
}

#[test]
fn which_client_a_file_is_of() {
    let servers = r#"{"mcpServers": {}}"#;
    let cases = [
        (".mcp.json", servers, "claude-code"),
        ("a/.cursor/mcp.json", servers, "cursor"),
        ("dotfiles/cursor/mcp.json", servers, "cursor"),
        ("a/claude_desktop_config.json", "{}", "claude-desktop"),
        ("a/mcp.json", servers, "generic"),
        ("a/.vscode/mcp.json", r#"{"servers": {}}"#, "vscode"),
        ("a/.vscode/mcp.json", servers, "generic"),
        ("x.json", r#"{"mcp.servers": {}}"#, "vscode"),
        ("x.json", r#"{"projects": {"/p": {"mcpServers": {}}}}"#, "claude-code"),
        (".mcp.json", "{}", "claude-code"),
        ("stdin", r#" {"mcpServers": {}}"#, "generic"),
        ("stdin", "[servers.a]\ncommand = 'x'", "callsign"),
        ("callsign.toml", "", "callsign"),
        (".claude/settings.json", r#"{"permissions": {}}"#, "claude-code"),
    ];
    for (path, text, client) in cases {
        assert_eq!(file(path, text).client, client, "{path} {text}");
    }
}

#[test]
fn a_file_of_a_client_that_is_not_read_is_never_taken_for_one_without_servers() {
    let crush = r#"{"mcp": {"a": {"type": "stdio", "command": "x"}}, "permissions": {"allowed_tools": []}}"#;
    let error = parse(Path::new("crush.json"), crush.as_bytes()).unwrap_err();
    assert!(
        matches!(error.problem(), Problem::NoServers { near, .. } if near.is_empty()),
        "{error}"
    );
}

#[test]
fn the_project_is_the_folder_around_a_client_s_own() {
    let cases = [
        ("/p/.mcp.json", "/p"),
        ("/p/.vscode/mcp.json", "/p"),
        ("/p/.kiro/settings/mcp.json", "/p"),
        (".cursor/mcp.json", "."),
        ("mcp.json", "."),
        ("./mcp.json", "."),
    ];
    for (path, project) in cases {
        let file = file(path, r#"{"mcpServers": {}}"#);
        assert_eq!(file.project(), Path::new(project), "{path}");
    }
}

#[test]
fn the_digest_is_that_of_the_bytes() {
    // printf '{"mcpServers":{}}' | sha256sum, and the same after a byte order mark
    let plain = file("x.json", r#"{"mcpServers":{}}"#);
    let marked = file("x.json", "\u{feff}{\"mcpServers\":{}}");
    assert_eq!(plain.digest(), "691f62624936af38f0e6b2ac6c8b43162a23696696f62d5037d9eb2b43bd73c5");
    assert_eq!(marked.digest(), "332c149eff6dff369f487fe6bce9a5a11fc5c882091546fabcc32908b1d8254c");
}
