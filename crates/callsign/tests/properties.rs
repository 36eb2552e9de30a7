//! What holds for every input, tried on random and on hostile ones.
//!
//! Each property runs on 256 inputs, or on as many as the variable `PROPTEST_CASES` says; `scripts/fuzz` runs many more.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod fleet;
mod json_text;
mod model;
mod texts;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use callsign::audit;
use callsign::catalogue::changed_fields;
use callsign::registry::{Load, Registration, Registry, SharedRegistry};
use callsign::scheme::{
    Fold, IDS, Minimal, PrefixedSafe, ProviderSafe, Qualified, Scheme, by_id, is_provider_char,
};
use callsign::{Catalogue, ServerKey, Tool, ToolId, WireName};
use fleet::{catalogue, key, permutations, rendering, view};
use json_text::{Json, Layout};
use proptest::prelude::*;
use texts::{Fleet, fleets, identities, small_fleets};

fn legal(text: &str, limit: usize) -> bool {
    !text.is_empty() && text.chars().count() <= limit && text.chars().all(is_provider_char)
}

fn scheme_over(identifier: &str, fleet: &Fleet) -> Arc<dyn Scheme> {
    let ids = ids(fleet);
    Arc::from(by_id(identifier, ids.iter().map(|id| (id.server(), id.wire()))).unwrap())
}

fn ids(fleet: &Fleet) -> Vec<ToolId> {
    let pair = |server: &str, tool: &String| ToolId::parse(server, tool).unwrap();
    fleet.iter().flat_map(|(server, tools)| tools.iter().map(|tool| pair(server, tool))).collect()
}

fn loads<'a>(fleet: &Fleet, order: impl IntoIterator<Item = &'a usize>) -> Vec<Load<'static>> {
    let servers: Vec<_> = fleet.iter().collect();
    order
        .into_iter()
        .map(|&at| fleet::load(servers[at].0, &servers[at].1.iter().collect::<Vec<_>>()))
        .collect()
}

/// What a host with this fold takes a name for.
fn folded(fold: Fold, name: &str) -> String {
    let hyphens = matches!(fold, Fold::Hyphens | Fold::HyphensAndCase);
    let case = matches!(fold, Fold::Case | Fold::HyphensAndCase);
    let name = if hyphens { name.replace('-', "_") } else { name.to_owned() };
    if case { name.to_ascii_lowercase() } else { name }
}

/// Identities made so that they might be given `name`: each way to split it, as it is and with its characters varied.
fn forgeries(name: &str) -> Vec<ToolId> {
    let variants = [
        name.to_owned(),
        name.to_ascii_uppercase(),
        name.replace('_', "-"),
        name.replacen('_', "-", 1),
        name.replace('_', "."),
        name[..name.len() - 1].to_owned(),
    ];
    let mut forged = Vec::new();
    for text in &variants {
        for (at, _) in text.char_indices() {
            for separator in ["__", "--", "_"] {
                let Some(wire) = text[at..].strip_prefix(separator) else { continue };
                forged.extend(ToolId::parse(&text[..at], wire).ok());
            }
        }
    }
    forged
}

