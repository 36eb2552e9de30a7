//! The form of answers over HTTP.

use std::str::FromStr;

use crate::FlagError;
use crate::choice::choice;

/// The form of an answer over HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reply {
    /// JSON if the answer comes alone, else an event stream.
    #[default]
    Auto,
    /// Always JSON; whatever else would be sent with it is lost.
    Json,
    /// Always an event stream.
    Sse,
}

impl FromStr for Reply {
    type Err = FlagError;

    fn from_str(text: &str) -> Result<Self, FlagError> {
        choice("reply", text, &[("auto", Reply::Auto), ("json", Reply::Json), ("sse", Reply::Sse)])
    }
}
