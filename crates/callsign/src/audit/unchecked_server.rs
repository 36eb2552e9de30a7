//! # What it finds
//!
//! A server whose catalogue is not known, with the reason: it has no static list of tools and was not asked, it did not
//! start, it answered with an error. Also a single tool of a listing that can't be read as a tool (no `name`, or one that is
//! not a text): it is named by its position, and the rest of the listing is checked.
//!
//! # Why it matters
//!
//! What was not looked at may hold every finding there is. A check that leaves it out and says "no collisions" is worse
//! than none.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "files": { "command": "files-server" },
//!     "mail": { "tools": ["send_email"] }
//!   }
//! }
//! ```
//!
//! # What to do
//!
//! Run the check with `--live`, which starts the servers and asks them, or write the tools into the configuration as a
//! static list. An entry that can't be read is for the server's author.
//!
//! # How to silence it
//!
//! Disable the server, or set `CS009` in callsign.toml. `--strict` makes it an error.

use super::finding::{Facts, Severity, Subject};
use super::fleet::{Server, Unchecked};
use super::index::Index;
use super::wording::quote;
use crate::catalogue::Malformed;
use crate::name::{ServerKey, ToolId};

/// Something that could not be looked at.
pub(super) enum UncheckedServer<'a> {
    Whole(&'a ServerKey, &'a Unchecked),
    Entry(&'a ServerKey, &'a Malformed),
}

pub(super) const SEVERITY: Severity = Severity::Warning;

impl Facts for UncheckedServer<'_> {
    fn message(&self) -> String {
        match self {
            Self::Whole(key, unchecked) => {
                format!("server {} was not checked: {}", quote(key), unchecked.reason)
            }
            Self::Entry(key, malformed) => {
                let position = malformed.position + 1;
                let name = malformed.name.as_ref();
                let name = name.map_or(String::new(), |name| format!(" ({})", quote(name)));
                let (key, reason) = (quote(key), &malformed.reason);
                format!(
                    "tool {position}{name} of the listing of server {key} can't be read: {reason}"
                )
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Whole(_, unchecked) => unchecked.remedy.clone(),
            Self::Entry(..) => {
                Some("tell the server's author; the other tools of the server are checked".into())
            }
        }
    }

    fn subject(&self) -> Subject {
        match self {
            Self::Whole(key, _) => Subject::servers([*key]),
            Self::Entry(key, malformed) => {
                let name = malformed.name.clone();
                let id = name.map(|name| ToolId::new((*key).clone(), name));
                Subject::unreadable(key, malformed.position, id)
            }
        }
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<UncheckedServer<'a>> {
    index.servers.iter().flat_map(unchecked).collect()
}

fn unchecked(server: &Server) -> Vec<UncheckedServer<'_>> {
    match &server.catalogue {
        Err(unchecked) => vec![UncheckedServer::Whole(&server.key, unchecked)],
        Ok(catalogue) => {
            let malformed = catalogue.malformed().iter();
            malformed.map(|malformed| UncheckedServer::Entry(&server.key, malformed)).collect()
        }
    }
}
