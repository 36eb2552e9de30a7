//! What each old spelling of a tool becomes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use callsign::{ServerKey, ToolId};

use crate::claimant::Claimant;
use crate::reason::Reason;
use crate::spelling::Spelling;

/// What is done with a text that names one tool.
#[derive(Debug, Clone)]
pub(crate) enum Fate {
    /// It becomes this.
    Move {
        tool: ToolId,
        to: Arc<str>,
    },
    /// Old and new spelling are the same.
    Same,
    Stay(Arc<Reason>),
}

/// One old spelling.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) fate: Fate,
    /// It is nothing but the tool's own name, which may be a word like any other.
    pub(crate) is_plain: bool,
    /// Whether the new spelling is nothing but the tool's own name.
    pub(crate) becomes_plain: bool,
    /// New spellings that contain this old one, and where in them it stands: what has been moved is not moved again.
    pub(crate) inside: Vec<(usize, Arc<str>)>,
}

/// Old spellings, each with what it becomes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    pub(crate) table: HashMap<Box<[u8]>, Name>,
    /// All lengths of old spellings in bytes, longest first.
    pub(crate) lengths: Vec<usize>,
}

impl Names {
    /// `servers` are what names servers as a whole in the old spelling.
    pub(crate) fn new(
        tools: &[ToolId],
        unknown: &[ServerKey],
        servers: &HashMap<Box<[u8]>, Vec<ServerKey>>,
        from: &Spelling,
        to: &Spelling,
    ) -> Self {
        let old = holders(tools, from);
        let targets = Targets::new(tools, to);
        let unknown: Vec<(String, &ServerKey)> =
            unknown.iter().filter_map(|key| Some((from.server_prefix(key)?, key))).collect();
        let mut table = HashMap::<Box<[u8]>, Name>::with_capacity(old.len());
        for (text, holders) in &old {
            // A line break or another control character is no part of a name in a file.
            if text.is_empty() || text.contains(char::is_control) {
                continue;
            }
            let mut claimants: Vec<Claimant> =
                holders.iter().map(|tool| Claimant::Tool((*tool).clone())).collect();
            claimants.extend(
                servers.get(text.as_bytes()).into_iter().flatten().cloned().map(Claimant::Server),
            );
            let reads_as = unknown.iter().filter(|(prefix, _)| text.starts_with(prefix.as_str()));
            claimants.extend(reads_as.map(|(_, key)| Claimant::Unknown((*key).clone())));
            let fate = match (&claimants[..], &holders[..]) {
                ([_], [tool]) => targets.fate(tool, text, &old, servers),
                _ if targets.all_stay(holders, text) => Fate::Same,
                _ => Fate::Stay(Arc::new(Reason::Ambiguous(claimants))),
            };
            let is_plain = holders.iter().any(|tool| tool.wire().as_str() == text);
            let becomes_plain = matches!(&fate, Fate::Move { tool, to } if **to == **tool.wire());
            let name = Name { fate, is_plain, becomes_plain, inside: Vec::new() };
            table.insert(text.as_bytes().into(), name);
        }
        let mut lengths: Vec<usize> = table.keys().map(|text| text.len()).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Self { table, lengths }
    }
}

impl Names {
    /// Notes that the old spelling stands in the new one at that offset.
    pub(crate) fn note(&mut self, old: &[u8], offset: usize, new: &Arc<str>) {
        if let Some(name) = self.table.get_mut(old) {
            name.inside.push((offset, Arc::clone(new)));
        }
    }

    /// Leaves alone, without a word, what is not to be kept; asked with the spelling and, where it stays, with the reason.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(&[u8], Option<&Reason>) -> bool) {
        for (text, name) in &mut self.table {
            let reason = match &name.fate {
                Fate::Stay(reason) => Some(&**reason),
                _ => None,
            };
            if !is_kept(text, reason) {
                name.fate = Fate::Same;
                name.becomes_plain = false;
            }
        }
    }

    pub(crate) fn refuse(&mut self, old: &[u8], reason: Reason) {
        if let Some(name) = self.table.get_mut(old) {
            name.fate = Fate::Stay(Arc::new(reason));
            name.becomes_plain = false;
        }
    }
}

type Holders<'a> = BTreeMap<String, Vec<&'a ToolId>>;

/// Who has each name under a spelling.
fn holders<'a>(tools: &'a [ToolId], spelling: &Spelling) -> Holders<'a> {
    let mut holders = Holders::new();
    for tool in tools {
        holders.entry(spelling.spell(tool)).or_default().push(tool);
    }
    holders
}

/// The new spellings.
struct Targets<'a> {
    to: &'a Spelling,
    holders: Holders<'a>,
}

impl<'a> Targets<'a> {
    fn new(tools: &'a [ToolId], to: &'a Spelling) -> Self {
        Self { to, holders: holders(tools, to) }
    }

    /// What becomes of the only tool that is called `text`.
    fn fate(
        &self,
        tool: &ToolId,
        text: &str,
        old: &Holders<'_>,
        servers: &HashMap<Box<[u8]>, Vec<ServerKey>>,
    ) -> Fate {
        let stay = |reason| Fate::Stay(Arc::new(reason));
        let spelling = match self.to.write(tool) {
            Ok(spelling) if spelling == text => return Fate::Same,
            Ok(spelling) => spelling,
            Err(reason) => return stay(reason),
        };
        let others = self.holders.get(&spelling).map_or(&[][..], Vec::as_slice);
        if others.len() > 1 {
            let claimants = others.iter().map(|tool| Claimant::Tool((*tool).clone())).collect();
            return stay(Reason::Shared { spelling, claimants });
        }
        let holder = old.get(&spelling).and_then(|holders| holders.first());
        let holder = holder.map(|tool| Claimant::Tool((*tool).clone())).or_else(|| {
            let key = servers.get(spelling.as_bytes())?.first()?;
            Some(Claimant::Server(key.clone()))
        });
        match holder {
            Some(holder) => stay(Reason::Taken { spelling, holder }),
            None => Fate::Move { tool: tool.clone(), to: spelling.into() },
        }
    }

    /// Whether none of them would change, so that it doesn't matter which is meant.
    fn all_stay(&self, tools: &[&ToolId], text: &str) -> bool {
        tools.iter().all(|tool| self.to.spell(tool) == text)
    }
}
