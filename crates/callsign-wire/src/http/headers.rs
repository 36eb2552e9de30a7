use serde_json::value::RawValue;

use crate::lifecycle::{Era, STATELESS, Spoken, sends_version_header};
use crate::message::member;
use base64::prelude::{BASE64_STANDARD, Engine};

/// A value as the protocol's headers carry it: as it is where it is printable ASCII without outer blanks, else in the
/// Base64 sentinel, and so too where it looks like the sentinel itself.
///
/// ```
/// use callsign_wire::http::header_value;
/// assert_eq!(header_value("read_file"), "read_file");
/// assert_eq!(header_value("é"), "=?base64?w6k=?=");
/// assert_eq!(header_value(" a"), "=?base64?IGE=?=");
/// ```
#[must_use]
pub fn header_value(value: &str) -> String {
    let plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
        && value.trim() == value
        && !value.to_ascii_lowercase().starts_with("=?base64?");
    if plain { value.to_owned() } else { format!("=?base64?{}?=", BASE64_STANDARD.encode(value)) }
}

/// The value that a header of the protocol carries: outer blanks are cut off and the Base64 sentinel is read, in this
/// spelling of its markers only. `None` where what it holds is no Base64 of UTF-8 text.
///
/// ```
/// use callsign_wire::http::read_header_value;
/// assert_eq!(read_header_value(" read_file ").as_deref(), Some("read_file"));
/// assert_eq!(read_header_value("=?base64?w6k=?=").as_deref(), Some("é"));
/// assert_eq!(read_header_value("=?base64?%?="), None);
/// ```
#[must_use]
pub fn read_header_value(value: &str) -> Option<String> {
    let value = value.trim_matches([' ', '\t']);
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    match encoded {
        Some(encoded) => String::from_utf8(BASE64_STANDARD.decode(encoded).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

type HeaderPair = (&'static str, String);

/// The first question to a server of unknown era; it is asked in the stateless one.
const DISCOVER: &str = "server/discover";

/// Which member of the parameters `Mcp-Name` repeats (2026-07-28, Streamable HTTP; tasks from their extension).
const NAMED_BY: [(&str, &str); 6] = [
    ("tools/call", "name"),
    ("prompts/get", "name"),
    ("resources/read", "uri"),
    ("tasks/get", "taskId"),
    ("tasks/update", "taskId"),
    ("tasks/cancel", "taskId"),
];

/// The revision, which everything carries once it is settled; the question for it carries the one it asks for.
pub(super) fn of_revision(method: Option<&str>, spoken: Option<&Spoken>) -> Option<HeaderPair> {
    let revision = match spoken {
        Some(spoken) => Some(&*spoken.revision).filter(|revision| sends_version_header(revision)),
        None => (method == Some(DISCOVER)).then_some(STATELESS),
    };
    Some(("mcp-protocol-version", revision?.to_owned()))
}

/// What the stateless era repeats of a request: derived from its body alone, so that the two can't disagree.
pub(super) fn of_request(
    method: &str,
    params: Option<&RawValue>,
    spoken: Option<&Spoken>,
) -> Vec<HeaderPair> {
    if !spoken.map_or(method == DISCOVER, |spoken| spoken.era == Era::Stateless) {
        return Vec::new();
    }
    let mut headers = vec![("mcp-method", header_value(method))];
    headers.extend(name_of(method, params).map(|name| ("mcp-name", header_value(&name))));
    headers
}

/// Whether `Mcp-Name` belongs to this method.
pub(crate) fn has_name(method: &str) -> bool {
    NAMED_BY.iter().any(|(named, _)| *named == method)
}

/// What `Mcp-Name` must hold, by the body; `None` where it has no such member, or no string there.
pub(crate) fn name_of(method: &str, params: Option<&RawValue>) -> Option<String> {
    let (_, named_by) = NAMED_BY.iter().find(|(named, _)| *named == method)?;
    serde_json::from_str(member(params?.get(), named_by)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClientIdentity;

    #[test]
    fn the_name_comes_from_the_body() {
        let params = RawValue::from_string(r#"{"name":"a\u00e9"}"#.to_owned()).unwrap();
        let spoken = Spoken::stateless(&ClientIdentity::new("c", "1"));
        assert_eq!(
            of_request("tools/call", Some(&params), Some(&spoken)),
            [("mcp-method", "tools/call".to_owned()), ("mcp-name", "=?base64?YcOp?=".to_owned()),]
        );
    }

    #[test]
    fn before_the_era_is_known_only_the_question_for_it_has_headers() {
        assert!(of_request("initialize", None, None).is_empty());
        assert!(of_revision(Some("initialize"), None).is_none());
        assert_eq!(of_request(DISCOVER, None, None).len(), 1);
        assert_eq!(of_revision(Some(DISCOVER), None).unwrap().1, STATELESS);
    }

    #[test]
    fn what_looks_like_the_sentinel_is_encoded() {
        assert_eq!(header_value("=?base64?eA==?="), "=?base64?PT9iYXNlNjQ/ZUE9PT89?=");
        assert_eq!(header_value("a\nb"), "=?base64?YQpi?=");
    }
}
