use serde_json::value::RawValue;

use super::revision::{Era, STATELESS};
use crate::message::splice;
use crate::router::empty_object;

/// Who we say we are.
#[derive(Debug, Clone)]
pub struct ClientIdentity {
    /// The program's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The raw `capabilities` object; `{}` offers nothing.
    pub capabilities: Box<RawValue>,
}

impl ClientIdentity {
    /// A client that offers nothing to servers.
    #[must_use]
    pub fn new(name: &str, version: &str) -> Self {
        let (name, version) = (name.to_owned(), version.to_owned());
        Self { name, version, capabilities: empty_object() }
    }

    /// The raw `clientInfo` object.
    pub(super) fn info(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        format!("{{\"name\":{},\"version\":{}}}", quoted(&self.name), quoted(&self.version))
    }
}

/// What both sides agreed to speak.
#[derive(Debug, Clone)]
pub struct Spoken {
    /// The lifecycle.
    pub era: Era,
    /// The revision's date.
    pub revision: String,
    pub(super) client: ClientIdentity,
}

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_INFO: &str = "io.modelcontextprotocol/clientInfo";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

impl Spoken {
    pub(crate) fn stateless(client: &ClientIdentity) -> Self {
        Self { era: Era::Stateless, revision: STATELESS.to_owned(), client: client.clone() }
    }

    /// The parameters with what the era asks for in `_meta`: the revision is ours on this connection and is set; name
    /// and capabilities are added where the caller has not set its own. In the handshake era nothing is touched.
    ///
    /// Parameters that are no object, or have `_meta` twice, are not touched either: the peer is to judge them.
    #[must_use]
    pub fn fill(&self, params: Option<&RawValue>) -> Option<Box<RawValue>> {
        if self.era == Era::Handshake {
            return params.map(ToOwned::to_owned);
        }
        let text = params.map_or("{}", RawValue::get);
        match self.filled(text).and_then(|text| RawValue::from_string(text).ok()) {
            Some(filled) => Some(filled),
            None => params.map(ToOwned::to_owned),
        }
    }

    fn filled(&self, params: &str) -> Option<String> {
        let meta = crate::message::member(params, "_meta").unwrap_or("{}");
        let version = serde_json::Value::from(self.revision.as_str()).to_string();
        let mut meta = splice(meta, META_VERSION, &version).ok()?;
        for (key, value) in
            [(META_INFO, &*self.client.info()), (META_CAPABILITIES, self.client.capabilities.get())]
        {
            if crate::message::member(&meta, key).is_none() {
                meta = splice(&meta, key, value).ok()?;
            }
        }
        splice(params, "_meta", &meta).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(params: &str) -> String {
        let raw: Box<RawValue> = serde_json::from_str(params).unwrap();
        let spoken = Spoken::stateless(&ClientIdentity::new("c", "1"));
        spoken.fill(Some(&raw)).unwrap().get().to_owned()
    }

    #[test]
    fn the_era_s_members_join_the_caller_s_own() {
        assert_eq!(
            fill(r#"{"name":"n","_meta":{"progressToken":1.0},"arguments":{"a":1e999}}"#),
            r#"{"name":"n","_meta":{"progressToken":1.0,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"arguments":{"a":1e999}}"#
        );
        let own = fill(
            r#"{"_meta":{"io.modelcontextprotocol/clientCapabilities":{"x":{}},"io.modelcontextprotocol/protocolVersion":"1"}}"#,
        );
        assert!(own.contains(r#""io.modelcontextprotocol/clientCapabilities":{"x":{}}"#));
        assert!(own.contains(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#));
    }

    #[test]
    fn what_is_no_object_is_left_to_the_peer() {
        assert_eq!(fill("[1]"), "[1]");
        assert_eq!(fill(r#"{"_meta":7}"#), r#"{"_meta":7}"#);
    }
}
