//! MCP clients' configuration files, and callsign's own, each value with its place.
//!
//! ```
//! use std::path::Path;
//! use callsign_config::{Transport, parse};
//!
//! let text = br#"{
//!   "mcpServers": {
//!     "github": { "command": "npx", "args": ["-y", "server-github"], "tools": ["create_issue"] } // comments are read
//!   }
//! }"#;
//! let file = parse(Path::new(".mcp.json"), text)?;
//! let github = &file.servers[0];
//!
//! assert_eq!(file.client, "claude-code");
//! assert_eq!((github.key.as_str(), github.transport), ("github", Transport::Stdio));
//! let tool = github.tool_spans("create_issue").next().unwrap();
//! assert_eq!(file.place(tool).to_string(), "3:78");
//!
//! let error = parse(Path::new(".mcp.json"), br#"{"mcpServers": []}"#).unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     ".mcp.json:1:16: wrong type at `mcpServers`: expected an object, found an array"
//! );
//! # Ok::<(), callsign_config::ConfigError>(())
//! ```
//!
//! # What it promises
//! - Nothing is started and nothing in a file is executed. Only [`read`], [`discover`] and [`ServerEntry::expand`]
//!   (for an environment file) touch the disk.
//! - Every input gives an answer or an error with place, cause and remedy: no panic, and time and memory in proportion to
//!   the file's size.
//! - Values that may be secrets are in [`Secret`]; no error, `Debug` or [shown text](ConfigFile::shown_text) holds one.

#![forbid(unsafe_code)]

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod config_file;
mod configured;
mod consent;
pub mod dialect;
mod discover;
mod document;
mod env_file;
mod error;
pub mod expand;
mod format;
mod host_rules;
mod launch;
mod near;
mod place;
mod rule_settings;
mod secret;
mod server_entry;
mod settings;
mod tree;

use std::fs::File;
use std::io::Read;
use std::path::Path;

pub use config_file::ConfigFile;
pub use configured::Configured;
pub use discover::{discover, discover_clients};
pub use error::{ConfigError, Problem};
pub use expand::{ExpandCause, ExpandError, Expanded};
pub use host_rules::HostRules;
pub use launch::Launch;
pub use place::{Place, Span};
pub use rule_settings::{DisabledTool, PlacedRule, RuleSettings};
pub use secret::Secret;
pub use server_entry::{EntrySpans, ServerEntry, Statics, Transport};
pub use settings::{Placed, Settings, Severity, ToolOptions};

use document::Document;

/// Largest file that is read, in bytes.
const MAX_SIZE: u64 = 256 * 1024 * 1024;

/// Reads a configuration file. Its format follows from its name and content.
///
/// # Errors
/// [`ConfigError`], if the file can't be read (or is larger than 256 MiB), can't be parsed, or can't be meant.
pub fn read(path: &Path) -> Result<ConfigFile, ConfigError> {
    read_up_to(path, MAX_SIZE)
}

fn read_up_to(path: &Path, limit: u64) -> Result<ConfigFile, ConfigError> {
    parse(path, &bytes_of(path, limit)?)
}

/// The bytes of a file that is not larger than the limit.
fn bytes_of(path: &Path, limit: u64) -> Result<Vec<u8>, ConfigError> {
    let unreadable = |error| ConfigError::new(path, None, Problem::Unreadable(error));
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_or(0, |metadata| metadata.len()).min(limit);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(ConfigError::new(path, None, Problem::TooLarge { limit }));
    }
    Ok(bytes)
}

/// Parses the bytes of a configuration file; `path` is its name in messages and helps to tell its format. Reads nothing.
///
/// # Errors
/// [`ConfigError`], if the bytes can't be parsed or can't be meant.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<ConfigFile, ConfigError> {
    let text = text_of(path, bytes)?;
    let byte_order_mark = text.len() < bytes.len();
    let document = Document::parse(path, text)?;
    let (client, contents) = format::read(&document)?;
    Ok(ConfigFile {
        path: path.to_owned(),
        client,
        servers: contents.servers,
        settings: contents.settings,
        byte_order_mark,
        lines: document.lines,
        secrets: contents.secrets,
        shown: std::sync::OnceLock::new(),
        text: text.to_owned(),
    })
}

/// The text of a file, without a byte order mark.
fn text_of<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str, ConfigError> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| not_utf8(path, bytes, error))
}

fn not_utf8(path: &Path, bytes: &[u8], error: std::str::Utf8Error) -> ConfigError {
    let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
    let before = String::from_utf8_lossy(valid);
    let end = error.valid_up_to() + error.error_len().unwrap_or(1);
    let span = Span::new(error.valid_up_to(), end);
    let place = place::LineIndex::new(&before).place(&before, span);
    let hint = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        _ => Some("Latin-1 or another 8-bit encoding"),
    };
    ConfigError::new(path, Some(place), Problem::NotUtf8 { hint })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_largest_size_is_read_and_a_larger_one_is_not() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../data/corpus/preflight/fleet-5x21.json");
        let size = std::fs::metadata(&file).unwrap().len();
        assert_eq!(read_up_to(&file, size).unwrap().servers.len(), 5);
        let error = read_up_to(&file, size - 1).unwrap_err();
        assert!(matches!(error.problem(), Problem::TooLarge { .. }), "{error}");
    }
}
