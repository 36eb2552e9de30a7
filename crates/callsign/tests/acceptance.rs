//! What callsign promises about a registry, one test a promise, numbered.
//!
//! | numbers | where |
//! |---|---|
//! | 7, 8, 13 | `src/scheme/qualified.rs` |
//! | 9 | `src/scheme/mod.rs` |
//! | 10 | `src/name/mod.rs` |
//! | 27 | `src/catalogue/filter.rs` |
//! | 38 | `src/catalogue/listed.rs`; with a server, `callsign-cli`'s `tests/check_live.rs` |
//! | 14, 15 | need a server: `callsign-cli`'s `tests/call.rs` |
//! | 16, 41 | need servers: `callsign-mcp`'s `tests/fleet.rs`, and `callsign-cli`'s `tests/call.rs` |
//! | 26 | here; with servers that fail, `callsign-cli`'s `tests/check_live.rs` |
//! | all others, to 42 | here |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod fleet;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use callsign::audit;
use callsign::catalogue::Filter;
use callsign::registry::{
    Claimant, Duplicate, FleetError, Load, LoadError, LocalError, MissingCause, OnTaken,
    RegisterError, Registration, Registry, ReplaceError, ToolOptions, Unreadable,
};
use callsign::scheme::{Bare, ProviderSafe, Qualified, Scheme};
use callsign::{Catalogue, ExposedName, ServerKey, Tool, ToolId};
use fleet::{catalogue, definition, down, key, load, local, permutations, rendering, view, wire};

fn qualified() -> Registry {
    Registry::new(Qualified::default())
}

fn register(registry: &mut Registry, server: &str, tools: &[&str]) -> Vec<ExposedName> {
    registry.register(key(server), catalogue(tools), Registration::default()).unwrap()
}

fn try_register(registry: &mut Registry, server: &str, tools: &[&str]) -> RegisterError {
    registry.register(key(server), catalogue(tools), Registration::default()).unwrap_err()
}

fn id(server: &str, tool: &str) -> ToolId {
    ToolId::parse(server, tool).unwrap()
}

fn names(registry: &Registry) -> Vec<String> {
    registry.snapshot().entries().map(|entry| entry.exposed().to_string()).collect()
}

fn options(wire: &str, options: ToolOptions) -> Registration<'static> {
    Registration { options: BTreeMap::from([(wire.to_owned(), options)]), ..Default::default() }
}

fn hidden(wire: &str) -> Registration<'static> {
    options(wire, ToolOptions { hidden: true, ..ToolOptions::default() })
}

#[test]
fn t01_two_servers_with_one_wire_name_give_two_entries_in_either_order() {
    for order in [["alpha", "beta"], ["beta", "alpha"]] {
        let mut registry = qualified();
        registry.set_server_order(vec![key("alpha"), key("beta")]);
        for server in order {
            register(&mut registry, server, &["request"]);
        }
        assert_eq!(names(&registry), ["mcp__alpha__request", "mcp__beta__request"]);
        for server in order {
            let name = format!("mcp__{server}__request");
            let snapshot = registry.snapshot();
            assert_eq!(snapshot.resolve(&name).unwrap().id(), Some(id(server, "request")));
        }
    }
}

#[test]
fn t02_three_servers_in_all_six_orders_give_one_listing() {
    let servers = ["one", "two", "three"];
    let mut listings = BTreeSet::new();
    for order in permutations(3) {
        let mut registry = qualified();
        registry.set_server_order(servers.map(key).to_vec());
        for at in &order {
            register(&mut registry, servers[*at], &["request", servers[*at]]);
        }
        listings.insert(view(&registry.snapshot()));
        let mut registry = qualified();
        registry.set_server_order(servers.map(key).to_vec());
        let fleet = order.iter().map(|at| load(servers[*at], &["request", servers[*at]]));
        registry.load(fleet.collect()).unwrap();
        listings.insert(view(&registry.snapshot()));
    }
    assert_eq!(listings.len(), 1, "{listings:#?}");
}

#[test]
fn t03_one_server_alone_is_qualified_as_well() {
    let mut registry = qualified();
    assert_eq!(register(&mut registry, "alpha", &["request"])[0].as_str(), "mcp__alpha__request");
    assert!(registry.resolve("request").is_err());
}

#[test]
fn t04_adding_or_removing_an_unrelated_server_changes_no_name() {
    let mut registry = qualified();
    register(&mut registry, "alpha", &["request", "read"]);
    let before = names(&registry);
    register(&mut registry, "beta", &["request", "alpha__request"]);
    assert_eq!(names(&registry)[..2], before);
    registry.remove(&key("beta")).unwrap();
    assert_eq!(names(&registry), before);
}

