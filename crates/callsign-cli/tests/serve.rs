//! `callsign serve`, run as a program.
#![cfg(unix)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "clippy allows it in test functions, not in what they share"
)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{HttpServer, Sandbox, server};

/// A host that started the gateway.
struct Host {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Host {
    fn start(sandbox: &Sandbox, arguments: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callsign"));
        sandbox.dress(&mut command);
        command
            .args(["serve", "--config", "servers.json", "--yes"])
            .args(arguments.split_whitespace());
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("callsign starts");
        let (input, output) = (process.stdin.take(), process.stdout.take().expect("stdout"));
        Self { process, input, output: BufReader::new(output) }
    }

    fn write(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("stdin is open");
        writeln!(input, "{message}").expect("callsign reads");
    }

    /// The answer to a request; messages in between are skipped.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.write(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}));
        self.answer(method)
    }

    fn answer(&mut self, id: &str) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("stdout") > 0, "no answer to {id}");
            let message: Value = serde_json::from_str(&line).expect("only messages on stdout");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    fn greet(&mut self) -> Value {
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "h", "version": "1"}});
        let greeting = self.ask("initialize", &params);
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        greeting
    }

    fn tools(&mut self) -> Vec<String> {
        let list = self.ask("tools/list", &json!({}));
        let tools = list["result"]["tools"].as_array().expect("a list");
        tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
    }

    fn terminate(&self) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().expect("kill runs");
        assert!(sent.success());
    }

    fn ended(mut self) -> Option<i32> {
        self.input.take();
        self.process.wait().expect("it can be waited for").code()
    }
}

fn is_gone(id: &str) -> bool {
    let listed =
        Command::new("ps").args(["-o", "stat=", "-p", id.trim()]).output().expect("ps runs");
    let state = String::from_utf8_lossy(&listed.stdout).trim().to_owned();
    state.is_empty() || state.starts_with('Z')
}

#[test]
fn tools_of_both_transports_are_served_over_stdio() {
    let sandbox = Sandbox::new();
    let remote = HttpServer::start(&["--name", "R", "--tools", "get"]);
    sandbox.servers(&[
        ("near", server(["--name", "N", "--tools", "get"])),
        ("far", json!({"url": remote.url})),
    ]);
    let mut host = Host::start(&sandbox, "");
    assert_eq!(host.greet()["result"]["serverInfo"]["name"], "callsign");
    assert_eq!(host.tools(), ["near__get", "far__get"]);
    let answer = host.ask("tools/call", &json!({"name": "far__get", "arguments": {"x": 1}}));
    assert_eq!(answer["result"]["content"][0]["text"], r#"R:get {"x":1}"#);
    assert_eq!(host.ended(), Some(0));
}

#[test]
fn nothing_is_left_running_whatever_ends_it() {
    for way in ["close", "terminate"] {
        let sandbox = Sandbox::new();
        let child = sandbox.path("child");
        let file = child.to_str().expect("UTF-8");
        sandbox.servers(&[("s", server(["--spawn-child", file, "--lingers", "--ignore-sigterm"]))]);
        let mut host = Host::start(&sandbox, "");
        host.greet();
        let id = std::fs::read_to_string(&child).expect("the child is there");
        if way == "terminate" {
            host.terminate();
        }
        assert_eq!(host.ended(), Some(0));
        support::wait_for("the child's end", || is_gone(&id).then_some(()));
    }
}

#[test]
fn a_call_under_way_is_answered_before_it_ends() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("s", server(["--slow", "700:call"]))]);
    let mut host = Host::start(&sandbox, "");
    host.greet();
    let call = json!({"name": "s__echo", "arguments": {}});
    host.write(&json!({"jsonrpc": "2.0", "id": "c", "method": "tools/call", "params": call}));
    std::thread::sleep(Duration::from_millis(200));
    host.terminate();
    assert!(host.answer("c").get("result").is_some());
    assert_eq!(host.ended(), Some(0));
}

#[test]
fn an_edited_configuration_is_applied_and_a_broken_one_is_not() {
    let sandbox = Sandbox::new();
    let (a, b) = (("a", server(["--tools", "x"])), ("b", server(["--tools", "y"])));
    sandbox.servers(std::slice::from_ref(&a));
    let mut host = Host::start(&sandbox, "");
    host.greet();
    assert_eq!(host.tools(), ["a__x"]);
    sandbox.write("servers.json", "{ broken");
    std::thread::sleep(Duration::from_millis(1600));
    assert_eq!(host.tools(), ["a__x"]);
    sandbox.servers(&[b, a]);
    support::wait_for("the new server", || (host.tools() == ["b__y", "a__x"]).then_some(()));
    sandbox.servers(&[("b", server(["--tools", "z"]))]);
    support::wait_for("the change", || (host.tools() == ["b__z"]).then_some(()));
    assert_eq!(host.ended(), Some(0));
}

