//! The lists as hosts are given them, prepared once for each change: a request copies them and serialises nothing.

use std::sync::Arc;

use callsign::registry::{Entry, Snapshot};
use serde_json::value::RawValue;

use super::Lists;
use crate::params::{Members, quoted, raw};
use crate::policy::{Judgement, Policy};

impl Lists {
    pub(super) fn empty() -> Self {
        Self {
            tools: list_of("tools", std::iter::empty::<&str>()),
            prompts: list_of("prompts", std::iter::empty::<&str>()),
            resources: list_of("resources", std::iter::empty::<&str>()),
            templates: list_of("resourceTemplates", std::iter::empty::<&str>()),
        }
    }
}

/// The result of `tools/list`. Each definition is its server's, but for the name, a description that the user set, and a
/// schema that no host could use.
pub(super) fn tools(snapshot: &Snapshot, policy: &dyn Policy) -> Arc<RawValue> {
    let is_shown = |entry: &Entry<'_>| {
        entry.id().is_none_or(|id| !matches!(policy.judge(snapshot, &id), Judgement::Deny(_)))
    };
    list_of("tools", snapshot.listed().filter(is_shown).map(|entry| tool(&entry)))
}

/// The result of `prompts/list`.
pub(super) fn prompts(snapshot: &Snapshot) -> Arc<RawValue> {
    list_of("prompts", snapshot.entries().map(|entry| named(&entry, &[])))
}

/// The result of a list request: `entries` are raw.
pub(super) fn list_of<T: AsRef<str>>(
    member: &str,
    entries: impl Iterator<Item = T>,
) -> Arc<RawValue> {
    let mut text = format!("{{\"{member}\":[");
    for (position, entry) in entries.enumerate() {
        if position > 0 {
            text.push(',');
        }
        text.push_str(entry.as_ref());
    }
    text.push_str("]}");
    Arc::from(raw(text))
}

/// The same list for a host of the stateless era, which wants to be told what it may keep. Nothing, since a server may
/// change its list at any time, and lists may differ by who asks.
pub(crate) fn with_hints(list: &RawValue) -> Box<RawValue> {
    let body = list.get().strip_suffix('}').unwrap_or_default();
    let hints = r#""resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;
    raw(format!("{body},{hints}"))
}

fn tool(entry: &Entry<'_>) -> String {
    let description = entry.options().and_then(|options| options.description.as_deref());
    let description = description.map(quoted);
    let schema = entry.tool().definition().and_then(mended_schema);
    let mut edits = Vec::new();
    if let Some(description) = &description {
        edits.push(("description", description.as_str()));
    }
    if let Some(schema) = &schema {
        edits.push(("inputSchema", schema.as_str()));
    }
    named(entry, &edits)
}

/// The definition under the exposed name, with these members set.
fn named(entry: &Entry<'_>, edits: &[(&str, &str)]) -> String {
    let name = quoted(entry.exposed());
    let definition = entry.tool().definition().unwrap_or("{}");
    let mut all = vec![("name", name.as_str())];
    all.extend_from_slice(edits);
    // A definition in the registry is an object: it has been read as one.
    Members::read(definition).map_or_else(|| format!("{{\"name\":{name}}}"), |it| it.with(&all))
}

/// A schema in place of one that no host could use: strict hosts drop the whole list for a single tool without an object
/// schema, so one server's mistake would cost all the others' tools.
fn mended_schema(definition: &str) -> Option<String> {
    const ANYTHING: &str = r#"{"type":"object"}"#;
    let schema = Members::read(definition)?.get("inputSchema").and_then(Members::read);
    let Some(schema) = schema else { return Some(ANYTHING.to_owned()) };
    match schema.get("type") {
        Some("\"object\"") => None,
        None => Some(schema.with(&[("type", "\"object\"")])),
        Some(_) => Some(ANYTHING.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_schemas_that_no_host_could_use_are_mended() {
        let mended = |definition: &str| mended_schema(definition);
        assert_eq!(mended(r#"{"inputSchema":{ "x":1, "type":"object" }}"#), None);
        assert_eq!(mended(r#"{"name":"a"}"#).unwrap(), r#"{"type":"object"}"#);
        assert_eq!(mended(r#"{"inputSchema":true}"#).unwrap(), r#"{"type":"object"}"#);
        assert_eq!(mended(r#"{"inputSchema":{"type":"string"}}"#).unwrap(), r#"{"type":"object"}"#);
        assert_eq!(
            mended(r#"{"inputSchema":{"properties":{}}}"#).unwrap(),
            r#"{"properties":{},"type":"object"}"#
        );
    }

    #[test]
    fn hints_join_a_list_without_touching_it() {
        let list = list_of("tools", ["{\"a\":1e999}", "{}"].iter());
        assert_eq!(list.get(), r#"{"tools":[{"a":1e999},{}]}"#);
        assert_eq!(
            with_hints(&list).get(),
            r#"{"tools":[{"a":1e999},{}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#
        );
    }
}
