//! An MCP server that misbehaves on request, for callsign's own tests.
//!
//! A [`Behaviour`] says what the server shall do; [`serve_stdio`] does it. The program `callsign-testkit` turns flags into
//! a behaviour; [`server_binary`] finds that program from the tests of another crate:
//!
//! ```no_run
//! use std::process::{Command, Stdio};
//!
//! let server = Command::new(callsign_testkit::server_binary())
//!     .args(["serve", "--tools", "read,write", "--exit-at", "list"])
//!     .stdin(Stdio::piped())
//!     .stdout(Stdio::piped())
//!     .spawn();
//! # drop(server);
//! ```
//!
//! Nothing here is for production: only `dev-dependencies` may name this crate.

mod announce;
mod answer;
mod ask;
mod base64;
mod behaviour;
mod binary;
mod broken_answer;
mod choice;
mod ending;
mod era;
mod flag_error;
mod http;
mod huge_line;
mod incoming;
mod json_text;
mod listing;
mod malformed;
mod noise;
mod outlet;
mod record;
mod request_pattern;
mod rpc_error;
mod serve_error;
mod server;
mod slow;
mod start;
mod stdio;
mod termination;
mod unusual;

pub use announce::ListChanged;
pub use ask::Ask;
pub use behaviour::{Answers, Behaviour, Catalogue, Ending, HttpConduct, Noise, Paging};
pub use binary::server_binary;
pub use broken_answer::BrokenAnswer;
pub use era::{Era, LEGACY_VERSIONS, MODERN_VERSION};
pub use flag_error::FlagError;
pub use http::{HttpServer, HttpStatus, Reply, serve_http};
pub use huge_line::{HugeLine, HugePlace};
pub use malformed::{
    MALFORMED_LISTS, MALFORMED_TOOLS, MalformedTool, malformed_list, malformed_tool,
};
pub use request_pattern::RequestPattern;
pub use serve_error::ServeError;
pub use slow::Slow;
pub use stdio::serve_stdio;
pub use unusual::{BIG_NUMBERS, UNKNOWN_FIELDS};
