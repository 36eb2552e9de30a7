//! `callsign name`: one identity, or JSON lines of them.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

mod support;

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{Outcome, Sandbox, root};

fn name(arguments: &[&str]) -> Outcome {
    Sandbox::new().callsign(["name"].iter().chain(arguments)).run()
}

/// Runs `name --jsonl` and gives the lines of its answer.
fn lines(arguments: &[&str], input: impl AsRef<[u8]>) -> Vec<Value> {
    let arguments = ["name", "--jsonl"].into_iter().chain(arguments.iter().copied());
    let outcome = Sandbox::new().callsign(arguments).input(input).run().exits(0);
    outcome.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn identities(identities: &[(&str, &str)]) -> String {
    identities.iter().fold(String::new(), |mut text, (server, tool)| {
        writeln!(text, "{}", json!({"server": server, "tool": tool})).expect("a text");
        text
    })
}

#[test]
fn an_identity_is_named_by_each_scheme() {
    for (scheme, expected) in [
        ("qualified", "mcp__my-files__read_file"),
        ("provider-safe", "mcp__my-files__read_file"),
        ("prefixed", "my-files__read_file"),
        ("prefixed-safe", "my-files__read_file"),
        ("bare", "read_file"),
        ("minimal", "read_file"),
    ] {
        let outcome = name(&["--scheme", scheme, "my-files", "read_file"]).exits(0);
        assert_eq!(outcome.stdout, format!("{expected}\n"), "{scheme}");
    }
    assert_eq!(name(&["a", "b"]).exits(0).stdout, "mcp__a__b\n", "the default");
}

/// t7, t9 and t10 of the acceptance tests, as a person meets them.
#[test]
fn a_name_that_can_not_be_made_says_why_and_what_to_do() {
    let key = "k".repeat(58);
    let long = name(&[&key, "request"]).exits(1);
    long.warns(&[
        "72 characters, 64 are allowed",
        "help: load the server under a key of at most 50",
    ]);
    let dotted = name(&["a", "b.c"]).exits(1);
    dotted.warns(&["'.' (U+002E) at position 2 of the tool name", "provider-safe"]);
    let steering = name(&["a", "\u{1b}[31m"]).exits(1).warns(&["U+001B"]);
    assert!(!steering.stderr.contains('\u{1b}'), "{steering}");
    name(&["", "b"]).exits(2).warns(&["server key must not be empty"]);
    name(&["a", ""]).exits(2).warns(&["must not be empty"]);
    name(&["a"]).exits(2).warns(&["TOOL"]);
    name(&["--scheme", "nice", "a", "b"]).exits(2).warns(&["qualified", "prefixed-safe"]);
}

#[test]
fn a_budget_goes_with_the_schemes_that_have_one() {
    let safe = ["--scheme", "prefixed-safe", "--budget", "20", "alphaalpha", "requestrequest"];
    let short = name(&safe).exits(0).stdout;
    assert_eq!(short.trim().len(), 20, "{short}");
    assert_eq!(name(&safe).stdout, short, "it is the same every time");
    name(&["--scheme", "prefixed", "--budget", "20", "alphaalpha", "requestrequest"])
        .exits(1)
        .warns(&["26 characters, 20 are allowed"]);
    name(&["--scheme", "prefixed", "--budget", "20", "alpha", "request"]).exits(0);
    name(&["--budget", "20", "a", "b"]).exits(2).warns(&["`qualified` has no budget"]);
    name(&["--scheme", "prefixed-safe", "--budget", "10", "a", "b"]).exits(2).warns(&["11..=64"]);
}

#[test]
fn lines_are_answered_in_order_one_a_line() {
    let many: Vec<String> = (0..5000).map(|number| format!("t{number}")).collect();
    let pairs: Vec<(&str, &str)> = many.iter().map(|tool| ("s", tool.as_str())).collect();
    let answers = lines(&[], identities(&pairs));
    assert_eq!(answers.len(), many.len());
    for (answer, tool) in answers.iter().zip(&many) {
        assert_eq!(*answer, json!({"name": format!("mcp__s__{tool}")}));
    }
    assert_eq!(lines(&[], "").len(), 0);
    // A last line without an end, and white space around lines.
    let answers =
        lines(&[], "\n  {\"server\":\"a\",\"tool\":\"b\"} \r\n\n{\"tool\":\"c\",\"server\":\"a\"}");
    assert_eq!(answers, [json!({"name": "mcp__a__b"}), json!({"name": "mcp__a__c"})]);
}

#[test]
fn an_error_is_an_answer_with_its_kind() {
    let long = "t".repeat(58);
    let input = identities(&[("", "x"), ("a", ""), ("a", "b c"), ("ä", "x"), ("a", &long)])
        + "{\n[]\n{}\n{\"server\":\"a\"}\n{\"server\":1,\"tool\":\"x\"}\n{\"raw\":\"x\"}\n"
        + "{\"server\":\"a\",\"tool\":\"x\",\"more\":1}\n{\"server\":\"a\",\"tool\":\"last\"}\n";
    let answers = lines(&[], input);
    let kinds: Vec<&str> =
        answers.iter().map(|answer| answer["error"]["kind"].as_str().unwrap_or("none")).collect();
    let invalid = "invalid-input";
    assert_eq!(
        kinds,
        [
            "empty-server-key",
            "empty-wire-name",
            "illegal-character",
            "illegal-character",
            "too-long",
            invalid,
            invalid,
            invalid,
            invalid,
            invalid,
            invalid,
            invalid,
            "none",
        ]
    );
    for answer in &answers[..answers.len() - 1] {
        assert!(answer["error"]["message"].is_string() && answer.get("name").is_none(), "{answer}");
    }
    let illegal = &answers[2]["error"];
    assert_eq!((&illegal["part"], &illegal["position"]), (&json!("tool"), &json!(2)));
    assert_eq!(illegal["code_point"], "U+0020");
    assert_eq!(answers[3]["error"]["part"], "server");
    let too_long = &answers[4]["error"];
    assert_eq!((&too_long["length"], &too_long["limit"]), (&json!(66), &json!(64)));
    assert_eq!(too_long["longest_key"], Value::Null, "no key can make it fit");
    assert_eq!(answers.last(), Some(&json!({"name": "mcp__a__last"})));
}

#[test]
fn text_that_is_no_text_is_an_error_with_a_place() {
    let mut input =
        b"{\"server\":\"a\",\"tool\":\"ok\"}\n{\"server\":\"a\",\"tool\":\"\\ud800\"}\n".to_vec();
    input.extend(b"{\"server\":\"a\",\"tool\":\"\\udc00 x\"}\n{\"raw\":\"\\ud83d\\ud83d\"}\n");
    input.extend(
        b"{\"server\":\"a\",\"tool\":\"\xff\"}\n{\"server\":\"a\",\"tool\":\"\\ud83d\\ude00\"}\n",
    );
    let answers = lines(&["--scheme", "provider-safe"], input);
    assert_eq!(answers.len(), 6);
    assert_eq!(answers[0], json!({"name": "mcp__a__ok"}));
    for (index, answer) in answers.iter().enumerate().take(4).skip(1) {
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.starts_with(&format!("line {}, column ", index + 1)), "{message}");
        assert!(message.contains("surrogate"), "{message}");
    }
    assert_eq!(answers[4]["error"]["message"], "line 5: it is not UTF-8");
    assert!(answers[5]["name"].is_string(), "a whole pair is a character: {}", answers[5]);
}

