use std::fmt;

use callsign::WireName;

use crate::failure::plain;

/// Something worth knowing about a server whose catalogue was fetched all the same. Its sentence is one line without
/// control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// It wrote lines on its standard output that are no messages; strict clients stop there.
    Junk {
        /// How many.
        lines: usize,
        /// The first of them, masked.
        excerpts: Vec<String>,
    },
    /// It ended before it answered, as servers do that don't know the first message, and was started a second time.
    Restarted,
    /// It knows no tools at all, and does not claim to.
    NoTools,
    /// A list it declares could not be read; its tools are complete.
    ListFailed {
        /// `prompts` or `resources`.
        list: &'static str,
        /// Why.
        reason: String,
    },
    /// An entry of such a list can't be read.
    Unreadable {
        /// `prompts` or `resources`.
        list: &'static str,
        /// Where it stands, counted from 0.
        position: usize,
        /// Why.
        reason: String,
    },
    /// A tool whose input schema can't be used. It is served without one.
    NoSchema {
        /// The tool.
        tool: WireName,
        /// What is wrong.
        reason: &'static str,
    },
    /// A tool whose parameters can't be sent as the server asks for (`x-mcp-header`): clients of 2026-07-28 must not
    /// offer it over HTTP.
    BadHeaderParameter {
        /// The tool.
        tool: WireName,
        /// What is wrong.
        reason: String,
    },
    /// What was learnt could not be written down for the next time.
    NotRemembered {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Junk { lines, excerpts } => {
                write!(f, "it wrote {lines} line(s) on its standard output that are no messages")?;
                match excerpts.first() {
                    Some(first) => write!(f, ", the first: {}", plain(first)),
                    None => Ok(()),
                }
            }
            Self::Restarted => f.write_str(
                "it ended before it answered `server/discover`, and was started again without it",
            ),
            Self::NoTools => f.write_str("it offers no tools"),
            Self::ListFailed { list, reason } => {
                write!(f, "its {list} could not be listed: {}", plain(reason))
            }
            Self::Unreadable { list, position, reason } => {
                write!(f, "entry {position} of its {list} can't be read: {}", plain(reason))
            }
            Self::NoSchema { tool, reason } => {
                write!(f, "its tool `{}` is used without a schema: {reason}", plain(tool))
            }
            Self::BadHeaderParameter { tool, reason } => {
                let (tool, reason) = (plain(tool), plain(reason));
                write!(f, "its tool `{tool}` can't be offered over HTTP in 2026-07-28: {reason}")
            }
            Self::NotRemembered { reason } => {
                write!(f, "its catalogue was not remembered: {}", plain(reason))
            }
        }
    }
}
