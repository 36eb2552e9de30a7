use std::sync::Arc;

use super::{EmptyName, checked_text};

/// A tool's name as its server advertises it, and the only name ever sent to that server.
///
/// Any non-empty text; cheap to clone. MCP asks for 1 to 128 letters, digits, `_`, `-` and `.` (2025-11-25, server/tools, all SHOULD);
/// servers are not held to it, and what one advertises is what it must be sent.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WireName(Arc<str>);

impl WireName {
    /// Takes the name exactly as the server sent it.
    ///
    /// # Errors
    /// [`EmptyName`] for an empty text.
    pub fn new(text: impl AsRef<str>) -> Result<Self, EmptyName> {
        match text.as_ref() {
            "" => Err(EmptyName { what: "wire name" }),
            text => Ok(Self(text.into())),
        }
    }
}

checked_text!(WireName);
