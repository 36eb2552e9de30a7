//! Entries that a finding proposes in place of one. Whoever follows a proposal must not lose a restriction by it: of one
//! that restricts, every part is proposed or none.

use super::judged_rules::JudgedRule;
use super::wording::quoted_list;

/// What to write instead of an entry.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Proposal {
    /// The language has nothing for it.
    None,
    /// These entries.
    Entries(Vec<String>),
    /// More entries than a sentence can show.
    TooMany(usize),
    /// An entry that restricts, and of so many parts no entry of the language names so many alone.
    Incomplete { parts: usize, unnamed: usize },
}

/// How many entries are shown, all of them or none.
const MOST: usize = 8;

impl Proposal {
    /// Of an entry for each part of what was meant; nothing for a part that no entry names.
    pub(super) fn of(
        instead_of: &JudgedRule,
        entries: impl Iterator<Item = Option<String>>,
    ) -> Self {
        let (mut named, mut parts) = (Vec::new(), 0);
        for entry in entries {
            parts += 1;
            named.extend(entry);
        }
        let unnamed = parts - named.len();
        // A proposal that is what stands there already would change nothing.
        named.retain(|text| *text != instead_of.text);
        named.dedup();
        match (named.len(), unnamed) {
            (0, _) => Self::None,
            (_, 1..) if instead_of.does.restricts() => Self::Incomplete { parts, unnamed },
            (1..=MOST, _) => Self::Entries(named),
            (many, _) => Self::TooMany(many),
        }
    }

    /// The entries behind `lead`, or why there are none to show.
    pub(super) fn in_words(&self, lead: &str) -> String {
        match self {
            Self::None => "correct the entry, or take it out: it only looks like a rule".into(),
            Self::Entries(entries) => {
                let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
                [lead, &quoted_list(&entries)].concat()
            }
            Self::TooMany(many) => {
                format!("write one entry for each of the {many} that may be meant")
            }
            Self::Incomplete { parts, unnamed } => format!(
                "{unnamed} of the {parts} that may be meant can't be named alone: choose keys and tools that are spelled apart"
            ),
        }
    }
}
