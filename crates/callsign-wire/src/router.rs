//! Brings what a peer sends to who waits for it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::bounds::{KEPT_JUNK, KEPT_JUNK_CHARACTERS};
use crate::message::{
    Id, Key, Malformed, MeantFor, Message, Notification, Request, Response, RpcError, View,
    is_batch, meant_for, parse_frame, view, without_mark, write_error, write_result,
};
use crate::text::printable;

/// JSON-RPC's "method not found".
pub const METHOD_NOT_FOUND: i64 = -32601;
/// JSON-RPC's "internal error".
const INTERNAL_ERROR: i64 = -32603;

/// Why a connection carries nothing any more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Closed {
    /// The peer closed its side.
    #[error("the server closed the connection")]
    Ended,
    /// The stream could not be read.
    #[error("reading from the server failed: {0}")]
    Read(String),
    /// The stream could not be written.
    #[error("writing to the server failed: {0}")]
    Write(String),
    /// The peer sent a line longer than the limit.
    #[error("the server sent a line longer than {0} bytes")]
    LineTooLong(usize),
    /// We closed it.
    #[error("the connection was closed")]
    ByUs,
}

/// A request or notification of the peer.
#[derive(Debug)]
pub struct Incoming {
    /// The message.
    pub message: IncomingMessage,
    /// The id of our own request on whose reply stream it came. Only transports with a stream a request (Streamable
    /// HTTP) know it.
    pub during: Option<Id>,
}

/// What a peer can send on its own account.
#[derive(Debug)]
pub enum IncomingMessage {
    /// Wants an answer by [`Connection::respond`](crate::Connection::respond).
    Request(Request),
    /// Wants none.
    Notification(Notification),
}

/// What happens to requests and notifications of the peer. `ping` is answered by the connection in either case.
#[derive(Debug, Clone)]
pub enum Inbound {
    /// Requests are refused at once with "method not found", so that no peer waits; notifications are dropped.
    Refuse,
    /// They are put into this channel. When it is full, a notification is dropped and counted and a request is refused:
    /// the connection never waits for its reader.
    Deliver(mpsc::Sender<Incoming>),
    /// They are heard one by one, in the order in which they came.
    Hear(Arc<dyn Ear>),
}

/// Hears what a peer sends on its own account.
///
/// It is called by the task that reads the connection, between two messages: what the peer sent before an answer has been
/// heard when the answer is there. So it must not wait.
pub trait Ear: fmt::Debug + Send + Sync {
    /// Takes a request or notification.
    ///
    /// # Errors
    /// The answer to a request that is refused at once; for a notification it means that it was dropped.
    fn hear(&self, incoming: Incoming) -> Result<(), RpcError>;
}

/// What a connection has seen that is no answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// Lines or events that are no message.
    pub junk: usize,
    /// The first of them, printable and cut.
    pub junk_excerpts: Vec<String>,
    /// Notifications, delivered or not.
    pub notifications: usize,
    /// Notifications lost because the channel was full.
    pub dropped: usize,
    /// Requests of the peer that were refused.
    pub refused: usize,
    /// Answers to nothing that is open.
    pub strays: usize,
}

/// Where a frame came from. It says which request an answer without an id belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// The one stream that carries everything.
    Lines,
    /// The reply to this request of ours alone.
    ReplyTo(&'a Id),
    /// A stream that belongs to no request.
    Unasked,
}

impl Source<'_> {
    fn during(self) -> Option<Id> {
        match self {
            Self::ReplyTo(id) => Some(id.clone()),
            Self::Lines | Self::Unasked => None,
        }
    }
}

pub(crate) type Outcome = Result<Result<Box<RawValue>, RpcError>, Lost>;

/// Why an answer does not come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The connection is gone.
    Closed(Closed),
    /// It came, and can't be read.
    Unreadable(Malformed),
}

