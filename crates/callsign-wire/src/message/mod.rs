//! JSON-RPC messages whose payload stays raw text.
//!
//! Only the envelope is read: `params`, `result` and `error` are kept byte for byte, so that what a peer does not
//! understand still reaches the other side as it was sent.
//!
//! ```
//! use callsign_wire::message::{Message, parse};
//!
//! let line = br#"{"jsonrpc":"2.0","id":7,"result":{"n":123456789012345678901234567890,"n":1e999}}"#;
//! let Ok(Message::Response(response)) = parse(line) else { panic!() };
//! assert_eq!(response.outcome.unwrap().get(), r#"{"n":123456789012345678901234567890,"n":1e999}"#);
//! ```

mod depth;
mod id;
mod parse;
mod rpc_error;
mod splice;
mod write;

pub use depth::{MAX_DEPTH, nests_deeper};
pub use id::Id;
pub(crate) use id::Key;
pub use parse::{Malformed, parse, parse_frame};
pub(crate) use parse::{MeantFor, View, is_batch, meant_for, view, without_mark};
pub use rpc_error::RpcError;
pub(crate) use splice::{Members, Name, member};
pub use splice::{SpliceError, splice};
pub use write::{write_error, write_notification, write_request, write_result};

use serde_json::value::RawValue;

/// One JSON-RPC message.
#[derive(Debug, Clone)]
pub enum Message {
    /// Wants an answer under its id.
    Request(Request),
    /// Wants none.
    Notification(Notification),
    /// Answers a request.
    Response(Response),
}

/// A call that wants an answer.
#[derive(Debug, Clone)]
pub struct Request {
    /// The sender's id, as it was spelled.
    pub id: Id,
    /// The method's name.
    pub method: String,
    /// The raw parameters; `None` if the message has none (an explicit `null` is kept as `null`).
    pub params: Option<Box<RawValue>>,
}

/// A message that wants no answer.
#[derive(Debug, Clone)]
pub struct Notification {
    /// The method's name.
    pub method: String,
    /// The raw parameters; `None` if the message has none.
    pub params: Option<Box<RawValue>>,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Response {
    /// The id of the request it answers; `None` where the peer could not read it (absent or `null`, errors only).
    pub id: Option<Id>,
    /// The raw result, or the error.
    pub outcome: Result<Box<RawValue>, RpcError>,
}
