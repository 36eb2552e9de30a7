//! What can be wrong with a flag's value.

/// A flag's value that means nothing.
#[derive(Debug, thiserror::Error)]
pub enum FlagError {
    /// The value is none of a fixed set.
    #[error("unknown {what} `{given}`: write one of {known}")]
    Unknown {
        /// What the flag chooses.
        what: &'static str,
        /// The value.
        given: String,
        /// The set.
        known: String,
    },
    /// A number was expected.
    #[error("`{given}` is not {what}")]
    NotANumber {
        /// What the number would count.
        what: &'static str,
        /// The value.
        given: String,
    },
    /// JSON was expected.
    #[error("{what} is not JSON: {cause}")]
    NotJson {
        /// Which value.
        what: &'static str,
        /// Where the reader stopped.
        cause: serde_json::Error,
    },
    /// A file named by a flag cannot be used.
    #[error("cannot use {path}: {cause}", path = path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// Why not.
        cause: std::io::Error,
    },
}