#[test]
fn t05_a_filter_gives_the_same_names_as_discovery() {
    let mut discovered = qualified();
    register(&mut discovered, "alpha", &["request"]);
    let mut filtered = qualified();
    let only = Filter { tools: Some(vec!["request".into()]), ..Filter::default() };
    let registration = Registration { filter: only, ..Registration::default() };
    let given =
        filtered.register(key("alpha"), catalogue(&["other", "request"]), registration).unwrap();
    assert_eq!(given[0].as_str(), "mcp__alpha__request");
    assert_eq!(view(&filtered.snapshot()), view(&discovered.snapshot()));
}

#[test]
fn t06_an_identity_has_one_name_in_return_value_registry_scheme_and_error() {
    let mut registry = qualified();
    let returned = register(&mut registry, "alpha", &["b__c"]).remove(0);
    let snapshot = registry.snapshot();
    let (server, tool) = (key("alpha"), wire("b__c"));
    assert_eq!(snapshot.name_of(&id("alpha", "b__c")), Some(&returned));
    assert_eq!(snapshot.resolve(&returned).unwrap().exposed(), &returned);
    assert_eq!(Qualified::default().name(&server, &tool).unwrap(), returned);
    let change = registry.replace(&server, Catalogue::default()).unwrap();
    assert_eq!(change.removed, std::slice::from_ref(&returned));
    register(&mut registry, "alpha__b", &["c"]);
    let error = registry.replace(&server, catalogue(&["b__c"])).unwrap_err();
    assert!(error.to_string().contains(&format!("`{returned}`")), "{error}");
    let local = registry.register_local(local(&returned), OnTaken::Refuse).unwrap_err();
    assert!(local.to_string().contains(&format!("`{returned}`")), "{local}");
}

/// Both servers and both wire names must stand in the message, whoever came first.
fn names_both(error: &impl ToString, first: (&str, &str), second: (&str, &str)) {
    let text = error.to_string();
    for part in [first.0, first.1, second.0, second.1] {
        assert!(text.contains(&format!("`{part}`")), "`{part}` in: {text}");
    }
}

fn one_spelling(a: (&str, &str), b: (&str, &str)) {
    for (first, second) in [(a, b), (b, a)] {
        let mut registry = qualified();
        register(&mut registry, first.0, &[first.1]);
        let before = rendering(&registry);
        let error = try_register(&mut registry, second.0, &[second.1]);
        names_both(&error, first, second);
        assert_eq!(rendering(&registry), before);

        register(&mut registry, second.0, &["harmless"]);
        let before = rendering(&registry);
        let error =
            registry.replace(&key(second.0), catalogue(&["harmless", second.1])).unwrap_err();
        names_both(&error, first, second);
        assert_eq!(rendering(&registry), before);

        let mut registry = qualified();
        let fleet = vec![load(first.0, &[first.1]), load(second.0, &[second.1])];
        let error = registry.load(fleet).unwrap_err();
        assert_eq!(error.0.len(), 2, "nobody wins");
        names_both(&error, first, second);
    }
}

#[test]
fn t11_two_identities_of_one_spelling_are_an_error_that_names_both() {
    one_spelling(("a", "b__c"), ("a__b", "c"));
}

#[test]
fn t12_an_underscore_at_the_joint_is_the_same_error() {
    one_spelling(("foo", "_x"), ("foo_", "x"));
}

#[test]
fn t17_a_wire_name_that_looks_qualified_reaches_the_server_unchanged() {
    let mut registry = qualified();
    let given = register(&mut registry, "alpha", &["mcp__alpha__request"]);
    assert_eq!(given[0].as_str(), "mcp__alpha__mcp__alpha__request");
    let snapshot = registry.snapshot();
    let entry = snapshot.resolve(&given[0]).unwrap();
    assert_eq!(entry.wire().as_str(), "mcp__alpha__request");
    assert_eq!(entry.server(), Some(&key("alpha")));
}

#[test]
fn t18_dots_reach_the_server_under_provider_safe() {
    let mut registry = Registry::new(ProviderSafe);
    let given = register(&mut registry, "ops", &["status.get"]);
    assert!(!given[0].contains('.'), "{given:?}");
    assert_eq!(registry.resolve(&given[0]).unwrap().wire().as_str(), "status.get");
}

