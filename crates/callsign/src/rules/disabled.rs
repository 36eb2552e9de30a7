use std::collections::HashSet;

use super::target::Call;
use crate::scheme::{self, Aliases};

/// A list of tools that are not offered at all. Not a rule: it knows whole names alone, no wildcard and no server.
///
/// An entry means every tool whose name or alias it is, the legacy spelling included, and every tool whose name it becomes
/// when it is normalised. Such a spelling may belong to several tools; all of them are then off.
#[derive(Debug, Clone, Default)]
pub struct Disabled {
    entries: HashSet<Box<str>>,
    normalised: HashSet<Box<str>>,
}

impl Disabled {
    /// A list of entries as they are written; nothing is trimmed.
    pub fn of<'a>(entries: impl IntoIterator<Item = &'a str>) -> Self {
        let mut disabled = Self::default();
        for entry in entries {
            disabled.entries.insert(entry.into());
            disabled.normalised.insert(scheme::history_name(entry).into());
        }
        disabled
    }

    /// Whether a tool is on the list.
    #[must_use]
    pub fn covers<'a>(&self, call: impl Into<Call<'a>>) -> bool {
        if self.entries.is_empty() {
            return false;
        }
        let Call { server, tool } = call.into();
        let [_, name, _] = scheme::renderings(server, tool);
        let Aliases { disabled, .. } = scheme::aliases(server, tool);
        // A name normalises to itself, so an entry that is one is among these.
        self.normalised.contains(&*name)
            || disabled.iter().any(|alias| self.entries.contains(&**alias))
    }
}
