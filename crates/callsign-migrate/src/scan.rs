use std::sync::Arc;

use callsign::{ServerKey, ToolId};

use crate::reason::Reason;

/// What a text says about known tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scan {
    /// What is to be replaced, in ascending order, without overlap and never across a line end.
    pub edits: Vec<Edit>,
    /// What stays although it could name a tool, in ascending order.
    pub left: Vec<Left>,
    /// How often a tool's own name stood where it is a word like any other.
    pub words: usize,
}

/// One replacement: bytes `start..end` of the text become `to`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The first byte that is replaced.
    pub start: usize,
    /// The first byte that is not.
    pub end: usize,
    /// What takes their place.
    pub to: Arc<str>,
    /// What both name.
    pub subject: Subject,
}

/// What a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// One tool.
    Tool(ToolId),
    /// All tools of a server.
    Server(ServerKey),
    /// Those tools of a server whose names begin alike.
    Tools(ServerKey),
    /// Every tool there is.
    Everything,
}

/// Something that is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Its first byte.
    pub start: usize,
    /// The first byte behind it.
    pub end: usize,
    /// Why.
    pub reason: Arc<Reason>,
}

impl Scan {
    /// The text with its edits made; every other byte as it was.
    #[must_use]
    pub fn rewrite(&self, text: &[u8]) -> Vec<u8> {
        let mut new = Vec::with_capacity(text.len() + text.len() / 16);
        let mut done = 0;
        for edit in &self.edits {
            new.extend_from_slice(text.get(done..edit.start).unwrap_or_default());
            new.extend_from_slice(edit.to.as_bytes());
            done = edit.end;
        }
        new.extend_from_slice(text.get(done..).unwrap_or_default());
        new
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty() && self.left.is_empty()
    }
}
