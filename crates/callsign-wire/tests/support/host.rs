//! A host that speaks HTTP by hand, and a service behind which stands whoever the test asks for.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use callsign_wire::message::{Request, RpcError};
use callsign_wire::serve::http::{Access, HttpService, accept};
use callsign_wire::serve::{Arrival, Exchange, Limits, Session};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What a host hears.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Heard {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The error's code and the raw id of a body that is an error.
    pub fn error(&self) -> (i64, String) {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        (body["error"]["code"].as_i64().unwrap_or_default(), body["id"].to_string())
    }
}

pub struct Host {
    pub address: String,
    pub service: HttpService,
    /// What arrived, one word each.
    pub log: Arc<Mutex<Vec<String>>>,
    /// The sessions of the requests that arrived.
    pub seen: Arc<Mutex<Vec<Session>>>,
    /// Lets what waits for it be answered.
    pub go: Arc<Notify>,
    /// Ends the listener.
    pub stop: Arc<Notify>,
    pub listening: JoinHandle<usize>,
}

pub const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");
pub const JSON: (&str, &str) = ("content-type", "application/json");

impl Host {
    pub async fn start(access: Access, limits: Limits) -> Self {
        Self::start_with(access, limits, Duration::from_secs(5)).await
    }

    pub async fn start_with(access: Access, limits: Limits, patience: Duration) -> Self {
        let (service, mut arrivals) = HttpService::new(access, limits.clone());
        let health = Router::new().route("/healthz", axum::routing::get(|| async { "well" }));
        let metrics = Router::new().route("/metrics", axum::routing::get(|| async { "42" }));
        let router = service.router(health.merge(service.private(metrics)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (log, go) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<Notify>::default());
        let seen = Arc::<Mutex<Vec<Session>>>::default();
        let behind = Behind { log: Arc::clone(&log), seen: Arc::clone(&seen), go: Arc::clone(&go) };
        tokio::spawn(async move {
            while let Some(arrival) = arrivals.next().await {
                behind.take(arrival);
            }
            behind.note("nothing more");
        });
        let stop = Arc::<Notify>::default();
        let stopped = Arc::clone(&stop);
        let listening = tokio::spawn(async move {
            let stopped = async move { stopped.notified().await };
            accept(listener, router, &limits, stopped, patience).await
        });
        Self { address, service, log, seen, go, stop, listening }
    }

    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    /// Waits until this has arrived.
    pub async fn saw(&self, entry: &str) {
        let look = async {
            while !self.log().iter().any(|seen| seen == entry) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        };
        let in_time = tokio::time::timeout(Duration::from_secs(5), look).await;
        assert!(in_time.is_ok(), "no `{entry}` in {:?}", self.log());
    }

    /// The session of the last request.
    pub fn session(&self) -> Session {
        self.seen.lock().unwrap().last().unwrap().clone()
    }

    /// Sends the bytes of a head and a body on a connection of its own.
    pub async fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Stream {
        let mut head = format!("{line}\r\n");
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += "host: localhost\r\n";
        }
        if !headers.iter().any(|(name, _)| *name == "content-length") {
            head += &format!("content-length: {}\r\n", body.len());
        }
        let mut stream = TcpStream::connect(&self.address).await.unwrap();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).await.unwrap();
        Stream(BufReader::new(stream))
    }

    pub async fn post(&self, headers: &[(&str, &str)], body: &str) -> Heard {
        let headers: Vec<_> = [BOTH, JSON].into_iter().chain(headers.iter().copied()).collect();
        self.send("POST /mcp HTTP/1.1", &headers, body).await.whole().await
    }

    /// Posts, and stays to read what comes.
    pub async fn open(&self, headers: &[(&str, &str)], body: &str) -> Stream {
        let headers: Vec<_> = [BOTH, JSON].into_iter().chain(headers.iter().copied()).collect();
        self.send("POST /mcp HTTP/1.1", &headers, body).await
    }

    /// Begins a session; gives its id.
    pub async fn initialize(&self) -> String {
        self.initialize_with(&[]).await
    }

    pub async fn initialize_with(&self, headers: &[(&str, &str)]) -> String {
        let heard = self.post(headers, &call("0", "initialize", "{}")).await;
        assert_eq!(heard.status, 200, "{heard:?}");
        heard.header("mcp-session-id").unwrap().to_owned()
    }
}

pub struct Stream(pub BufReader<TcpStream>);