#[test]
fn t19_one_illegal_tool_at_any_place_leaves_the_registry_byte_equal() {
    let good: Vec<String> = (0..6).map(|index| format!("tool_{index}")).collect();
    for bad in 0..good.len() {
        let mut tools = good.clone();
        tools[bad] = "not legal".into();
        let mut registry = qualified();
        register(&mut registry, "first", &["tool_0"]);
        let before = rendering(&registry);
        let error = registry
            .register(key("second"), catalogue(&tools), Registration::default())
            .unwrap_err();
        let RegisterError::Shortfall { missing, advertised, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!((missing.len(), missing[0].position, *advertised), (1, bad, 6));
        assert_eq!(rendering(&registry), before, "register, tool {bad}");
        registry.replace(&key("first"), catalogue(&tools)).unwrap_err();
        assert_eq!(rendering(&registry), before, "replace, tool {bad}");
        registry.load(vec![load("second", &["fine"]), load("third", &tools)]).unwrap_err();
        assert_eq!(rendering(&registry), before, "load, tool {bad}");
    }
}

/// A registry in which every kind of failure can be had: two servers and a local tool.
fn occupied() -> Registry {
    let mut registry = qualified();
    registry.set_server_order(vec![key("late"), key("alpha")]);
    registry.register(key("alpha"), catalogue(&["request", "b__c"]), hidden("request")).unwrap();
    register(&mut registry, "beta", &["request"]);
    registry.register_local(local("mcp__gamma__local"), OnTaken::Refuse).unwrap();
    registry
}

fn refuse(_: &[Tool]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err("quarantined".into())
}

type Failure = (&'static str, Catalogue, Registration<'static>, fn(&RegisterError) -> bool);

fn shortfall(error: &RegisterError) -> bool {
    matches!(error, RegisterError::Shortfall { missing, .. } if missing.len() == 1)
}

fn failures() -> Vec<Failure> {
    let plain = Registration::default;
    let only = |tools: &str| Registration {
        filter: Filter { tools: Some(vec![tools.into()]), ..Filter::default() },
        ..Registration::default()
    };
    let take = |name: &str| Registration {
        replace_local: BTreeSet::from([name.to_owned()]),
        ..Registration::default()
    };
    let mut malformed = catalogue(&["fine"]);
    malformed.push_tool("{}");
    let long = "t".repeat(60);
    vec![
        ("illegal", catalogue(&["fine", "a b"]), plain(), shortfall),
        ("too long", catalogue(&["fine", &long]), plain(), shortfall),
        ("unreadable", malformed, plain(), shortfall),
        ("taken by a local tool", catalogue(&["fine", "local"]), plain(), shortfall),
        ("twice in the listing", catalogue(&["fine", "x", "x"]), plain(), |error| {
            matches!(error, RegisterError::DuplicateInListing { .. })
        }),
        (
            "admission refused",
            catalogue(&["fine"]),
            Registration { admission: Some(&refuse), ..Registration::default() },
            |error| {
                matches!(error, RegisterError::Refused { .. }) && error.to_string() == "quarantined"
            },
        ),
        ("unknown option", catalogue(&["fine"]), hidden("fin"), |error| {
            matches!(error, RegisterError::UnknownOptions(_))
        }),
        ("unknown filter entry", catalogue(&["fine"]), only("fin"), |error| {
            matches!(error, RegisterError::UnknownFilterEntries(_))
        }),
        ("no such local tool", catalogue(&["request"]), take("mcp__beta__request"), |error| {
            matches!(error, RegisterError::UnknownLocal { .. })
        }),
        ("no such claim", catalogue(&["request"]), take("mcp__gamma__local"), |error| {
            matches!(error, RegisterError::UnclaimedLocal { .. })
        }),
    ]
}

#[test]
fn t20_every_other_failure_leaves_the_registry_byte_equal_too() {
    let mut registry = occupied();
    let before = rendering(&registry);
    for (what, catalogue, registration, expected) in failures() {
        let error =
            registry.register(key("gamma"), catalogue.clone(), registration.clone()).unwrap_err();
        assert!(expected(&error), "{what}: {error:?}");
        assert_eq!(rendering(&registry), before, "register: {what}");
        let fleet = vec![
            load("before", &["x"]),
            Load { server: key("gamma"), catalogue: Ok(catalogue), registration },
            load("after", &["x"]),
        ];
        let FleetError(errors) = registry.load(fleet).unwrap_err();
        assert!(
            matches!(&errors[&key("gamma")], LoadError::Register(error) if expected(error)),
            "{what}"
        );
        assert_eq!(rendering(&registry), before, "load: {what}");
    }
    let error = try_register(&mut registry, "alpha__b", &["fine", "c"]);
    assert!(shortfall(&error) && error.to_string().contains("`alpha`"), "{error}");
    assert_eq!(rendering(&registry), before, "register: taken by another server");
}

#[test]
fn t20_a_failed_replacement_or_removal_leaves_the_registry_byte_equal() {
    let mut registry = occupied();
    register(&mut registry, "gamma", &["old"]);
    let before = rendering(&registry);
    for (what, catalogue, registration, expected) in failures() {
        // Filter, options and local names belong to the first registration: only the listing can fail here.
        let Err(error) =
            registry.replace_admitted(&key("gamma"), catalogue, registration.admission)
        else {
            assert!(what.starts_with("unknown") || what.starts_with("no such"), "{what}");
            registry.replace(&key("gamma"), catalogue_of_old()).unwrap();
            continue;
        };
        let ReplaceError::Register(error) = error else { panic!("{error}") };
        assert!(expected(&error), "{what}: {error:?}");
        assert_eq!(rendering(&registry), before, "replace: {what}");
    }
    registry.replace(&key("nobody"), catalogue(&["x"])).unwrap_err();
    registry.remove(&key("nobody")).unwrap_err();
    registry.remove_local(&wire("nobody")).unwrap_err();
    registry.remove_local(&wire("mcp__beta__request")).unwrap_err();
    registry.register_local(wire("a b"), OnTaken::Refuse).unwrap_err();
    registry.register_local(wire("nobody"), OnTaken::Replace).unwrap_err();
    registry.register_local(wire("mcp__beta__request"), OnTaken::Replace).unwrap_err();
    assert_eq!(rendering(&registry), before);
}

fn catalogue_of_old() -> Catalogue {
    catalogue(&["old"])
}

#[test]
fn t21_a_name_twice_on_one_page_or_two_is_the_servers_error_with_both_positions() {
    let pages: [&[&[&str]]; 2] = [&[&["x", "a", "y", "a"]], &[&["x", "a"], &["y", "a"]]];
    for pages in pages {
        let mut listing = Catalogue::default();
        for tool in pages.iter().copied().flatten() {
            listing.push_tool(&definition(tool));
        }
        let mut registry = qualified();
        let error = registry.register(key("s"), listing, Registration::default()).unwrap_err();
        let RegisterError::DuplicateInListing { server, duplicates } = &error else {
            panic!("{error}")
        };
        assert_eq!(server, &key("s"));
        assert_eq!(duplicates, &[Duplicate { wire: wire("a"), first: 1, second: 3 }]);
        assert_eq!(error.to_string(), "server `s` advertises `a` twice, at positions 2 and 4");
    }
}

#[test]
fn t22_zero_tools_succeed_and_differ_from_not_reachable() {
    let mut registry = qualified();
    assert!(register(&mut registry, "empty", &[]).is_empty());
    let report = registry.load_available(vec![down("gone", "connection refused")]);
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.tools_of(&key("empty")).map(|tools| tools.len()), Some(0));
    assert!(snapshot.tools_of(&key("gone")).is_none());
    assert!(snapshot.servers().eq([&key("empty")]));
    let reason = report.missing[&key("gone")].to_string();
    assert_eq!(reason, "server `gone` has no catalogue: connection refused");
}

