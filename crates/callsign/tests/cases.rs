//! Public reports (data/cases/reports.jsonl), each a small input and what a correct tool does with it.
//!
//! Checked here is what names, a registry and the audit decide alone. Whatever a line wants beside that is waiting, by
//! kind and with the reason, and printed. A word this file doesn't know fails the test: nothing passes by not being read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "shared with the audit's tests")]
#[path = "audit/reader.rs"]
mod reader;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use callsign::audit::Server;
use callsign::catalogue::{Catalogue, Filter, Tool};
use callsign::registry::{
    FleetError, Load, LoadError, MissingCause, OnTaken, RegisterError, Registration, Registry,
    Snapshot, ToolOptions,
};
use callsign::rules::{Policy, Pool};
use callsign::scheme::by_id;
use callsign::{ServerKey, ToolId, WireName};
use serde_json::Value;

/// Parts of an input that need more than names, and what that is.
const INPUT_WAITS: [(&str, &str); 13] = [
    ("history", "crates/callsign/tests/history.rs"),
    ("lock", "the lock file"),
    ("projects", "the reader of client configurations"),
    ("open", "the reader of client configurations"),
    ("files", "the reader of client configurations"),
    ("raw_json", "the reader of client configurations"),
    ("text", "crates/callsign-cli/tests/report_cases.rs"),
    ("migrate", "crates/callsign-cli/tests/report_cases.rs"),
    ("disabled", "crates/callsign-cli/tests/report_cases.rs"),
    ("local_groups", "profiles of hosts"),
    ("scheme_separator", "refusal of separators in configuration"),
    ("gateway_separator", "refusal of separators in configuration"),
    ("via_gateway", "the gateway behind a host"),
];
/// Parts that are read here.
const INPUT_READ: [&str; 9] =
    ["mcpServers", "host", "scheme", "call", "then", "local", "options", "agent", "rules"];

const SERVER_WAITS: [(&str, &str); 3] = [
    ("alias", "configured aliases"),
    ("prefix", "configured prefixes"),
    ("overrides", "configured names of tools"),
];
const SERVER_READ: [&str; 9] =
    ["tools", "prompts", "serverInfo", "url", "headers", "command", "args", "include", "exclude"];

const EVENT_WAITS: [(&str, &str); 3] = [
    ("give_up", "connections to servers"),
    ("start_without", "connections to servers"),
    ("crash_during_list", "connections to servers"),
];

const ERROR_WAITS: [(&str, &str); 2] = [
    ("server-down", "connections to servers"),
    ("duplicate-key", "the reader of client configurations"),
];

/// Findings that another part of the audit will report.
const CODE_WAITS: [(&str, &str); 4] = [
    ("CS013", "finding CS013"),
    ("CS016", "finding CS016"),
    ("CS017", "finding CS017"),
    ("CS018", "finding CS018"),
];
/// Findings that do not depend on what a host does: they were checked against `qualified` names.
const CODE_OF_ANY_HOST: [&str; 5] = ["CS001", "CS003", "CS004", "CS008", "CS011"];
/// Where the expected finding is that of the host's names after all.
const FINDING_OF_HOST: [(&str, &str); 2] = [("c053", "CS004"), ("c055", "CS004")];

/// Holds for every line that can be registered, so it answers none.
const AUDIT_AGREES: &str = "audit agrees";

const EXPECTATIONS: [&str; 6] =
    ["findings", "no_findings", "exposed", "routed", "error", "decision"];

const KINDS: [&str; 42] = [
    "config-dependent-name",
    "definition-drift",
    "double-prefix",
    "duplicate-key",
    "duplicate-tool",
    "duplicate-within-server",
    "empty-list",
    "filter",
    "gateway",
    "illegal-character",
    "leading-character",
    "legacy-spelling",
    "list-changed",
    "local-tool-occupies",
    "lossy-conversion",
    "meta-tool-name",
    "misrouting",
    "model-misspells",
    "name-too-long",
    "naming-preference",
    "order-dependent-name",
    "prompt-collision",
    "provider-rejects",
    "reconnect",
    "rule-invalid",
    "rule-not-matching",
    "rule-reaches-further",
    "same-server-twice",
    "sanitise-collision",
    "schema-mismatch",
    "separator-ambiguity",
    "server-info-name",
    "shadowing",
    "specification",
    "stale-reference",
    "stale-rule",
    "stale-snapshot",
    "stale-state",
    "truncation-collision",
    "two-instances",
    "unicode",
    "unstable-server-key",
];

