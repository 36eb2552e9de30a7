//! # What it finds
//!
//! One server that is configured under several keys. The evidence is one of these:
//!
//! - the same launch: equal command and arguments (and folder, where the command depends on it), or equal address. If
//!   their environment or headers differ, the finding says so: then it is perhaps two accounts and not a mistake. A package runner without a package (`npx` alone) is no
//!   evidence, and neither is a launch whose servers advertise lists of tools that have less than half in common;
//! - equal catalogues of at least two tools (names, and definitions where they are known), if the launch of one of them is
//!   not known, as it is with static lists of tools;
//! - equal catalogues of one tool, launch not known, under keys of one family: `docs-serde` and `docs-tokio`. This is little
//!   evidence, so here CS001 stays beside it.
//!
//! Equal catalogues under two *different* launches are not this: that may be a copy or an impostor, and every duplicate of
//! them stays visible.
//!
//! # Why it matters
//!
//! Every name of the server is there twice, so a plain list of duplicates has as many lines as the server has tools and
//! hides the one cause. The CS001s whose claimants are all this one server are folded into this finding (except where it
//! rests on a single tool).
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "mail": { "url": "https://mail.example.invalid/mcp", "tools": ["send_email", "list_inbox"] },
//!     "plugin_mail": { "url": "https://mail.example.invalid/mcp", "tools": ["send_email", "list_inbox"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! If it is a mistake, remove one of the entries. If it is two accounts or two stages of one service, give them keys that
//! say which is which, and use a scheme that spells the key.
//!
//! # How to silence it
//!
//! Set `CS007` to `"info"` or `"off"` in callsign.toml.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use super::finding::{Facts, Severity, Subject};
use super::fleet::Server;
use super::index::{Index, Names};
use super::wording::servers as servers_in_words;
use crate::catalogue::{Catalogue, Tool};
use crate::name::ServerKey;

/// Servers that are one server.
pub(super) struct SameServer<'a> {
    /// Their places in the fleet, ascending.
    pub(super) members: Vec<usize>,
    keys: Vec<&'a ServerKey>,
    evidence: Evidence,
    /// How many tools the first of them has, where that is known.
    tools: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Evidence {
    Launch { settings_differ: bool },
    Catalogue,
    OneTool,
}

pub(super) const SEVERITY: Severity = Severity::Warning;

impl SameServer<'_> {
    /// Whether the evidence is enough to fold duplicates into this finding.
    pub(super) fn is_certain(&self) -> bool {
        self.evidence != Evidence::OneTool
    }
}

impl Facts for &SameServer<'_> {
    fn message(&self) -> String {
        let keys: Vec<&str> = self.keys.iter().map(|key| key.as_str()).collect();
        let keys = servers_in_words(&keys);
        match self.evidence {
            Evidence::Launch { settings_differ: false } => {
                format!("{keys} are one server: they have the same command or address")
            }
            Evidence::Launch { settings_differ: true } => format!(
                "{keys} are one server: they have the same command or address, but their environment or \
                 headers differ, so it is perhaps several accounts and not a mistake"
            ),
            Evidence::Catalogue => {
                format!(
                    "{keys} seem to be one server: they advertise the same {} tools",
                    self.tools
                )
            }
            Evidence::OneTool => format!(
                "{keys} may be one server: their keys are alike and they advertise the same single tool"
            ),
        }
    }

    fn help(&self) -> Option<String> {
        let folded = match self.is_certain() {
            true => "; their duplicate names are not listed one by one",
            false => "",
        };
        Some(format!(
            "remove the entries that are too many, or give them keys that say which is which{folded}"
        ))
    }

    fn subject(&self) -> Subject {
        Subject::servers(self.keys.iter().copied())
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<&'a SameServer<'a>> {
    index.same_servers.iter().collect()
}

/// How many different catalogues one launch may give before it tells nothing about what it launches, and how many
/// different definitions of equal names are kept apart. It bounds the comparisons made for each server.
const MOST_DIFFERENT: usize = 8;

/// All groups of servers that are one server; each server is in at most one.
pub(super) fn same_servers<'a>(
    servers: &'a [Server],
    tools: &Names<'_>,
) -> Vec<SameServer<'a>> {
    let known = Known::all(servers, tools);
    let mut joined = Joined::new(known.len());
    join_by_launch(&known, &mut joined);
    join_by_catalogue(&known, &mut joined);
    let mut groups = joined.groups();
    let certain: BTreeSet<usize> = groups.iter().flatten().copied().collect();
    let one_tool = one_tool_families(&known, &certain);
    let evidence = |members: &[usize]| {
        if !certain.contains(&members[0]) { Evidence::OneTool } else { evidence(&known, members) }
    };
    groups.extend(one_tool);
    let describe = |members: Vec<usize>| SameServer {
        keys: members.iter().map(|&at| &servers[at].key).collect(),
        evidence: evidence(&members),
        tools: known[members[0]].names.len(),
        members,
    };
    groups.into_iter().map(describe).collect()
}

