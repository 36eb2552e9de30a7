//! Where a value stands in a document, in words. Built while the document is gone through, written only where it is needed.

use std::fmt;

/// `messages[3].tool_calls[0].function.name`, from its end to its beginning.
#[derive(Debug, Clone, Copy)]
pub(super) enum Path<'p, 't> {
    Document,
    /// The key as it is written, in quotes.
    Key(&'p Path<'p, 't>, &'t str),
    Item(&'p Path<'p, 't>, usize),
}

impl fmt::Display for Path<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Document => Ok(()),
            Self::Item(parent, index) => write!(f, "{parent}[{index}]"),
            Self::Key(parent, quoted) => {
                let key = quoted.trim_matches('"');
                let dot = if matches!(parent, Self::Document) { "" } else { "." };
                write!(f, "{parent}{dot}{key}")
            }
        }
    }
}