proptest! {
    #[test]
    fn a_name_is_legal_or_an_error_and_always_the_same(ids in identities()) {
        let fleet = fleet_of(&ids);
        for identifier in IDS {
            let (scheme, again) = (scheme_over(identifier, &fleet), scheme_over(identifier, &fleet));
            for id in &ids {
                let name = scheme.name(id.server(), id.wire());
                prop_assert_eq!(&name, &again.name(id.server(), id.wire()));
                let mut spelling = String::new();
                scheme.spell(id.server(), id.wire(), &mut spelling);
                match name {
                    Ok(name) => {
                        prop_assert!(legal(&name, scheme.limit()), "{identifier}: {name}");
                        prop_assert_eq!(name.as_str(), spelling);
                    }
                    Err(error) => {
                        prop_assert!(!scheme.is_total(), "{error}");
                        prop_assert_eq!(&error.id, id);
                        prop_assert!(!error.remedy().is_empty());
                        prop_assert!(!error.to_string().contains(char::is_control), "{error:?}");
                        let plain = identifier != "minimal";
                        prop_assert!(!plain || !legal(&spelling, scheme.limit()), "{error}");
                    }
                }
            }
        }
    }

    #[test]
    fn prefixed_safe_never_gives_one_name_twice(
        ids in identities(),
        budget in PrefixedSafe::LEAST_BUDGET..=64usize,
        fold in prop::sample::select(vec![Fold::None, Fold::Hyphens, Fold::Case, Fold::HyphensAndCase]),
    ) {
        let scheme = PrefixedSafe::new(budget, fold).unwrap();
        let name = |id: &ToolId| scheme.name(id.server(), id.wire()).unwrap();
        let mut ids: BTreeSet<ToolId> = ids.into_iter().collect();
        // Twice over: a forger may also go by what the forged name itself was given.
        for _ in 0..2 {
            let names: Vec<_> = ids.iter().take(4).map(name).collect();
            ids.extend(names.iter().flat_map(|name| forgeries(name)));
        }
        let mut holders = HashMap::new();
        for id in &ids {
            let name = name(id);
            prop_assert!(legal(&name, budget), "{id}: {name}");
            prop_assert_eq!(folded(fold, &name), folded(fold, &folded(fold, &name)));
            if let Some(other) = holders.insert(folded(fold, &name), id) {
                prop_assert!(false, "{id:?} and {other:?} are both {name} to the host");
            }
            // Plain exactly when nothing speaks against it, else as the host will see it anyway.
            let plain = format!("{}__{}", id.server(), id.wire());
            if name.as_str() == plain {
                prop_assert_eq!(plain.split_once("__").unwrap(), (id.server().as_str(), id.wire().as_str()));
                prop_assert_eq!(folded(fold, &plain), plain);
            } else {
                prop_assert_eq!(folded(fold, &name), name.as_str());
            }
        }
    }

    #[test]
    fn provider_safe_keeps_legal_names_and_the_registry_tells_of_twins(ids in identities()) {
        for id in &ids {
            let raw = format!("mcp__{}__{}", id.server(), id.wire());
            let name = ProviderSafe.name(id.server(), id.wire()).unwrap();
            prop_assert_eq!(legal(&raw, 63), name.as_str() == raw, "{}", raw);
            let twin = ToolId::parse(&name["mcp__".len()..name.len().min(20)], &name[20.min(name.len() - 1)..]);
            let twin = twin.ok().filter(|twin| twin != id);
            let Some(twin) = twin.filter(|twin| twin.server() != id.server()) else { continue };
            let mut registry = Registry::new(ProviderSafe);
            let fleet = fleet_of(&[id.clone(), twin]);
            match registry.load(loads(&fleet, &[0, 1])) {
                Ok(names) => prop_assert_eq!(names.values().flatten().collect::<BTreeSet<_>>().len(), 2),
                Err(error) => prop_assert_eq!(error.0.len(), 2, "nobody wins: {}", error),
            }
        }
    }

    #[test]
    fn names_in_a_registry_are_unique_and_none_is_lost(fleet in fleets(), local in texts::text()) {
        for identifier in IDS {
            let mut registry = Registry::with_scheme(scheme_over(identifier, &fleet));
            let locals = usize::from(
                registry.register_local(WireName::new(&local).unwrap(), Default::default()).is_ok(),
            );
            let before = rendering(&registry);
            let order: Vec<usize> = (0..fleet.len()).collect();
            match registry.load(loads(&fleet, &order)) {
                Ok(names) => {
                    let tools: usize = fleet.values().map(BTreeSet::len).sum();
                    let snapshot = registry.snapshot();
                    prop_assert_eq!(snapshot.len(), tools + locals);
                    let distinct: BTreeSet<_> = snapshot.entries().map(|e| e.exposed()).collect();
                    prop_assert_eq!(distinct.len(), snapshot.len());
                    prop_assert_eq!(names.values().map(Vec::len).sum::<usize>(), tools);
                }
                Err(error) => {
                    prop_assert!(!error.0.is_empty());
                    prop_assert_eq!(rendering(&registry), before);
                }
            }
        }
    }

    #[test]
    fn the_audit_reports_an_error_exactly_when_a_fleet_cannot_be_loaded(mut fleet in fleets()) {
        // A key no name can be made of is an error for the audit, but without tools there is none to load.
        fleet.retain(|_, tools| !tools.is_empty());
        let servers = fleet.iter().map(|(server, tools)| audit::Server {
            key: key(server),
            launch: None,
            catalogue: Ok(catalogue(&tools.iter().collect::<Vec<_>>())),
        });
        let servers: Vec<_> = servers.collect();
        let order: Vec<usize> = (0..fleet.len()).collect();
        for identifier in ["qualified", "prefixed"] {
            let scheme = by_id(identifier, []).unwrap();
            let found = audit::audit(&audit::Fleet::new(&*scheme, servers.clone()));
            let fatal = |finding: &&audit::Finding| {
                ["CS002", "CS003", "CS004", "CS008"].contains(&finding.code().code)
            };
            let fatal = found.iter().find(fatal).map(ToString::to_string);
            let loaded = Registry::with_scheme(scheme_over(identifier, &fleet)).load(loads(&fleet, &order));
            prop_assert_eq!(fatal.is_some(), loaded.is_err(), "{:?} and {:?}", fatal, loaded);
        }
    }

    #[test]
    fn neither_servers_nor_tools_nor_threads_can_change_a_name_by_their_order(
        fleet in small_fleets(),
        shuffle in any::<prop::sample::Index>(),
    ) {
        let orders = permutations(fleet.len());
        let order = shuffle.get(&orders);
        for identifier in IDS {
            let outcome = |order: &[usize], reversed: bool| {
                let mut fleet = loads(&fleet, order);
                for load in fleet.iter_mut().filter(|_| reversed) {
                    let tools = load.catalogue.as_ref().unwrap().tools();
                    load.catalogue = Ok(Catalogue::of(tools.iter().rev().cloned().collect()));
                }
                let all = fleet.iter().map(|load| load.catalogue.as_ref().unwrap().tools().iter());
                let servers: Vec<ServerKey> = fleet.iter().map(|load| load.server.clone()).collect();
                let ids: Vec<_> = servers.iter().zip(all).flat_map(|(s, tools)| tools.map(move |t| (s, t.wire()))).collect();
                let scheme = by_id(identifier, ids).unwrap();
                let mut registry = Registry::with_scheme(Arc::from(scheme));
                let report = registry.load_available(fleet);
                let snapshot = registry.snapshot();
                let mut names: Vec<_> = snapshot.entries().map(|e| (e.id(), e.exposed().clone())).collect();
                names.sort();
                let causes: Vec<String> = report.missing.values().map(ToString::to_string).collect();
                (names, report.missing.keys().cloned().collect::<Vec<_>>(), if reversed { Vec::new() } else { causes })
            };
            let plain = outcome(&orders[0], false);
            prop_assert_eq!(&outcome(order, false), &plain, "{}", identifier);
            let reversed = outcome(order, true);
            prop_assert_eq!((&reversed.0, &reversed.1), (&plain.0, &plain.1), "{}", identifier);
            let elsewhere = std::thread::scope(|scope| {
                [(); 2].map(|()| scope.spawn(|| outcome(order, false))).map(|thread| thread.join().unwrap())
            });
            prop_assert_eq!(&elsewhere[0], &plain);
            prop_assert_eq!(&elsewhere[1], &plain);
        }
    }

    #[test]
    fn a_listing_is_the_same_bytes_under_any_order_of_loading(fleet in small_fleets()) {
        let servers: Vec<ServerKey> = fleet.keys().map(|server| key(server)).collect();
        let mut outcomes = BTreeSet::new();
        for order in permutations(fleet.len()) {
            let mut registry = Registry::new(PrefixedSafe::default());
            registry.set_server_order(servers.clone());
            registry.load(loads(&fleet, &order)).unwrap();
            outcomes.insert(view(&registry.snapshot()));
            let mut registry = Registry::new(Qualified::default());
            registry.set_server_order(servers.clone());
            let failed = registry.load(loads(&fleet, &order)).err().map(|error| error.to_string());
            outcomes.insert(format!("{}{failed:?}", view(&registry.snapshot())));
        }
        prop_assert_eq!(outcomes.len(), 2, "{:#?}", outcomes);
    }

    #[test]
    fn an_unrelated_server_never_renames_a_tool(fleet in fleets(), newcomer in identities()) {
        for identifier in IDS.into_iter().filter(|&identifier| identifier != "minimal") {
            let scheme = by_id(identifier, []).unwrap();
            let alone: Vec<_> = ids(&fleet).iter().map(|id| scheme.name(id.server(), id.wire())).collect();
            let mut larger = fleet.clone();
            for id in &newcomer {
                larger.entry(id.server().to_string()).or_default().insert(id.wire().to_string());
            }
            let scheme = scheme_over(identifier, &larger);
            let together: Vec<_> = ids(&fleet).iter().map(|id| scheme.name(id.server(), id.wire())).collect();
            prop_assert_eq!(alone, together);
        }
    }

    #[test]
    fn a_miss_knows_every_other_schemes_spelling(fleet in fleets()) {
        let mut registry = Registry::new(PrefixedSafe::default());
        let order: Vec<usize> = (0..fleet.len()).collect();
        registry.load(loads(&fleet, &order)).unwrap();
        let snapshot = registry.snapshot();
        for identifier in IDS {
            let scheme = scheme_over(identifier, &fleet);
            for id in ids(&fleet) {
                let Ok(name) = scheme.name(id.server(), id.wire()) else { continue };
                let Err(miss) = snapshot.resolve(&name) else { continue };
                let told = miss.holders.iter().map(|(holder, _)| holder).chain(miss.spellings.iter().map(|s| &s.id));
                prop_assert!(told.into_iter().any(|told| *told == id), "{identifier} {name} of {id}: {miss:?}");
            }
        }
    }

    #[test]
    fn minimal_follows_its_rule(fleet in fleets()) {
        let ids = ids(&fleet);
        let expected = minimal_by_the_rule(&fleet);
        let backwards = Minimal::over(ids.iter().rev().map(|id| (id.server(), id.wire())));
        for id in &ids {
            let name = backwards.name(id.server(), id.wire()).map(|name| name.to_string());
            let wanted = &expected[&(id.server().to_string(), id.wire().to_string())];
            match (name, wanted) {
                (Ok(name), Some(wanted)) => prop_assert_eq!(&name, wanted),
                (Err(error), None) => prop_assert_eq!(error.scheme, "minimal"),
                (Err(_), Some(wanted)) => prop_assert!(!legal(wanted, 64), "{wanted} was refused"),
                (Ok(name), None) => prop_assert!(false, "{id} is {name}, and the rule has no name for it"),
            }
        }
    }

    #[test]
    fn a_registry_is_its_model_after_any_sequence_of_changes(
        changes in prop::collection::vec(model::changes(), 1..16),
        bare in any::<bool>(),
    ) {
        model::run(&changes, bare);
    }

    #[test]
    fn the_set_that_a_partial_load_serves_does_not_depend_on_order(
        base in model::changes(),
        mut fleet in prop::collection::vec(model::servers(), 1..5),
        bare in any::<bool>(),
    ) {
        let mut outcomes = BTreeSet::new();
        fleet.truncate(4);
        for order in permutations(fleet.len()) {
            let mut registry = model::registry(bare);
            model::apply(&mut registry, &base);
            let report = registry.load_available(order.iter().map(|&at| fleet[at].load()).collect());
            let loaded: BTreeMap<_, _> = report.loaded;
            let missing: Vec<_> = report.missing.values().map(ToString::to_string).collect();
            outcomes.insert(format!("{loaded:?} {missing:#?}"));
        }
        prop_assert_eq!(outcomes.len(), 1, "{:#?}", outcomes);
    }

    #[test]
    fn definitions_pass_byte_for_byte(
        tools in prop::collection::vec((json_text::objects(), json_text::layouts()), 1..6),
    ) {
        let mut listing = Catalogue::default();
        let mut sent = Vec::new();
        for (index, (fields, layout)) in tools.iter().enumerate() {
            let mut fields = fields.clone();
            fields.retain(|(field, _)| field != "name");
            fields.insert(layout.pick(fields.len() + 1), ("name".into(), Json::Text(format!("t{index}"))));
            sent.push(Json::Object(fields).written(layout));
            listing.push_tool(&sent[index]);
        }
        prop_assert_eq!(listing.malformed(), &[]);
        let mut registry = Registry::new(Qualified::default());
        registry.register(key("s"), Catalogue::default(), Registration::default()).unwrap();
        registry.replace(&key("s"), listing).unwrap();
        let snapshot = registry.snapshot();
        for (index, sent) in sent.iter().enumerate() {
            let entry = snapshot.resolve(&format!("mcp__s__t{index}")).unwrap();
            prop_assert_eq!(entry.tool().definition(), Some(sent.as_str()));
        }
    }

    #[test]
    fn changed_fields_are_those_whose_value_differs_however_it_is_written(
        before in json_text::objects(),
        edits in json_text::objects(),
        dropped in any::<prop::sample::Index>(),
        layouts in (json_text::layouts(), json_text::layouts()),
    ) {
        let mut before: BTreeMap<String, Json> = before.into_iter().collect();
        before.insert("name".into(), Json::Text("tool".into()));
        let mut after = before.clone();
        after.extend(edits);
        if let Some(field) = after.keys().nth(dropped.index(after.len() + 1)).cloned() {
            after.remove(&field);
        }
        let wanted: BTreeSet<&String> = before
            .keys()
            .chain(after.keys())
            .filter(|field| before.get(*field) != after.get(*field))
            .collect();
        let write = |fields: &BTreeMap<String, Json>, layout: &Layout| {
            Json::Object(layout.shuffled(fields.clone().into_iter().collect())).written_shuffled(layout)
        };
        let (before, after) = (write(&before, &layouts.0), write(&after, &layouts.1));
        let changed = changed_fields(Some(&before), Some(&after));
        prop_assert_eq!(changed.iter().collect::<BTreeSet<_>>(), wanted, "{}\n{}", before, after);
        prop_assert!(changed.is_sorted());
    }

    #[test]
    fn what_is_no_tool_is_told_and_costs_no_neighbour(raw in "\\PC{0,40}", layout in json_text::layouts()) {
        let mut listing = catalogue(&["before"]);
        listing.push_tool(&raw);
        listing.push_tool(&Json::Text(raw.clone()).written(&layout));
        listing.push_tool(&fleet::definition("after"));
        prop_assert_eq!(listing.advertised(), 4);
        prop_assert!(listing.tools().len() == 2 || Tool::from_json(&raw).is_ok());
        let at = listing.tools().len() - 1;
        prop_assert_eq!((listing.tools()[at].wire().as_str(), listing.position(at)), ("after", 3));
    }
}

