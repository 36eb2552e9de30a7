//! Rules and a registry that changes: every decision is about the tools that are registered at that moment, and their exposed
//! names are spellings too.

use callsign::registry::{Registration, Registry, SharedRegistry};
use callsign::rules::{Disabled, Effect, Policy, Pool, Rule, Verdict};
use callsign::scheme::{Bare, Minimal, Prefixed, ProviderSafe, Scheme};
use callsign::{Catalogue, ServerKey, ToolId, WireName};
use proptest::prelude::*;
use proptest::sample::Index;

use super::fleets::cases;

fn key(text: &str) -> ServerKey {
    ServerKey::new(text).unwrap()
}

fn catalogue<'a>(wires: impl IntoIterator<Item = &'a str>) -> Catalogue {
    let mut catalogue = Catalogue::default();
    wires.into_iter().for_each(|wire| catalogue.push_named(WireName::new(wire).unwrap()));
    catalogue
}

fn registry(scheme: impl Scheme + 'static, servers: &[(&str, &[&str])]) -> Registry {
    let mut registry = Registry::new(scheme);
    for (server, wires) in servers {
        let catalogue = catalogue(wires.iter().copied());
        registry.register(key(server), catalogue, Registration::default()).unwrap();
    }
    registry
}

fn policy(rules: &[(Effect, &str)]) -> Policy {
    Policy::compile(rules.iter().filter_map(|(e, text)| Rule::spelled(*e, text)).collect())
}

fn verdict(policy: &Policy, registry: &Registry, call: (&str, &str)) -> Verdict {
    policy.decide(registry.snapshot().pool(), call).verdict
}

proptest! {
    #[test]
    fn every_change_of_a_registry_counts_at_the_next_decision(
        (tools, texts) in cases(12),
        changes in prop::collection::vec((0..4usize, any::<Index>()), 1..10),
    ) {
        let policy = Policy::compile(
            texts.iter().filter_map(|text| Rule::spelled(Effect::Allow, text)).collect(),
        );
        let shared = SharedRegistry::new(Registry::new(ProviderSafe));
        for (what, at) in changes {
            let server = key(&tools[at.index(tools.len())].server);
            let own = tools.iter().filter(|tool| *tool.server == *server);
            let all = catalogue(own.map(|tool| tool.tool.as_str()));
            // What a change comes to is not the question: some are refused.
            shared.change(|registry| match what {
                0 => drop(registry.remove(&server)),
                1 => drop(registry.replace(&server, Catalogue::default())),
                2 => drop(registry.replace(&server, all)),
                _ => drop(registry.register(server, all, Registration::default())),
            });
            let snapshot = shared.snapshot();
            let now: Vec<ToolId> = snapshot.entries().filter_map(|entry| entry.id()).collect();
            let afresh: Pool = now.iter().collect();
            prop_assert_eq!(snapshot.pool().len(), now.len());
            for me in &tools {
                prop_assert_eq!(
                    policy.explain(snapshot.pool(), me.call()),
                    policy.explain(&afresh, me.call())
                );
            }
        }
    }
}

#[test]
fn a_reader_decides_by_the_snapshot_it_holds() {
    let mut registry = registry(ProviderSafe, &[("foo:bar", &["get"])]);
    let policy = policy(&[(Effect::Allow, "mcp__foo_bar")]);
    let held = registry.snapshot();
    assert_eq!(policy.decide(held.pool(), ("foo:bar", "get")).verdict, Verdict::Allow);
    registry.register(key("foo_bar"), catalogue(["x"]), Registration::default()).unwrap();
    assert_eq!(verdict(&policy, &registry, ("foo:bar", "get")), Verdict::Default);
    assert_eq!(policy.decide(held.pool(), ("foo:bar", "get")).verdict, Verdict::Allow);
    registry.remove(&key("foo_bar")).unwrap();
    drop(held);
    assert_eq!(verdict(&policy, &registry, ("foo:bar", "get")), Verdict::Allow);
}

