//! Streamable HTTP, the client's side.
//!
//! ```text
//! Call ── POST ──► one JSON answer
//!              └─► an event stream: notifications and requests of the server, then the answer
//! ```
//!
//! Sources: specification 2025-11-25 and 2026-07-28, basic/transports (Streamable HTTP).

mod error;
mod headers;
mod link;
mod sse;
mod tls;

pub use error::HttpError;
pub(crate) use headers::{has_name, name_of};
pub use headers::{header_value, read_header_value};
pub(crate) use link::HttpLink;
pub use sse::{Event, EventReader, EventTooLong};

use std::fmt;

/// Where a server is reached.
#[derive(Clone)]
pub struct Endpoint {
    /// The server's address, `http` or `https`.
    pub url: String,
    /// Headers sent with every request. Their values may be secret and are never printed.
    pub headers: Vec<(String, String)>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Endpoint").field("headers", &names).finish_non_exhaustive()
    }
}
