//! Streamable HTTP: sessions of the handshake revisions, statelessness of 2026-07-28, and misbehaviour in both.

mod support;

use std::fs;
use std::time::{Duration, Instant};

use support::http::{ACCEPT, Endpoint, JSON};
use support::{CALL, INITIALIZE, INITIALIZED, LIST, NEVER, PING, eventually, json, modern};

type Header<'a> = (&'a str, &'a str);

const SESSION: &str = "mcp-session-id";

/// The standard headers of a modern request.
fn standard<'a>(method: &'a str, name: Option<&'a str>) -> Vec<Header<'a>> {
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    headers.extend(name.map(|name| ("mcp-name", name)));
    headers
}

fn modern_call() -> String {
    modern("c", "tools/call", r#""name":"echo","arguments":{"a":1e400}"#)
}

#[test]
fn a_legacy_session_from_start_to_end() {
    let endpoint = Endpoint::start(&["--name", "remote"]);
    let session = endpoint.session();
    let here = [(SESSION, session.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let response = endpoint.post(&here, CALL);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert!(response.text().contains(r#""text":"remote:echo {\"text\":\"hi\"}""#));
    assert_eq!(endpoint.send("DELETE", &here, "").status, 204);
    assert_eq!(endpoint.post(&here, LIST).status, 404);
}

#[test]
fn what_is_not_in_order_is_refused() {
    let endpoint = Endpoint::start(&[]);
    let session = endpoint.session();
    let here = (SESSION, session.as_str());
    let cases: [(&[Header], &str, u16); 9] = [
        (&[ACCEPT, JSON], LIST, 400),
        (&[ACCEPT, JSON], INITIALIZED, 400),
        (&[ACCEPT, JSON, (SESSION, "another")], LIST, 404),
        (&[ACCEPT, JSON, here, ("mcp-protocol-version", "1999-01-01")], LIST, 400),
        (&[ACCEPT, JSON, here, ("origin", "https://example.com")], LIST, 403),
        (&[ACCEPT, JSON, here, ("origin", "http://localhost:3000")], LIST, 200),
        (&[JSON, here, ("accept", "application/json")], LIST, 406),
        (&[ACCEPT, here, ("content-type", "text/plain")], LIST, 415),
        (&[ACCEPT, JSON, here], "not json", 400),
    ];
    for (headers, body, status) in cases {
        assert_eq!(endpoint.send("POST", headers, body).status, status, "{headers:?} {body}");
    }
    assert_eq!(endpoint.send("GET", &[], "").status, 400);
}

#[test]
fn an_answer_is_json_or_events() {
    let cases: [(&[&str], bool); 4] = [
        (&[], false),
        (&["--reply", "sse"], true),
        (&["--log-first", "1"], true),
        (&["--reply", "json", "--log-first", "1"], false),
    ];
    for (flags, events) in cases {
        let endpoint = Endpoint::start(flags);
        let response = endpoint.post(&[], INITIALIZE);
        let kind = if events { "text/event-stream" } else { "application/json" };
        assert_eq!(response.header("content-type"), Some(kind), "{flags:?}");
        let text = response.text();
        assert_eq!(text.contains("event: message\ndata: {"), events, "{flags:?}");
        assert!(text.contains("protocolVersion"), "{flags:?}");
    }
}

#[test]
fn junk_is_comments_and_unknown_events() {
    let endpoint = Endpoint::start(&["--junk", "1"]);
    let mut response = endpoint.post(&[], INITIALIZE);
    let event = response.event().expect("junk");
    assert!(event.starts_with(": Working directory") && event.contains("event: junk"), "{event}");
    response.event().expect("an empty comment");
    assert!(response.message().contains("protocolVersion"));
    assert_eq!(response.event(), None);
}

#[test]
fn announcements_come_on_the_stream_of_the_session() {
    let endpoint = Endpoint::start(&["--list-changed", "200"]);
    let session = endpoint.session();
    let mut stream = endpoint.send("GET", &[(SESSION, &session)], "");
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    for _ in 0..200 {
        assert!(stream.message().contains("notifications/tools/list_changed"));
    }
    assert!(stream.is_silent());
}

#[test]
fn it_asks_on_the_stream_of_the_call() {
    let endpoint = Endpoint::start(&["--asks", "roots"]);
    let session = endpoint.session();
    let here = [(SESSION, session.as_str())];
    let mut call = endpoint.post(&here, CALL);
    let asked = json(&call.message());
    assert_eq!(asked["method"], "roots/list");
    assert!(call.is_silent());
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"roots":[]}}}}"#, asked["id"]);
    assert_eq!(endpoint.post(&here, &answer).status, 202);
    assert!(call.message().contains("answered"));
}

#[test]
fn a_bare_status_takes_the_place_of_an_answer() {
    let endpoint = Endpoint::start(&["--http-status", "503:list", "--http-status", "401:call"]);
    let session = endpoint.session();
    let here = [(SESSION, session.as_str())];
    for (request, status) in [(LIST, 503), (CALL, 401), (PING, 200)] {
        assert_eq!(endpoint.post(&here, request).status, status, "{request}");
    }
    assert_eq!(Endpoint::start(&["--http-status", "500"]).post(&[], INITIALIZE).status, 500);
}

#[test]
fn a_session_is_forgotten() {
    let endpoint = Endpoint::start(&["--forget-session-after", "2"]);
    let session = endpoint.session();
    let here = [(SESSION, session.as_str())];
    // `initialized` was the first.
    assert_eq!(endpoint.post(&here, LIST).status, 200);
    assert_eq!(endpoint.post(&here, LIST).status, 404);
    assert_eq!(endpoint.post(&here, LIST).status, 404);
    assert_ne!(endpoint.session(), session);
}

#[test]
fn streams_end_before_the_answer() {
    let endpoint = Endpoint::start(&["--reply", "sse", "--drop-stream"]);
    let response = endpoint.post(&[], INITIALIZE);
    assert_eq!((response.status, response.text().as_str()), (200, ""));
}

#[test]
fn get_is_refused() {
    let endpoint = Endpoint::start(&["--no-get"]);
    let session = endpoint.session();
    assert_eq!(endpoint.send("GET", &[(SESSION, &session)], "").status, 405);
}

#[test]
fn a_server_of_the_first_revision() {
    let endpoint = Endpoint::start(&["--first-revision"]);
    assert_eq!(endpoint.post(&[], INITIALIZE).status, 405);
    let mut stream = endpoint.send("GET", &[("accept", "text/event-stream")], "");
    assert_eq!(stream.event().as_deref(), Some("event: endpoint\ndata: /messages\n\n"));
    assert!(stream.is_silent());
}

#[test]
fn it_exits_without_a_response() {
    for (flag, request) in
        [("initialize", INITIALIZE), ("discover", &modern("d", "server/discover", ""))]
    {
        let mut endpoint = Endpoint::start(&["--exit-at", flag]);
        assert!(endpoint.try_post(request).is_none(), "{flag}");
        assert_eq!(endpoint.server.ends().code(), Some(1), "{flag}");
    }
}

#[test]
fn it_exits_after_so_many_answers() {
    for reply in ["json", "sse"] {
        let mut endpoint = Endpoint::start(&["--exit-after", "1", "--reply", reply]);
        assert!(endpoint.post(&[], INITIALIZE).text().contains("protocolVersion"), "{reply}");
        assert_eq!(endpoint.server.ends().code(), Some(1), "{reply}");
    }
}

#[test]
fn it_hangs_and_is_slow() {
    let endpoint = Endpoint::start(&["--never-answer", "list", "--slow", "300:ping"]);
    let session = endpoint.session();
    let here = [(SESSION, session.as_str())];
    let start = Instant::now();
    assert_eq!(endpoint.post(&here, PING).status, 200);
    assert!(start.elapsed() >= Duration::from_millis(300));
    assert!(endpoint.hangs(&here, LIST));
}

#[test]
fn a_client_that_leaves_is_recorded_and_one_that_stays_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record");
    let flags = ["--slow", "2000:call", "--record", file.to_str().expect("utf-8")];
    let endpoint = Endpoint::start(&flags);
    let session = endpoint.session();
    let here = [(SESSION, session.as_str())];
    assert!(endpoint.hangs(&here, CALL));
    let expected = format!("{INITIALIZE}\n{INITIALIZED}\n{CALL}\n{{\"closed\":\"call\"}}\n");
    eventually("the closed stream is recorded", || {
        fs::read_to_string(&file).is_ok_and(|it| it == expected)
    });
}

