/// Why an exchange over HTTP failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The address or a header can't be used.
    #[error("{0}")]
    Invalid(String),
    /// TLS can't be set up here.
    #[error("TLS can't be set up: {0}")]
    Tls(String),
    /// No answer came: the name is unknown, nobody listens, the certificate is wrong, the network fails.
    #[error("the server can't be reached: {0}")]
    Unreachable(String),
    /// The answer's status is not success, and its body no answer.
    #[error("the server answered with HTTP status {status}{}", excerpt_of(.body))]
    Status {
        /// The status.
        status: u16,
        /// The start of the body, printable.
        body: String,
        /// The header `WWW-Authenticate`, printable.
        challenge: Option<String>,
    },
    /// The server sends us elsewhere. Headers are for the configured host, so that is not followed.
    #[error("the server redirects to {0}, which is not followed")]
    Redirected(String),
    /// The session is over (404 to a request that named it).
    #[error("the server has ended the session")]
    SessionEnded,
    /// The body is neither JSON nor an event stream.
    #[error("the server answered with `{0}`, which is neither JSON nor an event stream")]
    NotAnAnswer(String),
    /// A body or an event is longer than the limit.
    #[error("the server's answer is longer than {0} bytes")]
    TooLong(usize),
    /// The stream ended before the answer came.
    #[error("the server's answer broke off: {0}")]
    BrokenOff(String),
}

fn excerpt_of(body: &str) -> String {
    if body.is_empty() { String::new() } else { format!(": {body}") }
}

impl HttpError {
    /// The status, where that is what is wrong.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether the failure of a first request says that the server does not know it (of a modern one, that it knows
    /// handshakes only; of a handshake, that it knows none): a client error other
    /// than those about who asks and how often, or an answer in no form of ours. Failures of authorization, of the
    /// server and of the network say nothing about it.
    #[must_use]
    pub fn is_about_the_request(&self) -> bool {
        match self {
            Self::Status { status, .. } => {
                (400..500).contains(status) && !is_about_the_caller(*status)
            }
            Self::NotAnAnswer(_) => true,
            _ => false,
        }
    }
}

/// Client errors about who asks, and how often: whatever their body is, it is no answer to the request.
pub(super) fn is_about_the_caller(status: u16) -> bool {
    matches!(status, 401 | 403 | 407 | 408 | 425 | 429)
}
