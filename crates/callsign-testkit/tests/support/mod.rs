//! A client that knows no more of MCP than lines and ids, and never waits for ever.
#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "clippy sees test functions, not what they share"
)]

pub mod http;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long anything that shall come may take on a busy machine.
pub const SOON: Duration = Duration::from_secs(20);
/// How long nothing comes where nothing shall come.
pub const NEVER: Duration = Duration::from_millis(300);

pub const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
pub const LIST: &str = r#"{"jsonrpc":"2.0","id":"list","method":"tools/list"}"#;
pub const CALL: &str = r#"{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#;
pub const PING: &str = r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#;

/// A modern request.
pub fn modern(id: &str, method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":"{id}","method":"{method}","params":{{{params}{comma}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// A running server.
pub struct Server {
    pub child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
}

fn lines_of(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

impl Server {
    /// `callsign-testkit serve` with these flags.
    pub fn start(flags: &[&str]) -> Self {
        Self::start_with(flags, |_| {})
    }

    pub fn start_with(flags: &[&str], prepare: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_callsign-testkit"));
        command.arg("serve").args(flags);
        if !flags.contains(&"--longest-life") {
            command.args(["--longest-life", "60"]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        prepare(&mut command);
        let mut child = command.spawn().expect("the server starts");
        let lines = lines_of(child.stdout.take().expect("stdout"));
        let errors = lines_of(child.stderr.take().expect("stderr"));
        Self { child, lines, errors }
    }

    /// Started, and past the handshake.
    pub fn initialized(flags: &[&str]) -> Self {
        let mut server = Self::start(flags);
        server.ask(INITIALIZE);
        server.send(INITIALIZED);
        server
    }

    /// Sends one line. A server that has gone does not mind.
    pub fn send(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().expect("stdin is open");
        let _ = writeln!(stdin, "{line}");
    }

    /// The next line, whatever it is.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(SOON).expect("a line comes soon")
    }

    /// Whether nothing comes.
    pub fn is_silent(&self) -> bool {
        matches!(self.lines.recv_timeout(NEVER), Err(RecvTimeoutError::Timeout))
    }

    /// Whether stdout is closed and empty.
    pub fn is_at_its_end(&self) -> bool {
        matches!(self.lines.recv_timeout(SOON), Err(RecvTimeoutError::Disconnected))
    }

    /// The next line of stderr.
    pub fn error_line(&self) -> String {
        self.errors.recv_timeout(SOON).expect("a line on stderr comes soon")
    }

    /// Sends a request and reads on to the line that carries its id.
    pub fn ask(&mut self, request: &str) -> String {
        self.send(request);
        let id = json(request)["id"].clone();
        loop {
            let line = self.line();
            let same = serde_json::from_str::<Value>(&line)
                .is_ok_and(|it| it["id"] == id && it.get("method").is_none());
            // Numbers beyond f64 make a message unreadable for `Value`; its id is still there.
            if same || line.contains(&format!(r#""id":{id},"result""#)) {
                return line;
            }
        }
    }

    /// The names on a page of the list; what has none counts as `?`.
    pub fn names(&mut self, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
        let request = match cursor {
            None => LIST.to_owned(),
            Some(cursor) => format!(
                r#"{{"jsonrpc":"2.0","id":"page","method":"tools/list","params":{{"cursor":"{cursor}"}}}}"#
            ),
        };
        let answer = json(&self.ask(&request));
        let tools = answer["result"]["tools"].as_array().expect("a list").clone();
        let name = |tool: &Value| tool["name"].as_str().unwrap_or("?").to_owned();
        let next = answer["result"]["nextCursor"].as_str().map(Into::into);
        (tools.iter().map(name).collect(), next)
    }

    /// Closes stdin.
    pub fn close(&mut self) {
        drop(self.child.stdin.take());
    }

    /// The status, if the server ends soon.
    pub fn ends(&mut self) -> ExitStatus {
        self.ends_within(SOON).expect("the server ends")
    }

    pub fn ends_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("the child is ours") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|cause| panic!("{cause}: {text}"))
}

/// Waits until `condition` holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + SOON;
    while !condition() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
