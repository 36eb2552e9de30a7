//! Which requests a misbehaviour is about.

use std::str::FromStr;

/// `initialize`, `list` (tools/list), `call` (tools/call), `discover` (server/discover), `all`, or any method in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestPattern {
    /// Every request.
    All,
    /// The requests with this method.
    Method(String),
}

impl RequestPattern {
    /// Whether a request with this method is meant.
    #[must_use]
    pub fn matches(&self, method: &str) -> bool {
        match self {
            Self::All => true,
            Self::Method(meant) => meant == method,
        }
    }
}

impl FromStr for RequestPattern {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "all" => Self::All,
            "list" => Self::Method("tools/list".into()),
            "call" => Self::Method("tools/call".into()),
            "discover" => Self::Method("server/discover".into()),
            method => Self::Method(method.into()),
        })
    }
}
