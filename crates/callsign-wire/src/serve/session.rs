use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use super::Limits;
use super::http::Kept;

/// A session's number, never used twice in a process. It is ours: hosts never see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId(u64);

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Who sent a message, where tokens are asked for: the name that was given to the token.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PrincipalId(Arc<str>);

impl PrincipalId {
    /// A principal of this name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.into())
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PrincipalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a session is carried by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// Two streams, one message a line. There is one session, of either era.
    Lines,
    /// Streamable HTTP with a session id, as the handshake era has it.
    HttpSession,
    /// Streamable HTTP without: each request stands for itself. All of one principal's share one session here, which is
    /// no conversation and never ends by itself.
    HttpStateless,
}

/// Why a session is over.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The host closed its stream, or ended the session.
    ByHost,
    /// What the host sends can't be read any more.
    Unreadable(String),
    /// The host no longer reads.
    Unwritable(String),
    /// It was idle for the limit.
    Idle,
    /// It was idle, and another one needed its place.
    Displaced,
    /// Its first request was refused, so it never began.
    NotBegun,
    /// We ended it.
    ByUs,
}

/// Why a message that belongs to no request was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsent {
    /// As many as may be kept for the session's stream are kept; the host has not opened it, or does not read.
    #[error(
        "the host does not read the stream of its session, and no more messages are kept for it"
    )]
    Full,
    /// This carrier has no place for such messages.
    #[error("the host takes messages on the streams of its requests only")]
    NoStream,
    /// The session is over, or the host is gone.
    #[error("the session is over")]
    Ended,
}

/// A host's session; a clone is the same one.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

struct Inner {
    id: SessionId,
    carrier: Carrier,
    principal: Option<PrincipalId>,
    outlet: Outlet,
    places: Arc<Semaphore>,
    place: Duration,
    capacity: usize,
    over: watch::Sender<bool>,
}

/// Where messages go that belong to no request.
pub(super) enum Outlet {
    Lines(mpsc::Sender<String>),
    /// The session's own stream over HTTP.
    Stream(Arc<Kept>),
    None,
}

static LAST: AtomicU64 = AtomicU64::new(0);

impl Session {
    pub(super) fn new(
        carrier: Carrier,
        principal: Option<PrincipalId>,
        outlet: Outlet,
        limits: &Limits,
    ) -> Self {
        let capacity = limits.in_flight.clamp(1, Semaphore::MAX_PERMITS);
        Self(Arc::new(Inner {
            id: SessionId(LAST.fetch_add(1, Ordering::Relaxed) + 1),
            carrier,
            principal,
            outlet,
            places: Arc::new(Semaphore::new(capacity)),
            place: limits.place,
            capacity,
            over: watch::Sender::new(false),
        }))
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.0.id
    }

    /// What carries it.
    #[must_use]
    pub fn carrier(&self) -> Carrier {
        self.0.carrier
    }

    /// Whose it is, where tokens are asked for.
    #[must_use]
    pub fn principal(&self) -> Option<&PrincipalId> {
        self.0.principal.as_ref()
    }

    /// How many of its requests are not answered yet.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.0.capacity - self.0.places.available_permits()
    }

    /// Sends a whole message that belongs to no request: over lines it waits until there is room, over HTTP it is kept
    /// for the session's own stream.
    ///
    /// # Errors
    /// The message is not sent, and won't be.
    pub async fn send(&self, message: String) -> Result<(), Unsent> {
        match &self.0.outlet {
            Outlet::Lines(queue) => queue.send(message).await.map_err(|_| Unsent::Ended),
            Outlet::Stream(_) if self.is_over() => Err(Unsent::Ended),
            Outlet::Stream(kept) => kept.put(message),
            Outlet::None => Err(Unsent::NoStream),
        }
    }

    /// Ends the session: nothing of it arrives any more, and what was sent is still written. It is no
    /// [`Arrival`](super::Arrival), since who ends it knows.
    pub fn end(&self) {
        self.0.over.send_replace(true);
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        *self.0.over.borrow()
    }

    /// Waits until it is over.
    pub async fn over(&self) {
        // The sender lives as long as this session.
        let _ = self.0.over.subscribe().wait_for(|over| *over).await;
    }

    /// A place for one more request, waited for no longer than the limit.
    pub(super) async fn place(&self) -> Option<OwnedSemaphorePermit> {
        let places = Arc::clone(&self.0.places);
        if let Ok(place) = Arc::clone(&places).try_acquire_owned() {
            return Some(place);
        }
        tokio::time::timeout(self.0.place, places.acquire_owned()).await.ok()?.ok()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.0.id.0)
            .field("carrier", &self.0.carrier)
            .field("principal", &self.0.principal)
            .finish_non_exhaustive()
    }
}

impl PartialEq for Session {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for Session {}
