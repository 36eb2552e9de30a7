use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::error::is_about_the_caller;
use super::sse::{Event, EventReader};
use super::{Endpoint, HttpError, headers, tls};
use crate::bounds::{
    ACCEPTED, Bounds, CONNECT, FAILURE_BYTES, FAREWELL, FIRST_EVENT, LONGEST_RETRY, REDIRECTS,
    RESUME_AFTER, RESUMPTIONS,
};
use crate::lifecycle::{Era, Spoken};
use crate::message::{Id, Message, parse, write_request};
use crate::router::{Router, Source};
use crate::text::printable;

/// The request that begins a session.
const INITIALIZE: &str = "initialize";

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The exchanges with one server.
pub(crate) struct HttpLink {
    client: Client,
    url: Url,
    session: Mutex<Option<HeaderValue>>,
    router: Arc<Router>,
    bounds: Bounds,
}

/// Address and headers may hold secrets.
impl fmt::Debug for HttpLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpLink").finish_non_exhaustive()
    }
}

impl HttpLink {
    pub(crate) fn open(
        endpoint: &Endpoint,
        router: Arc<Router>,
        bounds: Bounds,
    ) -> Result<Self, HttpError> {
        let url = Url::parse(&endpoint.url)
            .map_err(|error| HttpError::Invalid(format!("the address is not a URL: {error}")))?;
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = printable(url.scheme(), 20);
            return Err(HttpError::Invalid(format!(
                "the address is `{scheme}:`, not http or https"
            )));
        }
        let client = Client::builder()
            .tls_backend_preconfigured(tls::config(url.scheme() == "https")?)
            .default_headers(header_map(&endpoint.headers)?)
            // A proxy of the environment would see the headers meant for the server, and break servers on this machine.
            .no_proxy()
            .redirect(Policy::custom(stay_on_host))
            .connect_timeout(CONNECT)
            .build()
            .map_err(|error| HttpError::Tls(reason(error)))?;
        Ok(Self { client, url, session: Mutex::default(), router, bounds })
    }

    /// Sends a request and brings what comes back to the router. Returns only if that fails: once the answer has been
    /// brought, it waits to be dropped.
    pub(crate) async fn exchange(
        &self,
        id: &Id,
        method: &str,
        params: Option<&RawValue>,
        extra: &[(String, String)],
        spoken: Option<&Spoken>,
    ) -> HttpError {
        let mut request = self.to_server(Method::POST, Some(method), spoken);
        for (name, value) in headers::of_request(method, params, spoken) {
            request = request.header(name, value);
        }
        for (name, value) in extra {
            request = request.header(name, value);
        }
        let request = request
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(write_request(id, method, params));
        let outcome = async {
            let response = request.send().await.map_err(unsent)?;
            if method == INITIALIZE && response.status().is_success() {
                self.keep_session(&response);
            }
            self.take(response, id, spoken).await
        };
        match outcome.await {
            Err(error) => error,
            Ok(()) if !self.router.is_open(id) => std::future::pending().await,
            Ok(()) => HttpError::BrokenOff("the reply holds no answer to the request".to_owned()),
        }
    }

    async fn take(
        &self,
        response: Response,
        id: &Id,
        spoken: Option<&Spoken>,
    ) -> Result<(), HttpError> {
        let response = self.successful(response, id).await?;
        match content_type(&response).as_str() {
            "text/event-stream" => self.follow(response, id, spoken).await,
            "application/json" => {
                let body = self.body(response, self.bounds.message_bytes).await?;
                let replies = self.router.whole_answer(&body, id);
                self.reply(replies, spoken).await
            }
            other => Err(HttpError::NotAnAnswer(printable(other, 80))),
        }
    }

    /// Reads an event stream until the answer has come. A stream of the handshake era that ends early is asked for again
    /// from its last event on (2025-11-25: servers may close a stream and let clients poll).
    async fn follow(
        &self,
        response: Response,
        id: &Id,
        spoken: Option<&Spoken>,
    ) -> Result<(), HttpError> {
        let mut reader = EventReader::new(self.bounds.message_bytes);
        let mut ended = self.events(response, &mut reader, Some(id), spoken).await;
        for _ in 0..RESUMPTIONS {
            if !self.router.is_open(id) {
                return Ok(());
            }
            let Some(last) = reader.last_id().map(HeaderValue::from_str).and_then(Result::ok)
            else {
                break;
            };
            if spoken.is_some_and(|spoken| spoken.era == Era::Stateless) {
                break;
            }
            let wait = reader.retry().map_or(RESUME_AFTER, Duration::from_millis);
            tokio::time::sleep(wait.min(LONGEST_RETRY)).await;
            let again = self
                .to_server(Method::GET, None, spoken)
                .header(ACCEPT, "text/event-stream")
                .header(LAST_EVENT_ID, last);
            let response = again.send().await.map_err(unsent)?;
            ended = match self.successful(response, id).await {
                Ok(response) => self.events(response, &mut reader, Some(id), spoken).await,
                Err(error) => return Err(error),
            };
        }
        ended
    }

    async fn events(
        &self,
        response: Response,
        reader: &mut EventReader,
        during: Option<&Id>,
        spoken: Option<&Spoken>,
    ) -> Result<(), HttpError> {
        let source = during.map_or(Source::Unasked, Source::ReplyTo);
        let mut pieces = response.bytes_stream();
        let mut events: Vec<Event> = Vec::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| HttpError::BrokenOff(reason(error)))?;
            reader.push(&piece, &mut events).map_err(|long| HttpError::TooLong(long.0))?;
            for event in events.drain(..) {
                if matches!(event.kind.as_str(), "" | "message") && !event.data.is_empty() {
                    self.reply(self.router.frame(&event.data, source), spoken).await?;
                }
            }
            if during.is_some_and(|id| !self.router.is_open(id)) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads the stream of messages that belong to no exchange.
    pub(crate) async fn hear(&self, spoken: Option<&Spoken>) -> Result<(), HttpError> {
        let request = self.to_server(Method::GET, None, spoken).header(ACCEPT, "text/event-stream");
        let response = request.send().await.map_err(unsent)?;
        if !response.status().is_success() {
            return Err(self.failure(response).await.0);
        }
        let mut reader = EventReader::new(self.bounds.message_bytes);
        self.events(response, &mut reader, None, spoken).await
    }

    async fn reply(&self, replies: Vec<String>, spoken: Option<&Spoken>) -> Result<(), HttpError> {
        for reply in replies {
            // The server's own request is its concern: that our answer does not arrive must not end ours.
            if let Err(error) = self.post(reply, spoken).await {
                tracing::debug!(%error, "an answer to the server was not accepted");
            }
        }
        Ok(())
    }

    /// Sends a notification or an answer.
    pub(crate) async fn post(
        &self,
        message: String,
        spoken: Option<&Spoken>,
    ) -> Result<(), HttpError> {
        let request = self
            .to_server(Method::POST, None, spoken)
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json")
            .body(message);
        let response = timeout(ACCEPTED, request.send())
            .await
            .map_err(|_| HttpError::Unreachable("no answer in 10 s".to_owned()))?
            .map_err(unsent)?;
        if response.status().is_success() { Ok(()) } else { Err(self.failure(response).await.0) }
    }

    /// Ends the session, if the server opened one.
    pub(crate) async fn end_session(&self, spoken: Option<&Spoken>) {
        if self.session().is_none() {
            return;
        }
        let request = self.to_server(Method::DELETE, None, spoken);
        // Servers may refuse it (405); the session then ends by itself.
        let _ = timeout(FAREWELL, request.send()).await;
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether a GET yields the event by which servers of the first revision name their second address.
    pub(crate) async fn offers_endpoint_event(&self) -> bool {
        let asked = async {
            let request = self.client.get(self.url.clone()).header(ACCEPT, "text/event-stream");
            let response = request.send().await.ok()?;
            let is_stream =
                response.status().is_success() && content_type(&response) == "text/event-stream";
            let mut pieces = is_stream.then(|| response.bytes_stream())?;
            let (mut reader, mut events) = (EventReader::new(FAILURE_BYTES), Vec::new());
            while events.is_empty() {
                reader.push(&pieces.next().await?.ok()?, &mut events).ok()?;
            }
            Some(events[0].kind == "endpoint")
        };
        timeout(FIRST_EVENT, asked).await.ok().flatten().unwrap_or(false)
    }

    /// A request with what all of a connection carry: the revision, and in the handshake era the session.
    fn to_server(
        &self,
        method: Method,
        rpc_method: Option<&str>,
        spoken: Option<&Spoken>,
    ) -> RequestBuilder {
        let mut request = self.client.request(method, self.url.clone());
        // A handshake begins a session, whatever was settled in one before.
        let begins = rpc_method == Some(INITIALIZE);
        let spoken = spoken.filter(|_| !begins);
        if let Some((name, value)) = headers::of_revision(rpc_method, spoken) {
            request = request.header(name, value);
        }
        match self.session().filter(|_| !begins) {
            Some(session) if spoken.is_none_or(|spoken| spoken.era == Era::Handshake) => {
                request.header(SESSION, session)
            }
            _ => request,
        }
    }

    fn session(&self) -> Option<HeaderValue> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn keep_session(&self, response: &Response) {
        let named = response.headers().get(SESSION).cloned().map(|mut value| {
            value.set_sensitive(true);
            value
        });
        *self.session.lock().unwrap_or_else(PoisonError::into_inner) = named;
    }

    /// The response if its status is success. A client error whose body is an answer is brought to the router.
    async fn successful(&self, response: Response, id: &Id) -> Result<Response, HttpError> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        if status == StatusCode::NOT_FOUND && self.session().is_some() {
            return Err(HttpError::SessionEnded);
        }
        let (failure, body) = self.failure(response).await;
        let may_answer = status.is_client_error() && !is_about_the_caller(status.as_u16());
        if may_answer
            && let Ok(Message::Response(mut answer)) = parse(&body)
            && answer.outcome.is_err()
            && answer.id.as_ref().is_none_or(|answered| answered.key() == id.key())
        {
            answer.id = Some(id.clone());
            self.router.answer(answer, Source::ReplyTo(id));
            std::future::pending::<()>().await;
        }
        Err(failure)
    }

    async fn failure(&self, response: Response) -> (HttpError, Vec<u8>) {
        let status = response.status();
        let header = |name| {
            let value = response.headers().get(name)?;
            Some(printable(&String::from_utf8_lossy(value.as_bytes()), 300))
        };
        if status.is_redirection() {
            let to = header(LOCATION).unwrap_or_else(|| "nowhere".to_owned());
            return (HttpError::Redirected(without_query(&to)), Vec::new());
        }
        let challenge = header(reqwest::header::WWW_AUTHENTICATE);
        let body = timeout(ACCEPTED, self.body(response, FAILURE_BYTES)).await;
        let body = body.ok().and_then(Result::ok).unwrap_or_default();
        let excerpt = printable(String::from_utf8_lossy(&body).trim(), 300);
        (HttpError::Status { status: status.as_u16(), body: excerpt, challenge }, body)
    }

    async fn body(&self, response: Response, limit: usize) -> Result<Vec<u8>, HttpError> {
        let mut pieces = response.bytes_stream();
        let mut body = Vec::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| HttpError::BrokenOff(reason(error)))?;
            if body.len() + piece.len() > limit {
                return Err(HttpError::TooLong(limit));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }
}

/// Follows what keeps method, body and host; anything else is handed back as it is.
fn stay_on_host(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_method =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let stays =
        attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
    if keeps_method && stays && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, HttpError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let invalid =
            || HttpError::Invalid(format!("the header `{}` is not valid", printable(name, 80)));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid())?;
        value.set_sensitive(true);
        map.append(key, value);
    }
    Ok(map)
}

fn content_type(response: &Response) -> String {
    let value = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.unwrap_or("no content type").split(';').next().unwrap_or_default();
    kind.trim().to_ascii_lowercase()
}

/// A server that took the request and then left was reached, and may have acted on it.
fn unsent(error: reqwest::Error) -> HttpError {
    if error.is_connect() || error.is_builder() {
        HttpError::Unreachable(reason(error))
    } else {
        HttpError::BrokenOff(reason(error))
    }
}

/// The innermost cause, without the address: its query may hold a secret.
fn reason(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    printable(&cause.to_string(), 300)
}

fn without_query(address: &str) -> String {
    address.split(['?', '#']).next().unwrap_or_default().to_owned()
}
