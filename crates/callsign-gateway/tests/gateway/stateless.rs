//! Hosts of the stateless era, over both transports, in front of servers of both eras.

use std::time::Duration;

use callsign_gateway::Settings;
use serde_json::{Value, json};

use crate::kit::{Host, error, gateway, limits, server, settings};

/// Parameters with what this era says in each request.
fn params(capabilities: &Value, more: &Value) -> String {
    let mut params = more.clone();
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities.clone();
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "h", "version": "1"});
    params.to_string()
}

async fn ask(host: &mut Host, method: &str, more: &Value) -> Value {
    host.ask(method, &params(&json!({"elicitation": {}}), more)).await
}

#[tokio::test]
async fn a_host_without_handshake_is_served_with_hints() {
    for era in ["legacy", "modern"] {
        let gateway = gateway(settings(vec![server("s", &["--era", era, "--resources", "x://1"])]));
        let mut host = Host::of(&gateway);
        let discovered = ask(&mut host, "server/discover", &json!({})).await;
        assert_eq!(discovered["result"]["supportedVersions"][0], "2026-07-28");
        assert_eq!(discovered["result"]["resultType"], "complete");
        let list = ask(&mut host, "tools/list", &json!({})).await;
        assert_eq!(list["result"]["tools"][0]["name"], "s__echo");
        assert_eq!(
            (&list["result"]["ttlMs"], &list["result"]["cacheScope"]),
            (&json!(0), &json!("private"))
        );
        let call =
            ask(&mut host, "tools/call", &json!({"name": "s__echo", "arguments": {"x": 1}})).await;
        assert_eq!(call["result"]["structuredContent"], json!({"x": 1}));
        assert_eq!(call["result"]["resultType"], "complete", "{era}: {call}");
        let read = ask(&mut host, "resources/read", &json!({"uri": "x://1"})).await;
        assert!(read["result"]["ttlMs"].is_number() && read["result"]["cacheScope"].is_string());
        // Statement 8: who asked may still shake hands on the same lines.
        assert_eq!(host.greet(json!({})).await["protocolVersion"], "2025-11-25");
        assert_eq!(host.tools().await, ["s__echo"]);
        gateway.stop().await;
    }
}

/// Statements 27 and 28.
#[tokio::test]
async fn what_a_new_server_asks_passes_and_its_state_is_bound() {
    let gateway = gateway(settings(vec![server(
        "s",
        &["--era", "modern", "--asks", "elicitation", "--tools", "a,b"],
    )]));
    let mut host = Host::of(&gateway);
    let asked = ask(&mut host, "tools/call", &json!({"name": "s__a", "arguments": {}})).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    let state = asked["result"]["requestState"].as_str().unwrap().to_owned();
    let again = |name: &str, state: &str| {
        json!({"name": name, "arguments": {}, "requestState": state,
        "inputResponses": {"asked": {"action": "accept", "content": {"yes": true}}}})
    };
    let other = ask(&mut host, "tools/call", &again("s__b", &state)).await;
    assert_eq!(other["error"]["code"], -32602, "{other}");
    let changed =
        ask(&mut host, "tools/call", &again("s__a", &state.replace("state of", "state  of"))).await;
    assert_eq!(changed["error"]["code"], -32602);
    let done = ask(&mut host, "tools/call", &again("s__a", &state)).await;
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert!(done.to_string().contains("accept"));
    gateway.stop().await;
}

/// Statement 32: the server's request stays open while the host prepares its answer.
#[tokio::test]
async fn what_an_old_server_asks_a_new_host_is_asked_by_the_result() {
    let gateway =
        gateway(settings(vec![server("s", &["--asks", "elicitation", "--progress", "1"])]));
    gateway.start(None);
    let mut host = Host::of(&gateway);
    let asked =
        ask(&mut host, "tools/call", &json!({"name": "s__echo", "arguments": {"x": 1}})).await;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    let (key, request) = requests.iter().next().unwrap();
    assert_eq!(
        (request["method"].as_str(), request["params"]["message"].as_str()),
        (Some("elicitation/create"), Some("Go on?"))
    );
    let state = &asked["result"]["requestState"];
    let unanswered = json!({"name": "s__echo", "arguments": {"x": 1}, "requestState": state});
    let asked = ask(&mut host, "tools/call", &unanswered).await;
    let state = &asked["result"]["requestState"];
    let again = json!({"name": "s__echo", "arguments": {"x": 1}, "requestState": state,
        "inputResponses": {key: {"action": "accept", "content": {"yes": true}}}});
    let done = ask(&mut host, "tools/call", &again).await;
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert!(done.to_string().contains("accept"), "{done}");
    let twice = ask(&mut host, "tools/call", &again).await;
    assert_eq!(twice["error"]["code"], -32602, "{twice}");
    gateway.stop().await;
}

