//! Hosts over Streamable HTTP, of both eras, in front of servers over both transports.

use std::sync::Arc;
use std::time::Duration;

use callsign_gateway::{Gateway, Settings};
use callsign_mcp::{Launch, Limits, Memory, ServerSpec, Session};
use callsign_wire::serve::http::{Access, HttpService, accept};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::host::Host;
use crate::kit::{gateway, raw, recorded, server, settings, unless_hung};

/// A gateway at an address of its own.
async fn serve(settings: Settings) -> (Arc<Gateway>, Host) {
    let gateway = gateway(settings);
    gateway.start(None);
    let limits = callsign_wire::serve::Limits::default();
    let (service, mut arrivals) = HttpService::new(Access::loopback(), limits.clone());
    let serving = Arc::clone(&gateway);
    tokio::spawn(async move { serving.serve(&mut arrivals).await });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let router = service.router(gateway.routes().merge(service.private(gateway.metrics())));
    let listening = tokio::spawn(async move {
        accept(listener, router, &limits, std::future::pending(), Duration::ZERO).await
    });
    let (log, seen, go, stop) = Default::default();
    (gateway, Host { address, service, log, seen, go, stop, listening })
}

fn request(id: &str, method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

/// Shakes hands and gives the session's id.
async fn greet(host: &Host, capabilities: &Value) -> String {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": capabilities,
        "clientInfo": {"name": "h", "version": "1"}});
    let heard = host.post(&[], &request("i", "initialize", &params)).await;
    let session = heard.header("mcp-session-id").unwrap().to_owned();
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(host.post(&[("mcp-session-id", &session)], initialized).await.status, 202);
    session
}

