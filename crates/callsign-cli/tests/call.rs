//! `callsign call`: the caller uses the exposed name, the server gets its own. Numbers `t…` are those of the acceptance
//! tests that the project was built against.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

mod support;

use std::time::Duration;

use serde_json::{Value, json};
use support::{Outcome, Sandbox, server};

/// A server that records what reaches it, in a file of its key's name.
fn recording(sandbox: &Sandbox, key: &str, flags: &[&str]) -> Value {
    let record = sandbox.path(key).to_string_lossy().into_owned();
    server(["--name", key, "--record", &record].iter().copied().chain(flags.iter().copied()))
}

/// The lines that called a tool.
fn calls(sandbox: &Sandbox, key: &str) -> Vec<Value> {
    let lines = sandbox.recorded(key).unwrap_or_default();
    let messages = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    messages.filter(|message| message["method"] == "tools/call").collect()
}

fn alpha_and_beta() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("alpha", recording(&sandbox, "alpha", &["--tools", "request"])),
        ("beta", recording(&sandbox, "beta", &["--tools", "request"])),
    ]);
    sandbox
}

fn text(outcome: &Outcome) -> String {
    outcome.json()["content"][0]["text"].as_str().expect("a text").to_owned()
}

/// t14: two different strings in one assertion.
#[test]
fn t14_the_server_receives_the_wire_name_where_the_caller_used_the_exposed_name() {
    let sandbox = alpha_and_beta();
    let used = "mcp__alpha__request";
    sandbox.configured(&format!("call {used} --yes")).run().exits(0);
    let received = &calls(&sandbox, "alpha")[0]["params"]["name"];
    assert_eq!((used, received), ("mcp__alpha__request", &json!("request")));
}

/// t15: were the two swapped, the wire name would reach a server and the exposed name would be received.
#[test]
fn t15_the_wire_name_calls_nobody_and_the_exposed_name_reaches_nobody() {
    let sandbox = alpha_and_beta();
    let refused = sandbox.configured("call request --yes").run().exits(2);
    refused.warns(&["`request`", "`mcp__alpha__request`", "`mcp__beta__request`"]);
    assert_eq!((calls(&sandbox, "alpha"), calls(&sandbox, "beta")), (vec![], vec![]));
    sandbox.configured("call mcp__beta__request --yes").run().exits(0);
    assert!(!sandbox.recorded("beta").expect("a record").contains("mcp__beta__request"));
}

/// t16, one call at a time.
#[test]
fn t16_each_server_answers_for_its_own_tool() {
    let sandbox = alpha_and_beta();
    for key in ["alpha", "beta"] {
        let outcome = sandbox.configured(&format!("call mcp__{key}__request --yes")).run().exits(0);
        assert_eq!(text(&outcome), format!("{key}:request {{}}"));
    }
    assert_eq!((calls(&sandbox, "alpha").len(), calls(&sandbox, "beta").len()), (1, 1));
}

/// t17.
#[test]
fn t17_a_wire_name_that_looks_exposed_reaches_the_server_unchanged() {
    let sandbox = Sandbox::new();
    let wire = "mcp__alpha__request";
    sandbox.servers(&[("alpha", recording(&sandbox, "alpha", &["--tools", wire]))]);
    sandbox.configured("call mcp__alpha__mcp__alpha__request --yes").run().exits(0);
    assert_eq!(calls(&sandbox, "alpha")[0]["params"]["name"], wire);
    let refused = sandbox.configured(&format!("call {wire} --yes")).run().exits(2);
    refused.warns(&["`mcp__alpha__mcp__alpha__request`"]);
}

/// t18.
#[test]
fn t18_a_wire_name_with_dots_keeps_them_on_the_wire() {
    let sandbox = Sandbox::new();
    let record = recording(&sandbox, "alpha", &["--tools", "admin.tools.list"]);
    sandbox.servers(&[("alpha", record)]);
    let name = sandbox
        .callsign(["name", "--scheme", "provider-safe", "alpha", "admin.tools.list"])
        .run()
        .exits(0)
        .stdout;
    assert!(!name.contains('.'), "{name}");
    let call = format!("call {} --scheme provider-safe --yes", name.trim());
    let outcome = sandbox.configured(&call).run().exits(0);
    assert_eq!(text(&outcome), "alpha:admin.tools.list {}");
    assert_eq!(calls(&sandbox, "alpha")[0]["params"]["name"], "admin.tools.list");
}

