//! # What it finds
//!
//! A tool (or prompt) whose exposed name would be longer than the scheme's limit, with the sum that shows it and the longest
//! server key that would fit. The limit is 64 characters, or what a host's own prefix leaves of them.
//!
//! Schemes that shorten names (`provider-safe`, `prefixed-safe`) never have this finding.
//!
//! # Why it matters
//!
//! A provider refuses a request with a name over its limit, and with it every other tool in the request. Hosts that cut the
//! name instead make one name of two tools that differ at the end. callsign never cuts silently: it has no name for the
//! tool and says so.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "contoso-enterprise-directory-services": { "tools": ["list_members_of_group"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! Load the server under a shorter key. If not even a key of one character fits, use a scheme that shortens, or leave the
//! tool out with a filter.
//!
//! # How to silence it
//!
//! Set `CS004` in callsign.toml; the tool has no name under this scheme all the same. For a prompt it is a warning: its name
//! never reaches a provider.

use super::finding::{Facts, Kind, Severity, Subject};
use super::index::{Claim, Index};
use super::wording::whose;
use crate::scheme::NameProblem;

/// A name over the limit.
pub(super) struct NameTooLong<'a> {
    claim: Claim<'a>,
    scheme: &'static str,
    spelling: &'a str,
    limit: usize,
    spells_key: bool,
    /// The longest key that fits, where the scheme has worked it out itself.
    longest_key: Option<usize>,
}

pub(super) const SEVERITY: Severity = Severity::Error;

impl Facts for NameTooLong<'_> {
    fn severity(&self, default: Severity) -> Severity {
        if self.claim.kind == Kind::Prompt { Severity::Warning } else { default }
    }

    fn message(&self) -> String {
        let (whose, scheme, limit) = (whose(&self.claim), self.scheme, self.limit);
        let (sum, parts) = self.sum();
        format!(
            "{whose} has too long a name under `{scheme}`: {sum} > {limit} characters ({parts})"
        )
    }

    fn help(&self) -> Option<String> {
        let length = self.length();
        let key = self.claim.key().chars().count();
        let fits =
            (self.limit + key).checked_sub(length).filter(|&fits| fits > 0 && self.spells_key);
        let problem = NameProblem::TooLong {
            length,
            limit: self.limit,
            longest_key: self.longest_key.or(fits),
            spells_key: self.spells_key,
        };
        Some(problem.remedy())
    }

    fn subject(&self) -> Subject {
        Subject::entries(&[self.claim])
    }
}

impl NameTooLong<'_> {
    fn length(&self) -> usize {
        self.spelling.chars().count()
    }

    /// `5 + 36 + 2 + 22 = 65` and what the numbers are. A scheme puts the wire name last, and in front of it the key or
    /// something made from it.
    fn sum(&self) -> (String, String) {
        let (key, wire) = (&**self.claim.key(), &**self.claim.name);
        let before = self.spelling.strip_suffix(wire).unwrap_or_default();
        let parts: Vec<(&str, String)> = match before.rfind(key).filter(|_| self.spells_key) {
            Some(at) => {
                let (prefix, joint) = (&before[..at], &before[at + key.len()..]);
                let named = |text: &str| format!("`{text}`");
                vec![(prefix, named(prefix)), (key, "server key".into()), (joint, named(joint))]
            }
            None => vec![(before, "what the scheme puts in front".into())],
        };
        let noun = format!("{} name", self.claim.kind);
        let parts = parts.into_iter().chain([(wire, noun)]).filter(|(text, _)| !text.is_empty());
        let (lengths, nouns): (Vec<String>, Vec<String>) =
            parts.map(|(text, noun)| (text.chars().count().to_string(), noun)).unzip();
        let sum = match lengths.len() {
            1 => lengths[0].clone(),
            _ => format!("{} = {}", lengths.join(" + "), self.length()),
        };
        (sum, nouns.join(", "))
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<NameTooLong<'a>> {
    let scheme = index.scheme;
    if scheme.is_total() {
        return Vec::new();
    }
    let too_long = index.exposed_kinds().into_iter().flat_map(|names| {
        names.identities().filter_map(|(at, claim)| {
            let spelling = names.exposed.spelling(at);
            // Bytes first: counting characters is only worth it where there are more bytes than allowed.
            let long = spelling.len() > scheme.limit() && spelling.chars().count() > scheme.limit();
            let longest_key = match names.exposed.objection(at) {
                Some(NameProblem::TooLong { longest_key, .. }) => *longest_key,
                _ => None,
            };
            long.then_some(NameTooLong {
                claim: *claim,
                scheme: scheme.id(),
                spelling,
                limit: scheme.limit(),
                spells_key: scheme.spells_key(),
                longest_key,
            })
        })
    });
    too_long.collect()
}