#[test]
fn a_registered_server_without_tools_and_a_disabled_tool_claim_nothing() {
    let mut registry = registry(ProviderSafe, &[("foo:bar", &["get"]), ("foo_bar", &[])]);
    let policy = policy(&[(Effect::Allow, "mcp__foo_bar")]);
    assert_eq!(verdict(&policy, &registry, ("foo:bar", "get")), Verdict::Allow);
    registry.replace(&key("foo_bar"), catalogue(["x"])).unwrap();
    assert_eq!(verdict(&policy, &registry, ("foo:bar", "get")), Verdict::Default);
    let pool = registry.snapshot().pool_without(Disabled::of(["mcp__foo_bar__x"]));
    assert_eq!(policy.decide(&pool, ("foo:bar", "get")).verdict, Verdict::Allow);
    assert_eq!(policy.decide(&pool, ("foo_bar", "x")).verdict, Verdict::Disabled);
    assert_eq!(pool.len(), 1);
}

#[test]
fn an_exposed_name_is_one_more_spelling() {
    let registry = registry(Prefixed::default(), &[("mail", &["send", "read"]), ("mail_", &["x"])]);
    for (text, server, tool, wanted) in [
        ("mail__send", "mail", "send", Verdict::Allow),
        ("mail__send", "mail", "read", Verdict::Default),
        ("mail__s*", "mail", "send", Verdict::Allow),
        // The beginning of `mail_`'s exposed names as well.
        ("mail__*", "mail", "send", Verdict::Default),
        ("mail__*", "mail_", "x", Verdict::Default),
        ("mail___*", "mail_", "x", Verdict::Allow),
        ("mcp__mail__send", "mail", "send", Verdict::Allow),
        ("send", "mail", "send", Verdict::Default),
    ] {
        let policy = policy(&[(Effect::Allow, text)]);
        assert_eq!(verdict(&policy, &registry, (server, tool)), wanted, "{text} {server}/{tool}");
    }
    for text in ["mail__*", "mail__send", "mail__sen*"] {
        let policy = policy(&[(Effect::Deny, text)]);
        assert_eq!(verdict(&policy, &registry, ("mail", "send")), Verdict::Deny, "{text}");
    }
}

#[test]
fn a_tool_exposed_by_another_tools_name_makes_a_grant_of_it_ambiguous() {
    let registry = registry(Bare, &[("evil", &["mcp__mail__send"]), ("mail", &["send"])]);
    let policy = policy(&[(Effect::Allow, "mcp__mail__send")]);
    assert_eq!(verdict(&policy, &registry, ("evil", "mcp__mail__send")), Verdict::Default);
    assert_eq!(verdict(&policy, &registry, ("mail", "send")), Verdict::Default);
    let explained = policy.explain(registry.snapshot().pool(), ("mail", "send"));
    let told = format!("{:?}", explained.answers);
    assert!(told.contains("evil"), "{told}");
}

/// A wildcard over exposed names grants one server's tools; over several servers' it could mean any of them.
#[test]
fn a_wildcard_over_bare_names_is_one_servers_or_nobodys() {
    let registry = registry(Bare, &[("a", &["get_x", "get_y", "put"]), ("b", &["put_z"])]);
    let granted = |text: &str, call| {
        verdict(&policy(&[(Effect::Allow, text)]), &registry, call) == Verdict::Allow
    };
    assert!(granted("get_*", ("a", "get_x")) && granted("get_*", ("a", "get_y")));
    assert!(!granted("get_*", ("a", "put")) && !granted("put*", ("a", "put")));
    assert!(!granted("put*", ("b", "put_z")) && granted("put_*", ("b", "put_z")));
}

/// Which claimant of a wire name has it exposed depends on the fleet; what a denial covers does not.
#[test]
fn a_denied_wire_name_stays_denied_when_another_server_takes_it() {
    let policy =
        policy(&[(Effect::Deny, "search"), (Effect::Ask, "wri*"), (Effect::Allow, "read")]);
    let one = [("a", &["search", "write", "read"][..])];
    let two = [one[0], ("b", &["search", "write", "read"][..])];
    for fleet in [&one[..], &two] {
        let ids: Vec<ToolId> = fleet
            .iter()
            .flat_map(|(server, wires)| wires.iter().map(|w| ToolId::parse(server, w).unwrap()))
            .collect();
        let scheme = Minimal::over(ids.iter().map(|id| (id.server(), id.wire())));
        let registry = registry(scheme, fleet);
        assert_eq!(verdict(&policy, &registry, ("a", "search")), Verdict::Deny);
        assert_eq!(verdict(&policy, &registry, ("a", "write")), Verdict::Ask);
        let read = verdict(&policy, &registry, ("a", "read"));
        assert_eq!(read == Verdict::Allow, fleet.len() == 1, "a grant follows what is exposed");
    }
}
