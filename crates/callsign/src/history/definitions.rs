//! Definitions that a list holds twice, as a restored session has them from its snapshot and from the server.

use std::collections::HashSet;
use std::ops::Range;

use super::ledger::{Entry, Ledger};

/// A list of definitions.
#[derive(Debug)]
pub(super) struct Definitions {
    /// Where it stands, in words.
    pub(super) field: String,
    pub(super) items: Vec<Range<usize>>,
}

/// What a list holds a second time under one name. Numbers are those of the items.
#[derive(Debug, Default)]
pub(super) struct Repeated {
    /// Items that say the same as an earlier one, with the name of both.
    pub(super) same: Vec<(usize, String)>,
    /// Items that differ from an earlier one of the same name.
    pub(super) different: Vec<(usize, String)>,
}

impl Definitions {
    /// Where an item stands, in words.
    pub(super) fn field(&self, index: usize) -> String {
        format!("{}[{index}]", self.field)
    }

    /// The bytes of an item that is not the first, with the comma before it.
    pub(super) fn with_comma(&self, index: usize) -> Range<usize> {
        self.items[index.saturating_sub(1)].end..self.items[index].end
    }

    /// What is repeated once all names are the new ones. `entries` are in the order of the text.
    pub(super) fn repeated(&self, text: &str, entries: &[Entry], ledger: &Ledger<'_>) -> Repeated {
        let mut repeated = Repeated::default();
        let (mut names, mut definitions) = (HashSet::new(), HashSet::new());
        for (index, item) in self.items.iter().enumerate() {
            let from = entries.partition_point(|entry| entry.span.start < item.start);
            let to = entries.partition_point(|entry| entry.span.start < item.end);
            let Some(last) = entries[from..to].last() else { continue };
            let name = ledger.names[last.name].new.as_str();
            let is_new_name = names.insert(name);
            let is_new = definitions.insert(fixed(text, item, &entries[from..to], ledger));
            match (is_new_name, is_new) {
                (_, false) => repeated.same.push((index, name.to_owned())),
                (false, true) => repeated.different.push((index, name.to_owned())),
                (true, true) => {}
            }
        }
        repeated
    }
}

/// A definition as it will be.
fn fixed(text: &str, item: &Range<usize>, inside: &[Entry], ledger: &Ledger<'_>) -> String {
    let mut fixed = String::with_capacity(item.len());
    let mut at = item.start;
    for entry in inside.iter().filter(|entry| ledger.names[entry.name].is_changed()) {
        fixed.push_str(&text[at..entry.span.start]);
        fixed.push_str(&ledger.names[entry.name].new);
        at = entry.span.end;
    }
    fixed.push_str(&text[at..item.end]);
    fixed
}
