//! What hosts post: requests of either era, notifications, answers, and arrays of them.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::access::Caller;
use super::events::{self, COMMENT, Piece, event};
use super::head::{self, SESSION_ID, Version};
use super::refused::{Refused, json};
use super::sessions::{self, Open};
use super::{Shared, body, empty, standard};
use crate::lifecycle::{
    Era, HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, STATELESS, UNSUPPORTED_PROTOCOL_VERSION,
};
use crate::message::{Malformed, Message, Request, RpcError, is_batch, parse_frame};
use crate::router::METHOD_NOT_FOUND;
use crate::serve::refusal::{self, INVALID_PARAMS, INVALID_REQUEST};
use crate::serve::reply::Way;
use crate::serve::{Arrival, Context, Ending, Exchange, Headers, Reply, Session, stateless};

const INITIALIZE: &str = "initialize";

/// How much one request may say before the host has read it. The rest waits in who says it.
const SAID: usize = 16;

/// One POST: who asks, and what the head says.
struct Post<'a> {
    shared: &'a Arc<Shared>,
    caller: Caller,
    headers: &'a HeaderMap,
    version: Version<'a>,
}

pub(super) async fn answer(
    shared: &Arc<Shared>,
    caller: Caller,
    headers: &HeaderMap,
    body: Body,
) -> Result<Response, Refused> {
    head::is_json(headers)?;
    head::takes_both(headers)?;
    let limits = &shared.limits;
    let text = body::read(headers, body, limits.message_bytes, limits.body).await?;
    let post = Post { shared, caller, headers, version: Version::of(headers)? };
    let mut messages = parse_frame(&text);
    if is_batch(&text) {
        return post.batch(messages, &text).await;
    }
    match messages.pop() {
        Some(Ok(Message::Request(request))) => post.request(request).await,
        Some(Ok(message)) => post.unanswered(message).await,
        Some(Err(reason)) => Err(unreadable(&text, &reason)),
        None => Err(Refused::unreadable(None)),
    }
}

fn unreadable(text: &[u8], reason: &Malformed) -> Refused {
    Refused::unreadable(refusal::of_malformed(text, reason))
}

