//! The hosts: each with its session, what it said of itself, its requests under way, and what waits to be told to it.

mod greeting;
mod listener;
mod mailbox;
mod question;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use callsign_wire::message::{Id, write_notification};
use callsign_wire::serve::{Session, SessionId};
use serde_json::value::RawValue;

use crate::errand::Errand;
use crate::params::Members;
use mailbox::Mailbox;

pub(crate) use greeting::{discovery, greeting, shake_hands};
pub(crate) use listener::{Listener, Listeners};
pub(crate) use question::{Asker, Question, Questions};

/// One host's session, as the gateway knows it.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) session: Session,
    /// What it offered when it shook hands.
    greeted: OnceLock<Box<RawValue>>,
    /// Its requests that servers work on, by their raw ids.
    errands: Mutex<HashMap<Box<str>, Arc<Errand>>>,
    /// What servers have asked it and it has not answered.
    pub(crate) questions: Questions,
    mailbox: Mailbox,
    log_level: AtomicU8,
    subscriptions: Mutex<BTreeSet<Box<str>>>,
}

/// The host has not said which log messages it wants, so it gets all that there are.
const EVERY_LEVEL: u8 = 0;
/// The levels of log messages, least severe first.
const LOG_LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

impl Host {
    fn new(session: Session, capacity: usize) -> Self {
        Self {
            session,
            greeted: OnceLock::new(),
            errands: Mutex::default(),
            questions: Questions::default(),
            mailbox: Mailbox::new(capacity),
            log_level: AtomicU8::new(EVERY_LEVEL),
            subscriptions: Mutex::default(),
        }
    }

    /// Whether it shook hands, and so takes messages that belong to none of its requests.
    pub(crate) fn is_greeted(&self) -> bool {
        self.greeted.get().is_some()
    }

    fn greet(&self, capabilities: &RawValue) {
        // A second handshake changes nothing: the first one is what servers were told.
        let _ = self.greeted.set(capabilities.to_owned());
    }

    /// What it offered to servers when it shook hands, raw.
    pub(crate) fn capabilities(&self) -> Option<&RawValue> {
        self.greeted.get().map(|capabilities| &**capabilities)
    }

    /// Whether it offered this.
    pub(crate) fn offers(&self, capability: &str) -> bool {
        self.capabilities()
            .and_then(|raw| Members::read(raw.get())?.get(capability))
            .is_some_and(|raw| raw != "null")
    }

    /// Whether a server may ask it this: it shook hands, and offered what is needed for it.
    pub(crate) fn can_be_asked(&self, method: &str) -> bool {
        self.is_greeted() && needed_for(method).is_none_or(|needed| self.offers(needed))
    }

    /// Tells it something that belongs to none of its requests. `false` if as much waits as may.
    pub(crate) fn tell(&self, message: String) -> bool {
        self.mailbox.put(message)
    }

    pub(crate) fn begin(&self, id: &Id, errand: &Arc<Errand>) {
        self.errands().insert(id.raw().into(), Arc::clone(errand));
    }

    pub(crate) fn end(&self, id: &Id) {
        self.errands().remove(id.raw());
    }

    /// Gives a request up that it cancelled. Unknown ids are those of requests that have been answered meanwhile.
    pub(crate) fn cancel(&self, id: &str, reason: &str) {
        if let Some(errand) = self.errands().get(id) {
            errand.cancel(reason);
        }
    }

    fn errands(&self) -> MutexGuard<'_, HashMap<Box<str>, Arc<Errand>>> {
        self.errands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the least severe level of log messages it wants; `false` if there is no such level.
    pub(crate) fn set_log_level(&self, level: &str) -> bool {
        let Some(rank) = rank(level) else { return false };
        self.log_level.store(rank, Ordering::Relaxed);
        true
    }

