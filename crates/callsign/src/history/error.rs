/// Why a stored text could not be read. Nothing of it is changed then.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// It is neither JSON nor JSON Lines.
    #[error("line {line}, column {column}: {what}")]
    NotJson {
        /// Counted from 1.
        line: usize,
        /// In characters, counted from 1.
        column: usize,
        /// What is wrong there.
        what: String,
        /// Whether each line is a document of its own.
        lines: bool,
    },
}

impl HistoryError {
    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        let Self::NotJson { line, lines, .. } = self;
        if *lines {
            format!("mend line {line} or take it out; nothing was changed")
        } else {
            "the file must be one JSON document, or one on each line; nothing was changed".into()
        }
    }

    /// From the parser's error about a document that begins at the byte `start`.
    pub(super) fn at(text: &str, start: usize, error: &serde_json::Error, lines: bool) -> Self {
        let document = &text[start..];
        let before = text[..start].matches('\n').count();
        let said = error.to_string();
        let what = said.rsplit_once(" at line ").map_or(said.as_str(), |(what, _)| what).to_owned();
        let in_document = document.split('\n').nth(error.line().saturating_sub(1)).unwrap_or("");
        // The parser counts bytes and gives the last one it read.
        let bytes = error.column().saturating_sub(1);
        let column = in_document.char_indices().take_while(|(at, _)| *at < bytes).count() + 1;
        let here = usize::from(error.line() == 1) * width_before(text, start);
        Self::NotJson { line: before + error.line().max(1), column: column + here, what, lines }
    }
}

/// How many characters of its line stand before a byte.
fn width_before(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..at].chars().filter(|c| *c != '\u{feff}').count()
}