impl Post<'_> {
    /// A request of either era: its body says of which.
    async fn request(&self, request: Request) -> Result<Response, Refused> {
        let id = &request.id;
        let bad = |error: &RpcError| Refused::request(StatusCode::BAD_REQUEST, Some(id), error);
        match stateless::meta(request.params.as_deref()).map_err(|error| bad(&error))? {
            Some(meta) => {
                standard::compare(self.headers, &request, meta.version().as_deref())?;
                meta.check(&request.method).map_err(|error| match error.code() {
                    Some(METHOD_NOT_FOUND) => {
                        Refused::request(StatusCode::NOT_FOUND, Some(id), &error)
                    }
                    _ => bad(&error),
                })?;
                self.stateless(request).await
            }
            None if self.version == Version::Stateless => {
                let reason = format!(
                    "requests of revision {STATELESS} name it in `params._meta` as in the header"
                );
                Err(bad(&RpcError::new(INVALID_PARAMS, &reason)))
            }
            None => {
                self.version.known(Some(id))?;
                self.handshake(request).await
            }
        }
    }

    async fn stateless(&self, request: Request) -> Result<Response, Refused> {
        let session = self.shared.stateless.get(self.caller.place).ok_or_else(Refused::closing)?;
        let parameters = standard::parameters(self.headers);
        let (way, pieces) = mpsc::channel(SAID);
        self.bring(request, session, Era::Stateless, parameters, way).await?;
        Ok(self.answered(pieces, Era::Stateless).await.response)
    }

    async fn handshake(&self, request: Request) -> Result<Response, Refused> {
        let (way, pieces) = mpsc::channel(SAID);
        if request.method != INITIALIZE {
            let open = self.session(Some(&request))?;
            self.bring(request, &open.session, Era::Handshake, Vec::new(), way).await?;
            return Ok(self.answered(pieces, Era::Handshake).await.response);
        }
        let (id, open) = sessions::begin(self.shared, &self.caller, &request.id).await?;
        let mut beginning = Beginning { shared: self.shared, id: Some(id), session: open.session };
        let session = beginning.session.clone();
        self.bring(request, &session, Era::Handshake, Vec::new(), way).await?;
        let mut answered = self.answered(pieces, Era::Handshake).await;
        if answered.is_refusal {
            return Ok(answered.response);
        }
        if let Some(id) = beginning.id.take().and_then(|id| HeaderValue::from_str(&id).ok()) {
            answered.response.headers_mut().insert(SESSION_ID, id);
        }
        Ok(answered.response)
    }

    /// The session that the headers name.
    fn session(&self, request: Option<&Request>) -> Result<Open, Refused> {
        let id = request.map(|request| &request.id);
        let named = head::session_id(self.headers)?.ok_or_else(|| Refused::no_session(id))?;
        let found = self.shared.sessions.find(named, &self.caller);
        found.ok_or_else(|| Refused::unknown_session(id))
    }

    /// Brings a request to who takes what arrives. One for which no place gets free is answered at once.
    async fn bring(
        &self,
        request: Request,
        session: &Session,
        era: Era,
        parameters: Vec<(String, Option<String>)>,
        way: mpsc::Sender<Piece>,
    ) -> Result<(), Refused> {
        let Some(place) = session.place().await else {
            let error = refusal::of_crowded(self.shared.limits.in_flight);
            return Err(Refused::request(StatusCode::OK, Some(&request.id), &error));
        };
        let way = Way::Http(way, era);
        let reply = Reply::new(request.id.clone(), session.clone(), way, place);
        let context = self.context(session, era, parameters);
        self.shared.bring(Arrival::Request(Exchange { request, context, reply })).await
    }

    fn context(
        &self,
        session: &Session,
        era: Era,
        parameters: Vec<(String, Option<String>)>,
    ) -> Context {
        let protocol_version = self.version.text().map(str::to_owned);
        let headers = Some(Headers { protocol_version, parameters });
        Context { session: session.clone(), era, headers }
    }

    /// Waits for what a request says first: an answer alone is a body of its own, anything else begins a stream.
    async fn answered(&self, mut pieces: mpsc::Receiver<Piece>, era: Era) -> Answered {
        let silence = self.shared.limits.silence;
        let first = match timeout(silence, pieces.recv()).await {
            Ok(Some(Piece::Answer { message, error })) => {
                let status = match era {
                    Era::Stateless => status_of(error),
                    Era::Handshake => StatusCode::OK,
                };
                return Answered { response: json(status, message), is_refusal: error.is_some() };
            }
            Ok(Some(Piece::Said(message))) => event(&message),
            Ok(None) => Bytes::new(),
            Err(_) => COMMENT,
        };
        let stream = events::of_requests(first, pieces, silence);
        Answered { response: events::response(stream), is_refusal: false }
    }

    /// A notification or an answer.
    async fn unanswered(&self, message: Message) -> Result<Response, Refused> {
        if self.version == Version::Stateless {
            return match message {
                // The era has none over HTTP, and whose request one would cancel can't be told.
                Message::Notification(_) => Ok(empty(StatusCode::ACCEPTED)),
                _ => Err(Refused::bad_request(None, "the stateless era takes no answers of hosts")),
            };
        }
        self.version.known(None)?;
        let open = self.session(None)?;
        self.bring_unanswered(message, &open.session).await?;
        Ok(empty(StatusCode::ACCEPTED))
    }

    async fn bring_unanswered(&self, message: Message, session: &Session) -> Result<(), Refused> {
        let context = self.context(session, Era::Handshake, Vec::new());
        self.shared
            .bring(match message {
                Message::Notification(message) => Arrival::Notification(message, context),
                Message::Response(message) => Arrival::Response(message, context),
                Message::Request(_) => return Ok(()),
            })
            .await
    }

    /// An array of messages, as 2025-03-26 has them. It is refused as a whole where one of them can't be read; the
    /// answers to its requests come on one stream.
    async fn batch(
        &self,
        messages: Vec<Result<Message, Malformed>>,
        text: &[u8],
    ) -> Result<Response, Refused> {
        if !self.version.has_batches() {
            return Err(Refused::bad_request(None, "this revision has no arrays of messages"));
        }
        let messages = messages
            .into_iter()
            .collect::<Result<Vec<Message>, Malformed>>()
            .map_err(|reason| unreadable(text, &reason))?;
        let begins = |message: &Message| matches!(message, Message::Request(request) if request.method == INITIALIZE);
        if messages.iter().any(begins) {
            return Err(Refused::bad_request(None, "`initialize` can't stand in an array"));
        }
        let open = self.session(None)?;
        let mut requests = Vec::new();
        for message in messages {
            match message {
                Message::Request(request) => requests.push(request),
                message => self.bring_unanswered(message, &open.session).await?,
            }
        }
        if requests.is_empty() {
            return Ok(empty(StatusCode::ACCEPTED));
        }
        let (way, pieces) = mpsc::channel(SAID);
        let context = self.context(&open.session, Era::Handshake, Vec::new());
        // A task of its own, since the first answers must be read before the last request has found its place.
        tokio::spawn(bring_all(Arc::clone(self.shared), requests, context, way));
        let stream = events::of_requests(Bytes::new(), pieces, self.shared.limits.silence);
        Ok(events::response(stream))
    }
}

async fn bring_all(
    shared: Arc<Shared>,
    requests: Vec<Request>,
    context: Context,
    way: mpsc::Sender<Piece>,
) {
    for request in requests {
        let id = request.id.clone();
        let error = match context.session.place().await {
            Some(place) => {
                let way = Way::Http(way.clone(), Era::Handshake);
                let reply = Reply::new(id, context.session.clone(), way, place);
                let exchange = Exchange { request, context: context.clone(), reply };
                // Where nothing is taken any more, the way back is dropped, which answers.
                let _ = shared.bring(Arrival::Request(exchange)).await;
                continue;
            }
            None => refusal::of_crowded(shared.limits.in_flight),
        };
        let message = refusal::under(Some(&id), &error);
        let _ = way.send(Piece::Answer { message, error: error.code() }).await;
    }
}

/// A first response, and whether it is an error as a whole.
struct Answered {
    response: Response,
    is_refusal: bool,
}

/// A session whose first request is not answered. Unless it is, nobody ever learns its id, and it ends.
struct Beginning<'a> {
    shared: &'a Arc<Shared>,
    id: Option<String>,
    session: Session,
}

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        let Some(open) = self.id.take().and_then(|id| self.shared.sessions.take(&id)) else {
            return;
        };
        let shared = Arc::clone(self.shared);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                sessions::end(&shared, open.session, Ending::NotBegun).await;
            });
        }
    }
}

/// The status that the stateless era has for an error.
fn status_of(error: Option<i64>) -> StatusCode {
    match error {
        Some(METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(
            HEADER_MISMATCH
            | MISSING_CLIENT_CAPABILITY
            | UNSUPPORTED_PROTOCOL_VERSION
            | INVALID_REQUEST,
        ) => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    }
}
