//! What passes beside calls: cancellation, progress, prompts, resources, questions of servers, changes, faults.

use std::time::{Duration, Instant};

use crate::kit::{
    Host, absent, error, gateway, limits, recorded, server, settings, text, unless_hung,
};
use serde_json::json;

/// Statements 24 and 25: two hosts use one id and one progress token at once.
#[tokio::test]
async fn two_hosts_with_the_same_ids_and_tokens_get_each_their_own() {
    let gateway = gateway(settings(vec![server("s", &["--progress", "2", "--slow", "200:call"])]));
    let mut hosts =
        [Host::greeted(&gateway, json!({})).await, Host::greeted(&gateway, json!({})).await];
    for (number, host) in hosts.iter_mut().enumerate() {
        let params = format!(
            r#"{{"name":"s__echo","arguments":{{"host":{number}}},"_meta":{{"progressToken":"1"}}}}"#
        );
        host.write(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#
        ))
        .await;
    }
    for (number, host) in hosts.iter_mut().enumerate() {
        let answer = host.answer(1).await;
        assert_eq!(answer["result"]["structuredContent"], json!({"host": number}));
        assert_eq!(host.heard.len(), 2, "{:?}", host.heard);
        assert!(host.heard.iter().all(|it| it["params"]["progressToken"] == "1"));
    }
    gateway.stop().await;
}

