//! Hosts over lines: what arrives, what is refused, and what happens when a limit is reached.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::time::Duration;

use callsign_wire::Era;
use callsign_wire::message::RpcError;
use callsign_wire::serve::{Arrival, Ending, Exchange, Limits, LineService, serve_lines};
use serde_json::value::RawValue;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

struct Host {
    reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Host {
    async fn say(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hears(&mut self) -> String {
        self.reader.next_line().await.unwrap().unwrap()
    }
}

fn served(limits: Limits, pipe: usize) -> (Host, LineService) {
    let (theirs, ours) = tokio::io::duplex(pipe);
    let (reader, writer) = tokio::io::split(ours);
    let service = serve_lines(reader, writer, limits);
    let (reader, writer) = tokio::io::split(theirs);
    (Host { reader: BufReader::new(reader).lines(), writer }, service)
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn call(id: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"b":1e999,"a":0}}}}"#)
}

async fn exchange(service: &mut LineService) -> Exchange {
    match service.arrivals.next().await.unwrap() {
        Arrival::Request(exchange) => exchange,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn ids_parameters_and_answers_pass_byte_for_byte_and_in_any_order() {
    let (mut host, mut service) = served(Limits::default(), 65536);
    let ids = ["1", "1.0", r#""1""#, r#""\u0061""#, "123456789012345678901234567890"];
    for id in ids {
        host.say(&call(id)).await;
    }
    let mut open = Vec::new();
    for id in ids {
        let exchange = exchange(&mut service).await;
        assert_eq!(exchange.request.id.raw(), id);
        assert_eq!(exchange.request.params.as_ref().unwrap().get(), r#"{"b":1e999,"a":0}"#);
        assert_eq!(exchange.context.era, Era::Handshake);
        open.push(exchange.reply);
    }
    assert_eq!(service.session.in_flight(), 5);
    for (reply, id) in open.into_iter().zip(ids).rev() {
        reply.finish(Ok(&raw("{\"z\":1,\r\n\"a\":1e999}"))).await.unwrap();
        assert_eq!(
            host.hears().await,
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"z":1,  "a":1e999}}}}"#)
        );
    }
    assert_eq!(service.session.in_flight(), 0);
}

