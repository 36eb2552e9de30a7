//! The exit statuses, and what each means. Nothing else in the program writes a number.

use std::process::ExitCode;

/// An exit status of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status(u8);

/// Done; for `check`: nothing at or above the failing severity.
pub(crate) const SUCCESS: Status = Status(0);
/// `check` found something at or above the failing severity; a name could not be made; a stored name would change; a called
/// tool answered with an error. Never a crash.
pub(crate) const FINDINGS: Status = Status(1);
/// Could not run: bad arguments, unreadable configuration, no consent, a server that does not answer, an unknown name; or
/// a check that could check nothing.
pub(crate) const FAILURE: Status = Status(2);
/// Ended by Ctrl-C, as shells count it.
pub(crate) const INTERRUPTED: Status = Status(130);

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.0)
    }
}