#[derive(Debug)]
pub(crate) struct Router {
    state: Mutex<State>,
    inbound: Inbound,
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Open requests by what their ids say.
    open: HashMap<Key, Waiting>,
    /// How many were opened so far.
    opened: u64,
    /// Whether the lifecycle has settled on a revision.
    is_settled: bool,
    closed: Option<Closed>,
    seen: Seen,
}

#[derive(Debug)]
struct Waiting {
    answer: oneshot::Sender<Outcome>,
    /// How many were opened before it.
    since: u64,
}

impl Router {
    pub(crate) fn new(inbound: Inbound) -> Self {
        Self { state: Mutex::default(), inbound, ended: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens a place for the answer to `id`.
    pub(crate) fn open(&self, id: &Id) -> Result<oneshot::Receiver<Outcome>, Closed> {
        let mut state = self.state();
        if let Some(closed) = &state.closed {
            return Err(closed.clone());
        }
        let (answer, receiver) = oneshot::channel();
        let since = state.opened;
        state.opened += 1;
        state.open.insert(Key::of(id.raw()), Waiting { answer, since });
        Ok(receiver)
    }

    /// From now on the caller's own requests are under way, in any number and order.
    pub(crate) fn settle(&self) {
        self.state().is_settled = true;
    }

    /// Gives the place up; an answer that comes later is a stray.
    pub(crate) fn forget(&self, id: &Id) {
        let given_up = self.state().take(&Key::of(id.raw()));
        // Dropped when the state is free again.
        drop(given_up);
    }

    /// Whether the request still waits for its answer.
    pub(crate) fn is_open(&self, id: &Id) -> bool {
        self.state().open.contains_key(&Key::of(id.raw()))
    }

    pub(crate) fn closed(&self) -> Option<Closed> {
        self.state().closed.clone()
    }

    pub(crate) fn seen(&self) -> Seen {
        self.state().seen.clone()
    }

    /// Ends every open request with the reason. The first reason stands.
    pub(crate) fn close(&self, reason: Closed) {
        let waiting = {
            let mut state = self.state();
            let reason = state.closed.get_or_insert(reason).clone();
            std::mem::take(&mut state.open).into_values().map(move |open| (open, reason.clone()))
        };
        for (open, reason) in waiting {
            // Who no longer waits need not be told.
            let _ = open.answer.send(Err(Lost::Closed(reason)));
        }
        self.ended.notify_waiters();
    }

    /// Waits until the connection is closed.
    pub(crate) async fn ended(&self) -> Closed {
        loop {
            let ended = self.ended.notified();
            if let Some(reason) = self.closed() {
                return reason;
            }
            ended.await;
        }
    }

    /// Takes one frame; gives the answers that must go back at once.
    pub(crate) fn frame(&self, text: &[u8], source: Source<'_>) -> Vec<String> {
        let mut replies = Vec::new();
        if is_batch(text) {
            for message in parse_frame(text) {
                match message {
                    Ok(message) => replies.extend(self.message(message, source)),
                    Err(reason) => self.no_message(text, reason, source),
                }
            }
            return replies;
        }
        match view(without_mark(text)) {
            Ok(View::Answer(answer)) => {
                // The payload is copied for who waits for it only, and while nobody waits for the state.
                match self.awaited(answer.id, source) {
                    Some(open) => drop(open.send(Ok(answer.outcome()))),
                    None => self.state().seen.strays += 1,
                }
            }
            Ok(message) => replies.extend(self.message(message.into_message(), source)),
            Err(reason) => self.no_message(text, reason, source),
        }
        replies
    }

    fn message(&self, message: Message, source: Source<'_>) -> Option<String> {
        match message {
            Message::Response(response) => self.answer(response, source),
            Message::Request(request) => return self.request(request, source),
            Message::Notification(notification) => self.notification(notification, source),
        }
        None
    }

    fn no_message(&self, text: &[u8], reason: Malformed, source: Source<'_>) {
        self.junk(text, &reason);
        self.unreadable(text, reason, source);
    }

    /// Takes the one frame that is the whole reply to a request: what can't be read of it comes no other time, and
    /// nobody else was meant.
    pub(crate) fn whole_answer(&self, text: &[u8], id: &Id) -> Vec<String> {
        let replies = self.frame(text, Source::ReplyTo(id));
        let mut state = self.state();
        let unreadable = || parse_frame(text).into_iter().find_map(Result::err);
        let key = Key::of(id.raw());
        if state.open.contains_key(&key)
            && let Some(reason) = unreadable()
            && let Some(open) = state.take(&key)
        {
            drop(open.send(Err(Lost::Unreadable(reason))));
        }
        replies
    }

    fn junk(&self, text: &[u8], reason: &Malformed) {
        tracing::debug!(%reason, "skipped what is no message");
        let seen = &mut self.state().seen;
        seen.junk += 1;
        if seen.junk_excerpts.len() < KEPT_JUNK {
            let start = &text[..text.len().min(4 * KEPT_JUNK_CHARACTERS)];
            let excerpt = String::from_utf8_lossy(start);
            seen.junk_excerpts.push(printable(excerpt.trim(), KEPT_JUNK_CHARACTERS));
        }
    }

    /// Ends the request that an unreadable message was meant to answer: its answer won't come a second time. Where that
    /// can't be told, one that is open alone is meant.
    fn unreadable(&self, text: &[u8], reason: Malformed, source: Source<'_>) {
        let mut state = self.state();
        let key = match meant_for(text, &reason) {
            MeantFor::Id(id) => Key::of(id.raw()),
            MeantFor::Somebody => match (source, state.only()) {
                (Source::ReplyTo(id), _) => Key::of(id.raw()),
                (Source::Lines, Some(only)) => only,
                _ => return,
            },
            MeantFor::Nobody => return,
        };
        if let Some(open) = state.take(&key) {
            drop(open.send(Err(Lost::Unreadable(reason))));
        }
    }

    pub(crate) fn answer(&self, response: Response, source: Source<'_>) {
        match self.awaited(response.id.as_ref().map(Id::raw), source) {
            Some(open) => drop(open.send(Ok(response.outcome))),
            None => self.state().seen.strays += 1,
        }
    }

    /// Who waits for the answer with this raw id.
    fn awaited(&self, id: Option<&str>, source: Source<'_>) -> Option<oneshot::Sender<Outcome>> {
        let mut state = self.state();
        let key = match id {
            Some(id) => Some(Key::of(id)),
            None => state.nameless(source),
        };
        state.take(&key?)
    }

    fn request(&self, request: Request, source: Source<'_>) -> Option<String> {
        let id = request.id.clone();
        if request.method == "ping" {
            return Some(write_result(&id, &empty_object()));
        }
        let error = match &self.inbound {
            Inbound::Refuse => RpcError::new(METHOD_NOT_FOUND, "this client offers no such method"),
            Inbound::Deliver(channel) => {
                let message = IncomingMessage::Request(request);
                match channel.try_send(Incoming { message, during: source.during() }) {
                    Ok(()) => return None,
                    Err(_) => RpcError::new(INTERNAL_ERROR, "too many requests are waiting"),
                }
            }
            Inbound::Hear(ear) => {
                let message = IncomingMessage::Request(request);
                match ear.hear(Incoming { message, during: source.during() }) {
                    Ok(()) => return None,
                    Err(error) => error,
                }
            }
        };
        self.state().seen.refused += 1;
        Some(write_error(&id, error.raw()))
    }

    fn notification(&self, notification: Notification, source: Source<'_>) {
        let dropped = match &self.inbound {
            Inbound::Refuse => false,
            Inbound::Deliver(channel) => {
                let message = IncomingMessage::Notification(notification);
                channel.try_send(Incoming { message, during: source.during() }).is_err()
            }
            Inbound::Hear(ear) => {
                let message = IncomingMessage::Notification(notification);
                ear.hear(Incoming { message, during: source.during() }).is_err()
            }
        };
        let seen = &mut self.state().seen;
        seen.notifications += 1;
        seen.dropped += usize::from(dropped);
    }
}

impl State {
    /// The request that "I could not read your request" answers. Where only the lines tell, the one that is open alone is
    /// meant; before anything is settled the oldest one, for servers read our few first messages in their order. Later a
    /// guess could end somebody else's call.
    fn nameless(&self, source: Source<'_>) -> Option<Key> {
        match source {
            Source::ReplyTo(id) => Some(Key::of(id.raw())),
            Source::Lines if self.is_settled => self.only(),
            Source::Lines => self.oldest(),
            Source::Unasked => None,
        }
    }

    /// The request that is open alone.
    fn only(&self) -> Option<Key> {
        self.open.keys().next().filter(|_| self.open.len() == 1).cloned()
    }

    /// The one that is open longest. It is looked for among the few that come before anything is settled.
    fn oldest(&self) -> Option<Key> {
        self.open.iter().min_by_key(|(_, waiting)| waiting.since).map(|(key, _)| key.clone())
    }

    fn take(&mut self, key: &Key) -> Option<oneshot::Sender<Outcome>> {
        self.open.remove(key).map(|waiting| waiting.answer)
    }
}

/// `{}`
pub(crate) fn empty_object() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_error_without_an_id_answers_the_oldest_of_the_first_requests() {
        let router = Router::new(Inbound::Refuse);
        let first = router.open(&Id::text("probe")).unwrap();
        let second = router.open(&Id::number(10)).unwrap();
        router.frame(
            br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#,
            Source::Lines,
        );
        assert_eq!(first.await.unwrap().unwrap().unwrap_err().code(), Some(-32600));
        router.frame(br#"{"jsonrpc":"2.0","id":10.0,"result":[1,  2]}"#, Source::Lines);
        assert_eq!(second.await.unwrap().unwrap().unwrap().get(), "[1,  2]");
    }

    const NAMELESS: &[u8] =
        br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#;

    #[tokio::test]
    async fn an_error_without_an_id_ends_the_request_whose_reply_it_is() {
        let router = Router::new(Inbound::Refuse);
        let (first, second) = (Id::number(1), Id::number(2));
        let (_one, two) = (router.open(&first).unwrap(), router.open(&second).unwrap());
        router.frame(NAMELESS, Source::ReplyTo(&second));
        assert_eq!(two.await.unwrap().unwrap().unwrap_err().code(), Some(-32600));
        router.frame(NAMELESS, Source::Unasked);
        assert!(router.is_open(&first), "it is open alone, and nobody replied to it");
        router.frame(br#"{"jsonrpc":"2.0","id":null,"result":{}}"#, Source::Unasked);
        assert!(router.is_open(&first));
        assert_eq!(router.seen().strays, 1);
    }

    #[tokio::test]
    async fn over_lines_an_error_without_an_id_ends_no_call_that_is_not_alone() {
        let router = Router::new(Inbound::Refuse);
        router.settle();
        let (first, second) = (Id::number(1), Id::number(2));
        let (one, _two) = (router.open(&first).unwrap(), router.open(&second).unwrap());
        router.frame(NAMELESS, Source::Lines);
        assert!(router.is_open(&first) && router.is_open(&second));
        router.forget(&second);
        router.frame(NAMELESS, Source::Lines);
        assert_eq!(one.await.unwrap().unwrap().unwrap_err().code(), Some(-32600));
    }

    #[tokio::test]
    async fn an_unreadable_reply_without_an_id_ends_its_own_request() {
        let router = Router::new(Inbound::Refuse);
        let (first, second) = (Id::number(1), Id::number(2));
        let (_one, two) = (router.open(&first).unwrap(), router.open(&second).unwrap());
        router.frame(br#"{"jsonrpc":"2.0","id":null,"result":{}}"#, Source::ReplyTo(&second));
        assert_eq!(two.await.unwrap().unwrap_err(), Lost::Unreadable(Malformed::BadId));
        assert!(router.is_open(&first));
    }

    #[tokio::test]
    async fn an_answer_that_cannot_be_read_ends_its_request() {
        let router = Router::new(Inbound::Refuse);
        let (first, second) =
            (router.open(&Id::number(1)).unwrap(), router.open(&Id::number(2)).unwrap());
        let nameless = br#"{"jsonrpc":"2.0","id":null,"result":{}}"#;
        router.frame(nameless, Source::Lines);
        router.frame(br#"{"jsonrpc":"2.0","id":1}"#, Source::Lines);
        assert_eq!(first.await.unwrap().unwrap_err(), Lost::Unreadable(Malformed::NoKind));
        assert!(router.is_open(&Id::number(2)), "with two open, it could be either's");
        router.frame(br#"{"jsonrpc":"2.0","id":"#, Source::Lines);
        assert!(router.is_open(&Id::number(2)), "a piece of a message among logs is no answer");
        router.frame(nameless, Source::Lines);
        assert_eq!(second.await.unwrap().unwrap_err(), Lost::Unreadable(Malformed::BadId));
    }

    #[tokio::test]
    async fn a_whole_reply_that_can_not_be_read_ends_its_request_and_no_other() {
        let router = Router::new(Inbound::Refuse);
        let (first, _second) =
            (router.open(&Id::number(1)).unwrap(), router.open(&Id::number(2)).unwrap());
        router.whole_answer(br#"{"jsonrpc":"2.0","id":7,"result":{}}"#, &Id::number(1));
        assert!(router.is_open(&Id::number(1)), "a message, if not ours");
        router.whole_answer(br#"{"jsonrpc":"2.0","id":1,"resu"#, &Id::number(1));
        let lost = first.await.unwrap().unwrap_err();
        assert!(matches!(lost, Lost::Unreadable(Malformed::NotAnObject(_))));
        assert!(router.is_open(&Id::number(2)));
    }

    #[test]
    fn requests_of_the_peer_are_answered_at_once_and_notifications_only_counted() {
        let router = Router::new(Inbound::Refuse);
        let pong = router.frame(br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#, Source::Lines);
        assert_eq!(pong, [r#"{"jsonrpc":"2.0","id":"p","result":{}}"#]);
        let refusal =
            router.frame(br#"{"jsonrpc":"2.0","id":5,"method":"roots/list"}"#, Source::Lines);
        assert!(refusal[0].starts_with(r#"{"jsonrpc":"2.0","id":5,"error":{"code":-32601"#));
        assert!(router.frame(br#"{"jsonrpc":"2.0","method":"x"}"#, Source::Lines).is_empty());
        assert!(router.frame(b"Listening\x1b[0m", Source::Lines).is_empty());
        let seen = router.seen();
        assert_eq!((seen.junk, seen.notifications, seen.refused, seen.strays), (1, 1, 1, 0));
        assert_eq!(seen.junk_excerpts, [r"Listening\u{1b}[0m"]);
    }

    #[tokio::test]
    async fn a_full_channel_refuses_requests_and_counts_lost_notifications() {
        let (sender, mut channel) = mpsc::channel(1);
        let router = Router::new(Inbound::Deliver(sender));
        let request = br#"{"jsonrpc":"2.0","id":5,"method":"roots/list"}"#;
        assert!(router.frame(request, Source::ReplyTo(&Id::number(3))).is_empty());
        assert_eq!(router.frame(request, Source::Lines).len(), 1);
        router.frame(br#"{"jsonrpc":"2.0","method":"x"}"#, Source::Lines);
        assert_eq!(channel.recv().await.unwrap().during, Some(Id::number(3)));
        assert_eq!((router.seen().dropped, router.seen().refused), (1, 1));
    }

    #[tokio::test]
    async fn closing_ends_what_waits_and_the_first_reason_stands() {
        let router = Router::new(Inbound::Refuse);
        let waiting = router.open(&Id::number(1)).unwrap();
        router.close(Closed::Ended);
        router.close(Closed::ByUs);
        assert_eq!(waiting.await.unwrap().unwrap_err(), Lost::Closed(Closed::Ended));
        assert_eq!(router.open(&Id::number(2)).unwrap_err(), Closed::Ended);
    }
}
