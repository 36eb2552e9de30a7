//! Servers reached by HTTP: what is learnt about them, and what they are sent.
#![allow(clippy::unwrap_used)]

#[path = "../../callsign-wire/tests/support/mod.rs"]
mod support;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use callsign_mcp::{
    CallError, Era, FetchError, Launch, Limits, Memory, Note, Progress, Secret, ServerSpec,
    Session, fetch, fetch_all,
};
use serde_json::value::RawValue;
use support::{Asked, Piece, Server, error, json, result, whole};

const DISCOVERED: &str = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;
const TOOLS: &str = r#"{"resultType":"complete","tools":[
    {"name":"query","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}},
    {"name":"bad","inputSchema":{"type":"object","properties":{"n":{"type":"number","x-mcp-header":"N"}}}}]}"#;

fn spec(key: &str, url: &str) -> ServerSpec {
    let headers = vec![("Authorization".to_owned(), Secret::new("Bearer swordfish"))];
    ServerSpec {
        key: key.parse().unwrap(),
        launch: Launch::Http { url: url.to_owned(), headers },
        secrets: Vec::new(),
    }
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

async fn stateless() -> Server {
    Server::start(|asked| match asked.call().as_str() {
        "server/discover" => json(&result(asked, DISCOVERED)),
        "tools/list" => json(&result(asked, TOOLS)),
        _ => json(&result(asked, r#"{"content":[]}"#)),
    })
    .await
}

#[tokio::test]
async fn failures_of_authorization_are_clear_leave_no_verdict_and_show_no_secret() {
    let server = Server::start(|_| {
        let headers = "www-authenticate: Bearer realm=\"r\"\r\ncontent-type: text/plain\r\n";
        whole("401 Unauthorized", headers, "swordfish is not welcome")
    })
    .await;
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::at(directory.path());
    let spec = spec("s", &server.url());
    let failure = fetch(&spec, &Limits::default(), &memory).await.unwrap_err();
    let FetchError::Http { status: 401, body, challenge, .. } = &failure else {
        panic!("{failure:?}")
    };
    assert_eq!(
        (body.as_str(), challenge.as_deref()),
        ("*** is not welcome", Some("Bearer realm=\"r\""))
    );
    assert!(failure.remedy().contains("credentials"));
    assert!(!format!("{failure:?} {spec:?}").contains("swordfish"));
    assert_eq!(memory.era(&spec, Duration::MAX), None);
    assert_eq!(server.asked().len(), 1, "nothing further was tried");
}

#[tokio::test]
async fn a_remembered_stateless_server_is_not_asked_to_shake_hands_and_keeps_its_verdict() {
    let server = stateless().await;
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::at(directory.path());
    let spec = spec("s", &server.url());
    for _ in 0..2 {
        let fetched = fetch(&spec, &Limits::default(), &memory).await.unwrap();
        assert_eq!((fetched.era, fetched.catalogue.tools().len()), (Era::Stateless, 2));
    }
    assert_eq!(memory.era(&spec, Duration::MAX), Some(Era::Stateless));
    assert!(server.asked().iter().all(|asked| asked.call() != "initialize"));
}

#[tokio::test]
async fn arguments_travel_as_headers_and_a_tool_that_can_not_is_named() {
    let server = stateless().await;
    let spec = spec("s", &server.url());
    let fetched = fetch(&spec, &Limits::default(), &Memory::none()).await.unwrap();
    assert!(matches!(
        &fetched.notes[..], [Note::BadHeaderParameter { tool, .. }] if tool.as_str() == "bad"
    ));
    let session = Session::open(&spec, &Limits::default(), &Memory::none()).await.unwrap();
    let query = "query".parse().unwrap();
    // Two at once with different values: the headers of one never travel with the other.
    let (eu, us) = (raw(r#"{"region":"eu"}"#), raw(r#"{"region":"us"}"#));
    let (first, second) = tokio::join!(session.call(&query, &eu), session.call(&query, &us));
    first.unwrap();
    second.unwrap();
    session.call(&query, &raw(r#"{"region":null}"#)).await.unwrap();
    let calls: Vec<Asked> =
        server.asked().into_iter().filter(|asked| asked.call() == "tools/call").collect();
    assert_eq!(calls.len(), 3);
    for call in &calls {
        let expected = ["eu", "us"].into_iter().find(|region| call.body.contains(region));
        assert_eq!(call.header("mcp-param-region"), expected, "{}", call.body);
        assert_eq!(call.header("mcp-name"), Some("query"));
    }
}

#[tokio::test]
async fn after_a_header_mismatch_the_tools_are_listed_again_and_the_call_is_tried_once_more() {
    let listed = AtomicUsize::new(0);
    let server = Server::start(move |asked| match asked.call().as_str() {
        "server/discover" => json(&result(asked, DISCOVERED)),
        "tools/list" if listed.fetch_add(1, Ordering::Relaxed) == 0 => {
            json(&result(asked, r#"{"tools":[{"name":"query","inputSchema":{"type":"object"}}]}"#))
        }
        "tools/list" => json(&result(asked, TOOLS)),
        _ if asked.header("mcp-param-region").is_some() => json(&result(asked, "\"done\"")),
        _ => whole(
            "400 Bad Request",
            "content-type: application/json\r\n",
            &error(asked, -32020, "null"),
        ),
    })
    .await;
    let session = Session::open(&spec("s", &server.url()), &Limits::default(), &Memory::none())
        .await
        .unwrap();
    let done = session.call(&"query".parse().unwrap(), &raw(r#"{"region":"eu"}"#)).await.unwrap();
    assert_eq!(done.get(), "\"done\"");
    let hopeless = session.call(&"query".parse().unwrap(), &raw("{}")).await.unwrap_err();
    assert!(matches!(hopeless, CallError::Refused(error) if error.code() == Some(-32020)));
    let calls = server.asked().iter().filter(|asked| asked.call() == "tools/call").count();
    assert_eq!(calls, 4, "each is tried twice and no more");
}

#[tokio::test]
async fn only_the_servers_given_are_contacted_and_a_silent_one_delays_nobody() {
    let (good, unused) = (stateless().await, stateless().await);
    let silent = Server::start(|_| vec![Piece::Hang]).await;
    let limits = Limits { start: Duration::from_secs(6), ..Limits::default() };
    let specs = [
        spec("silent", &silent.url()),
        spec("good", &good.url()),
        spec("gone", "http://127.0.0.1:1/"),
    ];
    let told = Mutex::new(Vec::new());
    let outcomes = fetch_all(&specs, &limits, &Memory::none(), &|progress| {
        if let Progress::Ready { server, .. } | Progress::Failed { server } = progress {
            told.lock().unwrap().push(server.to_string());
        }
    })
    .await;
    assert_eq!(told.into_inner().unwrap().last().map(String::as_str), Some("silent"));
    assert!(matches!(&outcomes[0].1, Err(FetchError::TimedOut { .. })));
    assert!(outcomes[1].1.is_ok());
    assert!(matches!(&outcomes[2].1, Err(FetchError::Unreachable { .. })));
    assert!(unused.asked().is_empty());
}

#[tokio::test]
async fn a_server_that_is_silent_to_discover_is_asked_to_initialize_as_well() {
    let server = Server::start(|asked| match asked.call().as_str() {
        "server/discover" => vec![Piece::Hang],
        "initialize" => {
            json(&result(asked, r#"{"protocolVersion":"2025-03-26","capabilities":{}}"#))
        }
        _ => json(&result(asked, r#"{"tools":[]}"#)),
    })
    .await;
    let limits = Limits::default();
    assert!(limits.probe_http <= Duration::from_secs(1), "a silent old server costs no more");
    let fetched = fetch(&spec("s", &server.url()), &limits, &Memory::none()).await.unwrap();
    assert_eq!((fetched.era, fetched.protocol.as_str()), (Era::Handshake, "2025-03-26"));
    let listed = server.asked().into_iter().find(|asked| asked.call() == "tools/list").unwrap();
    assert_eq!(listed.header("mcp-protocol-version"), None, "2025-03-26 knows no such header");
}

#[tokio::test]
async fn what_is_no_mcp_server_or_no_address_is_said_so() {
    let page = Server::start(|_| whole("200 OK", "content-type: text/html\r\n", "<html>")).await;
    let failure = |url: String| async move {
        fetch(&spec("s", &url), &Limits::default(), &Memory::none()).await.unwrap_err()
    };
    let html = failure(page.url()).await;
    assert!(
        matches!(&html, FetchError::NotMcp { reason } if reason.contains("text/html")),
        "{html:?}"
    );
    assert!(matches!(failure("ftp://x/".to_owned()).await, FetchError::Invalid { .. }));
    assert!(matches!(failure("not a url".to_owned()).await, FetchError::Invalid { .. }));
}
