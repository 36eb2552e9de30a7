use std::time::Duration;

/// Everything on the side towards hosts that could grow or last. Each field says what happens where it is reached.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The longest line or body of a host, in bytes. A longer one is answered with an error (over HTTP status 413) and
    /// costs nothing else.
    pub message_bytes: usize,
    /// Requests of one session that are not answered yet. The next one is not taken until one is answered, and nor is
    /// anything behind it on the same lines.
    pub in_flight: usize,
    /// How long that wait may last; then the request is refused. A host whose answers we wait for stands behind its own
    /// requests on the same lines, so the wait must end.
    pub place: Duration,
    /// Messages of all sessions that arrived and were not taken. Hosts wait meanwhile.
    pub arrivals: usize,
    /// Messages that wait to be written on one stream. Who sends the next one waits until the host reads.
    pub written: usize,
    /// Messages that belong to no request and are kept until a session's own stream is opened over HTTP. The next one
    /// is refused ([`Unsent::Full`](super::Unsent::Full)).
    pub kept: usize,
    /// Sessions over HTTP. Another one takes the place of the one that was idle longest; where all are busy, it is
    /// refused with status 503.
    pub sessions: usize,
    /// How long a session over HTTP may have no request under way and no stream open. Then it is ended, and its id is
    /// answered with status 404.
    pub idle: Duration,
    /// TCP connections. Further ones wait to be accepted.
    pub connections: usize,
    /// The longest head of an HTTP request, in bytes. A longer one is answered with status 431.
    pub head_bytes: usize,
    /// How long a connection may be open before the next head has arrived, between requests as well. Then it is closed.
    pub head: Duration,
    /// How long a body may take to arrive. Then the request is answered with status 408.
    pub body: Duration,
    /// How long a host may read nothing of what is written to it over HTTP. Then its connection is closed, as if it had
    /// left. Over lines there is no such limit: the one host there is costs itself only.
    pub unread: Duration,
    /// How long an answer over HTTP may have nothing to say before a comment says that we still live: it keeps proxies
    /// from closing the stream and shows us hosts that vanished.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 16 * 1024 * 1024,
            in_flight: 1024,
            place: Duration::from_secs(5),
            arrivals: 64,
            written: 64,
            kept: 256,
            sessions: 1024,
            idle: Duration::from_secs(30 * 60),
            // A session may have several: its own stream, and one a request.
            connections: 4096,
            head_bytes: 64 * 1024,
            // Longer than clients keep connections that they don't use, so that it is they who close them.
            head: Duration::from_secs(120),
            body: Duration::from_secs(30),
            unread: Duration::from_secs(60),
            silence: Duration::from_secs(15),
        }
    }
}