/// Another program can ask, wait for the answer, and ask again.
#[test]
fn a_line_is_answered_before_the_next_is_written() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_callsign"))
        .args(["name", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("stdin");
    let stdout = BufReader::new(child.stdout.take().expect("stdout"));
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || stdout.lines().try_for_each(|line| send.send(line)));
    for tool in ["one", "two"] {
        stdin.write_all(identities(&[("a", tool)]).as_bytes()).expect("written");
        let answer = receive.recv_timeout(std::time::Duration::from_secs(20)).expect("an answer");
        assert_eq!(answer.expect("a line"), format!(r#"{{"name":"mcp__a__{tool}"}}"#));
    }
    drop(stdin);
    assert!(child.wait().expect("a child").success());
}

#[test]
fn the_fleet_of_minimal_is_all_lines() {
    let fleet = [("a", "x"), ("b", "x"), ("b", "y"), ("a", "x")];
    let answers = lines(&["--scheme", "minimal"], identities(&fleet));
    let names: Vec<&str> = answers.iter().filter_map(|answer| answer["name"].as_str()).collect();
    assert_eq!(names, ["a_x", "b_x", "y", "a_x"]);
}

/// Every line of the vectors by its function; the identities that have an empty part, which callsign refuses, by the raw
/// name that stands beside them.
#[test]
fn the_vectors_of_provider_safe_come_out_as_expected() {
    let path = root().join("data/vectors/normalize.jsonl");
    let text = std::fs::read_to_string(path).expect("the vectors");
    let vectors: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (history, other): (Vec<_>, Vec<_>) =
        vectors.iter().partition(|vector| vector["fn"] == "history");
    assert_eq!((history.len(), other.len()), (236, 4156));
    compare(&["--scheme", "provider-safe"], &other);
    compare(&["--scheme", "provider-safe", "--history"], &history);
}

fn compare(arguments: &[&str], vectors: &[&Value]) {
    let inputs: Vec<String> = vectors.iter().map(|vector| input(vector).to_string()).collect();
    let answers = lines(arguments, inputs.join("\n"));
    assert_eq!(answers.len(), vectors.len());
    let wrong: Vec<String> = vectors
        .iter()
        .zip(&answers)
        .filter(|(vector, answer)| answer["name"] != vector["expected"])
        .map(|(vector, answer)| format!("{vector} gave {answer}"))
        .collect();
    assert!(wrong.is_empty(), "{} differ: {:#?}", wrong.len(), &wrong[..wrong.len().min(5)]);
}

fn input(vector: &Value) -> Value {
    let is_identity = |part: &str| vector[part].as_str().is_some_and(|text| !text.is_empty());
    match vector["fn"] == "register" && is_identity("server") && is_identity("tool") {
        true => json!({"server": vector["server"], "tool": vector["tool"]}),
        false => json!({"raw": vector["raw"]}),
    }
}

#[test]
fn raw_names_and_history_belong_to_provider_safe() {
    let raw = "{\"raw\":\"a b\"}\n";
    let answers = lines(&["--scheme", "prefixed"], raw);
    assert_eq!(answers[0]["error"]["kind"], "invalid-input");
    // What does not begin with `mcp__` is none of ours in a stored conversation.
    assert_eq!(lines(&["--scheme", "provider-safe", "--history"], raw)[0], json!({"name": "a b"}));
    assert_ne!(lines(&["--scheme", "provider-safe"], raw)[0], json!({"name": "a b"}));
    name(&["--jsonl", "--history"]).exits(2).warns(&["`provider-safe`"]);
    name(&["--history", "a", "b"]).exits(2);
    name(&["--jsonl", "a", "b"]).exits(2);
}

#[test]
fn every_line_is_answered_whatever_it_holds() {
    let mut random = support::Random(0x5eed);
    let good = br#"{"server":"a\u00e9","tool":"\ud83d\ude00 b"}"#;
    let mut input = Vec::new();
    for _ in 0..2000 {
        let mut line = good.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(line.len());
            line[at] = u8::try_from(random.below(256)).expect("a byte");
        }
        // So that every line is one, and none is blank.
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'x');
        line.push(b'\n');
        input.extend(line);
    }
    for scheme in ["qualified", "provider-safe", "prefixed-safe", "minimal"] {
        let answers = lines(&["--scheme", scheme], &input);
        assert_eq!(answers.len(), 2000, "{scheme}");
        assert!(answers.iter().all(|it| it["name"].is_string() != it["error"].is_object()));
    }
}
