//! What the integration tests build registries from, and how they look at one.

#![allow(dead_code, reason = "every test binary compiles this file and uses its own part of it")]

use std::fmt::Write;

use callsign::registry::{Load, Registration, Registry, Snapshot};
use callsign::{Catalogue, ServerKey, Tool, WireName};

pub(crate) fn key(text: &str) -> ServerKey {
    ServerKey::new(text).unwrap()
}

pub(crate) fn wire(text: &str) -> WireName {
    WireName::new(text).unwrap()
}

/// A definition with nothing but a name and an empty schema.
pub(crate) fn definition(name: &str) -> String {
    serde_json::json!({ "name": name, "inputSchema": { "type": "object" } }).to_string()
}

/// A catalogue with a definition for each name.
pub(crate) fn catalogue(names: &[impl AsRef<str>]) -> Catalogue {
    let mut catalogue = Catalogue::default();
    for name in names {
        catalogue.push_tool(&definition(name.as_ref()));
    }
    catalogue
}

/// A server of a fleet, without filter or options.
pub(crate) fn load(server: &str, tools: &[impl AsRef<str>]) -> Load<'static> {
    Load {
        server: key(server),
        catalogue: Ok(catalogue(tools)),
        registration: Registration::default(),
    }
}

/// A server of a fleet that can't be reached.
pub(crate) fn down(server: &str, reason: &str) -> Load<'static> {
    Load {
        server: key(server),
        catalogue: Err(reason.to_owned()),
        registration: Registration::default(),
    }
}

pub(crate) fn local(name: &str) -> Tool {
    Tool::from_json(&definition(name)).unwrap()
}

/// Everything a reader of a snapshot can see: order, names, identities, definitions, options, and who answers.
pub(crate) fn view(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    let servers: Vec<_> = snapshot.servers().collect();
    writeln!(out, "{} servers {servers:?}, {} tools", servers.len(), snapshot.len()).unwrap();
    for entry in snapshot.entries() {
        let (name, definition) = (entry.exposed(), entry.tool().definition());
        writeln!(out, "{name} {} {definition:?} {:?}", entry.claimant(), entry.options()).unwrap();
        let answers = snapshot.resolve(name).unwrap();
        assert_eq!(answers.claimant(), entry.claimant(), "{name} resolves to what is listed");
        assert_eq!(entry.id().map(|id| snapshot.name_of(&id)), entry.id().map(|_| Some(name)));
    }
    out
}

/// [`view`], and the whole of the registry's own state besides, so that no failure may leave a trace anywhere.
pub(crate) fn rendering(registry: &Registry) -> String {
    format!("{}\n{registry:#?}", view(&registry.snapshot()))
}

/// All orders of the numbers below `count`.
pub(crate) fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for shorter in permutations(count - 1) {
        for at in 0..count {
            let mut order = shorter.clone();
            order.insert(at, count - 1);
            all.push(order);
        }
    }
    all
}
