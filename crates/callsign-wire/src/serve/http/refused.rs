use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;

use crate::lifecycle::HEADER_MISMATCH;
use crate::message::{Id, RpcError};
use crate::serve::refusal::{INTERNAL_ERROR, INVALID_REQUEST, under};

/// A request that does not arrive: a status, and an error as its body.
#[derive(Debug)]
pub(super) struct Refused {
    status: StatusCode,
    header: Option<(HeaderName, &'static str)>,
    body: String,
}

impl Refused {
    /// The error of a request, under its id where that could be read.
    pub(super) fn request(status: StatusCode, id: Option<&Id>, error: &RpcError) -> Self {
        Self { status, header: None, body: under(id, error) }
    }

    /// A text that is no message, with the answer to it.
    pub(super) fn unreadable(body: Option<String>) -> Self {
        let body = body
            .unwrap_or_else(|| under(None, &RpcError::new(INVALID_REQUEST, "this is no message")));
        Self { status: StatusCode::BAD_REQUEST, header: None, body }
    }

    fn head(status: StatusCode, reason: &str) -> Self {
        Self::request(status, None, &RpcError::new(INVALID_REQUEST, reason))
    }

    fn with(mut self, name: HeaderName, value: &'static str) -> Self {
        self.header = Some((name, value));
        self
    }

    pub(super) fn bad_request(id: Option<&Id>, reason: &str) -> Self {
        let error = RpcError::new(INVALID_REQUEST, reason);
        Self::request(StatusCode::BAD_REQUEST, id, &error)
    }

    /// Headers and body contradict each other.
    pub(super) fn mismatch(id: &Id, reason: &str) -> Self {
        let error = RpcError::new(HEADER_MISMATCH, reason);
        Self::request(StatusCode::BAD_REQUEST, Some(id), &error)
    }

    pub(super) fn forbidden(reason: &str) -> Self {
        Self::head(StatusCode::FORBIDDEN, reason)
    }

    pub(super) fn no_token() -> Self {
        let reason = "a token is asked for: `Authorization: Bearer` and the token";
        Self::head(StatusCode::UNAUTHORIZED, reason).with(WWW_AUTHENTICATE, "Bearer")
    }

    pub(super) fn wrong_token() -> Self {
        Self::head(StatusCode::UNAUTHORIZED, "nobody has this token")
            .with(WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"")
    }

    pub(super) fn method() -> Self {
        let reason = "hosts ask by POST; GET and DELETE are for sessions of the handshake era";
        Self::head(StatusCode::METHOD_NOT_ALLOWED, reason).with(ALLOW, "POST, GET, DELETE")
    }

    pub(super) fn sessions_only() -> Self {
        let reason = "the stateless era asks by POST only";
        Self::head(StatusCode::METHOD_NOT_ALLOWED, reason).with(ALLOW, "POST")
    }

    pub(super) fn content_type() -> Self {
        let reason = "the body must be `Content-Type: application/json`";
        Self::head(StatusCode::UNSUPPORTED_MEDIA_TYPE, reason)
    }

    pub(super) fn accept(wanted: &str) -> Self {
        let reason = format!("the header `Accept` must allow {wanted}");
        Self::head(StatusCode::NOT_ACCEPTABLE, &reason)
    }

    pub(super) fn too_long(limit: usize) -> Self {
        let body = crate::serve::refusal::of_too_long(limit);
        Self { status: StatusCode::PAYLOAD_TOO_LARGE, header: None, body }
    }

    pub(super) fn too_slow() -> Self {
        Self::head(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")
    }

    pub(super) fn broken_off() -> Self {
        Self::head(StatusCode::BAD_REQUEST, "the body broke off")
    }

    pub(super) fn no_session(id: Option<&Id>) -> Self {
        let reason = "the header `Mcp-Session-Id` is missing, which names the session; `initialize` begins one";
        Self::bad_request(id, reason)
    }

    pub(super) fn unknown_session(id: Option<&Id>) -> Self {
        let error =
            RpcError::new(INVALID_REQUEST, "there is no such session; `initialize` begins one");
        Self::request(StatusCode::NOT_FOUND, id, &error)
    }

    pub(super) fn too_many_sessions(id: &Id) -> Self {
        let error = RpcError::new(INTERNAL_ERROR, "too many sessions are busy");
        Self::request(StatusCode::SERVICE_UNAVAILABLE, Some(id), &error).with(RETRY_AFTER, "5")
    }

    pub(super) fn closing() -> Self {
        let error = RpcError::new(INTERNAL_ERROR, "this server is ending");
        Self::request(StatusCode::SERVICE_UNAVAILABLE, None, &error)
    }

    pub(super) fn no_randomness(id: &Id) -> Self {
        let error = RpcError::new(INTERNAL_ERROR, "the system gives no random numbers");
        Self::request(StatusCode::INTERNAL_SERVER_ERROR, Some(id), &error)
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = json(self.status, self.body);
        if let Some((name, value)) = self.header {
            response.headers_mut().insert(name, HeaderValue::from_static(value));
        }
        response
    }
}

/// A message as the whole body.
pub(super) fn json(status: StatusCode, message: String) -> Response {
    let mut response = Response::new(Body::from(message));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
