//! Everything of a connection that could grow or last, and what its user gets where a bound is reached.

use std::time::Duration;

pub use crate::message::MAX_DEPTH;

/// Bounds of a connection. Waiting is bounded by the caller: every future here may be dropped at any time.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// The longest line, body or event of a stream, in bytes. A longer line ends the connection
    /// ([`Closed::LineTooLong`](crate::Closed::LineTooLong)), a longer body or event the exchange
    /// ([`HttpError::TooLong`](crate::http::HttpError::TooLong)).
    pub message_bytes: usize,
}

impl Default for Bounds {
    /// 16 MiB, which is what other readers of this protocol allow as well.
    fn default() -> Self {
        Self { message_bytes: 16 * 1024 * 1024 }
    }
}

/// Messages that may wait to be written over lines, when the peer does not read, besides those that are being written
/// (all that waited when the write began, up to 64 KiB). Whoever sends the next one waits until it does. Answers that the connection itself owes the peer (to `ping`, and refusals) are not waited for: they are
/// dropped, so that a peer which floods us and reads nothing can't stop our reading.
pub const WRITE_QUEUE: usize = 64;

/// How many lines that are no messages are kept for error messages. Further ones are counted only
/// ([`Seen::junk`](crate::Seen)).
pub const KEPT_JUNK: usize = 3;

/// How much of each of them is kept, in characters; the rest is cut off.
pub const KEPT_JUNK_CHARACTERS: usize = 200;

/// How much of a program's standard error is kept, in bytes. Older lines fall off, the newest stay.
pub const KEPT_STDERR: usize = 16 * 1024;

/// How long a name look-up, a TCP connection and a TLS handshake may take together. Longer is
/// [`HttpError::Unreachable`](crate::http::HttpError::Unreachable).
pub const CONNECT: Duration = Duration::from_secs(10);

/// How long a server may take to accept an answer or a notification of ours over HTTP. Longer is
/// [`HttpError::Unreachable`](crate::http::HttpError::Unreachable); an answer that the connection itself owes is given up.
pub const ACCEPTED: Duration = Duration::from_secs(10);

/// How long the end of a session may take over HTTP. It is a courtesy, so nobody hears that it took longer.
pub const FAREWELL: Duration = Duration::from_secs(2);

/// How long a server of the first revision may take to show its first event, by which alone it is recognised. One that
/// takes longer is told by its status.
pub const FIRST_EVENT: Duration = Duration::from_secs(3);

/// How often an event stream that ended before the answer came is asked for again. After that the request ends with
/// [`HttpError::BrokenOff`](crate::http::HttpError::BrokenOff).
pub const RESUMPTIONS: usize = 8;

/// How long to wait before each of them, where the server names no time.
pub const RESUME_AFTER: Duration = Duration::from_millis(500);

/// How long at most, whatever time the server names.
pub const LONGEST_RETRY: Duration = Duration::from_secs(15);

/// Redirects within one host that are followed (`/mcp` to `/mcp/`). The next one is
/// [`HttpError::Redirected`](crate::http::HttpError::Redirected).
pub const REDIRECTS: usize = 3;

/// How much of the body of a failure is read, in bytes. Of a longer one nothing is shown.
pub const FAILURE_BYTES: usize = 64 * 1024;