/// What is compared of a server.
struct Known<'a> {
    server: &'a Server,
    endpoint: Option<&'a str>,
    /// Its tools' names, each once and as a number that stands for the name, ascending; empty if its catalogue is not
    /// known or empty.
    names: Vec<u32>,
}

impl<'a> Known<'a> {
    fn all(servers: &'a [Server], tools: &Names<'_>) -> Vec<Self> {
        // The first claim of a name stands for it.
        let mut of_claims = tools.by_name.firsts(tools.claims.len()).into_iter();
        let of = |server: &'a Server| {
            let endpoint = server.launch.as_ref().and_then(super::Launch::telling_endpoint);
            let listed = server.catalogue.as_ref().map_or(0, |catalogue| catalogue.tools().len());
            let mut names: Vec<u32> = of_claims.by_ref().take(listed).collect();
            names.sort_unstable();
            names.dedup();
            Self { server, endpoint, names }
        };
        servers.iter().map(of).collect()
    }

    fn settings(&self) -> Option<&'a str> {
        self.endpoint.and(self.server.launch.as_ref()).map(|launch| launch.settings.as_str())
    }

    /// Whether at least half of the smaller list is in the other.
    fn resembles(&self, other: &Self) -> bool {
        let (a, b) = (&self.names, &other.names);
        let (smaller, larger) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        let mut larger = larger.iter().peekable();
        // Both are sorted, so one walk over both finds what is missing.
        let missing = smaller.iter().filter(|name| {
            while larger.next_if(|other| other < name).is_some() {}
            larger.next_if_eq(name).is_none()
        });
        let may_miss = smaller.len() / 2;
        missing.take(may_miss + 1).count() <= may_miss
    }

    /// Whether no tool of both is defined in two ways; a tool known by name only contradicts nothing.
    fn defines_the_same(&self, other: &Self) -> bool {
        let tools = |known: &Self| -> BTreeMap<&'a str, &'a Tool> {
            let catalogue = known.server.catalogue.as_ref().map_or(&[][..], Catalogue::tools);
            let defined = catalogue.iter().filter(|tool| tool.definition().is_some());
            defined.map(|tool| (&**tool.wire(), tool)).collect()
        };
        let (ours, theirs) = (tools(self), tools(other));
        ours.iter().all(|(name, tool)| {
            theirs.get(name).is_none_or(|other| tool.changed_fields(other).is_empty())
        })
    }
}

