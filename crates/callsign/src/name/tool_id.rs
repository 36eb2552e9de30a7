use std::fmt;

use super::{EmptyName, ServerKey, WireName};

/// A tool's identity: two tools are the same tool exactly when their identities are equal.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ToolId {
    server: ServerKey,
    wire: WireName,
}

impl ToolId {
    /// Joins two checked parts.
    #[must_use]
    pub fn new(server: ServerKey, wire: WireName) -> Self {
        Self { server, wire }
    }

    /// Checks both parts and joins them.
    ///
    /// # Errors
    /// [`EmptyName`] if either text is empty.
    pub fn parse(server: &str, wire: &str) -> Result<Self, EmptyName> {
        Ok(Self { server: ServerKey::new(server)?, wire: WireName::new(wire)? })
    }

    /// The key of the server that has the tool.
    #[must_use]
    pub fn server(&self) -> &ServerKey {
        &self.server
    }

    /// What the server calls the tool.
    #[must_use]
    pub fn wire(&self) -> &WireName {
        &self.wire
    }
}

/// For people only (`server/tool`): the slash may occur in both parts, so nothing may read it back.
impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.server, self.wire)
    }
}
