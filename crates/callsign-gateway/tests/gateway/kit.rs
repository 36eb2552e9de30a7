//! A gateway in this process, its servers as processes of the testkit, and a host that reads and writes raw lines.
#![allow(dead_code, unreachable_pub)]

use std::collections::VecDeque;
use std::time::Duration;

use callsign_gateway::{Gateway, Limits, ServerSettings, Settings};
use callsign_mcp::{Launch, ServerSpec};
use callsign_wire::serve::{LineService, serve_lines};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// Work that takes longer than this hangs.
const HANG: Duration = Duration::from_secs(60);

pub async fn unless_hung<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANG, work).await.expect("it hangs")
}

/// A server over stdio with these flags.
pub fn server(key: &str, flags: &[&str]) -> ServerSettings {
    let command = callsign_testkit::server_binary().to_str().unwrap().to_owned();
    let args = std::iter::once("serve").chain(flags.iter().copied()).map(str::to_owned).collect();
    let launch = Launch::Stdio { command, args, env: Vec::new(), cwd: None };
    ServerSettings::new(ServerSpec { key: key.parse().unwrap(), launch, secrets: Vec::new() })
}

/// A program that does not exist.
pub fn absent(key: &str) -> ServerSettings {
    let launch = Launch::Stdio {
        command: "/no/such/program".into(),
        args: Vec::new(),
        env: Vec::new(),
        cwd: None,
    };
    ServerSettings::new(ServerSpec { key: key.parse().unwrap(), launch, secrets: Vec::new() })
}

/// Limits short enough for tests.
pub fn limits() -> Limits {
    let usual = Limits::default();
    let server = callsign_mcp::Limits { probe: Duration::from_millis(300), ..usual.server };
    Limits { start: Duration::from_secs(30), quiet: Duration::from_millis(50), server, ..usual }
}

pub fn settings(servers: Vec<ServerSettings>) -> Settings {
    Settings { limits: limits(), ..Settings::new(servers) }
}

/// A host over lines and the gateway that serves it.
pub struct Host {
    writer: WriteHalf<DuplexStream>,
    reader: BufReader<ReadHalf<DuplexStream>>,
    /// What came and was not waited for.
    pub heard: VecDeque<Value>,
    last_id: u64,
    serving: JoinHandle<LineService>,
}

/// A gateway that several hosts can use.
pub fn gateway(settings: Settings) -> std::sync::Arc<Gateway> {
    std::sync::Arc::new(Gateway::new(settings))
}

impl Host {
    /// A host that has not shaken hands.
    pub fn of(gateway: &std::sync::Arc<Gateway>) -> Self {
        let (host, ours) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(ours);
        let mut service = serve_lines(reader, writer, callsign_wire::serve::Limits::default());
        let gateway = std::sync::Arc::clone(gateway);
        let serving = tokio::spawn(async move {
            gateway.serve(&mut service.arrivals).await;
            service
        });
        let (reader, writer) = tokio::io::split(host);
        let reader = BufReader::new(reader);
        Self { writer, reader, heard: VecDeque::new(), last_id: 0, serving }
    }

    /// One that has, offering these capabilities.
    pub async fn greeted(gateway: &std::sync::Arc<Gateway>, capabilities: Value) -> Self {
        let mut host = Self::of(gateway);
        host.greet(capabilities).await;
        host
    }

    pub async fn greet(&mut self, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": "host", "version": "1"}});
        let result = self.ask("initialize", &params.to_string()).await;
        self.write(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        result["result"].clone()
    }

    /// Writes one line as it is.
    pub async fn write(&mut self, line: &str) {
        self.writer.write_all(line.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    /// The next line as it is.
    pub async fn line(&mut self) -> String {
        let mut line = String::new();
        unless_hung(self.reader.read_line(&mut line)).await.unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    /// Sends a request and gives its id.
    pub async fn send(&mut self, method: &str, params: &str) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        self.write(&request).await;
        id
    }

    /// The answer to a request; what comes in between is heard.
    pub async fn answer(&mut self, id: u64) -> Value {
        let is_it = |message: &Value| message["id"] == id && message.get("method").is_none();
        self.until(is_it).await
    }

    /// The next message that fits; what comes in between is heard.
    pub async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().position(&fits) {
            return self.heard.remove(at).unwrap();
        }
        loop {
            let line = self.line().await;
            assert!(!line.is_empty(), "the gateway closed its output");
            let message: Value = serde_json::from_str(&line).unwrap();
            if fits(&message) {
                return message;
            }
            self.heard.push_back(message);
        }
    }

    pub async fn notification(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method && message.get("id").is_none()).await
    }

    pub async fn ask(&mut self, method: &str, params: &str) -> Value {
        let id = self.send(method, params).await;
        self.answer(id).await
    }

    pub async fn call(&mut self, name: &str, arguments: &str) -> Value {
        let params = format!(r#"{{"name":"{name}","arguments":{arguments}}}"#);
        self.ask("tools/call", &params).await
    }

    /// The names of the listed tools, in order.
    pub async fn tools(&mut self) -> Vec<String> {
        let answer = self.ask("tools/list", "{}").await;
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Says that nothing more comes, and goes on reading.
    pub async fn close_input(&mut self) {
        self.writer.shutdown().await.unwrap();
    }

    /// Closes its side.
    pub async fn leave(mut self) {
        self.writer.shutdown().await.unwrap();
        unless_hung(self.serving).await.unwrap();
    }
}

/// The text of a call's result.
pub fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

/// The message of an error.
pub fn error(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

pub fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// The messages that reached a server that records.
pub fn recorded(file: &std::path::Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}
