//! A connection to one peer: requests out, answers back by id, and what the peer sends on its own.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::oneshot;

use crate::bounds::Bounds;
use crate::http::{Endpoint, HttpError, HttpLink};
use crate::lifecycle::{Era, Spoken};
use crate::line_link::LineLink;
use crate::message::{
    Id, Malformed, RpcError, write_error, write_notification, write_request, write_result,
};
use crate::router::{Closed, Inbound, Lost, Outcome, Router, Seen};

/// Why a request has no result.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The peer answered with an error.
    #[error("the server answered with an error: {0}")]
    Refused(RpcError),
    /// The connection is gone.
    #[error(transparent)]
    Closed(#[from] Closed),
    /// The answer came and can't be read.
    #[error("the server's answer can't be read: {0}")]
    Unreadable(Malformed),
    /// The exchange over HTTP failed.
    #[error(transparent)]
    Http(#[from] HttpError),
}

/// A connection to one peer; a clone is the same connection.
///
/// ```
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
/// # runtime.block_on(async {
/// use callsign_wire::{Bounds, Connection, Inbound};
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
///
/// let (ours, theirs) = tokio::io::duplex(4096);
/// let (reader, writer) = tokio::io::split(ours);
/// let connection = Connection::over_lines(reader, writer, Inbound::Refuse, Bounds::default());
///
/// let server = async {
///     let mut theirs = BufReader::new(theirs);
///     let mut line = String::new();
///     theirs.read_line(&mut line).await.unwrap();
///     assert_eq!(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ask\"}\n");
///     theirs.write_all(b"noise\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1e999}}\n").await.unwrap();
/// };
/// let (answer, ()) = tokio::join!(connection.request("ask", None), server);
/// assert_eq!(answer.unwrap().get(), r#"{"n":1e999}"#);
/// assert_eq!(connection.seen().junk, 1);
/// # });
/// ```
#[derive(Debug, Clone)]
pub struct Connection(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    link: Link,
    router: Arc<Router>,
    spoken: RwLock<Option<Arc<Spoken>>>,
    last_id: AtomicU64,
}

#[derive(Debug)]
enum Link {
    Lines(LineLink),
    Http(HttpLink),
}

impl Connection {
    /// A connection over two streams, one message a line. Must be called within a Tokio runtime: two tasks move the
    /// lines until the last clone of the connection is dropped.
    pub fn over_lines(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        inbound: Inbound,
        bounds: Bounds,
    ) -> Self {
        let router = Arc::new(Router::new(inbound));
        let link = LineLink::open(reader, writer, Arc::clone(&router), bounds);
        Self::with(Link::Lines(link), router)
    }

    /// A connection by Streamable HTTP. Nothing is sent yet.
    ///
    /// # Errors
    /// The address or a header is not valid, or TLS can't be set up.
    pub fn over_http(
        endpoint: &Endpoint,
        inbound: Inbound,
        bounds: Bounds,
    ) -> Result<Self, HttpError> {
        let router = Arc::new(Router::new(inbound));
        let link = HttpLink::open(endpoint, Arc::clone(&router), bounds)?;
        Ok(Self::with(Link::Http(link), router))
    }

    fn with(link: Link, router: Arc<Router>) -> Self {
        let (spoken, last_id) = (RwLock::default(), AtomicU64::default());
        Self(Arc::new(Shared { link, router, spoken, last_id }))
    }

    /// What the lifecycle settled on; `None` before it did.
    #[must_use]
    pub fn spoken(&self) -> Option<Spoken> {
        self.settled().as_deref().cloned()
    }

    /// The same, shared.
    fn settled(&self) -> Option<Arc<Spoken>> {
        self.0.spoken.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Settles which revision later messages are in.
    pub(crate) fn speak(&self, spoken: Spoken) {
        *self.0.spoken.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(spoken));
        self.0.router.settle();
    }

    /// Whether the connection is by HTTP.
    #[must_use]
    pub fn is_http(&self) -> bool {
        matches!(self.0.link, Link::Http(_))
    }

    pub(crate) fn http(&self) -> Option<&HttpLink> {
        match &self.0.link {
            Link::Http(link) => Some(link),
            Link::Lines(_) => None,
        }
    }

    /// Junk, notifications and the like so far.
    #[must_use]
    pub fn seen(&self) -> Seen {
        self.0.router.seen()
    }

    /// Why the connection is gone, if it is.
    #[must_use]
    pub fn closed(&self) -> Option<Closed> {
        self.0.router.closed()
    }

    /// Waits until the connection is gone, and says why. Over HTTP, where each exchange stands for itself, only
    /// [`close`](Self::close) ends it.
    pub async fn ended(&self) -> Closed {
        self.0.router.ended().await
    }

    /// Hears what the server sends outside any exchange, until its stream ends. Over lines that is heard anyway, and this
    /// never returns; over HTTP it is a stream of its own, which only the handshake era has.
    ///
    /// # Errors
    /// The server has no such stream (status 405), or it fails.
    pub async fn hear(&self) -> Result<(), RequestError> {
        match &self.0.link {
            Link::Lines(_) => Err(self.ended().await.into()),
            Link::Http(link) => Ok(link.hear(self.settled().as_deref()).await?),
        }
    }

    /// Sends a request and waits for its answer. Dropping the future gives the answer up (see [`Call`]).
    ///
    /// # Errors
    /// The peer refuses, or the connection does not carry the request or its answer.
    pub async fn request(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Box<RawValue>, RequestError> {
        self.call(method, params).await?.answer().await
    }

    /// Sends a request; its answer is waited for separately. Over HTTP it leaves when [`Call::answer`] is first polled,
    /// since there request and answer are one exchange.
    ///
    /// Once the lifecycle has settled on the stateless era, `params._meta` is given the members that era asks for.
    ///
    /// # Errors
    /// The connection is gone.
    pub async fn call(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Call, RequestError> {
        let id = Id::number(self.0.last_id.fetch_add(1, Ordering::Relaxed) + 1);
        match self.settled().filter(|spoken| spoken.era == Era::Stateless) {
            Some(spoken) => self.call_as(id, method, spoken.fill(params).as_deref()).await,
            None => self.call_as(id, method, params).await,
        }
    }

    /// Sends a request under an id of the caller's choice, its parameters as they are.
    pub(crate) async fn call_as(
        &self,
        id: Id,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Call, RequestError> {
        let answer = self.0.router.open(&id)?;
        let mut call = Call {
            connection: self.clone(),
            id,
            answer: Some(answer),
            method: String::new(),
            params: None,
            headers: Vec::new(),
        };
        match &self.0.link {
            Link::Lines(link) => link.send(write_request(&call.id, method, params)).await?,
            Link::Http(_) => {
                call.method = method.to_owned();
                call.params = params.map(ToOwned::to_owned);
            }
        }
        Ok(call)
    }

    /// Sends a notification.
    ///
    /// # Errors
    /// The connection does not carry it.
    pub async fn notify(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<(), RequestError> {
        self.post(write_notification(method, params)).await
    }

    /// Answers a request of the peer.
    ///
    /// # Errors
    /// The connection does not carry the answer.
    pub async fn respond(
        &self,
        id: &Id,
        outcome: Result<&RawValue, &RpcError>,
    ) -> Result<(), RequestError> {
        self.post(match outcome {
            Ok(result) => write_result(id, result),
            Err(error) => write_error(id, error.raw()),
        })
        .await
    }

    async fn post(&self, message: String) -> Result<(), RequestError> {
        match &self.0.link {
            Link::Lines(link) => Ok(link.send(message).await?),
            Link::Http(link) => Ok(link.post(message, self.settled().as_deref()).await?),
        }
    }

    /// Ends the connection: over lines what was sent is written out and our side closed (which asks a server to leave);
    /// over HTTP a session is ended. Open requests end with [`Closed::ByUs`].
    pub async fn close(&self) {
        match &self.0.link {
            Link::Lines(link) => link.close(),
            Link::Http(link) => link.end_session(self.settled().as_deref()).await,
        }
        self.0.router.close(Closed::ByUs);
    }
}

/// A request under way. Dropping it gives the answer up: over lines the peer is not told (send
/// `notifications/cancelled` for that), over HTTP the exchange is broken off, which the stateless era reads as a
/// cancellation.
#[derive(Debug)]
pub struct Call {
    connection: Connection,
    id: Id,
    answer: Option<oneshot::Receiver<Outcome>>,
    /// What is sent once the answer is waited for, over HTTP.
    method: String,
    params: Option<Box<RawValue>>,
    headers: Vec<(String, String)>,
}

impl Call {
    /// The id the request has on this connection, for progress and cancellation.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Adds a header to the exchange, where the connection is by HTTP (`Mcp-Param-*`). The value is encoded as the
    /// protocol asks for: see [`header_value`](crate::http::header_value).
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), crate::http::header_value(value)));
        self
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// The peer refuses, or the connection does not carry the request or its answer.
    pub async fn answer(mut self) -> Result<Box<RawValue>, RequestError> {
        let Some(answer) = self.answer.take() else { return Err(Closed::ByUs.into()) };
        let exchange = async {
            match &self.connection.0.link {
                Link::Lines(_) => std::future::pending().await,
                Link::Http(link) => {
                    let spoken = self.connection.settled();
                    let params = self.params.as_deref();
                    link.exchange(&self.id, &self.method, params, &self.headers, spoken.as_deref())
                        .await
                }
            }
        };
        tokio::select! {
            biased;
            outcome = answer => match outcome {
                Ok(Ok(Ok(result))) => Ok(result),
                Ok(Ok(Err(error))) => Err(RequestError::Refused(error)),
                Ok(Err(Lost::Closed(closed))) => Err(closed.into()),
                Ok(Err(Lost::Unreadable(reason))) => Err(RequestError::Unreadable(reason)),
                Err(_) => Err(Closed::ByUs.into()),
            },
            failure = exchange => Err(failure.into()),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.connection.0.router.forget(&self.id);
    }
}
