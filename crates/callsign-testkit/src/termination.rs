//! Deafness to SIGTERM. Only Unix has that signal; elsewhere the behaviour still goes on when stdin closes.

use crate::ServeError;
use crate::behaviour::Ending;

/// While this lives, SIGTERM does what the behaviour says.
#[cfg(unix)]
pub(crate) struct Prepared {
    _taken_over: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
pub(crate) fn prepare(ending: &Ending) -> Result<Prepared, ServeError> {
    use tokio::signal::unix::{SignalKind, signal};
    let failed = |cause| ServeError::Process { what: "take over SIGTERM", cause };
    // A signal that is listened for no longer ends the process, and nobody listens to this one.
    let listener = ending.ignores_sigterm.then(|| signal(SignalKind::terminate()));
    Ok(Prepared { _taken_over: listener.transpose().map_err(failed)? })
}

/// While this lives, SIGTERM does what the behaviour says.
#[cfg(not(unix))]
pub(crate) struct Prepared;

#[cfg(not(unix))]
pub(crate) fn prepare(_ending: &Ending) -> Result<Prepared, ServeError> {
    Ok(Prepared)
}
