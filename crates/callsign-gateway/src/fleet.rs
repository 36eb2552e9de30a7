//! The servers there are: started together, and exchanged one by one when the configuration changes.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use arc_swap::ArcSwap;
use callsign::ServerKey;
use callsign_mcp::{Memory, Remembered, ServerSpec};
use callsign_wire::ClientIdentity;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::directory::{Directory, Earlier, Listing, News};
use crate::downstream::Hosts;
use crate::limits::Limits;
use crate::upstream::{Supervisor, Upstream};

/// How often it is looked whether a server that was taken out still has requests under way.
const LOOK: Duration = Duration::from_millis(20);

/// To start a program takes milliseconds in which nothing else is done.
const WAY: Duration = Duration::from_millis(2);

type Servers = HashMap<ServerKey, Arc<Upstream>>;

/// All servers, by their keys.
#[derive(Debug)]
pub(crate) struct Fleet {
    servers: ArcSwap<Servers>,
    hosts: Arc<Hosts>,
    limits: Limits,
    memory: Memory,
    /// What a server is started with; set when the first ones are.
    crew: OnceLock<Crew>,
    running: Mutex<JoinSet<()>>,
}

#[derive(Debug)]
struct Crew {
    identity: ClientIdentity,
    directory: Arc<Directory>,
    news: mpsc::Sender<News>,
}

impl Fleet {
    pub(crate) fn new(
        specs: impl Iterator<Item = ServerSpec>,
        hosts: Arc<Hosts>,
        memory: Memory,
        limits: Limits,
    ) -> Self {
        let (crew, running) = (OnceLock::new(), Mutex::default());
        let fleet = Self { servers: ArcSwap::default(), hosts, limits, memory, crew, running };
        let servers = specs.map(|spec| (spec.key.clone(), fleet.upstream(spec))).collect();
        fleet.servers.store(Arc::new(servers));
        fleet
    }

    fn upstream(&self, spec: ServerSpec) -> Arc<Upstream> {
        Arc::new(Upstream::new(spec, Arc::clone(&self.hosts), self.limits.server_requests))
    }

    fn running(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server under a key.
    pub(crate) fn get(&self, server: &ServerKey) -> Option<Arc<Upstream>> {
        self.servers.load().get(server).cloned()
    }

    /// All of them, sorted by key.
    pub(crate) fn all(&self) -> Vec<Arc<Upstream>> {
        let mut all: Vec<_> = self.servers.load().values().cloned().collect();
        all.sort_by(|a, b| a.key.cmp(&b.key));
        all
    }

    /// The only one there is.
    pub(crate) fn only(&self) -> Option<Arc<Upstream>> {
        let servers = self.servers.load();
        if servers.len() == 1 { servers.values().next().cloned() } else { None }
    }

    pub(crate) fn len(&self) -> usize {
        self.servers.load().len()
    }

    /// Starts all servers. Those that are `remembered` make way for the first answers, which need nothing of them.
    pub(crate) fn start(
        &self,
        remembered: &BTreeSet<ServerKey>,
        identity: ClientIdentity,
        directory: Arc<Directory>,
        news: mpsc::Sender<News>,
    ) {
        // Started once, so it is set once.
        let _ = self.crew.set(Crew { identity, directory, news });
        for upstream in self.all() {
            let makes_way = remembered.contains(&upstream.key);
            self.supervise(upstream, makes_way);
        }
    }

    fn supervise(&self, upstream: Arc<Upstream>, makes_way: bool) {
        let Some(crew) = self.crew.get() else { return };
        let supervisor = Supervisor {
            stop: upstream.stops(),
            upstream,
            identity: crew.identity.clone(),
            memory: self.memory.clone(),
            limits: self.limits,
            directory: Arc::clone(&crew.directory),
            news: crew.news.clone(),
        };
        self.running().spawn(async move {
            if makes_way {
                tokio::time::sleep(WAY).await;
            }
            supervisor.run().await;
        });
    }

    /// Runs some work as long as the servers run.
    pub(crate) fn run(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.running().spawn(work);
    }

    /// Puts other servers in place of those there are. One that is started in the same way goes on as it is; one that is not
    /// there any more finishes what is under way and ends. Gives the keys of those that are new or started in another way.
    pub(crate) fn exchange(&self, specs: Vec<ServerSpec>) -> Vec<ServerKey> {
        let before = self.servers.load_full();
        let mut fresh = Vec::new();
        let mut after = Servers::new();
        for spec in specs {
            let kept = before.get(&spec.key).filter(|upstream| upstream.is_started_by(&spec));
            let upstream = match kept {
                Some(upstream) => Arc::clone(upstream),
                None => {
                    let upstream = self.upstream(spec);
                    fresh.push(Arc::clone(&upstream));
                    upstream
                }
            };
            after.insert(upstream.key.clone(), upstream);
        }
        let is_kept = |upstream: &Arc<Upstream>| {
            after.get(&upstream.key).is_some_and(|kept| Arc::ptr_eq(kept, upstream))
        };
        let gone: Vec<_> = before.values().filter(|it| !is_kept(it)).cloned().collect();
        self.servers.store(Arc::new(after));
        for upstream in gone {
            self.retire(upstream);
        }
        let keys = fresh.iter().map(|upstream| upstream.key.clone()).collect();
        fresh.into_iter().for_each(|upstream| self.supervise(upstream, false));
        keys
    }

    fn retire(&self, upstream: Arc<Upstream>) {
        let deadline = Instant::now() + self.limits.drain;
        self.run(async move {
            while upstream.under_way() > 0 && Instant::now() < deadline {
                tokio::time::sleep(LOOK).await;
            }
            upstream.stop();
        });
    }

    /// What is known of the servers from an earlier run.
    pub(crate) fn earlier(&self) -> Earlier {
        let mut earlier = Earlier::default();
        for upstream in self.all() {
            match self.memory.catalogue(&upstream.spec) {
                Some(Remembered { catalogue, templates, .. }) => {
                    let listing = Listing { catalogue, templates };
                    earlier.listed.push((upstream.key.clone(), listing));
                }
                None if self.memory.was_absent(&upstream.spec) => {
                    earlier.absent.insert(upstream.key.clone());
                }
                None => {}
            }
        }
        earlier
    }

    /// Remembers those that did not come at the start, so that the next one waits less for them.
    pub(crate) fn remember_absent(&self, directory: &Arc<Directory>) {
        let (directory, memory, all) = (Arc::clone(directory), self.memory.clone(), self.all());
        self.run(async move {
            let report = directory.report().await;
            for outage in &report.missing {
                if let Some(upstream) = all.iter().find(|it| it.key == outage.server) {
                    memory.remember_absence(&upstream.spec);
                }
            }
        });
    }

    /// Ends all servers, each in its own time, and waits for that.
    pub(crate) async fn stop(&self) {
        self.all().iter().for_each(|upstream| upstream.stop());
        let mut running = std::mem::take(&mut *self.running());
        let deadline = Instant::now() + self.limits.drain;
        while let Ok(Some(_)) = timeout_at(deadline, running.join_next()).await {}
    }
}
