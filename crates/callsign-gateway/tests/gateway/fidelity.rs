//! Whatever passes through the gateway arrives as it was written.

use std::sync::Arc;

use callsign_gateway::{Gateway, ServerSettings};
use callsign_mcp::{Launch, ServerSpec};
use callsign_wire::message::{Message, parse};
use proptest::prelude::*;

use crate::json::value;
use crate::kit::{Host, settings};
use crate::support::{Asked, Server, accepted, json};

const GREETING: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;

/// Method and raw id of what was asked. It may hold numbers that no typed reader takes.
fn envelope(asked: &Asked) -> (String, String) {
    match parse(asked.body.as_bytes()) {
        Ok(Message::Request(request)) => (request.method, request.id.raw().to_owned()),
        _ => Default::default(),
    }
}

/// A handshake server over HTTP that lists one definition and answers each call with what it is given.
async fn server(definition: String, outcome: Result<String, String>) -> (Server, ServerSettings) {
    let server = Server::start(move |asked| {
        let (method, id) = envelope(asked);
        let answer = |member: &str, raw: &str| {
            json(&format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{raw}}}"#))
        };
        match (method.as_str(), &outcome) {
            ("initialize", _) => answer("result", GREETING),
            ("tools/list", _) => answer("result", &format!("{{\"tools\":[{definition}]}}")),
            ("tools/call", Ok(raw)) => answer("result", raw),
            ("tools/call", Err(raw)) => answer("error", raw),
            ("", _) => accepted(),
            _ => answer("error", r#"{"code":-32601,"message":"no"}"#),
        }
    })
    .await;
    let launch = Launch::Http { url: server.url(), headers: Vec::new() };
    let spec = ServerSpec { key: "s".parse().unwrap(), launch, secrets: Vec::new() };
    (server, ServerSettings::new(spec))
}

/// Members with keys of their own around one that is set.
fn members() -> impl Strategy<Value = String> {
    prop::collection::vec(value(), 0..4).prop_map(|values| {
        let members = values.iter().enumerate().map(|(n, value)| format!("\"x{n}\" : {value},"));
        members.collect()
    })
}

async fn through(
    definition: String,
    arguments: &str,
    extra: &str,
    outcome: Result<String, String>,
) -> [String; 3] {
    let (server, settings_of_server) = server(definition, outcome).await;
    let gateway: Arc<Gateway> = crate::kit::gateway(settings(vec![settings_of_server]));
    let mut host = Host::greeted(&gateway, serde_json::json!({})).await;
    host.write(r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#).await;
    let list = host.line().await;
    host.write(&format!(
        r#"{{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{{{extra}"name":"s__tool", "arguments":{arguments}}}}}"#
    ))
    .await;
    let answer = host.line().await;
    gateway.stop().await;
    let asked = server.asked();
    let call = asked.into_iter().find(|asked| envelope(asked).0 == "tools/call");
    [list, call.map(|call| call.body).unwrap_or_default(), answer]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn definitions_arguments_results_and_errors_arrive_unchanged(
        around in members(),
        arguments in value(),
        extra in members(),
        payload in value(),
        is_error in any::<bool>(),
    ) {
        let definition = format!(r#"{{ {around} "inputSchema":{{"type":"object"}}, "name" : "tool" }}"#);
        let outcome = if is_error { Err(payload.clone()) } else { Ok(payload.clone()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let [list, call, answer] =
            runtime.block_on(through(definition.clone(), &arguments, &extra, outcome));
        let shown = definition.replace("\"name\" : \"tool\"", "\"name\" : \"s__tool\"");
        prop_assert_eq!(list, format!(r#"{{"jsonrpc":"2.0","id":"l","result":{{"tools":[{shown}]}}}}"#));
        let params = format!(r#""params":{{{extra}"name":"tool", "arguments":{arguments}}}}}"#);
        prop_assert!(call.ends_with(&params), "{} in {}", params, call);
        let member = if is_error { "error" } else { "result" };
        prop_assert_eq!(answer, format!(r#"{{"jsonrpc":"2.0","id":"c","{member}":{payload}}}"#));
    }
}

/// What a host writes as an id comes back byte for byte (statement 25).
#[tokio::test]
async fn ids_come_back_as_they_were_spelled() {
    let gateway = crate::kit::gateway(settings(Vec::new()));
    let mut host = Host::of(&gateway);
    for id in [r#""\u0061""#, "1.0", "123456789012345678901234567890", "-7", "\"\""] {
        host.write(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        assert_eq!(host.line().await, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
    gateway.stop().await;
}
