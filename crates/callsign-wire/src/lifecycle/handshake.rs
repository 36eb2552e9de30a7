use serde_json::value::RawValue;

use super::revision::{Era, LATEST_HANDSHAKE, is_handshake_revision};
use super::spoken::{ClientIdentity, Spoken};
use crate::connection::{Call, Connection, RequestError};
use crate::message::{Id, RpcError, member};
use crate::text::printable;

/// Why a connection could not be started.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// The server refused to start.
    #[error("the server refused to start: {0}")]
    Refused(RpcError),
    /// The server and we speak no common revision.
    #[error("the server speaks no revision of the protocol that this program does (it offers {0})")]
    NoCommonRevision(String),
    /// A modern server found fault with our first request.
    #[error("the server found fault with `server/discover`: {0}")]
    ProbeRefused(RpcError),
    /// An HTTP+SSE server of the first revision.
    #[error(
        "the server speaks HTTP+SSE, the transport of revision 2024-11-05, which is not supported"
    )]
    FirstRevisionSse,
    /// The connection failed.
    #[error(transparent)]
    Connection(RequestError),
}

impl From<RequestError> for HandshakeError {
    fn from(error: RequestError) -> Self {
        match error {
            RequestError::Refused(error) => Self::Refused(error),
            other => Self::Connection(other),
        }
    }
}

/// Sends `initialize`.
pub(super) async fn send_initialize(
    connection: &Connection,
    client: &ClientIdentity,
) -> Result<Call, RequestError> {
    let params = format!(
        "{{\"protocolVersion\":\"{LATEST_HANDSHAKE}\",\"capabilities\":{},\"clientInfo\":{}}}",
        client.capabilities.get(),
        client.info()
    );
    let params = RawValue::from_string(params).ok();
    connection.call_as(Id::text("initialize"), "initialize", params.as_deref()).await
}

/// Takes the result of `initialize`, settles on its revision and says so to the server.
pub(super) async fn finish(
    connection: &Connection,
    client: &ClientIdentity,
    result: &RawValue,
) -> Result<Spoken, HandshakeError> {
    let named = member(result.get(), "protocolVersion");
    let revision = named
        .and_then(|raw| serde_json::from_str::<String>(raw).ok())
        .filter(|revision| is_handshake_revision(revision))
        .ok_or_else(|| HandshakeError::NoCommonRevision(printable(named.unwrap_or("none"), 80)))?;
    let spoken = Spoken { era: Era::Handshake, revision, client: client.clone() };
    connection.speak(spoken.clone());
    connection.notify("notifications/initialized", None).await?;
    Ok(spoken)
}
