//! `{"mcpServers": {KEY: {"command": …} | {"url": …}}}`: what most clients write.

use super::entry::{COMMON, EntryReader, Keys};
use super::{Claim, Contents, Format, claim_by_path};
use crate::document::Document;
use crate::error::ConfigError;

/// A client that keeps its servers under `mcpServers` at the top of a file.
pub(crate) struct McpServers {
    pub(crate) client: &'static str,
    pub(crate) project_files: &'static [&'static str],
    pub(crate) user_files: &'static [&'static str],
    pub(crate) keys: Keys,
    /// Whether the client's own file may lack `mcpServers`, because it holds other settings too.
    pub(crate) optional: bool,
    /// Whether any file with `mcpServers` may be of this format, whatever its path.
    pub(crate) by_content: bool,
}

/// Files with `mcpServers` that are of no client in particular.
pub(crate) static GENERIC: McpServers = McpServers {
    client: "generic",
    project_files: &["mcp.json"],
    user_files: &[],
    keys: COMMON,
    optional: false,
    by_content: true,
};

pub(crate) const ROOT: &str = "mcpServers";

impl Format for McpServers {
    fn client(&self) -> &'static str {
        self.client
    }

    fn looked_for(&self) -> &'static [&'static str] {
        &[ROOT]
    }

    fn claim(&self, document: &Document<'_>) -> Option<Claim> {
        let here = document.root.entries().iter().any(|entry| entry.key == ROOT);
        // GENERIC has a file name for discovery only: `mcp.json` in any folder must not outdo the folder's client.
        let by_path = if self.by_content { None } else { claim_by_path(self, document.file) };
        match by_path {
            Some(claim) if here || self.optional && claim == Claim::Name => Some(claim),
            _ => (here && self.by_content).then_some(Claim::Content),
        }
    }

    fn read(&self, document: &Document<'_>) -> Result<Contents, ConfigError> {
        document.refuse_second(&document.root, ROOT)?;
        let mut reader = EntryReader::new(document, self.keys);
        let servers = match document.root.entries().iter().find(|entry| entry.key == ROOT) {
            Some(servers) => reader.servers(&servers.node, None)?,
            None => Vec::new(),
        };
        Ok(Contents { servers, secrets: reader.secrets, ..Contents::default() })
    }

    fn project_files(&self) -> &'static [&'static str] {
        self.project_files
    }

    fn user_files(&self) -> &'static [&'static str] {
        self.user_files
    }
}
