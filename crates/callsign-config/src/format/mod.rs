//! The formats: which files are a client's, where servers stand in them, and how their entries are spelled.
//!
//! A client is one file in this folder and one row in [`FORMATS`]. Clients that write `mcpServers` as most do only fill
//! in an [`McpServers`](mcp_servers::McpServers); others implement [`Format`] and read single entries with
//! [`EntryReader`](entry::EntryReader), given their own [`Keys`](entry::Keys). Where an entry has another shape (a command
//! that is an array, servers in a list), the format builds the common one out of its [`Node`]s, which keep their spans.

mod callsign_toml;
mod claude_code;
mod claude_desktop;
mod cursor;
pub(crate) mod entry;
mod mcp_servers;
mod vscode;

use std::path::Path;

use crate::document::{Document, Syntax};
use crate::error::{ConfigError, Problem};
use crate::near::near;
use crate::place::Span;
use crate::server_entry::ServerEntry;
use crate::settings::Settings;
use crate::tree::Node;

/// Every format. A file goes to the strongest claim, and among equal ones to the first.
pub(crate) static FORMATS: [&dyn Format; 6] = [
    &callsign_toml::CallsignToml,
    &claude_desktop::CLAUDE_DESKTOP,
    &cursor::CURSOR,
    &claude_code::ClaudeCode,
    &mcp_servers::GENERIC,
    &vscode::VsCode,
];

/// What a format finds in a file.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) servers: Vec<ServerEntry>,
    pub(crate) settings: Settings,
    /// Values that must not be shown.
    pub(crate) secrets: Vec<Span>,
}

/// Why a file is held to be of a format, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claim {
    /// It has the format's keys.
    Content,
    /// And it lies in a folder called like the client (`dotfiles/cursor/mcp.json`).
    Folder,
    /// It is called what the client calls it.
    Name,
}

/// One client's way of writing configuration.
pub(crate) trait Format: Sync {
    /// The client, as in callsign's output.
    fn client(&self) -> &'static str;

    /// How its files are written.
    fn syntax(&self) -> Syntax {
        Syntax::Json
    }

    /// Where it keeps servers, for the error when a file has none: root keys.
    fn looked_for(&self) -> &'static [&'static str];

    /// Whether, and how surely, the file is of this format; asked for files of its [syntax](Self::syntax) only.
    fn claim(&self, document: &Document<'_>) -> Option<Claim>;

    /// Reads it.
    ///
    /// # Errors
    /// The first thing in it that can't be used.
    fn read(&self, document: &Document<'_>) -> Result<Contents, ConfigError>;

    /// Where it lies in a project, relative to the project's folder.
    fn project_files(&self) -> &'static [&'static str];

    /// Where it lies for a user on the systems it exists for, relative to the home folder.
    fn user_files(&self) -> &'static [&'static str];
}

/// Whether the file has one of the format's own names.
pub(crate) fn has_own_name(format: &dyn Format, file: &Path) -> bool {
    format.project_files().iter().chain(format.user_files()).any(|own| file.ends_with(own))
}

/// [`Claim::Name`] or [`Claim::Folder`], if the path says so.
pub(crate) fn claim_by_path(format: &dyn Format, file: &Path) -> Option<Claim> {
    if has_own_name(format, file) {
        return Some(Claim::Name);
    }
    let folder = file.parent()?.file_name()?.to_string_lossy().to_lowercase();
    (folder.trim_start_matches('.') == format.client()).then_some(Claim::Folder)
}

/// Finds the file's format and reads it.
pub(crate) fn read(document: &Document<'_>) -> Result<(&'static str, Contents), ConfigError> {
    if of_syntax(document).next().is_none() {
        let whole = |problem| ConfigError::new(document.file, None, problem);
        return Err(whole(Problem::UnknownFormat(document.syntax.name())));
    }
    document.map(&document.root)?;
    let mut best: Option<(Claim, &dyn Format)> = None;
    for format in of_syntax(document) {
        if let Some(claim) = format.claim(document)
            && best.is_none_or(|(strongest, _)| claim > strongest)
        {
            best = Some((claim, format));
        }
    }
    match best {
        Some((_, format)) => Ok((format.client(), format.read(document)?)),
        None => Err(no_servers(document)),
    }
}

fn of_syntax(document: &Document<'_>) -> impl Iterator<Item = &'static dyn Format> {
    FORMATS.into_iter().filter(|format| format.syntax() == document.syntax)
}

fn no_servers(document: &Document<'_>) -> ConfigError {
    let mut looked_for: Vec<&'static str> = Vec::new();
    for key in of_syntax(document).flat_map(Format::looked_for) {
        if !looked_for.contains(key) {
            looked_for.push(key);
        }
    }
    // A path of two keys is nothing that somebody mistypes as one.
    let keys: Vec<&'static str> =
        looked_for.iter().copied().filter(|key| !key.contains('.')).collect();
    let written = document.root.entries().iter().take(1000);
    let near = written
        .filter_map(|entry| Some((entry.key.to_string(), *near(&entry.key, &keys).first()?)))
        .collect();
    document.error(start(&document.root), Problem::NoServers { looked_for, near })
}

/// The first character: for what is wrong with a whole file.
fn start(root: &Node<'_>) -> Span {
    Span::new(root.span.start, root.span.start)
}
