//! Keeps one server running: starts it, has it listed, starts it again when it ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use callsign_mcp::{Caller, FetchError, Fetched, Memory, Session};
use callsign_wire::text::printable;
use callsign_wire::{ClientIdentity, Era, Inbound};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use super::ear::UpstreamEar;
use super::restart::Restart;
use super::{Life, State, Upstream};
use crate::directory::{Directory, Listing, News};
use crate::limits::Limits;
use crate::params::{quoted, raw};
use crate::refusal::Outage;

/// How long to wait before a stream of an HTTP server that ended is opened again.
const HEAR_AGAIN: Duration = Duration::from_secs(1);

/// What keeps one server running.
#[derive(Debug)]
pub(crate) struct Supervisor {
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) identity: ClientIdentity,
    pub(crate) memory: Memory,
    pub(crate) limits: Limits,
    pub(crate) directory: Arc<Directory>,
    pub(crate) news: mpsc::Sender<News>,
    /// Becomes true when the gateway ends.
    pub(crate) stop: watch::Receiver<bool>,
}

/// Why a life is over.
enum End {
    /// The gateway ends.
    Stopped,
    /// The server can't be asked any more.
    Failed(FetchError),
}

impl Supervisor {
    /// Runs until the gateway ends; the server has ended then, too.
    pub(crate) async fn run(self) {
        let mut restart = Restart::new(self.limits);
        let mut number = 0;
        let mut down_since = None;
        loop {
            number += 1;
            self.upstream.starts.store(number, Ordering::Relaxed);
            self.upstream.state.send_replace(State::Starting);
            let began = Instant::now();
            let opened = tokio::select! {
                () = stopped(self.stop.clone()) => return,
                opened = self.open(number) => opened,
            };
            let (end, lived) = match opened {
                Ok(session) => {
                    down_since = None;
                    let life = Life { number, session: Arc::new(session) };
                    (self.live(&life).await, Some(began))
                }
                Err(error) => (End::Failed(error), None),
            };
            let End::Failed(error) = end else { return };
            let wait = restart.after(lived);
            let since = *down_since.get_or_insert_with(SystemTime::now);
            self.tell_outage(&error, since, wait).await;
            tokio::select! {
                () = stopped(self.stop.clone()) => return,
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    async fn open(&self, number: u64) -> Result<Session, FetchError> {
        let ear = UpstreamEar { upstream: Arc::downgrade(&self.upstream), life: number };
        let caller =
            Caller { identity: self.identity.clone(), inbound: Inbound::Hear(Arc::new(ear)) };
        let opening =
            Session::open_as(&caller, &self.upstream.spec, &self.limits.server, &self.memory);
        Box::pin(opening).await
    }

    /// One life, from the handshake to its end. The server can be called while it is still being listed: who calls knows a
    /// name from an earlier listing.
    async fn live(&self, life: &Life) -> End {
        self.upstream.state.send_replace(State::Ready(life.clone()));
        tracing::info!(server = %self.key(), life = life.number, "ready");
        self.catch_up(life);
        let end = tokio::select! {
            () = stopped(self.stop.clone()) => End::Stopped,
            error = self.list_again_and_again(life) => End::Failed(error),
            error = ended(life) => End::Failed(error),
            () = hear(&self.upstream, life) => End::Stopped,
        };
        if let End::Failed(error) = &end {
            self.upstream.state.send_replace(State::Down(Arc::new(self.outage(
                error,
                SystemTime::now(),
                self.limits.restart,
            ))));
        }
        self.forget_questions();
        life.session.end().await;
        end
    }

    /// Lists the server now and whenever it says that something changed. Only an error ends it.
    async fn list_again_and_again(&self, life: &Life) -> FetchError {
        loop {
            match Box::pin(life.session.list()).await {
                Ok(fetched) => self.tell_listing(fetched).await,
                Err(error) => return error,
            }
            // A server that announces changes all the time is listed at this rate.
            tokio::time::sleep(self.limits.quiet).await;
            self.upstream.relist.notified().await;
        }
    }

    async fn tell_listing(&self, fetched: Fetched) {
        for note in &fetched.notes {
            tracing::info!(server = %self.key(), "{note}");
        }
        let listing = Listing { catalogue: fetched.catalogue, templates: fetched.templates };
        self.tell(News::Listed(self.upstream.key.clone(), Box::new(listing))).await;
    }

    async fn tell_outage(&self, error: &FetchError, since: SystemTime, wait: Duration) {
        let outage = self.outage(error, since, wait);
        self.upstream.state.send_replace(State::Down(Arc::new(outage.clone())));
        self.tell(News::Down(outage)).await;
    }

    async fn tell(&self, news: News) {
        // The keeper ends after the supervisors only.
        let _ = self.news.send(news).await;
    }

    fn outage(&self, error: &FetchError, since: SystemTime, wait: Duration) -> Outage {
        Outage {
            server: self.upstream.key.clone(),
            reason: error.to_string(),
            remedy: error.remedy(),
            since,
            retry: Some(wait),
        }
    }

    /// Tells a server that is new, or new again, what hosts have asked of it before.
    fn catch_up(&self, life: &Life) {
        if let Some(level) = self.upstream.hosts.log_level() {
            self.upstream.set_log_level(level);
        }
        if life.number == 1 || life.era() == Era::Stateless {
            return;
        }
        for uri in self.upstream.hosts.subscriptions() {
            if self.directory.now().resources.server_of(&uri).ok() == Some(&self.upstream.key) {
                let params = raw(format!("{{\"uri\":{}}}", quoted(&uri)));
                self.upstream.ask_quietly("resources/subscribe", params);
            }
        }
    }

    /// Nobody waits any more for what the server had asked hosts.
    fn forget_questions(&self) {
        for host in self.upstream.hosts.all() {
            for id in host.questions.orphaned(&self.upstream) {
                host.tell(super::ear::cancellation(&id, "\"the server ended\""));
            }
        }
    }

    fn key(&self) -> String {
        printable(&self.upstream.key, 200)
    }
}

/// Waits until the gateway ends.
async fn stopped(mut stop: watch::Receiver<bool>) {
    // A gateway that is no more has ended as well.
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Waits until the server is gone, and says why.
async fn ended(life: &Life) -> FetchError {
    let closed = life.session.connection().ended().await;
    life.session.explain_end(closed).await
}

/// Hears what a server sends beside its answers, where that is a stream of its own: over HTTP in the handshake era, and
/// everywhere in the stateless one. Returns never: a server without such a stream has none to end.
async fn hear(upstream: &Upstream, life: &Life) {
    let connection = life.session.connection();
    while life.era() == Era::Stateless || connection.is_http() {
        let heard = match life.era() {
            Era::Handshake => connection.hear().await.is_ok(),
            Era::Stateless => listen(life).await,
        };
        if !heard {
            break;
        }
        tokio::time::sleep(HEAR_AGAIN).await;
        // What changed in between was told to nobody.
        upstream.note_change();
    }
    std::future::pending::<()>().await;
}

/// Listens for changed lists until the server ends that; `false` if it offers none.
async fn listen(life: &Life) -> bool {
    let wanted: Vec<String> = ["tools", "prompts", "resources"]
        .into_iter()
        .filter(|list| life.declares(list))
        .map(|list| format!("\"{list}ListChanged\":true"))
        .collect();
    let params = raw(format!("{{\"notifications\":{{{}}}}}", wanted.join(",")));
    match life.session.send("subscriptions/listen", Some(&params)).await {
        Ok(sent) => !matches!(sent.answer().await, Ok(Err(_))),
        Err(_) => true,
    }
}
