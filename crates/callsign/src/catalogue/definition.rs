use std::collections::BTreeMap;
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
    let (before, after) = (by_key(before), by_key(after));
    let mut changed: Vec<String> = before
        .iter()
        .filter(|(key, values)| after.get(*key).is_none_or(|after| !say_the_same(values, after)))
        .map(|(key, _)| key.clone())
        .chain(after.keys().filter(|key| !before.contains_key(*key)).cloned())
        .collect();
    changed.sort_unstable();
    changed
}

fn by_key(raw: Option<&str>) -> BTreeMap<String, Vec<&str>> {
    let mut by_key = BTreeMap::<String, Vec<&str>>::new();
    if let Some(Ok(Fields(fields))) = raw.map(fields) {
        for (key, value) in fields {
            by_key.entry(key).or_default().push(value.get());
        }
    }
    by_key
}

fn say_the_same(before: &[&str], after: &[&str]) -> bool {
    before.len() == after.len()
        && before.iter().zip(after).all(|(a, b)| a == b || canonical(a) == canonical(b))
}

/// How many levels down a value is looked at. What lies deeper is compared as it is written: no schema is that deep, and
/// a definition made to be must cost neither the stack nor time beyond its size.
const DEPTH: usize = 64;

/// One text for all spellings of one JSON value: keys sorted, no white space, strings unescaped, numbers as written.
fn canonical(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    write_canonical(raw, DEPTH, &mut out);
    out
}

fn write_canonical(raw: &str, depth: usize, out: &mut String) {
    let raw = raw.trim();
    match raw.as_bytes().first() {
        Some(b'{') if depth > 0 => write_object(raw, depth - 1, out),
        Some(b'[') if depth > 0 => write_array(raw, depth - 1, out),
        Some(b'"') => match serde_json::from_str::<String>(raw) {
            Ok(text) => out.push_str(&serde_json::Value::from(text).to_string()),
            Err(_) => out.push_str(raw),
        },
        _ => out.push_str(raw),
    }
}

fn write_object(raw: &str, depth: usize, out: &mut String) {
    let Ok(object) = fields(raw) else { return out.push_str(raw) };
    let mut entries: Vec<(&str, &str)> = object.iter().collect();
    // Stable: of a key that occurs twice, readers take the first or the last, so which comes first says something.
    entries.sort_by_key(|(key, _)| *key);
    out.push('{');
    for (key, value) in entries {
        out.push_str(&serde_json::Value::from(key).to_string());
        out.push(':');
        write_canonical(value, depth, out);
        out.push(',');
    }
    out.push('}');
}

fn write_array(raw: &str, depth: usize, out: &mut String) {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else { return out.push_str(raw) };
    out.push('[');
    for item in items {
        write_canonical(item.get(), depth, out);
        out.push(',');
    }
    out.push(']');
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

    #[test]
    fn the_order_of_one_key_given_twice_is_a_change() {
        let order = |first, second| format!(r#"{{"x":{{"a":{first},"b":0,"a":{second}}}}}"#);
        assert_eq!(changed_fields(Some(&order(1, 2)), Some(&order(2, 1))), ["x"]);
        let other = r#"{"x":{"b":0,"a":1,"a":2}}"#;
        assert!(changed_fields(Some(&order(1, 2)), Some(other)).is_empty());
    }

    #[test]
    fn depth_costs_neither_the_stack_nor_time_beyond_the_size() {
        let nested = |open: &str, close: &str, core: &str| {
            format!(r#"{{"x":{}{core}{}}}"#, open.repeat(30_000), close.repeat(30_000))
        };
        for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
            let (one, other) = (nested(open, close, "1"), nested(open, close, "2"));
            assert_eq!(changed_fields(Some(&one), Some(&other)), ["x"]);
            assert!(changed_fields(Some(&one), Some(&format!(" {one} "))).is_empty());
        }
    }
}
