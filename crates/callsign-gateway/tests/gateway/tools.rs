//! Tools of several servers under one endpoint: listed, called, and nothing else touched.

use crate::kit::{Host, absent, error, gateway, recorded, server, settings, text, unless_hung};
use serde_json::json;

#[tokio::test]
async fn each_tool_is_listed_under_its_name_and_reaches_its_server() {
    let servers = vec![
        server("alpha", &["--name", "A", "--tools", "get,put"]),
        server("beta", &["--name", "B", "--tools", "get"]),
    ];
    let gateway = gateway(settings(servers));
    let mut host = Host::greeted(&gateway, json!({})).await;
    assert_eq!(host.tools().await, ["alpha__get", "alpha__put", "beta__get"]);
    assert_eq!(text(&host.call("alpha__get", r#"{"x":1}"#).await), r#"A:get {"x":1}"#);
    assert_eq!(text(&host.call("beta__get", "{}").await), "B:get {}");
    let miss = host.call("get", "{}").await;
    assert_eq!(miss["error"]["code"], -32602);
    assert!(error(&miss).contains("alpha__get") && error(&miss).contains("beta__get"), "{miss}");
    gateway.stop().await;
}

#[tokio::test]
async fn a_call_changes_the_name_the_id_and_the_progress_token_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let servers = vec![server(
        "s",
        &["--tools", "get", "--progress", "3", "--record", record.to_str().unwrap()],
    )];
    let gateway = gateway(settings(servers));
    let mut host = Host::greeted(&gateway, json!({})).await;
    let odd = r#"{"jsonrpc":"2.0","id":"\u0061-1","method":"tools/call","params":{ "x":1e999, "_meta":{"y":[1.0],"progressToken":"t\u00e9" , "z":12345678901234567890123}, "name":"s__get","arguments":{"b":1,"a":2.50,"n":123456789012345678901234567890} }}"#;
    host.write(odd).await;
    let mut lines = Vec::new();
    for _ in 0..4 {
        lines.push(host.line().await);
    }
    for (at, line) in lines[..3].iter().enumerate() {
        assert!(
            line.contains("\"progressToken\":\"t\\u00e9\"")
                && line.contains(&format!("\"progress\":{}", at + 1)),
            "{line}"
        );
    }
    assert!(lines[3].starts_with(r#"{"jsonrpc":"2.0","id":"\u0061-1","result":"#), "{}", lines[3]);
    assert!(
        lines[3]
            .contains(r#""structuredContent":{"b":1,"a":2.50,"n":123456789012345678901234567890}"#),
        "{}",
        lines[3]
    );
    let call = recorded(&record).into_iter().find(|line| line.contains("tools/call")).unwrap();
    let params = call.split_once("\"params\":").unwrap().1.strip_suffix('}').unwrap();
    assert_eq!(
        params,
        r#"{ "x":1e999, "_meta":{"y":[1.0],"progressToken":1 , "z":12345678901234567890123}, "name":"get","arguments":{"b":1,"a":2.50,"n":123456789012345678901234567890} }"#
    );
    gateway.stop().await;
}

#[tokio::test]
async fn what_is_missing_is_named_and_costs_the_others_nothing() {
    let servers = vec![server("good", &[]), absent("bad"), server("ends", &["--exit-at", "list"])];
    let gateway = gateway(settings(servers));
    let mut host = Host::of(&gateway);
    let greeting = unless_hung(host.greet(json!({}))).await;
    let instructions = greeting["instructions"].as_str().unwrap();
    assert!(instructions.contains("`bad`") && instructions.contains("`ends`"), "{instructions}");
    assert_eq!(host.tools().await, ["good__echo"]);
    assert_eq!(gateway.missing().len(), 2);
    gateway.stop().await;
}

#[tokio::test]
async fn a_server_that_repeats_a_tool_lists_it_once() {
    let servers =
        vec![server("s", &["--tools", "a,b", "--duplicate", "a", "--malformed", "no-name"])];
    let gateway = gateway(settings(servers));
    let mut host = Host::greeted(&gateway, json!({})).await;
    assert_eq!(host.tools().await, ["s__a", "s__b"]);
    gateway.stop().await;
}