#[tokio::test]
async fn a_cancelled_call_is_cancelled_at_the_server_and_not_answered() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let flags = ["--never-answer", "call", "--record", record.to_str().unwrap()];
    let gateway = gateway(settings(vec![server("s", &flags)]));
    let mut host = Host::greeted(&gateway, json!({})).await;
    let id = host.send("tools/call", r#"{"name":"s__echo","arguments":{}}"#).await;
    let called = || recorded(&record).into_iter().find(|line| line.contains("\"tools/call\""));
    unless_hung(async {
        while called().is_none() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    host.write(&format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"r\u00e9"}}}}"#
    ))
    .await;
    let its_id =
        called().unwrap().split_once("\"id\":").unwrap().1.split(',').next().unwrap().to_owned();
    let cancelled = format!(r#""params":{{"requestId":{its_id},"reason":"r\u00e9"}}"#);
    unless_hung(async {
        while !recorded(&record).iter().any(|line| line.contains(&cancelled)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    // Nothing was said about the cancelled call before this answer.
    host.ask("ping", "{}").await;
    assert!(host.heard.is_empty(), "{:?}", host.heard);
    gateway.stop().await;
}

#[tokio::test]
async fn prompts_and_resources_reach_who_offers_them() {
    let servers = vec![
        server("a", &["--name", "A", "--prompts", "greet", "--resources", "x://1,x://both"]),
        server("b", &["--name", "B", "--prompts", "greet", "--resources", "y://1,x://both"]),
    ];
    let gateway = gateway(settings(servers));
    let mut host = Host::greeted(&gateway, json!({})).await;
    let prompts = host.ask("prompts/list", "{}").await;
    let names: Vec<&str> = prompts["result"]["prompts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a__greet", "b__greet"]);
    let got = host.ask("prompts/get", r#"{"name":"b__greet","arguments":{"topic":"t"}}"#).await;
    assert_eq!(got["result"]["messages"][0]["content"]["text"], r#"B:greet {"topic":"t"}"#);
    assert!(error(&host.ask("prompts/get", r#"{"name":"greet"}"#).await).contains("greet"));
    let read = host.ask("resources/read", r#"{"uri":"y://1"}"#).await;
    assert_eq!(read["result"]["contents"][0]["text"], "B:y://1");
    let both = host.ask("resources/read", r#"{"uri":"x://both"}"#).await;
    assert!(error(&both).contains("`a` and `b`"), "{both}");
    assert_eq!(host.ask("resources/read", r#"{"uri":"z://"}"#).await["error"]["code"], -32002);
    let listed = host.ask("resources/list", "{}").await;
    assert_eq!(listed["result"]["resources"].as_array().unwrap().len(), 4);
    assert!(
        host.ask("resources/templates/list", "{}").await["result"]["resourceTemplates"].is_array()
    );
    assert_eq!(host.ask("tools/list", r#"{"cursor":"x"}"#).await["error"]["code"], -32602);
    gateway.stop().await;
}

#[tokio::test]
async fn a_method_nobody_knows_is_not_found_and_passed_on_where_one_server_can_be_meant() {
    let both = gateway(settings(vec![server("a", &[]), server("b", &[])]));
    let mut host = Host::greeted(&both, json!({})).await;
    assert_eq!(host.ask("x/y", "{}").await["error"]["code"], -32601);
    both.stop().await;
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record");
    let one = gateway(settings(vec![server("a", &["--record", record.to_str().unwrap()])]));
    let mut host = Host::greeted(&one, json!({})).await;
    host.ask("x/y", r#"{ "z":1e999 }"#).await;
    assert!(
        recorded(&record)
            .iter()
            .any(|line| line.contains(r#""method":"x/y","params":{ "z":1e999 }"#))
    );
    one.stop().await;
}

#[tokio::test]
async fn what_a_server_asks_reaches_the_host_whose_call_caused_it() {
    let gateway = gateway(settings(vec![server("s", &["--asks", "elicitation"])]));
    let mut host = Host::greeted(&gateway, json!({"elicitation": {}})).await;
    let mut other = Host::greeted(&gateway, json!({"elicitation": {}})).await;
    let id = host.send("tools/call", r#"{"name":"s__echo","arguments":{}}"#).await;
    let question = host.until(|message| message["method"] == "elicitation/create").await;
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"yes": true}}});
    host.write(&answer.to_string()).await;
    let answered = host.answer(id).await.to_string();
    assert!(answered.contains("accept") && answered.contains("yes"), "{answered}");
    other.ask("ping", "{}").await;
    assert!(other.heard.is_empty());
    gateway.stop().await;
}

#[tokio::test]
async fn what_a_host_does_not_offer_it_is_not_asked() {
    let gateway = gateway(settings(vec![server("s", &["--asks", "sampling"])]));
    let mut host = Host::greeted(&gateway, json!({"elicitation": {}})).await;
    let answered = host.call("s__echo", "{}").await.to_string();
    assert!(answered.contains("-32601"), "{answered}");
    assert!(host.heard.is_empty());
    gateway.stop().await;
}

/// Statements 30 and 39: a host of the old era and a server of the new one.
#[tokio::test]
async fn an_old_host_is_asked_in_its_own_way_by_a_new_server() {
    let gateway =
        gateway(settings(vec![server("s", &["--era", "modern", "--asks", "elicitation"])]));
    let mut host = Host::greeted(&gateway, json!({"elicitation": {}})).await;
    let list = host.ask("tools/list", "{}").await;
    assert!(list["result"].get("resultType").is_none() && list["result"].get("ttlMs").is_none());
    let id = host.send("tools/call", r#"{"name":"s__echo","arguments":{}}"#).await;
    let question = host.until(|message| message["method"] == "elicitation/create").await;
    assert_eq!(question["params"]["message"], "Go on?");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"yes": true}}});
    host.write(&answer.to_string()).await;
    let answered = host.answer(id).await;
    assert!(answered["result"].get("resultType").is_none(), "{answered}");
    assert!(answered.to_string().contains("accept"), "{answered}");
    gateway.stop().await;
}

/// Statement 31.
#[tokio::test]
async fn a_refused_question_ends_the_call_with_the_reason() {
    let gateway =
        gateway(settings(vec![server("s", &["--era", "modern", "--asks", "elicitation"])]));
    let mut host = Host::greeted(&gateway, json!({"elicitation": {}})).await;
    let id = host.send("tools/call", r#"{"name":"s__echo","arguments":{}}"#).await;
    let question = host.until(|message| message["method"] == "elicitation/create").await;
    let refusal = json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "not now"}});
    host.write(&refusal.to_string()).await;
    let answered = host.answer(id).await;
    assert!(error(&answered).contains("not now") && error(&answered).contains("`s`"), "{answered}");
    gateway.stop().await;
}

#[tokio::test]
async fn a_changed_list_is_announced_once_and_keeps_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let names = folder.path().join("names");
    std::fs::write(&names, "b\na\n").unwrap();
    let servers = vec![
        server("s", &["--tools-file", names.to_str().unwrap()]),
        server("t", &["--list-changed", "200"]),
    ];
    let gateway = gateway(settings(servers));
    let mut host = Host::greeted(&gateway, json!({})).await;
    assert_eq!(host.tools().await, ["s__b", "s__a", "t__echo"]);
    std::fs::write(&names, "c\na\nb\n").unwrap();
    host.notification("notifications/tools/list_changed").await;
    assert_eq!(host.tools().await, ["s__b", "s__a", "s__c", "t__echo"]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    host.ask("ping", "{}").await;
    assert!(host.heard.is_empty(), "{:?}", host.heard);
    gateway.stop().await;
}

#[tokio::test]
async fn a_server_that_ends_is_started_again_and_its_call_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let (once, record) = (folder.path().join("once"), folder.path().join("record-{pid}"));
    let flags = [
        "--exit-at",
        "call",
        "--exit-once",
        once.to_str().unwrap(),
        "--record",
        record.to_str().unwrap(),
    ];
    let gateway = gateway(settings(vec![server("s", &flags), server("t", &[])]));
    let mut host = Host::greeted(&gateway, json!({})).await;
    let first = host.call("s__echo", "{}").await;
    assert!(error(&first).contains("server `s`"), "{first}");
    assert!(text(&host.call("t__echo", "{}").await).contains("echo"));
    let second = unless_hung(host.call("s__echo", "{}")).await;
    assert!(second.get("result").is_some(), "a server that starts again is waited for: {second}");
    assert_eq!(host.tools().await.len(), 2);
    gateway.stop().await;
}

/// A hang costs one wait, and only the start limit.
#[tokio::test]
async fn a_server_that_hangs_costs_the_others_the_start_limit_once() {
    for never in ["initialize", "list"] {
        let mut settings = settings(vec![
            server("good", &[]),
            server("bad", &["--never-answer", never, "--era", "silent-on-discover"]),
        ]);
        settings.limits = callsign_gateway::Limits { start: Duration::from_secs(3), ..limits() };
        let gateway = gateway(settings);
        let begun = Instant::now();
        let mut host = Host::of(&gateway);
        let greeting = host.greet(json!({})).await;
        assert!(greeting["instructions"].as_str().unwrap().contains("`bad`"), "{greeting}");
        assert_eq!(host.tools().await, ["good__echo"]);
        assert!(begun.elapsed() >= Duration::from_secs(3));
        let begun = Instant::now();
        let mut second = Host::greeted(&gateway, json!({})).await;
        assert_eq!(second.tools().await, ["good__echo"]);
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        gateway.stop().await;
    }
}

#[tokio::test]
async fn what_is_not_answered_in_time_is_cancelled_and_names_the_server() {
    let mut settings = settings(vec![server("s", &["--never-answer", "call"])]);
    settings.limits.server.call = Duration::from_millis(300);
    let gateway = gateway(settings);
    let mut host = Host::greeted(&gateway, json!({})).await;
    let answer = host.call("s__echo", "{}").await;
    assert!(error(&answer).contains("server `s`") && error(&answer).contains("0.3 s"), "{answer}");
    gateway.stop().await;
}

#[tokio::test]
async fn what_is_under_way_when_the_host_closes_its_side_is_still_answered() {
    let gateway = gateway(settings(vec![server("s", &["--slow", "300:call"]), absent("x")]));
    let mut host = Host::greeted(&gateway, json!({})).await;
    let id = host.send("tools/call", r#"{"name":"s__echo","arguments":{}}"#).await;
    host.close_input().await;
    assert!(host.answer(id).await.get("result").is_some());
    assert!(gateway.drained().await);
    gateway.stop().await;
}

#[tokio::test]
async fn catalogues_of_an_earlier_run_are_served_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let memory = || callsign_mcp::Memory::at(folder.path());
    let flags = ["--tools", "a,b", "--prompts", "p"];
    let first = gateway(callsign_gateway::Settings {
        memory: memory(),
        ..settings(vec![server("s", &flags)])
    });
    let mut host = Host::greeted(&first, json!({})).await;
    assert_eq!(host.tools().await, ["s__a", "s__b"]);
    first.stop().await;
    let slow = callsign_gateway::Settings {
        memory: memory(),
        ..settings(vec![server("s", &flags), server("new", &["--slow", "600"])])
    };
    let second = gateway(slow);
    let mut host = Host::greeted(&second, json!({})).await;
    assert_eq!(host.tools().await.len(), 3, "a server that is new is waited for");
    second.stop().await;
}

/// A hang costs one wait: who did not come is not waited for long the next time.
#[tokio::test]
async fn a_warm_start_does_not_wait_for_a_server_that_hung_before() {
    let folder = tempfile::tempdir().unwrap();
    let start = || {
        let hangs = ["--never-answer", "initialize", "--era", "silent-on-discover"];
        let mut settings =
            settings(vec![server("good", &["--slow", "900:list"]), server("bad", &hangs)]);
        settings.memory = callsign_mcp::Memory::at(folder.path());
        settings.limits.start = Duration::from_secs(4);
        gateway(settings)
    };
    let first = start();
    assert_eq!(Host::greeted(&first, json!({})).await.tools().await, ["good__echo"]);
    first.stop().await;
    let (second, begun) = (start(), Instant::now());
    let mut host = Host::of(&second);
    let greeting = host.greet(json!({})).await;
    assert_eq!(host.tools().await, ["good__echo"]);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert!(greeting["instructions"].as_str().unwrap().contains("`bad`"), "{greeting}");
    second.stop().await;
}

#[tokio::test]
async fn the_revision_is_negotiated_and_log_levels_are_kept_apart() {
    let gateway = gateway(settings(vec![server("s", &["--log-first", "2"])]));
    let mut host = Host::of(&gateway);
    let greet = |version: &str| {
        format!(
            r#"{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"h","version":"1"}}}}"#
        )
    };
    // Statement 7.
    let answer = host.ask("initialize", &greet("2026-07-28")).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    let answer = host.ask("initialize", &greet("2024-11-05")).await;
    assert_eq!(answer["result"]["protocolVersion"], "2024-11-05");
    assert_eq!(host.ask("logging/setLevel", r#"{"level":"loud"}"#).await["error"]["code"], -32602);
    assert!(host.ask("logging/setLevel", r#"{"level":"debug"}"#).await.get("result").is_some());
    gateway.stop().await;
}