/// Statement 33.
#[tokio::test]
async fn a_request_that_waits_too_long_is_given_up_at_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let limits = callsign_gateway::Limits { parked_for: Duration::from_millis(200), ..limits() };
    let flags = ["--asks", "elicitation", "--record", record.to_str().unwrap()];
    let gateway = gateway(Settings { limits, ..settings(vec![server("s", &flags)]) });
    gateway.start(None);
    let mut host = Host::of(&gateway);
    let call = json!({"name": "s__echo", "arguments": {}});
    let asked = ask(&mut host, "tools/call", &call).await;
    crate::kit::unless_hung(async {
        let is_cancelled = || {
            let lines = crate::kit::recorded(&record);
            lines.iter().any(|line| line.contains("notifications/cancelled"))
        };
        while !is_cancelled() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    let late = json!({"name": "s__echo", "arguments": {}, "requestState": asked["result"]["requestState"],
        "inputResponses": {"question-1": {"action": "accept"}}});
    let late = ask(&mut host, "tools/call", &late).await;
    assert_eq!(late["error"]["code"], -32602, "{late}");
    gateway.stop().await;
}

/// What the host did not offer with this request, it is not asked.
#[tokio::test]
async fn a_new_host_is_asked_only_what_this_request_offers() {
    let gateway = gateway(settings(vec![server("s", &["--asks", "sampling"])]));
    gateway.start(None);
    let mut host = Host::of(&gateway);
    let done = ask(&mut host, "tools/call", &json!({"name": "s__echo", "arguments": {}})).await;
    assert_eq!(done["result"]["resultType"], "complete", "{done}");
    assert!(done.to_string().contains("-3260"), "the server was told: {done}");
    gateway.stop().await;
}

/// Statement 37.
#[tokio::test]
async fn a_listener_is_told_what_it_asked_for_under_its_id_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names");
    std::fs::write(&names, "a\n").unwrap();
    let flags = ["--tools-file", names.to_str().unwrap()];
    for era in ["legacy", "modern"] {
        let gateway = gateway(settings(vec![server("s", &[&flags[..], &["--era", era]].concat())]));
        let mut host = Host::of(&gateway);
        let filter = json!({"notifications": {"toolsListChanged": true, "resourceSubscriptions": ["x://none"]}});
        let id = host.send("subscriptions/listen", &params(&json!({}), &filter)).await;
        let acknowledged = host.notification("notifications/subscriptions/acknowledged").await;
        assert_eq!(acknowledged["params"]["notifications"], json!({"toolsListChanged": true}));
        let key = "io.modelcontextprotocol/subscriptionId";
        assert_eq!(acknowledged["params"]["_meta"][key], id);
        std::fs::write(&names, format!("a\n{era}\n")).unwrap();
        let changed = host.notification("notifications/tools/list_changed").await;
        assert_eq!(changed["params"]["_meta"][key], id);
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
        host.write(&cancel.to_string()).await;
        let end = host.answer(id).await;
        assert_eq!(
            (&end["result"]["resultType"], &end["result"]["_meta"][key]),
            (&json!("complete"), &json!(id))
        );
        assert!(host.heard.is_empty(), "{:?}", host.heard);
        gateway.stop().await;
    }
}

/// Statement 11, as far as the transport does not refuse it.
#[tokio::test]
async fn methods_that_the_era_has_no_more_are_not_found() {
    let gateway = gateway(settings(vec![server("s", &[]), server("t", &[])]));
    let mut host = Host::of(&gateway);
    for method in ["ping", "logging/setLevel", "tasks/list", "resources/subscribe", "x/unknown"] {
        let answer = ask(&mut host, method, &json!({"uri": "x://1"})).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
        assert!(!error(&answer).is_empty());
    }
    gateway.stop().await;
}
