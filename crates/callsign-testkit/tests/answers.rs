//! Answers that are late, missing, broken, or preceded by something else.

mod support;

use std::fs;
use std::time::{Duration, Instant};

use support::{CALL, INITIALIZE, INITIALIZED, LIST, PING, Server, eventually, json};

#[test]
fn it_never_answers() {
    let discover = r#"{"jsonrpc":"2.0","id":"d","method":"server/discover"}"#;
    let cases = [
        ("initialize", INITIALIZE),
        ("list", LIST),
        ("call", CALL),
        ("discover", discover),
        ("all", PING),
        ("prompts/list", r#"{"jsonrpc":"2.0","id":"p","method":"prompts/list"}"#),
    ];
    for (what, request) in cases {
        let mut server = Server::start(&["--never-answer", what]);
        if matches!(what, "list" | "call" | "prompts/list") {
            server.ask(INITIALIZE);
        }
        server.send(request);
        assert!(server.is_silent(), "{what}");
        if what != "all" {
            assert!(server.ask(PING).contains("result"), "{what}: other requests are answered");
        }
    }
}

#[test]
fn it_answers_slowly_and_others_do_not_wait() {
    let mut server = Server::initialized(&["--slow", "400:list"]);
    let start = Instant::now();
    server.send(LIST);
    server.send(PING);
    assert_eq!(json(&server.line())["id"], "ping");
    assert_eq!(json(&server.line())["id"], "list");
    assert!(start.elapsed() >= Duration::from_millis(400));
}

#[test]
fn everything_is_slow() {
    let mut server = Server::start(&["--slow", "200"]);
    let start = Instant::now();
    server.ask(INITIALIZE);
    server.ask(PING);
    assert!(start.elapsed() >= Duration::from_millis(400));
}

#[test]
fn a_cancelled_call_is_not_answered() {
    let mut server = Server::initialized(&["--slow", "300:call"]);
    server.send(CALL);
    server.send(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call"}}"#,
    );
    std::thread::sleep(Duration::from_millis(400));
    assert!(server.is_silent());
}

#[test]
fn junk_stands_before_every_answer() {
    let mut server = Server::start(&["--junk", "5"]);
    let mut junk = Vec::new();
    for _ in 0..10 {
        junk.push(server.line());
    }
    assert_eq!(junk.iter().filter(|line| line.is_empty()).count(), 5, "blank lines");
    assert!(junk.iter().all(|line| !line.contains(r#""method""#) && !line.contains(r#""result""#)));
    for request in [INITIALIZE, PING] {
        server.send(request);
        let before: Vec<_> = (0..10).map(|_| server.line()).collect();
        assert_eq!(before, junk);
        assert_eq!(json(&server.line())["id"], json(request)["id"]);
    }
}

#[test]
fn one_line_is_huge() {
    let bytes = 3_000_000;
    let junk = format!("{bytes}:junk");
    let mut server = Server::start(&["--huge-line", &junk]);
    server.send(INITIALIZE);
    assert_eq!(server.line().len(), bytes);
    assert!(server.line().contains(r#""id":"init""#));
    for (flag, request) in [(bytes.to_string(), LIST), (format!("{bytes}:call"), CALL)] {
        let mut server = Server::initialized(&["--huge-line", &flag]);
        let answer = server.ask(request);
        assert!(answer.len() > bytes, "{flag}");
        assert!(json(&answer)["result"].is_object());
        assert!(server.ask(PING).len() < 100);
    }
}

#[test]
fn log_messages_come_before_the_first_answer() {
    let mut server = Server::start(&["--log-first", "17"]);
    server.send(INITIALIZE);
    for number in 1..=17 {
        let line = json(&server.line());
        assert_eq!(line["method"], "notifications/message");
        assert_eq!(line["params"]["data"], format!("log message {number}"));
    }
    assert_eq!(json(&server.line())["id"], "init");
    server.send(PING);
    assert_eq!(json(&server.line())["id"], "ping");
}

#[test]
fn it_writes_to_stderr_what_is_in_a_variable() {
    let secret = "not-for-anybodys-log";
    let flags = ["--stderr", "starting", "--stderr-env", "TESTKIT_SECRET"];
    let mut server = Server::start_with(&flags, |command| {
        command.env("TESTKIT_SECRET", secret);
    });
    assert_eq!(server.error_line(), "starting");
    assert_eq!(server.error_line(), secret);
    assert!(!server.ask(INITIALIZE).contains(secret), "stderr only");
}

#[test]
fn it_asks_before_it_answers() {
    let cases = [
        ("ping", "ping"),
        ("roots", "roots/list"),
        ("sampling", "sampling/createMessage"),
        ("elicitation", "elicitation/create"),
    ];
    for (flag, method) in cases {
        let mut server = Server::initialized(&["--asks", flag]);
        server.send(CALL);
        let asked = json(&server.line());
        assert_eq!(asked["method"], method);
        assert!(server.is_silent(), "the call waits for the answer");
        server.send(&format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"x":1e400}}}}"#, asked["id"]));
        let answer = server.line();
        assert!(answer.contains(r#""id":"call""#), "{answer}");
        assert!(answer.contains(r#"answered {\"jsonrpc\""#), "{answer}");
        assert!(answer.contains("1e400"), "{answer}");
    }
}

#[test]
fn results_and_errors_are_sent_as_they_are() {
    let cases = [
        ("--result", r#"{"z":1e400, "content":[] , "n":1.0}"#, "result"),
        ("--result", "[]", "result"),
        ("--error", r#"{"code":-32042, "message":"m", "data":{"z":1e400}}"#, "error"),
    ];
    for (flag, text, field) in cases {
        let mut server = Server::initialized(&[flag, text]);
        server.send(CALL);
        let answer = server.line();
        assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":"call","{field}":{text}}}"#));
    }
}

#[test]
fn a_result_over_several_lines_stays_one_line() {
    let mut server = Server::initialized(&["--result", "{\n\"content\":[]\r\n}"]);
    assert_eq!(json(&server.ask(CALL))["result"], json(r#"{"content":[]}"#));
}

#[test]
fn answers_break_the_rules() {
    let whole = |line: &str| serde_json::from_str::<serde_json::Value>(line).ok();
    type Holds = fn(&serde_json::Value) -> bool;
    let cases: [(&str, Holds); 6] = [
        ("wrong-id", |it| it["id"] == "nobody"),
        ("null-id", |it| it["id"].is_null() && it.get("id").is_some()),
        ("twice", |it| it["id"] == "list"),
        ("no-result", |it| it["id"] == "list" && it.as_object().is_some_and(|it| it.len() == 2)),
        ("result-and-error", |it| it.get("result").is_some() && it.get("error").is_some()),
        ("in-a-list", |it| it[0]["id"] == "list"),
    ];
    for (how, holds) in cases {
        let mut server = Server::initialized(&["--broken-answer", how]);
        server.send(LIST);
        let line = server.line();
        assert!(whole(&line).is_some_and(|it| holds(&it)), "{how}: {line}");
        if how == "twice" {
            assert_eq!(server.line(), line);
        }
        assert!(server.ask(PING).contains("result"), "{how}");
    }
    let mut server = Server::initialized(&["--broken-answer", "cut"]);
    server.send(LIST);
    let line = server.line();
    assert!(line.starts_with(r#"{"jsonrpc""#) && whole(&line).is_none(), "{line}");
}

#[test]
fn progress_comes_for_a_token_only() {
    let mut server = Server::initialized(&["--progress", "3"]);
    server.send(CALL);
    assert_eq!(json(&server.line())["id"], "call");
    server.send(
        &CALL.replace(r#""name""#, r#""_meta":{"progressToken":12345678901234567890123},"name""#),
    );
    for step in 1..=3 {
        let line = server.line();
        assert!(line.contains(r#""progressToken":12345678901234567890123,"#), "{line}");
        assert!(line.contains(&format!(r#""progress":{step},"#)), "{line}");
    }
    assert_eq!(json(&server.line())["id"], "call");
}

#[test]
fn everything_received_is_recorded_as_it_came() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record");
    let flags = ["--record", file.to_str().expect("utf-8")];
    let mut server = Server::initialized(&flags);
    let call = r#"{"id":1.0, "jsonrpc":"2.0","method":"tools/call","params":{"name":"request","arguments":{"z":1e400}}}"#;
    server.send(call);
    server.line();
    let expected = format!("{INITIALIZE}\n{INITIALIZED}\n{call}\n");
    eventually("all is recorded", || fs::read_to_string(&file).is_ok_and(|it| it == expected));
}
