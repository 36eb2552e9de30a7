//! POST: one message.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Endpoint;
use super::admission::{self, Refusal};
use super::headers::{self, SESSION};
use super::reply::Pending;
use crate::era::{Era, Spoken};
use crate::incoming::{Incoming, Request};
use crate::json_text;
use crate::outlet::Outlet;
use crate::record;
use crate::rpc_error::RpcError;

pub(super) async fn message(
    State(endpoint): State<Arc<Endpoint>>,
    headers: HeaderMap,
    body: String,
) -> Response {
    if endpoint.server.behaviour.http.first_revision {
        return StatusCode::METHOD_NOT_ALLOWED.into_response();
    }
    if let Err(status) = admission::of_headers(&headers) {
        return status.into_response();
    }
    endpoint.note(&headers, &body);
    match Incoming::read(&body) {
        Incoming::Request(request) => asked(&endpoint, &headers, request).await,
        Incoming::Unreadable => {
            endpoint.error(StatusCode::BAD_REQUEST, "null", &RpcError::unreadable())
        }
        told => taken(&endpoint, &headers, told).await,
    }
}

/// A request: refused, or answered as the behaviour says.
async fn asked(endpoint: &Arc<Endpoint>, headers: &HeaderMap, request: Request) -> Response {
    let behaviour = &endpoint.server.behaviour;
    if let Some(status) = behaviour.bare_status(&request.method) {
        return status.into_response();
    }
    let spoken = if behaviour.dies_or_hangs_on(&request.method) {
        Spoken::Legacy
    } else {
        match admission::of_request(behaviour, &endpoint.sessions, headers, &request) {
            Ok(spoken) => spoken,
            Err(Refusal::Status(status)) => return status.into_response(),
            Err(Refusal::Error(status, error)) => {
                return endpoint.error(status, &request.id, &error);
            }
        }
    };
    let opens_session = spoken == Spoken::Legacy && request.method == "initialize";
    let mut response = answered(endpoint, request, spoken).await;
    if opens_session && let Ok(id) = endpoint.sessions.open().parse() {
        response.headers_mut().insert(SESSION, id);
    }
    response
}

async fn answered(endpoint: &Arc<Endpoint>, request: Request, spoken: Spoken) -> Response {
    let (outlet, emitted) = Outlet::new();
    let pending = Pending::new(endpoint.clone(), emitted, Some(request.id.clone()));
    let server = endpoint.server.clone();
    tokio::spawn(async move { server.receive(Incoming::Request(request), &outlet).await });
    pending.response(|answer| status_of(answer, spoken)).await
}

/// A modern client is told of an unknown method by the status too.
fn status_of(answer: &str, spoken: Spoken) -> StatusCode {
    let code = json_text::field(answer, "error").and_then(|error| json_text::field(&error, "code"));
    let unknown = code.as_deref() == Some(RpcError::METHOD_NOT_FOUND.to_string().as_str());
    if spoken == Spoken::Modern && unknown { StatusCode::NOT_FOUND } else { StatusCode::OK }
}

/// A notification or an answer: accepted without a word.
async fn taken(endpoint: &Arc<Endpoint>, headers: &HeaderMap, told: Incoming) -> Response {
    let behaviour = &endpoint.server.behaviour;
    let stateless = behaviour.era == Era::Modern
        || (behaviour.era == Era::Dual && !headers.contains_key(SESSION));
    if !stateless && let Err(status) = admission::in_session(behaviour, &endpoint.sessions, headers)
    {
        return status.into_response();
    }
    // What a notification sets off goes to the streams that listen, not to this response.
    let (outlet, _) = Outlet::new();
    endpoint.server.receive(told, &outlet).await;
    StatusCode::ACCEPTED.into_response()
}

impl Endpoint {
    fn note(&self, headers: &HeaderMap, body: &str) {
        if let Some(file) = &self.server.record {
            record::append(file, body);
        }
        if let Some(file) = &self.server.record_headers {
            record::append(file, &headers::as_json(headers));
        }
    }

    fn error(&self, status: StatusCode, id: &str, error: &RpcError) -> Response {
        let body = self.server.envelope(id, "error", &error.json());
        (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
    }
}