impl Stream {
    /// The status and the headers.
    pub async fn head(&mut self) -> Heard {
        let mut heard = Heard::default();
        let line = self.line().await;
        heard.status = line.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        loop {
            let line = self.line().await;
            let Some((name, value)) = line.split_once(": ") else { return heard };
            heard.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        let read = self.0.read_line(&mut line);
        tokio::time::timeout(Duration::from_secs(10), read).await.unwrap().unwrap();
        line.trim_end_matches(['\r', '\n']).to_owned()
    }

    /// The next chunk of the body; empty where it ends.
    pub async fn chunk(&mut self) -> String {
        let size = usize::from_str_radix(&self.line().await, 16).unwrap_or(0);
        let mut bytes = vec![0; size + 2];
        self.0.read_exact(&mut bytes).await.unwrap();
        bytes.truncate(size);
        String::from_utf8(bytes).unwrap()
    }

    /// The message of the next event, comments passed over; empty where the stream ends.
    pub async fn event(&mut self) -> String {
        loop {
            let chunk = self.chunk().await;
            if chunk.starts_with(':') {
                continue;
            }
            let message = chunk.strip_prefix("event: message\ndata: ").unwrap_or(&chunk);
            return message.trim_end_matches('\n').to_owned();
        }
    }

    /// The whole response.
    pub async fn whole(mut self) -> Heard {
        let mut heard = self.head().await;
        if let Some(length) = heard.header("content-length") {
            let mut body = vec![0; length.parse().unwrap()];
            self.0.read_exact(&mut body).await.unwrap();
            heard.body = String::from_utf8(body).unwrap();
        } else if heard.header("transfer-encoding").is_some() {
            loop {
                match self.chunk().await {
                    chunk if chunk.is_empty() => break,
                    chunk => heard.body += &chunk,
                }
            }
        }
        heard
    }
}

pub fn call(id: &str, method: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
}

pub const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A request of the stateless era; `params` are further members.
pub fn modern(id: &str, method: &str, params: &str) -> String {
    let comma = if params.is_empty() { "" } else { "," };
    call(id, method, &format!("{{{params}{comma}{META}}}"))
}

pub const VERSION: (&str, &str) = ("mcp-protocol-version", "2026-07-28");

/// What stands behind the service: it notes what arrives, and does what the method says.
#[derive(Clone)]
struct Behind {
    log: Arc<Mutex<Vec<String>>>,
    seen: Arc<Mutex<Vec<Session>>>,
    go: Arc<Notify>,
}

impl Behind {
    fn note(&self, entry: &str) {
        self.log.lock().unwrap().push(entry.to_owned());
    }

    fn take(&self, arrival: Arrival) {
        match arrival {
            Arrival::Request(exchange) => {
                self.note(&exchange.request.method);
                for (name, value) in exchange.context.headers.iter().flat_map(|h| &h.parameters) {
                    self.note(&format!("{name}={}", value.as_deref().unwrap_or("?")));
                }
                self.seen.lock().unwrap().push(exchange.context.session.clone());
                tokio::spawn(self.clone().answer(exchange));
            }
            Arrival::Notification(message, _) => self.note(&message.method),
            Arrival::Response(message, _) => {
                self.note(&format!("answer {}", message.id.unwrap().raw()));
            }
            Arrival::Ended(_, ending) => self.note(&format!("ended {ending:?}")),
        }
    }

    async fn answer(self, exchange: Exchange) {
        let Exchange { request, mut reply, .. } = exchange;
        let params = request.params.as_deref().unwrap_or(RawValue::NULL);
        match request.method.as_str() {
            "drop" => drop(reply),
            "withhold" => reply.withhold(),
            "refuse" | "initialize" if code(&request) != 0 => {
                let error = RpcError::new(code(&request), "as you wish");
                let _ = reply.finish(Err(&error)).await;
            }
            "tell" => {
                reply.send("{\"jsonrpc\":\"2.0\",\n\"method\":\"told\"}".to_owned()).await.unwrap();
                let _ = reply.finish(Ok(params)).await;
            }
            "tell and wait" => {
                reply.send(r#"{"jsonrpc":"2.0","method":"told"}"#.to_owned()).await.unwrap();
                self.wait(reply).await;
            }
            "wait" => self.wait(reply).await,
            "flood" => {
                let message = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "x".repeat(100_000));
                for _ in 0..200 {
                    if reply.send(message.clone()).await.is_err() {
                        return self.note("gone");
                    }
                    self.note("sent");
                }
            }
            _ => {
                let _ = reply.finish(Ok(params)).await;
            }
        }
    }

    async fn wait(&self, reply: callsign_wire::serve::Reply) {
        tokio::select! {
            () = self.go.notified() => {
                let gone = reply.finish(Ok(RawValue::TRUE)).await.is_err();
                self.note(if gone { "answered nobody" } else { "answered" });
            }
            () = reply.abandoned() => self.note("abandoned"),
        }
    }
}

fn code(request: &Request) -> i64 {
    let params = request.params.as_deref().map_or("", RawValue::get);
    let params: serde_json::Value = serde_json::from_str(params).unwrap_or_default();
    params["code"].as_i64().unwrap_or_default()
}
