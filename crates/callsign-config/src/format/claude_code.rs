//! Claude Code: `.mcp.json` of projects and plugins, `~/.claude.json` with an entry a project, and its settings, which
//! hold no servers.

use std::collections::HashSet;

use super::entry::{COMMON, EntryReader};
use super::mcp_servers::ROOT;
use super::{Claim, Contents, Format, claim_by_path};
use crate::document::Document;
use crate::error::ConfigError;
use crate::server_entry::ServerEntry;
use crate::tree::{Node, Value};

pub(crate) struct ClaudeCode;

/// Keys that only Claude Code's settings have. (Others have `permissions` too, and keep servers in the same file.)
const SETTINGS: [&str; 3] =
    ["enableAllProjectMcpServers", "enabledMcpjsonServers", "disabledMcpjsonServers"];

/// What its settings are called.
const SETTINGS_FILES: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];

/// Keys of which a server has at least one, to tell a plugin's servers from any other map of maps.
const TELLING: [&str; 3] = ["command", "url", "type"];

/// The three shapes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `mcpServers` at the top, or under `projects.PATH`, or both.
    Wrapped,
    /// A plugin's file: the servers are the file.
    Bare,
    /// Settings without servers.
    Settings,
}

impl ClaudeCode {
    fn shape(document: &Document<'_>) -> Option<Shape> {
        let root = &document.root;
        let has = |key: &str| root.entries().iter().any(|entry| entry.key == key);
        let name = document.file.file_name().unwrap_or_default().to_string_lossy();
        let is_server = |node: &Node<'_>| {
            matches!(node.value, Value::Null) || TELLING.iter().any(|key| node.get(key).is_some())
        };
        if has(ROOT) || projects(root).any(|(_, project)| project.get(ROOT).is_some()) {
            Some(Shape::Wrapped)
        } else if name.ends_with("mcp.json") && root.entries().iter().all(|e| is_server(&e.node)) {
            Some(Shape::Bare)
        } else if SETTINGS.iter().any(|key| has(key))
            || SETTINGS_FILES.iter().any(|own| document.file.ends_with(own))
            || has("projects") && name.ends_with("claude.json")
        {
            Some(Shape::Settings)
        } else {
            None
        }
    }
}

fn projects<'n, 't>(root: &'n Node<'t>) -> impl Iterator<Item = (&'n str, &'n Node<'t>)> {
    let projects = root.get("projects").map_or(&[][..], Node::entries);
    projects.iter().map(|entry| (entry.key.as_ref(), &entry.node))
}

impl Format for ClaudeCode {
    fn client(&self) -> &'static str {
        "claude-code"
    }

    fn looked_for(&self) -> &'static [&'static str] {
        &[ROOT]
    }

    fn claim(&self, document: &Document<'_>) -> Option<Claim> {
        let shape = Self::shape(document)?;
        let name = document.file.file_name().unwrap_or_default().to_string_lossy();
        let named = name.ends_with(".mcp.json") || name.ends_with(".claude.json");
        let by_path = if named { Some(Claim::Name) } else { claim_by_path(self, document.file) };
        let top_only = shape == Shape::Wrapped
            && projects(&document.root).all(|(_, project)| project.get(ROOT).is_none());
        match shape {
            // Anybody may write this; only the path says whose it is.
            Shape::Wrapped if top_only => by_path,
            Shape::Bare => by_path.filter(|_| named),
            Shape::Wrapped | Shape::Settings => by_path.or(Some(Claim::Content)),
        }
    }

    fn read(&self, document: &Document<'_>) -> Result<Contents, ConfigError> {
        let root = &document.root;
        let mut reader = EntryReader::new(document, COMMON);
        let mut servers = Vec::new();
        match Self::shape(document) {
            Some(Shape::Wrapped) => {
                document.refuse_second(root, "projects")?;
                servers = scoped(document, &mut reader, root, None)?;
                for (path, project) in projects(root) {
                    servers.extend(scoped(document, &mut reader, project, Some(path))?);
                }
            }
            Some(Shape::Bare) => servers = reader.servers(root, None)?,
            Some(Shape::Settings) | None => {}
        }
        Ok(Contents { servers, secrets: reader.secrets, ..Contents::default() })
    }

    fn project_files(&self) -> &'static [&'static str] {
        &[".mcp.json"]
    }

    fn user_files(&self) -> &'static [&'static str] {
        &[".claude.json"]
    }
}

/// The servers of one scope, those that it lists as disabled switched off.
fn scoped<'t>(
    document: &Document<'t>,
    reader: &mut EntryReader<'_, 't>,
    scope: &Node<'t>,
    name: Option<&str>,
) -> Result<Vec<ServerEntry>, ConfigError> {
    document.refuse_second(scope, ROOT)?;
    let Some(entry) = scope.entries().iter().find(|entry| entry.key == ROOT) else {
        return Ok(Vec::new());
    };
    let mut servers = reader.servers(&entry.node, name)?;
    if let Some(list) = scope.get("disabledMcpServers") {
        let disabled: HashSet<String> = document.strings(list)?.into_iter().collect();
        for server in &mut servers {
            server.disabled |= disabled.contains(server.key.as_str());
        }
    }
    Ok(servers)
}