#[test]
fn t23_a_shortfall_lists_every_missing_name_sorted_with_its_cause() {
    let mut registry = occupied();
    let mut listing = catalogue(&["z z", "local", "fine", "a.b"]);
    listing.push_tool(r#"{"name":"twice","name":"twice"}"#);
    listing.push_tool(r#"{"title":"nameless"}"#);
    let error = registry.register(key("gamma"), listing, Registration::default()).unwrap_err();
    let RegisterError::Shortfall { server, advertised, missing } = &error else {
        panic!("{error}")
    };
    assert_eq!((server, *advertised), (&key("gamma"), 6));
    let wires: Vec<_> = missing.iter().map(|m| m.wire.as_deref()).collect();
    assert_eq!(wires, [None, Some("a.b"), Some("local"), Some("twice"), Some("z z")]);
    let places: Vec<_> = missing.iter().map(|missing| missing.position).collect();
    assert_eq!(places, [5, 3, 1, 4, 0]);
    assert!(matches!(missing[0].cause, MissingCause::Malformed(_)));
    assert!(matches!(missing[1].cause, MissingCause::Unnameable(_)));
    let MissingCause::Taken { exposed, holder } = &missing[2].cause else { panic!("{error}") };
    assert_eq!(exposed.as_str(), "mcp__gamma__local");
    assert_eq!(holder, &Claimant::Local(wire("mcp__gamma__local")));
    assert_eq!(error.to_string().lines().count(), 6, "one line each: {error}");
    assert!(error.to_string().starts_with("5 of 6 tools of server `gamma`"), "{error}");
}

/// A listing of `names` with an entry that has no name in front and one that is unreadable otherwise behind.
fn partly_unreadable(names: &[&str]) -> Catalogue {
    let mut listing = Catalogue::default();
    listing.push_tool(r#"{"title":"nameless"}"#);
    names.iter().for_each(|name| listing.push_tool(&definition(name)));
    listing.push_tool(r#"{"name":"twice","name":"twice"}"#);
    listing
}

#[test]
fn unreadable_tools_are_left_out_where_that_is_asked_for_and_can_be_named() {
    let asked = || Registration { unreadable: Unreadable::LeaveOut, ..Registration::default() };
    let left_out = |registry: &Registry, server: &str| -> Vec<(usize, String)> {
        let snapshot = registry.snapshot();
        let entries = snapshot.left_out(&key(server)).unwrap().iter();
        entries.map(|entry| (entry.position, entry.reason.to_string())).collect()
    };
    let both =
        |last| vec![(0, "it has no `name`".to_owned()), (last, "it has `name` twice".to_owned())];
    let mut registry = qualified();
    registry.register(key("s"), partly_unreadable(&["a", "b"]), asked()).unwrap();
    assert_eq!(names(&registry), ["mcp__s__a", "mcp__s__b"]);
    assert_eq!(left_out(&registry, "s"), both(3));
    assert_eq!(registry.snapshot().left_out(&key("t")), None);

    let error = registry
        .register(key("t"), partly_unreadable(&["a"]), Registration::default())
        .unwrap_err();
    assert!(error.to_string().starts_with("2 of 3 tools of server `t`"), "{error}");

    registry.replace(&key("s"), partly_unreadable(&["a"])).unwrap();
    assert_eq!(left_out(&registry, "s"), both(2), "a new catalogue is taken as the first was");
    registry.replace(&key("s"), catalogue(&["a"])).unwrap();
    assert_eq!(left_out(&registry, "s"), []);

    let fleet = vec![
        Load { server: key("t"), catalogue: Ok(partly_unreadable(&["a"])), registration: asked() },
        load("u", &["a"]),
    ];
    registry.load(fleet).unwrap();
    assert_eq!((left_out(&registry, "t"), left_out(&registry, "u")), (both(2), vec![]));
}

#[test]
fn leaving_unreadable_tools_out_excuses_nothing_else() {
    let asked = |wire: &str| Registration { unreadable: Unreadable::LeaveOut, ..hidden(wire) };
    let mut registry = qualified();
    let before = rendering(&registry);
    let error = registry.register(key("s"), partly_unreadable(&["b b"]), asked("b b")).unwrap_err();
    let RegisterError::Shortfall { missing, .. } = &error else { panic!("{error}") };
    assert_eq!((missing.len(), missing[0].position), (1, 1));
    registry.register(key("s"), partly_unreadable(&["b"]), asked("c")).unwrap_err();
    registry.register(key("s"), partly_unreadable(&["b", "b"]), asked("b")).unwrap_err();
    assert_eq!(rendering(&registry), before);
    registry.register(key("s"), partly_unreadable(&["b"]), asked("twice")).unwrap();
}

#[test]
fn a_filter_that_names_the_good_tools_is_enough_beside_a_nameless_one() {
    let only = Filter { tools: Some(vec!["b".into()]), ..Filter::default() };
    let registration = || Registration { filter: only.clone(), ..Registration::default() };
    let mut registry = qualified();
    registry.register(key("s"), partly_unreadable(&["a", "b"]), registration()).unwrap();
    assert_eq!(names(&registry), ["mcp__s__b"]);
    registry.replace(&key("s"), partly_unreadable(&["c", "b"])).unwrap();
    assert_eq!(names(&registry), ["mcp__s__b"]);
}

#[test]
fn t24_all_failing_servers_are_reported_at_once() {
    let mut registry = qualified();
    let fleet = vec![
        load("good", &["x"]),
        down("down", "timed out after 10 s"),
        load("illegal", &["a b"]),
        load("double", &["x", "x"]),
    ];
    let error = registry.load(fleet).unwrap_err();
    assert_eq!(
        error.0.keys().map(ServerKey::as_str).collect::<Vec<_>>(),
        ["double", "down", "illegal"]
    );
    let text = error.to_string();
    assert!(text.starts_with("3 servers can't be loaded, so none was:"), "{text}");
    for word in ["timed out after 10 s", "U+0020", "positions 1 and 2"] {
        assert!(text.contains(word), "{word} in {text}");
    }
    assert!(registry.snapshot().is_empty());
}

#[test]
fn t25_one_server_down_registers_nothing_unless_partial_mode_is_asked_for() {
    let fleet = || vec![load("first", &["x"]), down("second", "exit status 1")];
    let mut registry = qualified();
    let before = rendering(&registry);
    registry.load(fleet()).unwrap_err();
    assert_eq!(rendering(&registry), before);
    let report = registry.load_available(fleet());
    assert_eq!(report.loaded[&key("first")][0].as_str(), "mcp__first__x");
    assert!(report.missing[&key("second")].to_string().contains("exit status 1"));
    assert_eq!(names(&registry), ["mcp__first__x"]);
}

/// A server runs in another process or elsewhere, so why it failed reaches the registry as text: all of it goes on to the
/// caller, and so does the error of whoever refuses its tools.
#[test]
fn t26_the_error_reaches_the_caller_in_its_own_words() {
    let words = "can't start `notes-server`: exit status 3; it wrote:\n  no such table: notes\n";
    let fleet = || {
        let mut refused = load("b", &["x"]);
        refused.registration.admission = Some(&refuse);
        vec![down("a", words), refused, load("c", &["x"])]
    };
    let FleetError(told) = qualified().load(fleet()).unwrap_err();
    let report = qualified().load_available(fleet());
    for failures in [&told, &report.missing] {
        assert!(failures.keys().eq([&key("a"), &key("b")]), "{failures:?}");
        let LoadError::Unavailable { reason, .. } = &failures["a"] else { panic!("{failures:?}") };
        assert_eq!(reason, words);
        assert!(failures["a"].to_string().ends_with(words));
        assert_eq!(failures["b"].to_string(), "quarantined");
    }
}

#[test]
fn t28_options_reach_the_tool_of_their_server_only() {
    let mut registry = qualified();
    let limit = ToolOptions {
        time_limit: Some(Duration::from_secs(5)),
        description: Some("Ours".into()),
        ..ToolOptions::default()
    };
    let registration = options("request", limit.clone());
    registry.register(key("alpha"), catalogue(&["request", "read"]), registration).unwrap();
    register(&mut registry, "beta", &["request"]);
    let of = |registry: &Registry, name: &str| registry.resolve(name).unwrap().options().cloned();
    assert_eq!(of(&registry, "mcp__alpha__request"), Some(limit.clone()));
    assert_eq!(of(&registry, "mcp__alpha__read"), None);
    assert_eq!(of(&registry, "mcp__beta__request"), None);
    registry.replace(&key("alpha"), catalogue(&["read", "request"])).unwrap();
    assert_eq!(of(&registry, "mcp__alpha__request"), Some(limit), "a new listing keeps them");
    registry.replace(&key("alpha"), catalogue(&["read"])).unwrap();
    registry.replace(&key("alpha"), catalogue(&["request"])).unwrap();
    assert!(of(&registry, "mcp__alpha__request").is_some(), "also for a tool that comes back");
}

#[test]
fn t29_an_unknown_option_key_is_an_error_before_any_change_with_near_misses() {
    let mut registry = qualified();
    let before = rendering(&registry);
    let error = registry
        .register(key("files"), catalogue(&["read_file", "stat"]), hidden("readfile"))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "server `files` has no tool `readfile` to set options for; did you mean `read_file`?"
    );
    assert_eq!(rendering(&registry), before);
}

#[test]
fn t30_options_under_the_exposed_name_are_an_error_whose_hint_is_the_wire_name() {
    let mut registry = qualified();
    let error = registry
        .register(key("alpha"), catalogue(&["request"]), hidden("mcp__alpha__request"))
        .unwrap_err();
    let RegisterError::UnknownOptions(unknown) = &error else { panic!("{error}") };
    assert_eq!(unknown[0].meant, Some(wire("request")));
    assert!(
        error.to_string().ends_with("options are keyed by the wire name, `request`"),
        "{error}"
    );
}

#[test]
fn t31_local_and_server_tools_of_one_name_are_an_error_in_both_orders() {
    let mut registry = qualified();
    registry.register_local(local("mcp__alpha__request"), OnTaken::Refuse).unwrap();
    let before = rendering(&registry);
    let error = try_register(&mut registry, "alpha", &["request"]).to_string();
    assert!(error.contains("the local tool `mcp__alpha__request`"), "{error}");
    assert!(error.contains("`request`") && error.contains("server `alpha`"), "{error}");
    assert_eq!(rendering(&registry), before);

    let mut registry = qualified();
    register(&mut registry, "alpha", &["request"]);
    let before = rendering(&registry);
    for on_taken in [OnTaken::Refuse, OnTaken::Replace] {
        let error = registry.register_local(local("mcp__alpha__request"), on_taken).unwrap_err();
        assert!(matches!(error, LocalError::Taken { .. }), "{error}");
        let text = error.to_string();
        assert!(text.contains("the local tool `mcp__alpha__request`"), "{text}");
        assert!(text.contains("tool `request` of server `alpha`"), "{text}");
        assert_eq!(rendering(&registry), before);
    }
}

#[test]
fn t32_explicit_replacement_of_one_name_works_and_is_the_only_way() {
    let mut registry = qualified();
    registry.register_local(local("shout"), OnTaken::Refuse).unwrap();
    registry.register_local(local("whisper"), OnTaken::Refuse).unwrap();
    assert!(registry.register_local(local("shout"), OnTaken::Refuse).is_err());
    let other = Tool::from_json(r#"{"name":"shout","description":"louder"}"#).unwrap();
    registry.register_local(other, OnTaken::Replace).unwrap();
    let description = registry.resolve("shout").unwrap().tool().description();
    assert_eq!(description.as_deref(), Some("louder"));
    assert_eq!(names(&registry), ["shout", "whisper"], "it keeps its place");

    let mut registry = Registry::new(Bare);
    for name in ["shout", "whisper"] {
        registry.register_local(local(name), OnTaken::Refuse).unwrap();
    }
    let take = |name: &str| Registration {
        replace_local: BTreeSet::from([name.to_owned()]),
        ..Registration::default()
    };
    let tools = || catalogue(&["shout", "whisper"]);
    assert!(registry.register(key("s"), tools(), take("shout")).is_err(), "only the one named");
    let unclaimed = registry.register(key("s"), catalogue(&["shout"]), take("whisper"));
    assert!(matches!(unclaimed, Err(RegisterError::Shortfall { .. })), "{unclaimed:?}");
    let unclaimed = registry.register(key("s"), catalogue(&["mutter"]), take("shout"));
    assert_eq!(
        unclaimed.unwrap_err().to_string(),
        "server `s` was to replace local tools whose names none of its tools gets: `shout`"
    );
    registry.register(key("s"), catalogue(&["shout"]), take("shout")).unwrap();
    assert_eq!(registry.resolve("shout").unwrap().server(), Some(&key("s")));
    assert_eq!(names(&registry), ["whisper", "shout"]);
}

#[test]
fn t33_every_form_of_a_local_tool_goes_through_one_guard() {
    let forms: [fn(&str) -> Tool; 3] =
        [local, |name| Tool::named(wire(name)), |name| Tool::from(wire(name))];
    for form in forms {
        let mut registry = qualified();
        register(&mut registry, "alpha", &["request"]);
        registry.register_local(form("mine"), OnTaken::Refuse).unwrap();
        let before = rendering(&registry);
        let mut refused = |name: &str| {
            registry.register_local(form(name), OnTaken::Refuse).unwrap_err().to_string()
        };
        assert!(refused("mcp__alpha__request").contains("server `alpha`"));
        assert!(refused("mine").contains("already that of the local tool `mine`"));
        assert!(refused("not legal").contains("U+0020"));
        assert!(refused(&"x".repeat(65)).contains("65 characters"));
        assert_eq!(rendering(&registry), before);
    }
}

#[test]
fn t34_replacing_reports_added_removed_and_changed_and_an_error_keeps_the_old() {
    let mut registry = qualified();
    register(&mut registry, "s", &["gone", "same", "other"]);
    let mut listing = catalogue(&["new", "other"]);
    listing.push_tool(
        r#"{"name":"same","description":"now with words","inputSchema":{"type":"object"}}"#,
    );
    let change = registry.replace(&key("s"), listing).unwrap();
    let texts = |names: &[ExposedName]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(texts(&change.added), ["mcp__s__new"]);
    assert_eq!(texts(&change.removed), ["mcp__s__gone"]);
    assert_eq!(change.changed.len(), 1);
    assert_eq!(change.changed[0].exposed.as_str(), "mcp__s__same");
    assert_eq!(change.changed[0].fields, ["description"]);
    assert!(registry.resolve("mcp__s__gone").is_err());
    assert_eq!(names(&registry), ["mcp__s__same", "mcp__s__other", "mcp__s__new"]);

    let before = rendering(&registry);
    registry.replace(&key("s"), catalogue(&["new", "new"])).unwrap_err();
    assert_eq!(rendering(&registry), before);
    assert_eq!(registry.resolve("mcp__s__same").unwrap().wire().as_str(), "same");
}

#[test]
fn t35_what_began_on_a_definition_ends_on_it() {
    let mut registry = qualified();
    register(&mut registry, "s", &["run", "gone"]);
    let began_on = registry.snapshot();
    let seen = view(&began_on);
    let mut listing = Catalogue::default();
    listing.push_tool(r#"{"name":"run","inputSchema":{"type":"object","required":["x"]}}"#);
    registry.replace(&key("s"), listing).unwrap();
    assert_eq!(view(&began_on), seen);
    let old = began_on.resolve("mcp__s__run").unwrap().tool().definition().unwrap();
    let new = registry.snapshot();
    let new = new.resolve("mcp__s__run").unwrap().tool().definition().unwrap();
    assert!(!old.contains("required") && new.contains("required"));
    registry.remove(&key("s")).unwrap();
    assert_eq!(began_on.resolve("mcp__s__gone").unwrap().wire().as_str(), "gone");
}

#[test]
fn t36_a_server_loaded_twice_is_said_to_be_registered_already() {
    let mut registry = qualified();
    register(&mut registry, "s", &["x"]);
    let before = rendering(&registry);
    for tools in [["x"], ["y"]] {
        let error = try_register(&mut registry, "s", &tools);
        assert!(matches!(error, RegisterError::AlreadyRegistered { .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "server `s` is already registered; use `replace` to give it another catalogue"
        );
    }
    assert!(registry.load(vec![load("new", &["x"]), load("s", &["x"])]).is_err());
    assert_eq!(rendering(&registry), before);
    let twice = vec![load("t", &["x"]), load("t", &["y"])];
    let report = registry.load_available(twice);
    assert!(report.missing.contains_key(&key("t")) && report.loaded.is_empty(), "{report:?}");
}

/// What is worth a warning comes back to whoever asked; nothing is written to a log that is the process's own.
#[test]
fn t37_warnings_come_as_values_and_never_through_a_logger() {
    let reason = "it did not answer".to_owned();
    let catalogue = Err(audit::Unchecked { reason, remedy: None });
    let server = audit::Server { key: key("s"), launch: None, catalogue };
    let scheme = Qualified::default();
    let found = audit::audit(&audit::Fleet::new(&scheme, vec![server]));
    assert_eq!(found[0].severity(), audit::Severity::Warning);
    assert_eq!(found[0].message(), "server `s` was not checked: it did not answer");

    let mut registry = qualified();
    registry.register(key("s"), self::catalogue(&["run"]), hidden("run")).unwrap();
    let change = registry.replace(&key("s"), self::catalogue(&["walk"])).unwrap();
    assert_eq!(change.unmatched_options, ["run"]);

    let manifest = include_str!("../Cargo.toml");
    for logger in ["log", "tracing", "slog", "defmt"] {
        let depends = |line: &str| line.split(['.', ' ', '=']).next() == Some(logger);
        assert!(!manifest.lines().any(depends), "the core must not depend on {logger}");
    }
    let library = include_str!("../src/lib.rs");
    assert!(library.contains("#![deny(clippy::print_stdout, clippy::print_stderr)]"));
}

#[test]
fn t39_a_name_that_is_not_in_the_registry_can_have_nothing_attached() {
    let mut registry = qualified();
    let returned = register(&mut registry, "s", &["run"]).remove(0);
    registry.resolve(&returned).unwrap();
    registry.replace(&key("s"), catalogue(&["runs"])).unwrap();
    let miss = registry.resolve(&returned).unwrap_err();
    assert_eq!(miss.nearest[0].as_str(), "mcp__s__runs");
    assert_eq!(registry.snapshot().name_of(&id("s", "run")), None);
    let error = registry.register(key("t"), catalogue(&["x"]), hidden(&returned)).unwrap_err();
    assert!(matches!(error, RegisterError::UnknownOptions(_)), "{error}");
}

#[test]
fn t40_a_miss_by_wire_name_or_by_another_spelling_answers_with_the_right_names() {
    let mut registry = qualified();
    register(&mut registry, "alpha", &["request", "other"]);
    register(&mut registry, "beta", &["request"]);
    let miss = registry.resolve("request").unwrap_err();
    let suggested: Vec<&str> = miss.suggestions().into_iter().map(ExposedName::as_str).collect();
    assert_eq!(suggested, ["mcp__alpha__request", "mcp__beta__request"]);
    let text = miss.to_string();
    assert!(text.contains("server `alpha`") && text.contains("`mcp__beta__request`"), "{text}");

    for (asked, scheme) in [("alpha__request", "prefixed"), ("beta_request", "minimal")] {
        let miss = registry.resolve(asked).unwrap_err();
        let server = asked.split('_').next().unwrap();
        assert_eq!(miss.spellings.len(), 1, "{miss}");
        assert_eq!(miss.spellings[0].scheme, scheme);
        assert_eq!(miss.spellings[0].id, id(server, "request"));
        assert_eq!(miss.spellings[0].exposed.as_str(), format!("mcp__{server}__request"));
    }

    let mut safe = Registry::new(ProviderSafe);
    let dotted = register(&mut safe, "ops", &["status.get"]).remove(0);
    for asked in ["mcp__ops__status.get", "ops__status.get"] {
        assert_eq!(safe.resolve(asked).unwrap_err().suggestions(), [&dotted], "{asked}");
    }
}

#[test]
fn t42_loading_one_file_touches_no_server_of_another() {
    let mut registry = qualified();
    registry.load(vec![load("mail", &["send"]), load("notes", &["list"])]).unwrap();
    let untouched = |registry: &Registry| {
        let snapshot = registry.snapshot();
        ["mail", "notes"].map(|server| format!("{:?}", snapshot.tools_of(&key(server)).unwrap()))
    };
    let before = untouched(&registry);
    let loaded = registry.load(vec![load("other", &["send", "list"])]).unwrap();
    assert_eq!(loaded.keys().collect::<Vec<_>>(), [&key("other")]);
    assert_eq!(untouched(&registry), before);
    registry.load(vec![load("third", &["a b"])]).unwrap_err();
    registry.load_available(vec![down("fourth", "gone"), load("fifth", &[""; 0])]);
    assert_eq!(untouched(&registry), before);
    assert!(qualified().snapshot().is_empty(), "registries of one process share nothing");
}
