//! What a host sends over lines: never a panic, never silence towards a request, and every answer is a message. And what
//! it sends in a header: the value that was written is the value that is read.

#![no_main]

use std::io::Cursor;
use std::sync::LazyLock;
use std::time::Duration;

use callsign_wire::http::{header_value, read_header_value};
use callsign_wire::message::{Message, parse, parse_frame};
use callsign_wire::serve::{Arrival, Limits, serve_lines};
use libfuzzer_sys::fuzz_target;
use serde_json::value::RawValue;
use tokio::io::AsyncReadExt;
use tokio::runtime::{Builder, Runtime};

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().expect("a runtime"));

const LONGEST: usize = 256;

fuzz_target!(|input: &[u8]| {
    if let Ok(text) = std::str::from_utf8(input) {
        assert_eq!(read_header_value(&header_value(text)).as_deref(), Some(text));
        drop(read_header_value(text));
    }
    let (requests, answers) = RUNTIME.block_on(serve(input.to_vec()));
    assert!(answers >= requests, "{answers} answers to {requests} requests");
});

/// How many requests there are in what a host sends, and how many answers it gets.
async fn serve(input: Vec<u8>) -> (usize, usize) {
    let lines = input.split(|&byte| byte == b'\n').filter(|line| line.len() <= LONGEST);
    let requests = lines.flat_map(parse_frame);
    let requests = requests.filter(|message| matches!(message, Ok(Message::Request(_)))).count();
    let limits = Limits { message_bytes: LONGEST, written: 4, arrivals: 2, ..Limits::default() };
    let (ours, mut theirs) = tokio::io::duplex(1024);
    let hears = tokio::spawn(async move {
        let mut heard = Vec::new();
        theirs.read_to_end(&mut heard).await.map(|_| heard)
    });
    let mut service = serve_lines(Cursor::new(input), ours, limits);
    while let Some(arrival) = service.arrivals.next().await {
        if let Arrival::Request(exchange) = arrival {
            exchange.reply.finish(Ok(RawValue::TRUE)).await.expect("the host reads");
        }
    }
    assert!(service.finish(Duration::from_secs(5)).await, "everything is written");
    let heard = hears.await.expect("the host lives").expect("and reads");
    let answers = heard.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let answers = answers.inspect(|line| {
        assert!(matches!(parse(line), Ok(Message::Response(_))), "{}", String::from_utf8_lossy(line));
    });
    (requests, answers.count())
}
