//! One JSON document, or one on each line.

use serde_json::value::RawValue;

use super::error::HistoryError;

/// A document in a text.
#[derive(Debug)]
pub(super) struct Document<'t> {
    /// Without the white space around it.
    pub(super) raw: &'t str,
}

/// The documents of a text, each known to be well formed. None if there is nothing but white space.
pub(super) fn split(text: &str) -> Result<Vec<Document<'_>>, HistoryError> {
    let content = text.strip_prefix('\u{feff}').unwrap_or(text);
    let start = text.len() - content.len();
    if is_blank(content) {
        return Ok(Vec::new());
    }
    match read(content) {
        Ok(document) => Ok(vec![document]),
        Err(error) if !has_lines(content) => Err(HistoryError::at(text, start, &error, false)),
        Err(_) => by_line(text, start),
    }
}

fn read(text: &str) -> Result<Document<'_>, serde_json::Error> {
    serde_json::from_str::<&RawValue>(text).map(|raw| Document { raw: raw.get() })
}

/// Whether each line is a document: one of the first two is a whole object or array, and there is another.
fn has_lines(content: &str) -> bool {
    let mut lines = content.lines().filter(|line| !is_blank(line)).map(str::trim_start);
    let is_whole = |line: &str| line.starts_with(['{', '[']) && read(line).is_ok();
    match (lines.next(), lines.next()) {
        (Some(first), Some(second)) => {
            is_whole(first) || (!matches!(first, "{" | "[") && is_whole(second))
        }
        _ => false,
    }
}

fn by_line(text: &str, mut start: usize) -> Result<Vec<Document<'_>>, HistoryError> {
    let mut documents = Vec::new();
    for line in text[start..].split_inclusive('\n') {
        if !is_blank(line) {
            let document =
                read(line).map_err(|error| HistoryError::at(text, start, &error, true))?;
            documents.push(document);
        }
        start += line.len();
    }
    Ok(documents)
}

/// White space of JSON only.
fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}
