//! A status in place of an answer.

use std::str::FromStr;

use axum::http::StatusCode;

use crate::behaviour::Behaviour;
use crate::choice::number;
use crate::{FlagError, RequestPattern};

/// A bare HTTP status in place of an answer.
#[derive(Clone, Debug)]
pub struct HttpStatus {
    /// The status.
    pub status: u16,
    /// For which requests.
    pub requests: RequestPattern,
}

impl FromStr for HttpStatus {
    type Err = FlagError;

    /// `STATUS` or `STATUS:REQUESTS`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (status, pattern) = text.split_once(':').unwrap_or((text, "all"));
        let Ok(requests) = pattern.parse();
        Ok(Self { status: number(status, "an HTTP status")?, requests })
    }
}

impl Behaviour {
    /// The bare status such a request is answered with, if any.
    pub(super) fn bare_status(&self, method: &str) -> Option<StatusCode> {
        let found = self.http.status.iter().find(|status| status.requests.matches(method))?;
        StatusCode::from_u16(found.status).ok()
    }
}
