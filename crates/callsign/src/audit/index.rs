//! What several searches need, built once: every name with its claimants, and every exposed name.

use std::collections::HashMap;
use std::hash::BuildHasher;

use super::exposed::Exposed;
use super::finding::Kind;
use super::fleet::{Fleet, Server};
use super::judged_rules::JudgedRules;
use super::same_server_twice::{SameServer, same_servers};
use crate::catalogue::{Catalogue, Prompt, Resource, Tool};
use crate::name::{ServerKey, WireName};
use crate::scheme::Scheme;

pub(super) struct Index<'a> {
    pub(super) scheme: &'a dyn Scheme,
    pub(super) servers: &'a [Server],
    pub(super) rules: &'a [JudgedRules<'a>],
    pub(super) tools: Names<'a>,
    pub(super) prompts: Names<'a>,
    pub(super) resources: Names<'a>,
    pub(super) same_servers: Vec<SameServer<'a>>,
    /// For each server the first server that is one with it under another key, or itself.
    first_of_same: Vec<u32>,
}

impl<'a> Index<'a> {
    pub(super) fn of(fleet: &'a Fleet<'_>) -> Self {
        let (scheme, servers) = (fleet.scheme(), fleet.servers());
        let tools = Names::of(Kind::Tool, servers, Some(scheme), |c| {
            c.positions().zip(c.tools().iter().map(Tool::wire))
        });
        let prompts = Names::of(Kind::Prompt, servers, Some(scheme), |c| {
            c.prompts().iter().map(Prompt::name).enumerate()
        });
        let resources = Names::of(Kind::Resource, servers, None, |c| {
            c.resources().iter().map(Resource::uri).enumerate()
        });
        let same_servers = same_servers(servers, &tools);
        let mut first_of_same: Vec<u32> = (0..).take(servers.len()).collect();
        for same in same_servers.iter().filter(|same| same.is_certain()) {
            for &member in &same.members {
                first_of_same[member] = first_of_same[same.members[0]];
            }
        }
        let rules = fleet.rules();
        Self { scheme, servers, rules, tools, prompts, resources, same_servers, first_of_same }
    }

    /// Names that a scheme turns into exposed names. Resources are read by their URI, under every scheme.
    pub(super) fn exposed_kinds(&self) -> [&Names<'a>; 2] {
        [&self.tools, &self.prompts]
    }

    pub(super) fn all_kinds(&self) -> [&Names<'a>; 3] {
        [&self.tools, &self.prompts, &self.resources]
    }

    /// Whether the claims are those of at least two servers, one server under two keys counted once.
    pub(super) fn are_of_several_servers(&self, claims: &[Claim<'_>]) -> bool {
        let mut servers = claims.iter().map(|claim| self.first_of_same[claim.rank as usize]);
        let first = servers.next();
        servers.any(|server| Some(server) != first)
    }
}

/// The names of one kind.
pub(super) struct Names<'a> {
    /// In the order of servers, each server's in its advertised order.
    pub(super) claims: Vec<Claim<'a>>,
    /// Claims of one name.
    pub(super) by_name: Groups,
    /// Places of claims that repeat one of the same server, ascending.
    repeats: Vec<usize>,
    pub(super) exposed: Exposed,
}

/// One entry of one server's listing: an identity that wants a name.
#[derive(Clone, Copy)]
pub(super) struct Claim<'a> {
    pub(super) server: &'a Server,
    pub(super) name: &'a WireName,
    /// The server's place in the fleet.
    pub(super) rank: u32,
    /// Its place among the readable entries of its listing.
    pub(super) index: u32,
    /// Where it stood in its listing, counted from 0.
    pub(super) position: u32,
    pub(super) kind: Kind,
}

impl<'a> Claim<'a> {
    pub(super) fn key(&self) -> &'a ServerKey {
        &self.server.key
    }

    pub(super) fn is_same_identity(&self, other: &Self) -> bool {
        self.rank == other.rank && self.name == other.name
    }
}

