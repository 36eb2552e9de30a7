//! The headers of 2026-07-28, which must say what the body says.

use axum::http::HeaderMap;

use crate::base64;
use crate::era::MODERN_VERSION;
use crate::incoming::Request;
use crate::json_text::Object;
use crate::rpc_error::RpcError;

pub(super) const SESSION: &str = "mcp-session-id";
pub(super) const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";

/// A header's value without outer blanks, if it is text.
pub(super) fn header<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

/// Compares the standard headers of a modern request with its body.
pub(super) fn agree(headers: &HeaderMap, request: &Request) -> Result<(), RpcError> {
    same(headers, VERSION, MODERN_VERSION)?;
    same(headers, METHOD, &request.method)?;
    match named(request) {
        Some(name) => same(headers, NAME, &name),
        None => Ok(()),
    }
}

/// What `Mcp-Name` repeats, for the methods that have it.
fn named(request: &Request) -> Option<String> {
    let parameter = match request.method.as_str() {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    request.text_param(parameter)
}

fn same(headers: &HeaderMap, name: &str, body: &str) -> Result<(), RpcError> {
    let mut copies = headers.get_all(name).iter();
    let (Some(_), None) = (copies.next(), copies.next()) else {
        return Err(RpcError::header_mismatch(format!("{name} must be there once")));
    };
    let value = header(headers, name).unwrap_or_default();
    let decoded = if name == NAME { decoded(value) } else { Some(value.to_owned()) };
    if decoded.as_deref() == Some(body) {
        return Ok(());
    }
    Err(RpcError::header_mismatch(format!("{name} is {value}, the body says {body}")))
}

/// A value as it is, or out of its `=?base64?…?=` wrapping; `None` if the wrapping holds no UTF-8.
fn decoded(value: &str) -> Option<String> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(wrapped) => String::from_utf8(base64::decode(wrapped)?).ok(),
        None => Some(value.to_owned()),
    }
}

/// All headers as one JSON object, in the order of arrival; a repeated header stands there repeatedly.
pub(super) fn as_json(headers: &HeaderMap) -> String {
    let add = |object: Object,
               (name, value): (&axum::http::HeaderName, &axum::http::HeaderValue)| {
        object.text(name.as_str(), &String::from_utf8_lossy(value.as_bytes()))
    };
    headers.iter().fold(Object::new(), add).json()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_name_is_unwrapped() {
        assert_eq!(decoded("plain").as_deref(), Some("plain"));
        assert_eq!(decoded("=?base64?w7xi?=").as_deref(), Some("üb"));
        assert_eq!(decoded("=?base64?*?="), None);
    }
}
