//! What happens before the first message: lines on stdout and stderr, and a child process.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::behaviour::{Behaviour, Ending};
use crate::outlet::Outlet;
use crate::{FlagError, ServeError};

/// The first lines on stdout: junk, if there shall be any.
pub(crate) fn banner(behaviour: &Behaviour, outlet: &Outlet) {
    behaviour.junk_lines().for_each(|line| outlet.junk(line));
}

/// Writes to stderr and starts the child.
pub(crate) fn side_effects(behaviour: &Behaviour) -> Result<(), ServeError> {
    for line in &behaviour.noise.stderr {
        // A client that has closed our stderr does not change what we serve.
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    match &behaviour.ending.child {
        Some(pid_file) => start_child(&behaviour.ending, pid_file),
        None => Ok(()),
    }
}

/// Starts this program again, as a sleeper in the same process group, and writes its id into a file (whole at once, so
/// that nobody reads half of it).
fn start_child(ending: &Ending, pid_file: &Path) -> Result<(), ServeError> {
    let failed = |cause| ServeError::Process { what: "start a child process", cause };
    let program = std::env::current_exe().map_err(failed)?;
    let stdout = if ending.child_holds_stdout { Stdio::inherit() } else { Stdio::null() };
    let child = Command::new(program)
        .arg("sleep")
        .arg(ending.longest_life.as_secs().to_string())
        .stdin(Stdio::null())
        .stdout(stdout)
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let unfinished = pid_file.with_extension("unfinished");
    std::fs::write(&unfinished, child.id().to_string())
        .and_then(|()| std::fs::rename(&unfinished, pid_file))
        .map_err(|cause| FlagError::File { path: pid_file.into(), cause }.into())
}
