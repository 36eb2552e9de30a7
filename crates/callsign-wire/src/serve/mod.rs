//! The side towards hosts: what they send arrives one message at a time, whatever carries it, and each request brings
//! its own way back.
//!
//! ```text
//! stdio ────────── serve_lines ─┐              ┌─ Request: Exchange {request, context, reply}
//!                               ├─► Arrivals ──┼─ Notification, Response (to a request of ours)
//! Streamable HTTP ── http::… ───┘              └─ Ended: a session is over
//!
//! Reply::send ───► notifications and requests on this request's own stream, then Reply::finish: its answer
//! Session::send ─► messages that belong to no request
//! ```
//!
//! What the transport alone can decide never arrives: frames that are no message, requests of the stateless era whose
//! `_meta` is incomplete, of another revision or of a method that era no longer has, headers that contradict the body,
//! sessions that are over. They are answered here, with the code that the protocol has for each.
//!
//! Nothing here knows a tool or a name. Requests are taken as they come: who takes them from [`Arrivals`] gives each a
//! task of its own.

mod arrival;
mod headers;
pub mod http;
mod limits;
mod lines;
mod refusal;
mod reply;
mod session;
mod standard_streams;
mod stateless;

pub use arrival::{Arrival, Arrivals, Context, Exchange};
pub use headers::Headers;
pub use limits::Limits;
pub use lines::{LineService, serve_lines};
pub use reply::{Gone, Reply};
pub use session::{Carrier, Ending, PrincipalId, Session, SessionId, Unsent};
pub use standard_streams::{Reader, Writer, standard_streams};
