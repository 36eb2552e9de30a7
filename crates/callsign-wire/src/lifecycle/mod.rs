//! How a connection starts in either era, and which era it is.
//!
//! ```text
//!  unknown ── server/discover ──► answered, shares a revision ──────────────► stateless era
//!                │   │                                                          ▲
//!                │   └► any other error ────────► initialize ─► answered ─► handshake era
//!                └ silent for the probe limit ──► initialize on the same pipe, both ids open:
//!                                                 its answer decides ───────────┘
//!  remembered ── initialize ──► refused ──► server/discover ─► answered ────► stateless era
//! ```
//!
//! Source: specification 2026-07-28, basic/transports (stdio and Streamable HTTP, "backward compatibility"), and
//! basic/versioning.

mod handshake;
mod open;
mod probe;
mod revision;
mod spoken;

pub use handshake::HandshakeError;
pub use open::{Opening, Start, establish};
pub use revision::{Era, LATEST_HANDSHAKE, STATELESS, is_handshake_revision, sends_version_header};
pub use spoken::{ClientIdentity, Spoken};

/// The wanted revision is not supported (2026-07-28).
pub const UNSUPPORTED_PROTOCOL_VERSION: i64 = -32022;
/// Headers and body disagree (2026-07-28).
pub const HEADER_MISMATCH: i64 = -32020;
/// The request lacks a client capability the server needs (2026-07-28).
pub const MISSING_CLIENT_CAPABILITY: i64 = -32021;
