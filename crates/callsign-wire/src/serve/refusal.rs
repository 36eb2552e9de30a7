//! Requests that the transport itself refuses, with the code and the HTTP status the protocol has for each.

use serde_json::value::RawValue;

use crate::message::{Id, Malformed, Members, Name, RpcError, write_error};

/// JSON-RPC's "parse error": the text is no JSON.
pub(super) const PARSE_ERROR: i64 = -32700;
/// JSON-RPC's "invalid request": JSON, but no message.
pub(super) const INVALID_REQUEST: i64 = -32600;
/// JSON-RPC's "invalid params".
pub(super) const INVALID_PARAMS: i64 = -32602;
/// JSON-RPC's "internal error".
pub(super) const INTERNAL_ERROR: i64 = -32603;

/// The answer to a text that is no message, under its id where one can be read. `None` where it was perhaps meant as an
/// answer: an answer to an answer could go on for ever.
pub(super) fn of_malformed(text: &[u8], reason: &Malformed) -> Option<String> {
    let members = serde_json::from_slice::<Members<'_>>(text).map(|members| members.0).ok();
    let id = match &members {
        Some(members) => {
            let has = |name: &str| members.iter().any(|(found, _)| found.is(name));
            if !has("method") && (has("result") || has("error")) {
                return None;
            }
            only_id(members)
        }
        None => None,
    };
    let is_json = || serde_json::from_slice::<&RawValue>(text).is_ok();
    let code = match reason {
        Malformed::NotAnObject(_) if members.is_none() && !is_json() => PARSE_ERROR,
        _ => INVALID_REQUEST,
    };
    Some(under(id.as_ref(), &RpcError::new(code, &format!("this is no message: {reason}"))))
}

fn only_id(members: &[(Name<'_>, &RawValue)]) -> Option<Id> {
    let mut ids = members.iter().filter(|(name, _)| name.is("id")).map(|(_, raw)| raw);
    let id = ids.next()?;
    if ids.next().is_some() { None } else { Id::from_raw(id) }
}

/// The answer to a message of more than `limit` bytes, which was not read.
pub(super) fn of_too_long(limit: usize) -> String {
    let reason = format!("the message is longer than {limit} bytes, which is the limit here");
    under(None, &RpcError::new(INVALID_REQUEST, &reason))
}

/// The error of a request for which no place got free in time.
pub(super) fn of_crowded(limit: usize) -> RpcError {
    let reason = format!(
        "{limit} requests of this session are under way, which is the limit, and none was answered in time"
    );
    RpcError::new(INTERNAL_ERROR, &reason)
}

/// An error's message; the id is `null` where none could be read.
pub(super) fn under(id: Option<&Id>, error: &RpcError) -> String {
    match id {
        Some(id) => write_error(id, error.raw()),
        None => format!(r#"{{"jsonrpc":"2.0","id":null,"error":{}}}"#, error.raw().get()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::parse;

    fn refusal(text: &str) -> Option<String> {
        of_malformed(text.as_bytes(), &parse(text.as_bytes()).unwrap_err())
    }

    #[test]
    fn no_json_is_a_parse_error_and_json_that_is_no_message_an_invalid_request() {
        let start = |text| refusal(text).unwrap()[..54].to_owned();
        assert_eq!(start("{\"a\":"), r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"mes"#);
        assert_eq!(start("[1]"), r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"mes"#);
        assert_eq!(start(r#"{"id":null}"#), start("7"));
    }

    #[test]
    fn an_id_that_can_be_read_goes_back_as_it_was_spelled() {
        let spelled = refusal(r#"{"jsonrpc":"2.0","id":"\u0061","method":7}"#).unwrap();
        assert!(spelled.starts_with(r#"{"jsonrpc":"2.0","id":"\u0061","error":{"code":-32600"#));
        let twice = refusal(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#).unwrap();
        assert!(twice.starts_with(r#"{"jsonrpc":"2.0","id":null,"#));
    }

    #[test]
    fn what_was_meant_as_an_answer_gets_none() {
        assert_eq!(refusal(r#"{"jsonrpc":"2.0","id":null,"result":1}"#), None);
        assert_eq!(refusal(r#"{"id":1,"error":{}}"#), None);
    }
}
