//! What the head of a request says of its body and of the answer it takes.

use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};

use super::access::{Ambiguous, only};
use super::refused::Refused;
use crate::lifecycle::{STATELESS, is_handshake_revision};
use crate::message::Id;
use crate::serve::stateless::unsupported;

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// Refuses a body that is not JSON by its type. No character set is looked at: JSON has one.
pub(super) fn is_json(headers: &HeaderMap) -> Result<(), Refused> {
    let is_json =
        |value: &str| value.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(JSON);
    match only(headers, &CONTENT_TYPE) {
        Ok(Some(value)) if is_json(value) => Ok(()),
        _ => Err(Refused::content_type()),
    }
}

/// Refuses a host that does not take both forms an answer can have.
pub(super) fn takes_both(headers: &HeaderMap) -> Result<(), Refused> {
    if accepts(headers, JSON) && accepts(headers, EVENTS) {
        Ok(())
    } else {
        Err(Refused::accept("both `application/json` and `text/event-stream`"))
    }
}

pub(super) fn takes_events(headers: &HeaderMap) -> Result<(), Refused> {
    if accepts(headers, EVENTS) { Ok(()) } else { Err(Refused::accept("`text/event-stream`")) }
}

/// Whether the header `Accept` allows a type. Without the header everything is allowed (RFC 9110, section 12.5.1).
fn accepts(headers: &HeaderMap, wanted: &str) -> bool {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    let family = wanted.split('/').next().unwrap_or_default();
    // The most exact range decides: 0 none, 1 `*/*`, 2 `type/*`, 3 the type itself.
    let mut best = (0, false);
    for range in values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')) {
        let mut parts = range.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default().to_ascii_lowercase();
        let exactness = match name.as_str() {
            "*/*" => 1,
            _ if name == wanted => 3,
            _ if name.strip_suffix("/*") == Some(family) => 2,
            _ => continue,
        };
        if exactness > best.0 {
            best = (exactness, !parts.any(is_zero));
        }
    }
    best.1
}

/// Whether a parameter says "not this": `q=0`, `q=0.000`.
fn is_zero(parameter: &str) -> bool {
    let weight = parameter.split_once('=').filter(|(name, _)| name.eq_ignore_ascii_case("q"));
    weight.is_some_and(|(_, value)| value.trim().parse::<f32>() == Ok(0.0))
}

/// What the header with the revision says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version<'a> {
    /// Nothing: a host before 2025-06-18, or one that begins.
    Absent,
    /// A revision of the handshake era.
    Handshake(&'a str),
    /// The stateless one.
    Stateless,
    /// Something else.
    Other(&'a str),
}

impl<'a> Version<'a> {
    pub(super) fn of(headers: &'a HeaderMap) -> Result<Self, Refused> {
        Ok(match only(headers, &PROTOCOL_VERSION).map_err(|name| conflicting(&name))? {
            None => Self::Absent,
            Some(STATELESS) => Self::Stateless,
            Some(revision) if is_handshake_revision(revision) => Self::Handshake(revision),
            Some(other) => Self::Other(other),
        })
    }

    pub(super) fn text(self) -> Option<&'a str> {
        match self {
            Self::Absent => None,
            Self::Handshake(text) | Self::Other(text) => Some(text),
            Self::Stateless => Some(STATELESS),
        }
    }

    /// Refuses a revision that nobody here knows.
    pub(super) fn known(self, id: Option<&Id>) -> Result<(), Refused> {
        match self {
            Self::Other(revision) => Err(Refused::request(
                axum::http::StatusCode::BAD_REQUEST,
                id,
                &unsupported(revision),
            )),
            _ => Ok(()),
        }
    }

    /// Whether arrays of messages may come: they were taken in by 2025-03-26 and out again by the next revision.
    pub(super) fn has_batches(self) -> bool {
        matches!(self, Self::Absent | Self::Handshake("2025-03-26"))
    }
}

/// The session's id; `None` where there is none.
pub(super) fn session_id(headers: &HeaderMap) -> Result<Option<&str>, Refused> {
    only(headers, &SESSION_ID).map_err(|name| conflicting(&name))
}

fn conflicting(Ambiguous(name): &Ambiguous) -> Refused {
    Refused::bad_request(
        None,
        &format!("the header `{name}` has two values, or one that is no text"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(name: &HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn both_forms_of_an_answer_must_be_allowed() {
        for allowed in [
            &[][..],
            &["application/json, text/event-stream"],
            &["text/event-stream;q=0.5", "Application/JSON"],
            &["*/*"],
            &["text/*, application/*;q=1"],
            &["*/*;q=0, application/json, text/event-stream"],
        ] {
            assert!(takes_both(&head(&ACCEPT, allowed)).is_ok(), "{allowed:?}");
        }
        for refused in [
            &["application/json"][..],
            &["text/event-stream"],
            &["text/html, application/json"],
            &["*/*, text/event-stream;q=0.0"],
            &["application/json2, text/event-stream"],
            &[""],
        ] {
            assert!(takes_both(&head(&ACCEPT, refused)).is_err(), "{refused:?}");
        }
    }

    #[test]
    fn the_body_must_be_json() {
        for json in ["application/json", "Application/Json; charset=utf-8"] {
            assert!(is_json(&head(&CONTENT_TYPE, &[json])).is_ok());
        }
        for other in [
            &[][..],
            &["text/plain"],
            &["application/json-seq"],
            &["application/json", "text/plain"],
        ] {
            assert!(is_json(&head(&CONTENT_TYPE, other)).is_err(), "{other:?}");
        }
    }

    #[test]
    fn a_revision_is_of_one_era_or_unknown() {
        let of = |values: &[&str]| {
            Version::of(&head(&PROTOCOL_VERSION, values)).map(Version::has_batches).ok()
        };
        assert_eq!(of(&[]), Some(true));
        assert_eq!(of(&["2025-03-26", "2025-03-26"]), Some(true));
        assert_eq!(of(&["2025-06-18"]), Some(false));
        assert_eq!(of(&["2026-07-28", "2025-06-18"]), None);
        let headers = head(&PROTOCOL_VERSION, &["2036-01-01"]);
        assert!(Version::of(&headers).unwrap().known(None).is_err());
    }
}
