//! What a server shall do, good and bad.

use std::path::PathBuf;
use std::time::Duration;

use crate::announce::ListChanged;
use crate::ask::Ask;
use crate::broken_answer::BrokenAnswer;
use crate::http::{HttpStatus, Reply};
use crate::huge_line::HugeLine;
use crate::slow::Slow;
use crate::{Era, RequestPattern};

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
    /// A file that receives every message of the client, one raw line each, in the order of arrival. `{pid}` in its path
    /// is the server's process id, which tells the records of several processes apart.
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
    /// These ends come once in all: the process that ends makes this file, and whoever finds it goes on.
    pub once: Option<PathBuf>,
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
            once: None,
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
