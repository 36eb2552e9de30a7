use std::collections::BTreeSet;
use std::fmt;

use super::error::quoted;
use super::snapshot::{Entry, Snapshot};
use crate::name::{ExposedName, ToolId, WireName, nearest};
use crate::scheme;

/// Nobody answers to a name, and what the asker may have meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    /// The name that was asked for.
    pub asked: String,
    /// Every tool whose wire name it is, with the name it is exposed as.
    pub holders: Vec<(ToolId, ExposedName)>,
    /// Every tool that another scheme spells so.
    pub spellings: Vec<Spelling>,
    /// Every tool whose wire name stands at its end, behind some other prefix.
    pub ends_in: Vec<(ToolId, ExposedName)>,
    /// Exposed names that come near it, best first.
    pub nearest: Vec<ExposedName>,
}

/// A name is what another scheme calls a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The other scheme's identifier, or `legacy`.
    pub scheme: &'static str,
    /// The tool.
    pub id: ToolId,
    /// What it is exposed as here.
    pub exposed: ExposedName,
}

impl Miss {
    pub(super) fn explain(snapshot: &Snapshot, asked: &str) -> Self {
        let holders = pick(snapshot, |wire| wire.as_str() == asked);
        let spellings = if holders.is_empty() { spellings(snapshot, asked) } else { Vec::new() };
        let mut miss = Self {
            asked: asked.to_owned(),
            holders,
            spellings,
            ends_in: Vec::new(),
            nearest: Vec::new(),
        };
        if miss.holders.is_empty() && miss.spellings.is_empty() {
            miss.ends_in = pick(snapshot, |wire| {
                asked
                    .strip_suffix(wire.as_str())
                    .is_some_and(|p| p.ends_with(['_', '.', '/', ':', '-']))
            });
            miss.nearest = near(snapshot, asked);
        }
        miss
    }

    /// Every exposed name that is suggested, without repetition, best first.
    #[must_use]
    pub fn suggestions(&self) -> Vec<&ExposedName> {
        let spelled = self.spellings.iter().map(|spelling| &spelling.exposed);
        let holders = self.holders.iter().map(|(_, exposed)| exposed);
        let ends_in = self.ends_in.iter().map(|(_, exposed)| exposed);
        let mut seen = BTreeSet::new();
        holders
            .chain(spelled)
            .chain(ends_in)
            .chain(&self.nearest)
            .filter(|name| seen.insert(*name))
            .collect()
    }
}

impl Miss {
    /// What is wrong, in a sentence without an end.
    #[must_use]
    pub fn headline(&self) -> String {
        format!("no tool answers to `{}`", quoted(&self.asked))
    }

    /// What the asker may have meant, a sentence each, best first.
    #[must_use]
    pub fn hints(&self) -> Vec<String> {
        let holders = self.holders.iter().map(|(id, exposed)| {
            let (wire, server) = (quoted(id.wire()), quoted(id.server()));
            format!("`{wire}` is a wire name of server `{server}`: it is exposed as `{exposed}`")
        });
        let spellings = self.spellings.iter().map(|Spelling { scheme, id, exposed }| {
            let (wire, server) = (quoted(id.wire()), quoted(id.server()));
            format!(
                "that is the {scheme} spelling of `{wire}` of server `{server}`: it is exposed as `{exposed}`"
            )
        });
        let ends_in = self.ends_in.iter().map(|(id, exposed)| {
            let (wire, server) = (quoted(id.wire()), quoted(id.server()));
            format!("server `{server}` has a tool `{wire}`, exposed as `{exposed}`")
        });
        let nearest: Vec<String> = self.nearest.iter().map(|name| format!("`{name}`")).collect();
        let meant =
            (!nearest.is_empty()).then(|| format!("did you mean {}?", nearest.join(" or ")));
        holders.chain(spellings).chain(ends_in).chain(meant).collect()
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        self.hints().iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl std::error::Error for Miss {}

fn pick(snapshot: &Snapshot, wanted: impl Fn(&WireName) -> bool) -> Vec<(ToolId, ExposedName)> {
    let mut found: Vec<_> = snapshot
        .entries()
        .filter(|entry| wanted(entry.wire()))
        .filter_map(|entry| Some((entry.id()?, entry.exposed().clone())))
        .collect();
    found.sort_unstable();
    found
}

/// Every tool that another scheme, or an old algorithm, would have named so.
fn spellings(snapshot: &Snapshot, asked: &str) -> Vec<Spelling> {
    let tools: Vec<Entry<'_>> =
        snapshot.entries().filter(|entry| entry.server().is_some()).collect();
    // `minimal` puts something before or behind a wire name, so only tools whose name is in there can be spelled so, or
    // hold a name that made it spell another so. Over all of a large fleet it would take long.
    let within: Vec<Entry<'_>> =
        tools.iter().copied().filter(|entry| asked.contains(entry.wire().as_str())).collect();
    let mut found = Vec::new();
    let mut spelled = String::new();
    for identifier in scheme::IDS {
        let tools = if identifier == "minimal" { &within } else { &tools };
        let fleet = tools.iter().filter_map(|entry| Some((entry.server()?, entry.wire())));
        let Some(scheme) = scheme::by_id(identifier, fleet) else { continue };
        for entry in tools {
            let Some(server) = entry.server() else { continue };
            spelled.clear();
            scheme.spell(server, entry.wire(), &mut spelled);
            push_if(spelled == asked, identifier, *entry, &mut found);
        }
    }
    for entry in &tools {
        let Some(server) = entry.server() else { continue };
        let legacy = scheme::legacy_spelling(&scheme::raw_name(server, entry.wire()));
        push_if(legacy == asked, "legacy", *entry, &mut found);
    }
    found.sort_by(|a, b| a.id.cmp(&b.id));
    found
}

/// Several schemes often agree on a name; the first that has it speaks for all.
fn push_if(fits: bool, scheme: &'static str, entry: Entry<'_>, found: &mut Vec<Spelling>) {
    if !fits {
        return;
    }
    let Some(id) = entry.id() else { return };
    if !found.iter().any(|spelling| spelling.id == id) {
        found.push(Spelling { scheme, id, exposed: entry.exposed().clone() });
    }
}

fn near(snapshot: &Snapshot, asked: &str) -> Vec<ExposedName> {
    nearest(asked, snapshot.index.keys().map(ExposedName::as_str))
        .into_iter()
        .filter_map(|name| Some(snapshot.get(name)?.exposed().clone()))
        .collect()
}
