//! Requests that wait for their host: a server of the handshake era asked something in the middle of its work, and a host
//! of the stateless era answers by a request of its own. Meanwhile the server's request stays open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use callsign_wire::message::RpcError;
use serde_json::value::RawValue;

use crate::carry::Voyage;
use crate::downstream::Asker;
use crate::errand::Posed;
use crate::params::{Members, quoted, raw};

/// The key of a question in `inputRequests`, with its number behind it.
const KEY: &str = "question-";

/// A request that waits, and what its host is asked.
#[derive(Debug)]
pub(crate) struct Parked {
    pub(crate) voyage: Voyage,
    pub(crate) posed: Vec<Posed>,
}

impl Parked {
    /// The result that asks the host; `state` is a raw JSON string.
    pub(crate) fn asks(&self, state: &str) -> Box<RawValue> {
        let requests: Vec<String> = (1..)
            .zip(&self.posed)
            .map(|(number, posed)| {
                let params = posed.params.as_deref().map_or("{}", RawValue::get);
                let method = quoted(&posed.method);
                format!("\"{KEY}{number}\":{{\"method\":{method},\"params\":{params}}}")
            })
            .collect();
        raw(format!(
            "{{\"resultType\":\"input_required\",\"inputRequests\":{{{}}},\"requestState\":{state}}}",
            requests.join(",")
        ))
    }

    /// Gives the server the host's answers. `false` if one is missing; then nothing is given.
    pub(crate) async fn answer(&mut self, answers: &Members<'_>) -> bool {
        let found: Option<Vec<Box<RawValue>>> = (1..=self.posed.len())
            .map(|number| answers.get(&format!("{KEY}{number}")).map(|it| raw(it.to_owned())))
            .collect();
        let Some(found) = found else { return false };
        for (posed, answer) in self.posed.drain(..).zip(found) {
            respond(posed, Ok(answer)).await;
        }
        true
    }

    /// Nobody comes back for it: the server's questions are refused, and its request is cancelled.
    async fn give_up(self) {
        for posed in self.posed {
            let error = RpcError::new(-32603, "the client did not answer in time");
            respond(posed, Err(error)).await;
        }
        self.voyage.give_up("\"the client did not come back\"").await;
    }
}

async fn respond(posed: Posed, outcome: Result<Box<RawValue>, RpcError>) {
    let Asker::Server { upstream, life, id } = posed.asker else { return };
    let Some(life) = upstream.life_of(life).await else { return };
    let outcome = outcome.as_ref().map(|result| &**result);
    if let Err(error) = life.session.connection().respond(&id, outcome).await {
        tracing::debug!(%error, "a host's answer did not reach the server");
    }
}

/// Where requests wait.
#[derive(Debug, Default)]
pub(crate) struct Parking(Mutex<Places>);

#[derive(Debug, Default)]
struct Places {
    last: u64,
    taken: HashMap<u64, Parked>,
}

impl Parking {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a request that is about to wait.
    pub(crate) fn number(&self) -> u64 {
        let mut places = self.places();
        places.last += 1;
        places.last
    }

    /// Lets a request wait, at most as long as `limit`, and at most `capacity` of them: the oldest one makes place.
    pub(crate) fn park(
        self: &Arc<Self>,
        number: u64,
        parked: Parked,
        limit: Duration,
        capacity: usize,
    ) {
        let displaced = {
            let mut places = self.places();
            let oldest = places.taken.keys().min().copied();
            let displaced = match oldest {
                Some(oldest) if places.taken.len() >= capacity => places.taken.remove(&oldest),
                _ => None,
            };
            places.taken.insert(number, parked);
            displaced
        };
        let parking = Arc::clone(self);
        tokio::spawn(async move {
            if let Some(displaced) = displaced {
                displaced.give_up().await;
            }
            tokio::time::sleep(limit).await;
            if let Some(expired) = parking.take(number) {
                expired.give_up().await;
            }
        });
    }

    /// Takes a request that waits; `None` if it waits no longer.
    pub(crate) fn take(&self, number: u64) -> Option<Parked> {
        self.places().taken.remove(&number)
    }
}