#[test]
fn modern_requests_need_no_session_and_get_none() {
    let endpoint = Endpoint::start(&["--era", "dual"]);
    let headers = [standard("tools/call", Some("echo")), vec![(SESSION, "left over")]].concat();
    let response = endpoint.post(&headers, &modern_call());
    assert_eq!((response.status, response.header(SESSION)), (200, None));
    let text = response.text();
    assert!(text.contains(r#""structuredContent":{"a":1e400}"#), "{text}");
    assert!(text.contains(r#""resultType":"complete""#), "{text}");
    endpoint.session();
}

#[test]
fn modern_headers_must_say_what_the_body_says() {
    let endpoint = Endpoint::start(&["--era", "modern", "--tools", "echo,schön"]);
    let version = ("mcp-protocol-version", "2026-07-28");
    let method = ("mcp-method", "tools/call");
    let good = modern_call();
    let umlaut = good.replace(r#""echo""#, r#""schön""#);
    let cases: [(&[Header], &str, Option<i64>); 9] = [
        (&[version, method, ("mcp-name", "echo")], &good, None),
        (&[version, method, ("mcp-name", "  echo ")], &good, None),
        (&[version, method, ("mcp-name", "=?base64?ZWNobw==?=")], &good, None),
        (&[version, method, ("mcp-name", "=?base64?c2Now7Zu?=")], &umlaut, None),
        (&[version, method, ("mcp-name", "remote__echo")], &good, Some(-32020)),
        (&[version, method], &good, Some(-32020)),
        (&[version, method, ("mcp-name", "echo"), ("mcp-name", "write")], &good, Some(-32020)),
        (&[version, ("mcp-method", "Tools/Call"), ("mcp-name", "echo")], &good, Some(-32020)),
        (
            &[("mcp-protocol-version", "2025-11-25"), method, ("mcp-name", "echo")],
            &good,
            Some(-32020),
        ),
    ];
    for (headers, body, code) in cases {
        let response = endpoint.post(headers, body);
        assert_eq!(response.status, if code.is_some() { 400 } else { 200 }, "{headers:?}");
        let answer = response.text();
        let found = code.map(|code| answer.contains(&format!(r#""code":{code}"#)));
        assert_ne!(found, Some(false), "{headers:?} {answer}");
        assert!(answer.contains(r#""id":"c""#), "{answer}");
    }
}

#[test]
fn modern_refusals_have_their_status() {
    let endpoint = Endpoint::start(&["--era", "modern"]);
    let list = modern("x", "tools/list", "");
    let unknown_version = list.replace("2026-07-28", "2099-01-01");
    let unknown_tool = modern("x", "tools/call", r#""name":"none""#);
    let ping = modern("x", "ping", "");
    let cases = [
        (standard("tools/list", None), LIST, 400, -32602),
        (standard("tools/list", None), &unknown_version, 400, -32022),
        (standard("ping", None), &ping, 404, -32601),
        (standard("tools/call", Some("none")), &unknown_tool, 200, -32602),
        (vec![], INITIALIZE, 400, -32022),
    ];
    for (headers, body, status, code) in cases {
        let response = endpoint.post(&headers, body);
        assert_eq!(response.status, status, "{body}");
        assert_eq!(json(&response.text())["error"]["code"], code, "{body}");
    }
    for method in ["GET", "DELETE"] {
        assert_eq!(endpoint.send(method, &[], "").status, 405, "{method}");
    }
}

#[test]
fn a_modern_subscription_is_a_stream_of_its_own() {
    let endpoint = Endpoint::start(&["--era", "modern", "--list-changed", "2"]);
    let listen =
        modern("sub", "subscriptions/listen", r#""notifications":{"toolsListChanged":true}"#);
    let mut stream = endpoint.post(&standard("subscriptions/listen", None), &listen);
    assert!(stream.message().contains("notifications/subscriptions/acknowledged"));
    for _ in 0..2 {
        let change = json(&stream.message());
        assert_eq!(change["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "sub");
    }
    assert!(stream.is_silent());
}

#[test]
fn headers_are_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("headers");
    let endpoint =
        Endpoint::start(&["--era", "modern", "--record-headers", file.to_str().expect("utf-8")]);
    endpoint.post(&standard("tools/call", Some("echo")), &modern_call()).text();
    let recorded = json(&fs::read_to_string(&file).expect("recorded"));
    assert_eq!(recorded["mcp-name"], "echo");
    assert_eq!(recorded["mcp-method"], "tools/call");
}

#[test]
fn a_silent_server_and_one_that_exits_on_discover() {
    let discover = modern("d", "server/discover", "");
    let headers = standard("server/discover", None);
    let silent = Endpoint::start(&["--era", "silent-on-discover"]);
    assert!(silent.hangs(&headers, &discover));
    silent.session();
    let mut exiting = Endpoint::start(&["--era", "exits-on-discover"]);
    assert!(exiting.try_post(&discover).is_none());
    assert_eq!(exiting.server.ends().code(), Some(1));
    let legacy = Endpoint::start(&[]);
    assert_eq!(legacy.post(&headers, &discover).status, 400);
}

impl Endpoint {
    fn try_post(&self, body: &str) -> Option<support::http::Response> {
        self.try_send("POST", &[ACCEPT, JSON], body)
    }

    /// Whether a POST gets no response for a while; the client then leaves.
    fn hangs(&self, headers: &[(&str, &str)], body: &str) -> bool {
        self.send_briefly(NEVER, "POST", &[&[ACCEPT, JSON], headers].concat(), body).is_none()
            && self.is_up()
    }
}
