//! Hosts over Streamable HTTP: every rule by a whole exchange over TCP. Numbers are those of the protocol's forty
//! statements.
#![allow(clippy::unwrap_used)]

#[path = "support/host.rs"]
mod host;
#[path = "support/json.rs"]
mod json;

use std::sync::OnceLock;
use std::time::Duration;

use callsign_wire::serve::http::Access;
use callsign_wire::serve::{Carrier, Limits, PrincipalId, Unsent};
use host::{BOTH, Host, JSON, META, VERSION, call, modern};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

async fn local() -> Host {
    Host::start(Access::loopback(), Limits::default()).await
}

// --- Before anything is read -------------------------------------------------------------------------------------

#[tokio::test]
async fn s18_a_foreign_host_or_origin_gets_403_before_the_body_is_looked_at() {
    let host = local().await;
    for (name, value) in
        [("host", "example.org"), ("origin", "https://example.org"), ("origin", "null")]
    {
        for line in [
            "POST /mcp HTTP/1.1",
            "GET /mcp HTTP/1.1",
            "GET /healthz HTTP/1.1",
            "GET /none HTTP/1.1",
        ] {
            let heard = host.send(line, &[(name, value)], "{no json").await.whole().await;
            assert_eq!(heard.status, 403, "{line} {name} {value}");
        }
    }
    // A body that never comes is not waited for.
    let announced = [("host", "example.org"), ("content-length", "1000")];
    assert_eq!(host.send("POST /mcp HTTP/1.1", &announced, "").await.whole().await.status, 403);
    let own = [("origin", "http://localhost:6274"), ("host", "127.0.0.1:1")];
    let heard = host.send("GET /healthz HTTP/1.1", &own, "").await.whole().await;
    assert_eq!((heard.status, heard.body.as_str()), (200, "well"));
    assert!(host.log().is_empty());
}

#[tokio::test]
async fn a_token_is_asked_for_where_there_are_some() {
    let one = PrincipalId::new("one");
    let access = Access::loopback().token(one, "secret-1").unwrap();
    let access = access.token(PrincipalId::new("two"), "secret-2").unwrap();
    let host = Host::start(access, Limits::default()).await;
    let body = call("1", "initialize", "{}");
    for (headers, challenge) in [
        (&[][..], "Bearer"),
        (&[("authorization", "Bearer secret-3")], "Bearer error=\"invalid_token\""),
        (&[("authorization", "Basic secret-1")], "Bearer"),
    ] {
        let heard = host.post(headers, &body).await;
        assert_eq!((heard.status, heard.header("www-authenticate")), (401, Some(challenge)));
        assert_eq!(host.send("GET /metrics HTTP/1.1", headers, "").await.whole().await.status, 401);
    }
    assert_eq!(host.send("GET /healthz HTTP/1.1", &[], "").await.whole().await.status, 200);
    let first = ("authorization", "Bearer secret-1");
    let second = ("authorization", "bearer secret-2");
    assert_eq!(host.send("GET /metrics HTTP/1.1", &[first], "").await.whole().await.body, "42");

    // A session is its principal's: to others it does not exist.
    let id = host.initialize_with(&[first]).await;
    assert_eq!(host.session().principal().unwrap().as_str(), "one");
    let named = ("mcp-session-id", id.as_str());
    assert_eq!(host.post(&[first, named], &call("1", "echo", "{}")).await.status, 200);
    assert_eq!(host.post(&[second, named], &call("1", "echo", "{}")).await.status, 404);
    let end = host.send("DELETE /mcp HTTP/1.1", &[second, named], "").await.whole().await;
    assert_eq!(end.status, 404);

    let asked = [second, VERSION, ("mcp-method", "echo")];
    assert_eq!(host.post(&asked, &modern("1", "echo", "")).await.status, 200);
    assert_eq!(host.session().principal().unwrap().as_str(), "two");
    assert_eq!(host.session().carrier(), Carrier::HttpStateless);
}

