//! Carries one request to a server and its answer back.

use std::sync::Arc;
use std::time::Duration;

use callsign_mcp::FetchError;
use callsign_wire::Era;
use callsign_wire::lifecycle::HEADER_MISMATCH;
use callsign_wire::message::RpcError;
use callsign_wire::serve::Reply;
use serde_json::value::RawValue;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::errand::{Errand, Event, Posed};
use crate::input::{CAPABILITIES, LOG_LEVEL, NoInput, ROUNDS, Wanted, with_session};
use crate::params::{BadParams, Members, raw, text};
use crate::refusal::Refusal;
use crate::translate;
use crate::upstream::{Life, Upstream};

/// The reason where nobody listens any more, as raw JSON.
pub(crate) const CLIENT_GONE: &str = "\"the client is gone\"";

/// The host does not wait for an answer any more, for this reason (raw JSON).
#[derive(Debug)]
pub(crate) struct GivenUp(pub(crate) Box<str>);

/// Why nobody waits for some work any more.
#[derive(Debug)]
pub(crate) enum Interrupted {
    GivenUp(GivenUp),
    /// The server asks something that only another request of the host can answer.
    Posed(Posed),
}

/// How a request that was carried ended.
pub(crate) type Carried = Result<Result<Box<RawValue>, RpcError>, Refusal>;

/// A request ready to be carried: where, what, and for how long at most.
#[derive(Debug)]
pub(crate) struct Cargo {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) method: String,
    pub(crate) params: Option<Box<RawValue>>,
    /// Our number at that server: see [`Upstream::number`].
    pub(crate) number: u64,
    pub(crate) limit: Duration,
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
    if let (Era::Stateless, Some(meta)) = (errand.era, &meta) {
        note_wishes(meta, errand);
    }
    let (Some(meta), Some(token)) = (meta, token) else { return Ok(raw(params.with(edits))) };
    errand.set_token(token);
    let meta = meta.with(&[("progressToken", &number.to_string())]);
    let mut edits = edits.to_vec();
    edits.push(("_meta", &meta));
    Ok(raw(params.with(&edits)))
}

/// What a host of the stateless era says of itself with each request.
fn note_wishes(meta: &Members<'_>, errand: &Errand) {
    if let Some(offered) = meta.get(CAPABILITIES) {
        errand.set_offered(offered);
    }
    if let Some(level) = meta.get(LOG_LEVEL).and_then(text) {
        errand.set_log_level(&level);
    }
}

/// Waits for some work while what happens to the request meanwhile reaches the host.
///
/// # Errors
/// The host does not wait any more, or has to be asked by a result. The work is dropped.
pub(crate) async fn attend<T>(
    work: impl Future<Output = T>,
    errand: &Errand,
    reply: &mut Reply,
) -> Result<T, Interrupted> {
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
            () = reply.abandoned() => Event::Cancelled(CLIENT_GONE.into()),
        };
        bring(event, reply).await?;
    }
}

async fn bring(event: Event, reply: &mut Reply) -> Result<(), Interrupted> {
    match event {
        Event::Cancelled(reason) => Err(Interrupted::GivenUp(GivenUp(reason))),
        Event::Posed(posed) => Err(Interrupted::Posed(posed)),
        Event::Message(message) => {
            // A stream that is gone is no cancellation in every era; `abandoned` tells where it is.
            if reply.send(message).await.is_err() {
                tracing::debug!("a message for a host is lost: its stream is gone");
            }
            Ok(())
        }
    }
}

/// Carries a request of the handshake era, within the task of its host. The server hears of it when the host gives it up,
/// or when the limit passes.
///
/// # Errors
/// The host does not wait any more.
pub(crate) async fn carry(
    cargo: &Cargo,
    errand: &Arc<Errand>,
    reply: &mut Reply,
) -> Result<Carried, GivenUp> {
    let under_way = UnderWay::begin(cargo, errand);
    match attend(within_limit(cargo, errand), errand, reply).await {
        Ok(carried) => Ok(carried),
        Err(Interrupted::GivenUp(GivenUp(reason))) => {
            under_way.cancel(&reason).await;
            Err(GivenUp(reason))
        }
        // Hosts of this era are asked by requests.
        Err(Interrupted::Posed(_)) => Err(GivenUp(CLIENT_GONE.into())),
    }
}

async fn within_limit(cargo: &Cargo, errand: &Arc<Errand>) -> Carried {
    match timeout(cargo.limit, ask(cargo, errand)).await {
        Ok(carried) => carried,
        Err(_) => {
            let life = cancel(&cargo.upstream, cargo.number, "\"time limit\"").await;
            Err(too_slow(&cargo.upstream, life, cargo.limit).await)
        }
    }
}

/// A request of the stateless era on its way: it goes on while its host, having been asked something, prepares the next
/// request.
#[derive(Debug)]
pub(crate) struct Voyage {
    pub(crate) errand: Arc<Errand>,
    work: JoinHandle<Carried>,
    under_way: UnderWay,
}