#[test]
fn the_rules_of_the_configuration_hold_for_lists_and_calls() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("a", server(["--tools", "get,drop,write"]))]);
    let deny = "deny = [{ server = \"a\", tool = \"d*\" }]";
    sandbox.write(
        "callsign.toml",
        format!("[rules]\n{deny}\nask = [{{ server = \"a\", tool = \"write\" }}]\n"),
    );
    let mut host = Host::start(&sandbox, "--config callsign.toml");
    host.greet();
    assert_eq!(host.tools(), ["a__get", "a__write"]);
    let mut call = |name: &str| {
        host.ask("tools/call", &json!({"name": name, "arguments": {}}))["error"]["message"]
            .as_str()
            .map(str::to_owned)
    };
    assert_eq!(call("a__get"), None);
    let refused = call("a__drop").expect("an error");
    assert!(refused.contains("denied by") && refused.contains("callsign.toml"), "{refused}");
    let unasked = call("a__write").expect("an error");
    assert!(unasked.contains("asked") && unasked.contains("can't"), "{unasked}");

    // An entry that can't be read restricts what it may have been meant for.
    sandbox.write(
        "callsign.toml",
        format!("[rules]\n{deny}\nask = [{{ server = \"a\", tool = 7 }}]\n"),
    );
    support::wait_for("the changed rules", || {
        let answer = host.ask("tools/call", &json!({"name": "a__get", "arguments": {}}));
        answer.get("error").map(|_| ())
    });
    assert_eq!(host.ended(), Some(0));
}

#[test]
fn without_consent_nothing_is_started() {
    let sandbox = Sandbox::new();
    sandbox
        .servers(&[("s", server(["--record", sandbox.path("record").to_str().expect("UTF-8")]))]);
    sandbox
        .callsign(["serve", "--config", "servers.json"])
        .run()
        .exits(2)
        .warns(&["consent", "--yes"]);
    assert!(sandbox.recorded("record").is_none());
}

#[test]
fn a_name_that_two_claim_is_nobody_s_and_fails_the_start() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("a", server(["--tools", "x"])), ("b", server(["--tools", "x"]))]);
    let mut host = Host::start(&sandbox, "--scheme bare");
    let begun = Instant::now();
    host.write(&json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}}}));
    let mut rest = String::new();
    while host.output.read_line(&mut rest).expect("stdout") > 0 {}
    assert_eq!(host.process.wait().expect("it ends").code(), Some(2), "{rest}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

#[test]
fn check_says_what_would_be_served_and_what_is_missing() {
    let sandbox = Sandbox::new();
    sandbox
        .servers(&[("a", server(["--tools", "x"])), ("b", json!({"command": "/no/such/program"}))]);
    let told =
        sandbox.callsign(["serve", "--config", "servers.json", "--check", "--yes"]).run().exits(1);
    let told = told.says(&["a__x"]).warns(&["`b`", "/no/such/program"]);
    told.never_says("b__");
    sandbox
        .callsign(["serve", "--config", "servers.json", "--check", "--yes", "--start", "complete"])
        .run()
        .exits(2)
        .warns(&["not all servers"]);
}

#[test]
fn over_http_the_health_names_what_is_missing_and_strangers_are_refused() {
    let sandbox = Sandbox::new();
    sandbox
        .servers(&[("a", server(["--tools", "x"])), ("b", json!({"command": "/no/such/program"}))]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_callsign"));
    sandbox.dress(&mut command);
    command.args(["serve", "--config", "servers.json", "--yes", "--http", "127.0.0.1:0"]);
    let mut process =
        command.stderr(Stdio::piped()).stdin(Stdio::null()).spawn().expect("it starts");
    let mut lines = BufReader::new(process.stderr.take().expect("stderr")).lines();
    let url = lines.by_ref().find_map(|line| line.ok()?.split("http://").nth(1).map(str::to_owned));
    let address = url.expect("it says where").trim_end_matches("/mcp").to_owned();
    let get = |path: &str, host: &str| {
        let mut stream = std::net::TcpStream::connect(&address).expect("it listens");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
            .expect("sent");
        let mut answer = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answer).expect("answered");
        answer
    };
    support::wait_for("the start", || get("/readyz", &address).contains("200 OK").then_some(()));
    let health = get("/healthz", &address);
    assert!(health.contains("\"degraded\"") && health.contains("\"server\":\"b\""), "{health}");
    assert!(get("/healthz", "evil.example").contains("403"), "a stranger's name");
    let id = process.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().expect("kill runs").success());
    assert_eq!(process.wait().expect("it ends").code(), Some(0));
}

#[test]
fn an_address_that_others_can_reach_wants_a_token() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("a", server(["--tools", "x"]))]);
    let arguments = ["serve", "--config", "servers.json", "--yes", "--http", "0.0.0.0:0"];
    sandbox.callsign(arguments).run().exits(2).warns(&["token", "--without-token"]);
    sandbox.write("tokens", "alice s3cret\nbob s3cret\n");
    let outcome =
        sandbox.callsign(arguments.into_iter().chain(["--token-file", "tokens"])).run().exits(2);
    outcome.warns(&["tokens:2"]).never_says("s3cret");
}
