use std::collections::HashMap;

use super::snapshot::Row;
use crate::name::{ExposedName, WireName};

/// What a replaced catalogue changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeSet {
    /// Names that are new, in advertised order.
    pub added: Vec<ExposedName>,
    /// Names that no longer resolve, in the order in which they were listed.
    pub removed: Vec<ExposedName>,
    /// Tools that stayed and whose definition is another, in the order in which they are listed.
    pub changed: Vec<ChangedTool>,
    /// Filter entries of the registration that no longer name a tool. They stay in force for when one comes back.
    pub unmatched_filter_entries: Vec<String>,
    /// Option keys of the registration that no longer name a tool. They too stay for when one comes back.
    pub unmatched_options: Vec<String>,
}

/// What a registration says about tools that the new catalogue doesn't have.
#[derive(Debug, Default)]
pub(super) struct Unmatched {
    pub(super) filter_entries: Vec<String>,
    pub(super) options: Vec<String>,
}

/// A tool whose definition changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedTool {
    /// Its name, which is the same as before.
    pub exposed: ExposedName,
    /// The top-level fields of the definition that differ, sorted.
    pub fields: Vec<String>,
}

impl ChangeSet {
    /// Whether names or definitions changed at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// The change set, and the new rows in the order in which they are listed: what stayed keeps its place, what is new comes
/// last.
pub(super) fn between(old: &[Row], new: Vec<Row>, unmatched: Unmatched) -> (ChangeSet, Vec<Row>) {
    let place: HashMap<&WireName, usize> =
        old.iter().enumerate().map(|(place, row)| (row.tool.wire(), place)).collect();
    let mut change = ChangeSet {
        unmatched_filter_entries: unmatched.filter_entries,
        unmatched_options: unmatched.options,
        ..ChangeSet::default()
    };
    let mut kept: Vec<Option<Row>> = vec![None; old.len()];
    let mut added = Vec::new();
    for row in new {
        match place.get(row.tool.wire()) {
            Some(&place) => kept[place] = Some(row),
            None => {
                change.added.push(row.exposed.clone());
                added.push(row);
            }
        }
    }
    for (before, after) in old.iter().zip(&kept) {
        match after {
            None => change.removed.push(before.exposed.clone()),
            Some(after) => {
                let fields = before.tool.changed_fields(&after.tool);
                if !fields.is_empty() {
                    change.changed.push(ChangedTool { exposed: after.exposed.clone(), fields });
                }
            }
        }
    }
    (change, kept.into_iter().flatten().chain(added).collect())
}
