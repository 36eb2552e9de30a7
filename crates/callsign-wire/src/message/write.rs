use serde_json::value::RawValue;

use super::{Id, RpcError};

/// The text of a request. `params` is copied as it is.
#[must_use]
pub fn write_request(id: &Id, method: &str, params: Option<&RawValue>) -> String {
    envelope(Some(id), Some(method), ("params", params))
}

/// The text of a notification. `params` is copied as it is.
#[must_use]
pub fn write_notification(method: &str, params: Option<&RawValue>) -> String {
    envelope(None, Some(method), ("params", params))
}

/// The text of an answer with a result, which is copied as it is.
#[must_use]
pub fn write_result(id: &Id, result: &RawValue) -> String {
    envelope(Some(id), None, ("result", Some(result)))
}

/// The text of an answer with an error, which is copied as it is.
#[must_use]
pub fn write_error(id: &Id, error: &RawValue) -> String {
    envelope(Some(id), None, ("error", Some(error)))
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

/// Puts a message together in one string, with room for a line end.
fn envelope(
    id: Option<&Id>,
    method: Option<&str>,
    (name, payload): (&str, Option<&RawValue>),
) -> String {
    let (id, payload) = (id.map(Id::raw), payload.map(RawValue::get));
    let size = [id, method, payload].into_iter().flatten().map(str::len).sum::<usize>();
    let mut out = String::with_capacity(size + 64);
    out.push_str("{\"jsonrpc\":\"2.0\"");
    if let Some(id) = id {
        out.push_str(",\"id\":");
        out.push_str(id);
    }
    if let Some(method) = method {
        out.push_str(",\"method\":");
        push_quoted(&mut out, method);
    }
    if let Some(payload) = payload {
        out.push_str(",\"");
        out.push_str(name);
        out.push_str("\":");
        out.push_str(payload);
    }
    out.push('}');
    out
}

fn push_quoted(out: &mut String, text: &str) {
    let is_plain = |byte: u8| (0x20..=0x7e).contains(&byte) && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&quoted(text));
    }
}
