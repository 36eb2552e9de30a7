//! What a host is told when a request has no answer: each with its code, its cause and a remedy.

use std::time::{Duration, SystemTime};

use callsign::registry::Miss;
use callsign::{ServerKey, WireName};
use callsign_mcp::FetchError;
use callsign_wire::METHOD_NOT_FOUND;
use callsign_wire::message::RpcError;
use callsign_wire::text::printable;

use crate::input::NoInput;
use crate::params::BadParams;
use crate::seal::BadState;

const INVALID_PARAMS: i64 = -32602;
const INTERNAL_ERROR: i64 = -32603;
/// Of the handshake era alone.
const RESOURCE_NOT_FOUND: i64 = -32002;

/// Why a request of a host was not answered by a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("no server of this gateway answers `{0}`")]
    UnknownMethod(String),
    #[error("{0}")]
    BadParams(#[from] BadParams),
    #[error("{0}")]
    UnknownTool(Box<Miss>),
    #[error("no prompt answers to `{0}`; prompts/list names those that there are")]
    UnknownPrompt(String),
    #[error("no server offers the resource `{0}`")]
    UnknownResource(String),
    #[error(
        "the resource `{uri}` is offered by the servers {}: which one is meant can't be told; leave it out of one of them",
        named(.servers)
    )]
    AmbiguousResource { uri: String, servers: Vec<ServerKey> },
    #[error("a completion can be asked for a prompt or a resource, not for `{0}`")]
    UnknownReference(String),
    #[error("{0}")]
    BadState(BadState),
    #[error("there is no page behind this cursor: lists are given whole")]
    UnknownCursor,
    #[error("`{}` of server `{}` is not allowed: {reason}", printable(.wire, 200), printable(.server, 200))]
    Denied { server: ServerKey, wire: WireName, reason: String },
    #[error("{0}")]
    Down(Box<Outage>),
    #[error("server `{}`: {error}; {}", printable(.server, 200), .error.remedy())]
    Failed { server: ServerKey, error: Box<FetchError> },
    #[error("server `{}` asks for input: {reason}", printable(.server, 200))]
    NoInput { server: ServerKey, reason: NoInput },
    #[error("server `{}` could not be asked: {reason}", printable(.server, 200))]
    NotCarried { server: ServerKey, reason: String },
}

/// A server that can't be asked now: why, since when, and what is being done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// The server.
    pub server: ServerKey,
    /// Why, in one sentence fit for a terminal.
    pub reason: String,
    /// What the user can do about it.
    pub remedy: String,
    /// Since when it has been so.
    pub since: SystemTime,
    /// When it is tried again, counted from the last failure; `None` if it is not.
    pub retry: Option<Duration>,
}

impl std::fmt::Display for Outage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let server = printable(&self.server, 200);
        let since = self.since.elapsed().unwrap_or_default().as_secs();
        write!(f, "server `{server}` is not available since {since} s: {}", self.reason)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        match self.retry {
            Some(_) => f.write_str(" (it is being tried again)"),
            None => Ok(()),
        }
    }
}

impl Refusal {
    /// As a JSON-RPC error.
    pub(crate) fn to_error(&self) -> RpcError {
        RpcError::new(self.code(), &self.to_string())
    }

    fn code(&self) -> i64 {
        match self {
            Self::UnknownMethod(_) => METHOD_NOT_FOUND,
            Self::UnknownResource(_) => RESOURCE_NOT_FOUND,
            Self::BadParams(_)
            | Self::BadState(_)
            | Self::UnknownTool(_)
            | Self::UnknownPrompt(_)
            | Self::AmbiguousResource { .. }
            | Self::UnknownReference(_)
            | Self::UnknownCursor
            | Self::Denied { .. } => INVALID_PARAMS,
            Self::NoInput { .. }
            | Self::Down(_)
            | Self::Failed { .. }
            | Self::NotCarried { .. } => INTERNAL_ERROR,
        }
    }
}

fn named(servers: &[ServerKey]) -> String {
    let quoted: Vec<String> =
        servers.iter().map(|server| format!("`{}`", printable(server, 200))).collect();
    quoted.join(" and ")
}
