use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The top-level fields of a JSON object in their order, each value as its raw text.
///
/// A key may occur more than once: JSON allows it, and a reader that keeps one of them silently would hide it.
#[derive(Debug)]
pub struct Fields<'a>(Vec<(String, &'a RawValue)>);

/// Reads the top level of a JSON object; nothing below it is looked at beyond being JSON.
///
/// # Errors
/// What is wrong, in words, if `raw` is not one JSON object.
pub fn fields(raw: &str) -> Result<Fields<'_>, String> {
    serde_json::from_str(raw).map_err(|error| error.to_string())
}

impl<'a> Fields<'a> {
    /// The raw text of the first value under `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.get())
    }

    /// The value under `key` if it is a JSON string.
    #[must_use]
    pub fn string(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// How often `key` occurs.
    #[must_use]
    pub fn count(&self, key: &str) -> usize {
        self.0.iter().filter(|(name, _)| name == key).count()
    }

    /// Key and raw value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.get()))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(String, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Object).map(Self)
    }
}

/// The names of the top-level fields in which two definitions differ, sorted; empty if they say the same.
///
/// Fields are compared by value: white space and the order of object keys do not count, the order of arrays does, and
/// numbers are compared by their text, so that integers beyond 64 bits are not folded together.
#[must_use]
pub fn changed_fields(before: Option<&str>, after: Option<&str>) -> Vec<String> {
    if before == after {
        return Vec::new();
    }
    let read = |raw: Option<&str>| -> std::collections::BTreeMap<String, Vec<String>> {
        let mut by_key = std::collections::BTreeMap::<String, Vec<String>>::new();
        if let Some(Ok(fields)) = raw.map(fields) {
            for (key, value) in fields.iter() {
                by_key.entry(key.to_owned()).or_default().push(canonical(value));
            }
        }
        by_key
    };
    let (before, after) = (read(before), read(after));
    let mut changed: Vec<String> = before
        .iter()
        .filter(|(key, value)| after.get(*key) != Some(value))
        .map(|(key, _)| key.clone())
        .chain(after.keys().filter(|key| !before.contains_key(*key)).cloned())
        .collect();
    changed.sort_unstable();
    changed
}

/// One text for all spellings of one JSON value: keys sorted, no white space, strings unescaped, numbers as written.
fn canonical(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    write_canonical(raw, &mut out);
    out
}

fn write_canonical(raw: &str, out: &mut String) {
    let raw = raw.trim();
    if let (Some('{'), Ok(object)) = (raw.chars().next(), fields(raw)) {
        let mut entries: Vec<(String, String)> =
            object.iter().map(|(key, value)| (key.to_owned(), canonical(value))).collect();
        entries.sort();
        out.push('{');
        for (key, value) in entries {
            out.push_str(&serde_json::Value::from(key).to_string());
            out.push(':');
            out.push_str(&value);
            out.push(',');
        }
        out.push('}');
    } else if let (Some('['), Ok(items)) =
        (raw.chars().next(), serde_json::from_str::<Vec<&RawValue>>(raw))
    {
        out.push('[');
        for item in items {
            write_canonical(item.get(), out);
            out.push(',');
        }
        out.push(']');
    } else if let Ok(text) = serde_json::from_str::<String>(raw) {
        out.push_str(&serde_json::Value::from(text).to_string());
    } else {
        out.push_str(raw);
    }
}

#[cfg(test)]
mod tests {
    use super::changed_fields;

    #[test]
    fn layout_is_no_change_and_big_numbers_are() {
        let same = changed_fields(
            Some(r#"{"name":"a","inputSchema":{"type":"object","x":1}}"#),
            Some(r#"{ "inputSchema": {"x":1, "type":"obj\u0065ct"}, "name":"a" }"#),
        );
        assert!(same.is_empty(), "{same:?}");
        assert_eq!(
            changed_fields(
                Some(r#"{"name":"a","n":18446744073709551617,"old":1}"#),
                Some(r#"{"name":"a","n":18446744073709551616,"new":1}"#)
            ),
            ["n", "new", "old"]
        );
    }
}
