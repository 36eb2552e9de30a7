//! VS Code: `servers` in `mcp.json`, or, in older versions, `mcp.servers` in `settings.json`.

use super::entry::{COMMON, EntryReader};
use super::{Claim, Contents, Format, claim_by_path};
use crate::document::Document;
use crate::error::ConfigError;
use crate::tree::{Entry, Node};

pub(crate) struct VsCode;

const ROOT: &str = "servers";

/// The map that `servers` stands in, and the entry itself. `mcp.servers` may be written as one dotted key, as everything
/// in settings may.
fn servers<'n, 't>(document: &'n Document<'t>) -> Option<(&'n Node<'t>, &'n Entry<'t>)> {
    let in_map = |map: &'n Node<'t>, key: &str| {
        map.entries().iter().find(|entry| entry.key == key).map(|entry| (map, entry))
    };
    let root = &document.root;
    in_map(root, ROOT)
        .or_else(|| in_map(root.get("mcp")?, ROOT))
        .or_else(|| in_map(root, "mcp.servers"))
}

impl Format for VsCode {
    fn client(&self) -> &'static str {
        "vscode"
    }

    fn looked_for(&self) -> &'static [&'static str] {
        &[ROOT, "mcp.servers"]
    }

    fn claim(&self, document: &Document<'_>) -> Option<Claim> {
        let claim = claim_by_path(self, document.file).or(Some(Claim::Content));
        claim.filter(|_| servers(document).is_some())
    }

    fn read(&self, document: &Document<'_>) -> Result<Contents, ConfigError> {
        let mut reader = EntryReader::new(document, COMMON);
        document.refuse_second(&document.root, "mcp")?;
        let servers = match servers(document) {
            Some((map, entry)) => {
                document.refuse_second(map, &entry.key)?;
                reader.servers(&entry.node, None)?
            }
            None => Vec::new(),
        };
        Ok(Contents { servers, secrets: reader.secrets, ..Contents::default() })
    }

    fn project_files(&self) -> &'static [&'static str] {
        &[".vscode/mcp.json"]
    }

    fn user_files(&self) -> &'static [&'static str] {
        &[
            ".config/Code/User/mcp.json",
            "Library/Application Support/Code/User/mcp.json",
            "AppData/Roaming/Code/User/mcp.json",
        ]
    }
}
