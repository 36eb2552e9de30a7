//! A request of a host on its way at a server, and what comes for the host meanwhile.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use callsign_wire::Era;
use serde_json::value::RawValue;
use tokio::sync::Notify;

use crate::downstream::{Asker, Host, needed_for, rank};
use crate::params::Members;

/// A request of a host that a server is working on.
///
/// What the server sends meanwhile is put here by the task that reads the server, so that it is here before the answer is;
/// the task that waits for the answer brings it to the host.
#[derive(Debug)]
pub(crate) struct Errand {
    /// Whose request it is.
    pub(crate) host: Arc<Host>,
    /// The era that this request follows.
    pub(crate) era: Era,
    /// The host's own progress token, raw.
    token: Mutex<Option<Arc<str>>>,
    /// What a host of the stateless era offers with this request, raw.
    offered: OnceLock<Box<str>>,
    /// The least severe level of log messages that it wants for this request.
    log_level: OnceLock<Box<str>>,
    capacity: usize,
    post: Mutex<Post>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Post {
    messages: VecDeque<String>,
    posed: VecDeque<Posed>,
    cancelled: Option<Box<str>>,
    dropped: u64,
}

/// What happened to an errand before its answer came.
#[derive(Debug)]
pub(crate) enum Event {
    /// A whole message for the host, to be sent on the stream of its request.
    Message(String),
    /// The server asks something that only another request of the host can answer.
    Posed(Posed),
    /// The host gave the request up, for this reason (raw JSON).
    Cancelled(Box<str>),
}

/// A question of a server of the handshake era to a host of the other, which is asked by the result of its request.
#[derive(Debug)]
pub(crate) struct Posed {
    pub(crate) asker: Asker,
    pub(crate) method: String,
    pub(crate) params: Option<Box<RawValue>>,
}

impl Errand {
    /// `capacity` is how many messages may wait for the host.
    pub(crate) fn new(host: Arc<Host>, era: Era, capacity: usize) -> Self {
        let (post, arrived) = (Mutex::default(), Notify::new());
        let (token, offered, log_level) = (Mutex::default(), OnceLock::new(), OnceLock::new());
        Self { host, era, token, offered, log_level, capacity, post, arrived }
    }

    /// Notes the host's own progress token.
    pub(crate) fn set_token(&self, token: &str) {
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.into());
    }

    /// Notes what the host offers with this request.
    pub(crate) fn set_offered(&self, capabilities: &str) {
        // A request says it once.
        let _ = self.offered.set(capabilities.into());
    }

    /// Notes which log messages the host wants for this request.
    pub(crate) fn set_log_level(&self, level: &str) {
        // A request says it once.
        let _ = self.log_level.set(level.into());
    }

    /// Whether the host wants a log message of this level that belongs to this request. In the stateless era it gets none
    /// unless the request says so.
    pub(crate) fn wants_log(&self, level: &str) -> bool {
        match self.era {
            Era::Handshake => self.host.wants_log(level),
            Era::Stateless => self.log_level.get().is_some_and(|least| rank(level) >= rank(least)),
        }
    }

    /// Whether the host can be asked this by the result of its request.
    pub(crate) fn can_be_posed(&self, method: &str) -> bool {
        let offered = self.offered.get().and_then(|raw| Members::read(raw));
        self.era == Era::Stateless
            && needed_for(method).is_some_and(|needed| {
                offered.and_then(|it| it.get(needed)).is_some_and(|raw| raw != "null")
            })
    }

    /// The host's own progress token, if it wants to hear of progress.
    pub(crate) fn token(&self) -> Option<Arc<str>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
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

    /// Takes a question that the host is to be asked by the result of its request.
    pub(crate) fn pose(&self, posed: Posed) {
        self.post().posed.push_back(posed);
        self.arrived.notify_one();
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
        let message = post.messages.pop_front().map(Event::Message);
        message.or_else(|| post.posed.pop_front().map(Event::Posed))
    }

    fn post(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use callsign_wire::serve::{Limits, serve_lines};

    use super::*;
    use crate::downstream::Hosts;

    #[tokio::test]
    async fn a_full_errand_takes_no_more_and_a_cancellation_goes_first() {
        let (_theirs, ours) = tokio::io::duplex(64);
        let (reader, writer) = tokio::io::split(ours);
        let service = serve_lines(reader, writer, Limits::default());
        let errand = Errand::new(Hosts::new(1).of(&service.session), Era::Handshake, 2);
        assert!(errand.push("1".to_owned()) && errand.push("2".to_owned()));
        assert!(!errand.push("3".to_owned()), "two wait");
        assert!(matches!(errand.next().await, Event::Message(first) if first == "1"));
        errand.cancel("\"r\"");
        errand.cancel("\"later\"");
        assert!(matches!(errand.next().await, Event::Cancelled(reason) if &*reason == "\"r\""));
    }

    #[tokio::test]
    async fn a_host_is_asked_by_results_only_what_its_request_offers() {
        let (_theirs, ours) = tokio::io::duplex(64);
        let (reader, writer) = tokio::io::split(ours);
        let host = Hosts::new(1).of(&serve_lines(reader, writer, Limits::default()).session);
        let errand = Errand::new(host, Era::Stateless, 2);
        assert!(!errand.can_be_posed("roots/list") && !errand.wants_log("error"));
        errand.set_offered(r#"{"roots":{},"sampling":null}"#);
        errand.set_log_level("warning");
        assert!(errand.can_be_posed("roots/list"));
        assert!(!errand.can_be_posed("sampling/createMessage") && !errand.can_be_posed("x/y"));
        assert!(errand.wants_log("error") && !errand.wants_log("info"));
    }
}
