use std::borrow::Cow;
use std::ops::Range;

use foldhash::HashMap;

use super::definitions::{Definitions, Repeated, within};
use super::elsewhere;
use super::ledger::{Entry, Ledger};
use super::note::{Note, Remark};
use super::walk::Walk;

/// What has to change in a text, and what was noticed in it.
#[derive(Debug)]
pub struct Repair<'t> {
    text: &'t str,
    /// How many JSON documents there are in the text.
    pub documents: usize,
    /// How many places hold a name.
    pub names: usize,
    /// In the order of the text; none overlaps another.
    pub edits: Vec<Edit>,
    /// In the order of the text.
    pub notes: Vec<Note>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes of the text that it replaces.
    pub span: Range<usize>,
    /// Where that is.
    pub place: Place,
    /// What it does.
    pub change: Change,
}

/// What an edit does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A name becomes a legal one.
    Renamed {
        /// The name, its escapes resolved.
        old: String,
        /// What it is now.
        new: String,
    },
    /// A definition is taken out, because an earlier one in the same list is stored with the same bytes.
    Removed {
        /// The name of both.
        name: String,
    },
}

impl Change {
    /// What stands in the text instead.
    #[must_use]
    pub fn replacement(&self) -> &str {
        match self {
            Self::Renamed { new, .. } => new,
            Self::Removed { .. } => "",
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Renamed { old, new } => write!(f, "`{old}` becomes `{new}`"),
            Self::Removed { name } => {
                write!(f, "a second definition of `{name}`, the same byte for byte, is taken out")
            }
        }
    }
}

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The path inside its document, such as `messages[3].tool_calls[0].function.name`; empty where there is none.
    pub field: String,
}

impl Repair<'_> {
    /// Whether nothing has to change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The text with all edits made.
    #[must_use]
    pub fn apply(&self) -> Cow<'_, str> {
        if self.is_empty() {
            return Cow::Borrowed(self.text);
        }
        let mut repaired = String::with_capacity(self.text.len());
        let mut at = 0;
        for edit in &self.edits {
            repaired.push_str(&self.text[at..edit.span.start]);
            repaired.push_str(edit.change.replacement());
            at = edit.span.end;
        }
        repaired.push_str(&self.text[at..]);
        Cow::Owned(repaired)
    }
}

/// Turns what was found into edits and notes.
pub(super) fn made<'t>(text: &'t str, documents: usize, walk: Walk<'t>) -> Repair<'t> {
    let Walk { mut ledger, definitions, unknown, .. } = walk;
    let mut entries = sorted(std::mem::take(&mut ledger.entries));
    let mut noted = Noted::default();
    for document in unknown {
        noted.add(document.start, "", Remark::UnknownShape);
    }
    let repeated: Vec<Repeated> =
        definitions.iter().map(|list| list.repeated(text, &entries, &ledger)).collect();
    let mut found = Vec::new();
    for (list, repeated) in definitions.iter().zip(repeated) {
        let taken_out = repeated.same.iter().map(|(index, _)| index);
        for index in repeated.twins.iter().map(|(index, _)| index).chain(taken_out) {
            let inside = within(&entries, &list.items[*index]);
            entries[inside].iter_mut().for_each(|entry| entry.stays = true);
        }
        found.extend(removed(list, repeated, &ledger, &mut noted));
    }
    found.extend(renamed(&entries, &ledger));
    judge(&entries, &ledger, &mut noted);
    for (start, string) in elsewhere::strings(text, &entries) {
        noted.add(start, "", Remark::Elsewhere { text: string });
    }
    let (edits, notes) = placed(text, outermost(found), noted.in_order());
    Repair { text, documents, names: entries.len(), edits, notes }
}

/// The edits of what a list of definitions holds twice, and what there is to say about the rest.
fn removed(
    list: &Definitions,
    Repeated { same, different, twins }: Repeated,
    ledger: &Ledger<'_>,
    noted: &mut Noted,
) -> impl Iterator<Item = Found> {
    let mut say =
        |index: usize, remark| noted.add(list.items[index].start, &list.field(index), remark);
    for (index, name) in different {
        say(index, Remark::DefinedTwice { name });
    }
    for (index, name) in twins {
        let name = &ledger.names[name];
        say(index, Remark::MaybeTwice { name: name.old.clone(), legal: name.new.clone() });
    }
    same.into_iter().map(|(index, name)| Found {
        span: list.with_comma(index),
        at: list.items[index].start,
        field: list.field(index),
        change: Change::Removed { name },
    })
}

/// An edit before its place is counted.
struct Found {
    span: Range<usize>,
    /// The byte that its place is counted for.
    at: usize,
    field: String,
    change: Change,
}

