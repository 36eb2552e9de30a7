//! Messages for a host that belong to none of its requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use callsign_wire::serve::Unsent;
use tokio::sync::Notify;

use super::Host;

/// What waits to be told to one host. Whoever puts something in never waits: a host that does not read delays nobody else.
#[derive(Debug)]
pub(super) struct Mailbox {
    inner: Mutex<Inner>,
    arrived: Notify,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Inner {
    messages: VecDeque<String>,
    dropped: u64,
    is_closed: bool,
}

impl Mailbox {
    pub(super) fn new(capacity: usize) -> Self {
        Self { inner: Mutex::default(), arrived: Notify::new(), capacity }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a message in; one that waits already is not put in again, since only list changes are ever alike. `false` if as
    /// many wait as may, or nobody will read them.
    pub(super) fn put(&self, message: String) -> bool {
        let mut inner = self.inner();
        if inner.is_closed {
            return false;
        }
        if message.contains("list_changed") && inner.messages.contains(&message) {
            return true;
        }
        if inner.messages.len() >= self.capacity {
            inner.dropped += 1;
            return false;
        }
        inner.messages.push_back(message);
        drop(inner);
        self.arrived.notify_one();
        true
    }

    pub(super) fn close(&self) {
        self.inner().is_closed = true;
        self.arrived.notify_one();
    }

    /// The next message; `None` once the mailbox is closed.
    async fn next(&self) -> Option<String> {
        loop {
            let arrived = self.arrived.notified();
            {
                let mut inner = self.inner();
                if inner.is_closed {
                    return None;
                }
                if let Some(message) = inner.messages.pop_front() {
                    return Some(message);
                }
            }
            arrived.await;
        }
    }
}

/// Brings a host what waits for it, as fast as it reads.
pub(super) async fn deliver(host: Arc<Host>) {
    while let Some(message) = host.mailbox.next().await {
        match host.session.send(message).await {
            Ok(()) => {}
            Err(Unsent::Ended) => return,
            Err(reason) => tracing::debug!(%reason, "a message for a host is lost"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_mailbox_takes_no_more_and_a_waiting_change_is_told_once() {
        let mailbox = Mailbox::new(3);
        let changed = r#"{"method":"notifications/tools/list_changed"}"#;
        assert!(mailbox.put(changed.to_owned()) && mailbox.put(changed.to_owned()));
        assert!(mailbox.put("a".to_owned()) && mailbox.put("a".to_owned()));
        assert!(!mailbox.put("b".to_owned()), "three wait");
        let mut told = Vec::new();
        for _ in 0..3 {
            told.extend(mailbox.next().await);
        }
        assert_eq!(told, [changed, "a", "a"]);
        assert!(mailbox.put("b".to_owned()));
        mailbox.close();
        assert!(!mailbox.put("c".to_owned()));
        assert_eq!(mailbox.next().await, None);
    }
}
