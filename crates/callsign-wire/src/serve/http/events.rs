//! Answers as event streams: what a request says, one event a message.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::response::Response;
use futures_util::stream::{Stream, unfold};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::lines::unbreak;

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// What a request's stream carries.
#[derive(Debug)]
pub(in crate::serve) enum Piece {
    /// A notification, or a request of ours.
    Said(String),
    /// The answer, and its code if it is an error.
    Answer {
        /// The whole message.
        message: String,
        /// The error's code, where it has one; 0 for one without.
        error: Option<i64>,
    },
}

impl Piece {
    pub(super) fn into_message(self) -> String {
        match self {
            Self::Said(message) | Self::Answer { message, .. } => message,
        }
    }
}

/// An event that carries a message. Line breaks between the message's tokens become blanks, as over lines: they would
/// end the field.
pub(super) fn event(message: &str) -> Bytes {
    const BEFORE: &[u8] = b"event: message\ndata: ";
    let mut bytes = Vec::with_capacity(BEFORE.len() + message.len() + 2);
    bytes.extend_from_slice(BEFORE);
    bytes.extend_from_slice(message.as_bytes());
    unbreak(&mut bytes[BEFORE.len()..]);
    bytes.extend_from_slice(b"\n\n");
    bytes.into()
}

/// A comment, which readers skip.
pub(super) const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// A response that is an event stream.
pub(super) fn response(
    events: impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static,
) -> Response {
    let mut response = Response::new(Body::from_stream(events));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}

/// The stream of one POST, after what begins it: what its requests say, with comments in the silence between, until each
/// of them has said everything.
pub(super) fn of_requests(
    first: Bytes,
    pieces: mpsc::Receiver<Piece>,
    silence: Duration,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let first = Some(first).filter(|first| !first.is_empty());
    unfold((first, pieces), move |(first, mut pieces)| async move {
        let bytes = match first {
            Some(first) => first,
            None => match timeout(silence, pieces.recv()).await {
                Ok(Some(piece)) => event(&piece.into_message()),
                Ok(None) => return None,
                Err(_) => COMMENT,
            },
        };
        Some((Ok(bytes), (None, pieces)))
    })
}
