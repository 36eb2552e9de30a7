//! Servers as a whole and names with a `*` at the end.
//!
//! A pattern is moved only where the new one covers exactly the same tools: `mcp__github__get_*` becomes
//! `mcp--github--get_*` if every known tool that begins so belongs to `github`, and the new pattern reaches no other.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use callsign::{ServerKey, ToolId};

use crate::claimant::Claimant;
use crate::edge::{self, Edge, Found, is_word};
use crate::reason::Reason;
use crate::scan::Subject;
use crate::spelling::{Spelling, breaks_out};

/// Texts that name servers, and who has each.
pub(crate) type Servers = HashMap<Box<[u8]>, Vec<ServerKey>>;

/// What is done with a text that names more than one tool.
#[derive(Debug, Clone)]
pub(crate) enum Verdict {
    Move(Arc<str>, Subject),
    Same,
    Stay(Reason),
}

/// A text that is spelled like a server or a pattern: where it ends, and what is done with it.
pub(crate) type Pattern = (usize, Verdict);

/// What patterns are judged by.
#[derive(Debug, Clone)]
pub(crate) struct Patterns {
    from: Spelling,
    to: Spelling,
    suffix: String,
    /// `mcp__github__`.
    prefixes: Servers,
    /// `mcp__github`.
    wholes: Servers,
    prefix_lengths: Vec<usize>,
    whole_lengths: Vec<usize>,
    new_wholes: Servers,
    /// Spellings with the tools' indices, sorted.
    old_names: Vec<(String, usize)>,
    new_names: Vec<(String, usize)>,
    tools: Vec<ToolId>,
    unknown: Vec<ServerKey>,
    /// The servers whose names are moved; all if nothing is said.
    chosen: Option<Vec<ServerKey>>,
}

impl Patterns {
    pub(crate) fn new(
        tools: &[ToolId],
        unknown: &[ServerKey],
        from: &Spelling,
        to: &Spelling,
    ) -> Self {
        let mut keys: Vec<&ServerKey> = tools.iter().map(ToolId::server).chain(unknown).collect();
        keys.sort_unstable();
        keys.dedup();
        let prefixes = servers(&keys, |key| from.server_prefix(key));
        let wholes = servers(&keys, |key| from.server_name(key));
        Self {
            suffix: from.suffix(),
            prefix_lengths: lengths(&prefixes),
            whole_lengths: lengths(&wholes),
            prefixes,
            wholes,
            new_wholes: servers(&keys, |key| to.server_name(key)),
            old_names: sorted(tools, from),
            new_names: sorted(tools, to),
            tools: tools.to_vec(),
            unknown: unknown.to_vec(),
            chosen: None,
            from: from.clone(),
            to: to.clone(),
        }
    }

    /// What names servers as a whole in the old spelling.
    pub(crate) fn wholes(&self) -> &Servers {
        &self.wholes
    }

    /// The texts with which anything may begin that is judged here.
    pub(crate) fn starts(&self) -> impl Iterator<Item = &str> {
        let marker = self.from.marker();
        let texts = self.prefixes.keys().chain(self.wholes.keys());
        texts.filter_map(|text| std::str::from_utf8(text).ok()).chain([marker])
    }

    /// From now on only what names these servers is moved.
    pub(crate) fn choose(&mut self, servers: &[ServerKey]) {
        self.chosen = Some(servers.to_vec());
    }

