//! # What it finds
//!
//! Tools of different servers whose names differ and mean the same. A name is split into words (`get_file_contents`,
//! `getFileContents` and `get-file-contents` alike), words that mean the same are folded together, and what is left is
//! compared as a set, so that `projects_list` and `list_projects` are near. The finding shows the words and each folding,
//! so that you can judge it.
//!
//! These words fold, plurals included: get, fetch, load → read; find, query, grep → search; ls → list; put, save, update → write;
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
use super::wording::names_and_servers;
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
        let mut words = Words::default();
        let begin = ["tool names mean the same (", &self.meaning, "): "].concat();
        names_and_servers(&begin, &self.claims, |name, out| push_foldings(name, &mut words, out))
    }

    fn help(&self) -> Option<String> {
        Some("look whether all are needed, and leave out with a filter those that are not".into())
    }

    fn subject(&self) -> Subject {
        Subject::entries(&self.claims)
    }
}

/// Appends ` (get → read, contents → file)`, or nothing where every word stands for itself.
fn push_foldings(name: &str, words: &mut Words, out: &mut String) {
    let mut before = " (";
    for (word, folded) in words.folded(name) {
        for part in [before, word, " → ", &folded] {
            out.push_str(part);
        }
        before = ", ";
    }
    out.push_str(if before == ", " { ")" } else { "" });
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<NearDuplicate<'a>> {
    let names: Vec<&[u32]> = index.tools.by_name.iter().collect();
    let mut found = Vec::new();
    for cluster in Meanings::of(&index.tools, &names, Plurals::Folded).clusters() {
        let narrower = Meanings::of(&index.tools, &cluster.names, Plurals::Kept);
        if one_server_has_both_numbers(index, &narrower) {
            let narrower = narrower.clusters().into_iter();
            found.extend(narrower.filter_map(|cluster| near_duplicate(index, cluster)));
        } else {
            found.extend(near_duplicate(index, cluster));
        }
    }
    found
}

fn near_duplicate<'a>(index: &'a Index<'a>, cluster: Cluster<'_>) -> Option<NearDuplicate<'a>> {
    let members = cluster.names.iter().copied().flatten();
    let claims: Vec<Claim<'_>> =
        members.map(|&member| index.tools.claims[member as usize]).collect();
    let near = index.are_of_several_servers(&claims) && !differ_only_in_looks(&claims);
    near.then_some(NearDuplicate { claims, meaning: cluster.meaning })
}

/// Whether some server has two of these names that differ in a plural alone: there `get_user` and `get_users` do not mean
/// the same, so the plural has to count.
fn one_server_has_both_numbers(index: &Index<'_>, numbers: &Meanings<'_, '_>) -> bool {
    let mut number_of_server = BTreeMap::new();
    numbers.names.iter().enumerate().any(|(at, members)| {
        let number = numbers.at(at);
        members.iter().any(|&member| {
            let rank = index.tools.claims[member as usize].rank;
            *number_of_server.entry(rank).or_insert(number) != number
        })
    })
}

/// Whether CS010 has the whole group already.
fn differ_only_in_looks(claims: &[Claim<'_>]) -> bool {
    let Some(first) = claims.first() else { return true };
    let (mut looks, mut other) = (String::new(), String::new());
    squash(first.name, &mut looks);
    claims.iter().filter(|claim| claim.name != first.name).all(|claim| {
        other.clear();
        squash(claim.name, &mut other);
        other == looks
    })
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
        // As a rule a meaning is about as long as its name.
        let length = names.iter().map(|members| all.claims[members[0] as usize].name.len()).sum();
        let (mut text, mut ends) = (String::with_capacity(length), Vec::with_capacity(names.len()));
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
