//! An HTTP server whose every answer is written by the test, byte for byte, and which keeps what it was asked.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

#[derive(Debug, Clone, Default)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The JSON-RPC method.
    pub fn call(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["method"].as_str().unwrap_or_default().to_owned()
    }

    /// The raw JSON-RPC id.
    pub fn id(&self) -> String {
        let body: serde_json::Value = serde_json::from_str(&self.body).unwrap_or_default();
        body["id"].to_string()
    }
}

/// One piece of an answer after another, with what is waited for between them.
pub enum Piece {
    Bytes(String),
    /// Until this many requests have been asked.
    Await(usize),
    /// For ever.
    Hang,
}

pub type Answer = Vec<Piece>;

#[derive(Clone)]
pub struct Server {
    pub address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Starts it on a free port of this machine.
    pub async fn start(answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let server = Self { address, asked: Arc::clone(&asked) };
        let answer = Arc::new(answer);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&asked)));
            }
        });
        server
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn url(&self) -> String {
        format!("{}/mcp", self.address)
    }
}

async fn serve(
    stream: TcpStream,
    answer: Arc<impl Fn(&Asked) -> Answer>,
    asked: Arc<Mutex<Vec<Asked>>>,
) {
    let mut stream = BufReader::new(stream);
    let Some(request) = read(&mut stream).await else { return };
    asked.lock().unwrap().push(request.clone());
    for piece in answer(&request) {
        match piece {
            Piece::Bytes(bytes) => {
                if stream.get_mut().write_all(bytes.as_bytes()).await.is_err() {
                    return;
                }
            }
            Piece::Await(count) => {
                while asked.lock().unwrap().len() < count {
                    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
                }
            }
            Piece::Hang => std::future::pending().await,
        }
    }
    let _ = stream.get_mut().shutdown().await;
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut asked = Asked::default();
    let mut line = String::new();
    stream.read_line(&mut line).await.ok().filter(|&count| count > 0)?;
    let mut words = line.split(' ');
    asked.method = words.next()?.to_owned();
    asked.path = words.next()?.to_owned();
    loop {
        line.clear();
        stream.read_line(&mut line).await.ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        asked.headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = asked.header("content-length").and_then(|length| length.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    asked.body = String::from_utf8(body).ok()?;
    Some(asked)
}

/// A whole answer with a body of a known length.
pub fn whole(status: &str, headers: &str, body: &str) -> Answer {
    let length = body.len();
    vec![Piece::Bytes(format!(
        "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    ))]
}

pub fn json(body: &str) -> Answer {
    whole("200 OK", "content-type: application/json; charset=utf-8\r\n", body)
}

pub fn result(asked: &Asked, raw: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{raw}}}"#, asked.id())
}

pub fn error(asked: &Asked, code: i64, data: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{code},"message":"no","data":{data}}}}}"#,
        asked.id()
    )
}

/// The head of an event stream that ends with the connection.
pub fn stream_head() -> Piece {
    Piece::Bytes(
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n"
            .to_owned(),
    )
}

pub fn event(data: &str) -> Piece {
    Piece::Bytes(format!("event: message\ndata: {data}\n\n"))
}

pub fn accepted() -> Answer {
    whole("202 Accepted", "", "")
}
