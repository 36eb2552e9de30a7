//! Without a misbehaviour the server is a good one, and repeats everything byte for byte.

mod support;

use support::{CALL, INITIALIZE, LIST, PING, Server, json};

#[test]
fn it_answers_and_exits_when_stdin_closes() {
    let mut server = Server::initialized(&["--name", "files", "--tools", "echo,write"]);
    assert_eq!(server.names(None), (vec!["echo".into(), "write".into()], None));
    let called = json(&server.ask(CALL));
    assert_eq!(called["result"]["content"][0]["text"], r#"files:echo {"text":"hi"}"#);
    server.close();
    assert!(server.ends().success());
}

#[test]
fn ids_and_arguments_come_back_as_they_were_written() {
    let mut server = Server::initialized(&[]);
    let arguments = r#"{"z": 1.0, "a":1e400,"n":123456789012345678901234567890,"u":"\u00e9"}"#;
    for id in ["7", "-0", "18446744073709551616", r#""a\u0062""#] {
        server.send(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        ));
        let answer = server.line();
        assert!(answer.contains(&format!(r#""id":{id},"#)), "{answer}");
        assert!(answer.contains(&format!(r#""structuredContent":{arguments}"#)), "{answer}");
    }
}

#[test]
fn it_refuses_what_a_good_server_refuses() {
    let mut server = Server::start(&[]);
    let cases = [
        (LIST, -32600),
        (r#"{"jsonrpc":"2.0","id":"d","method":"server/discover"}"#, -32601),
        ("not json", -32700),
    ];
    for (request, code) in cases {
        server.send(request);
        assert_eq!(json(&server.line())["error"]["code"], code, "{request}");
    }
    server.ask(INITIALIZE);
    let cases = [
        (r#"{"jsonrpc":"2.0","id":"u","method":"tools/call","params":{"name":"none"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"c","method":"tools/list","params":{"cursor":"no"}}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":"m","method":"no/such"}"#, -32601),
        (r#"{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"x:y"}}"#, -32002),
    ];
    for (request, code) in cases {
        assert_eq!(json(&server.ask(request))["error"]["code"], code, "{request}");
    }
    assert_eq!(json(&server.ask(PING))["result"], json("{}"));
}

#[test]
fn it_has_the_version_asked_for_unless_one_is_pinned() {
    let cases = [
        (None, "2024-11-05", "2024-11-05"),
        (None, "2026-07-28", "2025-11-25"),
        (Some("2024-11-05"), "2025-11-25", "2024-11-05"),
        (Some("1999-01-01"), "2025-11-25", "1999-01-01"),
    ];
    for (pinned, asked, answered) in cases {
        let flags: Vec<&str> = pinned.iter().flat_map(|version| ["--protocol", version]).collect();
        let mut server = Server::start(&flags);
        let answer = json(&server.ask(&INITIALIZE.replace("2025-11-25", asked)));
        assert_eq!(answer["result"]["protocolVersion"], answered, "{pinned:?} {asked}");
    }
}

#[test]
fn it_has_prompts_resources_and_instructions() {
    let mut server = Server::start(&[
        "--prompts",
        "greet",
        "--resources",
        "file:///a",
        "--instructions",
        "Be kind.",
    ]);
    let start = json(&server.ask(INITIALIZE));
    assert_eq!(start["result"]["instructions"], "Be kind.");
    assert!(start["result"]["capabilities"]["prompts"].is_object());
    assert!(start["result"]["capabilities"]["resources"].is_object());
    let cases = [
        (r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#, "/result/prompts/0/name", "greet"),
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"greet","arguments":{"a":"b"}}}"#,
            "/result/messages/0/content/text",
            r#"testkit:greet {"a":"b"}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"resources/list"}"#,
            "/result/resources/0/uri",
            "file:///a",
        ),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"file:///a"}}"#,
            "/result/contents/0/text",
            "testkit:file:///a",
        ),
    ];
    for (request, pointer, expected) in cases {
        let answer = json(&server.ask(request));
        assert_eq!(answer.pointer(pointer).and_then(|it| it.as_str()), Some(expected), "{answer}");
    }
}

#[test]
fn definitions_come_from_flags_and_files_untouched() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tools.json");
    let in_file = r#"{"name":"second", "x":[1.0], "inputSchema":{}}"#;
    std::fs::write(&file, format!("[{in_file},\n7]")).expect("written");
    let first = r#"{"z":1e999,"name":"first"}"#;
    let mut server =
        Server::initialized(&["--tool-json", first, "--tool-json", file.to_str().expect("utf-8")]);
    let list = server.ask(LIST);
    assert!(list.contains(&format!(r#""tools":[{first},{in_file},7]"#)), "{list}");
}

#[test]
fn a_flag_that_means_nothing_is_refused() {
    let cases: [&[&str]; 6] = [
        &["--malformed", "nonsense"],
        &["--era", "stone"],
        &["--slow", "soon"],
        &["--huge-line", "9:nowhere"],
        &["--result", "{"],
        &["--tool-json", "no-such-file.json"],
    ];
    for flags in cases {
        let mut server = Server::start(flags);
        assert_eq!(server.ends().code(), Some(2), "{flags:?}");
        assert!(!server.error_line().is_empty(), "{flags:?}");
    }
}
