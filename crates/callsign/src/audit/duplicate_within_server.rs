//! # What it finds
//!
//! A server that advertises one name twice: two tools, two prompts or two resources of one name in its own listing, also
//! when they stand on different pages of it. The finding gives both positions, and says in which fields the two differ.
//!
//! # Why it matters
//!
//! A name is unique inside its server by the protocol, and a call carries nothing but the name: only one of the two can ever
//! answer. Some model providers refuse a request with two functions of one name, so that one faulty server stops every
//! other.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "market": { "tools": ["get_price", "list_orders", "get_price"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! If the list stands in your configuration, remove one of the two. Otherwise tell the server's author; until it is
//! repaired, leave the name out with a filter. callsign does not choose one of the two for you.
//!
//! # How to silence it
//!
//! It can be set to a lower severity in callsign.toml; a registry refuses such a server all the same.

use super::finding::{Facts, Kind, Severity, Subject};
use super::index::{Claim, Index, Names};
use super::wording::{list, quote, quoted_list};
use crate::catalogue::changed_fields;

/// One name that one server has several times.
pub(super) struct DuplicateWithinServer<'a> {
    claims: Vec<Claim<'a>>,
}

pub(super) const SEVERITY: Severity = Severity::Error;

impl Facts for DuplicateWithinServer<'_> {
    fn message(&self) -> String {
        let Some(first) = self.claims.first() else { return String::new() };
        let positions: Vec<String> =
            self.claims.iter().map(|claim| (claim.position + 1).to_string()).collect();
        let times = match self.claims.len() {
            2 => "twice".to_owned(),
            times => format!("{times} times"),
        };
        let (server, kind, name) = (quote(first.key()), first.kind, quote(first.name));
        let (positions, difference) = (list(&positions), self.difference());
        format!(
            "server {server} advertises {kind} {name} {times}, at positions {positions} of its listing{difference}"
        )
    }

    fn help(&self) -> Option<String> {
        Some("remove all but one if the list is yours, else tell the server's author and leave the name out with a filter".into())
    }

    fn subject(&self) -> Subject {
        Subject::entries(&self.claims)
    }
}

impl DuplicateWithinServer<'_> {
    fn difference(&self) -> String {
        let definitions: Vec<&str> = self.claims.iter().filter_map(definition).collect();
        if definitions.len() < 2 || definitions.len() < self.claims.len() {
            return String::new();
        }
        let pairs = definitions.iter().skip(1);
        let mut fields: Vec<String> =
            pairs.flat_map(|other| changed_fields(Some(definitions[0]), Some(other))).collect();
        fields.sort_unstable();
        fields.dedup();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        match fields.is_empty() {
            true => "; the definitions are equal".into(),
            false => format!("; the definitions differ in {}", quoted_list(&fields)),
        }
    }
}

fn definition<'a>(claim: &Claim<'a>) -> Option<&'a str> {
    let (catalogue, index) = (claim.server.catalogue.as_ref().ok()?, claim.index as usize);
    match claim.kind {
        Kind::Tool => catalogue.tools().get(index)?.definition(),
        Kind::Prompt => catalogue.prompts().get(index)?.definition(),
        Kind::Resource => catalogue.resources().get(index)?.definition(),
        Kind::Server | Kind::Rule => None,
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<DuplicateWithinServer<'a>> {
    index
        .all_kinds()
        .into_iter()
        .flat_map(|names| names.by_name.shared().flat_map(|members| repeated(names, members)))
        .collect()
}

/// Of the claims of one name, those that one server has several times. They stand in the order of servers.
fn repeated<'a>(names: &Names<'a>, members: &[u32]) -> Vec<DuplicateWithinServer<'a>> {
    let claims = names.pick(members);
    claims
        .chunk_by(|a, b| a.rank == b.rank)
        .filter(|own| own.len() > 1)
        .map(|own| DuplicateWithinServer { claims: own.to_vec() })
        .collect()
}
