use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};

use super::{Program, groups};

/// A process group, by the id of its first member.
///
/// The system may give an id to a stranger once the first member has been collected and the last one has ended. So it is
/// signalled only until [`release`](Self::release), which comes before the collecting.
#[derive(Debug)]
pub(super) struct Group {
    id: libc::pid_t,
    is_released: bool,
}

/// Starts the command as the first member of a new group.
pub(super) fn start(command: &mut Command) -> io::Result<(Child, Group)> {
    let child = command.process_group(0).spawn()?;
    let id = child.id().and_then(|id| libc::pid_t::try_from(id).ok());
    let id = id.ok_or_else(|| io::Error::other("the program ended before it had an id"))?;
    groups::remember(id.unsigned_abs());
    Ok((child, Group { id, is_released: false }))
}

/// The system looks names up in the `PATH` that the program is given.
pub(super) fn resolve(program: &Program) -> OsString {
    OsStr::to_owned(&program.command)
}

impl Group {
    /// How the first member ended, if it has. It is not collected.
    pub(super) fn status(&self, _: &mut Child) -> io::Result<Option<ExitStatus>> {
        let id = libc::id_t::try_from(self.id).map_err(io::Error::other)?;
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        // SAFETY: an all-zero siginfo_t is a valid one, and waitid only writes to the one it is given. It fills in what
        // is read of it, or leaves the process id zero where the child still runs.
        let (process, code, status) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            if libc::waitid(libc::P_PID, id, &raw mut info, options) != 0 {
                return Err(io::Error::last_os_error());
            }
            (info.si_pid(), info.si_code, info.si_status())
        };
        // As `wait` packs it: an exit code in the second byte, or a signal in the first.
        Ok((process != 0).then(|| match code {
            libc::CLD_EXITED => ExitStatus::from_raw((status & 0xff) << 8),
            libc::CLD_DUMPED => ExitStatus::from_raw(status | 0x80),
            _ => ExitStatus::from_raw(status),
        }))
    }

    /// No more signals from now on: the id may become somebody else's.
    pub(super) fn release(&mut self) {
        self.is_released = true;
        groups::forget(self.id.unsigned_abs());
    }

    fn send(&self, signal: libc::c_int) -> bool {
        !self.is_released && send(self.id, signal)
    }

    /// Whether a member still runs. One that has ended and waits to be collected by a parent that never does (as in
    /// containers without an init) does not.
    pub(super) fn is_alive(&self) -> bool {
        self.send(0) && runs(self.id).unwrap_or(true)
    }

    pub(super) fn terminate(&self) {
        self.send(libc::SIGTERM);
    }

    pub(super) fn kill(&self) {
        self.send(libc::SIGKILL);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        self.release();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_released_group_is_signalled_by_nobody() {
        let (mut child, mut group) = start(Command::new("sleep").arg("600")).unwrap();
        assert!(group.is_alive() && group.status(&mut child).unwrap().is_none());
        group.release();
        assert!(!group.is_alive(), "nobody is asked");
        drop(group);
        assert!(child.try_wait().unwrap().is_none(), "it still runs");
        child.kill().await.unwrap();
    }

    #[tokio::test]
    async fn looking_at_the_end_keeps_the_id_reserved() {
        for (script, code, signal) in [("exit 7", Some(7), None), ("kill -9 $$", None, Some(9))] {
            let (mut child, group) = start(Command::new("sh").args(["-c", script])).unwrap();
            let status = loop {
                if let Some(status) = group.status(&mut child).unwrap() {
                    break status;
                }
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            };
            assert_eq!((status.code(), status.signal()), (code, signal));
            assert!(send(group.id, 0), "the id is still that of the group");
            drop(group);
            assert_eq!(child.wait().await.unwrap(), status, "and it can be collected");
        }
    }
}