impl<'a> Names<'a> {
    /// `listing` gives the names of a catalogue, each with where it stood in the listing.
    fn of<I: Iterator<Item = (usize, &'a WireName)>>(
        kind: Kind,
        servers: &'a [Server],
        scheme: Option<&dyn Scheme>,
        listing: impl Fn(&'a Catalogue) -> I,
    ) -> Self {
        let entries =
            servers.iter().flat_map(|server| &server.catalogue).map(|c| listing(c).count());
        let mut claims = Vec::with_capacity(entries.sum());
        for (rank, server) in (0..).zip(servers) {
            let names = server.catalogue.iter().flat_map(&listing);
            claims.extend((0..).zip(names).map(|(index, (position, name))| Claim {
                server,
                name,
                rank,
                index,
                position: u32::try_from(position).unwrap_or(u32::MAX),
                kind,
            }));
        }
        let by_name = Groups::by(claims.len(), |at| Some(claims[at].name.as_str()));
        let exposed = scheme.map_or_else(Exposed::default, |scheme| Exposed::of(scheme, &claims));
        let repeats = repeats(&claims, &by_name);
        Self { claims, by_name, repeats, exposed }
    }

    /// The claims of a group's members.
    pub(super) fn pick(&self, members: &[u32]) -> Vec<Claim<'a>> {
        members.iter().map(|&member| self.claims[member as usize]).collect()
    }

    /// Where each identity is advertised first.
    pub(super) fn by_identity(&self) -> HashMap<(&'a ServerKey, &'a WireName), Claim<'a>> {
        let mut first = HashMap::with_capacity(self.claims.len());
        for (_, claim) in self.identities() {
            first.entry((claim.key(), claim.name)).or_insert(*claim);
        }
        first
    }

    /// The claims of the server at this place in the fleet, each with where it stands in [`claims`](Self::claims).
    pub(super) fn of_server(&self, rank: usize) -> impl Iterator<Item = (usize, &Claim<'a>)> {
        let start = self.claims.partition_point(|claim| (claim.rank as usize) < rank);
        let own = self.claims[start..].iter().take_while(move |claim| claim.rank as usize == rank);
        (start..).zip(own)
    }

    /// Each identity once, with where its claim stands in [`claims`](Self::claims), in that order.
    pub(super) fn identities(&self) -> impl Iterator<Item = (usize, &Claim<'a>)> {
        let mut repeats = self.repeats.iter().peekable();
        self.claims.iter().enumerate().filter(move |(at, _)| repeats.next_if_eq(&at).is_none())
    }
}

/// Claims of a name that its server has already claimed, ascending.
fn repeats(claims: &[Claim<'_>], by_name: &Groups) -> Vec<usize> {
    let claim = |member: u32| &claims[member as usize];
    let repeated = by_name.shared().flat_map(|members| {
        members.windows(2).filter(|pair| claim(pair[0]).is_same_identity(claim(pair[1])))
    });
    let mut repeated: Vec<usize> = repeated.map(|pair| pair[1] as usize).collect();
    repeated.sort_unstable();
    repeated
}

/// Items that have a text in common, found by sorting hashes: n log n in the number of items at most, and fast because
/// what is sorted lies side by side in memory, one word an item, where the texts themselves do not.
///
/// Nothing depends on the hash: groups come in the order of their first items, and items in ascending order.
#[derive(Default)]
pub(super) struct Groups {
    /// The members of groups of at least two, group after group.
    members: Vec<u32>,
    /// Where each of those groups begins and ends in `members`.
    spans: Vec<(usize, usize)>,
    /// Items that are alone.
    single: Vec<u32>,
}

impl Groups {
    /// Groups the items `0..count` by the text that `key` gives; those without one are in no group.
    pub(super) fn by<'k>(count: usize, key: impl Fn(usize) -> Option<&'k str>) -> Self {
        // A fixed hash: whoever makes texts with equal hashes makes them be compared as texts, and no more.
        let hash = foldhash::fast::FixedState::default();
        // Half a hash, and below it the item.
        let mut hashed = Vec::<u64>::with_capacity(count);
        hashed.extend((0..).zip(0..count).filter_map(|(item, at)| {
            let hash = hash.hash_one(key(at)?);
            Some(hash >> 32 << 32 | item)
        }));
        let mut hashed = in_order(&hashed);
        let item = |hashed: u64| hashed as u32;
        let text = |hashed: u64| key(item(hashed) as usize).unwrap_or_default();
        let mut groups = Self::default();
        for alike in hashed.chunk_by_mut(|a, b| a >> 32 == b >> 32) {
            // Most items are alone, and then nothing is to be compared.
            if alike.len() > 1 && alike[1..].iter().any(|&other| text(other) != text(alike[0])) {
                alike.sort_unstable_by_key(|&hashed| (text(hashed), item(hashed)));
                for equal in alike.chunk_by(|&a, &b| text(a) == text(b)) {
                    groups.push(equal.iter().copied().map(item));
                }
            } else {
                groups.push(alike.iter().copied().map(item));
            }
        }
        groups.spans.sort_unstable_by_key(|(start, _)| groups.members[*start]);
        groups.single = in_order_of_items(&groups.single, count);
        groups
    }

    fn push(&mut self, mut items: impl ExactSizeIterator<Item = u32>) {
        if items.len() == 1 {
            self.single.extend(items.next());
            return;
        }
        let start = self.members.len();
        self.members.extend(items);
        self.spans.push((start, self.members.len()));
    }

    /// For each of `count` items the first item of its group, or itself.
    pub(super) fn firsts(&self, count: usize) -> Vec<u32> {
        let mut firsts: Vec<u32> = (0..).take(count).collect();
        for members in self.shared() {
            for &member in &members[1..] {
                firsts[member as usize] = members[0];
            }
        }
        firsts
    }

    /// All groups: those of at least two items, then the items that are alone.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.shared().chain(self.single.chunks(1))
    }

    /// The groups of at least two items.
    pub(super) fn shared(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.spans.iter().map(|&(start, end)| &self.members[start..end])
    }
}

