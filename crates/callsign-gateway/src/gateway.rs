//! A gateway from its start to its end.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use callsign_wire::message::Notification;
use callsign_wire::serve::{Arrival, Arrivals};
use callsign_wire::{ClientIdentity, Era};
use serde_json::value::RawValue;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::directory::{Configured, Directory, Keeper, News, Offer, StartReport};
use crate::downstream::{Host, Hosts};
use crate::fleet::Fleet;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::params::{quoted, raw};
use crate::parking::Parking;
use crate::policy::Policy;
use crate::refusal::Outage;
use crate::seal::Sealer;
use crate::settings::{ServerSettings, Settings};
use crate::stack;

/// News of servers that the keeper has not taken yet. Who has more waits.
const NEWS: usize = 64;
/// How often it is looked whether requests are still under way.
const LOOK: Duration = Duration::from_millis(5);

/// Many servers behind one endpoint.
///
/// It starts with the first message of a host, or by [`start`](Self::start), and ends by [`stop`](Self::stop). Must be used
/// within a Tokio runtime. Dropping it kills the servers.
#[derive(Debug)]
pub struct Gateway {
    inner: Arc<Inner>,
}

/// What the layers of the stack share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) directory: Arc<Directory>,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) fleet: Fleet,
    pub(crate) policy: Arc<dyn Policy>,
    pub(crate) limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) parking: Arc<Parking>,
    pub(crate) sealer: Option<Sealer>,
    /// The way to the keeper, once there is one.
    news: OnceLock<mpsc::Sender<News>>,
    /// Taken when the servers are started.
    keeper: Mutex<Option<Keeper>>,
    /// Becomes true when the gateway ends.
    stop: watch::Sender<bool>,
}

impl Gateway {
    /// A gateway of these servers. Nothing is started yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let Settings { servers, unavailable, scheme, policy, memory, limits } = settings;
        let directory = Arc::new(Directory::new(&scheme));
        let hosts = Arc::new(Hosts::new(limits.host_messages));
        let specs = servers.iter().map(|server| server.spec.clone());
        let fleet = Fleet::new(specs, Arc::clone(&hosts), memory, limits);
        let servers = servers.into_iter().map(|server| (server.spec.key, server.tools)).collect();
        let keeper = Keeper::new(
            Arc::clone(&directory),
            Arc::clone(&hosts),
            Arc::clone(&policy),
            &scheme,
            limits,
            servers,
            unavailable,
        );
        let (keeper, stop) = (Mutex::new(Some(keeper)), watch::Sender::new(false));
        let inner = Inner {
            directory,
            hosts,
            fleet,
            policy,
            limits,
            metrics: Metrics::default(),
            parking: Arc::default(),
            sealer: Sealer::new(),
            news: OnceLock::new(),
            keeper,
            stop,
        };
        Self { inner: Arc::new(inner) }
    }

    /// Starts the servers, if they have not been. They are told these capabilities of the hosts, a raw JSON object; with
    /// none, that hosts can do whatever can be passed on, and what a host then can't do is refused.
    pub fn start(&self, capabilities: Option<&RawValue>) {
        self.inner.start(capabilities);
    }

    /// What the start came to, once it is over: all servers have answered, or the limit of the start has passed.
    pub async fn started(&self) -> Arc<StartReport> {
        self.inner.directory.report().await
    }

    /// The servers that can't be asked now.
    #[must_use]
    pub fn missing(&self) -> Vec<Outage> {
        self.inner.directory.now().missing.clone()
    }

    /// The tools that are served now, by their names.
    #[must_use]
    pub fn tools(&self) -> Arc<callsign::registry::Snapshot> {
        Arc::clone(&self.inner.directory.now().tools)
    }

    /// The routes `/healthz` and `/readyz`, to be served beside the protocol's.
    pub fn routes(&self) -> axum::Router {
        crate::health::routes(&self.inner)
    }

    /// The route `/metrics`, in Prometheus' text form. It names servers and tools.
    pub fn metrics(&self) -> axum::Router {
        crate::health::metrics(&self.inner)
    }

    /// Puts other servers in place of those there are, while calls go on: a server that is started in the same way goes on as it
    /// is, one that is not there any more finishes what is under way, and hosts are told what changed.
    pub async fn reconfigure(&self, servers: Vec<ServerSettings>, unavailable: Vec<Outage>) {
        let Some(news) = self.inner.news.get() else { return };
        let specs = servers.iter().map(|server| server.spec.clone()).collect();
        let fresh = self.inner.fleet.exchange(specs);
        let servers = servers.into_iter().map(|server| (server.spec.key, server.tools)).collect();
        // The keeper lives as long as the gateway.
        let _ = news.send(News::Configured(Configured { servers, unavailable, fresh })).await;
    }

    /// Takes one message of a host. It does not wait: what takes long goes on by itself.
    pub fn take(&self, arrival: Arrival) {
        stack::take(&self.inner, arrival);
    }

    /// Takes what hosts send until nothing can arrive any more.
    pub async fn serve(&self, arrivals: &mut Arrivals) {
        while let Some(arrival) = arrivals.next().await {
            self.take(arrival);
        }
    }

    /// Waits until no request is under way, at most as long as the limit says. Gives whether none is.
    pub async fn drained(&self) -> bool {
        self.inner.hosts.listeners.end();
        self.inner.drained(|_| true).await
    }

    /// Ends the servers, each in its own time, and waits until all have ended.
    pub async fn stop(&self) {
        self.inner.stop.send_replace(true);
        self.inner.fleet.stop().await;
    }
}

