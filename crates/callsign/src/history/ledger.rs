//! Every name that was found, judged once for each spelling.

use std::ops::Range;

use foldhash::HashMap;

use super::json::{self, Said};
use super::path::Path;
use super::provider::{Provider, Providers};
use crate::scheme;

/// Every name that was found.
#[derive(Debug, Default)]
pub(super) struct Ledger<'t> {
    /// In the order in which they were found, which is nearly that of the text.
    pub(super) entries: Vec<Entry>,
    pub(super) names: Vec<Name>,
    /// Index in `names`, by the name as it is written.
    known: HashMap<&'t str, usize>,
}

/// A place where a name stands.
#[derive(Debug)]
pub(super) struct Entry {
    /// What is between the quotes.
    pub(super) span: Range<usize>,
    /// Index in the ledger's names.
    pub(super) name: usize,
    /// Where it stands, in words.
    pub(super) field: String,
    /// Which providers have names there.
    pub(super) providers: Providers,
    /// Whether it is not renamed, whatever becomes of the name elsewhere.
    pub(super) stays: bool,
}

/// One name as it is written.
#[derive(Debug)]
pub(super) struct Name {
    pub(super) old: String,
    pub(super) new: String,
    /// As [`scheme::looks_cut`] says.
    pub(super) is_cut: bool,
    /// Who would refuse it as it is now.
    pub(super) refused_by: Vec<Provider>,
}

impl Name {
    pub(super) fn is_changed(&self) -> bool {
        self.old != self.new
    }
}

impl<'t> Ledger<'t> {
    /// Enters the string `raw` of `text`, quotes included.
    pub(super) fn enter(
        &mut self,
        text: &'t str,
        raw: &'t str,
        providers: Providers,
        path: &Path<'_, 't>,
    ) {
        let Some(index) = self.index(raw) else { return };
        let span = json::span(text, raw);
        let span = span.start + 1..span.end - 1;
        self.entries.push(Entry {
            span,
            name: index,
            field: path.to_string(),
            providers,
            stays: false,
        });
    }

    fn index(&mut self, raw: &'t str) -> Option<usize> {
        if let Some(index) = self.known.get(raw) {
            return Some(*index);
        }
        self.names.push(judged(json::decoded(raw)?));
        self.known.insert(raw, self.names.len() - 1);
        Some(self.names.len() - 1)
    }
}

fn judged(said: Said<'_>) -> Name {
    let (old, new) = match said {
        Said::Text(old) => {
            let new = scheme::history_name(&old);
            (old.into_owned(), new)
        }
        Said::Units(units) => {
            let old = String::from_utf16_lossy(&units);
            let new = scheme::history_name_utf16(&units).unwrap_or_else(|| old.clone());
            (old, new)
        }
    };
    let refused_by = Provider::ALL.into_iter().filter(|p| !p.accepts(&new)).collect();
    Name { is_cut: scheme::looks_cut(&old), old, new, refused_by }
}
