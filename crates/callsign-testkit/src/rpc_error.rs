//! The JSON-RPC errors this server answers with.

use crate::era::Spoken;
use crate::json_text::{self, Object};

/// A JSON-RPC error object.
#[derive(Clone, Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<String>,
    /// The whole object, if it was written out in full.
    written: Option<String>,
}

impl RpcError {
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    pub(crate) const HEADER_MISMATCH: i64 = -32020;
    pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

    fn new(code: i64, message: String) -> Self {
        Self { code, message, data: None, written: None }
    }

    pub(crate) fn unreadable() -> Self {
        Self::new(-32700, "not a JSON-RPC message".into())
    }

    pub(crate) fn too_early(method: &str) -> Self {
        Self::new(-32600, format!("{method} before initialize"))
    }

    pub(crate) fn method_not_found(method: &str) -> Self {
        Self::new(Self::METHOD_NOT_FOUND, format!("method not found: {method}"))
    }

    pub(crate) fn invalid_params(message: String) -> Self {
        Self::new(Self::INVALID_PARAMS, message)
    }

    pub(crate) fn header_mismatch(message: String) -> Self {
        Self::new(Self::HEADER_MISMATCH, message)
    }

    /// `data` names what is supported and what was asked for, as 2026-07-28 requires.
    pub(crate) fn unsupported_version(supported: &[&str], requested: &str) -> Self {
        let data = Object::new()
            .raw("supported", &json_text::strings(supported))
            .text("requested", requested)
            .json();
        let message = format!("unsupported protocol version: {requested}");
        Self { code: Self::UNSUPPORTED_VERSION, message, data: Some(data), written: None }
    }

    /// The code moved from the implementation's range to the one for wrong parameters.
    pub(crate) fn resource_not_found(uri: &str, spoken: Spoken) -> Self {
        let code = if spoken == Spoken::Legacy { -32002 } else { Self::INVALID_PARAMS };
        let data = Some(Object::new().text("uri", uri).json());
        Self { code, message: format!("resource not found: {uri}"), data, written: None }
    }

    /// An error object somebody wrote out in full.
    pub(crate) fn as_written(json: &str) -> Self {
        let written = Some(json_text::one_line(json));
        Self { code: 0, message: String::new(), data: None, written }
    }

    pub(crate) fn json(&self) -> String {
        if let Some(written) = &self.written {
            return written.clone();
        }
        let object =
            Object::new().raw("code", &self.code.to_string()).text("message", &self.message);
        self.data.iter().fold(object, |object, data| object.raw("data", data)).json()
    }
}
