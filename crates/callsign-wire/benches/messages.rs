//! How many messages a second pass through a connection, by how many are in flight and how long they are.
//!
//! `cargo bench -p callsign-wire --bench messages`. The other side is a task of the same thread that answers each line
//! with as little work as it can, so what is measured is this crate and the runtime.
#![allow(clippy::unwrap_used)]

use callsign_wire::serve::http::{Access, HttpService, accept};
use callsign_wire::serve::{Arrival, Arrivals, Limits, serve_lines};
use callsign_wire::{Bounds, Connection, Inbound};
use divan::counter::ItemsCount;
use futures_util::{StreamExt, stream};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

fn main() {
    divan::main();
}

/// Calls of one measurement.
const CALLS: usize = 2_000;
const IN_FLIGHT: [usize; 4] = [1, 32, 1_000, 10_000];

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn params() -> Box<RawValue> {
    let text =
        r#"{"name":"search","arguments":{"query":"how long is a piece of string","limit":20}}"#;
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Answers each request with `result`, all that arrived at once in one write.
async fn answer(stream: impl AsyncRead + AsyncWrite, result: String) {
    let (mut reader, mut writer) = split(stream);
    let (mut bytes, mut out) = (Vec::new(), Vec::new());
    while reader.read_buf(&mut bytes).await.unwrap() > 0 {
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        for line in bytes[..whole].split_inclusive(|&byte| byte == b'\n') {
            let id = line.windows(5).position(|part| part == b"\"id\":").unwrap() + 5;
            let end = line[id..].iter().position(|&byte| byte == b',').unwrap();
            out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
            out.extend_from_slice(&line[id..id + end]);
            out.extend_from_slice(b",\"result\":");
            out.extend_from_slice(result.as_bytes());
            out.extend_from_slice(b"}\n");
        }
        bytes.drain(..whole);
        writer.write_all(&out).await.unwrap();
        out.clear();
    }
}

async fn ask(connection: &Connection, in_flight: usize, calls: usize) {
    let params = params();
    let answered = stream::iter(0..calls)
        .map(|_| connection.request("tools/call", Some(&params)))
        .buffer_unordered(in_flight)
        .map(|answer| answer.unwrap().get().len());
    let total = answered.fold(0, async |total, length| total + length).await;
    assert!(total >= calls);
}

fn measure(
    bencher: divan::Bencher<'_, '_>,
    (in_flight, calls): (usize, usize),
    result: &str,
    pair: impl Fn() -> (Box<dyn Duplex>, Box<dyn Duplex>),
) {
    let runtime = runtime();
    let connection = runtime.block_on(async {
        let (ours, theirs) = pair();
        tokio::spawn(answer(theirs, result.to_owned()));
        let (reader, writer) = split(ours);
        Connection::over_lines(reader, writer, Inbound::Refuse, Bounds::default())
    });
    bencher
        .counter(ItemsCount::new(calls))
        .bench_local(|| runtime.block_on(ask(&connection, in_flight, calls)));
}

trait Duplex: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Duplex for T {}

fn in_memory() -> (Box<dyn Duplex>, Box<dyn Duplex>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    (Box::new(ours), Box::new(theirs))
}

const SHORT: &str = r#"{"content":[{"type":"text","text":"as long as it is"}]}"#;

#[divan::bench(args = IN_FLIGHT)]
fn calls_in_memory(bencher: divan::Bencher<'_, '_>, in_flight: usize) {
    measure(bencher, (in_flight, CALLS.max(2 * in_flight)), SHORT, in_memory);
}

#[cfg(unix)]
#[divan::bench(args = IN_FLIGHT)]
fn calls_over_a_socket(bencher: divan::Bencher<'_, '_>, in_flight: usize) {
    measure(bencher, (in_flight, CALLS.max(2 * in_flight)), SHORT, || {
        let (ours, theirs) = tokio::net::UnixStream::pair().unwrap();
        (Box::new(ours), Box::new(theirs))
    });
}

/// The answer's length in KiB.
#[divan::bench(args = [64, 5_000])]
fn long_answers_in_memory(bencher: divan::Bencher<'_, '_>, length: usize) {
    let item = r#"{"type":"text","text":"as long as it is","x":[1,2]}"#;
    let items = vec![item; length * 1024 / (item.len() + 1)].join(",");
    measure(bencher, (1, 1), &format!("{{\"content\":[{items}]}}"), in_memory);
}

/// Answers what hosts ask with what they asked, in order.
async fn echo(mut arrivals: Arrivals) {
    while let Some(arrival) = arrivals.next().await {
        if let Arrival::Request(exchange) = arrival {
            let params = exchange.request.params.as_deref().unwrap_or(RawValue::NULL);
            exchange.reply.finish(Ok(params)).await.unwrap();
        }
    }
}

/// A host over lines: the other side of `calls_in_memory` is this crate as well.
#[divan::bench(args = [1, 32, 1_000])]
fn calls_between_both_sides(bencher: divan::Bencher<'_, '_>, in_flight: usize) {
    let runtime = runtime();
    let connection = runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = split(theirs);
        tokio::spawn(echo(serve_lines(reader, writer, Limits::default()).arrivals));
        let (reader, writer) = split(ours);
        Connection::over_lines(reader, writer, Inbound::Refuse, Bounds::default())
    });
    bencher
        .counter(ItemsCount::new(CALLS))
        .bench_local(|| runtime.block_on(ask(&connection, in_flight, CALLS)));
}

/// Hosts over HTTP, by how many connections ask one after the other.
#[divan::bench(args = [1, 32])]
fn calls_served_over_http(bencher: divan::Bencher<'_, '_>, connections: usize) {
    let runtime = runtime();
    let mut streams = runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let limits = Limits::default();
        let (service, arrivals) = HttpService::new(Access::loopback(), limits.clone());
        tokio::spawn(echo(arrivals));
        let router = service.router(axum::Router::new());
        tokio::spawn(async move {
            let never = std::future::pending();
            accept(listener, router, &limits, never, std::time::Duration::ZERO).await
        });
        let mut streams = Vec::new();
        for _ in 0..connections {
            streams.push(TcpStream::connect(address).await.unwrap());
        }
        streams
    });
    let each = CALLS / connections;
    bencher.counter(ItemsCount::new(each * connections)).bench_local(|| {
        runtime.block_on(futures_util::future::join_all(streams.iter_mut().map(|s| post(s, each))))
    });
}

/// Asks over one connection, `count` times.
async fn post(stream: &mut TcpStream, count: usize) {
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"search","_meta":{meta}}}}}"#
    );
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\n\
         mcp-method: tools/call\r\nmcp-name: search\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut heard = Vec::with_capacity(4096);
    for _ in 0..count {
        stream.write_all(request.as_bytes()).await.unwrap();
        heard.clear();
        // The answer is the body's last bracket.
        while !heard.ends_with(b"}}}") {
            assert!(stream.read_buf(&mut heard).await.unwrap() > 0);
        }
        assert!(heard.starts_with(b"HTTP/1.1 200"));
    }
}
