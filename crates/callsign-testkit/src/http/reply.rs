//! What is emitted for one request, as the body of its HTTP response.

use std::convert::Infallible;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use tokio::sync::mpsc::UnboundedReceiver;

use super::reply_form::Reply;
use super::{Endpoint, event_stream};
use crate::json_text;
use crate::outlet::Emit;
use crate::record;

/// A response under way.
pub(super) struct Pending {
    endpoint: Arc<Endpoint>,
    emitted: UnboundedReceiver<Emit>,
    /// Taken out of the queue to choose the form.
    first: Option<Emit>,
    form: Reply,
    unanswered: Option<Unanswered>,
}

/// Says in the record that the client left before its answer came.
struct Unanswered {
    endpoint: Arc<Endpoint>,
    id: String,
    answered: bool,
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if self.answered {
            return;
        }
        if let Some(file) = &self.endpoint.server.record {
            record::append(file, &json_text::Object::new().raw("closed", &self.id).json());
        }
    }
}

impl Pending {
    /// `id` is the request's, or `None` for a stream that answers none.
    pub(super) fn new(
        endpoint: Arc<Endpoint>,
        emitted: UnboundedReceiver<Emit>,
        id: Option<String>,
    ) -> Self {
        let unanswered =
            id.map(|id| Unanswered { endpoint: endpoint.clone(), id, answered: false });
        let form = endpoint.server.behaviour.http.reply;
        Self { endpoint, emitted, first: None, form, unanswered }
    }

    /// An event stream that is open at once.
    pub(super) fn stream(mut self) -> Response {
        self.form = Reply::Sse;
        self.respond(StatusCode::OK)
    }

    /// Waits until the form is known: an answer that comes first and may be JSON is JSON. `status` gives the HTTP status
    /// of such an answer.
    pub(super) async fn response(mut self, status: impl Fn(&str) -> StatusCode) -> Response {
        if self.form == Reply::Sse {
            return self.respond(StatusCode::OK);
        }
        loop {
            match self.next().await {
                Some(Emit::Answer(json)) => {
                    let status = status(&json);
                    self.form = Reply::Json;
                    self.first = Some(Emit::Answer(json));
                    return self.respond(status);
                }
                Some(emit) if self.form == Reply::Auto => {
                    self.form = Reply::Sse;
                    self.first = Some(emit);
                    return self.respond(StatusCode::OK);
                }
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }

    /// What is emitted next; the order to stop is carried out here, and the response then stays as it is.
    async fn next(&mut self) -> Option<Emit> {
        let emit = match self.first.take() {
            Some(emit) => Some(emit),
            None => self.emitted.recv().await,
        };
        match emit {
            Some(Emit::Stop(status)) => {
                self.endpoint.stop_soon(status);
                if self.unanswered.is_some() {
                    std::future::pending::<()>().await;
                }
                None
            }
            emit => emit,
        }
    }

    async fn next_chunk(&mut self) -> Option<String> {
        loop {
            let emit = self.next().await;
            if self.endpoint.server.behaviour.http.drop_stream
                && self.form == Reply::Sse
                && matches!(emit, Some(Emit::Answer(_)))
            {
                return None;
            }
            match (emit, self.form) {
                (Some(Emit::Answer(json)), form) => {
                    self.answered();
                    let json = json_text::one_line(&json);
                    return Some(if form == Reply::Sse {
                        event_stream::message(&json)
                    } else {
                        json
                    });
                }
                (Some(Emit::Aside(json)), Reply::Sse) => return Some(event_stream::message(&json)),
                (Some(Emit::Junk(text)), Reply::Sse) => return Some(event_stream::junk(&text)),
                (Some(_), _) => {}
                // Nothing more will come: an answered request is over, any other waits for ever.
                (None, _) if self.unanswered.is_none() => return None,
                (None, _) => std::future::pending().await,
            }
        }
    }

    fn answered(&mut self) {
        if let Some(mut request) = self.unanswered.take() {
            request.answered = true;
        }
    }

    fn respond(self, status: StatusCode) -> Response {
        let kind = if self.form == Reply::Sse { "text/event-stream" } else { "application/json" };
        let chunks = stream::unfold(self, |mut pending| async move {
            let chunk = pending.next_chunk().await?;
            Some((Ok::<_, Infallible>(chunk), pending))
        });
        let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "no-store")];
        (status, headers, Body::from_stream(chunks)).into_response()
    }
}
