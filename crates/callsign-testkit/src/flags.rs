//! The flags of `callsign-testkit serve`, and the behaviour they add up to.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use callsign_testkit::{
    Answers, Ask, Behaviour, BrokenAnswer, Catalogue, Ending, Era, FlagError, HttpConduct,
    HttpStatus, HugeLine, ListChanged, Noise, Paging, Reply, RequestPattern, Slow, malformed_list,
    malformed_tool,
};
use clap::Args;
use serde_json::value::RawValue;

// REQUESTS is `initialize`, `list`, `call`, `discover`, `all` or a method in full.
#[derive(Args)]
pub(crate) struct ServeFlags {
    /// serverInfo.name, and the first part of every answer to a call
    #[arg(long, default_value = "testkit")]
    name: String,
    /// The server's instructions
    #[arg(long)]
    instructions: Option<String>,
    /// legacy, modern, dual, silent-on-discover or exits-on-discover
    #[arg(long, default_value = "legacy")]
    era: Era,
    /// Answer initialize with this version, whatever was asked
    #[arg(long)]
    protocol: Option<String>,
    /// Append every message received to this file, one raw line each; `{pid}` in its path is the process id
    #[arg(long)]
    record: Option<PathBuf>,
    /// Append the HTTP headers of every POST to this file, one JSON object a line
    #[arg(long)]
    record_headers: Option<PathBuf>,
    #[command(flatten)]
    catalogue: CatalogueFlags,
    #[command(flatten)]
    paging: PagingFlags,
    #[command(flatten)]
    answers: AnswerFlags,
    #[command(flatten)]
    noise: NoiseFlags,
    #[command(flatten)]
    ending: EndingFlags,
    #[command(flatten)]
    http: HttpFlags,
}

