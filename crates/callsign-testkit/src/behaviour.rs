//! What a server shall do, good and bad.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::{Era, FlagError, RequestPattern};

/// A server's behaviour. The default is a correct legacy server with one tool, `echo`.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// `serverInfo.name`, and the first part of every answer to a call.
    pub name: String,
    /// `instructions` of the server.
    pub instructions: Option<String>,
    /// Which eras it speaks.
    pub era: Era,
    /// The version `initialize` is answered with, whatever was asked; `None` answers as a correct server does.
    pub protocol: Option<String>,
    /// How it goes about ending.
    pub ending: Ending,
    /// The tools it lists.
    pub catalogue: Catalogue,
    /// How lists are cut into pages.
    pub paging: Paging,
    /// What it does to answers.
    pub answers: Answers,
    /// What it writes besides answers.
    pub noise: Noise,
    /// A file that receives every message of the client, one raw line each, in the order of arrival.
    pub record: Option<PathBuf>,
    /// A file that receives the HTTP headers of every POST, one JSON object a line.
    pub record_headers: Option<PathBuf>,
    /// HTTP only.
    pub http: HttpConduct,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            name: "testkit".into(),
            instructions: None,
            era: Era::Legacy,
            protocol: None,
            ending: Ending::default(),
            catalogue: Catalogue::default(),
            paging: Paging::default(),
            answers: Answers::default(),
            noise: Noise::default(),
            record: None,
            record_headers: None,
            http: HttpConduct::default(),
        }
    }
}

/// When and how the process ends.
#[derive(Clone, Debug)]
pub struct Ending {
    /// Ends before anything is read.
    pub at_start: bool,
    /// Ends, without an answer, when such a request arrives.
    pub at: Vec<RequestPattern>,
    /// Ends once it has answered this many requests.
    pub after: Option<u64>,
    /// Its exit status then.
    pub status: i32,
    /// Goes on when stdin closes.
    pub lingers: bool,
    /// Goes on after SIGTERM, and when stdin closes.
    pub ignores_sigterm: bool,
    /// Starts a child that outlives it unless the process group is ended; the file receives the child's process id.
    pub child: Option<PathBuf>,
    /// That child keeps the server's stdout open.
    pub child_holds_stdout: bool,
    /// Ends in any case after this long, so that no failed test leaves a process behind.
    pub longest_life: Duration,
}

impl Default for Ending {
    fn default() -> Self {
        Self {
            at_start: false,
            at: Vec::new(),
            after: None,
            status: 1,
            lingers: false,
            ignores_sigterm: false,
            child: None,
            child_holds_stdout: false,
            longest_life: Duration::from_secs(600),
        }
    }
}

/// What is listed.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Tools with an ordinary definition, by name. With no tool of any sort, there is one named `echo`.
    pub tools: Vec<String>,
    /// Definitions, sent as they are.
    pub definitions: Vec<String>,
    /// A file with one name a line, read at every list in place of `tools`; a change to it is announced.
    pub tools_file: Option<PathBuf>,
    /// Malformed tools (their text), put after the first good one.
    pub malformed: Vec<String>,
    /// A result sent in place of every list of tools.
    pub malformed_list: Option<String>,
    /// Names listed a second time on the same page.
    pub duplicates: Vec<String>,
    /// Names listed a second time on the next page.
    pub duplicates_next_page: Vec<String>,
    /// Prompts, by name.
    pub prompts: Vec<String>,
    /// Resources, by URI.
    pub resources: Vec<String>,
    /// Unknown fields everywhere.
    pub unknown_fields: bool,
    /// Numbers beyond 64 bits everywhere.
    pub big_numbers: bool,
}

/// How a list is cut into pages.
#[derive(Clone, Debug, Default)]
pub struct Paging {
    /// Tools a page; `None` is one page.
    pub size: Option<usize>,
    /// Every page has a fresh cursor; past the last real page, each holds one made-up tool `endless_N`.
    pub endless: bool,
    /// Every page has the same cursor.
    pub repeating: bool,
    /// The second page's cursor is the empty string, which is valid.
    pub empty_cursor: bool,
}

/// What happens to answers.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Requests that are never answered.
    pub never: Vec<RequestPattern>,
    /// Requests that are answered late.
    pub slow: Vec<Slow>,
    /// The result of every call, as it is.
    pub result: Option<String>,
    /// The error (object) every call is answered with, as it is.
    pub error: Option<String>,
    /// What the server asks the client before it answers a call.
    pub asks: Option<Ask>,
    /// Progress notifications for a call that has a token.
    pub progress: u64,
    /// `ttlMs` of modern results.
    pub ttl_ms: u64,
    /// `cacheScope` of modern results; `None` is `private`.
    pub cache_scope: Option<String>,
    /// A way in which answers break JSON-RPC.
    pub broken: Option<BrokenAnswer>,
}

/// A delay before an answer.
#[derive(Clone, Debug)]
pub struct Slow {
    /// How long.
    pub delay: Duration,
    /// Before which answers.
    pub requests: RequestPattern,
}

impl FromStr for Slow {
    type Err = FlagError;

    /// `MILLIS` or `MILLIS:REQUESTS`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (millis, pattern) = text.split_once(':').unwrap_or((text, "all"));
        let delay = number(millis, "a number of milliseconds").map(Duration::from_millis)?;
        let Ok(requests) = pattern.parse();
        Ok(Self { delay, requests })
    }
}

/// A request of the server to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// `ping` (legacy only)
    Ping,
    /// `roots/list`
    Roots,
    /// `sampling/createMessage`
    Sampling,
    /// `elicitation/create`
    Elicitation,
}

