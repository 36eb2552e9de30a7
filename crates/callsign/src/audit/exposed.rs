//! The spelling of every claim under the scheme, in one buffer: a million names cost one allocation, not a million.

use super::index::Claim;
use super::wording::has_provider_chars_only;
use crate::scheme::{NameProblem, Scheme};

#[derive(Default)]
pub(super) struct Exposed {
    text: String,
    /// Where each spelling ends in `text`.
    ends: Vec<usize>,
    /// What the scheme itself has against a claim, by the claim's place; ascending.
    objections: Vec<(usize, NameProblem)>,
    /// Whether the scheme has a name for each claim: its spelling, which is legal then. Looked up by several searches.
    named: Vec<bool>,
}

impl Exposed {
    pub(super) fn of(scheme: &dyn Scheme, claims: &[Claim<'_>]) -> Self {
        let mut exposed = Self::default();
        // As much as most schemes put before and between the parts.
        let around = 8;
        let length = |claim: &Claim<'_>| claim.key().len() + claim.name.len() + around;
        exposed.text.reserve(claims.iter().map(length).sum());
        exposed.ends.reserve(claims.len());
        exposed.named.reserve(claims.len());
        for (at, claim) in claims.iter().enumerate() {
            let start = exposed.text.len();
            scheme.spell(claim.key(), claim.name, &mut exposed.text);
            exposed.ends.push(exposed.text.len());
            let spelling = &exposed.text[start..];
            let legal = spelling.len() <= scheme.limit() && has_provider_chars_only(spelling);
            let objection = scheme.objection(claim.key(), claim.name);
            exposed.named.push(legal && objection.is_none());
            exposed.objections.extend(objection.map(|problem| (at, problem)));
        }
        exposed
    }

    /// The spelling of the claim at this place, legal or not.
    pub(super) fn spelling(&self, at: usize) -> &str {
        self.slice(&self.text, at)
    }

    /// The exposed name of the claim at this place; `None` where the scheme has none for it.
    pub(super) fn name(&self, at: usize) -> Option<&str> {
        self.named[at].then(|| self.spelling(at))
    }

    /// All spellings as a host sees them that compares without case and turns `-` into `_`, to be cut with
    /// [`slice`](Self::slice).
    pub(super) fn host_folded(&self) -> String {
        let mut folded = self.text.to_ascii_lowercase().into_bytes();
        for byte in folded.iter_mut().filter(|byte| **byte == b'-') {
            *byte = b'_';
        }
        // One ASCII character for another leaves it UTF-8.
        String::from_utf8(folded).unwrap_or_default()
    }

    /// The part of `text` that is the spelling of the claim at this place; `text` is as long as all spellings.
    pub(super) fn slice<'t>(&self, text: &'t str, at: usize) -> &'t str {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &text[start..self.ends[at]]
    }

    pub(super) fn objection(&self, at: usize) -> Option<&NameProblem> {
        let found = self.objections.binary_search_by_key(&at, |(place, _)| *place).ok()?;
        Some(&self.objections[found].1)
    }

    pub(super) fn objections(&self) -> &[(usize, NameProblem)] {
        &self.objections
    }
}
