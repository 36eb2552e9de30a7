use serde_json::value::RawValue;

use super::{Id, RpcError};

/// The text of a request. `params` is copied as it is.
#[must_use]
pub fn write_request(id: &Id, method: &str, params: Option<&RawValue>) -> String {
    envelope(&[("id", id.raw()), ("method", &quoted(method))], ("params", params))
}

/// The text of a notification. `params` is copied as it is.
#[must_use]
pub fn write_notification(method: &str, params: Option<&RawValue>) -> String {
    envelope(&[("method", &quoted(method))], ("params", params))
}

/// The text of an answer with a result, which is copied as it is.
#[must_use]
pub fn write_result(id: &Id, result: &RawValue) -> String {
    envelope(&[("id", id.raw())], ("result", Some(result)))
}

/// The text of an answer with an error, which is copied as it is.
#[must_use]
pub fn write_error(id: &Id, error: &RawValue) -> String {
    envelope(&[("id", id.raw())], ("error", Some(error)))
}

impl RpcError {
    /// An error of our own making.
    #[must_use]
    pub fn new(code: i64, message: &str) -> Self {
        Self::from_text(format!("{{\"code\":{code},\"message\":{}}}", quoted(message)))
    }

    /// An error of our own making with raw JSON as its `data`. Text that is no JSON is left out.
    #[must_use]
    pub fn with_data(code: i64, message: &str, data: &str) -> Self {
        if serde_json::from_str::<&RawValue>(data).is_err() {
            return Self::new(code, message);
        }
        let message = quoted(message);
        Self::from_text(format!("{{\"code\":{code},\"message\":{message},\"data\":{data}}}"))
    }

    /// Takes text that is JSON by construction.
    fn from_text(text: String) -> Self {
        Self::from_raw(RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn envelope(head: &[(&str, &str)], (name, payload): (&str, Option<&RawValue>)) -> String {
    let size = payload.map_or(0, |payload| payload.get().len());
    let mut out = String::with_capacity(size + 96);
    out.push_str("{\"jsonrpc\":\"2.0\"");
    let payload = payload.map(|payload| (name, payload.get()));
    for (name, value) in head.iter().copied().chain(payload) {
        out.push_str(",\"");
        out.push_str(name);
        out.push_str("\":");
        out.push_str(value);
    }
    out.push('}');
    out
}
