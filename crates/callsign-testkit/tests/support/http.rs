//! As much HTTP as the tests need.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::{NEVER, SOON, Server};

/// An HTTP endpoint.
pub struct Endpoint {
    pub server: Server,
    pub url: String,
}

/// A response whose body is read bit by bit.
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    stream: BufReader<TcpStream>,
}

pub const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");
pub const JSON: (&str, &str) = ("content-type", "application/json");

impl Endpoint {
    pub fn start(flags: &[&str]) -> Self {
        let server = Server::start(&[&["--http", "127.0.0.1:0"], flags].concat());
        let url = server.line();
        Self { server, url }
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").and_then(|it| it.strip_suffix("/mcp")).expect("a URL")
    }

    /// A request with exactly these headers (and those HTTP needs). `None` if the connection ends without a response.
    pub fn try_send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Option<Response> {
        self.send_briefly(SOON, method, headers, body)
    }

    /// Whether connections are taken.
    pub fn is_up(&self) -> bool {
        TcpStream::connect(self.address()).is_ok()
    }

    /// As `try_send`, and `None` too if nothing comes within `limit`.
    pub fn send_briefly(
        &self,
        limit: Duration,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Option<Response> {
        let mut stream = TcpStream::connect(self.address()).expect("it listens");
        stream.set_read_timeout(Some(limit)).expect("a limit");
        let mut request = format!("{method} /mcp HTTP/1.1\r\nhost: {}\r\n", self.address());
        for (name, value) in headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!(
            "content-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        ));
        stream.write_all(request.as_bytes()).expect("sent");
        Response::read(stream)
    }

    pub fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Response {
        self.try_send(method, headers, body).expect("a response")
    }

    /// A POST with the usual headers and these.
    pub fn post(&self, headers: &[(&str, &str)], body: &str) -> Response {
        self.send("POST", &[&[ACCEPT, JSON], headers].concat(), body)
    }

    /// Opens a legacy session.
    pub fn session(&self) -> String {
        let response = self.post(&[], super::INITIALIZE);
        assert_eq!(response.status, 200);
        let id = response.header("mcp-session-id").expect("a session").to_owned();
        assert_eq!(self.post(&[("mcp-session-id", &id)], super::INITIALIZED).status, 202);
        id
    }
}

impl Response {
    fn read(stream: TcpStream) -> Option<Self> {
        let mut stream = BufReader::new(stream);
        let first = line(&mut stream)?;
        let status = first.split(' ').nth(1)?.parse().ok()?;
        let mut headers = Vec::new();
        loop {
            let line = line(&mut stream)?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        Some(Self { status, headers, stream })
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The body to its end.
    pub fn text(mut self) -> String {
        let mut text = String::new();
        if let Some(length) = self.header("content-length").and_then(|it| it.parse().ok()) {
            let mut body = vec![0; length];
            self.stream.read_exact(&mut body).expect("the body");
            return String::from_utf8(body).expect("utf-8");
        }
        while let Some(chunk) = self.chunk() {
            text.push_str(&chunk);
        }
        text
    }

    /// The next chunk; `None` at the end.
    fn chunk(&mut self) -> Option<String> {
        let size = usize::from_str_radix(&line(&mut self.stream)?, 16).ok()?;
        let mut chunk = vec![0; size];
        self.stream.read_exact(&mut chunk).ok()?;
        line(&mut self.stream);
        if size == 0 { None } else { Some(String::from_utf8(chunk).expect("utf-8")) }
    }

    /// The next event (each comes as one chunk).
    pub fn event(&mut self) -> Option<String> {
        self.chunk()
    }

    /// The message of the next event.
    pub fn message(&mut self) -> String {
        let event = self.event().expect("an event");
        let data = event.strip_prefix("event: message\ndata: ").expect("a message");
        data.trim_end().to_owned()
    }

    /// Whether nothing more comes, and the stream stays open.
    pub fn is_silent(&mut self) -> bool {
        self.limit(NEVER);
        let nothing = self.stream.fill_buf().is_err_and(|cause| {
            matches!(cause.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
        });
        self.limit(SOON);
        nothing
    }

    fn limit(&self, limit: Duration) {
        self.stream.get_ref().set_read_timeout(Some(limit)).expect("a limit");
    }
}

fn line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    match stream.read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line.trim_end().to_owned()),
    }
}
