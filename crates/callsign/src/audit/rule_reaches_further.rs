//! # What it finds
//!
//! An entry of an allow, ask or deny list that matches tools of servers its author can't have meant:
//!
//! - a wildcard behind one server's key that also covers a neighbour: `github_*` where `{key}_{tool}` is compared also
//!   matches every tool of `github_enterprise`;
//! - a beginning that stops before the server, such as `mcp__*`, `mcp_*` or `m*`: it matches every server, also those that
//!   are added later;
//! - a name that is compared without its server, or whose spelling two servers share, so that one entry means the tools of
//!   several.
//!
//! A lone `*` says what it does and is not reported.
//!
//! # Why it matters
//!
//! A grant that was read and approved for one server lets another server's tools run unasked. Whoever may add a server, or
//! name one, can place a tool under it.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "alpha": { "tools": ["read_file"] },
//!     "beta": { "tools": ["send_email"] }
//!   },
//!   "rules": { "allow": ["mcp__*"] }
//! }
//! ```
//!
//! # What to do
//!
//! Name the server, or its tools one by one, as the finding shows. If every server is meant, write one entry for each: a
//! server that is added later then has to be asked about. Where keys make the trouble, choose keys of which none begins
//! with another.
//!
//! # How to silence it
//!
//! Set `CS015` to `"info"` or `"off"` in callsign.toml.

use super::finding::{Facts, Place, Severity, Subject};
use super::index::Index;
use super::judged_rules::{Beginnings, JudgedRule, JudgedRules, Naming, Reached};
use super::proposal::Proposal;
use super::wording::{act_rule, quote, servers as servers_in_words};
use crate::name::{ServerKey, ToolId};

/// A rule that reaches several servers, and which of them its text names.
pub(super) struct RuleReachesFurther<'a> {
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
    extent: Extent<'a>,
    /// Whether it reaches every tool of those servers, also those that are added later.
    whole: bool,
    /// The servers it reaches, sorted.
    servers: Vec<&'a ServerKey>,
}

#[derive(Clone, Copy)]
enum Extent<'a> {
    /// It names one server and reaches others.
    Neighbours(&'a ServerKey),
    /// It ends before any server is named.
    StopsBefore,
    /// A whole name that tools of several servers have.
    Shared,
}

pub(super) const SEVERITY: Severity = Severity::Warning;

/// How many names the sentences show.
const SHOWN: usize = 3;

impl Facts for RuleReachesFurther<'_> {
    fn severity(&self, default: Severity) -> Severity {
        match self.extent {
            // To refuse everything, or to ask for it, is often meant, and costs no more than a call.
            Extent::StopsBefore if self.entry.does.restricts() => Severity::Info,
            _ => default,
        }
    }

    fn message(&self) -> String {
        let rule = act_rule(self.entry);
        match self.extent {
            Extent::Neighbours(meant) => {
                let others: Vec<&str> = self.others(meant).map(ServerKey::as_str).collect();
                let what = if others.len() == 1 { self.tools_of(meant) } else { "tools".to_owned() };
                format!(
                    "{rule} is written for server {} and also covers {what} of {}",
                    quote(meant),
                    servers_in_words(&others)
                )
            }
            Extent::StopsBefore => {
                let keys = self.keys();
                let (covered, more) = shown(&keys);
                let covered = servers_in_words(covered);
                let later = match self.list.is_for_any_key(self.entry) {
                    true => "any that is added later",
                    false => "any whose key begins so",
                };
                format!("{rule} stops before the name of a server: it covers {covered}{more}, and {later}")
            }
            Extent::Shared => {
                let keys = self.keys();
                let (covered, more) = shown(&keys);
                format!("{rule} means tools of {}{more} alike", servers_in_words(covered))
            }
        }
    }

    fn help(&self) -> Option<String> {
        let proposal = self.proposal();
        // One key that is spelled apart is less than many entries.
        let is_too_much = matches!(
            (&proposal, self.extent),
            (Proposal::None, _) | (Proposal::TooMany(_), Extent::Neighbours(_))
        );
        if !is_too_much {
            return Some(proposal.in_words(&match self.extent {
                Extent::Neighbours(meant) => format!("to reach server {} alone, write ", quote(meant)),
                Extent::StopsBefore => "name each server that is meant: ".to_owned(),
                Extent::Shared if self.entry.does.restricts() => "name each tool that is meant: ".to_owned(),
                Extent::Shared => "name the tool that is meant: ".to_owned(),
            }));
        }
        let host = self.list.language.host();
        Some(match self.extent {
            Extent::Neighbours(meant) => format!(
                "no entry of {host} reaches server {} alone: load it under a key that no other key begins with",
                quote(meant)
            ),
            Extent::StopsBefore | Extent::Shared => format!(
                "{host} has no entry that names one server here: choose keys and tools that are spelled apart"
            ),
        })
    }

    fn subject(&self) -> Subject {
        let place = vec![Place::Rule(self.entry.place.clone())];
        let reached = self.list.reached(self.entry);
        let further: Vec<&ToolId> = match self.extent {
            Extent::Neighbours(meant) => reached.filter(|tool| tool.server() != meant).collect(),
            // It may be everything there is.
            Extent::StopsBefore => Vec::new(),
            Extent::Shared => reached.collect(),
        };
        Subject::rule(place, further, self.servers.iter().copied())
    }
}

