//! GET: a legacy session's stream of what concerns no request.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};

use super::reply::Pending;
use super::{Endpoint, event_stream};
use crate::announce::Ear;
use crate::era::Era;
use crate::outlet::Outlet;

pub(super) async fn stream(State(endpoint): State<Arc<Endpoint>>, headers: HeaderMap) -> Response {
    let behaviour = &endpoint.server.behaviour;
    if behaviour.http.first_revision {
        return first_revision();
    }
    if behaviour.era == Era::Modern || behaviour.http.no_get {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    if let Err(status) = endpoint.sessions.admit(&headers, None) {
        return status.into_response();
    }
    let (outlet, emitted) = Outlet::new();
    endpoint.server.add_ear(Ear { outlet, subscription: None });
    Pending::new(endpoint, emitted, None).stream()
}

/// The stream of 2024-11-05: it names another address, where nothing is.
fn first_revision() -> Response {
    let first = Ok::<_, std::convert::Infallible>(event_stream::endpoint("/messages"));
    let events = stream::iter([first]).chain(stream::pending());
    let body = axum::body::Body::from_stream(events);
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}