#[tokio::test]
async fn what_belongs_to_a_request_comes_before_its_answer() {
    let (mut host, mut service) = served(Limits::default(), 65536);
    host.say(&call("7")).await;
    let mut exchange = exchange(&mut service).await;
    exchange.reply.send(r#"{"jsonrpc":"2.0","method":"progress"}"#.to_owned()).await.unwrap();
    service.session.send(r#"{"jsonrpc":"2.0","method":"list"}"#.to_owned()).await.unwrap();
    exchange.reply.finish(Err(&RpcError::new(-32602, "no"))).await.unwrap();
    assert_eq!(host.hears().await, r#"{"jsonrpc":"2.0","method":"progress"}"#);
    assert_eq!(host.hears().await, r#"{"jsonrpc":"2.0","method":"list"}"#);
    assert_eq!(
        host.hears().await,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#
    );
}

#[tokio::test]
async fn a_request_that_is_dropped_is_answered_and_one_that_is_withheld_is_not() {
    let (mut host, mut service) = served(Limits::default(), 65536);
    for id in ["1", "2"] {
        host.say(&call(id)).await;
    }
    exchange(&mut service).await.reply.withhold();
    drop(exchange(&mut service).await);
    assert!(
        host.hears().await.starts_with(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603"#),
        "the first answer is to the second request"
    );
}

#[tokio::test]
async fn what_is_no_message_is_answered_and_costs_nothing_else() {
    let limits = Limits { message_bytes: 200, ..Limits::default() };
    let (mut host, mut service) = served(limits, 65536);
    let long = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#, "x".repeat(300_000));
    let cases = [
        ("hello", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"#),
        ("[]", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"#),
        (r#"{"id":"k","method":"m"}"#, r#"{"jsonrpc":"2.0","id":"k","error":{"code":-32600,"#),
        (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, r#"{"jsonrpc":"2.0","id":null,"#),
        ("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":7}", r#"{"jsonrpc":"2.0","id":3,"error":"#),
        (
            long.as_str(),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is longer than 200"#,
        ),
    ];
    let talk = async {
        for (line, answer) in cases {
            host.say(line).await;
            let heard = host.hears().await;
            assert!(heard.starts_with(answer), "{line}: {heard}");
        }
        host.say(r#"{"jsonrpc":"2.0","id":9,"result":{},"error":{}}"#).await;
        host.say(&call("8")).await;
    };
    let (arrived, ()) = tokio::join!(exchange(&mut service), talk);
    assert_eq!(arrived.request.id.raw(), "8");
    arrived.reply.finish(Ok(&raw("{}"))).await.unwrap();
    assert_eq!(host.hears().await, r#"{"jsonrpc":"2.0","id":8,"result":{}}"#, "and no other");
}

#[tokio::test]
async fn the_members_of_a_batch_arrive_one_by_one() {
    let (mut host, mut service) = served(Limits::default(), 65536);
    let notice = r#"{"jsonrpc":"2.0","method":"n","params":[ 1 ]}"#;
    let answer = r#"{"jsonrpc":"2.0","id":"ours","result":{}}"#;
    host.say(&format!("[{},{notice},{answer},7]", call("1"))).await;
    assert_eq!(exchange(&mut service).await.request.id.raw(), "1");
    assert!(matches!(
        service.arrivals.next().await,
        Some(Arrival::Notification(notice, _)) if notice.params.as_ref().unwrap().get() == "[ 1 ]"
    ));
    assert!(matches!(
        service.arrivals.next().await,
        Some(Arrival::Response(answer, _)) if answer.id.as_ref().unwrap().raw() == r#""ours""#
    ));
    let mut heard = [host.hears().await, host.hears().await];
    heard.sort();
    assert!(heard[0].contains(r#""id":1,"error":{"code":-32603"#), "it was dropped: {heard:?}");
    assert!(heard[1].contains(r#""id":null,"error":{"code":-32600"#), "{heard:?}");
}

// Statements 9, 10 and 11 of the protocol's forty, over lines; serve/stateless.rs has their details.
#[tokio::test]
async fn what_the_stateless_era_forbids_never_arrives() {
    let (mut host, mut service) = served(Limits::default(), 65536);
    let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
    let ask = |method: &str, meta: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"_meta":{{{meta}}}}}}}"#)
    };
    for (method, meta, code) in [
        ("tools/list", version.to_owned(), "-32602"),
        ("tools/list", format!("{},{capabilities}", version.replace("2026", "2036")), "-32022"),
        ("ping", format!("{version},{capabilities}"), "-32601"),
    ] {
        host.say(&ask(method, &meta)).await;
        let heard = host.hears().await;
        assert!(heard.contains(&format!(r#""id":1,"error":{{"code":{code},"#)), "{heard}");
    }
    host.say(&ask("tools/list", &format!("{version},{capabilities}"))).await;
    assert_eq!(exchange(&mut service).await.context.era, Era::Stateless);
}

#[tokio::test]
async fn the_end_of_what_arrives_lets_what_is_under_way_be_answered() {
    let (mut host, mut service) = served(Limits::default(), 65536);
    host.writer.write_all(call("1").as_bytes()).await.unwrap(); // without a line end
    host.writer.shutdown().await.unwrap();
    let open = exchange(&mut service).await;
    let ended = service.arrivals.next().await;
    assert!(
        matches!(ended, Some(Arrival::Ended(session, Ending::ByHost)) if session == service.session)
    );
    assert!(service.arrivals.next().await.is_none());
    open.reply.finish(Ok(&raw("{}"))).await.unwrap();
    assert!(service.finish(Duration::from_secs(5)).await);
    assert_eq!(host.hears().await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert!(host.reader.next_line().await.unwrap().is_none(), "our side is closed");
}

#[tokio::test]
async fn a_host_that_is_gone_is_noticed_by_who_answers_it() {
    let (mut host, mut service) = served(Limits::default(), 65536);
    host.say(&call("1")).await;
    host.say(&call("2")).await;
    let (one, two) = (exchange(&mut service).await, exchange(&mut service).await);
    drop(host);
    one.reply.finish(Ok(&raw("{}"))).await.unwrap();
    two.reply.abandoned().await;
    assert!(two.reply.finish(Ok(&raw("{}"))).await.is_err());
    assert!(service.session.is_over());
}

#[tokio::test(start_paused = true)]
async fn a_host_that_does_not_read_is_waited_for_and_then_hears_everything() {
    let limits = Limits { written: 2, ..Limits::default() };
    let (mut host, service) = served(limits, 16);
    let notice = r#"{"jsonrpc":"2.0","method":"n"}"#;
    let sender = service.session.clone();
    let sending = tokio::spawn(async move {
        for _ in 0..10 {
            sender.send(notice.to_owned()).await.unwrap();
        }
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!sending.is_finished(), "there is room for two and what is being written");
    for _ in 0..10 {
        assert_eq!(host.hears().await, notice);
    }
    sending.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn requests_beyond_the_limit_wait_and_are_refused_in_the_end() {
    let limits = Limits { in_flight: 2, place: Duration::from_secs(5), ..Limits::default() };
    let (mut host, mut service) = served(limits, 65536);
    for id in ["1", "2", "3", "4"] {
        host.say(&call(id)).await;
    }
    let (one, _two) = (exchange(&mut service).await, exchange(&mut service).await);
    let third = tokio::time::timeout(Duration::from_secs(4), service.arrivals.next()).await;
    assert!(third.is_err(), "no place yet");
    one.reply.finish(Ok(&raw("{}"))).await.unwrap();
    assert!(host.hears().await.contains(r#""id":1,"result""#));
    assert_eq!(exchange(&mut service).await.request.id.raw(), "3", "dropped here: answered");
    assert!(host.hears().await.contains(r#""id":3,"error":{"code":-32603"#));
    let _four = exchange(&mut service).await;
    // With both places taken for good, what stands behind on the same lines is reached all the same.
    host.say(&call("5")).await;
    host.say(r#"{"jsonrpc":"2.0","id":"ours","result":{}}"#).await;
    assert!(matches!(service.arrivals.next().await, Some(Arrival::Response(..))));
    let refusal = host.hears().await;
    assert!(refusal.contains(r#""id":5,"error":{"code":-32603"#), "{refusal}");
    assert!(refusal.contains("2 requests"), "{refusal}");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_read_while_nobody_takes_what_arrived() {
    let limits = Limits { arrivals: 1, ..Limits::default() };
    let (mut host, mut service) = served(limits, 64);
    let notice = format!(r#"{{"jsonrpc":"2.0","method":"{}"}}"#, "n".repeat(65_536));
    let flood = tokio::spawn(async move {
        for _ in 0..20 {
            host.say(&notice).await;
        }
        host
    });
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!flood.is_finished());
    for _ in 0..20 {
        assert!(matches!(service.arrivals.next().await, Some(Arrival::Notification(..))));
    }
    flood.await.unwrap();
}

#[tokio::test]
async fn a_host_that_writes_on_and_does_not_read_any_more_is_at_an_end() {
    let (reader, mut host) = tokio::io::duplex(4096);
    let (writer, theirs) = tokio::io::duplex(4096);
    let mut service = serve_lines(reader, writer, Limits::default());
    host.write_all(format!("{}\n", call("1")).as_bytes()).await.unwrap();
    let open = exchange(&mut service).await;
    drop(theirs);
    open.reply.finish(Ok(&raw("{}"))).await.unwrap();
    assert!(matches!(
        service.arrivals.next().await,
        Some(Arrival::Ended(_, Ending::Unwritable(reason))) if !reason.is_empty()
    ));
    assert!(service.arrivals.next().await.is_none());
}
