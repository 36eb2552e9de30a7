//! Everything in the gateway that could grow or last, and what becomes of what comes too much.

use std::time::Duration;

/// Bounds of a gateway. None is ever unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long the first answers wait for servers that are still starting, counted once from the gateway's start. A
    /// server that comes later is announced then.
    pub start: Duration,
    /// How long they wait for a server that did not come when it was last waited for.
    pub doubtful_start: Duration,
    /// Bounds of each server: starting, listing, one call.
    pub server: callsign_mcp::Limits,
    /// Changes of the lists are told to hosts once none has come for this long …
    pub quiet: Duration,
    /// … and after this long at the latest.
    pub longest_quiet: Duration,
    /// How long requests in flight may take to finish when the gateway ends.
    pub drain: Duration,
    /// Requests that may be under way at one server. The next one waits, within the limit of its call.
    pub server_requests: usize,
    /// Messages that may wait for one host beside the answers. Further notifications are dropped and counted, further
    /// requests of servers are refused.
    pub host_messages: usize,
    /// Requests of hosts of the stateless era that may wait, at servers of the other, for what the host was asked. The
    /// oldest one is given up for a further one.
    pub parked: usize,
    /// How long each of them waits.
    pub parked_for: Duration,
    /// How soon a server that ended is started again, at first.
    pub restart: Duration,
    /// Each try doubles that, up to this.
    pub longest_restart: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(5),
            doubtful_start: Duration::from_millis(500),
            server: callsign_mcp::Limits::default(),
            quiet: Duration::from_millis(250),
            longest_quiet: Duration::from_secs(2),
            drain: Duration::from_secs(10),
            server_requests: 256,
            host_messages: 1024,
            parked: 256,
            parked_for: Duration::from_secs(5 * 60),
            restart: Duration::from_millis(100),
            longest_restart: Duration::from_secs(60),
        }
    }
}
