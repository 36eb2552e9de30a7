use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::text::printable;

/// The `error` member of a response, whole and raw, with its code and message read out.
#[derive(Clone)]
pub struct RpcError {
    raw: Box<RawValue>,
    code: Option<i64>,
    message: String,
}

/// What is read of an error; both are taken leniently, for an error that can't be read is an error all the same.
#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

impl RpcError {
    /// Reads code and message out of the raw member; whatever it is, it is kept.
    #[must_use]
    pub fn from_raw(raw: Box<RawValue>) -> Self {
        let parts = parts(&raw);
        let code = parts.as_ref().and_then(|parts| parts.code?.get().parse().ok());
        let message = parts
            .and_then(|parts| serde_json::from_str(parts.message?.get()).ok())
            .unwrap_or_else(|| "no message".to_owned());
        Self { raw, code, message }
    }

    /// The member as it was sent.
    #[must_use]
    pub fn raw(&self) -> &RawValue {
        &self.raw
    }

    /// The code, where it is an integer of 64 bits.
    #[must_use]
    pub fn code(&self) -> Option<i64> {
        self.code
    }

    /// The message as it was sent; [`Display`](fmt::Display) gives it fit for a terminal.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The raw `data`, if any.
    #[must_use]
    pub fn data(&self) -> Option<&RawValue> {
        parts(&self.raw)?.data
    }
}

fn parts(raw: &RawValue) -> Option<Parts<'_>> {
    serde_json::from_str(raw.get()).ok()
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.message, 400))?;
        match self.code {
            Some(code) => write!(f, " (code {code})"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw.get())
    }
}

impl std::error::Error for RpcError {}