fn shown<'s>(keys: &'s [&'s str]) -> (&'s [&'s str], String) {
    match keys.len().saturating_sub(SHOWN) {
        0 | 1 => (keys, String::new()),
        more => (keys.get(..SHOWN).unwrap_or(keys), format!(" and {more} more")),
    }
}

impl<'a> RuleReachesFurther<'a> {
    fn keys(&self) -> Vec<&'a str> {
        self.servers.iter().map(|key| key.as_str()).collect()
    }

    fn others(&self, meant: &ServerKey) -> impl Iterator<Item = &'a ServerKey> {
        self.servers.iter().copied().filter(move |key| *key != meant)
    }

    /// tool `x`, or 5 tools.
    fn tools_of(&self, meant: &ServerKey) -> String {
        let further: Vec<&ToolId> =
            self.list.reached(self.entry).filter(|tool| tool.server() != meant).collect();
        match further[..] {
            [only] => format!("tool {}", quote(only.wire())),
            _ => format!("{} tools", further.len()),
        }
    }

    /// Entries that reach what was meant and nothing else.
    fn proposal(&self) -> Proposal {
        let (language, entry) = (self.list.language, self.entry);
        let entries = match self.extent {
            Extent::Neighbours(meant) => self.of_server(meant),
            Extent::StopsBefore => self.servers.iter().flat_map(|key| self.of_server(key)).collect(),
            Extent::Shared => {
                let reached = self.list.reached(entry);
                reached.map(|tool| language.entry_for(tool, entry)).collect()
            }
        };
        Proposal::of(entry, entries.into_iter())
    }

    /// One entry for the server if the rule reaches all of it, else one for each tool that it reaches there: a proposal
    /// must not grant more than what it replaces.
    fn of_server(&self, key: &ServerKey) -> Vec<Option<String>> {
        let (language, entry) = (self.list.language, self.entry);
        let own: Vec<&ToolId> =
            self.list.reached(entry).filter(|tool| tool.server() == key).collect();
        let all = self.list.tools.iter().filter(|tool| tool.server() == key).count();
        let whole = if self.whole && own.len() == all { language.entry_for_server(key, entry) } else { None };
        match whole {
            Some(entry) => vec![Some(entry)],
            None => own.into_iter().map(|tool| language.entry_for(tool, entry)).collect(),
        }
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<RuleReachesFurther<'a>> {
    let mut found = Vec::new();
    for list in index.rules {
        let keys = index.servers.iter().map(|server| &server.key);
        let mut keys: Vec<&ServerKey> =
            keys.chain(list.withheld.iter().map(ToolId::server)).collect();
        keys.sort_unstable();
        keys.dedup();
        let beginnings = Beginnings::of(list.language, keys.into_iter());
        let entries = list.entries.iter();
        found.extend(entries.filter_map(|entry| reaches_further(&beginnings, list, entry)));
    }
    found
}

fn reaches_further<'a>(
    beginnings: &Beginnings<'a>,
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
) -> Option<RuleReachesFurther<'a>> {
    // A grant that is refused for all it could mean reaches nothing.
    if entry.server.is_some() || matches!(entry.reached, Reached::Refused { .. }) {
        return None;
    }
    let mut servers: Vec<&ServerKey> = list.reached(entry).map(ToolId::server).collect();
    servers.sort_unstable();
    servers.dedup();
    let several = servers.len() > 1;
    let mut whole = entry.covers_whole_servers();
    let extent = match entry.has_wildcard() {
        true if several || entry.is_beginning() || entry.key_is_open() => {
            match entry.naming(beginnings) {
                Naming::Server { server, rest, .. } if several && servers.contains(&server) => {
                    whole &= rest.is_empty();
                    Extent::Neighbours(server)
                }
                Naming::StopsBefore
                    if (entry.is_beginning() || entry.key_is_open()) && !servers.is_empty() =>
                {
                    let spans_all = several || list.is_for_any_key(entry);
                    if spans_all { Extent::StopsBefore } else { return None }
                }
                _ => return None,
            }
        }
        false if several => Extent::Shared,
        _ => return None,
    };
    Some(RuleReachesFurther { list, entry, extent, whole, servers })
}