async fn until(mut done: impl FnMut() -> bool) {
    unless_hung(async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// A server over HTTP as a process, and its entry.
async fn remote(
    key: &str,
    flags: &[&str],
) -> (callsign_gateway::ServerSettings, tokio::process::Child) {
    use tokio::io::AsyncBufReadExt;
    let mut process = tokio::process::Command::new(callsign_testkit::server_binary())
        .arg("serve")
        .args(flags)
        .args(["--http", "127.0.0.1:0"])
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut url = String::new();
    let stdout = process.stdout.take().unwrap();
    tokio::io::BufReader::new(stdout).read_line(&mut url).await.unwrap();
    let launch = Launch::Http { url: url.trim().to_owned(), headers: Vec::new() };
    let spec = ServerSpec { key: key.parse().unwrap(), launch, secrets: Vec::new() };
    (callsign_gateway::ServerSettings::new(spec), process)
}

#[tokio::test]
async fn a_client_of_the_new_era_uses_servers_of_both_over_both_transports() {
    let (far_old, _one) = remote("far-old", &["--name", "FO"]).await;
    let (far_new, _two) = remote("far-new", &["--name", "FN", "--era", "modern"]).await;
    let near = [
        server("near-old", &["--name", "NO"]),
        server("near-new", &["--name", "NN", "--era", "modern"]),
    ];
    let (gateway, host) = serve(settings([&near[..], &[far_old, far_new]].concat())).await;
    let launch = Launch::Http { url: format!("http://{}/mcp", host.address), headers: Vec::new() };
    let spec = ServerSpec { key: "gateway".parse().unwrap(), launch, secrets: Vec::new() };
    let session = Session::open(&spec, &Limits::default(), &Memory::none()).await.unwrap();
    assert_eq!(session.opening().spoken.revision, "2026-07-28");
    let listed = session.list().await.unwrap();
    let names: Vec<&str> =
        listed.catalogue.tools().iter().map(|tool| tool.wire().as_str()).collect();
    assert_eq!(names, ["near-old__echo", "near-new__echo", "far-old__echo", "far-new__echo"]);
    for (name, who) in names.into_iter().zip(["NO", "NN", "FO", "FN"]) {
        let result = session.call(&name.parse().unwrap(), &raw(r#"{"n":1e999}"#)).await.unwrap();
        assert!(result.get().contains(&format!("{who}:echo")), "{}", result.get());
        assert!(result.get().contains(r#""structuredContent":{"n":1e999}"#));
    }
    session.close().await;
    gateway.stop().await;
}

#[tokio::test]
async fn progress_and_questions_come_on_the_stream_of_their_call() {
    let (gateway, host) =
        serve(settings(vec![server("s", &["--asks", "elicitation", "--progress", "2"])])).await;
    let session = greet(&host, &json!({"elicitation": {}})).await;
    let headers = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-11-25")];
    let call = json!({"name": "s__echo", "arguments": {}, "_meta": {"progressToken": "t"}});
    let mut stream = host.open(&headers, &request("c", "tools/call", &call)).await;
    assert_eq!(stream.head().await.header("content-type"), Some("text/event-stream"));
    for step in 1..=2 {
        let progress: Value = serde_json::from_str(&stream.event().await).unwrap();
        assert_eq!(
            (&progress["params"]["progressToken"], &progress["params"]["progress"]),
            (&json!("t"), &json!(step))
        );
    }
    let question: Value = serde_json::from_str(&stream.event().await).unwrap();
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}});
    assert_eq!(host.post(&headers, &answer.to_string()).await.status, 202);
    let result = stream.event().await;
    assert!(result.contains("\"id\":\"c\"") && result.contains("decline"), "{result}");
    gateway.stop().await;
}

/// Statement 22.
#[tokio::test]
async fn a_closed_stream_cancels_in_the_new_era_and_not_in_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let flags = ["--never-answer", "call", "--record", record.to_str().unwrap()];
    let (gateway, host) = serve(settings(vec![server("s", &flags)])).await;
    let count = |what: &str| recorded(&record).iter().filter(|line| line.contains(what)).count();
    let session = greet(&host, &json!({})).await;
    let call = json!({"name": "s__echo", "arguments": {}, "_meta": {"progressToken": 1}});
    let old = host.open(&[("mcp-session-id", &session)], &request("c", "tools/call", &call)).await;
    until(|| count("\"tools/call\"") == 1).await;
    drop(old);
    let mut call = call;
    call["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    call["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "s__echo"),
    ];
    let new = host.open(&headers, &request("c", "tools/call", &call)).await;
    until(|| count("\"tools/call\"") == 2).await;
    drop(new);
    until(|| count("notifications/cancelled") == 1).await;
    // The old host's call still waits: the end of its session cancels it.
    let ended =
        host.send("DELETE /mcp HTTP/1.1", &[("mcp-session-id", &session)], "").await.whole().await;
    assert!(ended.status < 300, "{ended:?}");
    until(|| count("notifications/cancelled") == 2).await;
    let late = host.post(&[("mcp-session-id", &session)], &request("p", "ping", &json!({}))).await;
    assert_eq!(late.status, 404);
    gateway.stop().await;
}

#[tokio::test]
async fn ten_sessions_share_one_process_and_metrics_count_their_calls() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record-{pid}");
    let (gateway, host) =
        serve(settings(vec![server("s", &["--record", record.to_str().unwrap()])])).await;
    for _ in 0..10 {
        let session = greet(&host, &json!({})).await;
        let call = json!({"name": "s__echo", "arguments": {}});
        let heard =
            host.post(&[("mcp-session-id", &session)], &request("c", "tools/call", &call)).await;
        assert_eq!(heard.header("content-type"), Some("application/json"), "{heard:?}");
        assert!(heard.body.contains("\"result\""), "{heard:?}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let metrics = host.send("GET /metrics HTTP/1.1", &[], "").await.whole().await;
    let counted = r#"callsign_calls_total{server="s",tool="echo",outcome="result"} 10"#;
    assert!(metrics.body.contains(counted), "{}", metrics.body);
    assert!(metrics.body.contains("callsign_hosts 10"), "{}", metrics.body);
    gateway.stop().await;
}

/// Statements 15 and 16: arguments that a server wants as headers are made from the body, whatever the host sent.
#[tokio::test]
async fn arguments_become_headers_for_a_server_that_wants_them() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("headers");
    let tool = r#"{"name":"q","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}}"#;
    let flags =
        ["--era", "modern", "--tool-json", tool, "--record-headers", record.to_str().unwrap()];
    let (far, _process) = remote("far", &flags).await;
    let (gateway, host) = serve(settings(vec![far])).await;
    let session = greet(&host, &json!({})).await;
    let mut calls = Vec::new();
    for region in ["eu", "us", "ap"] {
        let call = json!({"name": "far__q", "arguments": {"region": region}});
        calls.push(
            host.open(&[("mcp-session-id", &session)], &request(region, "tools/call", &call)).await,
        );
    }
    for call in calls {
        assert!(call.whole().await.body.contains("\"result\""));
    }
    let headers = std::fs::read_to_string(&record).unwrap();
    for region in ["eu", "us", "ap"] {
        assert!(headers.contains(&format!("\"{region}\"")), "{region} in {headers}");
    }
    // A host that says one thing in its header and another in the body is refused (statement 12).
    let mut call = json!({"name": "far__q", "arguments": {"region": "eu"}});
    call["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    call["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let head = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "far__q"),
    ];
    for (value, status) in [("us", 400), ("eu", 200)] {
        let all = [&head[..], &[("mcp-param-region", value)]].concat();
        let heard = host.post(&all, &request("c", "tools/call", &call)).await;
        assert_eq!(heard.status, status, "{heard:?}");
    }
    assert_eq!(host.post(&head, &request("c", "tools/call", &call)).await.error().0, -32020);
    gateway.stop().await;
}
