use std::fmt;
use std::time::Duration;

use callsign_wire::http::HttpError;
use callsign_wire::lifecycle::HandshakeError;
use callsign_wire::process::StartError;
use callsign_wire::text::printable;
use callsign_wire::{Closed, RequestError};

use crate::mask::Mask;
use crate::paging::BadList;

/// How far a server had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Before it answered anything.
    Opening,
    /// Giving this list, at this page counted from 1.
    Listing {
        /// `tools`, `prompts` or `resources`.
        list: &'static str,
        /// The page asked for.
        page: usize,
    },
    /// Carrying out a call.
    Calling,
    /// Between requests.
    Serving,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => f.write_str("before it answered the first message"),
            Self::Listing { list, page: 1 } => write!(f, "while it was asked for its {list}"),
            Self::Listing { list, page } => {
                write!(f, "while it was asked for page {page} of its {list}")
            }
            Self::Calling => f.write_str("during a call"),
            Self::Serving => f.write_str("while it was being served"),
        }
    }
}

/// What a server wrote that may explain its failure. Secrets are hidden, control characters escaped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The end of its standard error; empty for a server reached by HTTP.
    pub stderr: String,
    /// Lines on its standard output that are no message: how many.
    pub junk_lines: usize,
    /// The first of them.
    pub junk: Vec<String>,
    /// Answers it gave to nothing that was asked.
    pub strays: usize,
}

/// A text of an entry or a server as part of a sentence: one line, fit for a terminal.
pub(crate) fn plain(text: &str) -> String {
    printable(text, 1000)
}