fn evidence(known: &[Known<'_>], members: &[usize]) -> Evidence {
    let endpoints: Vec<&str> = members.iter().filter_map(|&at| known[at].endpoint).collect();
    if endpoints.len() < members.len() {
        return Evidence::Catalogue;
    }
    let settings: BTreeSet<Option<&str>> = members.iter().map(|&at| known[at].settings()).collect();
    Evidence::Launch { settings_differ: settings.len() > 1 }
}

/// Joins servers of one launch. Where one launch gives several catalogues that do not resemble each other, only those that
/// do are joined, and servers whose catalogue is not known with none of them.
fn join_by_launch(known: &[Known<'_>], joined: &mut Joined) {
    let mut buckets = BTreeMap::<&str, Vec<usize>>::new();
    for (at, server) in known.iter().enumerate() {
        if let Some(endpoint) = server.endpoint {
            buckets.entry(endpoint).or_default().push(at);
        }
    }
    for bucket in buckets.into_values().filter(|bucket| bucket.len() > 1) {
        let (listed, unlisted): (Vec<usize>, Vec<usize>) =
            bucket.into_iter().partition(|&at| !known[at].names.is_empty());
        let classes = classes(&listed, |a, b| known[a].resembles(&known[b]));
        let one_class = classes.len() == 1;
        for class in classes {
            joined.join_all(&class);
            if one_class {
                joined.join_all(&[&class[..1], &unlisted].concat());
            }
        }
        joined.join_all(&unlisted);
    }
}

/// Joins servers with equal catalogues of at least two tools, unless both launches are known: those are either joined by
/// their launch already, or a copy under another launch.
fn join_by_catalogue(known: &[Known<'_>], joined: &mut Joined) {
    for class in equal_catalogues(known, |names| names.len() > 1) {
        let (launched, static_lists): (Vec<usize>, Vec<usize>) =
            class.into_iter().partition(|&at| known[at].endpoint.is_some());
        let endpoints: BTreeSet<_> = launched.iter().map(|&at| known[at].endpoint).collect();
        // With two launches it can't be said which of them a static list belongs to.
        match endpoints.len() {
            1 => joined.join_all(&[&launched[..1], &static_lists].concat()),
            _ => joined.join_all(&static_lists),
        }
    }
}

fn one_tool_families(known: &[Known<'_>], certain: &BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut families = Vec::new();
    for class in equal_catalogues(known, |names| names.len() == 1) {
        let mut by_family = BTreeMap::<&str, Vec<usize>>::new();
        for at in class {
            let family = family(&known[at].server.key).filter(|_| !certain.contains(&at));
            if let Some(family) = family.filter(|_| known[at].endpoint.is_none()) {
                by_family.entry(family).or_default().push(at);
            }
        }
        families.extend(by_family.into_values().filter(|members| members.len() > 1));
    }
    families
}

/// The first word of a key of several words: `docs` of `docs-serde`.
fn family(key: &str) -> Option<&str> {
    let mut words = key.split(['-', '_', '.', ' ']).filter(|word| !word.is_empty());
    let first = words.next()?;
    words.next().map(|_| first)
}

/// Classes of at least two servers with equal lists of names and no contradicting definitions.
fn equal_catalogues(known: &[Known<'_>], wanted: impl Fn(&[u32]) -> bool) -> Vec<Vec<usize>> {
    let wanted = (0..known.len()).filter(|&at| wanted(&known[at].names));
    in_common(wanted, |at| &known[at].names)
        .into_iter()
        .flat_map(|bucket| classes(&bucket, |a, b| known[a].defines_the_same(&known[b])))
        .filter(|class| class.len() > 1)
        .collect()
}

/// Groups of at least two items for which `key` gives the same; in the order of the items.
fn in_common<K: Hash + Eq>(
    items: impl Iterator<Item = usize>,
    key: impl Fn(usize) -> K,
) -> Vec<Vec<usize>> {
    let mut groups = HashMap::<K, Vec<usize>, foldhash::fast::RandomState>::default();
    for item in items {
        groups.entry(key(item)).or_default().push(item);
    }
    let mut shared: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
    // Nothing may depend on the hash.
    shared.sort_unstable();
    shared
}

/// Puts each item with the first class whose first member it is like; what would open a class too many stays alone.
fn classes(items: &[usize], alike: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for &item in items {
        match classes.iter().position(|class| alike(class[0], item)) {
            Some(class) => classes[class].push(item),
            None if classes.len() < MOST_DIFFERENT => classes.push(vec![item]),
            None => {}
        }
    }
    classes
}

/// Which servers have been found to be one (a union-find; the least member stands for its group).
struct Joined(Vec<usize>);

impl Joined {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn first(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join_all(&mut self, members: &[usize]) {
        for pair in members.windows(2) {
            let (a, b) = (self.first(pair[0]), self.first(pair[1]));
            self.0[a.max(b)] = a.min(b);
        }
    }

    /// The groups of at least two.
    fn groups(&mut self) -> Vec<Vec<usize>> {
        let mut by_first = BTreeMap::<usize, Vec<usize>>::new();
        for at in 0..self.0.len() {
            by_first.entry(self.first(at)).or_default().push(at);
        }
        by_first.into_values().filter(|members| members.len() > 1).collect()
    }
}
