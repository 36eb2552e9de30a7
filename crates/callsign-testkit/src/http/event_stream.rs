//! Server-sent events.

use crate::json_text;

/// A message as an event.
pub(super) fn message(json: &str) -> String {
    format!("event: message\ndata: {}\n\n", json_text::one_line(json))
}

/// Text that is no message: a comment, and an event of a type nobody has defined.
pub(super) fn junk(text: &str) -> String {
    format!(": {text}\n\nevent: junk\ndata: {text}\n\n")
}

/// The event an HTTP+SSE server of 2024-11-05 opens with.
pub(super) fn endpoint(path: &str) -> String {
    format!("event: endpoint\ndata: {path}\n\n")
}
