//! Programs that speak over their standard streams, ended as a whole.
//!
//! ```text
//! start ──► stdin, stdout (for a Connection)      end: stdin closed ─ grace ─► terminate group ─ grace ─► kill group
//!       ──► stderr (its tail is kept)             drop: kill group
//! ```
//!
//! A server is often a launcher with the real program below it, so signals go to the whole group (a process group on
//! Unix, a job object on Windows). What differs between platforms is in `unix.rs` and `windows.rs` and nowhere else.

mod groups;
mod tail;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

pub use groups::end_all;
pub use platform::interrupted;
pub use tail::Tail;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::Instant;

/// What to start. The environment is exactly `environment`: nothing is inherited.
#[derive(Clone)]
pub struct Program {
    /// The program's path, or its name to be looked up in the `PATH` of `environment`.
    pub command: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Where it starts; `None` for the current directory.
    pub directory: Option<PathBuf>,
}

/// Why a program did not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NotFound(String),
    /// The directory to start in does not exist.
    #[error("there is no directory `{0}` to start in")]
    NoDirectory(String),
    /// The system refused.
    #[error("`{command}` could not be started: {source}")]
    Refused {
        /// The program.
        command: String,
        /// The system's reason.
        source: io::Error,
    },
}

/// A running program and everything it started. Dropping it kills them all.
#[derive(Debug)]
pub struct Process {
    // Dropped in this order: the group is signalled while the uncollected child still reserves its id.
    group: platform::Group,
    child: Child,
    stderr: Tail,
}

/// How long each step of [`Process::end`] may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// To leave once stdin is closed.
    pub leave: Duration,
    /// To leave once asked to terminate.
    pub terminate: Duration,
}

/// The system needs a moment to end what was killed.
const KILLED: Duration = Duration::from_secs(1);
/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(5);

/// The two ends that carry messages.
pub type Streams = (ChildStdin, ChildStdout);

impl Process {
    /// Starts a program in a group of its own. Must be called within a Tokio runtime.
    ///
    /// # Errors
    /// The program or its directory is not there, or the system refuses.
    pub fn start(program: &Program) -> Result<(Self, Streams), StartError> {
        let name = program.command.to_string_lossy().into_owned();
        if let Some(directory) = program.directory.as_ref().filter(|path| !path.is_dir()) {
            return Err(StartError::NoDirectory(directory.display().to_string()));
        }
        let mut command = Command::new(platform::resolve(program));
        command
            .args(&program.arguments)
            .env_clear()
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &program.directory {
            command.current_dir(directory);
        }
        let (mut child, group) =
            platform::start(&mut command).map_err(|source| match source.kind() {
                io::ErrorKind::NotFound => StartError::NotFound(name.clone()),
                _ => StartError::Refused { command: name.clone(), source },
            })?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            let source = io::Error::other("a standard stream is missing");
            return Err(StartError::Refused { command: name, source });
        };
        Ok((Self { group, child, stderr: Tail::of(stderr) }, (stdin, stdout)))
    }

    /// What the program wrote on its standard error, as far as it is kept.
    #[must_use]
    pub fn stderr(&self) -> &Tail {
        &self.stderr
    }

    /// The same, to wait for its last words.
    pub fn stderr_mut(&mut self) -> &mut Tail {
        &mut self.stderr
    }

    /// How the program ended, waiting at most `limit`; `None` if it still runs then.
    ///
    /// It is looked at without being collected: as long as it is not, the system gives the id of its group to nobody
    /// else, and what is left of the group can be signalled.
    pub async fn exited(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            match self.group.status(&mut self.child) {
                Ok(None) if Instant::now() < deadline => tokio::time::sleep(LOOK).await,
                Ok(status) => return status,
                Err(error) => {
                    // Somebody else has collected it (a parent can have our children collected unseen).
                    tracing::debug!(%error, "how a program ended is not known");
                    self.group.release();
                    return None;
                }
            }
        }
    }

    /// Ends the program and its whole group: gives it `patience.leave` to go by itself (its stdin should be closed
    /// already), asks the group to terminate, gives it `patience.terminate`, then kills what is left.
    pub async fn end(mut self, patience: Patience) -> Option<ExitStatus> {
        if self.exited(patience.leave).await.is_none() || self.group.is_alive() {
            self.group.terminate();
            self.group_gone(patience.terminate).await;
        }
        self.group.kill();
        let status = self.exited(KILLED).await;
        self.group.release();
        // Collected only now, when nobody signals the group any more.
        let _ = tokio::time::timeout(KILLED, self.child.wait()).await;
        status
    }

    /// Waits until nobody is left in the group, at most `limit`.
    async fn group_gone(&mut self, limit: Duration) {
        let deadline = Instant::now() + limit;
        // Members other than the first are not our children, so their end can only be asked for.
        while self.exited(Duration::ZERO).await.is_none() || self.group.is_alive() {
            if Instant::now() >= deadline {
                return;
            }
            tokio::time::sleep(3 * LOOK).await;
        }
    }
}
