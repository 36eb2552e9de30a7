use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::access::Caller;
use super::refused::Refused;
use super::{Kept, Shared};
use crate::message::Id;
use crate::serve::session::Outlet;
use crate::serve::{Arrival, Carrier, Ending, Session};

/// Random bytes of a session's id: nobody guesses it.
const ID_BYTES: usize = 16;

/// The sessions of the handshake era by their ids.
pub(super) struct Sessions {
    open: Mutex<HashMap<String, Open>>,
    capacity: usize,
}

#[derive(Clone)]
pub(super) struct Open {
    pub(super) session: Session,
    pub(super) kept: Arc<Kept>,
    used: Instant,
}

impl Open {
    fn is_busy(&self) -> bool {
        self.session.in_flight() > 0 || self.kept.is_open()
    }
}

impl Sessions {
    pub(super) fn new(capacity: usize) -> Self {
        Self { open: Mutex::default(), capacity: capacity.max(1) }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn count(&self) -> usize {
        self.open().len()
    }

    /// The caller's session of this id, used now. Somebody else's is unknown to them.
    pub(super) fn find(&self, id: &str, caller: &Caller) -> Option<Open> {
        let mut open = self.open();
        let found = open.get_mut(id).filter(|found| !found.session.is_over())?;
        if found.session.principal() != caller.principal.as_ref() {
            return None;
        }
        found.used = Instant::now();
        Some(found.clone())
    }

    pub(super) fn take(&self, id: &str) -> Option<Open> {
        self.open().remove(id)
    }

    /// Ends the sessions' own streams. The sessions stay, so that what is under way in them goes on.
    pub(super) fn end_streams(&self) {
        for open in self.open().values() {
            open.kept.close();
        }
    }

    /// Adds a session; gives the one whose place it took. `Err` where all are busy.
    fn add(&self, id: String, added: Open) -> Result<Option<Session>, ()> {
        let mut open = self.open();
        let mut displaced = None;
        if open.len() >= self.capacity {
            let idle = open.iter().filter(|(_, open)| !open.is_busy());
            let oldest = idle.min_by_key(|(_, open)| open.used).map(|(id, _)| id.clone());
            let oldest = oldest.ok_or(())?;
            displaced = open.remove(&oldest).map(|open| open.session);
        }
        open.insert(id, added);
        Ok(displaced)
    }

    /// Takes out the sessions that were idle for the limit, and those that somebody ended.
    fn take_idle(&self, limit: Duration) -> Vec<Session> {
        let now = Instant::now();
        let mut idle = Vec::new();
        self.open().retain(|_, open| {
            if open.session.is_over() {
                return false;
            }
            if open.is_busy() {
                open.used = now;
            }
            let stays = now.duration_since(open.used) < limit;
            if !stays {
                idle.push(open.session.clone());
            }
            stays
        });
        idle
    }
}

/// Begins a session; gives its id as well.
pub(super) async fn begin(
    shared: &Shared,
    caller: &Caller,
    request: &Id,
) -> Result<(String, Open), Refused> {
    let id = random_id().ok_or_else(|| Refused::no_randomness(request))?;
    let kept = Arc::new(Kept::new(shared.limits.kept));
    let outlet = Outlet::Stream(Arc::clone(&kept));
    let principal = caller.principal.clone();
    let session = Session::new(Carrier::HttpSession, principal, outlet, &shared.limits);
    let open = Open { session, kept, used: Instant::now() };
    let displaced = shared.sessions.add(id.clone(), open.clone());
    if let Some(session) = displaced.map_err(|()| Refused::too_many_sessions(request))? {
        end(shared, session, Ending::Displaced).await;
    }
    Ok((id, open))
}

/// Ends a session that is out of the table already.
pub(super) async fn end(shared: &Shared, session: Session, ending: Ending) {
    session.end();
    // Once nothing is taken any more, nobody needs to be told.
    let _ = shared.bring(Arrival::Ended(session, ending)).await;
}

/// Ends sessions that are idle for the limit, as long as the service lives.
pub(super) async fn end_idle(shared: Weak<Shared>, limit: Duration) {
    let pause = (limit / 4).clamp(Duration::from_millis(10), Duration::from_secs(30));
    loop {
        tokio::time::sleep(pause).await;
        let Some(shared) = shared.upgrade() else { return };
        for session in shared.sessions.take_idle(limit) {
            end(&shared, session, Ending::Idle).await;
        }
    }
}

fn random_id() -> Option<String> {
    let mut bytes = [0; ID_BYTES];
    getrandom::fill(&mut bytes).ok()?;
    let mut id = String::with_capacity(2 * ID_BYTES);
    for byte in bytes {
        // Writing to a String can't fail.
        let _ = write!(id, "{byte:02x}");
    }
    Some(id)
}