#[tokio::test]
async fn what_is_no_request_of_the_protocol_is_told_by_its_status() {
    let host =
        Host::start(Access::loopback(), Limits { message_bytes: 300, ..Limits::default() }).await;
    let send = async |line: &str, headers: &[(&str, &str)], body: &str| {
        let heard = host.send(line, headers, body).await.whole().await;
        (heard.status, heard.error().0)
    };
    let ping = call("1", "ping", "{}");
    let post = "POST /mcp HTTP/1.1";
    assert_eq!(send("PUT /mcp HTTP/1.1", &[BOTH, JSON], &ping).await, (405, -32600));
    assert_eq!(send("GET /other HTTP/1.1", &[], "").await.0, 404);
    assert_eq!(send(post, &[BOTH], &ping).await, (415, -32600));
    assert_eq!(send(post, &[BOTH, ("content-type", "text/plain")], &ping).await, (415, -32600));
    assert_eq!(send(post, &[("accept", "application/json"), JSON], &ping).await, (406, -32600));
    assert_eq!(send(post, &[("accept", "text/event-stream"), JSON], &ping).await, (406, -32600));
    assert_eq!(send(post, &[("accept", "*/*"), JSON], &ping).await, (400, -32600), "no session");
    assert_eq!(send(post, &[BOTH, JSON], "{").await, (400, -32700));
    assert_eq!(send(post, &[BOTH, JSON], "").await, (400, -32700));
    assert_eq!(send(post, &[BOTH, JSON], "7").await, (400, -32600));
    assert_eq!(send(post, &[BOTH, JSON], "[]").await, (400, -32600));
    assert_eq!(send("POST /mcp/ HTTP/1.1", &[BOTH, JSON], "[]").await, (400, -32600));
    let long = call("1", "ping", &format!("\"{}\"", "x".repeat(300)));
    assert_eq!(send(post, &[BOTH, JSON], &long).await, (413, -32600));
    let chunked = format!("{:x}\r\n{long}\r\n0\r\n\r\n", long.len());
    let endless = [BOTH, JSON, ("transfer-encoding", "chunked"), ("content-length", "")];
    let mut stream = tokio::net::TcpStream::connect(&host.address).await.unwrap();
    let head: String =
        endless[..3].iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!("{post}\r\nhost: localhost\r\n{head}\r\n{chunked}");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut heard = vec![0; 12];
    stream.read_exact(&mut heard).await.unwrap();
    assert_eq!(heard, b"HTTP/1.1 413", "without a length in the head");
    assert!(host.log().is_empty());
}

#[tokio::test]
async fn heads_and_bodies_that_are_too_long_or_never_come_cost_their_connection_only() {
    let limits = Limits {
        head: Duration::from_millis(300),
        body: Duration::from_millis(300),
        head_bytes: 16 * 1024,
        ..Limits::default()
    };
    let host = Host::start(Access::loopback(), limits).await;
    let long = "x".repeat(20_000);
    let heard = host.send("GET /healthz HTTP/1.1", &[("x-long", &long)], "").await.whole().await;
    assert_eq!(heard.status, 431);
    let never = [BOTH, JSON, ("content-length", "100")];
    let heard = host.send("POST /mcp HTTP/1.1", &never, "{").await.whole().await;
    assert_eq!(heard.status, 408);
    let mut stream = tokio::net::TcpStream::connect(&host.address).await.unwrap();
    stream.write_all(b"POST /mcp HTT").await.unwrap();
    let mut rest = String::new();
    let ended = tokio::time::timeout(Duration::from_secs(5), stream.read_to_string(&mut rest));
    ended.await.unwrap().unwrap();
    assert_eq!(rest, "", "closed without a word");
    assert_eq!(host.send("GET /healthz HTTP/1.1", &[], "").await.whole().await.status, 200);
}

