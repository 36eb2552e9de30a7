//! # What it finds
//!
//! Tools of different servers whose names differ and mean the same. A name is split into words (`get_file_contents`,
//! `getFileContents` and `get-file-contents` alike), words that mean the same are folded together, and what is left is
//! compared as a set, so that `projects_list` and `list_projects` are near. The finding shows the words and each folding,
//! so that you can judge it.
//!
//! These words fold, plurals included: get, fetch, load → read; find, query, grep → search; ls → list; put, save → write;
//! rm, remove → delete; content → file; dir, folder → directory. Where one server has both `get_user` and `get_users`, it
//! means two things by them, and the plural counts.
//!
//! It is silent where names say too little: a verb alone (`get` and `fetch`) is no near pair. Where a `to`, `from`, `into`,
//! `in`, `by` or `for` stands between words their order counts. Names that differ only in case or separators are CS010 and
//! not said again.
//!
//! # Why it matters
//!
//! A model is given both and has nothing but name and description to choose by. The wrong one is called, and often succeeds
//! on the wrong data.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "filesystem": { "tools": ["read_file", "move_file"] },
//!     "github": { "tools": ["get_file_contents", "create_issue"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! Look whether both are needed, and leave one out with a filter if not. Nothing is renamed for this: a near name is a hint,
//! not a fault.
//!
//! # How to silence it
//!
//! Set `CS005` to `"info"` or `"off"` in callsign.toml.

use std::collections::BTreeMap;

use super::confusable_name::squash;
use super::finding::{Facts, Severity, Subject};
use super::index::{Claim, Groups, Index, Names};
use super::wording::{by_name, list, quote};
use super::words::{Plurals, Words};

/// Tools whose names mean the same.
pub(super) struct NearDuplicate<'a> {
    claims: Vec<Claim<'a>>,
    /// The folded words.
    meaning: String,
}

pub(super) const SEVERITY: Severity = Severity::Warning;

impl Facts for NearDuplicate<'_> {
    fn message(&self) -> String {
        let names: Vec<String> = by_name(&self.claims)
            .into_iter()
            .map(|(name, keys)| {
                let keys: Vec<String> = keys.into_iter().map(quote).collect();
                format!("{} of {}{}", quote(name), list(&keys), foldings(name))
            })
            .collect();
        format!("tool names mean the same ({}): {}", self.meaning, names.join("; "))
    }

    fn help(&self) -> Option<String> {
        Some("look whether all are needed, and leave out with a filter those that are not".into())
    }

    fn subject(&self) -> Subject {
        Subject::entries(&self.claims)
    }
}

/// ` (get → read, contents → file)`, or nothing where every word stands for itself.
fn foldings(name: &str) -> String {
    let mut words = Words::default();
    let folded: Vec<String> =
        words.folded(name).map(|(word, folded)| format!("{word} → {folded}")).collect();
    if folded.is_empty() { String::new() } else { format!(" ({})", folded.join(", ")) }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<NearDuplicate<'a>> {
    let names: Vec<&[u32]> = index.tools.by_name.iter().collect();
    let mut found = Vec::new();
    for cluster in Meanings::of(&index.tools, &names, Plurals::Folded).clusters() {
        if one_server_has_both_numbers(index, &cluster.names) {
            let narrower = Meanings::of(&index.tools, &cluster.names, Plurals::Kept).clusters();
            found.extend(narrower.into_iter().filter_map(|cluster| near_duplicate(index, cluster)));
        } else {
            found.extend(near_duplicate(index, cluster));
        }
    }
    found
}

fn near_duplicate<'a>(index: &'a Index<'a>, cluster: Cluster<'_>) -> Option<NearDuplicate<'a>> {
    let claims: Vec<Claim<'_>> =
        cluster.names.iter().flat_map(|members| index.tools.pick(members)).collect();
    let near = index.are_of_several_servers(&claims) && !differ_only_in_looks(&claims);
    near.then_some(NearDuplicate { claims, meaning: cluster.meaning })
}

/// Whether some server has two of these names that differ in a plural alone: there `get_user` and `get_users` do not mean
/// the same, so the plural has to count.
fn one_server_has_both_numbers(index: &Index<'_>, names: &[&[u32]]) -> bool {
    let mut words = Words::default();
    let mut number_of_server: BTreeMap<u32, String> = BTreeMap::new();
    names.iter().any(|members| {
        let mut number = String::new();
        words.meaning(index.tools.claims[members[0] as usize].name, Plurals::Kept, &mut number);
        members.iter().any(|&member| {
            let rank = index.tools.claims[member as usize].rank;
            *number_of_server.entry(rank).or_insert_with(|| number.clone()) != number
        })
    })
}

/// Whether CS010 has the whole group already.
fn differ_only_in_looks(claims: &[Claim<'_>]) -> bool {
    let looks = |claim: &Claim<'_>| {
        let mut text = String::new();
        squash(claim.name, &mut text);
        text
    };
    let first = claims.first().map(looks);
    claims.iter().all(|claim| Some(looks(claim)) == first)
}

/// What each different name means, in one buffer.
struct Meanings<'n, 'c> {
    /// The claims of each name.
    names: &'n [&'c [u32]],
    text: String,
    ends: Vec<usize>,
}

/// Names of one meaning.
struct Cluster<'c> {
    names: Vec<&'c [u32]>,
    meaning: String,
}

impl<'n, 'c> Meanings<'n, 'c> {
    fn of(all: &Names<'_>, names: &'n [&'c [u32]], plurals: Plurals) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::with_capacity(names.len()));
        let mut words = Words::default();
        for members in names {
            words.meaning(all.claims[members[0] as usize].name, plurals, &mut text);
            ends.push(text.len());
        }
        Self { names, text, ends }
    }

    /// `None` for a name that says too little.
    fn at(&self, at: usize) -> Option<&str> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.text[start..self.ends[at]]).filter(|meaning| !meaning.is_empty())
    }

    fn clusters(&self) -> Vec<Cluster<'c>> {
        let by_meaning = Groups::by(self.names.len(), |at| self.at(at));
        let cluster = |members: &[u32]| Cluster {
            names: members.iter().map(|&member| self.names[member as usize]).collect(),
            meaning: self.at(members[0] as usize).unwrap_or_default().to_owned(),
        };
        by_meaning.shared().map(cluster).collect()
    }
}
