use std::time::Duration;

use callsign_wire::process::Patience;

/// How long "it speaks the old era" is believed by default.
pub(crate) const HANDSHAKE_VERDICT: Duration = Duration::from_secs(24 * 60 * 60);

/// Bounds of everything that waits for, or takes from, a server. None is ever unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From the start of one server to its complete list.
    pub start: Duration,
    /// How long a server of unknown era may stay silent to `server/discover` over stdio before it is also asked to
    /// `initialize`.
    pub probe: Duration,
    /// The same over HTTP, where a slow network takes longer. A server of both eras that answers later than that speaks
    /// the handshake era in this one connection.
    pub probe_http: Duration,
    /// One call of a tool.
    pub call: Duration,
    /// How long a server may take to leave by itself once its stdin is closed. After a call it is given ten times that.
    pub leave: Duration,
    /// How long it may take once it is asked to terminate; then it is killed.
    pub terminate: Duration,
    /// Pages of one list.
    pub pages: usize,
    /// Bytes of all pages of one list.
    pub bytes: usize,
    /// Entries of one list.
    pub entries: usize,
    /// One message: a line, a body, an event.
    pub message_bytes: usize,
    /// How long "it speaks the old era" is believed before the server is asked again.
    pub handshake_verdict: Duration,
}

impl Default for Limits {
    /// Sized by 161 public servers: the slowest took 37 s to start on a busy machine and 6 s in the median, the largest
    /// list had fewer than 1000 tools and less than 2 MB.
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            probe: Duration::from_millis(700),
            probe_http: Duration::from_secs(1),
            call: Duration::from_secs(120),
            // Many servers stay when stdin closes, and a check of many is to take no longer than its slowest one.
            leave: Duration::from_millis(60),
            terminate: Duration::from_millis(250),
            pages: 1000,
            bytes: 64 * 1024 * 1024,
            entries: 20_000,
            message_bytes: 16 * 1024 * 1024,
            handshake_verdict: HANDSHAKE_VERDICT,
        }
    }
}

impl Limits {
    /// For a server that was only asked what it has.
    pub(crate) fn patience(&self) -> Patience {
        Patience { leave: self.leave, terminate: self.terminate }
    }

    /// For a server that may have work to finish.
    pub(crate) fn patience_after_a_call(&self) -> Patience {
        Patience { leave: self.leave * 10, terminate: self.terminate * 2 }
    }
}
