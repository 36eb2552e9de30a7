//! What a request of the stateless era says about itself in `params._meta`, and what is refused for it.
//!
//! Source: specification 2026-07-28, basic/index and basic/versioning.

use serde_json::value::RawValue;

use super::refusal::INVALID_PARAMS;
use crate::lifecycle::{Era, STATELESS, UNSUPPORTED_PROTOCOL_VERSION};
use crate::message::{Members, Request, RpcError};
use crate::router::METHOD_NOT_FOUND;

/// Methods of the handshake era that the stateless one has no more, and those of tasks that never came into it.
const REMOVED: [&str; 7] = [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/list",
    "tasks/result",
];

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// What `_meta` says.
pub(super) struct Meta<'a> {
    version: &'a RawValue,
    capabilities: Option<&'a RawValue>,
}

/// The part of `_meta` that makes a request one of the stateless era; `None` for one of the handshake era.
pub(super) fn meta(params: Option<&RawValue>) -> Result<Option<Meta<'_>>, RpcError> {
    let Some(params) = params.map(RawValue::get).filter(|text| may_name_revision(text)) else {
        return Ok(None);
    };
    let [Some(meta)] = only(params, ["_meta"])? else { return Ok(None) };
    let [version, capabilities] = only(meta.get(), [META_VERSION, META_CAPABILITIES])?;
    Ok(version.map(|version| Meta { version, capabilities }))
}

/// Members of an object by their names, each `None` where it has no such member, or where it is no object. Two of one
/// name are refused: others might read the other one.
fn only<'a, const N: usize>(
    object: &'a str,
    names: [&str; N],
) -> Result<[Option<&'a RawValue>; N], RpcError> {
    let mut found = [None; N];
    let members: Option<Members<'a>> = serde_json::from_str(object).ok();
    for (name, value) in members.into_iter().flat_map(|members| members.0) {
        let Some(place) = names.iter().position(|wanted| name.is(wanted)) else { continue };
        if found[place].replace(value).is_some() {
            let reason = format!("the parameters have `{}` twice", names[place]);
            return Err(RpcError::new(INVALID_PARAMS, &reason));
        }
    }
    Ok(found)
}

/// Whether it is worth a second look: letters of a key are escaped by nobody, but they could be.
fn may_name_revision(params: &str) -> bool {
    params.contains("protocolVersion") || params.contains("\\u")
}

impl Meta<'_> {
    /// The revision; `None` if it is no string.
    pub(super) fn version(&self) -> Option<String> {
        serde_json::from_str(self.version.get()).ok()
    }

    /// Refuses what is not of this era.
    pub(super) fn check(&self, method: &str) -> Result<(), RpcError> {
        let incomplete = |key: &str, what: &str| {
            RpcError::new(INVALID_PARAMS, &format!("`params._meta[\"{key}\"]` must be {what}"))
        };
        let version = self.version().ok_or_else(|| incomplete(META_VERSION, "a string"))?;
        if version != STATELESS {
            return Err(unsupported(&version));
        }
        if !self.capabilities.is_some_and(|raw| raw.get().starts_with('{')) {
            return Err(incomplete(META_CAPABILITIES, "an object: each request names them"));
        }
        if REMOVED.contains(&method) {
            return Err(RpcError::new(
                METHOD_NOT_FOUND,
                &format!("revision {STATELESS} has no method `{method}`"),
            ));
        }
        Ok(())
    }
}

/// The error that names the revisions a request can be in. Those of the handshake era begin with `initialize`, so they
/// are not among them.
pub(super) fn unsupported(requested: &str) -> RpcError {
    let requested = serde_json::Value::from(requested);
    let data = format!(r#"{{"supported":["{STATELESS}"],"requested":{requested}}}"#);
    RpcError::with_data(
        UNSUPPORTED_PROTOCOL_VERSION,
        &format!("this revision is not supported; requests can be in {STATELESS}"),
        &data,
    )
}

/// The era of a request that came over lines.
pub(super) fn era(request: &Request) -> Result<Era, RpcError> {
    match meta(request.params.as_deref())? {
        Some(meta) => meta.check(&request.method).map(|()| Era::Stateless),
        None => Ok(Era::Handshake),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Id;

    fn era_of(method: &str, params: &str) -> Result<Era, RpcError> {
        let params = Some(RawValue::from_string(params.to_owned()).unwrap());
        era(&Request { id: Id::number(1), method: method.to_owned(), params })
    }

    const COMPLETE: &str = r#"{"_meta":{"io.modelcontextprotocol\/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;

    #[test]
    fn the_body_says_which_era_it_is() {
        assert_eq!(era_of("tools/list", COMPLETE).unwrap(), Era::Stateless);
        for old in [
            "{}",
            r#"{"_meta":{"progressToken":1}}"#,
            r#"{"protocolVersion":"2025-11-25"}"#,
            r#"[{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}]"#,
            r#"{"_meta":"protocolVersion"}"#,
            r#"{"_meta":null,"protocolVersion":1}"#,
        ] {
            assert_eq!(era_of("tools/list", old).unwrap(), Era::Handshake, "{old}");
        }
        let odd = COMPLETE.replace("{\"", "{\"\\ud800\":1,\"");
        assert_eq!(era_of("tools/list", &odd).unwrap(), Era::Stateless);
        assert_eq!(era_of("tools/list", r#"{"\ud800":1}"#).unwrap(), Era::Handshake);
        let escaped = COMPLETE.replace("protocolV", "p\\u0072otocolV");
        assert_eq!(era_of("tools/list", &escaped).unwrap(), Era::Stateless);
    }

    // Statement 9 of the protocol's forty.
    #[test]
    fn a_request_without_client_capabilities_has_invalid_params() {
        let bare = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}"#;
        let error = era_of("tools/list", bare).unwrap_err();
        assert_eq!(error.code(), Some(-32602));
        assert!(error.message().contains("clientCapabilities"));
        let not_an_object = COMPLETE.replace("{}", "7");
        assert_eq!(era_of("tools/list", &not_an_object).unwrap_err().code(), Some(-32602));
        for twice in [
            COMPLETE.replace("{\"_meta\"", "{\"_meta\":1,\"_meta\""),
            COMPLETE.replace(":{}", ":{},\"io.modelcontextprotocol/clientCapabilities\":{}"),
        ] {
            assert_eq!(era_of("tools/list", &twice).unwrap_err().code(), Some(-32602));
        }
    }

    // Statement 10.
    #[test]
    fn an_unknown_revision_is_told_with_those_that_are_known() {
        let error =
            era_of("tools/list", &COMPLETE.replace("2026-07-28", "2099-\\\"1")).unwrap_err();
        assert_eq!(error.code(), Some(-32022));
        assert_eq!(
            error.data().unwrap().get(),
            r#"{"supported":["2026-07-28"],"requested":"2099-\"1"}"#
        );
    }

    // Statement 11.
    #[test]
    fn methods_that_the_era_has_no_more_are_not_found() {
        for method in REMOVED {
            assert_eq!(era_of(method, COMPLETE).unwrap_err().code(), Some(-32601), "{method}");
            assert_eq!(era_of(method, "{}").unwrap(), Era::Handshake);
        }
    }
}
