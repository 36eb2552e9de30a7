use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::registration::{Registration, ToolOptions, Unreadable};
use super::snapshot::{Row, Snapshot};
use super::{Claimant, Duplicate, Missing, MissingCause, RegisterError, UnknownOption};
use crate::catalogue::{Catalogue, Filter, Malformed, Tool};
use crate::name::{ExposedName, ServerKey, ToolId, WireName, nearest};

/// A registration that has been checked against a snapshot and can't fail any more.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) server: ServerKey,
    pub(super) rows: Vec<Row>,
    /// Where each row stood in the listing.
    pub(super) positions: Vec<usize>,
    /// Entries of the listing that are not registered because they can't be read.
    pub(super) left_out: Vec<Malformed>,
    /// Local tools that give up their names.
    pub(super) evicted: Vec<ExposedName>,
}

/// Hash maps whose keys come from servers, and which are asked in hot paths.
pub(super) type Fast<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// Checks everything there is to check before anything changes, in the order in which a reader would mend it: the listing
/// itself, what was asked of it, the names, and last the admission predicate.
pub(super) fn plan(
    snapshot: &Snapshot,
    server: ServerKey,
    mut catalogue: Catalogue,
    registration: Registration<'_>,
) -> Result<Plan, RegisterError> {
    if snapshot.slot_of(&server).is_some() {
        return Err(RegisterError::AlreadyRegistered { server });
    }
    refuse_duplicates(&server, &catalogue)?;
    let Registration { filter, options, unreadable, replace_local, admission } = registration;
    filter.apply(&server, &mut catalogue).map_err(RegisterError::UnknownFilterEntries)?;
    refuse_unknown_options(snapshot, &server, &catalogue, options.keys())?;
    refuse_unknown_local(snapshot, &server, &replace_local)?;
    let left_out = leave_out(unreadable, &mut catalogue);
    let names = names(snapshot, &server, &catalogue, &|name| replace_local.contains(name))?;
    let evicted = evicted(snapshot, &server, &names, &replace_local)?;
    admit(&server, catalogue.tools(), admission)?;
    let positions = catalogue.positions().collect();
    Ok(Plan { rows: rows(names, catalogue, options), positions, left_out, server, evicted })
}

/// Takes out of the catalogue what may be left out of it.
pub(super) fn leave_out(unreadable: Unreadable, catalogue: &mut Catalogue) -> Vec<Malformed> {
    match unreadable {
        Unreadable::Refuse => Vec::new(),
        Unreadable::LeaveOut => catalogue.leave_out_malformed(),
    }
}

/// A wire name twice in one listing is an error of that server, with both positions.
pub(super) fn refuse_duplicates(
    server: &ServerKey,
    catalogue: &Catalogue,
) -> Result<(), RegisterError> {
    let mut first_index = Fast::<&str, usize>::default();
    first_index.reserve(catalogue.tools().len());
    let mut twice = Vec::new();
    for (index, tool) in catalogue.tools().iter().enumerate() {
        match first_index.entry(tool.wire().as_str()) {
            std::collections::hash_map::Entry::Vacant(vacant) => {
                vacant.insert(index);
            }
            std::collections::hash_map::Entry::Occupied(first) => twice.push((*first.get(), index)),
        }
    }
    if twice.is_empty() {
        return Ok(());
    }
    let positions: Vec<usize> = catalogue.positions().collect();
    let duplicates = twice.into_iter().map(|(first, second)| Duplicate {
        wire: catalogue.tools()[first].wire().clone(),
        first: positions[first],
        second: positions[second],
    });
    let duplicates = duplicates.collect();
    Err(RegisterError::DuplicateInListing { server: server.clone(), duplicates })
}

/// Names every tool, or says of each that can't be named or registered why.
///
/// `may_take` tells of a name that is in use whether its holder gives it up.
pub(super) fn names(
    snapshot: &Snapshot,
    server: &ServerKey,
    catalogue: &Catalogue,
    may_take: &dyn Fn(&str) -> bool,
) -> Result<Vec<ExposedName>, RegisterError> {
    let tools = catalogue.tools();
    let mut names = Vec::with_capacity(tools.len());
    let mut own = Fast::<ExposedName, usize>::default();
    own.reserve(tools.len());
    let mut failed: Vec<(usize, MissingCause)> = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let name = match snapshot.scheme.name(server, tool.wire()) {
            Ok(name) => name,
            Err(error) => {
                failed.push((index, MissingCause::Unnameable(Box::new(error))));
                continue;
            }
        };
        if let Some(&first) = own.get(&name) {
            for (index, other) in [(first, index), (index, first)] {
                let holder = claimant(server, tools[other].wire());
                failed.push((index, MissingCause::Taken { exposed: name.clone(), holder }));
            }
            continue;
        }
        if let Some(entry) = snapshot.get(&name).filter(|_| !may_take(&name)) {
            let holder = entry.claimant();
            failed.push((index, MissingCause::Taken { exposed: name.clone(), holder }));
        }
        own.insert(name.clone(), index);
        names.push(name);
    }
    if failed.is_empty() && catalogue.malformed().is_empty() {
        return Ok(names);
    }
    Err(shortfall(server, catalogue.advertised(), missing(catalogue, failed)))
}

