//! The servers: each kept running by a task of its own, with the requests that are under way there.

mod ear;
mod restart;
mod supervise;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use callsign::ServerKey;
use callsign_mcp::memory::digest;
use callsign_mcp::{ServerSpec, Session};
use callsign_wire::Era;
use callsign_wire::message::Id;
use serde_json::value::RawValue;
use tokio::sync::{Notify, Semaphore, watch};

use crate::downstream::{Host, Hosts};
use crate::errand::Errand;
use crate::params::{Members, raw};
use crate::refusal::Outage;

pub(crate) use supervise::Supervisor;

/// How long a request may take that no host waits for.
const QUIET_REQUEST: Duration = Duration::from_secs(10);

/// A server that is started again within this time is waited for: a call that comes just then needs not fail.
const SOON: Duration = Duration::from_secs(1);

/// One server.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) key: ServerKey,
    pub(crate) spec: ServerSpec,
    state: watch::Sender<State>,
    hosts: Arc<Hosts>,
    errands: Mutex<Errands>,
    last_errand: AtomicU64,
    starts: AtomicU64,
    stop: watch::Sender<bool>,
    /// Something says that its lists have changed.
    relist: Notify,
    /// Requests that may be under way at once.
    pub(crate) places: Semaphore,
}

/// What the server does now.
#[derive(Debug, Clone)]
enum State {
    /// It is being started or reached.
    Starting,
    /// It can be asked.
    Ready(Life),
    /// It can't be asked.
    Down(Arc<Outage>),
}

/// A server from one start to its end. What was asked in one life is not answered in another.
#[derive(Debug, Clone)]
pub(crate) struct Life {
    pub(crate) number: u64,
    pub(crate) session: Arc<Session>,
}

/// The requests under way, by our number, which is also the progress token that the server is given.
type Errands = HashMap<u64, UnderWay>;

#[derive(Debug)]
struct UnderWay {
    errand: Arc<Errand>,
    /// The id that the server knows it by, once it is sent, and the life in which it was.
    sent: Option<(Id, u64)>,
}

impl Upstream {
    pub(crate) fn new(spec: ServerSpec, hosts: Arc<Hosts>, places: usize) -> Self {
        Self {
            key: spec.key.clone(),
            spec,
            state: watch::Sender::new(State::Starting),
            hosts,
            errands: Mutex::default(),
            last_errand: AtomicU64::new(0),
            starts: AtomicU64::new(0),
            stop: watch::Sender::new(false),
            relist: Notify::new(),
            places: Semaphore::new(places),
        }
    }

    /// The server as soon as it can be asked. One that is just being started, or is about to be, is waited for.
    ///
    /// # Errors
    /// It can't be asked now.
    pub(crate) async fn life(&self) -> Result<Life, Arc<Outage>> {
        if let State::Ready(life) = &*self.state.borrow() {
            return Ok(life.clone());
        }
        let mut states = self.state.subscribe();
        loop {
            match &*states.borrow_and_update() {
                State::Ready(life) => return Ok(life.clone()),
                State::Down(outage) if outage.retry.is_none_or(|wait| wait > SOON) => {
                    return Err(Arc::clone(outage));
                }
                State::Down(_) | State::Starting => {}
            }
            // The sender lives as long as this server.
            let _ = states.changed().await;
        }
    }

    /// The server in this one of its lives, which may just begin; `None` once that is over.
    pub(crate) async fn life_of(&self, number: u64) -> Option<Life> {
        self.life().await.ok().filter(|life| life.number == number)
    }

    /// Asks something that no host waits for. That it fails changes nothing.
    pub(crate) fn ask_quietly(&self, method: &'static str, params: Box<RawValue>) {
        let Some(life) = self.life_now() else { return };
        tokio::spawn(async move { life.asked(method, &params).await });
    }

    /// Asks something on the gateway's own account; gives whether it was answered with a result.
    pub(crate) async fn asked(&self, method: &'static str, params: Box<RawValue>) -> bool {
        match self.life_now() {
            Some(life) => life.asked(method, &params).await,
            None => false,
        }
    }

    /// Tells the server the least severe level of log messages that is wanted, where it has such.
    pub(crate) fn set_log_level(&self, level: &str) {
        let has_levels = |life: &Life| life.era() == Era::Handshake && life.declares("logging");
        if self.life_now().as_ref().is_some_and(has_levels) {
            self.ask_quietly("logging/setLevel", raw(format!("{{\"level\":\"{level}\"}}")));
        }
    }

    /// The server if it can be asked at this moment.
    pub(crate) fn life_now(&self) -> Option<Life> {
        match &*self.state.borrow() {
            State::Ready(life) => Some(life.clone()),
            State::Starting | State::Down(_) => None,
        }
    }