/// By place, each place once: two tables may have the same one.
fn sorted(mut entries: Vec<Entry>) -> Vec<Entry> {
    entries.sort_by_key(|entry| entry.span.start);
    entries.dedup_by(|later, first| {
        let is_same = later.span == first.span;
        if is_same {
            first.providers = first.providers.with(later.providers);
        }
        is_same
    });
    entries
}

fn renamed(entries: &[Entry], ledger: &Ledger<'_>) -> Vec<Found> {
    let is_changed = |entry: &&Entry| !entry.stays && ledger.names[entry.name].is_changed();
    let changed = entries.iter().filter(is_changed);
    let edit = |entry: &Entry| {
        let name = &ledger.names[entry.name];
        Found {
            span: entry.span.clone(),
            at: entry.span.start,
            field: entry.field.clone(),
            change: Change::Renamed { old: name.old.clone(), new: name.new.clone() },
        }
    };
    changed.map(edit).collect()
}

/// Without the edits inside of what is taken out.
fn outermost(mut found: Vec<Found>) -> Vec<Found> {
    found.sort_by_key(|edit| (edit.span.start, std::cmp::Reverse(edit.span.end)));
    let mut end = 0;
    found.retain(|edit| {
        let is_outside = edit.span.start >= end;
        end = end.max(edit.span.end);
        is_outside
    });
    found
}

/// What there is to say about the names themselves.
fn judge(entries: &[Entry], ledger: &Ledger<'_>, noted: &mut Noted) {
    let mut firsts: HashMap<&str, &str> = HashMap::default();
    for entry in entries.iter().filter(|entry| !entry.stays) {
        let name = &ledger.names[entry.name];
        let mut say = |remark| noted.add(entry.span.start, &entry.field, remark);
        if name.is_cut {
            say(Remark::Cut { name: name.old.clone() });
        }
        let refusing = || entry.providers.iter().filter(|p| name.refused_by.contains(p));
        if refusing().count() == entry.providers.iter().count() {
            say(Remark::Refused { name: name.old.clone(), providers: refusing().collect() });
        }
        let first = *firsts.entry(&name.new).or_insert(&name.old);
        if first != name.old {
            say(Remark::Merged {
                first: first.to_owned(),
                other: name.old.clone(),
                name: name.new.clone(),
            });
        }
    }
}

/// What was noticed: each remark once, with its first place.
#[derive(Default)]
struct Noted(HashMap<Remark, (usize, String, usize)>);

impl Noted {
    fn add(&mut self, at: usize, field: &str, remark: Remark) {
        let first = self.0.entry(remark).or_insert_with(|| (at, field.to_owned(), 0));
        first.2 += 1;
        if at < first.0 {
            (first.0, first.1) = (at, field.to_owned());
        }
    }

    /// By first place, then by what is said.
    fn in_order(self) -> Vec<(usize, String, usize, Remark)> {
        let mut notes: Vec<_> = self
            .0
            .into_iter()
            .map(|(remark, (at, field, times))| (at, field, times, remark))
            .collect();
        notes.sort_unstable_by(|a, b| (a.0, &a.3).cmp(&(b.0, &b.3)));
        notes
    }
}

/// Counts the lines and columns of all of them in one go through the text.
fn placed(
    text: &str,
    edits: Vec<Found>,
    notes: Vec<(usize, String, usize, Remark)>,
) -> (Vec<Edit>, Vec<Note>) {
    let mut lines = Lines::new(text);
    let edits = edits
        .into_iter()
        .map(|Found { span, at, field, change }| Edit {
            span,
            place: lines.place(at, field),
            change,
        })
        .collect();
    let mut lines = Lines::new(text);
    let notes = notes
        .into_iter()
        .map(|(at, field, times, remark)| Note { place: lines.place(at, field), times, remark })
        .collect();
    (edits, notes)
}

/// Counts lines and columns onwards from the last place that was asked for.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Lines<'t> {
    fn new(text: &'t str) -> Self {
        let at = text.len() - text.trim_start_matches('\u{feff}').len();
        Self { text, at, line: 1, column: 1 }
    }

    /// `at` is not before the last one.
    fn place(&mut self, at: usize, field: String) -> Place {
        let passed = self.text.get(self.at..at).unwrap_or("");
        match passed.rfind('\n') {
            Some(end) => {
                self.line += passed.matches('\n').count();
                self.column = passed[end..].chars().count();
            }
            None => self.column += passed.chars().count(),
        }
        self.at = self.at.max(at);
        Place { line: self.line, column: self.column, field }
    }
}
