//! Flags whose value is one of a few words, or a number.

use std::str::FromStr;

use crate::FlagError;

/// The value that `text` stands for in `table`.
pub(crate) fn choice<T: Copy>(
    what: &'static str,
    text: &str,
    table: &[(&str, T)],
) -> Result<T, FlagError> {
    let found = table.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let known: Vec<_> = table.iter().map(|(word, _)| *word).collect();
        FlagError::Unknown { what, given: text.into(), known: known.join(", ") }
    })
}

/// A whole number of `what`.
pub(crate) fn number<N: FromStr>(text: &str, what: &'static str) -> Result<N, FlagError> {
    text.parse().map_err(|_| FlagError::NotANumber { what, given: text.into() })
}
