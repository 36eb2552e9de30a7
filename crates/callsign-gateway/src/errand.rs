//! A request of a host on its way at a server, and what comes for the host meanwhile.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio::sync::Notify;

use crate::downstream::Host;

/// A request of a host that a server is working on.
///
/// What the server sends meanwhile is put here by the task that reads the server, so that it is here before the answer is;
/// the task that waits for the answer brings it to the host.
#[derive(Debug)]
pub(crate) struct Errand {
    /// Whose request it is.
    pub(crate) host: Arc<Host>,
    /// The host's own progress token, raw.
    token: OnceLock<Box<str>>,
    capacity: usize,
    post: Mutex<Post>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Post {
    messages: VecDeque<String>,
    cancelled: Option<Box<str>>,
    dropped: u64,
}

/// What happened to an errand before its answer came.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A whole message for the host, to be sent on the stream of its request.
    Message(String),
    /// The host gave the request up, for this reason (raw JSON).
    Cancelled(Box<str>),
}

impl Errand {
    /// `capacity` is how many messages may wait for the host.
    pub(crate) fn new(host: Arc<Host>, capacity: usize) -> Self {
        let (post, arrived) = (Mutex::default(), Notify::new());
        Self { host, token: OnceLock::new(), capacity, post, arrived }
    }

    /// Notes the host's own progress token.
    pub(crate) fn set_token(&self, token: &str) {
        // A request is carried to one server, so there is one token.
        let _ = self.token.set(token.into());
    }

    /// The host's own progress token, if it wants to hear of progress.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.get().map(|token| &**token)
    }

    /// Takes a message for the host; `false` if as many wait as may.
    pub(crate) fn push(&self, message: String) -> bool {
        let mut post = self.post();
        if post.messages.len() >= self.capacity {
            post.dropped += 1;
            return false;
        }
        post.messages.push_back(message);
        drop(post);
        self.arrived.notify_one();
        true
    }

    /// The host does not wait any more.
    pub(crate) fn cancel(&self, reason: &str) {
        self.post().cancelled.get_or_insert_with(|| reason.into());
        self.arrived.notify_one();
    }

    /// What happens next. A cancellation goes before messages.
    pub(crate) async fn next(&self) -> Event {
        loop {
            let arrived = self.arrived.notified();
            if let Some(event) = self.take() {
                return event;
            }
            arrived.await;
        }
    }

    /// What has happened and was not taken yet.
    pub(crate) fn take(&self) -> Option<Event> {
        let mut post = self.post();
        if let Some(reason) = post.cancelled.clone() {
            return Some(Event::Cancelled(reason));
        }
        post.messages.pop_front().map(Event::Message)
    }

    fn post(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