// --- Handshake era -----------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_session_has_an_id_that_nobody_guesses_and_everything_of_it_arrives() {
    let host = local().await;
    let heard = host.post(&[], &call("\"\\u0061\"", "initialize", r#"{"b":1e999,  "a":1}"#)).await;
    assert_eq!(heard.status, 200);
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(heard.body, r#"{"jsonrpc":"2.0","id":"\u0061","result":{"b":1e999,  "a":1}}"#);
    let first = heard.header("mcp-session-id").unwrap().to_owned();
    let second = host.initialize().await;
    assert_ne!(first, second);
    assert!(first.len() == 32 && first.bytes().all(|byte| byte.is_ascii_graphic()));

    let named = [("mcp-session-id", first.as_str()), ("mcp-protocol-version", "2025-06-18")];
    let heard = host.post(&named, &call("1.0", "echo", "[1]")).await;
    assert_eq!(heard.body, r#"{"jsonrpc":"2.0","id":1.0,"result":[1]}"#);
    assert_eq!(heard.header("mcp-session-id"), None, "only its beginning names it");
    let one = host.session();
    assert_eq!(one.carrier(), Carrier::HttpSession);
    for body in
        [r#"{"jsonrpc":"2.0","method":"noted"}"#, r#"{"jsonrpc":"2.0","id":"ours","result":7}"#]
    {
        let heard = host.post(&named, body).await;
        assert_eq!((heard.status, heard.body.as_str()), (202, ""));
    }
    host.post(&[("mcp-session-id", &second)], &call("1", "echo", "{}")).await;
    assert_ne!(host.session(), one);
    assert_eq!(
        host.log(),
        ["initialize", "initialize", "echo", "noted", "answer \"ours\"", "echo"]
    );
}

#[tokio::test]
async fn s19_an_ended_or_unknown_session_is_404_and_none_at_all_400() {
    let host = local().await;
    let id = host.initialize().await;
    let named = ("mcp-session-id", id.as_str());
    let notice = r#"{"jsonrpc":"2.0","method":"noted"}"#;
    let echo = call("5", "echo", "{}");
    for (headers, status) in [(&[][..], 400), (&[("mcp-session-id", "nobody's")], 404)] {
        assert_eq!(host.post(headers, notice).await.status, status);
        let heard = host.post(headers, &echo).await;
        assert_eq!((heard.status, heard.error()), (status, (-32600, "5".to_owned())));
        for line in ["GET /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1"] {
            assert_eq!(host.send(line, headers, "").await.whole().await.status, status, "{line}");
        }
    }
    let two = host.post(&[named, ("mcp-session-id", "another")], &echo).await;
    assert_eq!(two.status, 400, "two ids that differ");
    let heard = host.send("DELETE /mcp HTTP/1.1", &[named], "").await.whole().await;
    assert_eq!(heard.status, 204);
    host.saw("ended ByHost").await;
    assert_eq!(host.post(&[named], &echo).await.status, 404);
    assert_eq!(host.send("DELETE /mcp HTTP/1.1", &[named], "").await.whole().await.status, 404);
    assert_eq!(host.log(), ["initialize", "ended ByHost"]);
    assert_eq!(host.service.sessions(), 0);
}

#[tokio::test]
async fn a_beginning_that_is_refused_or_given_up_leaves_no_session() {
    let host = local().await;
    let heard = host.post(&[], &call("1", "initialize", r#"{"code":-32602}"#)).await;
    assert_eq!((heard.status, heard.header("mcp-session-id")), (200, None));
    assert_eq!(heard.error(), (-32602, "1".to_owned()));
    host.saw("ended NotBegun").await;
    assert_eq!(host.service.sessions(), 0);
    assert!(host.session().is_over());
}

#[tokio::test]
async fn a_revision_that_nobody_knows_is_refused() {
    let host = local().await;
    let id = host.initialize().await;
    let unknown = [("mcp-session-id", id.as_str()), ("mcp-protocol-version", "2036-01-01")];
    let heard = host.post(&unknown, &call("3", "echo", "{}")).await;
    assert_eq!((heard.status, heard.error()), (400, (-32022, "3".to_owned())));
    let heard = host.post(&unknown, r#"{"jsonrpc":"2.0","method":"noted"}"#).await;
    assert_eq!(heard.status, 400);
    assert_eq!(host.send("GET /mcp HTTP/1.1", &unknown, "").await.whole().await.status, 400);
    assert_eq!(host.log(), ["initialize"]);
}

#[tokio::test]
async fn errors_of_the_handshake_era_are_answers_like_others() {
    let host = local().await;
    let id = host.initialize().await;
    for code in [-32601, -32020, -32600] {
        let body = call("1", "refuse", &format!(r#"{{"code":{code}}}"#));
        let heard = host.post(&[("mcp-session-id", &id)], &body).await;
        assert_eq!((heard.status, heard.error().0), (200, code));
    }
    let dropped = host.post(&[("mcp-session-id", &id)], &call("1", "drop", "{}")).await;
    assert_eq!((dropped.status, dropped.error()), (200, (-32603, "1".to_owned())));
}

#[tokio::test]
async fn arrays_of_2025_03_26_are_taken_and_answered_on_one_stream() {
    let host = local().await;
    let id = host.initialize().await;
    let named = ("mcp-session-id", id.as_str());
    let notice = r#"{"jsonrpc":"2.0","method":"noted"}"#;
    let array = format!("[{},{notice},{}]", call("1", "tell", "{}"), call("2", "drop", "{}"));
    let heard = host.post(&[named, ("mcp-protocol-version", "2025-03-26")], &array).await;
    assert_eq!(heard.header("content-type"), Some("text/event-stream"));
    let mut messages: Vec<&str> = heard
        .body
        .split_terminator("\n\n")
        .map(|event| &event["event: message\ndata: ".len()..])
        .collect();
    messages.sort_unstable();
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert_eq!(messages[0], r#"{"jsonrpc":"2.0", "method":"told"}"#);
    assert_eq!(messages[1], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert!(messages[2].starts_with(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603"#));
    let heard = host.post(&[named], &format!("[{notice},{notice}]")).await;
    assert_eq!((heard.status, heard.body.as_str()), (202, ""));
    let later = host.post(&[named, ("mcp-protocol-version", "2025-06-18")], &array).await;
    assert_eq!((later.status, later.error().0), (400, -32600));
    for bad in
        ["[7]", "[", &format!("[{}]", call("1", "initialize", "{}")), &format!("[{notice},7]")]
    {
        assert_eq!(host.post(&[named], bad).await.status, 400, "{bad}");
    }
    assert_eq!(host.log().iter().filter(|entry| *entry == "noted").count(), 3);
}

#[tokio::test]
async fn what_is_said_before_the_answer_makes_a_stream_that_nobody_buffers() {
    let host = local().await;
    let id = host.initialize().await;
    let heard = host.post(&[("mcp-session-id", &id)], &call("1", "tell", "{\n}")).await;
    assert_eq!(heard.status, 200);
    assert_eq!(heard.header("content-type"), Some("text/event-stream"));
    assert_eq!(heard.header("x-accel-buffering"), Some("no"));
    assert_eq!(heard.header("cache-control"), Some("no-cache"));
    assert_eq!(
        heard.body,
        "event: message\ndata: {\"jsonrpc\":\"2.0\", \"method\":\"told\"}\n\n\
         event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{ }}\n\n"
    );
    let withheld = host.post(&[("mcp-session-id", &id)], &call("1", "withhold", "{}")).await;
    assert_eq!((withheld.status, withheld.body.as_str()), (200, ""));
    assert_eq!(withheld.header("content-type"), Some("text/event-stream"));
}

#[tokio::test]
async fn a_stream_that_has_nothing_to_say_says_that_it_lives() {
    let limits = Limits { silence: Duration::from_millis(50), ..Limits::default() };
    let host = Host::start(Access::loopback(), limits).await;
    let id = host.initialize().await;
    let mut stream = host.open(&[("mcp-session-id", &id)], &call("1", "wait", "{}")).await;
    assert_eq!(stream.head().await.header("content-type"), Some("text/event-stream"));
    assert_eq!((stream.chunk().await, stream.chunk().await), (":\n\n".into(), ":\n\n".into()));
    host.go.notify_one();
    assert_eq!(stream.event().await, r#"{"jsonrpc":"2.0","id":1,"result":true}"#);
    assert_eq!(stream.event().await, "");
}

#[tokio::test]
async fn s22_a_host_of_the_handshake_era_that_leaves_its_stream_cancels_nothing() {
    let host = local().await;
    let id = host.initialize().await;
    for method in ["wait", "tell and wait"] {
        let mut stream = host.open(&[("mcp-session-id", &id)], &call("1", method, "{}")).await;
        host.saw(method).await;
        if method != "wait" {
            assert_eq!(stream.head().await.status, 200);
            stream.event().await;
        }
        drop(stream);
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!host.log().contains(&"abandoned".to_owned()));
    }
    host.go.notify_waiters();
    host.saw("answered nobody").await;
    assert_eq!(host.post(&[("mcp-session-id", &id)], &call("2", "echo", "{}")).await.status, 200);
    // The end of the session makes answers useless, and who would give them hears it.
    let _stream = host.open(&[("mcp-session-id", &id)], &call("3", "wait", "{}")).await;
    while host.session().in_flight() == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    host.send("DELETE /mcp HTTP/1.1", &[("mcp-session-id", &id)], "").await.whole().await;
    host.saw("abandoned").await;
}

// --- The session's own stream ------------------------------------------------------------------------------------

async fn listen(host: &Host, id: &str) -> host::Stream {
    let headers = [("mcp-session-id", id), ("accept", "text/event-stream")];
    let mut stream = host.send("GET /mcp HTTP/1.1", &headers, "").await;
    let head = stream.head().await;
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    assert_eq!(stream.chunk().await, ":\n\n", "it says that it is open");
    stream
}

#[tokio::test]
async fn messages_of_no_request_are_kept_until_the_stream_is_opened() {
    let host = Host::start(Access::loopback(), Limits { kept: 2, ..Limits::default() }).await;
    let id = host.initialize().await;
    let session = host.session();
    session.send("{\"n\":\r\n1}".to_owned()).await.unwrap();
    session.send("2".to_owned()).await.unwrap();
    assert_eq!(session.send("3".to_owned()).await, Err(Unsent::Full));
    let refused = [("mcp-session-id", id.as_str()), ("accept", "application/json")];
    assert_eq!(host.send("GET /mcp HTTP/1.1", &refused, "").await.whole().await.status, 406);
    let mut stream = listen(&host, &id).await;
    assert_eq!((stream.event().await, stream.event().await), ("{\"n\":  1}".into(), "2".into()));
    session.send("4".to_owned()).await.unwrap();
    assert_eq!(stream.event().await, "4");
    session.send("5".to_owned()).await.unwrap();
    session.end();
    assert_eq!((stream.event().await, stream.event().await), ("5".into(), String::new()));
    assert_eq!(session.send("6".to_owned()).await, Err(Unsent::Ended));
    assert_eq!(host.post(&[("mcp-session-id", &id)], &call("1", "echo", "{}")).await.status, 404);
}

#[tokio::test]
async fn a_stream_that_is_opened_again_ends_the_first_and_no_message_goes_out_twice() {
    let host = local().await;
    let id = host.initialize().await;
    let (mut first, mut second) = (listen(&host, &id).await, listen(&host, &id).await);
    host.session().send("1".to_owned()).await.unwrap();
    assert_eq!(first.event().await, "");
    assert_eq!(second.event().await, "1");
}

// --- Stateless era -----------------------------------------------------------------------------------------------

#[tokio::test]
async fn s20_a_stateless_request_ignores_session_ids_and_gets_none() {
    let host = local().await;
    for given in ["nobody's", ""] {
        let headers = [VERSION, ("mcp-method", "echo"), ("mcp-session-id", given)];
        let heard = host.post(&headers, &modern("1", "echo", "\"b\":1e999")).await;
        assert_eq!(heard.status, 200);
        assert_eq!(heard.header("mcp-session-id"), None);
        assert_eq!(
            heard.body,
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"b":1e999,{META}}}}}"#)
        );
    }
    assert_eq!(host.service.sessions(), 0);
    assert_eq!(host.session().send("x".to_owned()).await, Err(Unsent::NoStream));
    for line in ["GET /mcp HTTP/1.1", "DELETE /mcp HTTP/1.1"] {
        assert_eq!(host.send(line, &[VERSION], "").await.whole().await.status, 405, "{line}");
    }
}

#[tokio::test]
async fn s9_s10_s11_what_the_era_forbids_is_refused_by_code_and_status() {
    let host = local().await;
    let capable =
        META.split_once(r#","io.modelcontextprotocol/clientC"#).unwrap().0.to_owned() + "}";
    let ask = async |method: &str, params: &str, version: Option<&str>| {
        let mut headers = vec![("mcp-method", method)];
        headers.extend(version.map(|version| ("mcp-protocol-version", version)));
        let heard = host.post(&headers, &call("4", method, &format!("{{{params}}}"))).await;
        let (code, id) = heard.error();
        assert_eq!(id, "4", "{heard:?}");
        (heard.status, code)
    };
    let now = Some("2026-07-28");
    assert_eq!(ask("tools/list", &capable, now).await, (400, -32602));
    assert_eq!(ask("tools/list", "", now).await, (400, -32602), "only its header is of this era");
    let later = META.replace("2026-07-28", "2036-01-01");
    assert_eq!(ask("tools/list", &later, Some("2036-01-01")).await, (400, -32022));
    let older = META.replace("2026-07-28", "2025-06-18");
    assert_eq!(ask("tools/list", &older, Some("2025-06-18")).await, (400, -32022));
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "tasks/list"] {
        assert_eq!(ask(method, META, now).await, (404, -32601), "{method}");
    }
    assert!(host.log().is_empty());
}

#[tokio::test]
async fn s12_headers_that_are_missing_or_say_something_else_are_a_mismatch() {
    let host = local().await;
    let (method, name) = (("mcp-method", "tools/call"), ("mcp-name", "one"));
    let body = modern("9", "tools/call", r#""name":"one""#);
    let old = ("mcp-protocol-version", "2025-11-25");
    for headers in [
        &[method, name][..],
        &[old, method, name],
        &[VERSION, name],
        &[VERSION, ("mcp-method", "Tools/call"), name],
        &[VERSION, ("mcp-method", "=?base64?dG9vbHMvY2FsbA==?="), name],
        &[VERSION, method],
        &[VERSION, method, ("mcp-name", "two")],
        &[VERSION, method, ("mcp-name", "One")],
        &[VERSION, method, ("mcp-name", "=?base64?b25l!?=")],
        &[VERSION, method, name, ("mcp-name", "two")],
    ] {
        let heard = host.post(headers, &body).await;
        assert_eq!((heard.status, heard.error()), (400, (-32020, "9".to_owned())), "{headers:?}");
    }
    // What the body has not got can't be repeated either.
    let nameless = host.post(&[VERSION, method, name], &modern("9", "tools/call", "")).await;
    assert_eq!((nameless.status, nameless.error().0), (400, -32020));
    assert!(host.log().is_empty(), "nothing went further");
}

#[tokio::test]
async fn s13_names_in_the_sentinel_or_with_outer_blanks_are_what_they_say() {
    let host = local().await;
    for (method, params, value) in [
        ("tools/call", r#""name":"one""#, "  one  "),
        ("tools/call", r#""name":"one""#, "=?base64?b25l?="),
        ("tools/call", r#""name":"\u00e9""#, "=?base64?w6k=?="),
        ("tools/call", r#""name":" one""#, "=?base64?IG9uZQ==?="),
        ("tools/call", r#""name":"=?base64?one""#, "=?base64?one"),
        ("tools/call", r#""name":"=?BASE64?b25l?=""#, "=?BASE64?b25l?="),
        ("resources/read", r#""uri":"file:///one","name":"two""#, "file:///one"),
        ("tasks/get", r#""taskId":"7""#, "7"),
        ("server/discover", r#""name":"one""#, "has no name"),
    ] {
        let headers = [VERSION, ("mcp-method", method), ("mcp-name", value)];
        let heard = host.post(&headers, &modern("1", method, params)).await;
        assert_eq!(heard.status, 200, "{params} {value} {heard:?}");
    }
    let headers = [VERSION, ("mcp-method", "echo"), ("mcp-param-Region", "=?base64?w6k=?=")];
    assert_eq!(host.post(&headers, &modern("1", "echo", "")).await.status, 200);
    host.saw("region=é").await;
    // What no schema names is nobody's concern, readable or not.
    for odd in [
        &[("mcp-param-odd", "=?base64?/w==?=")][..],
        &[("mcp-param-odd", "1"), ("mcp-param-odd", "2")],
    ] {
        let headers = [&[VERSION, ("mcp-method", "echo")], odd].concat();
        assert_eq!(host.post(&headers, &modern("1", "echo", "")).await.status, 200);
        host.saw("odd=?").await;
        host.log.lock().unwrap().clear();
    }
}

#[tokio::test]
async fn errors_of_the_stateless_era_have_their_status_while_nothing_else_was_said() {
    let host = local().await;
    let headers = [VERSION, ("mcp-method", "refuse")];
    for (code, status) in [
        (-32601, 404),
        (-32020, 400),
        (-32021, 400),
        (-32022, 400),
        (-32602, 200),
        (-32603, 200),
        (-32000, 200),
    ] {
        let body = modern("1", "refuse", &format!("\"code\":{code}"));
        let heard = host.post(&headers, &body).await;
        assert_eq!((heard.status, heard.error().0), (status, code));
    }
    let told = host.post(&[VERSION, ("mcp-method", "tell")], &modern("1", "tell", "")).await;
    assert_eq!((told.status, told.header("x-accel-buffering")), (200, Some("no")));
}

#[tokio::test]
async fn the_stateless_era_takes_no_answers_and_no_notification_reaches_somebody_else_s_request() {
    let host = local().await;
    let heard = host.post(&[VERSION], r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
    assert_eq!((heard.status, heard.error().0), (400, -32600));
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    assert_eq!(host.post(&[VERSION], cancel).await.status, 202);
    let array = format!("[{}]", modern("1", "echo", ""));
    assert_eq!(host.post(&[VERSION], &array).await.status, 400);
    assert!(host.log().is_empty());
}

#[tokio::test]
async fn s22_a_host_of_the_stateless_era_that_leaves_cancels_its_request() {
    let host = local().await;
    for method in ["wait", "tell and wait"] {
        let headers = [VERSION, ("mcp-method", method)];
        let mut stream = host.open(&headers, &modern("1", method, "")).await;
        host.saw(method).await;
        if method != "wait" {
            assert_eq!(stream.head().await.status, 200);
            stream.event().await;
        }
        drop(stream);
        host.saw("abandoned").await;
        host.log.lock().unwrap().clear();
        assert_eq!(host.session().in_flight(), 0);
    }
}

// --- What happens where something is full ------------------------------------------------------------------------

#[tokio::test]
async fn a_host_that_does_not_read_stops_its_own_request_only() {
    let host = local().await;
    let headers = [VERSION, ("mcp-method", "flood")];
    let mut slow = host.open(&headers, &modern("1", "flood", "")).await;
    let sent = || host.log().iter().filter(|entry| *entry == "sent").count();
    let mut before = usize::MAX;
    while before != sent() || sent() == 0 {
        before = sent();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(before < 200, "20 MB fit into no buffer on the way");
    let other = host.post(&[VERSION, ("mcp-method", "echo")], &modern("2", "echo", "")).await;
    assert_eq!(other.status, 200);
    slow.head().await;
    for _ in 0..200 {
        assert_eq!(slow.event().await.len(), 100_000 + r#"{"jsonrpc":"2.0","method":""}"#.len());
    }
    assert!(slow.event().await.contains("-32603"), "it was dropped in the end");
}

#[tokio::test]
async fn a_host_that_never_reads_is_taken_for_gone() {
    let limits = Limits { unread: Duration::from_millis(300), ..Limits::default() };
    let host = Host::start(Access::loopback(), limits).await;
    let headers = [VERSION, ("mcp-method", "flood")];
    let stream = host.open(&headers, &modern("1", "flood", "")).await;
    host.saw("gone").await;
    assert_eq!(host.session().in_flight(), 0);
    drop(stream);
}

#[tokio::test]
async fn requests_beyond_the_limit_of_a_session_wait_and_are_refused_in_the_end() {
    let limits = Limits { in_flight: 1, place: Duration::from_millis(100), ..Limits::default() };
    let host = Host::start(Access::loopback(), limits).await;
    let (one, two) = (host.initialize().await, host.initialize().await);
    let mut open = host.open(&[("mcp-session-id", &one)], &call("1", "wait", "{}")).await;
    host.saw("wait").await;
    let refused = host.post(&[("mcp-session-id", &one)], &call("2", "echo", "{}")).await;
    assert_eq!((refused.status, refused.error()), (200, (-32603, "2".to_owned())));
    assert_eq!(host.post(&[("mcp-session-id", &two)], &call("2", "echo", "{}")).await.error().0, 0);
    let named = [("mcp-session-id", one.as_str())];
    let echo = call("3", "echo", "{}");
    let (third, ()) = tokio::join!(host.post(&named, &echo), async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        host.go.notify_one();
    });
    assert_eq!(third.error().0, 0, "it waited for its place");
    assert_eq!(open.head().await.status, 200);
    // A whole array finds its places one after the other.
    let many: Vec<String> = (0..50).map(|id| call(&id.to_string(), "echo", "{}")).collect();
    let heard = host.post(&named, &format!("[{}]", many.join(","))).await;
    assert_eq!(heard.body.matches(r#""result":{}"#).count(), 50);
}

#[tokio::test]
async fn a_new_session_takes_the_place_of_the_one_that_was_idle_longest() {
    let host = Host::start(Access::loopback(), Limits { sessions: 2, ..Limits::default() }).await;
    let (first, second) = (host.initialize().await, host.initialize().await);
    host.post(&[("mcp-session-id", &first)], &call("1", "echo", "{}")).await;
    let third = host.initialize().await;
    host.saw("ended Displaced").await;
    let status = async |id: &str| {
        host.post(&[("mcp-session-id", id)], &call("1", "echo", "{}")).await.status
    };
    assert_eq!(
        (status(&first).await, status(&second).await, status(&third).await),
        (200, 404, 200)
    );
    let (_one, _three) = (listen(&host, &first).await, listen(&host, &third).await);
    let refused = host.post(&[], &call("1", "initialize", "{}")).await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("5")));
    assert_eq!(host.service.sessions(), 2);
}

#[tokio::test]
async fn an_idle_session_is_ended_and_a_busy_one_is_not() {
    let limits = Limits { idle: Duration::from_millis(200), ..Limits::default() };
    let host = Host::start(Access::loopback(), limits).await;
    let (idle, listening, waiting) =
        (host.initialize().await, host.initialize().await, host.initialize().await);
    let stream = listen(&host, &listening).await;
    let mut open = host.open(&[("mcp-session-id", &waiting)], &call("1", "wait", "{}")).await;
    host.saw("ended Idle").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let status = async |id: &str| {
        host.post(&[("mcp-session-id", id)], &call("1", "echo", "{}")).await.status
    };
    assert_eq!(status(&idle).await, 404);
    assert_eq!((status(&listening).await, status(&waiting).await), (200, 200));
    host.go.notify_one();
    assert_eq!(open.head().await.status, 200);
    // A host that vanished without a word leaves nothing behind.
    drop((stream, open));
    let gone = async {
        while host.service.sessions() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), gone).await.unwrap();
}

#[tokio::test]
async fn connections_beyond_the_limit_wait_to_be_accepted() {
    let host =
        Host::start(Access::loopback(), Limits { connections: 1, ..Limits::default() }).await;
    let first = host.send("GET /healthz HTTP/1.1", &[], "").await;
    let second = host.send("GET /healthz HTTP/1.1", &[], "").await;
    let mut second = tokio::spawn(second.whole());
    assert!(tokio::time::timeout(Duration::from_millis(200), &mut second).await.is_err());
    drop(first);
    assert_eq!(second.await.unwrap().status, 200);
}

// --- The end -----------------------------------------------------------------------------------------------------

#[tokio::test]
async fn the_end_lets_what_is_under_way_be_answered_and_takes_nothing_new() {
    let host = local().await;
    let id = host.initialize().await;
    let named = [("mcp-session-id", id.as_str())];
    let open = host.open(&named, &call("1", "wait", "{}")).await;
    let mut own = listen(&host, &id).await;
    host.saw("wait").await;
    host.session().send("last".to_owned()).await.unwrap();
    host.service.close();
    assert_eq!((own.event().await, own.event().await), ("last".into(), String::new()));
    assert_eq!(host.session().send("late".to_owned()).await, Err(Unsent::Ended));
    host.saw("nothing more").await;
    assert_eq!(host.post(&[], &call("1", "initialize", "{}")).await.status, 503);
    host.stop.notify_one();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(tokio::net::TcpStream::connect(&host.address).await.is_err(), "nobody listens");
    assert!(!host.listening.is_finished());
    host.go.notify_one();
    assert_eq!(open.whole().await.body, r#"{"jsonrpc":"2.0","id":1,"result":true}"#);
    assert_eq!(host.listening.await.unwrap(), 0, "nothing was cut off");
}

#[tokio::test]
async fn what_does_not_end_in_time_is_cut_off() {
    let host =
        Host::start_with(Access::loopback(), Limits::default(), Duration::from_millis(200)).await;
    let mut open = host.open(&[VERSION, ("mcp-method", "wait")], &modern("1", "wait", "")).await;
    host.saw("wait").await;
    host.stop.notify_one();
    assert_eq!(host.listening.await.unwrap(), 1);
    let mut rest = String::new();
    open.0.read_to_string(&mut rest).await.unwrap();
    assert_eq!(rest, "");
}

// --- Fidelity ----------------------------------------------------------------------------------------------------

/// One service and one session for all cases.
fn lasting() -> &'static (tokio::runtime::Runtime, Host, String) {
    static LASTING: OnceLock<(tokio::runtime::Runtime, Host, String)> = OnceLock::new();
    LASTING.get_or_init(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let host = runtime.block_on(local());
        let id = runtime.block_on(host.initialize());
        (runtime, host, id)
    })
}

proptest! {
    #[test]
    fn what_a_host_asks_and_hears_passes_byte_for_byte(id in prop_oneof![json::string(), json::number()], params in json::value()) {
        let (runtime, host, session) = lasting();
        let named = [("mcp-session-id", session.as_str())];
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{params}}}"#);
        let heard = runtime.block_on(host.post(&named, &call(&id, "echo", &params)));
        prop_assert_eq!(&heard.body, &answer);
        let heard = runtime.block_on(host.post(&named, &call(&id, "tell", &params)));
        prop_assert!(heard.body.ends_with(&format!("event: message\ndata: {answer}\n\n")), "{}", heard.body);
    }
}