/// Where a voyage has come to.
pub(crate) enum Leg {
    Done(Carried),
    /// The host has to be asked these before it goes on.
    Asks(Voyage, Vec<Posed>),
}

impl Voyage {
    pub(crate) fn begin(cargo: Cargo, errand: &Arc<Errand>) -> Self {
        let under_way = UnderWay::begin(&cargo, errand);
        let waiting = Arc::clone(errand);
        let work = tokio::spawn(async move { within_limit(&cargo, &waiting).await });
        Self { errand: Arc::clone(errand), work, under_way }
    }

    /// Goes on until there is an answer, or something is to be asked.
    ///
    /// # Errors
    /// The host does not wait any more.
    pub(crate) async fn go_on(mut self, reply: &mut Reply) -> Result<Leg, GivenUp> {
        let errand = Arc::clone(&self.errand);
        match attend(&mut self.work, &errand, reply).await {
            Ok(Ok(carried)) => Ok(Leg::Done(carried)),
            // Only the end of the runtime ends it so.
            Ok(Err(_)) => Err(GivenUp(CLIENT_GONE.into())),
            Err(Interrupted::GivenUp(GivenUp(reason))) => {
                self.give_up(&reason).await;
                Err(GivenUp(reason))
            }
            Err(Interrupted::Posed(posed)) => Ok(Leg::Asks(self, vec![posed])),
        }
    }

    /// Nobody waits for it any more.
    pub(crate) async fn give_up(self, reason: &str) {
        self.work.abort();
        self.under_way.cancel(reason).await;
    }
}

async fn ask(cargo: &Cargo, errand: &Arc<Errand>) -> Carried {
    let upstream = &cargo.upstream;
    // Never closed while the gateway lives.
    let _place = upstream.places.acquire().await.ok();
    let life =
        upstream.life().await.map_err(|outage| Refusal::Down(Box::new((*outage).clone())))?;
    let failed = |error: FetchError| {
        if matches!(error, FetchError::SessionEnded { .. }) {
            // It was started anew, and may offer something else now.
            upstream.note_change();
        }
        Refusal::Failed { server: upstream.key.clone(), error: Box::new(error) }
    };
    let between_eras = (errand.era, life.era()) == (Era::Handshake, Era::Stateless);
    let told = if between_eras { with_session(cargo.params.as_deref(), errand) } else { None };
    let params = told.as_deref().or(cargo.params.as_deref());
    let mut outcome = exchange(cargo, &life, params).await.map_err(failed)?;
    // The server compared headers and body before it did anything, and knows a newer schema than we do.
    if matches!(&outcome, Err(error) if error.code() == Some(HEADER_MISMATCH)) {
        life.session.forget_headers();
        upstream.note_change();
        outcome = exchange(cargo, &life, params).await.map_err(failed)?;
    }
    if between_eras {
        let mut rounds = 0..ROUNDS;
        while let Some(wanted) = outcome.as_ref().ok().and_then(|result| Wanted::of(result)) {
            let no_input = |reason| Refusal::NoInput { server: upstream.key.clone(), reason };
            rounds.next().ok_or_else(|| no_input(NoInput::NoEnd))?;
            let original = params.ok_or_else(|| no_input(NoInput::Unreadable))?;
            let wanted = wanted.map_err(no_input)?;
            let again = wanted.asked(original, errand).await.map_err(no_input)?;
            outcome = exchange(cargo, &life, Some(&again)).await.map_err(failed)?;
        }
    }
    let translated = |result| translate::result(result, life.era(), errand.era, &cargo.method);
    Ok(outcome.map(translated))
}

async fn exchange(
    cargo: &Cargo,
    life: &Life,
    params: Option<&RawValue>,
) -> Result<Result<Box<RawValue>, RpcError>, FetchError> {
    let sent = life.session.send(&cargo.method, params).await?;
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
#[derive(Debug)]
struct UnderWay {
    upstream: Arc<Upstream>,
    number: u64,
}

impl UnderWay {
    fn begin(cargo: &Cargo, errand: &Arc<Errand>) -> Self {
        cargo.upstream.begin(cargo.number, errand);
        Self { upstream: Arc::clone(&cargo.upstream), number: cargo.number }
    }

    async fn cancel(&self, reason: &str) {
        cancel(&self.upstream, self.number, reason).await;
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.upstream.end(self.number);
    }
}

/// Tells a server that nobody waits for a request any more; gives the life in which it was asked.
async fn cancel(upstream: &Upstream, number: u64, reason: &str) -> Option<Life> {
    let (id, life_number) = upstream.sent_as(number)?;
    let life = upstream.life_now().filter(|life| life.number == life_number)?;
    life.session.cancel(&id, reason).await;
    Some(life)
}
