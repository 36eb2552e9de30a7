//! Sessions of the handshake revisions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};

use super::Endpoint;
use super::headers::{SESSION, header};
use crate::era::Era;

/// The sessions that are open, with the number of requests each has seen.
#[derive(Default)]
pub(super) struct Sessions {
    open: Mutex<HashMap<String, u64>>,
    opened: Mutex<u64>,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a session and gives its id.
    pub(super) fn open(&self) -> String {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        *opened += 1;
        let id = format!("testkit-session-{opened}");
        self.lock().insert(id.clone(), 0);
        id
    }

    /// Checks that the request belongs to an open session, and counts it against `limit`.
    ///
    /// # Errors
    /// 400 without an id, 404 for one that is unknown, ended or forgotten.
    pub(super) fn admit(&self, headers: &HeaderMap, limit: Option<u64>) -> Result<(), StatusCode> {
        let id = header(headers, SESSION).ok_or(StatusCode::BAD_REQUEST)?;
        let mut open = self.lock();
        let seen = open.get_mut(id).ok_or(StatusCode::NOT_FOUND)?;
        *seen += 1;
        if limit.is_some_and(|limit| *seen > limit) {
            open.remove(id);
            return Err(StatusCode::NOT_FOUND);
        }
        Ok(())
    }
}

/// DELETE: ends the session.
pub(super) async fn end(
    State(endpoint): State<Arc<Endpoint>>,
    headers: HeaderMap,
) -> Result<StatusCode, StatusCode> {
    if endpoint.server.behaviour.era == Era::Modern {
        return Err(StatusCode::METHOD_NOT_ALLOWED);
    }
    endpoint.sessions.admit(&headers, None)?;
    let id = header(&headers, SESSION).unwrap_or_default();
    endpoint.sessions.lock().remove(id);
    Ok(StatusCode::NO_CONTENT)
}
