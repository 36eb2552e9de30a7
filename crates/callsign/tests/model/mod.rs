//! A registry as anyone would write it down: plain maps, no sharing, every rule in its own line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use callsign::ServerKey;
use callsign::catalogue::{Catalogue, Filter, Tool};
use callsign::registry::{
    ChangeSet, Load, OnTaken, Registration, Registry, Snapshot, ToolOptions, Unreadable,
};
use callsign::scheme::{Bare, Qualified};
use proptest::prelude::*;

use crate::fleet::{key, rendering, view, wire};

#[derive(Debug, Clone)]
pub(crate) struct Server {
    key: String,
    /// Wire names, each with a description.
    tools: Vec<(String, u8)>,
    /// Whether an entry without a name comes first.
    nameless: bool,
    unreadable: Unreadable,
    unavailable: bool,
    filter: Option<Vec<String>>,
    option: Option<String>,
    replace_local: Option<String>,
    refused: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Change {
    Register(Server),
    Replace(Server),
    Remove(String),
    RegisterLocal { name: String, version: u8, replace: bool },
    RemoveLocal(String),
    Load(Vec<Server>),
    LoadAvailable(Vec<Server>),
    SetOrder(Vec<String>),
}

fn server_keys() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "a__b", "a_", "c"]).prop_map(str::to_owned)
}

fn wires() -> impl Strategy<Value = String> {
    let legal =
        prop::sample::select(vec!["x", "y", "z", "b__x", "_x", "xy"]).prop_map(str::to_owned);
    let illegal = Just("x y".to_owned());
    prop_oneof![24 => legal, 1 => illegal, 1 => Just("t".repeat(65))]
}

fn local_names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["x", "y", "mcp__a__x", "mcp__b__y", "own", "not legal"])
        .prop_map(str::to_owned)
}

pub(crate) fn servers() -> impl Strategy<Value = Server> {
    (
        server_keys(),
        prop::collection::vec((wires(), 0..3u8), 0..5),
        prop::bool::weighted(0.1),
        prop::option::weighted(
            0.3,
            prop::collection::vec(
                prop_oneof![wires(), Just("x*".to_owned()), Just("*".to_owned())],
                0..3,
            ),
        ),
        prop::option::weighted(0.2, wires()),
        prop::option::weighted(0.2, local_names()),
        prop::bool::weighted(0.1),
        (
            prop::bool::weighted(0.2),
            prop::sample::select(vec![Unreadable::Refuse, Unreadable::LeaveOut]),
        ),
    )
        .prop_map(
            |(key, mut tools, unavailable, filter, option, replace_local, refused, nameless)| {
                let (nameless, unreadable) = nameless;
                // Mostly without repetition, or hardly any listing could be registered.
                if tools.len() % 4 != 3 {
                    let mut seen = BTreeSet::new();
                    tools.retain(|(wire, _)| seen.insert(wire.clone()));
                }
                Server {
                    key,
                    tools,
                    nameless,
                    unreadable,
                    unavailable,
                    filter,
                    option,
                    replace_local,
                    refused,
                }
            },
        )
}

pub(crate) fn changes() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => servers().prop_map(Change::Register),
        4 => servers().prop_map(Change::Replace),
        2 => server_keys().prop_map(Change::Remove),
        2 => (local_names(), 0..3u8, any::<bool>())
            .prop_map(|(name, version, replace)| Change::RegisterLocal { name, version, replace }),
        1 => local_names().prop_map(Change::RemoveLocal),
        2 => prop::collection::vec(servers(), 0..4).prop_map(Change::Load),
        2 => prop::collection::vec(servers(), 0..4).prop_map(Change::LoadAvailable),
        1 => prop::collection::vec(server_keys(), 0..4).prop_map(Change::SetOrder),
    ]
}

