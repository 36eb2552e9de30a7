//! Messages of the Model Context Protocol whose payload stays raw text, over stdio and Streamable HTTP, in both eras of
//! the protocol.
//!
//! ```text
//! Process ─ stdin/stdout ─┐                             ┌─ request / call ─► answer, raw
//!                         ├─► Connection ─ establish ──►┤
//! Endpoint ─ HTTP ────────┘                             └─ Inbound: requests and notifications of the peer
//! ```
//!
//! The other way round, towards hosts, see [`serve`]:
//!
//! ```text
//! serve_lines, HttpService ─► Arrivals ─► requests, each with its Reply; notifications; answers to requests of ours
//! ```
//!
//! A gateway must not lose what it does not understand, and a digest over a definition must not depend on who relayed
//! it. So this crate reads envelopes only: `params`, `result` and `error` are kept byte for byte. It knows framing, ids,
//! the lifecycles of both eras and how programs are ended; it knows nothing of tools, names or configuration.

pub mod bounds;
mod connection;
pub mod http;
pub mod lifecycle;
mod line_link;
mod lines;
pub mod message;
pub mod process;
mod router;
pub mod serve;
pub mod text;

pub use bounds::Bounds;
pub use connection::{Call, Connection, RequestError};
pub use lifecycle::{ClientIdentity, Era, Opening, Spoken, Start, establish};
pub use router::{Closed, Ear, Inbound, Incoming, IncomingMessage, METHOD_NOT_FOUND, Seen};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
