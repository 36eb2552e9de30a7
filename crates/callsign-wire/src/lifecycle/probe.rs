use serde_json::value::RawValue;

use super::revision::{STATELESS, is_handshake_revision};
use super::spoken::{ClientIdentity, Spoken};
use super::{HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_PROTOCOL_VERSION};
use crate::connection::{Call, Connection, RequestError};
use crate::message::{Id, RpcError, member};
use crate::text::printable;

/// What an answer to `server/discover` says about the server.
#[derive(Debug, Clone)]
pub(super) enum Verdict {
    /// It speaks our stateless revision; this is its answer.
    Stateless(Box<RawValue>),
    /// It speaks handshake revisions only, or does not know the question.
    Handshake,
    /// It knows the question and our revision, and refused the revision all the same: ask once more.
    AskAgain,
    /// It is modern, but not in a revision of ours: what it offers.
    NoCommonRevision(String),
    /// It is modern and found fault with the request itself.
    Faulty(RpcError),
}

/// Sends `server/discover`. The id is a string: that is what servers that answer it at all are sure to take.
pub(super) async fn send_discover(
    connection: &Connection,
    client: &ClientIdentity,
    id: &str,
) -> Result<Call, RequestError> {
    // The revision header of HTTP must be there from the first request on.
    let params = Spoken::stateless(client).fill(None);
    connection.call_as(Id::text(id), "server/discover", params.as_deref()).await
}

/// Reads the answer. Only a connection that failed gives no verdict.
pub(super) fn judge(answer: Result<Box<RawValue>, RequestError>) -> Result<Verdict, RequestError> {
    match answer {
        Ok(result) => Ok(judge_revisions(member(result.get(), "supportedVersions"), |_| {
            Verdict::Stateless(result.clone())
        })),
        Err(RequestError::Refused(error)) => Ok(judge_error(error)),
        Err(RequestError::Http(error)) if error.is_about_the_request() => Ok(Verdict::Handshake),
        Err(other) => Err(other),
    }
}

fn judge_error(error: RpcError) -> Verdict {
    match error.code() {
        Some(UNSUPPORTED_PROTOCOL_VERSION) => {
            let supported = error.data().and_then(|data| member(data.get(), "supported"));
            judge_revisions(supported, |_| Verdict::AskAgain)
        }
        Some(HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY) => Verdict::Faulty(error),
        // Servers answer an unknown method before `initialize` with any code at all.
        _ => Verdict::Handshake,
    }
}

/// A list that can't be read says nothing, and who says nothing about revisions is asked by handshake.
fn judge_revisions(list: Option<&str>, shared: impl Fn(&str) -> Verdict) -> Verdict {
    let Some(listed) = list.and_then(|list| serde_json::from_str::<Vec<String>>(list).ok()) else {
        return Verdict::Handshake;
    };
    if listed.iter().any(|revision| revision == STATELESS) {
        shared(STATELESS)
    } else if listed.is_empty() || listed.iter().any(|revision| is_handshake_revision(revision)) {
        Verdict::Handshake
    } else {
        Verdict::NoCommonRevision(printable(&listed.join(", "), 200))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(outcome: Result<&str, &str>) -> Verdict {
        let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
        judge(match outcome {
            Ok(result) => Ok(raw(result)),
            Err(error) => Err(RequestError::Refused(RpcError::from_raw(raw(error)))),
        })
        .unwrap()
    }

    #[test]
    fn the_table_of_observations() {
        let both = r#"{"supportedVersions":["2025-11-25","2026-07-28"],"x":1}"#;
        assert!(matches!(judged(Ok(both)), Verdict::Stateless(raw) if raw.get() == both));
        assert!(matches!(
            judged(Ok(r#"{"supportedVersions":["2025-06-18"]}"#)),
            Verdict::Handshake
        ));
        assert!(matches!(judged(Ok("{}")), Verdict::Handshake));
        assert!(matches!(
            judged(Ok(r#"{"supportedVersions":["2027-01-01"]}"#)),
            Verdict::NoCommonRevision(offered) if offered == "2027-01-01"
        ));
        for code in [-32601, -32602, -32600, -32700, -32000, 0] {
            let error = format!(r#"{{"code":{code},"message":"m"}}"#);
            assert!(matches!(judged(Err(&error)), Verdict::Handshake), "{code}");
        }
        assert!(matches!(judged(Err(r#""no""#)), Verdict::Handshake));
        let unsupported = |list: &str| {
            format!(r#"{{"code":-32022,"message":"m","data":{{"supported":{list}}}}}"#)
        };
        assert!(matches!(judged(Err(&unsupported(r#"["2026-07-28"]"#))), Verdict::AskAgain));
        assert!(matches!(judged(Err(&unsupported(r#"["2025-11-25"]"#))), Verdict::Handshake));
        assert!(matches!(
            judged(Err(&unsupported(r#"["2027-01-01"]"#))),
            Verdict::NoCommonRevision(_)
        ));
        assert!(matches!(judged(Err(r#"{"code":-32021,"message":"m"}"#)), Verdict::Faulty(_)));
    }
}
