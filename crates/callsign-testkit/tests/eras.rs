//! Both protocol eras over stdio, and what servers of one do to clients of the other.

mod support;

use support::{CALL, INITIALIZE, LIST, PING, Server, json, modern};

#[test]
fn each_era_takes_the_others_first_message_its_own_way() {
    let discover = modern("d", "server/discover", "");
    // What answers discover, and what answers initialize: `None` is a result, else an error's code.
    let cases =
        [("legacy", Some(-32601), None), ("modern", None, Some(-32022)), ("dual", None, None)];
    for (era, to_discover, to_initialize) in cases {
        let mut server = Server::start(&["--era", era]);
        for (request, code) in [(discover.as_str(), to_discover), (INITIALIZE, to_initialize)] {
            let answer = json(&server.ask(request));
            assert_eq!(answer["error"]["code"].as_i64(), code, "{era}: {answer}");
            assert_eq!(answer["result"].is_object(), code.is_none(), "{era}: {answer}");
        }
    }
}

#[test]
fn silence_on_discover_and_no_harm_done() {
    let mut server = Server::start(&["--era", "silent-on-discover"]);
    server.send(&modern("d", "server/discover", ""));
    assert!(server.is_silent());
    assert!(server.ask(INITIALIZE).contains("protocolVersion"));
}

#[test]
fn any_request_before_initialize_ends_it() {
    for request in [modern("d", "server/discover", ""), LIST.to_owned()] {
        let mut server = Server::start(&["--era", "exits-on-discover"]);
        server.send(&request);
        assert_eq!(server.ends().code(), Some(1), "{request}");
    }
    let mut server = Server::start(&["--era", "exits-on-discover"]);
    server.ask(INITIALIZE);
    assert!(json(&server.ask(&modern("d", "server/discover", "")))["error"].is_object());
    assert!(server.ask(PING).contains("result"));
}

