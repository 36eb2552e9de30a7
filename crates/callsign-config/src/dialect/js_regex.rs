//! JavaScript's regular expressions, as far as they mean the same here.

use super::pattern::Pattern;

/// What JavaScript reads in another way, or what only one of the two has.
const DIFFERENT: [&str; 14] = [
    "(?=", "(?!", "(?<=", "(?<!", "(?i", "(?s", "(?m", "(?x", "(?U", "(?R", "(?P", "[^]", "[]",
    "[:",
];

/// An expression that may match anywhere in the name; [`Pattern::Unknown`], where it isn't certain to mean the same.
///
/// Matching takes a time that grows with the lengths of expression and name, never with more.
pub(super) fn js_regex(text: &str) -> Pattern {
    let different = DIFFERENT.iter().any(|part| text.contains(part)) || has_other_escape(text);
    match (!different).then(|| regex_lite::Regex::new(text)) {
        Some(Ok(regex)) => Pattern::Regex(regex),
        _ => Pattern::Unknown("this regular expression is not understood here".into()),
    }
}

/// Whether a backslash stands before a letter or digit other than those that mean the same in both.
fn has_other_escape(text: &str) -> bool {
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c == '\\' {
            match characters.next() {
                Some('d' | 'D' | 'w' | 'W' | 'b' | 'B' | 'n' | 't' | 'r' | 'f' | 'v') => {}
                Some(c) if c.is_ascii_punctuation() => {}
                _ => return true,
            }
        }
    }
    false
}
