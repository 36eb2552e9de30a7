use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The groups that are alive, so that a program that must leave without unwinding can end them.
static ALIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

fn alive() -> MutexGuard<'static, BTreeSet<u32>> {
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn remember(group: u32) {
    alive().insert(group);
}

pub(super) fn forget(group: u32) {
    alive().remove(&group);
}

/// Kills every group this process started and has not ended. For the moment before `std::process::exit`, which drops
/// nothing; otherwise dropping a [`Process`](super::Process) is enough.
pub fn end_all() {
    // Held to the end: a group is forgotten before its id may become somebody else's.
    let mut alive = alive();
    for group in std::mem::take(&mut *alive) {
        super::platform::kill_group(group);
    }
}
