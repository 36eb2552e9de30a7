//! Streamable HTTP against answers written byte for byte.
#![allow(clippy::unwrap_used)]

mod support;

use std::time::Duration;

use callsign_wire::http::{Endpoint, HttpError};
use callsign_wire::lifecycle::HandshakeError;
use callsign_wire::{
    Bounds, ClientIdentity, Connection, Era, Inbound, IncomingMessage, Opening, RequestError,
    Start, establish,
};
use support::{
    Answer, Asked, Piece, Server, accepted, error, event, json, result, stream_head, whole,
};

const DISCOVERED: &str = r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#;
const INITIALIZED: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{}}"#;

fn connect(server: &Server) -> Connection {
    let headers = vec![("Authorization".to_owned(), "Bearer swordfish".to_owned())];
    let endpoint = Endpoint { url: server.url(), headers };
    Connection::over_http(&endpoint, Inbound::Refuse, Bounds { message_bytes: 4096 }).unwrap()
}

async fn start(connection: &Connection) -> Result<Opening, HandshakeError> {
    let client = ClientIdentity::new("test", "1");
    establish(connection, &client, Start::Probe(Duration::from_millis(100))).await
}

/// A server of the handshake era with a session; what else is asked is answered by `rest`.
fn handshake(asked: &Asked, rest: impl Fn(&Asked) -> Answer) -> Answer {
    match asked.call().as_str() {
        "server/discover" => whole("400 Bad Request", "", "Bad Request: no session"),
        "initialize" => {
            let headers = "content-type: application/json\r\nMcp-Session-Id: s-1\r\n";
            whole("200 OK", headers, &result(asked, INITIALIZED))
        }
        "notifications/initialized" => accepted(),
        _ if asked.method == "DELETE" => whole("405 Method Not Allowed", "", ""),
        _ => rest(asked),
    }
}