/// Why a server has no catalogue, or can't be called. The sentence doesn't name the server: who reports it does. It is
/// one line without control characters, whatever the fields hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The program does not exist.
    #[error("there is no program `{}`", plain(.command))]
    NotFound {
        /// What the entry names.
        command: String,
    },
    /// The directory to start in does not exist.
    #[error("there is no directory `{}` to start in", plain(.path))]
    NoDirectory {
        /// What the entry names.
        path: String,
    },
    /// The system did not start the program.
    #[error("`{}` could not be started: {}", plain(.command), plain(.reason))]
    NotStarted {
        /// What the entry names.
        command: String,
        /// The system's reason.
        reason: String,
    },
    /// The program ended, or closed its output.
    #[error("it ended {stage}{}", .status.as_ref().map(|status| format!(" ({})", plain(status))).unwrap_or_default())]
    ExitedEarly {
        /// How far it had come.
        stage: Stage,
        /// How it ended; `None` if it closed its output and still ran.
        status: Option<String>,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// A limit of time passed.
    #[error("{}{}", too_slow(*.stage, *.limit), meanwhile(.evidence))]
    TimedOut {
        /// How far it had come.
        stage: Stage,
        /// The limit.
        limit: Duration,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// The server answered with a JSON-RPC error.
    #[error("it answered with an error {}: {}{}", answering(*.stage), plain(.message), .code.map(|code| format!(" (code {code})")).unwrap_or_default())]
    Refused {
        /// How far it had come.
        stage: Stage,
        /// The error's code.
        code: Option<i64>,
        /// The error's message.
        message: String,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// No revision of the protocol in common.
    #[error("it speaks no revision of the protocol that callsign does (it offers {})", plain(.offered))]
    NoCommonRevision {
        /// What it offers.
        offered: String,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// The transport of the first revision.
    #[error("it speaks HTTP+SSE, the transport of revision 2024-11-05, which callsign does not")]
    FirstRevisionSse,
    /// The address or a header can't be used.
    #[error("{}", plain(.reason))]
    Invalid {
        /// What is wrong.
        reason: String,
    },
    /// No connection came about.
    #[error("it can't be reached: {}", plain(.reason))]
    Unreachable {
        /// The network's or TLS's reason.
        reason: String,
    },
    /// A status other than success.
    #[error("it answered with HTTP status {status} {}{}", answering(*.stage), if .body.is_empty() { String::new() } else { format!(": {}", plain(.body)) })]
    Http {
        /// How far it had come.
        stage: Stage,
        /// The status.
        status: u16,
        /// The start of the body.
        body: String,
        /// The header `WWW-Authenticate`.
        challenge: Option<String>,
    },
    /// It sends callers elsewhere.
    #[error(
        "it redirects to {}, which is not followed: headers are meant for the address in the entry",
        plain(.location)
    )]
    Redirected {
        /// Where to, without a query.
        location: String,
    },
    /// What answers is no MCP server.
    #[error("what answers there is no MCP server: {}", plain(.reason))]
    NotMcp {
        /// What it sent instead.
        reason: String,
    },
    /// The connection ended in the middle of an answer.
    #[error("the connection broke {stage}: {}", plain(.reason))]
    BrokenOff {
        /// How far it had come.
        stage: Stage,
        /// What happened.
        reason: String,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// The server has forgotten the session that the request named.
    #[error("it ended the session {stage}")]
    SessionEnded {
        /// How far it had come.
        stage: Stage,
    },
    /// A page names a cursor that an earlier page named, so the list would never end.
    #[error("its list of {list} goes in a circle: page {page} names a cursor for the second time")]
    RepeatedCursor {
        /// Which list.
        list: &'static str,
        /// The page that repeats, counted from 1.
        page: usize,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// A list exceeds a limit.
    #[error("its list of {list} has more than {limit} {what}")]
    TooMuch {
        /// Which list.
        list: &'static str,
        /// `pages`, `entries` or `bytes`.
        what: &'static str,
        /// The limit.
        limit: usize,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// One message exceeds the limit.
    #[error("it sent a message longer than {limit} bytes")]
    MessageTooLong {
        /// The limit.
        limit: usize,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// An answer is no message.
    #[error("its answer can't be read {}: {}", answering(*.stage), plain(.reason))]
    Unreadable {
        /// How far it had come.
        stage: Stage,
        /// What is wrong with it.
        reason: String,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
    /// The answer to a list request is no list.
    #[error("its answer to the request for its {list} can't be read: {}", plain(.reason))]
    NotAList {
        /// Which list.
        list: &'static str,
        /// What is wrong with it.
        reason: String,
        /// What it wrote.
        evidence: Box<Evidence>,
    },
}

/// The stage of a server that did answer.
fn answering(stage: Stage) -> String {
    match stage {
        Stage::Opening => "at the first message".to_owned(),
        other => other.to_string(),
    }
}

fn too_slow(stage: Stage, limit: Duration) -> String {
    let limit = (limit.as_secs_f64() * 10.0).round() / 10.0;
    match stage {
        Stage::Opening => format!("it did not answer the first message within {limit} s"),
        Stage::Listing { list, page } => {
            format!("its list of {list} was not complete after {limit} s (page {page})")
        }
        Stage::Calling | Stage::Serving => {
            format!("it did not answer the call within {limit} s")
        }
    }
}

/// What came in place of the answer that was waited for, so that a server that answers wrongly isn't taken for a slow one.
fn meanwhile(evidence: &Evidence) -> String {
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(one.to_owned()),
        count => Some(many.replace('#', &count.to_string())),
    };
    let came: Vec<String> = [
        counted(
            evidence.junk_lines,
            "it wrote 1 line that is no message",
            "it wrote # lines that are no messages",
        ),
        counted(
            evidence.strays,
            "it gave 1 answer to nothing that was asked",
            "it gave # answers to nothing that was asked",
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if came.is_empty() { String::new() } else { format!("; meanwhile {}", came.join(" and ")) }
}

impl FetchError {
    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        let fixed = match self {
            Self::NotFound { command } => {
                return format!(
                    "install `{}`, or write its full path; the server is started with the caller's `PATH`",
                    plain(command)
                );
            }
            Self::Http { status, challenge, .. } => {
                return http_remedy(*status, challenge.as_deref());
            }
            Self::NoDirectory { .. } => "create it, or correct `cwd` in the server's entry",
            Self::NotStarted { .. } => {
                "check that the file may be executed and is made for this system"
            }
            Self::ExitedEarly { .. } => {
                "run the command by hand and read what it says; an argument or an environment variable may be missing from its entry"
            }
            Self::TimedOut { .. } => {
                "run the command by hand to see what it waits for; give it more time with a larger limit if it is merely slow"
            }
            Self::Refused { .. } => {
                "read the message; the server's documentation should explain it"
            }
            Self::NoCommonRevision { .. } => {
                "update callsign, or use another version of the server"
            }
            Self::FirstRevisionSse => {
                "use the server's Streamable HTTP address (often `/mcp` instead of `/sse`), or a newer version of it"
            }
            Self::Invalid { .. } => "correct the server's entry",
            Self::Unreachable { .. } => "check the address, the network and that the server runs",
            Self::Redirected { .. } => {
                "write the new address into the server's entry, if you trust it"
            }
            Self::NotMcp { .. } => {
                "check the path of the address: MCP servers often live under `/mcp`"
            }
            Self::BrokenOff { .. } => "try again; if it stays, look into the server's log",
            Self::SessionEnded { .. } => {
                "try again, which begins a new session; whether the server acted on the request is not known"
            }
            Self::RepeatedCursor { .. } | Self::NotAList { .. } => {
                "report it to the server's authors: the list can't be read to its end"
            }
            Self::Unreadable { .. } => {
                "report it to the server's authors: what it sends is not JSON-RPC"
            }
            Self::TooMuch { .. } | Self::MessageTooLong { .. } => {
                "raise the limit if you expect that much, otherwise report it to the server's authors"
            }
        };
        fixed.to_owned()
    }

    /// What the server wrote, where it ran or was reached and that may explain the failure.
    #[must_use]
    pub fn evidence(&self) -> Option<&Evidence> {
        match self {
            Self::ExitedEarly { evidence, .. }
            | Self::TimedOut { evidence, .. }
            | Self::Refused { evidence, .. }
            | Self::NoCommonRevision { evidence, .. }
            | Self::BrokenOff { evidence, .. }
            | Self::RepeatedCursor { evidence, .. }
            | Self::TooMuch { evidence, .. }
            | Self::MessageTooLong { evidence, .. }
            | Self::Unreadable { evidence, .. }
            | Self::NotAList { evidence, .. } => Some(evidence),
            _ => None,
        }
    }
}

fn http_remedy(status: u16, challenge: Option<&str>) -> String {
    match status {
        401 => format!(
            "the server wants credentials{}: put them into the `headers` of its entry",
            challenge.map(|challenge| format!(" ({})", plain(challenge))).unwrap_or_default()
        ),
        403 => {
            "the credentials do not allow this, or the server refuses requests from here".to_owned()
        }
        404 | 405 => {
            "check the path of the address: MCP servers often live under `/mcp`".to_owned()
        }
        429 => "the server is asked too often: wait, then try again".to_owned(),
        500.. => "the server failed on its own: try again, or look into its log".to_owned(),
        _ => "check the address and the headers of its entry".to_owned(),
    }
}

/// Words failures of the layers below; the evidence is gathered by the caller, who holds the process.
pub(crate) struct Wording<'a> {
    pub(crate) mask: &'a Mask,
    pub(crate) stage: Stage,
    pub(crate) evidence: Box<Evidence>,
    pub(crate) status: Option<String>,
}

impl Wording<'_> {
    pub(crate) fn timed_out(self, limit: Duration) -> FetchError {
        FetchError::TimedOut { stage: self.stage, limit, evidence: self.evidence }
    }

    pub(crate) fn handshake(self, error: HandshakeError) -> FetchError {
        match error {
            HandshakeError::Refused(error) | HandshakeError::ProbeRefused(error) => {
                self.request(RequestError::Refused(error))
            }
            HandshakeError::NoCommonRevision(offered) => {
                let offered = self.mask.line(&offered);
                FetchError::NoCommonRevision { offered, evidence: self.evidence }
            }
            HandshakeError::FirstRevisionSse => FetchError::FirstRevisionSse,
            HandshakeError::Connection(error) => self.request(error),
            other => FetchError::NotMcp { reason: other.to_string() },
        }
    }

    pub(crate) fn request(self, error: RequestError) -> FetchError {
        let Self { mask, stage, evidence, status } = self;
        match error {
            RequestError::Refused(error) => FetchError::Refused {
                stage,
                code: error.code(),
                message: mask.line(error.message()),
                evidence,
            },
            RequestError::Closed(Closed::LineTooLong(limit)) => {
                FetchError::MessageTooLong { limit, evidence }
            }
            RequestError::Closed(Closed::Read(reason)) => {
                FetchError::BrokenOff { stage, reason: mask.line(&reason), evidence }
            }
            RequestError::Closed(_) => FetchError::ExitedEarly { stage, status, evidence },
            RequestError::Unreadable(reason) => {
                FetchError::Unreadable { stage, reason: mask.line(&reason.to_string()), evidence }
            }
            RequestError::Http(error) => http(error, mask, stage, evidence),
            other => {
                FetchError::BrokenOff { stage, reason: mask.line(&other.to_string()), evidence }
            }
        }
    }

    pub(crate) fn list(self, list: &'static str, bad: BadList) -> FetchError {
        let Self { mask, evidence, .. } = self;
        match bad {
            BadList::RepeatedCursor { page } => FetchError::RepeatedCursor { list, page, evidence },
            BadList::TooMuch { what, limit } => FetchError::TooMuch { list, what, limit, evidence },
            BadList::Unreadable { reason } => {
                FetchError::NotAList { list, reason: mask.line(&reason), evidence }
            }
        }
    }
}

fn http(error: HttpError, mask: &Mask, stage: Stage, evidence: Box<Evidence>) -> FetchError {
    match error {
        HttpError::Invalid(reason) => FetchError::Invalid { reason: mask.line(&reason) },
        HttpError::Tls(reason) | HttpError::Unreachable(reason) => {
            FetchError::Unreachable { reason: mask.line(&reason) }
        }
        HttpError::Status { status, body, challenge } => FetchError::Http {
            stage,
            status,
            body: mask.line(&body),
            challenge: challenge.map(|challenge| mask.line(&challenge)),
        },
        HttpError::Redirected(location) => {
            FetchError::Redirected { location: mask.line(&location) }
        }
        HttpError::NotAnAnswer(_) => FetchError::NotMcp { reason: mask.line(&error.to_string()) },
        HttpError::TooLong(limit) => FetchError::MessageTooLong { limit, evidence },
        HttpError::SessionEnded => FetchError::SessionEnded { stage },
        HttpError::BrokenOff(reason) => {
            FetchError::BrokenOff { stage, reason: mask.line(&reason), evidence }
        }
        other => FetchError::BrokenOff { stage, reason: mask.line(&other.to_string()), evidence },
    }
}

pub(crate) fn not_started(error: StartError, mask: &Mask) -> FetchError {
    match error {
        StartError::NotFound(command) => FetchError::NotFound { command: mask.line(&command) },
        StartError::NoDirectory(path) => FetchError::NoDirectory { path: mask.line(&path) },
        StartError::Refused { command, source } => FetchError::NotStarted {
            command: mask.line(&command),
            reason: mask.line(&source.to_string()),
        },
        other => FetchError::Invalid { reason: mask.line(&other.to_string()) },
    }
}