    /// Whether names of the server are moved.
    pub(crate) fn is_chosen(&self, server: &ServerKey) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| chosen.contains(server))
    }

    /// Whether the text with this reason may name one of the chosen servers.
    pub(crate) fn concerns(&self, reason: &Reason) -> bool {
        match reason.servers() {
            servers if servers.is_empty() => true,
            servers => servers.into_iter().any(|server| self.is_chosen(server)),
        }
    }

    /// The server or pattern that begins at `start`, if there is one, and what is done with it.
    pub(crate) fn at(&self, text: &[u8], start: usize) -> Option<Pattern> {
        let (end, verdict) = self.read_at(text, start)?;
        let verdict = match verdict {
            Verdict::Move(_, Subject::Everything) if self.chosen.is_some() => {
                self.all_or_none(verdict)
            }
            Verdict::Move(_, Subject::Server(ref key) | Subject::Tools(ref key))
                if !self.is_chosen(key) =>
            {
                Verdict::Same
            }
            Verdict::Stay(ref reason) if !self.concerns(reason) => Verdict::Same,
            verdict => verdict,
        };
        Some((end, verdict))
    }

    /// The old spellings of the chosen servers' tools.
    pub(crate) fn own_names(&self) -> HashSet<Box<[u8]>> {
        let own = self.old_names.iter().filter(|(_, index)| {
            self.tools.get(*index).is_some_and(|tool| self.is_chosen(tool.server()))
        });
        own.map(|(name, _)| name.as_bytes().into()).collect()
    }

    /// Whether a chosen server is among those that make the text ambiguous.
    pub(crate) fn claims_chosen(&self, reason: &Reason) -> bool {
        reason.servers().into_iter().any(|server| self.is_chosen(server))
    }

    /// What covers everything is moved only with everything.
    fn all_or_none(&self, verdict: Verdict) -> Verdict {
        let mut claimants: Vec<Claimant> = self.tools.iter().cloned().map(Claimant::Tool).collect();
        claimants.extend(self.unknown.iter().cloned().map(Claimant::Unknown));
        if claimants.iter().all(|claimant| self.is_chosen(claimant.server())) {
            return verdict;
        }
        claimants.sort();
        Verdict::Stay(Reason::CoversSeveral(claimants))
    }

    fn read_at(&self, text: &[u8], start: usize) -> Option<Pattern> {
        if let Some((end, keys)) = longest(&self.prefixes, &self.prefix_lengths, text, start) {
            return self.after_prefix(text, start, end, keys);
        }
        let whole = |end| edge::after(text, end) == Edge::Clear;
        let mut lengths = self.whole_lengths.iter().map(|length| start + length);
        let found = lengths.find_map(|end| {
            let keys = self.wholes.get(text.get(start..end)?)?;
            whole(end).then_some((end, keys))
        });
        if let Some((end, keys)) = found {
            return Some((end, self.server(keys)));
        }
        self.beyond_servers(text, start)
    }

    /// Behind `mcp__github__`: `*`, `get_*`, nothing, or a tool that nobody has.
    fn after_prefix(
        &self,
        text: &[u8],
        start: usize,
        prefix: usize,
        keys: &[ServerKey],
    ) -> Option<Pattern> {
        let end = run(text, prefix);
        let marked = !self.from.marker().is_empty();
        match edge::first(&text[end..]) {
            Found::Char('*') => self.star(text, start, prefix, end, keys),
            Found::Char('{' | '$' | '<' | '%') if marked => {
                Some((end, Verdict::Stay(Reason::Template)))
            }
            _ if !marked => None,
            _ if end == prefix => self.judge(text.get(start..end)?, start..end, "", keys),
            _ => {
                let stops = text[prefix..end].iter().rev().take_while(|b| b".:/-".contains(b));
                let end = end - stops.count();
                let name = std::str::from_utf8(text.get(start..end)?).ok()?;
                let is_new = covered(&self.new_names, name).iter().any(|(new, _)| new == name);
                let key = keys.first().filter(|_| end > prefix && !is_new)?;
                if self.unknown.contains(key) {
                    return None;
                }
                Some((end, Verdict::Stay(Reason::UnknownTool(key.clone()))))
            }
        }
    }

    /// A `*` at `end`. In a regular expression (`mcp__github__.*`) the dot belongs to it.
    fn star(
        &self,
        text: &[u8],
        start: usize,
        prefix: usize,
        end: usize,
        keys: &[ServerKey],
    ) -> Option<Pattern> {
        let dotted = end > prefix && text[end - 1] == b'.';
        let body = if dotted { end - 1 } else { end };
        let behind = end + 1;
        if !text[behind..].starts_with(self.suffix.as_bytes()) {
            return Some((behind, Verdict::Stay(Reason::Form)));
        }
        let behind_all = behind + self.suffix.len();
        let rest = &text[behind_all..];
        let ends = edge::after(text, behind_all) == Edge::Clear && !rest.starts_with(b"[");
        if !ends && !rest.starts_with(b"**") {
            return Some((behind_all, Verdict::Stay(Reason::Form)));
        }
        let star = if dotted { ".*" } else { "*" };
        self.judge(text.get(start..body)?, start..behind_all, star, keys)
    }

    /// What becomes of a pattern that begins with `prefix`, which stands at the range and is followed by `star`.
    fn judge(
        &self,
        prefix: &[u8],
        range: std::ops::Range<usize>,
        star: &str,
        keys: &[ServerKey],
    ) -> Option<Pattern> {
        let prefix = std::str::from_utf8(prefix).ok()?;
        let verdict = match self.moved(prefix, keys) {
            Ok(Some(_)) if star.is_empty() && !self.to.suffix().is_empty() => {
                Verdict::Stay(Reason::NoPattern { to: self.to.id() })
            }
            Ok(Some((new, subject))) => {
                let behind = if star.is_empty() { String::new() } else { self.to.suffix() };
                Verdict::Move([&new, star, &behind].concat().into(), subject)
            }
            Ok(None) => Verdict::Same,
            Err(reason) => Verdict::Stay(reason),
        };
        Some((range.end, verdict))
    }

    /// The new prefix for exactly the tools that `prefix` covers; nothing if it is the same.
    fn moved(&self, prefix: &str, keys: &[ServerKey]) -> Result<Option<(String, Subject)>, Reason> {
        let covers = covered(&self.old_names, prefix);
        let [key] = keys else {
            return Err(Reason::Ambiguous(keys.iter().cloned().map(Claimant::Server).collect()));
        };
        let new_covers = indices(covered(&self.new_names, prefix));
        if covers.is_empty() {
            return match new_covers.is_empty() && !self.unknown.contains(key) {
                true => Err(Reason::CoversNothing(key.clone())),
                false => Ok(None),
            };
        }
        self.refuse_others(prefix, key, covers)?;
        let no_pattern = Reason::NoPattern { to: self.to.id() };
        let (Some(old), Some(new)) = (self.from.server_prefix(key), self.to.server_prefix(key))
        else {
            return Err(no_pattern);
        };
        let rest = prefix.strip_prefix(&old).unwrap_or_default();
        let moved = [&new, rest].concat();
        let of_unknown = |key: &ServerKey| {
            self.to.server_prefix(key).is_some_and(|other| other.starts_with(&moved))
        };
        let same_tools = indices(covered(&self.new_names, &moved)) == indices(covers);
        if !same_tools || self.unknown.iter().any(of_unknown) || breaks_out(&moved).is_some() {
            return Err(no_pattern);
        }
        if moved == prefix {
            return Ok(None);
        }
        // What would be read as another pattern of the old spelling would be moved again.
        let reads_old = self.wholes.contains_key(moved.as_bytes());
        if reads_old || !covered(&self.old_names, &moved).is_empty() {
            return Err(no_pattern);
        }
        let subject = match rest.is_empty() {
            true => Subject::Server(key.clone()),
            false => Subject::Tools(key.clone()),
        };
        Ok(Some((moved, subject)))
    }

    /// A pattern that reaches tools of another server can't have been meant for one.
    fn refuse_others(
        &self,
        prefix: &str,
        key: &ServerKey,
        covers: &[(String, usize)],
    ) -> Result<(), Reason> {
        let tools = covers.iter().filter_map(|(_, index)| self.tools.get(*index));
        let mut claimants: Vec<Claimant> = tools.cloned().map(Claimant::Tool).collect();
        let of_unknown = |key: &&ServerKey| {
            self.from.server_prefix(key).is_some_and(|other| other.starts_with(prefix))
        };
        claimants.extend(self.unknown.iter().filter(of_unknown).cloned().map(Claimant::Unknown));
        if claimants.iter().all(|claimant| claimant.server() == key) {
            return Ok(());
        }
        claimants.sort();
        Err(Reason::CoversSeveral(claimants))
    }

    /// A server as a whole.
    fn server(&self, keys: &[ServerKey]) -> Verdict {
        let [key] = keys else {
            return Verdict::Stay(Reason::Ambiguous(
                keys.iter().cloned().map(Claimant::Server).collect(),
            ));
        };
        let Some(new) = self.to.server_name(key) else {
            return Verdict::Stay(Reason::NoServerName { to: self.to.id() });
        };
        if self.from.server_name(key).as_ref() == Some(&new) {
            return Verdict::Same;
        }
        let sharing = self.new_wholes.get(new.as_bytes()).map_or(&[][..], Vec::as_slice);
        let mut claimants: Vec<Claimant> = sharing.iter().cloned().map(Claimant::Server).collect();
        let named = |names: &[(String, usize)]| {
            let (_, index) = covered(names, &new).first().filter(|(name, _)| *name == new)?;
            self.tools.get(*index).cloned().map(Claimant::Tool)
        };
        claimants.extend(named(&self.new_names));
        if claimants.len() > 1 {
            return Verdict::Stay(Reason::Shared { spelling: new, claimants });
        }
        let old = [&self.wholes, &self.prefixes];
        let taken = old.iter().find_map(|old| old.get(new.as_bytes())?.first().cloned());
        match taken.map(Claimant::Server).or_else(|| named(&self.old_names)) {
            Some(holder) => Verdict::Stay(Reason::Taken { spelling: new, holder }),
            None if breaks_out(&new).is_some() => {
                Verdict::Stay(Reason::NoServerName { to: self.to.id() })
            }
            None => Verdict::Move(new.into(), Subject::Server(key.clone())),
        }
    }

    /// Patterns that are not bound to one server: `mcp__*`, `mcp__git*`, `mcp__*__deploy`.
    fn beyond_servers(&self, text: &[u8], start: usize) -> Option<Pattern> {
        let marker = self.from.marker();
        if marker.is_empty() || !text[start..].starts_with(marker.as_bytes()) {
            return None;
        }
        let end = run(text, start);
        if text.get(end) != Some(&b'*') {
            return None;
        }
        let prefix = std::str::from_utf8(text.get(start..end)?).ok()?;
        let covers = covered(&self.old_names, prefix);
        let behind = end + 1;
        let rest = run_of(text, behind, |c| is_word(c) || matches!(c, '-' | '*'));
        if rest > behind {
            return Some((rest, Verdict::Stay(Reason::Form)));
        }
        let same = indices(covers) == indices(covered(&self.new_names, prefix));
        if covers.is_empty() || same {
            return Some((behind, Verdict::Same));
        }
        let (all, new) = (self.tools.len(), self.to.marker());
        let everything = prefix == marker && covers.len() == all && !new.is_empty();
        if everything && self.suffix.is_empty() && covered(&self.new_names, new).len() == all {
            let pattern = [new, "*", &self.to.suffix()].concat();
            return Some((behind, Verdict::Move(pattern.into(), Subject::Everything)));
        }
        let tools = covers.iter().filter_map(|(_, index)| self.tools.get(*index));
        let mut claimants: Vec<Claimant> = tools.cloned().map(Claimant::Tool).collect();
        claimants.sort();
        Some((behind, Verdict::Stay(Reason::CoversSeveral(claimants))))
    }
}