fn fleet_of(ids: &[ToolId]) -> Fleet {
    let mut fleet = Fleet::new();
    for id in ids {
        fleet.entry(id.server().to_string()).or_default().insert(id.wire().to_string());
    }
    fleet
}

/// The published rule, as plainly as it can be written; `None` where it has no name.
fn minimal_by_the_rule(fleet: &Fleet) -> BTreeMap<(String, String), Option<String>> {
    use sha1::{Digest, Sha1};
    let hash = |text: &str| -> String {
        Sha1::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>()[..4].into()
    };
    let mut taken: BTreeSet<String> = fleet.values().flatten().cloned().collect();
    let mut names = BTreeMap::new();
    for (server, tools) in fleet {
        for tool in tools {
            let claimed = fleet.values().filter(|tools| tools.contains(tool)).count();
            let name = if claimed == 1 {
                Some(tool.clone())
            } else {
                let length = i64::try_from(tool.chars().count()).unwrap();
                let budget = 64 - length - 1;
                let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
                let mut slug: String = server.chars().map(legal).collect();
                while slug.contains("__") {
                    slug = slug.replace("__", "_");
                }
                let mut slug = slug.trim_matches('_').to_lowercase();
                if slug.is_empty() {
                    slug = "srv".into();
                }
                if i64::try_from(slug.len()).unwrap() > budget {
                    let kept = usize::try_from((budget - 5).max(1)).unwrap();
                    slug =
                        format!("{}_{}", slug.chars().take(kept).collect::<String>(), hash(server));
                }
                let mut candidate = format!("{slug}_{tool}");
                let mut fits = candidate.chars().count() <= 64;
                if fits && taken.contains(&candidate) {
                    fits = candidate.chars().count() <= 59;
                    candidate = format!("{candidate}_{}", hash(&format!("{server}/{tool}")));
                }
                (fits && !taken.contains(&candidate)).then_some(candidate)
            };
            taken.extend(name.clone());
            names.insert((server.clone(), tool.clone()), name);
        }
    }
    names
}