/// Kinds of the families "rules and filters", "names that change" and "reading a name back".
fn is_about_rules(kind: &str) -> bool {
    kind.starts_with("rule-")
        || [
            "config-dependent-name",
            "empty-list",
            "filter",
            "legacy-spelling",
            "misrouting",
            "separator-ambiguity",
            "stale-reference",
            "stale-rule",
            "truncation-collision",
            "unstable-server-key",
        ]
        .contains(&kind)
}

/// What lines of these kinds may wait for all the same: nothing of it is a decision or a finding about rules.
const BESIDE_RULES: [&str; 4] = [
    "profiles of hosts",
    "crates/callsign-cli/tests/report_cases.rs",
    "configured prefixes",
    "expected in words only",
];

fn reason(table: &[(&str, &'static str)], word: &str) -> Option<&'static str> {
    table.iter().find(|(known, _)| *known == word).map(|(_, reason)| *reason)
}

/// What came of one line.
#[derive(Default)]
struct Line {
    /// Expectations that were looked at and hold.
    held: Vec<&'static str>,
    /// What the others wait for.
    waiting: BTreeSet<&'static str>,
    wrong: Vec<String>,
}

impl Line {
    fn must(&mut self, what: &'static str, holds: bool, otherwise: impl FnOnce() -> String) {
        if holds {
            self.held.push(what);
        } else {
            self.wrong.push(format!("{what}: {}", otherwise()));
        }
    }
}

#[test]
fn every_report_is_answered_or_waits_for_a_reason() {
    let mut checked = 0;
    let mut held = BTreeMap::<&str, usize>::new();
    let mut waiting = BTreeMap::<(String, Vec<&str>), Vec<String>>::new();
    let mut wrong = Vec::new();
    let mut seen_kinds = BTreeSet::new();
    for line in reader::data("cases/reports.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (id, kind) = (text(&case, "id"), text(&case, "kind"));
        assert!(KINDS.contains(&kind), "{id}: what is the kind {kind}?");
        seen_kinds.insert(kind.to_owned());
        let line = answer(&case);
        wrong.extend(line.wrong.iter().map(|wrong| format!("{id} ({kind}): {wrong}")));
        for what in &line.held {
            *held.entry(what).or_default() += 1;
        }
        if line.waiting.is_empty() {
            checked += 1;
        } else {
            let part =
                if line.held.iter().all(|what| *what == AUDIT_AGREES) { "" } else { " in part" };
            let reasons = line.waiting.into_iter().collect();
            waiting.entry((kind.to_owned(), reasons)).or_default().push(format!("{id}{part}"));
        }
    }
    let waits: usize = waiting.values().map(Vec::len).sum();
    println!("{checked} checked, {waits} waiting; expectations that hold: {held:?}");
    for ((kind, reasons), ids) in &waiting {
        println!("waiting: {kind}: {} (for {})", ids.join(", "), reasons.join(", "));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let waits: Vec<&String> = waiting
        .iter()
        .filter(|((kind, reasons), _)| {
            is_about_rules(kind) && !reasons.iter().all(|reason| BESIDE_RULES.contains(reason))
        })
        .flat_map(|(_, ids)| ids)
        .collect();
    assert!(waits.is_empty(), "these wait, although rules are decided: {waits:?}");
    assert_eq!(seen_kinds.len(), KINDS.len(), "a kind of the table is in no line");
    assert!(checked > 80, "only {checked} lines were checked");
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_else(|| panic!("no text `{field}` in {value}"))
}

fn fields(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}

fn texts(value: &Value) -> Vec<String> {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    items.iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}

fn answer(case: &Value) -> Line {
    let mut line = Line::default();
    let (input, expect) = (&case["input"], &case["expect"]);
    refuse_unknown_words(case, &mut line);
    if input["mcpServers"].is_object() {
        audited(case, &mut line);
        if fields(&input["mcpServers"])
            .all(|(_, s)| fields(s).all(|(f, _)| reason(&SERVER_WAITS, f).is_none()))
        {
            registered(case, &mut line);
        }
    }
    decided(case, &mut line);
    also_decided(case, &mut line);
    for (what, _) in fields(expect) {
        assert!(EXPECTATIONS.contains(&what), "what does it mean to expect `{what}`?");
    }
    let of_its_own = line.held.iter().any(|what| *what != AUDIT_AGREES);
    if !of_its_own && line.waiting.is_empty() && line.wrong.is_empty() {
        line.waiting.insert("expected in words only");
    }
    line
}

/// Every word of the input is read here, or waits for something named.
fn refuse_unknown_words(case: &Value, line: &mut Line) {
    let id = text(case, "id");
    for (part, value) in fields(&case["input"]) {
        let waits = reason(&INPUT_WAITS, part);
        assert!(waits.is_some() || INPUT_READ.contains(&part), "{id}: what is the input `{part}`?");
        line.waiting.extend(waits);
        if part == "then" {
            for (event, _) in value.as_array().unwrap().iter().flat_map(fields) {
                let read = ["list_changed", "reconnect", "add_server", "remove_server"];
                let waits = reason(&EVENT_WAITS, event);
                assert!(waits.is_some() || read.contains(&event), "{id}: what is `{event}`?");
                line.waiting.extend(waits);
            }
        }
    }
    for (field, _) in fields(&case["input"]["mcpServers"]).flat_map(|(_, server)| fields(server)) {
        let waits = reason(&SERVER_WAITS, field);
        assert!(waits.is_some() || SERVER_READ.contains(&field), "{id}: what is `{field}`?");
        line.waiting.extend(waits);
    }
}

/// The findings of the servers as they are configured, under `qualified` or the scheme that the line names.
fn audited(case: &Value, line: &mut Line) {
    let (input, expect) = (&case["input"], &case["expect"]);
    let scheme = input["scheme"].as_str().unwrap_or("qualified");
    let findings = reader::findings_with_rules(scheme, reader::servers_of(input), &input["rules"]);
    let found = reader::codes(&findings);
    for (_, code, words) in RULE_FINDINGS.iter().filter(|(id, ..)| *id == text(case, "id")) {
        let said = findings
            .iter()
            .any(|finding| finding.code().code == *code && finding.to_string().contains(words));
        line.must("findings", said, || format!("no {code} says `{words}` in {findings:#?}"));
    }
    for code in texts(&expect["findings"]) {
        if let Some(waits) = reason(&CODE_WAITS, &code) {
            line.waiting.insert(waits);
        } else if of_the_host(case, &code) {
            line.waiting.insert("profiles of hosts");
        } else if input["mcpServers"].to_string().contains("\"prefix\"") {
            line.waiting.insert("configured prefixes");
        } else {
            // The duplicates of one server under two keys are folded into the finding that says so.
            let folded = code == "CS001" && found.contains(&"CS007");
            let there = found.contains(&code.as_str()) || folded;
            line.must("findings", there, || format!("no {code} in {findings:#?}"));
        }
    }
    for code in texts(&expect["no_findings"]) {
        line.must("no_findings", !found.contains(&code.as_str()), || {
            format!("{code} in {findings:#?}")
        });
    }
    for code in texts(&expect["findings"]).into_iter().chain(texts(&expect["no_findings"])) {
        let known = callsign::audit::code(&code).is_some() || reason(&CODE_WAITS, &code).is_some();
        assert!(known, "what is {code}?");
    }
}

/// What is to be said of rules, where a line asks for it in words.
const RULE_FINDINGS: [(&str, &str, &str); 12] = [
    ("c141", "CS015", "any that is added later"),
    ("c145", "CS014", "no server `claude-flow`"),
    ("c145", "CS014", "`ruflo`"),
    ("c149", "CS014", "refused as ambiguous: it may mean `foo/bar` of `svc` or `foo:bar` of `svc`"),
    ("c151", "CS014", "the filter of server `a` leaves out its only tool"),
    ("c153", "CS014", "write `mcp__44444444-0000-4000-8000-000000000004__slack_send_message`"),
    ("c155", "CS014", "error[CS014]: deny rule `mcp__claude_ai_Gmail__send_message`"),
    ("c155", "CS014", "write `mcp__11111111-0000-4000-8000-000000000001__send_message`"),
    ("c156", "CS014", "no server has the key `claude_ai_brain`"),
    ("c156", "CS014", "write `mcp__22222222-0000-4000-8000-000000000002__put_page`"),
    ("c203", "CS001", "`read_file`"),
    ("c204", "CS001", "`read_file`"),
];

/// Decisions that a line asks for in words: on another tool, or by other rules than its own.
const ALSO_DECIDED: [(&str, Option<&str>, &str, &str, &str); 18] = [
    ("c135", Some(r#"{"allow": ["mcp__cachebro"]}"#), "cachebro", "read_file", "allow"),
    ("c135", Some(r#"{"allow": ["mcp__cachebro__read_file"]}"#), "cachebro", "read_file", "allow"),
    ("c138", Some(r#"{"allow": ["mcp__context7__*"]}"#), "context7", "get-library-docs", "allow"),
    ("c140", None, "linear", "list_issues", "allow"),
    ("c140", None, "linear", "get_issue", "allow"),
    ("c142", Some(r#"{"allow": ["mcp__appctrl__*"]}"#), "appctrl", "click", "allow"),
    ("c143", Some(r#"{"allow": ["mcp__context7"]}"#), "context7", "resolve-library-id", "allow"),
    ("c146", None, "claude-flow", "run", "allow"),
    ("c148", None, "foo_bar", "get_x", "allow"),
    ("c149", None, "svc", "foo:bar", "deny"),
    ("c152", None, "a-b", "x", "allow"),
    ("c203", None, "filesystem", "read_file", "default"),
    ("c204", None, "filesystem", "read_file", "allow"),
    // The old cut name of both tools.
    ("c067", Some(CUT_DENIED), ROVO, "createIssueLinkBetweenProjectsWithCommentAndNotify", "deny"),
    ("c067", Some(CUT_DENIED), ROVO, "removeIssueLinkBetweenProjectsWithCommentAndNotify", "deny"),
    (
        "c067",
        Some(CUT_ALLOWED),
        ROVO,
        "createIssueLinkBetweenProjectsWithCommentAndNotify",
        "default",
    ),
    (
        "c067",
        Some(CUT_ALLOWED),
        ROVO,
        "removeIssueLinkBetweenProjectsWithCommentAndNotify",
        "default",
    ),
    (
        "c161",
        Some(r#"{"allow": ["mcp__chrome-devtools"]}"#),
        "chrome-devtools",
        "found_later",
        "allow",
    ),
];
const ROVO: &str = "atlassian-rovo-mcp-server-cloud";
const CUT_DENIED: &str =
    r#"{"deny": ["mcp__atlassian-rovo-mcp-serv___weenProjectsWithCommentAndNotify"]}"#;
const CUT_ALLOWED: &str =
    r#"{"allow": ["mcp__atlassian-rovo-mcp-serv___weenProjectsWithCommentAndNotify"]}"#;

/// The decision on the call, and those that the line asks for in words.
fn decided(case: &Value, line: &mut Line) {
    let (input, expect) = (&case["input"], &case["expect"]);
    if let Some(wanted) = expect["decision"].as_str() {
        let call = &input["call"];
        let decision = decision(input, &input["rules"], text(call, "server"), text(call, "tool"));
        line.must("decision", decision == wanted, || format!("{decision} instead of {wanted}"));
    }
}

fn also_decided(case: &Value, line: &mut Line) {
    for (_, rules, server, tool, wanted) in
        ALSO_DECIDED.iter().filter(|(id, ..)| *id == text(case, "id"))
    {
        let own = &case["input"]["rules"];
        let rules = rules.map_or(own.clone(), |rules| serde_json::from_str(rules).unwrap());
        let decision = decision(&case["input"], &rules, server, tool);
        line.must("decision", decision == *wanted, || {
            format!("{server}/{tool} by {rules}: {decision} instead of {wanted}")
        });
    }
}

fn decision(input: &Value, rules: &Value, server: &str, tool: &str) -> &'static str {
    let servers = reader::servers_of(input);
    let pool = servers.iter().flat_map(Server::identities);
    let pool = Pool::of(pool.map(|(key, wire)| (key.as_str(), wire.as_str())));
    let policy = Policy::compile(reader::rules_of(rules));
    policy.decide(&pool, (server, tool)).verdict.as_str()
}

/// Whether a finding is expected of the names a host makes.
fn of_the_host(case: &Value, code: &str) -> bool {
    case["input"]["host"].is_string()
        && (!CODE_OF_ANY_HOST.contains(&code)
            || FINDING_OF_HOST.contains(&(text(case, "id"), code)))
}

/// The spelling in which a line's names are written.
fn scheme_of(case: &Value) -> &str {
    let names: Vec<&str> =
        fields(&case["expect"]["exposed"]).map(|(_, name)| name.as_str().unwrap()).collect();
    match case["input"]["scheme"].as_str() {
        Some(scheme) => scheme,
        None if names.is_empty() || names.iter().any(|name| name.starts_with("mcp__")) => {
            "qualified"
        }
        None => "prefixed",
    }
}

/// The servers through a registry: names, routes, errors, and every event.
fn registered(case: &Value, line: &mut Line) {
    let (input, expect) = (&case["input"], &case["expect"]);
    let mut registry = Registry::with_scheme(Arc::from(by_id(scheme_of(case), []).unwrap()));
    for local in texts(&input["local"]) {
        registry.register_local(WireName::new(local).unwrap(), OnTaken::Refuse).unwrap();
    }
    let before = format!("{:?}", registry.snapshot());
    let loaded = registry.load(fleet(input));
    if let Some(kind) = expect["error"].as_str() {
        let snapshot = registry.snapshot();
        match (kind, &loaded) {
            ("name-taken", Err(error)) => taken_by_local(error, line),
            ("name-claimed-twice", Err(error)) => claimed_twice(error, line),
            ("filter-names-unknown-tool", Err(error)) => unknown_in_filter(error, line),
            ("unknown-name-with-hint", Ok(_)) => hinted(case, &snapshot, line),
            ("tool-removed", Ok(_)) => {} // After the events.
            (kind, _) if reason(&ERROR_WAITS, kind).is_some() => {
                line.waiting.extend(reason(&ERROR_WAITS, kind));
            }
            (kind @ ("name-taken" | "name-claimed-twice" | "filter-names-unknown-tool"), Ok(_)) => {
                line.wrong.push(format!("no error, expected {kind}"));
            }
            (kind, Err(error)) => line.wrong.push(format!("{error}, expected {kind}")),
            (kind, Ok(_)) => panic!("what is the error {kind}?"),
        }
    }
    agrees_with_the_audit(case, loaded.as_ref().err(), line);
    if loaded.is_err() {
        assert_eq!(format!("{:?}", registry.snapshot()), before, "complete or unchanged");
        return;
    }
    options_arrive(input, &registry.snapshot(), line);
    exposed(case, &registry.snapshot(), false, line);
    for event in input["then"].as_array().into_iter().flatten() {
        happens(event, &mut registry, line);
    }
    exposed(case, &registry.snapshot(), true, line);
    routed(case, &registry.snapshot(), line);
}

fn fleet(input: &Value) -> Vec<Load<'static>> {
    fields(&input["mcpServers"])
        .map(|(key, server)| Load {
            server: ServerKey::new(key).unwrap(),
            catalogue: Ok(listing(&server["tools"])),
            registration: registration(key, server, &input["options"]),
        })
        .collect()
}

fn listing(tools: &Value) -> Catalogue {
    let mut catalogue = Catalogue::default();
    for tool in tools.as_array().into_iter().flatten() {
        match tool.as_str() {
            Some(name) => catalogue.push_named(WireName::new(name).unwrap()),
            None => catalogue.push_tool(&tool.to_string()),
        }
    }
    catalogue
}

fn registration(key: &str, server: &Value, options: &Value) -> Registration<'static> {
    let list = |field: &str| server.get(field).map(texts);
    let options = fields(options).filter(|(server, _)| *server == key).flat_map(|(_, o)| fields(o));
    let options = options.map(|(wire, options)| {
        let seconds = options["timeout_s"].as_u64().unwrap_or_else(|| panic!("what is {options}?"));
        let time_limit = Some(Duration::from_secs(seconds));
        (wire.to_owned(), ToolOptions { time_limit, ..ToolOptions::default() })
    });
    Registration {
        filter: Filter { include: list("include"), exclude: list("exclude"), tools: None },
        options: options.collect(),
        ..Registration::default()
    }
}

/// What can't be loaded has a finding that is an error, and the reverse: the audit and the registry are of one mind.
fn agrees_with_the_audit(case: &Value, error: Option<&FleetError>, line: &mut Line) {
    let other = ["name-taken", "filter-names-unknown-tool"];
    if case["expect"]["error"].as_str().is_some_and(|kind| other.contains(&kind)) {
        return;
    }
    let found = reader::findings(scheme_of(case), reader::servers_of(&case["input"]));
    let found = reader::codes(&found);
    let told = ["CS002", "CS003", "CS004", "CS008"].iter().any(|code| found.contains(code));
    line.must(AUDIT_AGREES, told == error.is_some(), || format!("{found:?} and {error:?}"));
}

fn causes(error: &FleetError) -> impl Iterator<Item = &MissingCause> {
    error
        .0
        .values()
        .flat_map(|error| match error {
            LoadError::Register(RegisterError::Shortfall { missing, .. }) => missing.as_slice(),
            _ => &[],
        })
        .map(|missing| &missing.cause)
}

fn taken_by_local(error: &FleetError, line: &mut Line) {
    use callsign::registry::Claimant::Local;
    let by_local =
        causes(error).any(|cause| matches!(cause, MissingCause::Taken { holder: Local(_), .. }));
    line.must("error", by_local, || error.to_string());
}

fn claimed_twice(error: &FleetError, line: &mut Line) {
    let claims = causes(error).filter(|cause| matches!(cause, MissingCause::Taken { .. })).count();
    line.must("error", claims == 2 && error.0.len() == 2, || error.to_string());
}

fn unknown_in_filter(error: &FleetError, line: &mut Line) {
    let unknown = error
        .0
        .values()
        .any(|error| matches!(error, LoadError::Register(RegisterError::UnknownFilterEntries(_))));
    line.must("error", unknown, || error.to_string());
}

/// A name nobody has is answered with that of the one tool that was meant.
fn hinted(case: &Value, snapshot: &Snapshot, line: &mut Line) {
    let input = &case["input"];
    let mut asked = texts(&input["agent"]["tools"]);
    asked.extend(input["call"]["name"].as_str().map(str::to_owned));
    assert!(!asked.is_empty(), "{case}");
    for asked in asked {
        let miss = snapshot.resolve(&asked).expect_err("nobody has the name");
        let meant: Vec<_> =
            snapshot.entries().filter(|entry| asked.ends_with(entry.wire().as_str())).collect();
        let hint = miss.suggestions().first().map(ToString::to_string);
        let wanted = meant.first().map(|entry| entry.exposed().to_string());
        line.must("error", hint.is_some() && hint == wanted, || miss.to_string());
    }
}

fn options_arrive(input: &Value, snapshot: &Snapshot, line: &mut Line) {
    let given: BTreeSet<(&str, &str)> = fields(&input["options"])
        .flat_map(|(server, options)| fields(options).map(move |(wire, _)| (server, wire)))
        .collect();
    if given.is_empty() {
        return;
    }
    let arrived: BTreeSet<(&str, &str)> = snapshot
        .entries()
        .filter(|entry| entry.options().is_some())
        .map(|entry| (entry.server().unwrap().as_str(), entry.wire().as_str()))
        .collect();
    line.must("options", arrived == given, || format!("{arrived:?}"));
}

/// Each expected name; before the events only those of tools that are there already.
fn exposed(case: &Value, snapshot: &Snapshot, after: bool, line: &mut Line) {
    let servers = &case["input"]["mcpServers"];
    for (identity, name) in fields(&case["expect"]["exposed"]) {
        let (server, wire) = identity.split_once('/').unwrap();
        let id = ToolId::parse(server, wire).unwrap();
        let name = name.as_str().unwrap();
        if snapshot.name_of(&id).is_none() && !after {
            continue;
        }
        let answers = snapshot.get(name).and_then(|entry| entry.id());
        line.must("exposed", answers.as_ref() == Some(&id), || format!("{name} is {answers:?}"));
    }
    let filtered = |server: &Value| server.get("include").or(server.get("exclude")).is_some();
    if fields(servers).any(|(_, server)| filtered(server)) && !case["expect"]["exposed"].is_null() {
        let names: BTreeSet<_> = snapshot.entries().map(|entry| entry.exposed().as_str()).collect();
        let wanted: BTreeSet<_> =
            fields(&case["expect"]["exposed"]).map(|(_, name)| name.as_str().unwrap()).collect();
        line.must("nothing else exposed", names == wanted, || format!("{names:?}"));
    }
}

fn happens(event: &Value, registry: &mut Registry, line: &mut Line) {
    for (what, event) in fields(event) {
        match what {
            "list_changed" | "reconnect" => relisted(event, registry, line),
            "remove_server" => {
                let key = ServerKey::new(event.as_str().unwrap()).unwrap();
                registry.remove(&key).unwrap();
                assert!(registry.snapshot().tools_of(&key).is_none());
            }
            "add_server" => {
                for (key, tools) in fields(event) {
                    let (key, tools) = (ServerKey::new(key).unwrap(), listing(tools));
                    registry.register(key, tools, Registration::default()).unwrap();
                }
            }
            _ => assert!(reason(&EVENT_WAITS, what).is_some(), "what is {what}?"),
        }
    }
}

/// A new listing takes the place of the old with the difference told, or is refused and the old one serves on.
fn relisted(event: &Value, registry: &mut Registry, line: &mut Line) {
    let key = ServerKey::new(text(event, "server")).unwrap();
    let new = listing(&event["tools"]);
    let old = registry.snapshot();
    let wires = |tools: &[Tool]| tools.iter().map(|tool| tool.wire().clone()).collect::<Vec<_>>();
    let before = old.tools_of(&key).unwrap();
    let before: Vec<Tool> = before.iter().map(|entry| entry.tool().clone()).collect();
    let had = |tools: &[Tool], wire: &WireName| tools.iter().any(|tool| tool.wire() == wire);
    let distinct: BTreeSet<_> = wires(new.tools()).into_iter().collect();
    let Ok(change) = registry.replace(&key, new.clone()) else {
        let refused_rightly = distinct.len() < new.tools().len();
        let serves = *registry.snapshot() == *old;
        line.must("old listing serves on", refused_rightly && serves, || event.to_string());
        return;
    };
    let name = |snapshot: &Snapshot, wire: &WireName| {
        snapshot.name_of(&ToolId::new(key.clone(), wire.clone())).unwrap().clone()
    };
    let now = registry.snapshot();
    let added = wires(new.tools()).into_iter().filter(|wire| !had(&before, wire));
    let removed = wires(&before).into_iter().filter(|wire| !had(new.tools(), wire));
    let changed = before.iter().filter(|old| {
        new.tools()
            .iter()
            .any(|new| new.wire() == old.wire() && new.definition() != old.definition())
    });
    let changed_names: Vec<_> =
        change.changed.iter().map(|changed| changed.exposed.clone()).collect();
    let agree = change.added == added.map(|wire| name(&now, &wire)).collect::<Vec<_>>()
        && change.removed == removed.map(|wire| name(&old, &wire)).collect::<Vec<_>>()
        && changed_names == changed.map(|tool| name(&now, tool.wire())).collect::<Vec<_>>()
        && change.removed.iter().all(|gone| now.resolve(gone).is_err());
    line.must("change set", agree, || format!("{change:?}"));
}

/// Who gets the call, under which wire name.
fn routed(case: &Value, snapshot: &Snapshot, line: &mut Line) {
    let (input, expect) = (&case["input"], &case["expect"]);
    let Some(name) = input["call"]["name"].as_str() else { return };
    if expect["error"] == "tool-removed" {
        let miss = snapshot.resolve(name);
        line.must("error", miss.is_err(), || format!("{name} still answers"));
    }
    if !expect["routed"].is_object() {
        return;
    }
    let wanted =
        ToolId::parse(text(&expect["routed"], "server"), text(&expect["routed"], "tool")).unwrap();
    let own = snapshot.name_of(&wanted).is_some_and(|own| own.as_str() == name);
    if input["host"].is_string() && !own {
        line.waiting.insert("profiles of hosts");
        return;
    }
    let answers = snapshot.resolve(name).ok().and_then(|entry| entry.id());
    line.must("routed", answers.as_ref() == Some(&wanted), || format!("{name} is {answers:?}"));
}