fn servers(keys: &[&ServerKey], text: impl Fn(&ServerKey) -> Option<String>) -> Servers {
    let mut servers = Servers::new();
    for key in keys {
        let found = text(key).filter(|text| !text.contains(char::is_control));
        if let Some(text) = found {
            servers.entry(text.into_bytes().into()).or_default().push((*key).clone());
        }
    }
    servers
}

fn lengths(servers: &Servers) -> Vec<usize> {
    let mut lengths: Vec<usize> = servers.keys().map(|text| text.len()).collect();
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths.dedup();
    lengths
}

fn longest<'s>(
    servers: &'s Servers,
    lengths: &[usize],
    text: &[u8],
    start: usize,
) -> Option<(usize, &'s [ServerKey])> {
    lengths.iter().find_map(|length| {
        let end = start + length;
        Some((end, servers.get(text.get(start..end)?)?.as_slice()))
    })
}

/// The end of the characters from `from` on that names are made of. No name that is to be moved begins among them: what
/// stands before it would belong to it.
fn run(text: &[u8], from: usize) -> usize {
    run_of(text, from, |c| is_word(c) || matches!(c, '-' | '.' | ':' | '/'))
}

fn run_of(text: &[u8], from: usize, is_part: impl Fn(char) -> bool) -> usize {
    const LONGEST: usize = 1024;
    let mut end = from;
    while let Found::Char(c) = edge::first(text.get(end..).unwrap_or_default()) {
        if end - from > LONGEST || !is_part(c) {
            break;
        }
        end += c.len_utf8();
    }
    end
}

fn sorted(tools: &[ToolId], spelling: &Spelling) -> Vec<(String, usize)> {
    let mut names: Vec<(String, usize)> =
        tools.iter().enumerate().map(|(index, tool)| (spelling.spell(tool), index)).collect();
    names.sort_unstable();
    names
}

/// The names that begin with `prefix`.
fn covered<'n>(names: &'n [(String, usize)], prefix: &str) -> &'n [(String, usize)] {
    let begin = names.partition_point(|(name, _)| name.as_str() < prefix);
    let rest = &names[begin..];
    let end = rest.partition_point(|(name, _)| name.starts_with(prefix));
    &rest[..end]
}

fn indices(names: &[(String, usize)]) -> Vec<usize> {
    let mut indices: Vec<usize> = names.iter().map(|(_, index)| *index).collect();
    indices.sort_unstable();
    indices
}
