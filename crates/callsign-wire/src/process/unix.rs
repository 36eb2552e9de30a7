use std::ffi::{OsStr, OsString};
use std::io;

use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

use super::{Program, groups};

/// A process group, by the id of its first member.
#[derive(Debug)]
pub(super) struct Group {
    id: libc::pid_t,
}

/// Starts the command as the first member of a new group.
pub(super) fn start(command: &mut Command) -> io::Result<(Child, Group)> {
    let child = command.process_group(0).spawn()?;
    let id = child.id().and_then(|id| libc::pid_t::try_from(id).ok());
    let id = id.ok_or_else(|| io::Error::other("the program ended before it had an id"))?;
    groups::remember(id.unsigned_abs());
    Ok((child, Group { id }))
}

/// The system looks names up in the `PATH` that the program is given.
pub(super) fn resolve(program: &Program) -> OsString {
    OsStr::to_owned(&program.command)
}

impl Group {
    /// Whether a member still runs. One that has ended and waits to be collected by a parent that never does (as in
    /// containers without an init) does not.
    pub(super) fn is_alive(&self) -> bool {
        send(self.id, 0) && runs(self.id).unwrap_or(true)
    }

    pub(super) fn terminate(&self) {
        send(self.id, libc::SIGTERM);
    }

    pub(super) fn kill(&self) {
        send(self.id, libc::SIGKILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        groups::forget(self.id.unsigned_abs());
    }
}

/// Whether the group has a member that is no zombie; `None` where the system doesn't tell.
#[cfg(target_os = "linux")]
fn runs(group: libc::pid_t) -> Option<bool> {
    let processes = std::fs::read_dir("/proc").ok()?;
    let mut stats =
        processes.filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok());
    Some(stats.any(|stat| {
        // `id (name) state parent group …`; the name may hold anything (proc_pid_stat(5)).
        let mut words = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
        let state = words.next();
        words.nth(1).and_then(|word| word.parse().ok()) == Some(group) && state != Some("Z")
    }))
}

#[cfg(not(target_os = "linux"))]
fn runs(_: libc::pid_t) -> Option<bool> {
    None
}

pub(super) fn kill_group(group: u32) {
    if let Ok(id) = libc::pid_t::try_from(group) {
        send(id, libc::SIGKILL);
    }
}

/// Sends a signal to a group; says whether anybody was there to get it.
fn send(group: libc::pid_t, signal: libc::c_int) -> bool {
    // `killpg(0)` and `killpg(1)` mean our own group and, on some systems, everybody.
    if group <= 1 {
        return false;
    }
    // SAFETY: killpg takes two integers and touches no memory of ours.
    unsafe { libc::killpg(group, signal) == 0 }
}

/// Ends when this process is asked to stop: SIGINT (Ctrl-C), SIGTERM or SIGHUP.
///
/// Programs started here are in groups of their own, so a terminal's Ctrl-C does not reach them: whoever runs servers
/// races their work against this, and drops them.
///
/// # Errors
/// The signals can't be watched.
pub async fn interrupted() -> io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // Watching for a signal ends that it is ignored, and `nohup` means it.
    let outlives_terminal = ignores(libc::SIGHUP);
    let mut hang_up = if outlives_terminal { None } else { Some(signal(SignalKind::hangup())?) };
    let hung_up = async {
        match &mut hang_up {
            Some(hang_up) => drop(hang_up.recv().await),
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = hung_up => {}
    }
    Ok(())
}

/// Whether this process was started with the signal ignored.
fn ignores(signal: libc::c_int) -> bool {
    // SAFETY: an all-zero sigaction is a valid one, and sigaction only writes to the one it is given.
    unsafe {
        let mut current: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut current) == 0
            && current.sa_sigaction == libc::SIG_IGN
    }
}
