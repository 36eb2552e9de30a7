use std::sync::Arc;

use callsign::{ServerKey, ToolId};

use crate::claimant::Claimant;
use crate::edge::{self, Edge};
use crate::finder::Finder;
use crate::names::{Fate, Name, Names};
use crate::pass::Pass;
use crate::pattern::{Patterns, Verdict};
use crate::reason::Reason;
use crate::scan::{Scan, Subject};
use crate::spelling::Spelling;

/// What is to be moved where: made once for a fleet, then asked about any number of texts.
///
/// A tool's own name without its server, as `bare` writes it, may be an ordinary word. It counts as a name only where it
/// is set apart: alone between quotes or in a code span, as a whole list item, or in a list of tools. A name is not moved
/// to such a name anywhere else either, because nobody could tell it from a word afterwards.
#[derive(Debug, Clone)]
pub struct Plan {
    finder: Finder,
    names: Names,
    pub(crate) patterns: Patterns,
    pub(crate) with_words: bool,
}

impl Plan {
    /// The moves for these tools. `unknown` are servers of the fleet whose tools are not known: what may be theirs is left.
    #[must_use]
    pub fn new(tools: &[ToolId], unknown: &[ServerKey], from: &Spelling, to: &Spelling) -> Self {
        let mut tools = tools.to_vec();
        tools.sort_unstable();
        tools.dedup();
        let patterns = Patterns::new(&tools, unknown, from, to);
        let names = Names::new(&tools, unknown, patterns.wholes(), from, to);
        let texts = names.table.keys().filter_map(|text| std::str::from_utf8(text).ok());
        let finder = Finder::new(texts.chain(patterns.starts()));
        let mut plan = Self { finder, names, patterns, with_words: false };
        plan.note_old_in_new();
        plan
    }

    /// The same plan, but names without a server count wherever they stand, also as words in sentences and in code.
    #[must_use]
    pub fn with_words(self) -> Self {
        Self { with_words: true, ..self }
    }

    /// The same plan, but only what names these servers is moved. All the others count as before where a text could be meant
    /// for them: what is left as ambiguous does not depend on what is chosen.
    #[must_use]
    pub fn only(mut self, servers: &[ServerKey]) -> Self {
        self.patterns.choose(servers);
        let own = self.patterns.own_names();
        let patterns = &self.patterns;
        self.names.keep(|text, reason| {
            own.contains(text) || reason.is_some_and(|reason| patterns.claims_chosen(reason))
        });
        self
    }

    /// Looks through a text. It may be in any encoding that keeps ASCII as it is; the time it takes grows with its length.
    #[must_use]
    pub fn scan(&self, text: &[u8]) -> Scan {
        let mut pass = Pass::new(self, text);
        let mut from = 0;
        while let Some(start) = self.finder.next(text, from) {
            from = pass.consider(start).max(start + 1);
        }
        pass.scan
    }

    /// Whether the text has anything in it that may be a name: much faster than [`scan`](Self::scan).
    #[must_use]
    pub fn concerns(&self, text: &[u8]) -> bool {
        self.finder.next(text, 0).is_some()
    }

    /// Whether a name that is looked for may be a tool's own, without its server.
    pub(crate) fn looks_for_plain_names(&self) -> bool {
        self.names.table.values().any(|name| name.is_plain)
    }

    /// The longest old spelling that begins at `start` and ends with a name's end.
    pub(crate) fn name_at(&self, text: &[u8], start: usize) -> Option<(usize, &Name, Edge)> {
        self.names.lengths.iter().find_map(|length| {
            let end = start + length;
            let spelling = text.get(start..end)?;
            let after = edge::after(text, end);
            if matches!(after, Edge::Inside | Edge::Wildcard) {
                return None;
            }
            Some((end, self.names.table.get(spelling)?, after))
        })
    }

    /// An old name may stand in a new one (`a:b` in `Mcp(a:b)`): noted, so that it is not moved there. If what stands there
    /// names a server, the new name is refused.
    fn note_old_in_new(&mut self) {
        let moves: Vec<(Box<[u8]>, Arc<str>)> = self
            .names
            .table
            .iter()
            .filter_map(|(old, name)| match &name.fate {
                Fate::Move { to, .. } => Some((old.clone(), Arc::clone(to))),
                _ => None,
            })
            .collect();
        for (old, new) in moves {
            let text = new.as_bytes();
            let mut from = 0;
            while let Some(start) = self.finder.next(text, from) {
                from = start + 1;
                if edge::before(text, start) == Edge::Inside {
                    continue;
                }
                match self.name_at(text, start) {
                    Some((end, ..)) => self.names.note(&text[start..end], start, &new),
                    None => self.refuse_server_in(&old, &new, start),
                }
            }
        }
    }

    fn refuse_server_in(&mut self, old: &[u8], new: &Arc<str>, start: usize) {
        let holder = match self.patterns.at(new.as_bytes(), start) {
            Some((_, Verdict::Move(_, Subject::Server(key) | Subject::Tools(key)))) => {
                Claimant::Server(key)
            }
            _ => return,
        };
        let reason = Reason::Taken { spelling: new.to_string(), holder };
        self.names.refuse(old, reason);
    }
}
