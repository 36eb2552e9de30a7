//! Everything that is configured, whatever of it is chosen: who a name may be meant for does not depend on what is looked at.

use std::collections::BTreeSet;

use callsign::catalogue::{Filter, Tool};
use callsign::{Catalogue, ServerKey, ToolId, WireName};

use crate::config_file::ConfigFile;
use crate::server_entry::{ServerEntry, Statics};

/// Every server of the configuration, with every tool that is known of it: also servers that are switched off, and tools
/// that a filter takes out.
///
/// ```
/// use callsign_config::{Configured, parse};
///
/// let text = br#"{"mcpServers": {
///     "a": {"command": "x", "tools": ["read", "send"], "excludeTools": ["send"]},
///     "b": {"command": "y", "disabled": true}
/// }}"#;
/// let files = [parse(".mcp.json".as_ref(), text)?];
/// let configured = Configured::of(&files, |_, _| None);
/// assert_eq!(configured.tools().map(|id| id.wire().as_str()).collect::<Vec<_>>(), ["read", "send"]);
/// assert_eq!(configured.unknown().map(|key| key.as_str()).collect::<Vec<_>>(), ["b"]);
/// # Ok::<(), callsign_config::ConfigError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Configured {
    tools: BTreeSet<ToolId>,
    offered: BTreeSet<ToolId>,
    /// With those that another entry of the same key makes known.
    unknown: BTreeSet<ServerKey>,
    known: BTreeSet<ServerKey>,
}

impl Configured {
    /// Everything in these files. `learnt` gives what is known of an entry's tools besides its own list, if anything is.
    #[must_use]
    pub fn of(
        files: &[ConfigFile],
        mut learnt: impl FnMut(&ConfigFile, &ServerEntry) -> Option<Catalogue>,
    ) -> Self {
        let mut configured = Self::default();
        for (file, entry) in
            files.iter().flat_map(|file| file.servers.iter().map(move |e| (file, e)))
        {
            if let Statics::Listed(catalogue) = &entry.statics {
                let filter = Filter { tools: None, ..entry.filter.clone() };
                configured.add(entry, catalogue, &filter);
            }
            match learnt(file, entry) {
                Some(catalogue) => configured.add(entry, &catalogue, &entry.filter),
                None if matches!(entry.statics, Statics::Listed(_)) => {}
                None => {
                    configured.unknown.insert(entry.key.clone());
                }
            }
        }
        configured
    }

    fn add(&mut self, entry: &ServerEntry, catalogue: &Catalogue, filter: &Filter) {
        let server = &entry.key;
        let id = |wire: &WireName| ToolId::new(server.clone(), wire.clone());
        let unreadable = catalogue.malformed().iter().filter_map(|entry| entry.name.as_ref());
        let wires = catalogue.tools().iter().map(Tool::wire);
        self.tools.extend(wires.chain(catalogue.withheld()).chain(unreadable).map(id));
        self.known.insert(server.clone());
        if !entry.disabled {
            let mut left = catalogue.clone();
            // A filter with a mistake in it was refused, if its server is looked at; else it says nothing that is sure.
            let _ = filter.apply(server, &mut left);
            self.offered.extend(left.tools().iter().map(Tool::wire).map(id));
        }
    }

    /// Whether the tool is on: its server is not disabled and no filter takes it out.
    #[must_use]
    pub fn offers(&self, tool: &ToolId) -> bool {
        self.offered.contains(tool)
    }

    /// Every tool that is known, sorted.
    pub fn tools(&self) -> impl Iterator<Item = &ToolId> {
        self.tools.iter()
    }

    /// The servers of whose tools nothing is known, sorted: each may have a tool of any name.
    pub fn unknown(&self) -> impl Iterator<Item = &ServerKey> {
        self.unknown.difference(&self.known)
    }
}
