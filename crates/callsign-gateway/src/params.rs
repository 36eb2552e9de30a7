//! Raw parameters: read at the top level only, and rewritten member by member with everything else byte for byte.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Why parameters can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadParams {
    /// They are absent or no object.
    #[error("the parameters are not an object")]
    NotAnObject,
    /// A member that is needed is not there.
    #[error("the parameters have no `{0}`")]
    Missing(&'static str),
    /// A member is not a string.
    #[error("`{0}` is not a string")]
    NotAString(&'static str),
    /// Two readers would take two values.
    #[error("the parameters have `{0}` twice")]
    Twice(&'static str),
    /// A level of log messages that there is not.
    #[error("there is no log level `{0}`")]
    NotALevel(String),
}

/// The members of a JSON object in their order, names and values raw. Names exist that say nothing (half a surrogate pair):
/// they are names of others, and no reason to read none.
pub(crate) struct Members<'a> {
    text: &'a str,
    members: Vec<(&'a RawValue, &'a RawValue)>,
}

impl<'a> Members<'a> {
    /// Reads parameters.
    ///
    /// # Errors
    /// They are absent or no object.
    pub(crate) fn of(params: Option<&'a RawValue>) -> Result<Self, BadParams> {
        params.and_then(|raw| Self::read(raw.get())).ok_or(BadParams::NotAnObject)
    }

    /// Reads an object; `None` if the text is none.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let Read(members) = serde_json::from_str(text).ok()?;
        Some(Self { text, members })
    }

    /// The raw value of a member.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.members.iter().find(|(found, _)| says(found, name)).map(|(_, raw)| raw.get())
    }

    /// The raw value of a member that must not be there twice.
    pub(crate) fn once(&self, name: &'static str) -> Result<Option<&'a str>, BadParams> {
        let mut found = self.members.iter().filter(|(member, _)| says(member, name));
        let first = found.next().map(|(_, raw)| raw.get());
        if found.next().is_some() { Err(BadParams::Twice(name)) } else { Ok(first) }
    }

    /// A member that must be there once, and a string.
    pub(crate) fn string(&self, name: &'static str) -> Result<Cow<'a, str>, BadParams> {
        let raw = self.once(name)?.ok_or(BadParams::Missing(name))?;
        text(raw).ok_or(BadParams::NotAString(name))
    }

    /// Raw names and values, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.members.iter().map(|(name, raw)| (name.get(), raw.get()))
    }

    /// The object with some members set: those that are there where they stand, the others at the end.
    pub(crate) fn with(&self, edits: &[(&str, &str)]) -> String {
        let grown: usize = edits.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
        let mut out = String::with_capacity(self.text.len() + grown);
        let mut copied = 0;
        for (name, raw) in &self.members {
            let Some((_, value)) = edits.iter().find(|(edited, _)| says(name, edited)) else {
                continue;
            };
            let start = self.place(raw);
            out.push_str(&self.text[copied..start]);
            out.push_str(value);
            copied = start + raw.get().len();
        }
        let end = self.text.trim_end().len() - 1;
        out.push_str(&self.text[copied..end]);
        let mut is_empty = self.members.is_empty();
        for (name, value) in edits.iter().filter(|(name, _)| self.get(name).is_none()) {
            if !is_empty {
                out.push(',');
            }
            is_empty = false;
            out.push_str(&quoted(name));
            out.push(':');
            out.push_str(value);
        }
        out.push_str(&self.text[end..]);
        out
    }

    /// The object without some members, the rest as it was written.
    pub(crate) fn without(&self, names: &[&str]) -> String {
        let kept: Vec<String> = self
            .members
            .iter()
            .filter(|(name, _)| !names.iter().any(|left_out| says(name, left_out)))
            .map(|(name, raw)| format!("{}:{}", name.get(), raw.get()))
            .collect();
        format!("{{{}}}", kept.join(","))
    }

    /// Where a value stands in the text it was borrowed from.
    fn place(&self, raw: &RawValue) -> usize {
        raw.get().as_ptr() as usize - self.text.as_ptr() as usize
    }
}

/// Whether a raw name says this.
fn says(raw: &RawValue, name: &str) -> bool {
    let raw = raw.get();
    if raw.contains('\\') {
        return text(raw).is_some_and(|said| said == name);
    }
    raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) == Some(name)
}

/// What a raw JSON string says; `None` if it is no string.
pub(crate) fn text(raw: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Key<'_>>(raw).ok().map(|key| key.0)
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text that is JSON by construction.
pub(crate) fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

struct Read<'a>(Vec<(&'a RawValue, &'a RawValue)>);

/// Borrowed unless it has escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Read<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(&'de RawValue, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(4);
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Object).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_set_where_they_stand_and_the_rest_is_copied() {
        let text = r#"{ "x": 1e999, "n\u0061me" : "mcp__a__b", "arguments":{"z":1,"a":2.0} }"#;
        let members = Members::read(text).unwrap();
        assert_eq!(members.string("name").unwrap(), "mcp__a__b");
        assert_eq!(
            members.with(&[("name", "\"b\""), ("_meta", "{}")]),
            r#"{ "x": 1e999, "n\u0061me" : "b", "arguments":{"z":1,"a":2.0} ,"_meta":{}}"#
        );
        assert_eq!(
            Members::read("{}").unwrap().with(&[("a", "1"), ("b", "2")]),
            r#"{"a":1,"b":2}"#
        );
    }

    #[test]
    fn what_two_readers_would_read_in_two_ways_is_refused() {
        let members = Members::read(r#"{"name":"a","n\u0061me":"b","uri":7}"#).unwrap();
        assert_eq!(members.string("name"), Err(BadParams::Twice("name")));
        assert_eq!(members.string("uri"), Err(BadParams::NotAString("uri")));
        assert_eq!(members.string("ref"), Err(BadParams::Missing("ref")));
        assert!(Members::of(None).is_err() && Members::read("[]").is_none());
        let odd = Members::read(r#"{"\ud800":1,"name":"a"}"#).unwrap();
        assert_eq!(odd.with(&[("name", "\"b\"")]), r#"{"\ud800":1,"name":"b"}"#);
        assert_eq!(odd.without(&["name"]), r#"{"\ud800":1}"#);
    }

    #[test]
    fn members_are_taken_out() {
        let members =
            Members::read(r#"{"content":[ 1 ],"resultType":"complete","x":1e400}"#).unwrap();
        assert_eq!(members.without(&["resultType"]), r#"{"content":[ 1 ],"x":1e400}"#);
    }
}
