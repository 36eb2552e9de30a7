//! Carries one request to a server and its answer back.

use std::sync::Arc;
use std::time::Duration;

use callsign_mcp::FetchError;
use callsign_wire::Era;
use callsign_wire::lifecycle::HEADER_MISMATCH;
use callsign_wire::message::RpcError;
use callsign_wire::serve::Reply;
use serde_json::value::RawValue;
use tokio::time::timeout;

use crate::errand::{Errand, Event};
use crate::params::{BadParams, Members, raw};
use crate::refusal::Refusal;
use crate::translate;
use crate::upstream::{Life, Upstream};

/// The host does not wait for an answer any more, for this reason (raw JSON).
#[derive(Debug)]
pub(crate) struct GivenUp(pub(crate) Box<str>);

/// How a request that was carried ended.
pub(crate) type Carried = Result<Result<Box<RawValue>, RpcError>, Refusal>;

/// A request ready to be carried: where, what, and for how long at most.
pub(crate) struct Cargo<'a> {
    pub(crate) upstream: &'a Arc<Upstream>,
    pub(crate) method: &'a str,
    pub(crate) params: Option<Box<RawValue>>,
    /// Our number at that server: see [`Upstream::number`].
    pub(crate) number: u64,
    pub(crate) limit: Duration,
    /// The era that the host follows.
    pub(crate) era: Era,
}

/// The parameters as the server is to get them: some members set, and our own progress token in place of the host's, which
/// another host may use as well.
///
/// # Errors
/// They are no object, or have a member twice that must be there once.
pub(crate) fn addressed(
    params: &Members<'_>,
    edits: &[(&str, &str)],
    number: u64,
    errand: &Errand,
) -> Result<Box<RawValue>, BadParams> {
    let meta = params.once("_meta")?.and_then(Members::read);
    let token = match &meta {
        Some(meta) => meta.once("progressToken")?.filter(|raw| *raw != "null"),
        None => None,
    };
    let (Some(meta), Some(token)) = (meta, token) else { return Ok(raw(params.with(edits))) };
    errand.set_token(token);
    let meta = meta.with(&[("progressToken", &number.to_string())]);
    let mut edits = edits.to_vec();
    edits.push(("_meta", &meta));
    Ok(raw(params.with(&edits)))
}

/// Waits for some work while what happens to the request meanwhile reaches the host.
///
/// # Errors
/// The host does not wait any more; the work is dropped.
pub(crate) async fn attend<T>(
    work: impl Future<Output = T>,
    errand: &Errand,
    reply: &mut Reply,
) -> Result<T, GivenUp> {
    let mut work = std::pin::pin!(work);
    loop {
        let event = tokio::select! {
            biased;
            done = work.as_mut() => {
                // What the server said before it answered comes before the answer.
                while let Some(event) = errand.take() {
                    bring(event, reply).await?;
                }
                return Ok(done);
            }
            event = errand.next() => event,
            () = reply.abandoned() => return Err(GivenUp("\"the client is gone\"".into())),
        };
        bring(event, reply).await?;
    }
}

async fn bring(event: Event, reply: &mut Reply) -> Result<(), GivenUp> {
    match event {
        Event::Cancelled(reason) => Err(GivenUp(reason)),
        Event::Message(message) => {
            // A stream that is gone is no cancellation in every era; `abandoned` tells where it is.
            if reply.send(message).await.is_err() {
                tracing::debug!("a message for a host is lost: its stream is gone");
            }
            Ok(())
        }
    }
}

/// Carries a request. The server hears of it when the host gives it up, or when the limit passes.
///
/// # Errors
/// The host does not wait any more.
pub(crate) async fn carry(
    cargo: Cargo<'_>,
    errand: &Arc<Errand>,
    reply: &mut Reply,
) -> Result<Carried, GivenUp> {
    let upstream = cargo.upstream;
    upstream.begin(cargo.number, errand);
    let under_way = UnderWay { upstream, number: cargo.number };
    let limit = cargo.limit;
    match attend(timeout(limit, ask(&cargo)), errand, reply).await {
        Ok(Ok(carried)) => Ok(carried),
        Ok(Err(_)) => {
            let life = under_way.cancel("\"time limit\"").await;
            Ok(Err(too_slow(upstream, life, limit).await))
        }
        Err(GivenUp(reason)) => {
            under_way.cancel(&reason).await;
            Err(GivenUp(reason))
        }
    }
}

async fn ask(cargo: &Cargo<'_>) -> Carried {
    let upstream = cargo.upstream;
    // Never closed while the gateway lives.
    let _place = upstream.places.acquire().await.ok();
    let life =
        upstream.life().await.map_err(|outage| Refusal::Down(Box::new((*outage).clone())))?;
    let failed = |error: FetchError| Refusal::Failed {
        server: upstream.key.clone(),
        error: Box::new(error),
    };
    let mut outcome = exchange(cargo, &life).await.map_err(failed)?;
    // The server compared headers and body before it did anything, and knows a newer schema than we do.
    if matches!(&outcome, Err(error) if error.code() == Some(HEADER_MISMATCH)) {
        life.session.forget_headers();
        upstream.note_change();
        outcome = exchange(cargo, &life).await.map_err(failed)?;
    }
    let translated = |result| translate::result(result, life.era(), cargo.era, cargo.method);
    Ok(outcome.map(translated))
}

async fn exchange(
    cargo: &Cargo<'_>,
    life: &Life,
) -> Result<Result<Box<RawValue>, RpcError>, FetchError> {
    let sent = life.session.send(cargo.method, cargo.params.as_deref()).await?;
    cargo.upstream.sent(cargo.number, sent.id(), life.number);
    sent.answer().await
}

async fn too_slow(upstream: &Upstream, life: Option<Life>, limit: Duration) -> Refusal {
    let server = upstream.key.clone();
    match life {
        Some(life) => {
            Refusal::Failed { server, error: Box::new(life.session.timed_out(limit).await) }
        }
        None => {
            let reason = format!("it was not ready within {} s", limit.as_secs());
            Refusal::NotCarried { server, reason }
        }
    }
}

/// A request that is noted at its server, until this is dropped.
struct UnderWay<'a> {
    upstream: &'a Upstream,
    number: u64,
}

impl UnderWay<'_> {
    /// Tells the server that nobody waits any more; gives the life in which it was asked.
    async fn cancel(&self, reason: &str) -> Option<Life> {
        let (id, number) = self.upstream.sent_as(self.number)?;
        let life = self.upstream.life_now().filter(|life| life.number == number)?;
        life.session.cancel(&id, reason).await;
        Some(life)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.upstream.end(self.number);
    }
}
