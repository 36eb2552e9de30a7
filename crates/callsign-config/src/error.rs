//! Why a configuration file can't be read: file, place, cause and remedy, as types.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::place::Place;

/// A configuration file that can't be used.
///
/// `Display` gives one line, `FILE:LINE:COLUMN: cause` (or `FILE: cause` where the cause has no place). It never holds a
/// value from the file, only keys: a value may be a secret.
#[derive(Debug)]
pub struct ConfigError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    file: PathBuf,
    place: Option<Place>,
    problem: Problem,
}

/// What is wrong with a configuration file. What can be done about it is [`remedy`](Self::remedy).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system would not give the file.
    #[error("the file can't be read: {0}")]
    Unreadable(#[source] std::io::Error),
    /// The file is larger than is read.
    #[error("the file is larger than {} MiB", limit / 1024 / 1024)]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The bytes are no UTF-8 text.
    #[error("the file is not UTF-8 text{}", hint_words(hint))]
    NotUtf8 {
        /// What the bytes look like, where that can be told.
        hint: Option<&'static str>,
    },
    /// There is nothing in the file.
    #[error("the file is empty")]
    Empty,
    /// The text is not what the format allows.
    #[error("{format} syntax: {message}")]
    Syntax {
        /// `JSON` or `TOML`.
        format: &'static str,
        /// What is wrong there.
        message: String,
    },
    /// Objects or arrays are nested deeper than is read.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The limit.
        limit: usize,
    },
    /// A value of another type than the format has there.
    #[error("wrong type at {}: expected {expected}, found {found}", where_in(path))]
    WrongType {
        /// Where in the file's structure: `mcpServers.github.args[1]`.
        path: String,
        /// What belongs there: `an object`.
        expected: &'static str,
        /// What stands there: `an array`.
        found: &'static str,
    },
    /// A value of the right type that can't be meant.
    #[error("wrong value at {}: {reason}", where_in(path))]
    WrongValue {
        /// Where in the file's structure.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// One object has one key twice. The error's place is the second; most parsers keep the last and say nothing.
    #[error("duplicate key {} (first at {first})", shown(key))]
    DuplicateKey {
        /// Path of the key.
        key: String,
        /// Where the key stood first.
        first: Place,
    },
    /// An empty text where a name is needed.
    #[error("empty {what} at {}", where_in(path))]
    EmptyName {
        /// `server key` or `tool name`.
        what: &'static str,
        /// Where in the file's structure.
        path: String,
    },
    /// Nothing in the file says where servers are.
    #[error("no servers: {} in the file{}", absent_words(looked_for), near_words(near))]
    NoServers {
        /// The places that are looked at.
        looked_for: Vec<&'static str>,
        /// Keys of the file that come near one of them, as (written, meant).
        near: Vec<(String, &'static str)>,
    },
    /// A format that is not read.
    #[error("{0} configuration is not read")]
    UnknownFormat(&'static str),
    /// What stands in the file may be the rules of several hosts, and its path does not say whose they are.
    #[error("these may be rules in the language of {}, and the file's name does not say which", languages.join(" or "))]
    SeveralLanguages {
        /// The languages' identifiers.
        languages: Vec<&'static str>,
    },
    /// A key that `callsign.toml` does not have, or one that looks like a list of rules misspelt.
    #[error("unknown setting {}{}", shown(key), meant_words(near))]
    UnknownSetting {
        /// Path of the key.
        key: String,
        /// Settings that come near it.
        near: Vec<&'static str>,
        /// Every key that is allowed there.
        allowed: Vec<&'static str>,
    },
}

impl Problem {
    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Unreadable(_) => "check that the path is right and the file may be read".into(),
            Self::TooLarge { .. } => {
                "give a configuration file; this one is too large to be one".into()
            }
            Self::NotUtf8 { .. } => "save the file as UTF-8".into(),
            Self::Empty => "add a `mcpServers` object, or delete the file".into(),
            Self::Syntax { format: "JSON", .. } => {
                "correct it; comments and a comma after the last item are allowed".into()
            }
            Self::Syntax { message, .. } if message.contains("duplicate key") => {
                "rename or delete one of the two".into()
            }
            Self::Syntax { .. } => "correct it".into(),
            Self::TooDeep { .. } => {
                "flatten the file: no client's configuration is this deep".into()
            }
            Self::WrongType { expected: "a string", found: "a number" | "a boolean", .. } => {
                "put it in quotes".into()
            }
            Self::WrongType { expected, .. } => format!("put {expected} there"),
            Self::WrongValue { .. } => "correct the value".into(),
            Self::DuplicateKey { .. } => {
                "rename or delete one of the two; a JSON parser that keeps the last one hides this"
                    .into()
            }
            Self::EmptyName { what, .. } => format!("give it a {what}"),
            Self::NoServers { near, .. } => match near.first() {
                Some((written, meant)) => format!("write `{meant}` instead of {}", shown(written)),
                None => "give a client's configuration file, or callsign.toml".into(),
            },
            Self::UnknownFormat(_) => "give a JSON or TOML configuration".into(),
            Self::SeveralLanguages { languages } => {
                format!("say whose they are with --host: {}", languages.join(" or "))
            }
            Self::UnknownSetting { near, allowed, .. } => match near.first() {
                Some(meant) => format!("write `{meant}`"),
                None => format!("allowed here: {}", listed(allowed)),
            },
        }
    }
}

impl ConfigError {
    pub(crate) fn new(file: &Path, place: Option<Place>, problem: Problem) -> Self {
        Self(Box::new(Inner { file: file.to_owned(), place, problem }))
    }

    /// The file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.0.file
    }

    /// Where in the file, if the cause stands at a place.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.0.place
    }

    /// The cause.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        self.0.problem.remedy()
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", escaped(&self.0.file.to_string_lossy()))?;
        if let Some(place) = self.0.place {
            write!(f, ":{place}")?;
        }
        write!(f, ": {}", self.0.problem)
    }
}

impl std::error::Error for ConfigError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.problem {
            Problem::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

/// A text from a file in quotes, with everything that can't be seen or would steer a terminal written as an escape.
pub(crate) fn shown(text: &str) -> String {
    format!("`{}`", escaped(text))
}

/// The same without quotes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => out.push(c),
            c => out.extend(c.escape_debug()),
        }
    }
    out
}

fn where_in(path: &str) -> String {
    match path {
        "" => "the top of the file".into(),
        path => shown(path),
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn absent_words(looked_for: &[&str]) -> String {
    match looked_for {
        [one] => format!("there is no `{one}`"),
        several => format!("none of {} is", listed(several)),
    }
}

fn hint_words(hint: &Option<&'static str>) -> String {
    hint.map(|hint| format!(" (it looks like {hint})")).unwrap_or_default()
}

fn near_words(near: &[(String, &'static str)]) -> String {
    near.first()
        .map(|(written, meant)| format!("; {} is near `{meant}`", shown(written)))
        .unwrap_or_default()
}

fn meant_words(near: &[&'static str]) -> String {
    match near {
        [] => String::new(),
        near => format!("; did you mean {}?", listed(near).replace(", ", " or ")),
    }
}
