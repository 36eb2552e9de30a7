//! # What it finds
//!
//! One name that several servers advertise: a tool's name, a prompt's name or a resource's URI. The finding names every
//! server that has it.
//!
//! Servers that CS007 knows to be one server under several keys are not reported name by name: where all servers that have
//! a name are that one server, CS007 says it once.
//!
//! # Why it matters
//!
//! Names are unique inside one server and nowhere else. A host with one flat table of tools keeps one of the two, often
//! without a word, and the call goes to whoever came last; other hosts rename one of them, so that a rule or a prompt
//! written yesterday means another tool today; some providers refuse the whole request.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "alpha": { "tools": ["request"] },
//!     "beta": { "tools": ["request"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! Use a scheme that spells the server key, such as `qualified`: the tools are then `mcp__alpha__request` and
//! `mcp__beta__request`, whoever else is configured. Or leave one of them out with a filter, or load one server only.
//!
//! # How to silence it
//!
//! If every host you use qualifies names, set `CS001` to `"info"` or `"off"` in callsign.toml.

use super::finding::{Facts, Kind, Severity, Subject};
use super::index::{Claim, Index, Names};
use super::wording::{list, quote, servers};

/// One name and everyone who advertises it.
pub(super) struct DuplicateTool<'a> {
    claims: Vec<Claim<'a>>,
    /// What the scheme makes of them, if it tells them apart.
    exposed: Vec<&'a str>,
    scheme: &'static str,
}

pub(super) const SEVERITY: Severity = Severity::Error;

impl Facts for DuplicateTool<'_> {
    fn message(&self) -> String {
        let Subject { kind, servers: keys, .. } = self.subject();
        let name = self.claims.first().map_or("", |claim| claim.name);
        let keys = servers(keys.iter().map(|key| &**key));
        format!("{kind} {} is advertised by {keys}", quote(name))
    }

    fn help(&self) -> Option<String> {
        if self.subject().kind == Kind::Resource {
            return Some(
                "a host that reads resources by their URI alone can't tell whose is meant".into(),
            );
        }
        let mut shown: Vec<String> = self.exposed.iter().take(3).map(|name| quote(name)).collect();
        if shown.is_empty() {
            return Some(
                "use a scheme that spells the server key (`qualified`, `prefixed`), or leave all but one \
                 of them out with a filter"
                    .into(),
            );
        }
        if self.exposed.len() > shown.len() {
            shown.push(format!("{} more", self.exposed.len() - shown.len()));
        }
        let (scheme, shown) = (self.scheme, list(&shown));
        Some(format!("`{scheme}` keeps them apart: {shown}; a host that shows bare names does not"))
    }

    fn subject(&self) -> Subject {
        Subject::entries(&self.claims)
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<DuplicateTool<'a>> {
    let duplicates = |names: &'a Names<'a>| {
        names.by_name.shared().filter_map(move |members| duplicate(index, names, members))
    };
    index.all_kinds().into_iter().flat_map(duplicates).collect()
}

fn duplicate<'a>(
    index: &'a Index<'a>,
    names: &'a Names<'a>,
    members: &[u32],
) -> Option<DuplicateTool<'a>> {
    let claims = names.pick(members);
    if !index.are_of_several_servers(&claims) {
        return None;
    }
    let exposed = if names.claims[members[0] as usize].kind == Kind::Resource {
        Vec::new()
    } else {
        distinct_names(names, members).unwrap_or_default()
    };
    Some(DuplicateTool { claims, exposed, scheme: index.scheme.id() })
}

/// The exposed names of the members, if each identity has one of its own.
fn distinct_names<'a>(names: &'a Names<'a>, members: &[u32]) -> Option<Vec<&'a str>> {
    let mut identities: Vec<u32> = members.to_vec();
    identities
        .dedup_by(|b, a| names.claims[*a as usize].is_same_identity(&names.claims[*b as usize]));
    let exposed: Option<Vec<&str>> =
        identities.iter().map(|&at| names.exposed.name(at as usize)).collect();
    let exposed = exposed?;
    let mut unique = exposed.clone();
    unique.sort_unstable();
    unique.dedup();
    (unique.len() == identities.len()).then_some(exposed)
}
