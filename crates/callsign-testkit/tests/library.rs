//! The server from Rust: found as a program, and served inside the test.

#![allow(
    clippy::expect_used,
    reason = "clippy allows it in test functions, not in what they share"
)]

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;

use callsign_testkit::{Behaviour, Ending, HttpServer, server_binary};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const INITIALIZE: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;

#[test]
fn the_program_is_found_by_many_at_once() {
    let found: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(server_binary)).collect();
        threads.into_iter().map(|thread| thread.join().expect("found")).collect()
    });
    let expected = std::path::Path::new(env!("CARGO_BIN_EXE_callsign-testkit"));
    for path in found {
        assert_eq!(path.canonicalize().ok(), expected.canonicalize().ok());
    }
    let version = Command::new(server_binary()).arg("--version").output().expect("it runs");
    assert!(version.status.success());
}

async fn post(url: &str, body: &str) -> String {
    let address = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).await.expect("a response");
    response
}

#[tokio::test]
async fn it_serves_inside_the_test_and_gives_its_status() {
    let behaviour = Behaviour {
        name: "inside".into(),
        ending: Ending { after: Some(2), status: 5, ..Ending::default() },
        ..Behaviour::default()
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = HttpServer::bind(behaviour, address).await.expect("bound");
    let url = server.url();
    let serving = tokio::spawn(server.serve());
    for _ in 0..2 {
        let response = post(&url, INITIALIZE).await;
        assert!(response.contains(r#""name":"inside""#), "{response}");
    }
    assert_eq!(serving.await.expect("no panic").expect("served"), 5);
}

#[tokio::test]
async fn a_taken_address_is_an_error_that_names_it() {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let first = HttpServer::bind(Behaviour::default(), address).await.expect("bound");
    let taken: SocketAddr =
        first.url().trim_start_matches("http://").trim_end_matches("/mcp").parse().expect("one");
    let Err(error) = HttpServer::bind(Behaviour::default(), taken).await else {
        panic!("the address is taken");
    };
    assert!(error.to_string().contains(&taken.to_string()), "{error}");
}
