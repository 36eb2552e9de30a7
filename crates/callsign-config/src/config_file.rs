//! A configuration file that has been read.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::document::Document;
use crate::launch::hex;
use crate::place::{LineIndex, Place, Span};
use crate::secret::tells;
use crate::server_entry::ServerEntry;
use crate::settings::Settings;
use crate::tree::{Node, Value};

/// A configuration file: its servers in the file's order, and where everything stands.
#[non_exhaustive]
pub struct ConfigFile {
    /// The path it was read from, as it was given.
    pub path: PathBuf,
    /// Whose format it is: `claude-code`, `vscode`, `callsign`, …; `generic` for an `mcpServers` file of no client in
    /// particular.
    pub client: &'static str,
    /// The servers, in order.
    pub servers: Vec<ServerEntry>,
    /// What callsign.toml sets; the default for any other file.
    pub settings: Settings,
    pub(crate) text: String,
    pub(crate) byte_order_mark: bool,
    pub(crate) lines: LineIndex,
    pub(crate) secrets: Vec<Span>,
    pub(crate) shown: OnceLock<String>,
}

/// Adds the texts that stand under telling keys.
fn telling_values(node: &Node<'_>, secrets: &mut Vec<Span>) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| telling_values(item, secrets)),
        Value::Map(entries) => {
            for entry in entries {
                match entry.node.value {
                    Value::Text(_) if tells(&entry.key) => secrets.push(entry.node.span),
                    _ => telling_values(&entry.node, secrets),
                }
            }
        }
        _ => {}
    }
}

/// Shows path, client, servers and settings; never the text, which may hold secrets.
impl fmt::Debug for ConfigFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigFile")
            .field("path", &self.path)
            .field("client", &self.client)
            .field("servers", &self.servers)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl ConfigFile {
    /// The line and column of a span of this file. Costs the same for every file and line length.
    #[must_use]
    pub fn place(&self, span: Span) -> Place {
        self.lines.place(&self.text, span)
    }

    /// The file's text for excerpts, without a byte order mark: every span of this file fits it. What may be a secret is
    /// overwritten with `*`, byte for byte: the values of environments and headers, telling arguments and addresses, and,
    /// anywhere in the file, texts under keys such as `apiKey` or `token`.
    ///
    /// Made when it is first asked for.
    #[must_use]
    pub fn shown_text(&self) -> &str {
        self.shown.get_or_init(|| self.masked_text())
    }

    fn masked_text(&self) -> String {
        let mut secrets = self.secrets.clone();
        if let Ok(document) = Document::parse(&self.path, &self.text) {
            telling_values(&document.root, &mut secrets);
        }
        secrets.sort_unstable();
        let mut shown = String::with_capacity(self.text.len());
        let mut kept = 0;
        for secret in secrets {
            shown.push_str(self.text.get(kept..secret.start).unwrap_or_default());
            let hidden = secret.end.saturating_sub(secret.start.max(kept));
            shown.extend(std::iter::repeat_n('*', hidden));
            kept = kept.max(secret.end);
        }
        shown.push_str(self.text.get(kept..).unwrap_or_default());
        shown
    }

    /// SHA-256 of the file's bytes, 64 hex digits: the same digest, the same configuration.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        if self.byte_order_mark {
            hash.update("\u{feff}");
        }
        hash.update(&self.text);
        hex(&hash.finalize())
    }

    /// The folder of the project that the file belongs to: the folder it lies in, or the one above the hidden folder it
    /// lies in (`.vscode/mcp.json`, `.kiro/settings/mcp.json`).
    #[must_use]
    pub fn project(&self) -> &Path {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let hidden = |folder: &&Path| {
            folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
        };
        let hidden = folder.ancestors().take(2).find(hidden);
        match hidden.and_then(Path::parent).unwrap_or(folder) {
            here if here.as_os_str().is_empty() => Path::new("."),
            folder => folder,
        }
    }
}
