//! # What it finds
//!
//! Two tools (or prompts) that get one exposed name, although they are different tools: the scheme spells both the same
//! way. Server `a` with tool `b__c` and server `a__b` with tool `c` are both `mcp__a__b__c`.
//!
//! Under a scheme that shows wire names unchanged (`bare`), two servers with one name are CS001, and not said again here.
//! A name that `minimal` can't make unique is reported here with everyone who wants it. Names that are not legal are
//! CS003 and CS004; they are not compared.
//!
//! # Why it matters
//!
//! An exposed name that means two tools can reach only one of them. callsign refuses such a registry, because whoever came
//! second would otherwise answer for the first, and a server can choose its names so that it does.
//!
//! # Example
//!
//! The page of CS011 explains the other finding here: both names can be read two ways, and here both readings exist.
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "a": { "tools": ["b__c"] },
//!     "a__b": { "tools": ["c"] }
//!   }
//! }
//! ```
//!
//! Also found here: CS011.
//!
//! # What to do
//!
//! Load one of the servers under another key; one without `__` that does not end in `_` is never part of a collision with
//! another such key. `unambiguous = true` refuses the doubtful names before a second server exists.
//!
//! # How to silence it
//!
//! It can be set to a lower severity in callsign.toml, but a registry of these servers is refused all the same.

use std::collections::HashMap;

use super::finding::{Facts, Severity, Subject};
use super::index::{Claim, Groups, Index, Names};
use super::wording::{identity, list, quote, whose};
use crate::name::ToolId;
use crate::scheme::NameProblem;

/// One exposed name and the identities that would get it.
pub(super) struct ExposedNameCollision<'a> {
    name: &'a str,
    scheme: &'static str,
    claims: Vec<Claim<'a>>,
    /// Set where the scheme itself found the name in use.
    in_use: Option<InUse<'a>>,
}

struct InUse<'a> {
    holders: &'a [ToolId],
    /// Where they are advertised.
    holding: Vec<Claim<'a>>,
    no_room: bool,
}

pub(super) const SEVERITY: Severity = Severity::Error;

impl Facts for ExposedNameCollision<'_> {
    fn message(&self) -> String {
        let (name, scheme) = (quote(self.name), self.scheme);
        match (&self.in_use, self.claims.first()) {
            (Some(in_use), Some(claim)) => {
                let holder = |id: &ToolId| identity(claim.kind, id.server(), id.wire());
                let holders: Vec<String> = in_use.holders.iter().map(holder).collect();
                let no_room = if in_use.no_room {
                    ", and a suffix that tells them apart would cut the tool's own name"
                } else {
                    ""
                };
                let (whose, holders) = (whose(claim), list(&holders));
                format!(
                    "`{scheme}` would give {whose} the name {name}, which is already that of {holders}{no_room}"
                )
            }
            _ => {
                let claimants: Vec<String> = self.claims.iter().map(whose).collect();
                format!("`{scheme}` gives one name, {name}, to {}", list(&claimants))
            }
        }
    }

    fn help(&self) -> Option<String> {
        Some("load one of the servers under another key, or leave one of the tools out with a filter".into())
    }

    fn subject(&self) -> Subject {
        let holders = self.in_use.iter().flat_map(|in_use| &in_use.holding);
        Subject::entries(&self.claims.iter().chain(holders).copied().collect::<Vec<_>>())
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<ExposedNameCollision<'a>> {
    index.exposed_kinds().into_iter().flat_map(|names| collisions(index, names)).collect()
}

fn collisions<'a>(index: &'a Index<'a>, names: &'a Names<'a>) -> Vec<ExposedNameCollision<'a>> {
    let exposed = &names.exposed;
    let by_exposed = Groups::by(names.claims.len(), |at| exposed.name(at));
    let scheme = index.scheme.id();
    let equal = by_exposed.shared().filter_map(|members| {
        let mut claims = names.pick(members);
        claims.sort_by_key(|claim| (claim.rank, claim.name));
        claims.dedup_by(|b, a| a.is_same_identity(b));
        let plain_duplicate =
            !index.scheme.spells_key() && claims.iter().all(|claim| claim.name == claims[0].name);
        if claims.len() < 2 || plain_duplicate {
            return None;
        }
        let name = exposed.spelling(members[0] as usize);
        Some(ExposedNameCollision { name, scheme, claims, in_use: None })
    });
    let objections = exposed.objections();
    let advertised = if objections.is_empty() { HashMap::new() } else { names.by_identity() };
    let refused = objections.iter().filter_map(|(at, problem)| {
        let (holders, no_room) = match problem {
            NameProblem::Taken { holders } => (holders, false),
            NameProblem::NoRoomForSuffix { holders } => (holders, true),
            _ => return None,
        };
        let claims = vec![names.claims[*at]];
        let holding = holders.iter().filter_map(|id| advertised.get(&(id.server(), id.wire())).copied()).collect();
        let in_use = Some(InUse { holders, holding, no_room });
        Some(ExposedNameCollision { name: exposed.spelling(*at), scheme, claims, in_use })
    });
    equal.chain(refused).collect()
}