#[derive(Args)]
#[command(next_help_heading = "What is listed")]
struct CatalogueFlags {
    /// Tools with an ordinary definition (default: echo)
    #[arg(long, value_delimiter = ',')]
    tools: Vec<String>,
    /// A definition as JSON, or a file with one (or a list of them); sent as it is
    #[arg(long)]
    tool_json: Vec<String>,
    /// A file of names, one a line, read at every list; changes are announced
    #[arg(long)]
    tools_file: Option<PathBuf>,
    /// Put a malformed tool after the first good one (kinds: README)
    #[arg(long, value_name = "KIND")]
    malformed: Vec<String>,
    /// Answer tools/list with a malformed result (kinds: README)
    #[arg(long, value_name = "KIND")]
    malformed_list: Option<String>,
    /// List this name twice on its page
    #[arg(long, value_name = "NAME")]
    duplicate: Vec<String>,
    /// List this name again on the next page
    #[arg(long, value_name = "NAME")]
    duplicate_next_page: Vec<String>,
    /// Prompts, by name
    #[arg(long, value_delimiter = ',')]
    prompts: Vec<String>,
    /// Resources, by URI
    #[arg(long, value_delimiter = ',')]
    resources: Vec<String>,
    /// Unknown fields wherever a field can stand
    #[arg(long)]
    unknown_fields: bool,
    /// Numbers beyond 64 bits wherever a field can stand
    #[arg(long)]
    big_numbers: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Pages")]
struct PagingFlags {
    /// Tools a page
    #[arg(long)]
    page_size: Option<usize>,
    /// Every page has a fresh cursor, for ever
    #[arg(long)]
    endless_cursor: bool,
    /// Every page has the same cursor
    #[arg(long)]
    repeat_cursor: bool,
    /// The second page's cursor is the empty string, which is valid
    #[arg(long)]
    empty_cursor: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Answers")]
struct AnswerFlags {
    /// Never answer these
    #[arg(long, value_name = "REQUESTS")]
    never_answer: Vec<RequestPattern>,
    /// Answer late
    #[arg(long, value_name = "MILLIS[:REQUESTS]")]
    slow: Vec<Slow>,
    /// The result of every call, as it is
    #[arg(long, value_name = "JSON")]
    result: Option<String>,
    /// The error object every call is answered with, as it is
    #[arg(long, value_name = "JSON")]
    error: Option<String>,
    /// Ask the client before answering a call: ping, roots, sampling or elicitation
    #[arg(long, value_name = "WHAT")]
    asks: Option<Ask>,
    /// Report progress so often, if a call has a token
    #[arg(long, value_name = "N", default_value_t = 0)]
    progress: u64,
    /// ttlMs of modern results
    #[arg(long, default_value_t = 0)]
    ttl_ms: u64,
    /// cacheScope of modern results
    #[arg(long)]
    cache_scope: Option<String>,
    /// Break the answers to lists and calls: cut, wrong-id, null-id, twice, no-result, result-and-error, in-a-list
    #[arg(long, value_name = "HOW")]
    broken_answer: Option<BrokenAnswer>,
}

#[derive(Args)]
#[command(next_help_heading = "Noise")]
struct NoiseFlags {
    /// So many lines that are no messages (and blank ones) first and before every answer
    #[arg(long, value_name = "N", default_value_t = 0)]
    junk: usize,
    /// One line of at least so many bytes: the list, a call's result, or junk
    #[arg(long, value_name = "BYTES[:list|call|junk]")]
    huge_line: Option<HugeLine>,
    /// Announce a changed list so often at once
    #[arg(long, value_name = "N[:initialized|list]")]
    list_changed: Option<ListChanged>,
    /// So many log messages before the first answer
    #[arg(long, value_name = "N", default_value_t = 0)]
    log_first: usize,
    /// Write this to stderr at the start
    #[arg(long, value_name = "TEXT")]
    stderr: Vec<String>,
    /// Write the value of this environment variable to stderr at the start
    #[arg(long, value_name = "VAR")]
    stderr_env: Vec<String>,
}

#[derive(Args)]
#[command(next_help_heading = "Ending")]
struct EndingFlags {
    /// Exit, without an answer, when such a request arrives (`start`: at once)
    #[arg(long, value_name = "REQUESTS|start")]
    exit_at: Vec<RequestPattern>,
    /// Exit after so many answers
    #[arg(long, value_name = "N")]
    exit_after: Option<u64>,
    /// Do so in one process only: it makes this file, and whoever finds it goes on
    #[arg(long, value_name = "FILE")]
    exit_once: Option<PathBuf>,
    /// The exit status of these
    #[arg(long, default_value_t = 1)]
    exit_status: i32,
    /// Do not exit when stdin closes
    #[arg(long)]
    lingers: bool,
    /// Do not exit on SIGTERM, nor when stdin closes
    #[arg(long)]
    ignore_sigterm: bool,
    /// Start a child process that outlives the server; its id goes into this file
    #[arg(long, value_name = "FILE")]
    spawn_child: Option<PathBuf>,
    /// That child keeps stdout open
    #[arg(long, requires = "spawn_child")]
    child_holds_stdout: bool,
    /// Exit in any case after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    longest_life: u64,
}

#[derive(Args)]
#[command(next_help_heading = "HTTP")]
struct HttpFlags {
    /// Serve Streamable HTTP on this address, and print the URL; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    http: Option<SocketAddr>,
    /// Be an HTTP+SSE server of 2024-11-05
    #[arg(long)]
    first_revision: bool,
    /// auto, json or sse
    #[arg(long, default_value = "auto")]
    reply: Reply,
    /// Answer with this status and nothing else
    #[arg(long, value_name = "STATUS[:REQUESTS]")]
    http_status: Vec<HttpStatus>,
    /// Forget a session after so many requests
    #[arg(long, value_name = "N")]
    forget_session_after: Option<u64>,
    /// Refuse GET
    #[arg(long)]
    no_get: bool,
    /// End event streams before the answer
    #[arg(long)]
    drop_stream: bool,
}

impl ServeFlags {
    /// Where to listen; `None` is stdio.
    pub(crate) fn address(&self) -> Option<SocketAddr> {
        self.http.http
    }

