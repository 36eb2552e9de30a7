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
use super::wording::{push_quoted, push_quoted_list, push_servers, room_for, with_room};

/// One name and everyone who advertises it.
pub(super) struct DuplicateTool<'a> {
    claims: Vec<Claim<'a>>,
    /// What the scheme makes of them, if it tells them apart.
    exposed: Vec<&'a str>,
    scheme: &'static str,
}

/// How many exposed names the help shows.
const SHOWN: usize = 3;

pub(super) const SEVERITY: Severity = Severity::Error;

impl Facts for DuplicateTool<'_> {
    fn message(&self) -> String {
        let Some(first) = self.claims.first() else { return String::new() };
        // Claims come in the order of servers, and one server may have the name twice.
        let servers = self.claims.chunk_by(|a, b| a.key() == b.key());
        let keys = servers.map(|claims| claims[0].key().as_str());
        let length = keys.clone().map(room_for).sum::<usize>() + room_for(first.name);
        let mut text = with_room(first.kind.as_str(), length + " is advertised by servers ".len());
        text.push(' ');
        push_quoted(first.name, &mut text);
        text.push_str(" is advertised by ");
        push_servers(keys, &mut text);
        text
    }

    fn help(&self) -> Option<String> {
        if self.claims.iter().any(|claim| claim.kind == Kind::Resource) {
            return Some(
                "a host that reads resources by their URI alone can't tell whose is meant".into(),
            );
        }
        let Some(shown) =
            self.exposed.get(..self.exposed.len().min(SHOWN)).filter(|s| !s.is_empty())
        else {
            return Some(
                "use a scheme that spells the server key (`qualified`, `prefixed`), or leave all but one \
                 of them out with a filter"
                    .into(),
            );
        };
        let end = "; a host that shows bare names does not";
        let length = shown.iter().map(|name| room_for(name)).sum::<usize>();
        let mut text = with_room("`", length + 48 + end.len());
        text.push_str(self.scheme);
        text.push_str("` keeps them apart: ");
        push_quoted_list(shown.iter().copied(), &mut text);
        let more = self.exposed.len() - shown.len();
        if more > 0 {
            text.push_str(&format!(" ({more} more)"));
        }
        text.push_str(end);
        Some(text)
    }

    fn subject(&self) -> Subject {
        Subject::entries(&self.claims)
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> impl Iterator<Item = DuplicateTool<'a>> {
    let duplicates = move |names: &'a Names<'a>| {
        names.by_name.shared().filter_map(move |members| duplicate(index, names, members))
    };
    index.all_kinds().into_iter().flat_map(duplicates)
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
    let identities = members.chunk_by(|&a, &b| {
        names.claims[a as usize].is_same_identity(&names.claims[b as usize])
    });
    let exposed: Option<Vec<&str>> =
        identities.map(|members| names.exposed.name(members[0] as usize)).collect();
    exposed.filter(|exposed| are_distinct(exposed))
}

/// Up to so many names are compared each with each, which takes no memory.
const COMPARED_PAIRWISE: usize = 8;

fn are_distinct(names: &[&str]) -> bool {
    if names.len() <= COMPARED_PAIRWISE {
        return names.iter().enumerate().all(|(at, name)| !names[..at].contains(name));
    }
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

#[cfg(test)]
mod tests {
    use super::{COMPARED_PAIRWISE, are_distinct};

    #[test]
    fn a_name_that_occurs_twice_is_seen_among_few_and_many() {
        for count in [1, 2, COMPARED_PAIRWISE, COMPARED_PAIRWISE + 1, 100] {
            let names: Vec<String> = (0..count).map(|name| name.to_string()).collect();
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            assert!(are_distinct(&names), "{count}");
            names.push("0");
            assert!(!are_distinct(&names), "{count}");
        }
        assert!(are_distinct(&[]));
    }
}
