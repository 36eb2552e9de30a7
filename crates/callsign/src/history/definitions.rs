//! Definitions that a list holds twice, as a restored session has them from its snapshot and from the server.

use std::ops::Range;

use foldhash::{HashMap, HashSet};

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
    /// Items that are byte for byte an earlier one, with the name of both.
    pub(super) same: Vec<(usize, String)>,
    /// Items that differ from an earlier one of the same name.
    pub(super) different: Vec<(usize, String)>,
    /// Items that would be the same as another one if their name were made legal. The two may be one tool, or two that
    /// a change of name would make one: their names stay. As an index in the ledger's names.
    pub(super) twins: Vec<(usize, usize)>,
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

    /// What is repeated, as it is stored and once all names are the new ones. `entries` are in the order of the text.
    pub(super) fn repeated(&self, text: &str, entries: &[Entry], ledger: &Ledger<'_>) -> Repeated {
        let named: Vec<Named<'_>> = self.named(text, entries, ledger).collect();
        let mut stored_as: HashMap<&str, HashSet<&str>> = HashMap::default();
        for item in &named {
            stored_as.entry(&item.fixed).or_default().insert(item.stored);
        }
        let mut repeated = Repeated::default();
        let (mut names, mut stored, mut fixed): (HashSet<_>, HashSet<_>, HashSet<_>) =
            Default::default();
        for Named { index, name, stored: as_stored, fixed: as_fixed } in &named {
            let new = ledger.names[*name].new.as_str();
            let is_new_name = names.insert(new);
            let is_new = fixed.insert(as_fixed.as_str());
            let has_twin = stored_as.get(as_fixed.as_str()).is_some_and(|ways| ways.len() > 1);
            if !stored.insert(*as_stored) {
                repeated.same.push((*index, new.to_owned()));
            } else if has_twin && as_fixed != as_stored {
                repeated.twins.push((*index, *name));
            } else if is_new && !is_new_name {
                repeated.different.push((*index, new.to_owned()));
            }
        }
        repeated
    }

    /// The items that have a name.
    fn named<'a>(
        &'a self,
        text: &'a str,
        entries: &'a [Entry],
        ledger: &'a Ledger<'_>,
    ) -> impl Iterator<Item = Named<'a>> {
        self.items.iter().enumerate().filter_map(move |(index, item)| {
            let inside = &entries[within(entries, item)];
            let name = inside.last()?.name;
            let fixed = fixed(text, item, inside, ledger);
            Some(Named { index, name, stored: &text[item.clone()], fixed })
        })
    }
}

/// A definition that has a name.
struct Named<'a> {
    index: usize,
    /// Index in the ledger's names.
    name: usize,
    stored: &'a str,
    /// With its names made legal.
    fixed: String,
}

/// Which of the entries stand inside of an item.
pub(super) fn within(entries: &[Entry], item: &Range<usize>) -> Range<usize> {
    let from = entries.partition_point(|entry| entry.span.start < item.start);
    let to = entries.partition_point(|entry| entry.span.start < item.end);
    from..to
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
