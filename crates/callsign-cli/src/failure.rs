//! Why a command could not run, and how that is printed.

use std::fmt::Write as _;

use crate::exit::{self, Status};
use crate::output::{self, escaped_lines};

/// Why a command could not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Something the user can mend.
    #[error("{message}")]
    Told {
        /// What is wrong, with its place.
        message: String,
        /// What to do about it, a sentence each.
        remedies: Vec<String>,
    },
    /// Standard output could not be written.
    #[error("can't write the output: {0}")]
    Output(#[from] std::io::Error),
    /// Ctrl-C.
    #[error("interrupted")]
    Interrupted,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::with_remedies(message, [])
    }

    pub(crate) fn with_remedy(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::with_remedies(message, [remedy.into()])
    }

    /// Empty remedies are none.
    pub(crate) fn with_remedies(
        message: impl Into<String>,
        remedies: impl IntoIterator<Item = String>,
    ) -> Self {
        let remedies = remedies.into_iter().filter(|remedy| !remedy.is_empty()).collect();
        Self::Told { message: message.into(), remedies }
    }

    pub(crate) fn exit(&self) -> Status {
        match self {
            Self::Interrupted => exit::INTERRUPTED,
            Self::Told { .. } | Self::Output(_) => exit::FAILURE,
        }
    }

    /// Prints it to standard error.
    pub(crate) fn print(&self) {
        let (error, help) = (output::ERROR, output::HELP);
        // Whatever a message quotes, nothing in it steers the terminal.
        let message = escaped_lines(&self.to_string());
        let mut text = format!("{error}error{error:#}: {message}\n");
        let remedies = match self {
            Self::Told { remedies, .. } => &remedies[..],
            _ => &[],
        };
        for remedy in remedies {
            let _ = writeln!(text, "{help}help{help:#}: {}", escaped_lines(remedy));
        }
        output::print_error(&text);
    }
}

impl From<callsign_config::ConfigError> for Failure {
    fn from(error: callsign_config::ConfigError) -> Self {
        Self::with_remedy(error.to_string(), error.remedy())
    }
}

impl From<callsign::registry::Miss> for Failure {
    fn from(miss: callsign::registry::Miss) -> Self {
        Self::with_remedies(miss.headline(), miss.hints())
    }
}