    /// # Errors
    /// [`FlagError`] for a kind nobody knows, JSON that is none, or a file that cannot be read.
    pub(crate) fn behaviour(self) -> Result<Behaviour, FlagError> {
        Ok(Behaviour {
            name: self.name,
            instructions: self.instructions,
            era: self.era,
            protocol: self.protocol,
            record: self.record,
            record_headers: self.record_headers,
            ending: self.ending.ending(),
            catalogue: self.catalogue.catalogue()?,
            paging: self.paging.paging(),
            answers: self.answers.answers()?,
            noise: self.noise.noise(),
            http: self.http.conduct(),
        })
    }
}

impl CatalogueFlags {
    fn catalogue(self) -> Result<Catalogue, FlagError> {
        let definitions = self.tool_json.iter().map(|given| definitions(given));
        let malformed = self.malformed.iter().map(|kind| malformed_tool(kind).map(Into::into));
        let list = self.malformed_list.as_deref().map(malformed_list).transpose()?;
        Ok(Catalogue {
            tools: self.tools,
            definitions: definitions.collect::<Result<Vec<_>, _>>()?.concat(),
            tools_file: self.tools_file,
            malformed: malformed.collect::<Result<_, _>>()?,
            malformed_list: list.map(Into::into),
            duplicates: self.duplicate,
            duplicates_next_page: self.duplicate_next_page,
            prompts: self.prompts,
            resources: self.resources,
            unknown_fields: self.unknown_fields,
            big_numbers: self.big_numbers,
        })
    }
}

impl PagingFlags {
    fn paging(&self) -> Paging {
        Paging {
            size: self.page_size,
            endless: self.endless_cursor,
            repeating: self.repeat_cursor,
            empty_cursor: self.empty_cursor,
        }
    }
}

impl AnswerFlags {
    fn answers(self) -> Result<Answers, FlagError> {
        for json in self.result.iter().chain(&self.error) {
            checked("the result or error of a call", json)?;
        }
        Ok(Answers {
            never: self.never_answer,
            slow: self.slow,
            result: self.result,
            error: self.error,
            asks: self.asks,
            progress: self.progress,
            ttl_ms: self.ttl_ms,
            cache_scope: self.cache_scope,
            broken: self.broken_answer,
        })
    }
}

impl NoiseFlags {
    fn noise(self) -> Noise {
        // A variable that is not set is not written: the tests then find nothing, and fail.
        let secrets = self.stderr_env.iter().filter_map(|name| std::env::var(name).ok());
        Noise {
            junk: self.junk,
            huge_line: self.huge_line,
            list_changed: self.list_changed,
            log_first: self.log_first,
            stderr: self.stderr.into_iter().chain(secrets).collect(),
        }
    }
}

impl EndingFlags {
    fn ending(self) -> Ending {
        let start = RequestPattern::Method("start".into());
        Ending {
            at_start: self.exit_at.contains(&start),
            at: self.exit_at,
            after: self.exit_after,
            status: self.exit_status,
            once: self.exit_once,
            lingers: self.lingers,
            ignores_sigterm: self.ignore_sigterm,
            child: self.spawn_child,
            child_holds_stdout: self.child_holds_stdout,
            longest_life: Duration::from_secs(self.longest_life),
        }
    }
}

impl HttpFlags {
    fn conduct(self) -> HttpConduct {
        HttpConduct {
            reply: self.reply,
            status: self.http_status,
            forget_session_after: self.forget_session_after,
            no_get: self.no_get,
            drop_stream: self.drop_stream,
            first_revision: self.first_revision,
        }
    }
}

/// Definitions from JSON that stands in the flag, or in a file: one object, or a list of anything.
fn definitions(given: &str) -> Result<Vec<String>, FlagError> {
    let json = if given.trim_start().starts_with(['{', '[', '"']) {
        given.to_owned()
    } else {
        std::fs::read_to_string(given)
            .map_err(|cause| FlagError::File { path: given.into(), cause })?
    };
    if json.trim_start().starts_with('[') {
        let items: Vec<Box<RawValue>> =
            serde_json::from_str(&json).map_err(not_json("--tool-json"))?;
        return Ok(items.iter().map(|item| item.get().to_owned()).collect());
    }
    checked("--tool-json", &json)?;
    Ok(vec![json])
}

fn checked(what: &'static str, json: &str) -> Result<(), FlagError> {
    serde_json::from_str::<&RawValue>(json).map(|_| ()).map_err(not_json(what))
}

fn not_json(what: &'static str) -> impl Fn(serde_json::Error) -> FlagError {
    move |cause| FlagError::NotJson { what, cause }
}
