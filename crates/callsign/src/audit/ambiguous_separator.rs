//! # What it finds
//!
//! A server key or a tool's name (or a prompt's) that contains the scheme's separator, so that an exposed name can be read
//! two ways: key `a__b` with tool `c` is spelled like key `a` with tool `b__c`. An underscore at the joint does the same:
//! `foo_` with `x` is spelled like `foo` with `_x`. Both readings are shown.
//!
//! A key is reported once, not once per tool. Only schemes with a separator have this finding.
//!
//! # Why it matters
//!
//! callsign asks its registry who has a name and never splits one. But hosts and rules do split: a rule for every tool of
//! server `a` then reaches the tools of server `a__b`, and whoever may add a server can choose a key that reads as one of
//! another's tools. When both readings exist it is CS002.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "my__server": { "tools": ["do_thing"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! Load the server under a key without `__` that does not end in `_`. A tool's name is its author's; `prefixed-safe` gives
//! such tools a name that reads one way.
//!
//! # How to silence it
//!
//! Set `CS011` in callsign.toml. With `unambiguous = true` it is an error, because the scheme then has no name for the tool.

use super::finding::{Facts, Kind, Severity, Subject};
use super::index::{Claim, Index, Names};
use super::wording::{identity, quote, whose};
use crate::name::{ServerKey, WireName};
use crate::scheme::{NameProblem, Reading, Scheme};

/// A name that reads two ways.
pub(super) struct AmbiguousSeparator<'a> {
    part: AmbiguousPart<'a>,
    spelling: String,
    other: Reading,
    /// The scheme was asked to refuse such names.
    refused: bool,
}

enum AmbiguousPart<'a> {
    /// The key itself, shown with one of the server's tools if it has any.
    Key { key: &'a ServerKey, shown: WireName },
    /// A name under a key that is in order.
    Name(Claim<'a>),
}

pub(super) const SEVERITY: Severity = Severity::Warning;

impl Facts for AmbiguousSeparator<'_> {
    fn severity(&self, default: Severity) -> Severity {
        if self.refused { Severity::Error } else { default }
    }

    fn message(&self) -> String {
        let spelling = quote(&self.spelling);
        let (subject, kind, own) = match &self.part {
            AmbiguousPart::Key { key, shown } => {
                let own = identity(Kind::Tool, key, shown);
                (
                    format!("server key {} makes names that read two ways", quote(key)),
                    Kind::Tool,
                    own,
                )
            }
            AmbiguousPart::Name(claim) => (
                format!("{} {} reads two ways", claim.kind, quote(claim.name)),
                claim.kind,
                whose(claim),
            ),
        };
        let other = identity(kind, &self.other.server, &self.other.wire);
        format!("{subject}: {spelling} is {own}, or {other}")
    }

    fn help(&self) -> Option<String> {
        Some(match &self.part {
            AmbiguousPart::Key { .. } => {
                "load the server under a key without `__` that does not end in `_`".into()
            }
            AmbiguousPart::Name(_) => {
                "use `prefixed-safe`, which gives such names one reading, or leave the tool out with a filter"
                    .into()
            }
        })
    }

    fn subject(&self) -> Subject {
        match &self.part {
            AmbiguousPart::Key { key, .. } => Subject::servers([*key]),
            AmbiguousPart::Name(claim) => Subject::entries(&[*claim]),
        }
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<AmbiguousSeparator<'a>> {
    // A neutral partner shows whether a part is ambiguous by itself.
    let Ok(plain) = WireName::new("NAME") else { return Vec::new() };
    let guilty: Vec<bool> = index
        .servers
        .iter()
        .map(|server| index.scheme.other_reading(&server.key, &plain).is_some())
        .collect();
    let mut found: Vec<AmbiguousSeparator<'a>> = index
        .servers
        .iter()
        .zip(&guilty)
        .enumerate()
        .filter(|(_, (_, guilty))| **guilty)
        .filter_map(|(rank, (server, _))| ambiguous_key(index, rank, &server.key, &plain))
        .collect();
    for names in index.exposed_kinds() {
        found.extend(ambiguous_names(index.scheme, names, &guilty));
    }
    found
}

fn ambiguous_key<'a>(
    index: &'a Index<'a>,
    rank: usize,
    key: &'a ServerKey,
    plain: &WireName,
) -> Option<AmbiguousSeparator<'a>> {
    let own = || index.tools.of_server(rank);
    let shown = own().map(|(_, claim)| claim.name).min().unwrap_or(plain);
    let mut spelling = String::new();
    index.scheme.spell(key, shown, &mut spelling);
    let other = index.scheme.other_reading(key, shown)?;
    let refused = own().any(|(at, _)| is_refused(&index.tools, at));
    let part = AmbiguousPart::Key { key, shown: shown.clone() };
    Some(AmbiguousSeparator { part, spelling, other, refused })
}

fn ambiguous_names<'a>(
    scheme: &dyn Scheme,
    names: &'a Names<'a>,
    guilty: &[bool],
) -> Vec<AmbiguousSeparator<'a>> {
    let of_plain_keys = names.identities().filter(|(_, claim)| !guilty[claim.rank as usize]);
    of_plain_keys
        .filter_map(|(at, claim)| {
            let other = scheme.other_reading(claim.key(), claim.name)?;
            let spelling = names.exposed.spelling(at).to_owned();
            let (part, refused) = (AmbiguousPart::Name(*claim), is_refused(names, at));
            Some(AmbiguousSeparator { part, spelling, other, refused })
        })
        .collect()
}

fn is_refused(names: &Names<'_>, at: usize) -> bool {
    matches!(names.exposed.objection(at), Some(NameProblem::Ambiguous { .. }))
}
