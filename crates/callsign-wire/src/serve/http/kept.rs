use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use futures_util::stream::{Stream, unfold};
use tokio::sync::Notify;

use super::events::{COMMENT, event};
use crate::serve::{Session, Unsent};

/// What a session's own stream has to carry, kept until a host opens it and reads.
pub(in crate::serve) struct Kept {
    state: Mutex<State>,
    capacity: usize,
    wake: Notify,
}

#[derive(Default)]
struct State {
    messages: VecDeque<String>,
    /// How many streams were opened; the last of them is the one that reads.
    opened: u64,
    /// How many of them are not closed.
    open: usize,
    /// Nothing more is taken; what is kept still goes out where a host reads.
    is_ending: bool,
}

enum Next {
    Message(String),
    Nothing,
    /// Nothing, and nothing will come: another stream was opened, or everything ends.
    Over,
}

impl Kept {
    pub(in crate::serve) fn new(capacity: usize) -> Self {
        Self { state: Mutex::default(), capacity: capacity.max(1), wake: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::serve) fn put(&self, message: String) -> Result<(), Unsent> {
        let mut state = self.state();
        if state.is_ending {
            return Err(Unsent::Ended);
        }
        if state.messages.len() >= self.capacity {
            return Err(Unsent::Full);
        }
        state.messages.push_back(message);
        drop(state);
        self.wake.notify_waiters();
        Ok(())
    }

    /// Whether a host has the stream open.
    pub(super) fn is_open(&self) -> bool {
        self.state().open > 0
    }

    /// Ends the stream once what is kept has gone out.
    pub(super) fn close(&self) {
        self.state().is_ending = true;
        self.wake.notify_waiters();
    }

    fn next(&self, stream: u64) -> Next {
        let mut state = self.state();
        if state.opened != stream {
            return Next::Over;
        }
        match state.messages.pop_front() {
            Some(message) => Next::Message(message),
            None if state.is_ending => Next::Over,
            None => Next::Nothing,
        }
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

/// One opened stream. Opening another ends this one: a host that comes back may have lost the first, and no message may
/// go out on two.
struct Opened {
    kept: Arc<Kept>,
    session: Session,
    number: u64,
    silence: Duration,
}

impl Drop for Opened {
    fn drop(&mut self) {
        self.kept.state().open -= 1;
    }
}

impl Opened {
    /// The next bytes; `None` once the stream is over.
    async fn bytes(&self) -> Option<Bytes> {
        let wake = self.kept.wake.notified();
        match self.kept.next(self.number) {
            Next::Message(message) => return Some(event(&message)),
            Next::Over => return None,
            Next::Nothing => {}
        }
        let is_over = tokio::select! {
            () = wake => false,
            () = tokio::time::sleep(self.silence) => return Some(COMMENT),
            () = self.session.over() => true,
        };
        match self.kept.next(self.number) {
            Next::Message(message) => Some(event(&message)),
            Next::Over => None,
            // Woken for another stream's sake.
            Next::Nothing => Some(COMMENT).filter(|_| !is_over),
        }
    }
}

/// Opens the session's own stream. It begins with a comment, so that the host sees that it is open.
pub(super) fn stream(
    kept: &Arc<Kept>,
    session: &Session,
    silence: Duration,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send + 'static {
    let number = {
        let mut state = kept.state();
        state.opened += 1;
        state.open += 1;
        state.opened
    };
    kept.wake.notify_waiters();
    let opened = Opened { kept: Arc::clone(kept), session: session.clone(), number, silence };
    unfold((opened, true), |(opened, is_first)| async move {
        let bytes = if is_first { COMMENT } else { opened.bytes().await? };
        Some((Ok(bytes), (opened, false)))
    })
}
