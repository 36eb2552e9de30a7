use std::sync::Arc;

use super::{EmptyName, checked_text};

/// The name the *user* gave a server: its key in their configuration.
///
/// Never `serverInfo.name`, which the server controls and two servers may share. Any non-empty text; cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerKey(Arc<str>);

impl ServerKey {
    /// Takes the key as it stands in the configuration; nothing is trimmed or folded.
    ///
    /// # Errors
    /// [`EmptyName`] for an empty text.
    pub fn new(text: impl AsRef<str>) -> Result<Self, EmptyName> {
        match text.as_ref() {
            "" => Err(EmptyName { what: "server key" }),
            text => Ok(Self(text.into())),
        }
    }
}

checked_text!(ServerKey);