fn definition(name: &str, version: u8) -> String {
    format!(r#"{{"name":"{name}","description":"v{version}"}}"#)
}

impl Server {
    fn catalogue(&self) -> Catalogue {
        let mut catalogue = Catalogue::default();
        if self.nameless {
            catalogue.push_tool("{}");
        }
        for (wire, version) in &self.tools {
            catalogue.push_tool(&definition(wire, *version));
        }
        catalogue
    }

    fn registration(&self) -> Registration<'static> {
        let hidden = ToolOptions { hidden: true, ..ToolOptions::default() };
        Registration {
            filter: Filter { tools: self.filter.clone(), ..Filter::default() },
            options: self.option.iter().map(|key| (key.clone(), hidden.clone())).collect(),
            replace_local: self.replace_local.iter().cloned().collect(),
            unreadable: self.unreadable,
            admission: self.refused.then_some(&refuse as _),
        }
    }

    pub(crate) fn load(&self) -> Load<'static> {
        Load {
            server: key(&self.key),
            catalogue: if self.unavailable { Err("down".into()) } else { Ok(self.catalogue()) },
            registration: self.registration(),
        }
    }
}

fn refuse(_: &[Tool]) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err("refused".into())
}

pub(crate) fn registry(bare: bool) -> Registry {
    if bare { Registry::new(Bare) } else { Registry::new(Qualified::default()) }
}

/// Applies a change, whatever comes of it.
pub(crate) fn apply(registry: &mut Registry, change: &Change) -> Outcome {
    match change {
        Change::Register(server) => {
            let names =
                registry.register(key(&server.key), server.catalogue(), server.registration());
            names.map_or(Outcome::Failed, |names| Outcome::Names(texts(&names)))
        }
        Change::Replace(server) => {
            let admission = server.registration().admission;
            let change =
                registry.replace_admitted(&key(&server.key), server.catalogue(), admission);
            change.map_or(Outcome::Failed, Outcome::Changed)
        }
        Change::Remove(server) => registry
            .remove(&key(server))
            .map_or(Outcome::Failed, |names| Outcome::Names(texts(&names))),
        Change::RegisterLocal { name, version, replace } => {
            let tool = Tool::from_json(&definition(name, *version)).unwrap();
            let on_taken = if *replace { OnTaken::Replace } else { OnTaken::Refuse };
            let name = registry.register_local(tool, on_taken);
            name.map_or(Outcome::Failed, |name| Outcome::Names(vec![name.to_string()]))
        }
        Change::RemoveLocal(name) => registry
            .remove_local(&wire(name))
            .map_or(Outcome::Failed, |()| Outcome::Names(Vec::new())),
        Change::Load(fleet) => {
            let loaded = registry.load(fleet.iter().map(Server::load).collect());
            loaded.map_or(Outcome::Failed, |loaded| {
                Outcome::Names(loaded.values().flat_map(|names| texts(names)).collect())
            })
        }
        Change::LoadAvailable(fleet) => {
            let report = registry.load_available(fleet.iter().map(Server::load).collect());
            let servers: BTreeSet<_> = fleet.iter().map(|server| key(&server.key)).collect();
            let told: BTreeSet<_> =
                report.loaded.keys().chain(report.missing.keys()).cloned().collect();
            assert_eq!(told, servers, "each server is loaded or missing");
            Outcome::Names(report.loaded.values().flat_map(|names| texts(names)).collect())
        }
        Change::SetOrder(order) => {
            registry.set_server_order(order.iter().map(|server| key(server)).collect());
            Outcome::Names(Vec::new())
        }
    }
}

fn texts(names: &[callsign::ExposedName]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    Failed,
    Names(Vec<String>),
    Changed(ChangeSet),
}

#[derive(Debug, Clone)]
struct Held {
    key: String,
    tools: Vec<(String, u8)>,
    unreadable: Unreadable,
    filter: Option<Vec<String>>,
    option: Option<String>,
}

#[derive(Debug, Default)]
struct Model {
    bare: bool,
    locals: Vec<(String, u8)>,
    /// In order of registration.
    servers: Vec<Held>,
    order: Vec<String>,
}