/// Sorts by putting each number where its highest bits belong, which for hashes leaves next to nothing to sort.
fn in_order(numbers: &[u64]) -> Vec<u64> {
    let bits = numbers.len().max(2).next_power_of_two().trailing_zeros();
    let bucket = |number: u64| (number >> (u64::BITS - bits)) as usize;
    let mut ends = vec![0_u32; 1 << bits];
    for &number in numbers {
        ends[bucket(number)] += 1;
    }
    let mut end = 0;
    for count in &mut ends {
        end += *count;
        *count = end;
    }
    let mut sorted = vec![0; numbers.len()];
    // Each bucket is filled from its end, and then its end is where it starts.
    for &number in numbers.iter().rev() {
        let place = &mut ends[bucket(number)];
        *place -= 1;
        sorted[*place as usize] = number;
    }
    for bucket in sorted.chunk_by_mut(|a, b| bucket(*a) == bucket(*b)) {
        if bucket.len() > 1 {
            bucket.sort_unstable();
        }
    }
    sorted
}

/// Sorts different items below `count`.
fn in_order_of_items(items: &[u32], count: usize) -> Vec<u32> {
    let mut is_there = vec![false; count];
    for &item in items {
        is_there[item as usize] = true;
    }
    let mut sorted = Vec::with_capacity(items.len());
    sorted.extend((0..).zip(is_there).filter_map(|(item, is_there)| is_there.then_some(item)));
    sorted
}

#[cfg(test)]
mod tests {
    use super::{Groups, in_order};

    #[test]
    fn numbers_are_put_in_order_however_they_are_spread() {
        for numbers in [vec![], vec![7], vec![u64::MAX, 0, 1 << 63, 5, 5, 1], vec![3; 100]] {
            let mut expected = numbers.clone();
            expected.sort_unstable();
            assert_eq!(in_order(&numbers), expected);
        }
        let spread: Vec<u64> =
            (0..1000_u64).map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        assert!(in_order(&spread).is_sorted());
        let dense: Vec<u64> = (0..1000).rev().collect();
        assert!(in_order(&dense).is_sorted());
    }

    #[test]
    fn groups_come_in_order_and_items_without_a_text_in_none() {
        let texts = [Some("b"), Some("a"), None, Some("b"), Some("c"), Some("a")];
        let groups = Groups::by(texts.len(), |at| texts[at]);
        let all: Vec<Vec<u32>> = groups.iter().map(<[u32]>::to_vec).collect();
        assert_eq!(all, [vec![0, 3], vec![1, 5], vec![4]]);
        assert_eq!(groups.shared().count(), 2);
        assert_eq!(groups.firsts(texts.len()), [0, 1, 2, 0, 4, 1]);
        assert_eq!(Groups::by(0, |_| None).iter().count(), 0);
    }
}
