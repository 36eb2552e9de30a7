//! # What it finds
//!
//! Names of tools or prompts that differ only in case or separators and belong to different servers: `list_pages` and
//! `list-pages`, `getTeam` and `get_team`. Server keys that differ only so, since they end up in names. And exposed names
//! that become one in a host that compares without case or turns `-` into `_`, where no such pair of names or keys
//! explains it.
//!
//! Equal names are CS001; names that only mean the same are CS005. Names within one server are not compared: its author
//! may well offer an old and a new spelling.
//!
//! # Why it matters
//!
//! A model that reads both easily writes the one for the other, a person can't tell them apart in a rule, and hosts that
//! fold case or separators make one name of them. It is also how a server takes the place of another's tool.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "browser": { "tools": ["list_pages", "open_page"] },
//!     "diagrams": { "tools": ["list-pages", "export_svg"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! Leave one of them out with a filter if it is not needed. Under a scheme that spells the server key the names are apart;
//! for two keys that are alike, rename one of them so that the difference can be seen and heard.
//!
//! # How to silence it
//!
//! Set `CS010` to `"info"` or `"off"` in callsign.toml.

use super::finding::{Facts, Kind, Severity, Subject};
use super::index::{Claim, Groups, Index, Names};
use super::wording::{names_and_servers, push_lower, quoted_list};
use crate::name::ServerKey;

/// Names that are one name but for case and separators.
pub(super) enum ConfusableName<'a> {
    Names(Vec<Claim<'a>>),
    Keys(Vec<&'a ServerKey>),
    Exposed { claims: Vec<Claim<'a>>, names: Vec<&'a str> },
}

pub(super) const SEVERITY: Severity = Severity::Warning;

impl Facts for ConfusableName<'_> {
    fn message(&self) -> String {
        match self {
            Self::Names(claims) => {
                let kind = claims.first().map_or(Kind::Tool, |claim| claim.kind);
                let begin = format!("{kind} names differ only in case or separators: ");
                names_and_servers(&begin, claims, |_, _| {})
            }
            Self::Keys(keys) => {
                let keys: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
                format!("server keys {} differ only in case or separators", quoted_list(&keys))
            }
            Self::Exposed { names, .. } => {
                let names = quoted_list(names);
                format!("exposed names {names} differ only in case or in `-` for `_`")
            }
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::Names(_) => "leave out those that are not needed; a scheme that spells the server key keeps them apart".into(),
            Self::Keys(_) => "rename one of the keys so that the difference can be seen".into(),
            Self::Exposed { .. } => "load one of the servers under another key: some hosts make one name of these".into(),
        })
    }

    fn subject(&self) -> Subject {
        match self {
            Self::Names(claims) | Self::Exposed { claims, .. } => Subject::entries(claims),
            Self::Keys(keys) => Subject::servers(keys.iter().copied()),
        }
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<ConfusableName<'a>> {
    let [tools, prompts] = index.exposed_kinds();
    let mut found = confusable_keys(index);
    for names in [tools, prompts] {
        let folded = Folded::of(names);
        found.extend(confusable_names(index, names, &folded));
        found.extend(confusable_exposed(names, &folded));
    }
    found
}

/// A name without case and separators: what is left when two names differ in nothing else.
pub(super) fn squash(name: &str, out: &mut String) {
    for c in name.chars() {
        // Nearly all characters are small letters, and all of those stay.
        if c.is_ascii_lowercase() {
            out.push(c);
        } else if !is_separator(c) {
            push_lower(c, out);
        }
    }
}

/// ASCII punctuation but for the signs that make another name of a name (`c++`, `c#`), any white space, the dashes, and
/// characters that are not seen at all.
fn is_separator(c: char) -> bool {
    (c.is_ascii() && !c.is_ascii_alphanumeric() && !matches!(c, '+' | '#'))
        || c.is_whitespace()
        || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2010}'..='\u{2015}' | '\u{2060}' | '\u{feff}')
}