/// t41. Where a static list says whose the name is, even the other servers of the selection stay off.
#[test]
fn t41_a_server_outside_the_selection_is_never_started() {
    let sandbox = alpha_and_beta();
    sandbox.configured("call mcp__alpha__request --yes --only alpha").run().exits(0);
    assert_eq!(sandbox.recorded("beta"), None);

    let sandbox = Sandbox::new();
    let listed = |key: &str| {
        let mut entry = recording(&sandbox, key, &["--tools", "request"]);
        entry["tools"] = json!(["request"]);
        entry
    };
    sandbox.servers(&[("alpha", listed("alpha")), ("beta", listed("beta"))]);
    sandbox.configured("call mcp__alpha__request --yes").run().exits(0);
    assert_eq!(sandbox.recorded("beta"), None);
    let alpha = sandbox.recorded("alpha").expect("a record");
    assert!(!alpha.contains("tools/list"), "its tools are known already: {alpha}");
}

/// What was heard before is enough to know whose the name is.
#[test]
fn a_call_starts_no_server_that_it_does_not_need() {
    let sandbox = alpha_and_beta();
    sandbox.configured("list --live --yes").run().exits(0);
    for key in ["alpha", "beta"] {
        std::fs::remove_file(sandbox.path(key)).expect("a record");
    }
    sandbox.configured("call mcp__alpha__request --yes").run().exits(0);
    assert_eq!(calls(&sandbox, "alpha").len(), 1);
    assert_eq!(sandbox.recorded("beta"), None);
}

#[test]
fn every_scheme_calls_the_same_tool() {
    for (scheme, name) in [
        ("qualified", "mcp__alpha__request"),
        ("provider-safe", "mcp__alpha__request"),
        ("prefixed", "alpha__request"),
        ("prefixed-safe", "alpha__request"),
        ("minimal", "alpha_request"),
    ] {
        let sandbox = alpha_and_beta();
        let outcome = sandbox.configured(&format!("call {name} --scheme {scheme} --yes")).run();
        assert_eq!(text(&outcome.exits(0)), "alpha:request {}", "{scheme}");
    }
    let sandbox = alpha_and_beta();
    let bare = sandbox.configured("call request --scheme bare --yes").run().exits(2);
    bare.warns(&["`request` is claimed by `request` of server `alpha`", "server `beta`", "help: "]);
    assert_eq!((calls(&sandbox, "alpha"), calls(&sandbox, "beta")), (vec![], vec![]));
}

