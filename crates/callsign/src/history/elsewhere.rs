//! Strings that look like illegal names, where no known shape has names.

use super::json::{self, Said};
use super::ledger::Entry;
use crate::scheme;

/// The inside of each such string and where it begins. `entries` are sorted by place.
pub(super) fn strings<'t>(
    text: &'t str,
    entries: &[Entry],
) -> impl Iterator<Item = (usize, String)> + use<'t> {
    let known: Vec<usize> = entries.iter().map(|entry| entry.span.start).collect();
    text.match_indices('"').filter_map(move |(quote, _)| {
        let start = quote + 1;
        let inside = &text[start..];
        // Inside of a string, a quotation mark has an odd number of backslashes before it.
        if !scheme::is_history_name(inside) || is_escaped(text, quote) {
            return None;
        }
        let end = inside.find('"')?;
        // A name is one word; what has spaces is a sentence that begins with one.
        let is_word = !inside[..end].contains(char::is_whitespace);
        if !is_word || known.binary_search(&start).is_ok() {
            return None;
        }
        let Some(Said::Text(name)) = json::decoded(&text[quote..=start + end]) else { return None };
        (scheme::history_name(&name) != name).then(|| (start, name.into_owned()))
    })
}

fn is_escaped(text: &str, at: usize) -> bool {
    text.as_bytes()[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}