    /// The least severe level it wants, if it has said.
    pub(crate) fn log_level(&self) -> Option<&'static str> {
        LOG_LEVELS.get(usize::from(self.log_rank().checked_sub(1)?)).copied()
    }

    fn log_rank(&self) -> u8 {
        self.log_level.load(Ordering::Relaxed)
    }

    pub(crate) fn wants_log(&self, level: &str) -> bool {
        self.is_greeted() && rank(level).is_none_or(|rank| rank >= self.log_rank())
    }

    /// Notes that it wants to hear of a resource; `false` if it did before.
    pub(crate) fn subscribe(&self, uri: &str) -> bool {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner).insert(uri.into())
    }

    /// `false` if it did not.
    pub(crate) fn unsubscribe(&self, uri: &str) -> bool {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner).remove(uri)
    }

    fn subscriptions(&self) -> BTreeSet<Box<str>> {
        self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it wants to hear of this resource, or of one that it is a part of.
    pub(crate) fn is_subscribed(&self, uri: &str) -> bool {
        let subscriptions = self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner);
        subscriptions.iter().any(|wanted| uri.starts_with(&**wanted))
    }
}

/// What a host must have offered to be asked this.
pub(crate) fn needed_for(method: &str) -> Option<&'static str> {
    match method {
        "sampling/createMessage" => Some("sampling"),
        "elicitation/create" => Some("elicitation"),
        "roots/list" => Some("roots"),
        _ => None,
    }
}

/// How severe a level is, counted from 1.
pub(crate) fn rank(level: &str) -> Option<u8> {
    let at = LOG_LEVELS.iter().position(|known| *known == level)?;
    u8::try_from(at + 1).ok()
}

/// All hosts there are.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    by_session: Mutex<HashMap<SessionId, Arc<Host>>>,
    pub(crate) listeners: Listeners,
    capacity: usize,
}

impl Hosts {
    /// `capacity` is how many messages may wait for one host.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { by_session: Mutex::default(), listeners: Listeners::default(), capacity }
    }

    fn by_session(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Host>>> {
        self.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The host of a session, which begins with its first message.
    pub(crate) fn of(&self, session: &Session) -> Arc<Host> {
        let mut hosts = self.by_session();
        let host = hosts.entry(session.id()).or_insert_with(|| {
            let host = Arc::new(Host::new(session.clone(), self.capacity));
            tokio::spawn(mailbox::deliver(Arc::clone(&host)));
            host
        });
        Arc::clone(host)
    }

    pub(crate) fn all(&self) -> Vec<Arc<Host>> {
        self.by_session().values().cloned().collect()
    }

    /// Forgets a host whose session is over. Its requests under way are given up.
    pub(crate) fn forget(&self, session: &Session) -> Option<Arc<Host>> {
        let host = self.by_session().remove(&session.id())?;
        Some(host)
    }

    /// Tells every host that shook hands, and those that listen for it.
    pub(crate) fn announce(&self, method: &str) {
        let message = write_notification(method, None);
        for host in self.all().iter().filter(|host| host.is_greeted()) {
            host.tell(message.clone());
        }
        self.listeners.tell_of_list(method);
    }

    /// Everything that any host wants to hear of.
    pub(crate) fn subscriptions(&self) -> BTreeSet<Box<str>> {
        let mut uris = self.listeners.uris();
        uris.extend(self.all().iter().flat_map(|host| host.subscriptions()));
        uris
    }

    /// How many hosts want to hear of a resource.
    pub(crate) fn subscribers(&self, uri: &str) -> usize {
        let hosts = self.all();
        let subscribed = hosts.iter().filter(|host| host.subscriptions().contains(uri));
        subscribed.count() + self.listeners.of_resource(uri)
    }

    /// The least severe level that any host wants; `None` if none has said.
    pub(crate) fn log_level(&self) -> Option<&'static str> {
        let hosts = self.all();
        let levels = hosts.iter().filter_map(|host| host.log_level());
        levels.min_by_key(|level| rank(level))
    }
}

impl Host {
    /// The host is gone: nobody waits for its requests any more.
    pub(crate) fn vanish(&self) {
        for errand in self.errands().values() {
            errand.cancel(crate::carry::CLIENT_GONE);
        }
        self.mailbox.close();
    }

    /// What it was subscribed to.
    pub(crate) fn take_subscriptions(&self) -> BTreeSet<Box<str>> {
        std::mem::take(&mut *self.subscriptions.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
