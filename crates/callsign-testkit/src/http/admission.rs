//! What a request must be before the server looks at what it asks.

use axum::http::{HeaderMap, StatusCode};

use super::headers::{self, VERSION, header};
use super::session::Sessions;
use crate::behaviour::Behaviour;
use crate::era::{LEGACY_VERSIONS, Spoken};
use crate::incoming::Request;
use crate::rpc_error::RpcError;

/// Why a request is not looked at.
#[derive(Debug)]
pub(super) enum Refusal {
    /// With a bare status.
    Status(StatusCode),
    /// With a JSON-RPC error.
    Error(StatusCode, RpcError),
}

/// A browser's page must not reach a local server, and a client must take both forms of an answer.
pub(super) fn of_headers(headers: &HeaderMap) -> Result<(), StatusCode> {
    if header(headers, "origin").is_some_and(|origin| !is_loopback(origin)) {
        return Err(StatusCode::FORBIDDEN);
    }
    let accept = header(headers, "accept").unwrap_or_default();
    if !accept.contains("application/json") || !accept.contains("text/event-stream") {
        return Err(StatusCode::NOT_ACCEPTABLE);
    }
    let content = header(headers, "content-type").unwrap_or_default();
    if !content.starts_with("application/json") {
        return Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
    }
    Ok(())
}

fn is_loopback(origin: &str) -> bool {
    let host = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// The era of a request, once its headers and its session are in order.
pub(super) fn of_request(
    behaviour: &Behaviour,
    sessions: &Sessions,
    headers: &HeaderMap,
    request: &Request,
) -> Result<Spoken, Refusal> {
    let bad = StatusCode::BAD_REQUEST;
    let spoken = behaviour.era.of(request).map_err(|error| Refusal::Error(bad, error))?;
    match spoken {
        Spoken::Modern => {
            headers::agree(headers, request).map_err(|error| Refusal::Error(bad, error))?;
        }
        Spoken::Legacy if request.method == "initialize" => {}
        Spoken::Legacy => in_session(behaviour, sessions, headers).map_err(Refusal::Status)?,
    }
    Ok(spoken)
}

/// Whether a legacy message belongs to a session and names a version there is.
pub(super) fn in_session(
    behaviour: &Behaviour,
    sessions: &Sessions,
    headers: &HeaderMap,
) -> Result<(), StatusCode> {
    let version = header(headers, VERSION);
    if version.is_some_and(|version| !LEGACY_VERSIONS.contains(&version)) {
        return Err(StatusCode::BAD_REQUEST);
    }
    sessions.admit(headers, behaviour.http.forget_session_after)
}
