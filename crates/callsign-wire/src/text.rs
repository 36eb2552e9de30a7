//! Text of strangers made fit for a terminal.

use std::fmt::Write;

/// At most `limit` characters of `text`, each character that could move a cursor, hide or reorder text written as its
/// escape. Line breaks are escaped too; what is cut is marked by `…`.
///
/// ```
/// use callsign_wire::text::printable;
/// assert_eq!(printable("a\u{1b}[31mb", 99), r"a\u{1b}[31mb");
/// assert_eq!(printable("abcdef", 3), "abc…");
/// ```
#[must_use]
pub fn printable(text: &str, limit: usize) -> String {
    let mut out = String::with_capacity(text.len().min(limit));
    for (position, character) in text.chars().enumerate() {
        if position == limit {
            out.push('…');
            break;
        }
        if is_unprintable(character) {
            // Writing to a String can't fail.
            let _ = write!(out, "{}", character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

/// Control characters, and the format characters that reorder or hide (bidirectional controls, zero width, tags).
fn is_unprintable(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