#[test]
fn arguments_come_from_the_command_line_or_from_standard_input() {
    let sandbox = alpha_and_beta();
    let call = ["call", "mcp__alpha__request", "--yes", "--config", "servers.json", "--args"];
    let with = |arguments: &str| sandbox.callsign(call.into_iter().chain([arguments]));
    let outcome = with(r#"{"path": "a b"}"#).run().exits(0);
    assert_eq!(text(&outcome), r#"alpha:request {"path": "a b"}"#);
    let outcome = with("-").input("{\"from\": \"stdin\"}\n").run().exits(0);
    assert_eq!(text(&outcome), r#"alpha:request {"from": "stdin"}"#);
    assert_eq!(calls(&sandbox, "alpha")[1]["params"]["arguments"], json!({"from": "stdin"}));
}

#[test]
fn arguments_that_are_no_object_reach_nobody() {
    let sandbox = alpha_and_beta();
    let call = ["call", "mcp__alpha__request", "--yes", "--config", "servers.json", "--args"];
    for wrong in ["", "[1]", "null", "{", "{\"a\": }", "{} {}", "path=a", "\u{1b}[31m"] {
        let outcome = sandbox.callsign(call.into_iter().chain([wrong])).run().exits(2);
        let outcome = outcome.warns(&["error: --args is not", "help: write a JSON object"]);
        assert!(!outcome.stderr.contains('\u{1b}'), "{outcome}");
        assert_eq!(sandbox.recorded("alpha"), None, "{wrong:?}");
    }
    let bytes = sandbox.callsign(call.into_iter().chain(["-"])).input([0xff, 0xfe]).run();
    bytes.exits(2);
}

#[test]
fn arguments_and_results_come_through_byte_for_byte() {
    let sandbox = alpha_and_beta();
    let arguments = r#"{"big":123456789012345678901234567890,"exact":1.0,"far":1e400,"z":{"y":[],"a":null},"sign":-0.0,"text":"\u00e9 é","unknown_field":true}"#;
    let call = ["call", "mcp__alpha__request", "--yes", "--config", "servers.json", "--args"];
    let outcome = sandbox.callsign(call.into_iter().chain([arguments])).run().exits(0);
    let recorded = sandbox.recorded("alpha").expect("a record");
    assert!(recorded.contains(&format!(r#""arguments":{arguments}"#)), "{recorded}");
    // The server gives them back as they came.
    assert!(outcome.stdout.contains(arguments), "{outcome}");

    let result = r#"{"content":[],"structuredContent":{"n":9007199254740993,"f":1.10,"e":1e+400},"unknown":{"b":1,"a":2}}"#;
    sandbox.servers(&[("gamma", server(["--tools", "t", "--result", result]))]);
    let outcome = sandbox.configured("call mcp__gamma__t --yes").run().exits(0);
    assert_eq!(outcome.stdout, format!("{result}\n"));
}

#[test]
fn a_result_that_says_error_is_printed_and_ends_with_one() {
    let sandbox = Sandbox::new();
    let result = r#"{"content":[{"type":"text","text":"disk full"}],"isError":true}"#;
    sandbox.servers(&[("alpha", server(["--tools", "request", "--result", result]))]);
    let outcome = sandbox.configured("call mcp__alpha__request --yes").run().exits(1);
    assert_eq!(outcome.stdout, format!("{result}\n"));
}

#[test]
fn a_call_that_is_refused_or_not_answered_ends_with_two() {
    let sandbox = Sandbox::new();
    let refusal = r#"{"code":-32602,"message":"no such table\u001b[31m"}"#;
    sandbox.servers(&[
        ("refuses", server(["--tools", "t", "--error", refusal])),
        ("dies", server(["--tools", "t", "--exit-at", "call", "--stderr", "out of memory"])),
    ]);
    let refused = sandbox.configured("call mcp__refuses__t --yes").run().exits(2);
    let refused = refused.warns(&["tool `t` of server `refuses`", "no such table", "-32602"]);
    assert!(!refused.stderr.contains('\u{1b}'), "{refused}");
    let died = sandbox.configured("call mcp__dies__t --yes").run().exits(2);
    let died = died.warns(&["tool `t` of server `dies`", "it ended", "help: ", "out of memory"]);
    assert_eq!(died.stdout, "");
}

#[test]
fn an_unknown_name_is_answered_with_what_may_have_been_meant() {
    let sandbox = alpha_and_beta();
    let near = sandbox.configured("call mcp__alpha__reqest --yes").run().exits(2);
    near.warns(&["no tool answers to `mcp__alpha__reqest`", "did you mean `mcp__alpha__request`"]);
    let spelled = sandbox.configured("call alpha__request --yes").run().exits(2);
    spelled.warns(&["prefixed", "`mcp__alpha__request`"]);
    assert_eq!((calls(&sandbox, "alpha"), calls(&sandbox, "beta")), (vec![], vec![]));
}

#[test]
fn a_name_of_a_server_that_is_not_there_says_which_servers_are_unknown() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("alpha", server(["--tools", "request"])),
        ("down", json!({"command": "no-such-program"})),
    ]);
    let outcome = sandbox.configured("call mcp__down__request --yes").run().exits(2);
    outcome.warns(&["no tool answers to `mcp__down__request`", "the tools of down are not known"]);
}

#[test]
fn a_tool_that_a_filter_leaves_out_can_not_be_called() {
    let sandbox = Sandbox::new();
    let mut entry = recording(&sandbox, "alpha", &["--tools", "read,delete"]);
    entry["exclude"] = json!(["delete"]);
    sandbox.servers(&[("alpha", entry)]);
    sandbox.configured("call mcp__alpha__read --yes").run().exits(0);
    sandbox.configured("call mcp__alpha__delete --yes").run().exits(2);
    assert_eq!(calls(&sandbox, "alpha").len(), 1);
}

#[test]
fn a_tool_that_never_answers_is_given_up() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("alpha", server(["--tools", "t", "--never-answer", "call"]))]);
    let outcome = sandbox.configured("call mcp__alpha__t --yes --timeout 1").run().exits(2);
    assert!(outcome.elapsed < Duration::from_secs(15), "{:?}", outcome.elapsed);
    outcome.warns(&["tool `t` of server `alpha`", "1 s"]);
}

