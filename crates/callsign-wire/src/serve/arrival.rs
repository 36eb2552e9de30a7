use tokio::sync::mpsc;

use super::{Ending, Headers, Reply, Session};
use crate::lifecycle::Era;
use crate::message::{Notification, Request, Response};

/// What a host sent.
#[derive(Debug)]
pub enum Arrival {
    /// It wants an answer.
    Request(Exchange),
    /// It wants none.
    Notification(Notification, Context),
    /// It answers a request of ours, which was sent by [`Reply::send`] or [`Session::send`].
    Response(Response, Context),
    /// Nothing of this session arrives any more. Requests of it that are under way may still be answered where the host
    /// still reads.
    Ended(Session, Ending),
}

/// A request, what is known around it, and the way back.
#[derive(Debug)]
pub struct Exchange {
    /// The request: the id as it was spelled, the parameters raw.
    pub request: Request,
    /// Who sent it, and how.
    pub context: Context,
    /// The way back to its sender.
    pub reply: Reply,
}

/// What is known of a message beside its text.
#[derive(Debug, Clone)]
pub struct Context {
    /// The session it belongs to.
    pub session: Session,
    /// The lifecycle it follows: stateless if its `params._meta` names a revision, which its body alone decides.
    /// Notifications and answers are of the handshake era; the other has none that a host sends over HTTP, and over
    /// lines they don't say.
    pub era: Era,
    /// What the headers say, where it came by HTTP.
    pub headers: Option<Headers>,
}

/// What hosts sent, in the order in which it came.
#[derive(Debug)]
pub struct Arrivals(mpsc::Receiver<Arrival>);

impl Arrivals {
    pub(super) fn channel(limit: usize) -> (mpsc::Sender<Arrival>, Self) {
        let (sender, receiver) = mpsc::channel(limit.max(1));
        (sender, Self(receiver))
    }

    /// The next one; `None` once nothing can arrive any more. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Arrival> {
        self.0.recv().await
    }
}
