//! Whether a tool may be seen and called.

use std::fmt;

use callsign::ToolId;
use callsign::registry::Snapshot;

/// What a policy says of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judgement {
    /// It is listed, and calls pass.
    Allow,
    /// It is listed, and each call is put to the user, with this reason.
    Ask(String),
    /// It is not listed, and calls are refused with this reason.
    Deny(String),
}

/// Judges tools by identity: never by a name that could be read in two ways.
///
/// It is asked for every call and for every tool of a list that is being prepared, so it must answer from memory.
pub trait Policy: fmt::Debug + Send + Sync {
    /// What holds for a tool; `tools` are all tools there are at that moment.
    fn judge(&self, tools: &Snapshot, tool: &ToolId) -> Judgement;
}

/// Everything is allowed.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn judge(&self, _: &Snapshot, _: &ToolId) -> Judgement {
        Judgement::Allow
    }
}
