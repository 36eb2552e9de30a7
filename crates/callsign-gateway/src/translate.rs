//! What one era says and the other does not, in results.

use callsign_wire::Era;
use serde_json::value::RawValue;

use crate::params::{Members, raw};

/// Members that the stateless era has in results, and the handshake era does not.
const STATELESS_MEMBERS: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// A server's result for a host, which may follow the other era. Within one era nothing is touched.
pub(crate) fn result(result: Box<RawValue>, server: Era, host: Era, method: &str) -> Box<RawValue> {
    match (server, host) {
        (Era::Stateless, Era::Handshake) => to_handshake(result),
        (Era::Handshake, Era::Stateless) => to_stateless(result, method),
        _ => result,
    }
}

fn to_handshake(result: Box<RawValue>) -> Box<RawValue> {
    match Members::read(result.get()) {
        Some(members) if STATELESS_MEMBERS.iter().any(|name| members.get(name).is_some()) => {
            raw(members.without(&STATELESS_MEMBERS))
        }
        _ => result,
    }
}

fn to_stateless(result: Box<RawValue>, method: &str) -> Box<RawValue> {
    let Some(members) = Members::read(result.get()) else { return result };
    let mut added = vec![("resultType", "\"complete\"")];
    if method == "resources/read" {
        added.extend([("ttlMs", "0"), ("cacheScope", "\"private\"")]);
    }
    added.retain(|(name, _)| members.get(name).is_none());
    if added.is_empty() { result } else { raw(members.with(&added)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_era_gets_what_it_knows_and_everything_else_as_it_is() {
        let translated = |text: &str, server, host| {
            result(raw(text.to_owned()), server, host, "resources/read").get().to_owned()
        };
        let modern = r#"{"contents":[1e999],"resultType":"complete","ttlMs":5,"x":1.0}"#;
        assert_eq!(
            translated(modern, Era::Stateless, Era::Handshake),
            r#"{"contents":[1e999],"x":1.0}"#
        );
        assert_eq!(translated(modern, Era::Stateless, Era::Stateless), modern);
        let old = r#"{ "contents":[1e999] }"#;
        assert_eq!(translated(old, Era::Stateless, Era::Handshake), old);
        assert_eq!(
            translated(old, Era::Handshake, Era::Stateless),
            r#"{ "contents":[1e999] ,"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#
        );
    }
}