impl FromStr for Ask {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        Ok(match text {
            "ping" => Self::Ping,
            "roots" => Self::Roots,
            "sampling" => Self::Sampling,
            "elicitation" => Self::Elicitation,
            _ => {
                return Err(FlagError::unknown(
                    "question",
                    text,
                    "ping, roots, sampling, elicitation",
                ));
            }
        })
    }
}

/// A way in which answers to lists and calls break JSON-RPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenAnswer {
    /// The answer is cut in the middle.
    Cut,
    /// The id is another one, nobody asked for.
    WrongId,
    /// The id is null.
    NullId,
    /// The answer comes twice.
    Twice,
    /// Neither a result nor an error.
    NoResult,
    /// Both a result and an error.
    ResultAndError,
    /// The answer is the only element of a list.
    InAList,
}

impl FromStr for BrokenAnswer {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        Ok(match text {
            "cut" => Self::Cut,
            "wrong-id" => Self::WrongId,
            "null-id" => Self::NullId,
            "twice" => Self::Twice,
            "no-result" => Self::NoResult,
            "result-and-error" => Self::ResultAndError,
            "in-a-list" => Self::InAList,
            _ => {
                let known = "cut, wrong-id, null-id, twice, no-result, result-and-error, in-a-list";
                return Err(FlagError::unknown("broken answer", text, known));
            }
        })
    }
}

/// What is written besides answers.
#[derive(Clone, Debug, Default)]
pub struct Noise {
    /// Lines that are not JSON, at the start and before every answer; a blank line follows each.
    pub junk: usize,
    /// One line of at least this many bytes.
    pub huge_line: Option<HugeLine>,
    /// `notifications/tools/list_changed`, all at once.
    pub list_changed: Option<ListChanged>,
    /// `notifications/message`, this many before the first answer.
    pub log_first: usize,
    /// Lines for stderr at the start.
    pub stderr: Vec<String>,
}

/// One line that is very long.
#[derive(Clone, Copy, Debug)]
pub struct HugeLine {
    /// Its least length in bytes.
    pub bytes: usize,
    /// What it is.
    pub place: HugePlace,
}

/// What the very long line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugePlace {
    /// The answer to `tools/list`: the first ordinary tool's description is padded.
    List,
    /// The answer to `tools/call`: its text is padded.
    Call,
    /// A line that is not JSON, before the first answer.
    Junk,
}

impl FromStr for HugeLine {
    type Err = FlagError;

    /// `BYTES` (of the list) or `BYTES:list`, `BYTES:call`, `BYTES:junk`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (bytes, place) = text.split_once(':').unwrap_or((text, "list"));
        let place = match place {
            "list" => HugePlace::List,
            "call" => HugePlace::Call,
            "junk" => HugePlace::Junk,
            _ => {
                return Err(FlagError::unknown("place for a huge line", place, "list, call, junk"));
            }
        };
        let bytes =
            bytes.parse().map_err(|_| FlagError::not_a_number("a number of bytes", bytes))?;
        Ok(Self { bytes, place })
    }
}

/// Many announcements of a changed list.
#[derive(Clone, Copy, Debug)]
pub struct ListChanged {
    /// How many.
    pub count: u64,
    /// After the first complete list; otherwise after `notifications/initialized`, or when a modern client listens.
    pub after_list: bool,
}

impl FromStr for ListChanged {
    type Err = FlagError;

    /// `COUNT`, `COUNT:initialized` or `COUNT:list`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (count, moment) = text.split_once(':').unwrap_or((text, "initialized"));
        let after_list = match moment {
            "initialized" => false,
            "list" => true,
            _ => return Err(FlagError::unknown("moment", moment, "initialized, list")),
        };
        Ok(Self { count: number(count, "a number of notifications")?, after_list })
    }
}

/// What a server on HTTP does besides.
#[derive(Clone, Debug, Default)]
pub struct HttpConduct {
    /// The form of answers.
    pub reply: Reply,
    /// Requests answered with this status and no message.
    pub status: Vec<HttpStatus>,
    /// Sessions are forgotten (404) after this many requests.
    pub forget_session_after: Option<u64>,
    /// GET is refused with 405.
    pub no_get: bool,
    /// Event streams end before the answer.
    pub drop_stream: bool,
    /// It is an HTTP+SSE server of 2024-11-05: POST is refused, GET names another address.
    pub first_revision: bool,
}

/// The form of an answer over HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reply {
    /// JSON if the answer comes alone, else an event stream.
    #[default]
    Auto,
    /// Always JSON; whatever else would be sent with it is lost.
    Json,
    /// Always an event stream.
    Sse,
}

impl FromStr for Reply {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        Ok(match text {
            "auto" => Self::Auto,
            "json" => Self::Json,
            "sse" => Self::Sse,
            _ => return Err(FlagError::unknown("reply", text, "auto, json, sse")),
        })
    }
}

/// A bare HTTP status in place of an answer.
#[derive(Clone, Debug)]
pub struct HttpStatus {
    /// The status.
    pub status: u16,
    /// For which requests.
    pub requests: RequestPattern,
}

impl FromStr for HttpStatus {
    type Err = FlagError;

    /// `STATUS` or `STATUS:REQUESTS`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (status, pattern) = text.split_once(':').unwrap_or((text, "all"));
        let status = status.parse().ok().filter(|status| (200..=599).contains(status));
        let status = status.ok_or_else(|| FlagError::not_a_number("an HTTP status", text))?;
        let Ok(requests) = pattern.parse();
        Ok(Self { status, requests })
    }
}

fn number(text: &str, what: &'static str) -> Result<u64, FlagError> {
    text.parse().map_err(|_| FlagError::not_a_number(what, text))
}
