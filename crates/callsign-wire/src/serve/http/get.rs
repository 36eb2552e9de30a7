//! What only sessions of the handshake era have: a stream of their own, and an end.

use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::access::Caller;
use super::head::{self, Version};
use super::refused::Refused;
use super::sessions::Open;
use super::{Shared, empty, events, kept, sessions};
use crate::serve::Ending;

/// Opens the session's own stream.
pub(super) fn stream(
    shared: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Response, Refused> {
    let (_, open) = named(shared, caller, headers)?;
    head::takes_events(headers)?;
    shared.arrived()?;
    Ok(events::response(kept::stream(&open.kept, &open.session, shared.limits.silence)))
}

/// Ends the session.
pub(super) async fn end(
    shared: &Shared,
    caller: &Caller,
    headers: &HeaderMap,
) -> Result<Response, Refused> {
    let (id, _) = named(shared, caller, headers)?;
    let open = shared.sessions.take(id).ok_or_else(|| Refused::unknown_session(None))?;
    sessions::end(shared, open.session, Ending::ByHost).await;
    Ok(empty(StatusCode::NO_CONTENT))
}

fn named<'a>(
    shared: &Shared,
    caller: &Caller,
    headers: &'a HeaderMap,
) -> Result<(&'a str, Open), Refused> {
    let version = Version::of(headers)?;
    if version == Version::Stateless {
        return Err(Refused::sessions_only());
    }
    version.known(None)?;
    let id = head::session_id(headers)?.ok_or_else(|| Refused::no_session(None))?;
    let open = shared.sessions.find(id, caller).ok_or_else(|| Refused::unknown_session(None))?;
    Ok((id, open))
}