/// What can be passed on to hosts, where it is not known what they offer.
const PASSED_ON: &str = r#"{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}"#;

impl Inner {
    /// Starts the servers, if they have not been.
    pub(crate) fn start(&self, capabilities: Option<&RawValue>) {
        let taken = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(keeper) = taken else { return };
        let (news, told) = mpsc::channel(NEWS);
        let mut identity = ClientIdentity::new("callsign", env!("CARGO_PKG_VERSION"));
        identity.capabilities =
            capabilities.map_or_else(|| raw(PASSED_ON.to_owned()), ToOwned::to_owned);
        // Taken once, so it is set once.
        let _ = self.news.set(news.clone());
        // First, so that what is remembered is served while the servers are being started.
        let earlier = self.fleet.earlier();
        let remembered = earlier.listed.iter().map(|(key, _)| key.clone()).collect();
        let mut stop = self.stop.subscribe();
        self.fleet.run(async move {
            tokio::select! {
                () = keeper.run(told, earlier) => {}
                _ = stop.wait_for(|stop| *stop) => {}
            }
        });
        self.fleet.start(&remembered, identity, Arc::clone(&self.directory), news);
        self.fleet.remember_absent(&self.directory);
    }

    /// Whether the servers have been started.
    pub(crate) fn is_started(&self) -> bool {
        self.news.get().is_some()
    }

    /// Waits until none of these hosts has a request under way, at most as long as the limit says. Gives whether none has.
    pub(crate) async fn drained(&self, counts: impl Fn(&Host) -> bool) -> bool {
        let is_busy = |host: &Arc<Host>| counts(host) && host.session.in_flight() > 0;
        let deadline = Instant::now() + self.limits.drain;
        while self.hosts.all().iter().any(is_busy) {
            if Instant::now() >= deadline {
                return false;
            }
            tokio::time::sleep(LOOK).await;
        }
        true
    }

    /// Passes a notification on to every server that is ready and follows the handshake era; the other has none.
    pub(crate) fn tell_servers(&self, message: &Notification) {
        for upstream in self.fleet.all() {
            let Some(life) = upstream.life_now().filter(|life| life.era() == Era::Handshake) else {
                continue;
            };
            let message = message.clone();
            tokio::spawn(async move {
                let connection = life.session.connection();
                // Who is gone needs not be told.
                let _ = connection.notify(&message.method, message.params.as_deref()).await;
            });
        }
    }

    /// Tells the servers the least severe level of log messages that any host wants.
    pub(crate) fn spread_log_level(&self) {
        let Some(level) = self.hosts.log_level() else { return };
        for upstream in self.fleet.all() {
            upstream.set_log_level(level);
        }
    }

    /// Unsubscribes from a resource that no host wants to hear of any more.
    pub(crate) fn release(&self, offer: &Offer, uri: &str) {
        if self.hosts.subscribers(uri) > 0 {
            return;
        }
        let server = offer.resources.server_of(uri).ok();
        if let Some(upstream) = server.and_then(|server| self.fleet.get(server)) {
            let params = raw(format!("{{\"uri\":{}}}", quoted(uri)));
            upstream.ask_quietly("resources/unsubscribe", params);
        }
    }
}