/// The time limit of a tool's own options wins.
#[test]
fn a_tool_has_the_time_its_options_give_it() {
    let sandbox = Sandbox::new();
    let program = json!(callsign_testkit::server_binary());
    sandbox.write(
        "callsign.toml",
        format!(
            "[servers.alpha]\ncommand = {program}\nargs = ['serve', '--tools', 't,u', '--slow', '1500:call']\n\
             [servers.alpha.options.t]\ntime_limit_seconds = 0.5\n"
        ),
    );
    sandbox.callsign(["call", "mcp__alpha__t", "--yes"]).run().exits(2).warns(&["0.5 s"]);
    sandbox.callsign(["call", "mcp__alpha__u", "--yes"]).run().exits(0);
    let longer = ["call", "mcp__alpha__t", "--yes", "--timeout", "30"];
    sandbox.callsign(longer).run().exits(0);
}

/// A tool that can't be read costs itself only.
#[test]
fn a_malformed_tool_does_not_keep_the_others_from_being_called() {
    let sandbox = Sandbox::new();
    let listed = json!({"tools": ["good", {"description": "no name"}]});
    let mut entry = recording(&sandbox, "s", &["--tools", "good"]);
    entry["tools"] = listed["tools"].clone();
    sandbox.servers(&[("s", entry)]);
    let call = sandbox.configured("call mcp__s__good --yes").run().exits(0);
    call.warns(&["server `s`: tool at position 2 is left out"]);
    sandbox.configured("which mcp__s__good").run().exits(0);
}

/// Only a server whose tools are not known is asked to find the one that is meant.
#[test]
fn a_server_that_lists_its_tools_is_not_asked_for_them() {
    let sandbox = Sandbox::new();
    let mut listed = recording(&sandbox, "listed", &["--tools", "a"]);
    listed["tools"] = json!(["a"]);
    let unknown = recording(&sandbox, "unknown", &["--tools", "b"]);
    sandbox.servers(&[("listed", listed), ("unknown", unknown)]);
    sandbox.configured("call mcp__unknown__b --yes").run().exits(0);
    assert_eq!(sandbox.recorded("listed"), None);
}

/// Asked in return, nobody can answer; the call must neither hang nor pass for done.
#[test]
fn a_server_that_asks_back_gets_no_and_the_call_ends() {
    for (era, status) in [("legacy", 0), ("modern", 2)] {
        let sandbox = Sandbox::new();
        let asks = server(["--tools", "t", "--era", era, "--asks", "elicitation"]);
        sandbox.servers(&[("alpha", asks)]);
        let outcome = sandbox.configured("call mcp__alpha__t --yes").run().exits(status);
        match status {
            0 => outcome.says(&["-32601"]),
            _ => outcome.says(&["input_required"]).warns(&["it asks for more input", "help: "]),
        };
    }
}

/// The server that does not answer may have the very name.
#[test]
fn a_name_without_a_key_is_not_guessed_while_a_server_is_unknown() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("a", server(["--tools", "delete_all", "--exit-at", "initialize"])),
        ("b", server(["--tools", "delete_all"])),
    ]);
    for scheme in ["bare", "minimal"] {
        let outcome = sandbox.configured(&format!("call --yes --scheme {scheme} delete_all")).run();
        outcome.exits(2).warns(&["the tools of `a` are not known"]);
    }
    sandbox.configured("call --yes mcp__b__delete_all").run().exits(0);
}