/// While one side replaces, removes and registers, readers see each server whole: all of one version, or not at all.
#[test]
fn readers_never_see_half_a_server() {
    let version = |version: usize| {
        let mut listing = Catalogue::default();
        for tool in 0..20 + version % 3 {
            listing.push_tool(&format!(r#"{{"name":"t{tool}","version":{version}}}"#));
        }
        listing
    };
    let shared = SharedRegistry::new(Registry::new(Qualified::default()));
    let done = AtomicBool::new(false);
    let check = || {
        let mut seen = 0usize;
        while !done.load(Ordering::Relaxed) || seen == 0 {
            let snapshot = shared.snapshot();
            let mut tools = 0;
            for server in snapshot.servers() {
                let rows = snapshot.tools_of(server).unwrap();
                let of = |row: &callsign::registry::Entry<'_>| {
                    let text = row.tool().definition().unwrap();
                    text.split_once("version\":")
                        .unwrap()
                        .1
                        .trim_end_matches('}')
                        .parse::<usize>()
                        .unwrap()
                };
                let versions: BTreeSet<usize> = rows.iter().map(of).collect();
                assert_eq!(versions.len(), 1, "one version of {server}");
                assert_eq!(rows.len(), 20 + versions.first().unwrap() % 3);
                tools += rows.len();
                let last = rows.last().unwrap().exposed();
                assert_eq!(snapshot.resolve(last).unwrap().server(), Some(server));
            }
            assert_eq!(tools, snapshot.len(), "names and rows agree");
            seen += 1;
        }
        seen
    };
    let seen: usize = std::thread::scope(|scope| {
        let readers = [(); 3].map(|()| scope.spawn(check));
        for round in 0..300 {
            for server in [key("a"), key("b")] {
                shared.change(|registry| match round % 7 {
                    0 => registry
                        .register(server, version(round), Registration::default())
                        .map(drop)
                        .unwrap(),
                    6 => registry.remove(&server).map(drop).unwrap(),
                    _ => registry.replace(&server, version(round)).map(drop).unwrap(),
                });
            }
        }
        done.store(true, Ordering::Relaxed);
        readers.map(|reader| reader.join().unwrap()).iter().sum()
    });
    assert!(seen > 2, "{seen} snapshots were looked at");
}
