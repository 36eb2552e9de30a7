use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::Session;
use super::http::Piece;
use super::refusal::INTERNAL_ERROR;
use crate::lifecycle::Era;
use crate::message::{Id, RpcError, write_error, write_result};

/// The host can't be told any more: it closed its stream, or the session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the host no longer listens")]
pub struct Gone;

/// The way back to who sent a request. Every request gets exactly one answer: dropping this without one answers with an
/// internal error, so that no host waits for ever.
#[derive(Debug)]
pub struct Reply {
    id: Id,
    session: Session,
    way: Option<Way>,
    /// Given back when the request is answered.
    _place: OwnedSemaphorePermit,
}

#[derive(Debug)]
pub(super) enum Way {
    Lines(mpsc::Sender<String>),
    /// The stream of one POST.
    Http(mpsc::Sender<Piece>, Era),
}

impl Reply {
    pub(super) fn new(id: Id, session: Session, way: Way, place: OwnedSemaphorePermit) -> Self {
        Self { id, session, way: Some(way), _place: place }
    }

    /// The request's id, as its sender spelled it.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.id
    }

    /// Sends a whole message (a notification, or in the handshake era a request) before the answer: over lines among all
    /// others, over HTTP on this request's own stream, which it begins. Waits while the host does not read.
    ///
    /// # Errors
    /// The host no longer listens; what happens to the request is the caller's decision, see
    /// [`abandoned`](Self::abandoned).
    pub async fn send(&mut self, message: String) -> Result<(), Gone> {
        match &self.way {
            Some(Way::Lines(queue)) => queue.send(message).await.map_err(|_| Gone),
            Some(Way::Http(pieces, _)) => pieces.send(Piece::Said(message)).await.map_err(|_| Gone),
            None => Err(Gone),
        }
    }

    /// Answers with the raw result or the error, under the request's id. Waits while the host does not read.
    ///
    /// # Errors
    /// The host no longer listens.
    pub async fn finish(mut self, outcome: Result<&RawValue, &RpcError>) -> Result<(), Gone> {
        let message = match outcome {
            Ok(result) => write_result(&self.id, result),
            Err(error) => write_error(&self.id, error.raw()),
        };
        match self.way.take() {
            Some(Way::Lines(queue)) => queue.send(message).await.map_err(|_| Gone),
            Some(Way::Http(pieces, _)) => {
                let error = outcome.err().map(|error| error.code().unwrap_or(0));
                pieces.send(Piece::Answer { message, error }).await.map_err(|_| Gone)
            }
            None => Err(Gone),
        }
    }

    /// Gives no answer: the host cancelled the request and waits for none.
    pub fn withhold(mut self) {
        self.way = None;
    }

    /// Waits until the answer is of no use. In the stateless era over HTTP: the host closed the stream, which cancels
    /// the request. Over lines: the host no longer reads, which a write shows. Over HTTP in the handshake era, where
    /// closing a stream is no cancellation: the session is over.
    pub async fn abandoned(&self) {
        match &self.way {
            Some(Way::Lines(queue)) => queue.closed().await,
            Some(Way::Http(pieces, Era::Stateless)) => pieces.closed().await,
            Some(Way::Http(_, Era::Handshake)) | None => self.session.over().await,
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        let Some(way) = self.way.take() else { return };
        let error = RpcError::new(INTERNAL_ERROR, "the request was given up without an answer");
        let message = write_error(&self.id, error.raw());
        match way {
            Way::Lines(queue) => send_or_wait(queue, message),
            Way::Http(pieces, _) => {
                send_or_wait(pieces, Piece::Answer { message, error: error.code() });
            }
        }
    }
}

/// Sends from where nobody can wait. Where there is no room, a task waits: one a request at most, and requests are
/// bounded.
fn send_or_wait<T: Send + 'static>(queue: mpsc::Sender<T>, item: T) {
    if let Err(mpsc::error::TrySendError::Full(item)) = queue.try_send(item)
        && let Ok(runtime) = tokio::runtime::Handle::try_current()
    {
        runtime.spawn(async move { drop(queue.send(item).await) });
    }
}
