//! This program's own standard input and output, read and written without a thread of their own where the system can.
//!
//! Tokio's `stdin` and `stdout` hand every read and write to another thread, since they may be files. Hosts give us
//! pipes or sockets, and for those a call costs several times less without it. No flag of the streams is changed: they
//! may be shared with other programs, which `O_NONBLOCK` would break.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

use tokio::io::{AsyncRead, AsyncWrite};

/// Where a host's lines come from.
pub type Reader = Box<dyn AsyncRead + Send + Unpin>;
/// Where ours go.
pub type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Standard input and output for [`serve_lines`](super::serve_lines). Must be called within a Tokio runtime, once:
/// whoever else uses the streams takes bytes of the same conversation.
#[must_use]
pub fn standard_streams() -> (Reader, Writer) {
    (platform::input(), platform::output())
}