/// Every tool that can't be registered: those that failed, by their index, and those that could not even be read.
fn missing(catalogue: &Catalogue, failed: Vec<(usize, MissingCause)>) -> Vec<Missing> {
    let positions: Vec<usize> = catalogue.positions().collect();
    let failed = failed.into_iter().map(|(index, cause)| {
        let wire = Some(catalogue.tools()[index].wire().clone());
        Missing { wire, position: positions[index], cause }
    });
    let unreadable = catalogue.malformed().iter().map(|entry| Missing {
        wire: entry.name.clone(),
        position: entry.position,
        cause: MissingCause::Malformed(entry.reason.clone()),
    });
    failed.chain(unreadable).collect()
}

/// The names that a server's tools would have, as far as they can be named. Of two claims of one name in the listing one
/// is given: the name is contested either way.
pub(super) fn claims(
    snapshot: &Snapshot,
    server: &ServerKey,
    mut catalogue: Catalogue,
    filter: &Filter,
) -> Vec<(ExposedName, ToolId)> {
    filter.retain(server, &mut catalogue);
    let tools = catalogue.tools().iter();
    tools
        .filter_map(|tool| {
            let name = snapshot.scheme.name(server, tool.wire()).ok()?;
            Some((name, ToolId::new(server.clone(), tool.wire().clone())))
        })
        .collect()
}

pub(super) fn shortfall(
    server: &ServerKey,
    advertised: usize,
    mut missing: Vec<Missing>,
) -> RegisterError {
    missing.sort_by(|a, b| (&a.wire, a.position).cmp(&(&b.wire, b.position)));
    missing.dedup();
    RegisterError::Shortfall { server: server.clone(), advertised, missing }
}

pub(super) fn claimant(server: &ServerKey, wire: &WireName) -> Claimant {
    Claimant::Tool(ToolId::new(server.clone(), wire.clone()))
}

pub(super) fn admit(
    server: &ServerKey,
    tools: &[Tool],
    admission: Option<super::Admission<'_>>,
) -> Result<(), RegisterError> {
    let Some(admission) = admission else { return Ok(()) };
    admission(tools).map_err(|error| RegisterError::Refused { server: server.clone(), error })
}

pub(super) fn rows(
    names: Vec<ExposedName>,
    catalogue: Catalogue,
    mut options: BTreeMap<String, ToolOptions>,
) -> Vec<Row> {
    names
        .into_iter()
        .zip(catalogue.into_tools())
        .map(|(exposed, tool)| {
            let options = options.remove(tool.wire().as_str()).map(Box::new);
            Row { exposed, tool, options }
        })
        .collect()
}

fn refuse_unknown_options<'a>(
    snapshot: &Snapshot,
    server: &ServerKey,
    catalogue: &Catalogue,
    keys: impl Iterator<Item = &'a String>,
) -> Result<(), RegisterError> {
    // A tool that has a name and is unreadable for something else is no mistake of whoever set its options.
    let unreadable = || catalogue.malformed().iter().filter_map(|entry| entry.name.as_ref());
    let wires = || catalogue.tools().iter().map(Tool::wire).chain(unreadable());
    let unknown: Vec<UnknownOption> = keys
        .filter(|key| !wires().any(|wire| wire.as_str() == key.as_str()))
        .map(|key| UnknownOption {
            server: server.clone(),
            key: key.clone(),
            meant: wires().find(|wire| spells(snapshot, server, wire, key)).cloned(),
            near: nearest(key, wires().map(WireName::as_str))
                .into_iter()
                .filter_map(|name| WireName::new(name).ok())
                .collect(),
        })
        .collect();
    if unknown.is_empty() { Ok(()) } else { Err(RegisterError::UnknownOptions(unknown)) }
}

fn spells(snapshot: &Snapshot, server: &ServerKey, wire: &WireName, key: &str) -> bool {
    snapshot.scheme.name(server, wire).is_ok_and(|name| name.as_str() == key)
}

/// The local tools that give up their names, which must be all that were said to.
fn evicted(
    snapshot: &Snapshot,
    server: &ServerKey,
    names: &[ExposedName],
    replace_local: &BTreeSet<String>,
) -> Result<Vec<ExposedName>, RegisterError> {
    let evicted: Vec<ExposedName> =
        names.iter().filter(|name| snapshot.get(name).is_some()).cloned().collect();
    let claimed: BTreeSet<&str> = evicted.iter().map(ExposedName::as_str).collect();
    let unclaimed: Vec<String> =
        replace_local.iter().filter(|name| !claimed.contains(name.as_str())).cloned().collect();
    if unclaimed.is_empty() {
        return Ok(evicted);
    }
    Err(RegisterError::UnclaimedLocal { server: server.clone(), names: unclaimed })
}

fn refuse_unknown_local(
    snapshot: &Snapshot,
    server: &ServerKey,
    replace_local: &BTreeSet<String>,
) -> Result<(), RegisterError> {
    let is_local = |name: &str| snapshot.get(name).is_some_and(|entry| entry.server().is_none());
    let names: Vec<String> = replace_local.iter().filter(|name| !is_local(name)).cloned().collect();
    if names.is_empty() {
        return Ok(());
    }
    Err(RegisterError::UnknownLocal { server: server.clone(), names })
}