    /// Whether it is started or reached in this way.
    pub(crate) fn is_started_by(&self, spec: &ServerSpec) -> bool {
        digest(&self.spec.launch) == digest(&spec.launch)
    }

    /// Ends it, once and for all.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Becomes true when it is to end.
    pub(crate) fn stops(&self) -> watch::Receiver<bool> {
        self.stop.subscribe()
    }

    /// How often it has been started.
    pub(crate) fn starts(&self) -> u64 {
        self.starts.load(Ordering::Relaxed)
    }

    /// How many requests are under way or wait here.
    pub(crate) fn under_way(&self) -> usize {
        self.errands().len()
    }

    fn errands(&self) -> MutexGuard<'_, Errands> {
        self.errands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that no other request at this server has or had.
    pub(crate) fn number(&self) -> u64 {
        self.last_errand.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn begin(&self, number: u64, errand: &Arc<Errand>) {
        let errand = Arc::clone(errand);
        self.errands().insert(number, UnderWay { errand, sent: None });
    }

    /// Notes the id under which the server knows a request, in this life.
    pub(crate) fn sent(&self, number: u64, id: &Id, life: u64) {
        if let Some(under_way) = self.errands().get_mut(&number) {
            under_way.sent = Some((id.clone(), life));
        }
    }

    /// That id and life, if the request was sent.
    pub(crate) fn sent_as(&self, number: u64) -> Option<(Id, u64)> {
        self.errands().get(&number)?.sent.clone()
    }

    pub(crate) fn end(&self, number: u64) {
        self.errands().remove(&number);
    }

    /// The request that a progress token of ours stands for.
    fn errand_of_token(&self, token: &str) -> Option<Arc<Errand>> {
        let number: u64 = token.trim_matches('"').parse().ok()?;
        self.errands().get(&number).map(|under_way| Arc::clone(&under_way.errand))
    }

    /// The request on whose own stream something came.
    fn errand_of_id(&self, id: &Id) -> Option<Arc<Errand>> {
        let errands = self.errands();
        let found =
            errands.values().find(|it| it.sent.as_ref().is_some_and(|(sent, _)| sent == id))?;
        Some(Arc::clone(&found.errand))
    }

    /// The request that caused what the server sends on its own account, where that can be told: there is only one host
    /// with requests under way here. Of several requests of one host it is the latest.
    fn only_errand(&self) -> Result<Arc<Errand>, Unattributable> {
        let errands = self.errands();
        let (latest, _) = errands
            .iter()
            .map(|(number, it)| (*number, it))
            .max_by_key(|it| it.0)
            .ok_or(Unattributable::NoneUnderWay)?;
        let host = |under_way: &UnderWay| under_way.errand.host.session.id();
        let mut hosts = errands.values().map(host);
        let first = hosts.next();
        let are_alone = |it: &UnderWay| it.errand.era == Era::Stateless && errands.len() > 1;
        // Requests of the stateless era that share a session may be those of strangers.
        if hosts.any(|other| Some(other) != first) || errands.values().any(are_alone) {
            return Err(Unattributable::SeveralHosts);
        }
        errands.get(&latest).map(|it| Arc::clone(&it.errand)).ok_or(Unattributable::NoneUnderWay)
    }

    /// The only host there is, where there is only one that takes messages beside its requests.
    fn only_host(&self) -> Option<Arc<Host>> {
        let mut greeted = self.hosts.all().into_iter().filter(|host| host.is_greeted());
        let host = greeted.next()?;
        greeted.next().is_none().then_some(host)
    }

    /// Something may have changed in its lists.
    pub(crate) fn note_change(&self) {
        self.relist.notify_one();
    }
}

/// Why it can't be told whose request caused a message of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unattributable {
    NoneUnderWay,
    SeveralHosts,
}

impl Life {
    async fn asked(&self, method: &'static str, params: &RawValue) -> bool {
        let asked = async { self.session.send(method, Some(params)).await?.answer().await };
        let outcome = tokio::time::timeout(QUIET_REQUEST, asked).await;
        let is_answered = matches!(outcome, Ok(Ok(Ok(_))));
        if !is_answered {
            tracing::debug!(method, ?outcome, "a request of the gateway's own failed");
        }
        is_answered
    }

    /// Whether the server said that it can do this.
    pub(crate) fn declares(&self, capability: &str) -> bool {
        let opening = self.session.opening();
        Members::read(opening.result.get())
            .and_then(|result| Members::read(result.get("capabilities")?)?.get(capability))
            .is_some_and(|raw| raw != "null")
    }

    /// Which lifecycle it follows.
    pub(crate) fn era(&self) -> Era {
        self.session.opening().spoken.era
    }
}
