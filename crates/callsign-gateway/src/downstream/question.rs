//! What is asked of a host: by a server in the middle of its work, or by the gateway itself.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use callsign_wire::message::{Id, Response, RpcError};
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::upstream::Upstream;

/// Our ids in a host's session. They have a mark, so that they meet none of the host's own numbering.
const MARK: &str = "callsign-";

/// A question that the host has not answered.
#[derive(Debug)]
pub(crate) struct Question {
    pub(crate) asker: Asker,
}

/// Who waits for the answer.
#[derive(Debug)]
pub(crate) enum Asker {
    /// A server, under its own id, in this one of its lives.
    Server { upstream: Arc<Upstream>, life: u64, id: Id },
    /// The gateway itself.
    Gateway(oneshot::Sender<Result<Box<RawValue>, RpcError>>),
}

/// The open questions of one host.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    last: AtomicU64,
    open: Mutex<HashMap<u64, Question>>,
}

impl Questions {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Question>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a question and gives the id under which the host is asked.
    pub(crate) fn ask(&self, asker: Asker) -> Id {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.open().insert(number, Question { asker });
        id_of(number)
    }

    /// Takes the question that an answer of the host is meant for.
    pub(crate) fn answered(&self, response: &Response) -> Option<Question> {
        let key = response.id.as_ref()?.key();
        let number = key.strip_prefix(MARK)?.parse().ok()?;
        self.open().remove(&number)
    }

    /// Takes the question that a server gave up, with the id under which the host knows it.
    pub(crate) fn given_up(&self, upstream: &Upstream, its_id: &str) -> Option<Id> {
        let mut open = self.open();
        let number = *open.iter().find(|(_, question)| question.is_of(upstream, its_id))?.0;
        open.remove(&number);
        Some(id_of(number))
    }

    /// Takes all questions of a server whose life is over, with the ids under which the host knows them.
    pub(crate) fn orphaned(&self, server: &Upstream) -> Vec<Id> {
        let mut open = self.open();
        let is_of = |question: &Question| matches!(&question.asker, Asker::Server { upstream, .. } if std::ptr::eq(&**upstream, server));
        let numbers: Vec<u64> = open
            .iter()
            .filter(|(_, question)| is_of(question))
            .map(|(number, _)| *number)
            .collect();
        for number in &numbers {
            open.remove(number);
        }
        numbers.into_iter().map(id_of).collect()
    }

    /// Takes all of them: the host is gone.
    pub(crate) fn take_all(&self) -> Vec<Question> {
        self.open().drain().map(|(_, question)| question).collect()
    }
}

impl Question {
    fn is_of(&self, server: &Upstream, its_id: &str) -> bool {
        match &self.asker {
            Asker::Server { upstream, id, .. } => {
                std::ptr::eq(&**upstream, server) && id.raw() == its_id
            }
            Asker::Gateway(_) => false,
        }
    }
}

fn id_of(number: u64) -> Id {
    Id::text(&format!("{MARK}{number}"))
}
