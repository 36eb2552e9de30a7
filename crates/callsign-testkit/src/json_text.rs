//! JSON as text: objects are put together field by field in the order given, and raw values are copied, so what the
//! server sends (unknown fields, key order, numbers beyond 64 bits, even a field named twice) is exactly what was asked for.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// An object under construction. Fields keep their order; nothing stops a field from being written twice.
#[derive(Clone, Debug, Default)]
pub(crate) struct Object {
    fields: String,
}

impl Object {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Adds a field whose value is already JSON.
    #[must_use]
    pub(crate) fn raw(mut self, key: &str, json: &str) -> Self {
        if !self.fields.is_empty() {
            self.fields.push(',');
        }
        self.fields.push_str(&quoted(key));
        self.fields.push(':');
        self.fields.push_str(json);
        self
    }

    /// Adds a field whose value is a string.
    #[must_use]
    pub(crate) fn text(self, key: &str, value: &str) -> Self {
        self.raw(key, &quoted(value))
    }

    /// Adds fields that are written out already, without their braces; an empty text adds nothing.
    #[must_use]
    pub(crate) fn fields(mut self, written: &str) -> Self {
        if !written.is_empty() {
            if !self.fields.is_empty() {
                self.fields.push(',');
            }
            self.fields.push_str(written);
        }
        self
    }

    pub(crate) fn json(&self) -> String {
        format!("{{{}}}", self.fields)
    }
}

/// The JSON spelling of a string.
pub(crate) fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// The JSON spelling of a list of values that are JSON already.
pub(crate) fn list<S: AsRef<str>>(items: &[S]) -> String {
    let joined: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    format!("[{}]", joined.join(","))
}

/// The JSON spelling of a list of strings.
pub(crate) fn strings<S: AsRef<str>>(items: &[S]) -> String {
    list(&items.iter().map(|item| quoted(item.as_ref())).collect::<Vec<_>>())
}

/// The raw text of one field of an object; `None` if the text is no object or has no such field.
pub(crate) fn field(json: &str, key: &str) -> Option<String> {
    let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(json).ok()?;
    fields.get(key).map(|value| value.get().to_owned())
}

/// One field of an object, if it is a string.
pub(crate) fn text_field(json: &str, key: &str) -> Option<String> {
    serde_json::from_str(&field(json, key)?).ok()
}

/// The same JSON without line breaks, which may stand between its tokens but would end a message on stdio.
pub(crate) fn one_line(json: &str) -> String {
    json.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_keeps_order_repetition_and_raw_values() {
        let json = Object::new().raw("b", "1e400").text("a", "\"").raw("b", "-0").json();
        assert_eq!(json, r#"{"b":1e400,"a":"\"","b":-0}"#);
    }

    #[test]
    fn a_field_comes_back_as_it_was_written() {
        let json = r#"{"id": 123456789012345678901234567890, "n": { "z":1.0 , "a":2 }}"#;
        assert_eq!(field(json, "id").as_deref(), Some("123456789012345678901234567890"));
        assert_eq!(field(json, "n").as_deref(), Some(r#"{ "z":1.0 , "a":2 }"#));
        assert_eq!(field("[1]", "n"), None);
    }
}
