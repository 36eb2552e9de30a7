//! # What it finds
//!
//! A tool's name, a prompt's name or a server key with a character that the large model providers do not accept in the name
//! of a function: anything but `A-Z a-z 0-9 _ -`. Each character is shown escaped, with its position counted from 1 and its
//! code point. A server key is reported once, not once per tool, and only under a scheme that spells the key.
//!
//! A resource's URI is not looked at: it is an address that no provider takes for a name, and has slashes by nature.
//!
//! # Why it matters
//!
//! MCP allows dots and slashes in names and servers do worse, but what a model is shown must fit its provider's rule. Some
//! hosts then lose the tool, some the server, some the whole request; others put another character in its place, so that
//! `a.b` and `a_b` become one name.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "orchard": { "tools": ["calendar.read"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! Give the server a key of letters, digits, `_` and `-`. A tool's name is its author's; until they change it, use a scheme
//! that substitutes characters (`provider-safe`, `prefixed-safe`): under those the finding is of severity info and says
//! what the name becomes. The server is always sent its own name.
//!
//! For a prompt it is a warning: its name never reaches a provider, but hosts make commands of it.
//!
//! # How to silence it
//!
//! Set `CS003` in callsign.toml, or leave the tool out with a filter.

use super::finding::{Facts, Kind, Severity, Subject};
use super::index::{Claim, Index};
use super::wording::{has_provider_chars_only, list, quote, whose};
use crate::name::ServerKey;
use crate::scheme::{NameProblem, Part, is_provider_char};

/// A name with characters that no provider accepts.
pub(super) struct InvalidName<'a> {
    whose: Whose<'a>,
    /// What a total scheme makes of it.
    becomes: Option<&'a str>,
}

enum Whose<'a> {
    Entry(Claim<'a>),
    Key(&'a ServerKey),
}

/// How many characters are shown one by one.
const SHOWN: usize = 3;

pub(super) const SEVERITY: Severity = Severity::Error;

impl Facts for InvalidName<'_> {
    fn severity(&self, default: Severity) -> Severity {
        match &self.whose {
            _ if self.becomes.is_some() => Severity::Info,
            Whose::Entry(claim) if claim.kind == Kind::Prompt => Severity::Warning,
            _ => default,
        }
    }

    fn message(&self) -> String {
        let (subject, name): (String, &str) = match &self.whose {
            Whose::Entry(claim) => (whose(claim), claim.name),
            Whose::Key(key) => (format!("server key {}", quote(key)), key),
        };
        let characters = illegal_characters(name);
        match (self.becomes, &self.whose) {
            (None, _) => format!("{subject} has {characters}; allowed are A-Z a-z 0-9 _ -"),
            (Some(name), Whose::Entry(_)) => {
                format!("{subject} has {characters}; it is exposed as {}", quote(name))
            }
            (Some(name), Whose::Key(_)) => {
                format!("{subject} has {characters}; its tools get names like {}", quote(name))
            }
        }
    }

    fn help(&self) -> Option<String> {
        if self.becomes.is_some() {
            return None;
        }
        let part = match self.whose {
            Whose::Entry(_) => Part::WireName,
            Whose::Key(_) => Part::ServerKey,
        };
        // The remedy depends on the part alone.
        let problem = NameProblem::IllegalCharacter { part, position: 1, character: '.' };
        Some(problem.remedy())
    }

    fn subject(&self) -> Subject {
        match &self.whose {
            Whose::Entry(claim) => Subject::entries(&[*claim]),
            Whose::Key(key) => Subject::servers([*key]),
        }
    }
}

/// `'.' (U+002E) at position 9`, the first few of them.
fn illegal_characters(name: &str) -> String {
    let illegal = || (1..).zip(name.chars()).filter(|(_, c)| !is_provider_char(*c));
    let mut shown: Vec<String> = illegal()
        .take(SHOWN)
        .map(|(position, c)| {
            format!("'{}' (U+{:04X}) at position {position}", c.escape_debug(), u32::from(c))
        })
        .collect();
    match illegal().count().saturating_sub(SHOWN) {
        0 => {}
        more => shown.push(format!("{more} more")),
    }
    list(&shown)
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<InvalidName<'a>> {
    let total = index.scheme.is_total();
    let entries = index.exposed_kinds().into_iter().flat_map(|names| {
        let invalid = names.identities().filter(|(_, claim)| is_invalid(claim.name));
        invalid.map(move |(at, claim)| InvalidName {
            whose: Whose::Entry(*claim),
            becomes: total.then(|| names.exposed.spelling(at)),
        })
    });
    let keys = index
        .servers
        .iter()
        .enumerate()
        .filter(|(_, server)| index.scheme.spells_key() && is_invalid(&server.key));
    let keys = keys.map(|(rank, server)| InvalidName {
        whose: Whose::Key(&server.key),
        becomes: first_tool(index, rank).filter(|_| total),
    });
    entries.chain(keys).collect()
}

fn is_invalid(name: &str) -> bool {
    !has_provider_chars_only(name)
}

/// The exposed name of the server's first tool by name: an example of what its key becomes.
fn first_tool<'a>(index: &'a Index<'a>, rank: usize) -> Option<&'a str> {
    let (at, _) = index.tools.of_server(rank).min_by_key(|(_, claim)| claim.name)?;
    Some(index.tools.exposed.spelling(at))
}