#[tokio::test]
async fn a_session_carries_its_id_and_revision_until_it_is_ended() {
    let server =
        Server::start(|asked| handshake(asked, |asked| json(&result(asked, "[1,  2e999]")))).await;
    let connection = connect(&server);
    let opening = start(&connection).await.unwrap();
    assert_eq!(
        (opening.spoken.era, opening.spoken.revision.as_str()),
        (Era::Handshake, "2025-06-18")
    );
    let answer = connection.request("tools/list", None).await.unwrap();
    assert_eq!(answer.get(), "[1,  2e999]");
    connection.close().await;

    let asked = server.asked();
    let seen: Vec<(&str, String)> =
        asked.iter().map(|asked| (asked.method.as_str(), asked.call())).collect();
    assert_eq!(
        seen,
        [
            ("POST", "server/discover".to_owned()),
            ("POST", "initialize".to_owned()),
            ("POST", "notifications/initialized".to_owned()),
            ("POST", "tools/list".to_owned()),
            ("DELETE", String::new()),
        ]
    );
    assert_eq!(asked[0].header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(
        (asked[1].header("mcp-session-id"), asked[1].header("mcp-protocol-version")),
        (None, None)
    );
    for later in &asked[2..] {
        assert_eq!(later.header("mcp-session-id"), Some("s-1"), "{later:?}");
        assert_eq!(later.header("mcp-protocol-version"), Some("2025-06-18"));
        assert_eq!(later.header("authorization"), Some("Bearer swordfish"));
    }
    assert_eq!(asked[3].header("accept"), Some("application/json, text/event-stream"));
    assert!(!format!("{connection:?}").contains("swordfish"));
}

#[tokio::test]
async fn a_stateless_server_gets_the_standard_headers_and_no_session() {
    let server = Server::start(|asked| match asked.call().as_str() {
        "server/discover" => {
            let headers = "content-type: application/json\r\nMcp-Session-Id: s-1\r\n";
            whole("200 OK", headers, &result(asked, DISCOVERED))
        }
        _ => vec![stream_head(), event(&result(asked, "{}"))],
    })
    .await;
    let connection = connect(&server);
    assert_eq!(start(&connection).await.unwrap().spoken.era, Era::Stateless);
    let params: Box<serde_json::value::RawValue> =
        serde_json::from_str(r#"{"name":"é","arguments":{"r":"x y"}}"#).unwrap();
    let call = connection.call("tools/call", Some(&params)).await.unwrap();
    call.header("Mcp-Param-R", "x y").answer().await.unwrap();
    connection.close().await;
    let asked = server.asked();
    assert_eq!(asked.len(), 2, "no handshake and no farewell");
    assert_eq!(asked[1].header("mcp-method"), Some("tools/call"));
    assert_eq!(asked[1].header("mcp-name"), Some("=?base64?w6k=?="));
    assert_eq!(asked[1].header("mcp-param-r"), Some("x y"));
    assert_eq!(asked[1].header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(asked[1].header("mcp-session-id"), None);
    assert!(asked[1].body.contains(r#""io.modelcontextprotocol/clientCapabilities":{}"#));
}

#[tokio::test]
async fn a_server_may_ask_in_the_stream_before_it_answers() {
    let server = Server::start(|asked| {
        handshake(asked, |asked| match asked.call().as_str() {
            "tools/list" => vec![
                stream_head(),
                Piece::Bytes(": hello\n\n".to_owned()),
                event("no message"),
                event(r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#),
                Piece::Await(5),
                event(&result(asked, "7")),
                Piece::Hang,
            ],
            _ => accepted(),
        })
    })
    .await;
    let connection = connect(&server);
    start(&connection).await.unwrap();
    assert_eq!(connection.request("tools/list", None).await.unwrap().get(), "7");
    let asked = server.asked();
    assert!(asked[4].body.starts_with(r#"{"jsonrpc":"2.0","id":"q","error":{"code":-32601"#));
    assert_eq!((connection.seen().junk, connection.seen().refused), (1, 1));
}

#[tokio::test]
async fn a_stream_that_ends_early_is_resumed_from_its_last_event() {
    let server = Server::start(|asked| {
        if asked.method == "GET" {
            return vec![stream_head(), event(r#"{"jsonrpc":"2.0","id":1,"result":"late"}"#)];
        }
        handshake(asked, |_| {
            vec![stream_head(), Piece::Bytes("id: e-9\nretry: 10\ndata:\n\n".to_owned())]
        })
    })
    .await;
    let connection = connect(&server);
    start(&connection).await.unwrap();
    assert_eq!(connection.request("tools/call", None).await.unwrap().get(), "\"late\"");
    let asked = server.asked();
    let resumed = asked.iter().find(|asked| asked.method == "GET").unwrap();
    assert_eq!(resumed.header("last-event-id"), Some("e-9"));
    assert_eq!(resumed.header("mcp-protocol-version"), Some("2025-06-18"));
}

#[tokio::test]
async fn a_stream_that_breaks_off_without_an_id_is_an_error_and_so_is_a_long_event() {
    let server = Server::start(|asked| {
        handshake(asked, |asked| match asked.call().as_str() {
            "short" => vec![stream_head(), event(r#"{"jsonrpc":"2.0","method":"x"}"#)],
            _ => vec![stream_head(), event(&"x".repeat(5000)), Piece::Hang],
        })
    })
    .await;
    let connection = connect(&server);
    start(&connection).await.unwrap();
    let short = connection.request("short", None).await.unwrap_err();
    assert!(matches!(short, RequestError::Http(HttpError::BrokenOff(_))), "{short:?}");
    let long = connection.request("long", None).await.unwrap_err();
    assert!(matches!(long, RequestError::Http(HttpError::TooLong(4096))), "{long:?}");
}

#[tokio::test]
async fn failures_that_say_nothing_about_the_era_ask_for_no_handshake() {
    for status in ["401 Unauthorized", "403 Forbidden", "500 Oops", "503 Unavailable", "429 Slow"] {
        let headers = "WWW-Authenticate: Bearer realm=\"x\"\r\ncontent-type: application/json\r\n";
        let server =
            Server::start(move |asked| whole(status, headers, &error(asked, -32601, "null"))).await;
        let failure = start(&connect(&server)).await.unwrap_err();
        let code = status[..3].parse().unwrap();
        let HandshakeError::Connection(RequestError::Http(HttpError::Status {
            status,
            challenge,
            ..
        })) = failure
        else {
            panic!("{failure:?}")
        };
        assert_eq!((status, challenge.as_deref()), (code, Some("Bearer realm=\"x\"")));
        assert_eq!(server.asked().len(), 1);
    }
}

#[tokio::test]
async fn a_modern_error_in_the_body_of_a_400_is_read() {
    let server = Server::start(|asked| match (asked.call().as_str(), asked.id().as_str()) {
        ("server/discover", "\"discover-again\"") => json(&result(asked, DISCOVERED)),
        _ => {
            let body = error(asked, -32022, r#"{"supported":["2026-07-28"]}"#);
            whole("400 Bad Request", "content-type: application/json\r\n", &body)
        }
    })
    .await;
    assert_eq!(start(&connect(&server)).await.unwrap().spoken.era, Era::Stateless);
    let calls: Vec<String> = server.asked().iter().map(Asked::call).collect();
    assert_eq!(
        calls,
        ["server/discover", "server/discover"],
        "asked once more, and never to initialize"
    );
}

#[tokio::test]
async fn a_server_of_the_first_revision_is_named() {
    let server = Server::start(|asked| match asked.method.as_str() {
        "GET" => vec![
            stream_head(),
            Piece::Bytes("event: endpoint\ndata: /messages\n\n".to_owned()),
            Piece::Hang,
        ],
        _ => whole("405 Method Not Allowed", "", ""),
    })
    .await;
    let failure = start(&connect(&server)).await.unwrap_err();
    assert!(matches!(failure, HandshakeError::FirstRevisionSse), "{failure:?}");
    assert!(failure.to_string().contains("HTTP+SSE"));
}

#[tokio::test]
async fn redirects_stay_on_the_host() {
    let other = Server::start(|asked| json(&result(asked, DISCOVERED))).await;
    let elsewhere = format!("location: {}?token=x\r\n", other.url());
    let server = Server::start(move |_| whole("307 Temporary Redirect", &elsewhere, "")).await;
    let failure = start(&connect(&server)).await.unwrap_err();
    let HandshakeError::Connection(RequestError::Http(HttpError::Redirected(to))) = &failure else {
        panic!("{failure:?}")
    };
    assert_eq!(*to, other.url(), "without its query");
    assert!(other.asked().is_empty(), "no header reached the other host");

    let server = Server::start(|asked| match asked.path.as_str() {
        "/mcp" => whole("307 Temporary Redirect", "location: /mcp/\r\n", ""),
        _ => json(&result(asked, DISCOVERED)),
    })
    .await;
    assert!(start(&connect(&server)).await.is_ok());
    assert_eq!(server.asked()[1].body, server.asked()[0].body);
}

#[tokio::test]
async fn an_ended_session_is_told_apart() {
    let server = Server::start(|asked| {
        handshake(asked, |asked| {
            whole(
                "404 Not Found",
                "content-type: application/json\r\n",
                &error(asked, -32001, "null"),
            )
        })
    })
    .await;
    let connection = connect(&server);
    start(&connection).await.unwrap();
    let failure = connection.request("tools/list", None).await.unwrap_err();
    assert!(matches!(failure, RequestError::Http(HttpError::SessionEnded)), "{failure:?}");
}

#[tokio::test]
async fn what_a_server_sends_outside_any_exchange_is_heard_and_delivered() {
    let server = Server::start(|asked| {
        if asked.method == "GET" {
            let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
            return vec![stream_head(), event(changed)];
        }
        handshake(asked, |asked| {
            vec![
                stream_head(),
                event(r#"{"jsonrpc":"2.0","id":9,"method":"elicitation/create"}"#),
                event(&result(asked, "1")),
            ]
        })
    })
    .await;
    let (sender, mut inbound) = tokio::sync::mpsc::channel(8);
    let endpoint = Endpoint { url: server.url(), headers: Vec::new() };
    let connection =
        Connection::over_http(&endpoint, Inbound::Deliver(sender), Bounds::default()).unwrap();
    start(&connection).await.unwrap();
    connection.hear().await.unwrap();
    let heard = inbound.recv().await.unwrap();
    assert!(heard.during.is_none());
    assert!(
        matches!(&heard.message, IncomingMessage::Notification(n) if n.method.ends_with("list_changed"))
    );

    let call = connection.call("tools/call", None).await.unwrap();
    let id = call.id().clone();
    call.answer().await.unwrap();
    let asked = inbound.recv().await.unwrap();
    assert_eq!(asked.during, Some(id), "it is known which call caused the question");
    let IncomingMessage::Request(request) = asked.message else { panic!() };
    let answer: Box<serde_json::value::RawValue> =
        serde_json::from_str(r#"{"action":"accept"}"#).unwrap();
    connection.respond(&request.id, Ok(&answer)).await.unwrap();
    let posted = server.asked().pop().unwrap().body;
    assert_eq!(posted, r#"{"jsonrpc":"2.0","id":9,"result":{"action":"accept"}}"#);
}

#[tokio::test]
async fn an_error_without_an_id_ends_the_request_it_replies_to_and_no_other() {
    let nameless = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;
    let server = Server::start(move |asked| {
        handshake(asked, |asked| match asked.call().as_str() {
            // Five requests: three of the handshake, this one, and the one that is refused.
            "first" => vec![stream_head(), Piece::Await(6), event(&result(asked, "1"))],
            "second" => json(nameless),
            "third" => vec![stream_head(), event(nameless)],
            _ => accepted(),
        })
    })
    .await;
    let connection = connect(&server);
    start(&connection).await.unwrap();
    let others = async {
        let second = connection.request("second", None).await;
        (second, connection.request("third", None).await)
    };
    let (first, (second, third)) = tokio::join!(connection.request("first", None), others);
    assert_eq!(first.unwrap().get(), "1");
    for refused in [second, third] {
        assert!(
            matches!(&refused, Err(RequestError::Refused(error)) if error.code() == Some(-32600))
        );
    }
}