/// Runs the changes against a registry and the model, and compares both after each.
pub(crate) fn run(changes: &[Change], bare: bool) {
    let mut registry = registry(bare);
    let mut model = Model { bare, ..Model::default() };
    let mut taken: Vec<(Arc<Snapshot>, String)> = Vec::new();
    for change in changes {
        let before = rendering(&registry);
        let outcome = apply(&mut registry, change);
        let expected = model.apply(change);
        match (&outcome, &expected) {
            (Outcome::Changed(change), Outcome::Changed(wanted)) => {
                assert_eq!(format!("{change:?}"), format!("{wanted:?}"));
            }
            _ => assert_eq!(outcome, expected, "{change:?}\n{model:#?}"),
        }
        if outcome == Outcome::Failed {
            assert_eq!(rendering(&registry), before, "a failure changes nothing");
        }
        model.compare(&registry.snapshot());
        taken.push((registry.snapshot(), view(&registry.snapshot())));
    }
    for (snapshot, seen) in taken {
        assert_eq!(view(&snapshot), seen, "an old snapshot is what it was");
    }
}

impl Model {
    fn name(&self, server: &str, wire: &str) -> String {
        if self.bare { wire.to_owned() } else { format!("mcp__{server}__{wire}") }
    }

    fn legal(name: &str) -> bool {
        name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    }

    fn keeps(filter: Option<&Vec<String>>, wire: &str) -> bool {
        filter.is_none_or(|entries| entries.iter().any(|entry| Self::covers(entry, wire)))
    }

    fn covers(entry: &str, wire: &str) -> bool {
        entry == wire || entry.strip_suffix('*').is_some_and(|start| wire.starts_with(start))
    }