/// Each claim's name without case and separators, in one buffer.
struct Folded {
    text: String,
    /// Where each claim's begins and ends in `text`: claims of one name have one place.
    spans: Vec<(usize, usize)>,
}

impl Folded {
    fn of(names: &Names<'_>) -> Self {
        let length = names.claims.iter().map(|claim| claim.name.len()).sum();
        let count = names.claims.len();
        let (mut text, mut spans) = (String::with_capacity(length), Vec::with_capacity(count));
        for ((at, claim), first) in (0..).zip(&names.claims).zip(names.by_name.firsts(count)) {
            let start = text.len();
            if first == at {
                squash(claim.name, &mut text);
                spans.push((start, text.len()));
            } else {
                spans.push(spans[first as usize]);
            }
        }
        Self { text, spans }
    }

    fn at(&self, at: usize) -> &str {
        let (start, end) = self.spans[at];
        &self.text[start..end]
    }
}

fn confusable_names<'a>(
    index: &'a Index<'a>,
    names: &'a Names<'a>,
    folded: &Folded,
) -> Vec<ConfusableName<'a>> {
    let groups =
        Groups::by(names.claims.len(), |at| Some(folded.at(at)).filter(|text| !text.is_empty()));
    let shared = groups.shared().filter(|members| {
        let first = names.claims[members[0] as usize].name;
        members.iter().any(|&member| names.claims[member as usize].name != first)
    });
    // Two names and two servers: then there is a pair that differs in both.
    let claims = shared.map(|members| names.pick(members));
    claims
        .filter(|claims| index.are_of_several_servers(claims))
        .map(ConfusableName::Names)
        .collect()
}

fn confusable_keys<'a>(index: &'a Index<'a>) -> Vec<ConfusableName<'a>> {
    let folded: Vec<String> = index.servers.iter().map(|server| squashed(&server.key)).collect();
    let groups = Groups::by(folded.len(), |at| Some(&*folded[at]).filter(|text| !text.is_empty()));
    groups
        .shared()
        .map(|members| {
            let mut keys: Vec<&ServerKey> =
                members.iter().map(|&member| &index.servers[member as usize].key).collect();
            keys.dedup();
            keys
        })
        .filter(|keys| keys.len() > 1)
        .map(ConfusableName::Keys)
        .collect()
}

fn squashed(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    squash(name, &mut text);
    text
}

/// Exposed names that a host may make one of. Where the wire names are alike, or are equal and the keys alike, that pair is
/// the cause and is reported itself.
fn confusable_exposed<'a>(names: &'a Names<'a>, folded: &Folded) -> Vec<ConfusableName<'a>> {
    let exposed = &names.exposed;
    let host_folded = exposed.host_folded();
    let seen = |at| exposed.name(at).map(|_| exposed.slice(&host_folded, at));
    let groups = Groups::by(names.claims.len(), seen);
    let unexplained = groups.shared().filter(|members| {
        let first = members[0] as usize;
        let own = names.claims[first].rank;
        members.iter().any(|&member| folded.at(member as usize) != folded.at(first))
            && members.iter().any(|&member| names.claims[member as usize].rank != own)
    });
    unexplained
        .map(|members| {
            let mut spellings: Vec<&str> =
                members.iter().map(|&member| exposed.spelling(member as usize)).collect();
            spellings.sort_unstable();
            spellings.dedup();
            (members, spellings)
        })
        // One spelling is CS002.
        .filter(|(_, spellings)| spellings.len() > 1)
        .map(|(members, names_seen)| ConfusableName::Exposed {
            claims: names.pick(members),
            names: names_seen,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::squashed;

    #[test]
    fn case_separators_and_invisible_characters_go_and_nothing_else() {
        for name in ["list_pages", "list-pages", "listPages", "List.Pages", "list\u{ad}pages"] {
            assert_eq!(squashed(name), "listpages", "{name:?}");
        }
        assert_ne!(squashed("list_page"), "listpages");
        assert_ne!(squashed("c++"), squashed("c#"));
        assert_eq!(squashed("読む_書く"), "読む書く");
    }
}