#[test]
fn a_modern_server_describes_itself() {
    let flags = ["--era", "modern", "--name", "files", "--instructions", "Be kind."];
    let mut server = Server::start(&flags);
    let result = json(&server.ask(&modern("d", "server/discover", "")))["result"].clone();
    assert_eq!(result["supportedVersions"], json(r#"["2026-07-28"]"#));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "files");
    assert_eq!(result["instructions"], "Be kind.");
    assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json("0"), &json(r#""private""#)));
}

#[test]
fn a_dual_server_names_all_versions() {
    let mut server = Server::start(&["--era", "dual"]);
    let result = json(&server.ask(&modern("d", "server/discover", "")))["result"].clone();
    assert_eq!(result["supportedVersions"][0], "2026-07-28");
    assert!(
        result["supportedVersions"].as_array().is_some_and(|it| it.contains(&"2024-11-05".into()))
    );
}

#[test]
fn modern_lists_and_calls_carry_what_they_must() {
    let flags = ["--era", "modern", "--ttl-ms", "300000", "--cache-scope", "public"];
    let mut server = Server::start(&flags);
    let list = json(&server.ask(&modern("l", "tools/list", "")))["result"].clone();
    assert_eq!((&list["resultType"], &list["ttlMs"]), (&json(r#""complete""#), &json("300000")));
    assert_eq!(list["cacheScope"], "public");
    let call = modern("c", "tools/call", r#""name":"echo","arguments":{"a":1}"#);
    let call = json(&server.ask(&call))["result"].clone();
    assert_eq!(call["resultType"], "complete");
    assert_eq!(call["content"][0]["text"], r#"testkit:echo {"a":1}"#);
    assert!(call.get("ttlMs").is_none(), "a call is never cached");
}

#[test]
fn legacy_answers_have_nothing_modern() {
    let mut server = Server::initialized(&["--era", "dual"]);
    for request in [LIST, CALL] {
        let answer = server.ask(request);
        for key in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert!(!answer.contains(key), "{key}: {answer}");
        }
    }
}

#[test]
fn a_modern_envelope_must_be_complete() {
    let good = modern("x", "tools/list", "");
    let capabilities = r#","io.modelcontextprotocol/clientCapabilities":{}"#;
    let cases = [
        (good.replace(capabilities, ""), -32602),
        (good.replace("\"2026-07-28\"", "7"), -32602),
        (good.replace("2026-07-28", "2099-01-01"), -32022),
        (LIST.to_owned(), -32602),
        (modern("x", "ping", ""), -32601),
        (modern("x", "initialize", ""), -32601),
        (modern("x", "logging/setLevel", ""), -32601),
        (modern("x", "resources/subscribe", ""), -32601),
        (modern("x", "resources/read", r#""uri":"x:y""#), -32602),
    ];
    let mut server = Server::start(&["--era", "modern"]);
    for (request, code) in cases {
        assert_eq!(json(&server.ask(&request))["error"]["code"], code, "{request}");
    }
    let refused = json(&server.ask(&good.replace("2026-07-28", "2099-01-01")));
    assert_eq!(refused["error"]["data"]["supported"], json(r#"["2026-07-28"]"#));
    assert_eq!(refused["error"]["data"]["requested"], "2099-01-01");
}

#[test]
fn a_modern_server_asks_by_ending_the_call() {
    let mut server = Server::start(&["--era", "modern", "--asks", "elicitation"]);
    let first = modern("one", "tools/call", r#""name":"echo""#);
    let asked = json(&server.ask(&first))["result"].clone();
    assert_eq!(asked["resultType"], "input_required");
    assert_eq!(asked["inputRequests"]["asked"]["method"], "elicitation/create");
    assert!(asked["requestState"].is_string());
    let again = r#""name":"echo","inputResponses":{"asked":{"action":"accept"}},"requestState":"state of echo""#;
    let done = json(&server.ask(&modern("two", "tools/call", again)))["result"].clone();
    assert_eq!(done["resultType"], "complete");
    assert!(done["content"][1]["text"].as_str().is_some_and(|text| text.contains("accept")));
}

#[test]
fn a_retry_with_another_state_is_refused() {
    let mut server = Server::start(&["--era", "modern", "--asks", "roots"]);
    for state in ["", r#","requestState":"state of ech0""#] {
        let params = format!(r#""name":"echo","inputResponses":{{"asked":{{"roots":[]}}}}{state}"#);
        assert_eq!(json(&server.ask(&modern("r", "tools/call", &params)))["error"]["code"], -32602);
    }
}

#[test]
fn a_subscription_is_acknowledged_tagged_and_ended() {
    let mut server = Server::start(&["--era", "modern", "--list-changed", "2"]);
    server.send(&modern(
        "sub",
        "subscriptions/listen",
        r#""notifications":{"toolsListChanged":true,"promptsListChanged":true}"#,
    ));
    let key = "io.modelcontextprotocol/subscriptionId";
    let first = json(&server.line());
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(first["params"]["notifications"], json(r#"{"toolsListChanged":true}"#));
    assert_eq!(first["params"]["_meta"][key], "sub");
    for _ in 0..2 {
        let change = json(&server.line());
        assert_eq!(change["method"], "notifications/tools/list_changed");
        assert_eq!(change["params"]["_meta"][key], "sub");
    }
    server.send(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"sub"}}"#,
    );
    let end = json(&server.line());
    assert_eq!((&end["id"], &end["result"]["_meta"][key]), (&json(r#""sub""#), &json(r#""sub""#)));
}

#[test]
fn a_modern_client_hears_only_what_it_asked_for() {
    let flags = ["--era", "modern", "--list-changed", "2:list", "--log-first", "2"];
    let mut server = Server::start(&flags);
    server.send(&modern("l", "tools/list", ""));
    assert_eq!(
        json(&server.line())["id"],
        "l",
        "no log without a level, no change without listening"
    );
    assert!(server.is_silent());
}