    /// Every name in use, but those of `except`.
    fn in_use(&self, except: &str) -> BTreeSet<String> {
        let held = self.servers.iter().filter(|held| held.key != except);
        let names =
            held.flat_map(|held| held.tools.iter().map(|(wire, _)| self.name(&held.key, wire)));
        names.chain(self.locals.iter().map(|(name, _)| name.clone())).collect()
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|(local, _)| local == name)
    }

    fn distinct(tools: &[(String, u8)]) -> bool {
        tools.iter().map(|(wire, _)| wire).collect::<BTreeSet<_>>().len() == tools.len()
    }

    /// Whether an entry without a name, if there is one, leaves the others be.
    fn bears_nameless(
        server: &Server,
        filter: Option<&Vec<String>>,
        unreadable: Unreadable,
    ) -> bool {
        !server.nameless || filter.is_some() || unreadable == Unreadable::LeaveOut
    }

    /// What would be registered of a server, or nothing if something speaks against it.
    fn accepted(&self, server: &Server) -> Option<Held> {
        let known = |entry: &String| server.tools.iter().any(|(wire, _)| Self::covers(entry, wire));
        let Server { key, filter, option, replace_local, unreadable, .. } = server.clone();
        let fits = |wire: &str| Self::keeps(filter.as_ref(), wire);
        let tools: Vec<_> = server.tools.iter().filter(|(wire, _)| fits(wire)).cloned().collect();
        let in_use = self.in_use("");
        let free = |(wire, _): &(String, u8)| {
            let name = self.name(&key, wire);
            let given_up = replace_local.as_ref() == Some(&name) && self.is_local(&name);
            Self::legal(&name) && (given_up || !in_use.contains(&name))
        };
        let accepted = !server.unavailable
            && !server.refused
            && !self.servers.iter().any(|held| held.key == key)
            && Self::distinct(&server.tools)
            && filter.iter().flatten().all(known)
            && option.iter().all(|option| tools.iter().any(|(wire, _)| wire == option))
            && replace_local.iter().all(|name| {
                self.is_local(name) && tools.iter().any(|(wire, _)| self.name(&key, wire) == *name)
            })
            && Self::bears_nameless(server, filter.as_ref(), unreadable)
            && tools.iter().all(free);
        accepted.then_some(Held { key, tools, unreadable, filter, option })
    }

    fn names_of(&self, held: &Held) -> Vec<String> {
        held.tools.iter().map(|(wire, _)| self.name(&held.key, wire)).collect()
    }

    fn serve(&mut self, held: Held) -> Vec<String> {
        let names = self.names_of(&held);
        self.locals.retain(|(local, _)| !names.contains(local));
        self.servers.push(held);
        names
    }

    /// Those of a fleet that can be loaded together: each alone could, and none wants a name that
    /// another wants, be that one loaded or not.
    fn together(&self, fleet: &[Server]) -> Vec<Held> {
        let count = |key: &str| fleet.iter().filter(|server| server.key == key).count();
        let alone: Vec<Held> =
            fleet.iter().filter(|s| count(&s.key) == 1).filter_map(|s| self.accepted(s)).collect();
        let wanted = |server: &Server| -> Vec<String> {
            let fits = |wire: &&String| Self::keeps(server.filter.as_ref(), wire);
            let wires = server.tools.iter().map(|(wire, _)| wire).filter(fits);
            wires.map(|wire| self.name(&server.key, wire)).collect()
        };
        let contested = |held: &Held| {
            let mine = self.names_of(held);
            let known = fleet.iter().filter(|other| other.key != held.key && !other.unavailable);
            known.flat_map(wanted).any(|name| mine.contains(&name))
        };
        alone.iter().filter(|held| !contested(held)).cloned().collect()
    }

    fn load(&mut self, held: Vec<Held>) -> Outcome {
        let mut loaded = BTreeMap::new();
        for held in held {
            loaded.insert(held.key.clone(), self.serve(held));
        }
        Outcome::Names(loaded.into_values().flatten().collect())
    }

    fn apply(&mut self, change: &Change) -> Outcome {
        match change {
            Change::Register(server) => {
                let server = Server { unavailable: false, ..server.clone() };
                match self.accepted(&server) {
                    Some(held) => Outcome::Names(self.serve(held)),
                    None => Outcome::Failed,
                }
            }
            Change::Replace(server) => self.replace(server),
            Change::Remove(key) => match self.servers.iter().position(|held| held.key == *key) {
                None => Outcome::Failed,
                Some(at) => {
                    let held = self.servers.remove(at);
                    Outcome::Names(self.names_of(&held))
                }
            },
            Change::RegisterLocal { name, version, replace } => {
                let free = !self.in_use("").contains(name);
                let held = self.locals.iter_mut().find(|(local, _)| local == name);
                match (held, replace) {
                    (Some(local), true) => local.1 = *version,
                    (None, false) if Self::legal(name) && free => {
                        self.locals.push((name.clone(), *version));
                    }
                    _ => return Outcome::Failed,
                }
                Outcome::Names(vec![name.clone()])
            }
            Change::RemoveLocal(name) => {
                if !self.is_local(name) {
                    return Outcome::Failed;
                }
                self.locals.retain(|(local, _)| local != name);
                Outcome::Names(Vec::new())
            }
            Change::Load(fleet) => {
                let held = self.together(fleet);
                if held.len() == fleet.len() { self.load(held) } else { Outcome::Failed }
            }
            Change::LoadAvailable(fleet) => {
                let held = self.together(fleet);
                self.load(held)
            }
            Change::SetOrder(order) => {
                self.order.clone_from(order);
                Outcome::Names(Vec::new())
            }
        }
    }

    fn replace(&mut self, server: &Server) -> Outcome {
        let Some(at) = self.servers.iter().position(|held| held.key == server.key) else {
            return Outcome::Failed;
        };
        let old = self.servers[at].clone();
        let in_use = self.in_use(&old.key);
        let fits = |wire: &str| Self::keeps(old.filter.as_ref(), wire);
        let new: Vec<_> = server.tools.iter().filter(|(wire, _)| fits(wire)).cloned().collect();
        let free = |(wire, _): &(String, u8)| {
            let name = self.name(&old.key, wire);
            Self::legal(&name) && !in_use.contains(&name)
        };
        let bearable = Self::bears_nameless(server, old.filter.as_ref(), old.unreadable);
        if server.refused || !Self::distinct(&server.tools) || !new.iter().all(free) || !bearable {
            return Outcome::Failed;
        }
        let version = |tools: &[(String, u8)], wire: &String| {
            tools.iter().find(|(other, _)| other == wire).map(|(_, version)| *version)
        };
        let stay =
            old.tools.iter().filter_map(|(wire, _)| Some((wire.clone(), version(&new, wire)?)));
        let added: Vec<_> =
            new.iter().filter(|(wire, _)| version(&old.tools, wire).is_none()).cloned().collect();
        let tools: Vec<_> = stay.chain(added.clone()).collect();
        self.servers[at].tools = tools.clone();
        self.expect(&old, &added, &tools, server)
    }

    /// The change set from the old tools to the new.
    fn expect(
        &self,
        old: &Held,
        added: &[(String, u8)],
        tools: &[(String, u8)],
        server: &Server,
    ) -> Outcome {
        // Exposed names can't be built here, so they are asked for: what matters is which, and in which order.
        let mut registry = registry(self.bare);
        let mut all: Vec<_> = old.tools.clone();
        all.extend(added.to_vec());
        let every = Server {
            key: old.key.clone(),
            tools: all,
            nameless: false,
            unreadable: Unreadable::Refuse,
            unavailable: false,
            filter: None,
            option: None,
            replace_local: None,
            refused: false,
        };
        registry.register(key(&old.key), every.catalogue(), Registration::default()).unwrap();
        let name =
            |wire: &String| registry.resolve(&self.name(&old.key, wire)).unwrap().exposed().clone();
        let gone = |wire: &String| !tools.iter().any(|(other, _)| other == wire);
        let differs = |(wire, version): &&(String, u8)| {
            old.tools.iter().any(|(other, before)| other == wire && before != version)
        };
        let gone_option = |option: &&String| !tools.iter().any(|(wire, _)| wire == *option);
        let unmatched = |entry: &&String| !server.tools.iter().any(|(w, _)| Self::covers(entry, w));
        Outcome::Changed(ChangeSet {
            added: added.iter().map(|(wire, _)| name(wire)).collect(),
            removed: old.tools.iter().map(|(wire, _)| wire).filter(|w| gone(w)).map(name).collect(),
            changed: tools
                .iter()
                .filter(differs)
                .map(|(wire, _)| callsign::registry::ChangedTool {
                    exposed: name(wire),
                    fields: vec!["description".into()],
                })
                .collect(),
            unmatched_options: old.option.iter().filter(gone_option).cloned().collect(),
            unmatched_filter_entries: old
                .filter
                .iter()
                .flatten()
                .filter(unmatched)
                .cloned()
                .collect(),
        })
    }

    /// Servers of the configured order first and in that order, the others as they came.
    fn listed(&self) -> Vec<&Held> {
        let mut servers: Vec<&Held> = self.servers.iter().collect();
        servers.sort_by_key(|held| {
            self.order.iter().rposition(|key| *key == held.key).unwrap_or(usize::MAX)
        });
        servers
    }

    fn compare(&self, snapshot: &Snapshot) {
        let row = |name: String, owner: Option<&str>, wire: &str, version: u8, hidden: bool| {
            format!("{name} {owner:?} {wire} {} {hidden}", definition(wire, version))
        };
        let mut rows: Vec<String> = Vec::new();
        for (name, version) in &self.locals {
            rows.push(row(name.clone(), None, name, *version, false));
        }
        for held in self.listed() {
            for (wire, version) in &held.tools {
                let hidden = held.option.as_ref() == Some(wire);
                let name = self.name(&held.key, wire);
                rows.push(row(name, Some(&held.key), wire, *version, hidden));
            }
        }
        let seen: Vec<String> = snapshot
            .entries()
            .map(|entry| {
                let owner = entry.server().map(ServerKey::as_str);
                let hidden = entry.options().is_some_and(|options| options.hidden);
                let definition = entry.tool().definition().unwrap();
                format!("{} {owner:?} {} {definition} {hidden}", entry.exposed(), entry.wire())
            })
            .collect();
        assert_eq!(seen, rows, "{self:#?}");
        let servers: Vec<&str> = snapshot.servers().map(ServerKey::as_str).collect();
        assert_eq!(servers, self.listed().iter().map(|held| held.key.as_str()).collect::<Vec<_>>());
        assert_eq!(snapshot.len(), rows.len());
        assert_eq!(
            snapshot.listed().count(),
            rows.iter().filter(|row| row.ends_with("false")).count()
        );
        for name in ["x", "y", "mcp__a__x", "mcp__a__b__x", "mcp__a___x", "mcp__b__y", "own"] {
            let in_use = self.in_use("").contains(name);
            assert_eq!(snapshot.resolve(name).is_ok(), in_use, "{name}");
        }
    }
}
