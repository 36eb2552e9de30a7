//! Which protocol eras the server speaks, and how it takes a request of the other one.

use std::str::FromStr;

use crate::FlagError;
use crate::choice::choice;
use crate::incoming::Request;
use crate::rpc_error::RpcError;

/// The revisions with a handshake, oldest first.
pub const LEGACY_VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The revision without a handshake.
pub const MODERN_VERSION: &str = "2026-07-28";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The eras a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Era {
    /// Handshake revisions; `server/discover` is an unknown method.
    #[default]
    Legacy,
    /// 2026-07-28 only; `initialize` is refused with the supported versions.
    Modern,
    /// Both, side by side.
    Dual,
    /// Legacy, and `server/discover` is never answered.
    SilentOnDiscover,
    /// Legacy, and any request before `initialize` ends the process.
    ExitsOnDiscover,
}

/// The era of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    Legacy,
    Modern,
}

impl FromStr for Era {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        choice(
            "era",
            text,
            &[
                ("legacy", Era::Legacy),
                ("modern", Era::Modern),
                ("dual", Era::Dual),
                ("silent-on-discover", Era::SilentOnDiscover),
                ("exits-on-discover", Era::ExitsOnDiscover),
            ],
        )
    }
}

impl Era {
    /// The era in which `request` is answered, or the error it is refused with.
    pub(crate) fn of(self, request: &Request) -> Result<Spoken, RpcError> {
        match (self, request.meta(VERSION_KEY)) {
            (Self::Dual | Self::Modern, Some(version)) => {
                check_envelope(request, &version)?;
                Ok(Spoken::Modern)
            }
            (Self::Modern, None) => Err(refuse_legacy(request)),
            _ => Ok(Spoken::Legacy),
        }
    }
}

/// The version and the client's capabilities travel with every modern request, the latter in full.
fn check_envelope(request: &Request, version: &str) -> Result<(), RpcError> {
    let Ok(version) = serde_json::from_str::<String>(version) else {
        return Err(RpcError::invalid_params(format!("_meta.{VERSION_KEY} is not a string")));
    };
    if version != MODERN_VERSION {
        return Err(RpcError::unsupported_version(&[MODERN_VERSION], &version));
    }
    match request.meta(CAPABILITIES_KEY) {
        Some(capabilities) if capabilities.starts_with('{') => Ok(()),
        _ => Err(RpcError::invalid_params(format!("_meta.{CAPABILITIES_KEY} is missing"))),
    }
}

fn refuse_legacy(request: &Request) -> RpcError {
    if request.method == "initialize" {
        let requested = request.text_param("protocolVersion").unwrap_or_default();
        return RpcError::unsupported_version(&[MODERN_VERSION], &requested);
    }
    RpcError::invalid_params(format!("_meta.{VERSION_KEY} is missing"))
}
