use std::fmt;

use callsign::{ServerKey, ToolId};

/// Somebody a text may name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Claimant {
    /// One tool.
    Tool(ToolId),
    /// All tools of a server.
    Server(ServerKey),
    /// Some tool of a server whose tools are not known.
    Unknown(ServerKey),
}

impl Claimant {
    /// The key of the server that it is or belongs to.
    #[must_use]
    pub fn server(&self) -> &ServerKey {
        match self {
            Self::Tool(id) => id.server(),
            Self::Server(key) | Self::Unknown(key) => key,
        }
    }

    /// The tool's wire name, if it is one known tool.
    #[must_use]
    pub fn wire(&self) -> Option<&str> {
        match self {
            Self::Tool(id) => Some(id.wire()),
            Self::Server(_) | Self::Unknown(_) => None,
        }
    }
}

impl fmt::Display for Claimant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(id) => write!(f, "`{}` of server `{}`", id.wire(), id.server()),
            Self::Server(key) => write!(f, "server `{key}`"),
            Self::Unknown(key) => write!(f, "server `{key}`, whose tools are not known"),
        }
    }
}
