//! The headers by which the stateless era repeats what stands in the body, compared with it.
//!
//! Source: specification 2026-07-28, basic/transports (Streamable HTTP, standard headers).

use axum::http::{HeaderMap, HeaderName};

use super::access::only;
use super::head::PROTOCOL_VERSION;
use super::refused::Refused;
use crate::http::{name_of, read_header_value};
use crate::message::Request;

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const PARAMETER: &str = "mcp-param-";

/// Refuses a request whose headers are missing, unreadable, or say something else than its body.
pub(super) fn compare(
    headers: &HeaderMap,
    request: &Request,
    revision: Option<&str>,
) -> Result<(), Refused> {
    // A revision that is no string is refused for what it is, not for its header.
    if let Some(revision) = revision {
        same(headers, request, &PROTOCOL_VERSION, Some(revision), plain)?;
    }
    same(headers, request, &METHOD, Some(&request.method), plain)?;
    let name = name_of(&request.method, request.params.as_deref());
    same(headers, request, &NAME, name.as_deref(), read_header_value)
}

fn plain(value: &str) -> Option<String> {
    Some(value.to_owned())
}

fn same(
    headers: &HeaderMap,
    request: &Request,
    name: &HeaderName,
    in_body: Option<&str>,
    read: fn(&str) -> Option<String>,
) -> Result<(), Refused> {
    let mismatch = |reason: &str| Err(Refused::mismatch(&request.id, reason));
    let Ok(value) = only(headers, name) else {
        return mismatch(&format!("the header `{name}` has two values, or one that is no text"));
    };
    match (value, in_body) {
        (Some(value), Some(in_body)) => match read(value) {
            Some(value) if value == in_body => Ok(()),
            Some(_) => mismatch(&format!("the header `{name}` and the body differ")),
            None => mismatch(&format!("the header `{name}` can't be decoded")),
        },
        (None, Some(_)) => mismatch(&format!("the header `{name}` is missing")),
        // Other methods have no name, and a header that repeats nothing contradicts nothing.
        (Some(_), None) if crate::http::has_name(&request.method) => {
            mismatch(&format!("the header `{name}` repeats what the body does not have"))
        }
        (_, None) => Ok(()),
    }
}

/// The values of parameters, decoded where they can be: which of them mean anything, and what they must be equal to, a
/// tool's schema says.
pub(super) fn parameters(headers: &HeaderMap) -> Vec<(String, Option<String>)> {
    let named = headers.keys().filter_map(|name| {
        let short = name.as_str().strip_prefix(PARAMETER)?;
        let value = only(headers, name).ok().flatten().and_then(read_header_value);
        Some((short.to_owned(), value))
    });
    named.collect()
}
