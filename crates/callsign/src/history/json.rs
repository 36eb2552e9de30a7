//! JSON as slices of the text that it stands in: nothing is copied, so every value still has its place.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The fields of an object in their order, keys and values as they are written. A key may occur more than once.
#[derive(Debug)]
pub(super) struct Object<'t>(pub(super) Vec<(&'t str, &'t str)>);

impl<'t> Object<'t> {
    /// `None` if the text is no object.
    pub(super) fn read(raw: &'t str) -> Option<Self> {
        if raw.as_bytes().first() != Some(&b'{') {
            return None;
        }
        serde_json::from_str(raw).ok()
    }

    /// Whether a field of that key is a string with one of these values; without values, whether there is one.
    pub(super) fn has(&self, field: &str, values: &[&str]) -> bool {
        let mut fields = self.0.iter().filter(|(key, _)| is(key, field));
        if values.is_empty() {
            return fields.next().is_some();
        }
        fields.any(|(_, value)| values.iter().any(|wanted| is(value, wanted)))
    }
}

/// The items of an array as they are written; `None` if the text is no array.
pub(super) fn items(raw: &str) -> Option<Vec<&str>> {
    if raw.as_bytes().first() != Some(&b'[') {
        return None;
    }
    let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
    Some(items.into_iter().map(RawValue::get).collect())
}

/// Whether a string, as it is written, is `text`.
pub(super) fn is(raw: &str, text: &str) -> bool {
    match raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(plain) if !plain.contains('\\') => plain == text,
        Some(_) => serde_json::from_str::<String>(raw).is_ok_and(|decoded| decoded == text),
        None => false,
    }
}

/// What a string says that is written so; `None` if the text is no string. Half of a surrogate pair is no character, so
/// such a string is given in UTF-16.
pub(super) fn decoded(raw: &str) -> Option<Said<'_>> {
    let plain = raw.strip_prefix('"')?.strip_suffix('"')?;
    if !plain.contains('\\') {
        return Some(Said::Text(Cow::Borrowed(plain)));
    }
    match serde_json::from_str::<String>(raw) {
        Ok(text) => Some(Said::Text(Cow::Owned(text))),
        Err(_) => Some(Said::Units(units(plain))),
    }
}

/// What a string says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said<'t> {
    Text(Cow<'t, str>),
    Units(Vec<u16>),
}

/// The UTF-16 units of a string's inside, which is known to be well formed.
fn units(plain: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(plain.len());
    let mut rest = plain.chars();
    while let Some(c) = rest.next() {
        let unescaped = match (c, (c == '\\').then(|| rest.next()).flatten()) {
            (_, Some('u')) => {
                let digits: String = rest.by_ref().take(4).collect();
                units.push(u16::from_str_radix(&digits, 16).unwrap_or(0xFFFD));
                continue;
            }
            (_, Some('b')) => '\u{8}',
            (_, Some('f')) => '\u{c}',
            (_, Some('n')) => '\n',
            (_, Some('r')) => '\r',
            (_, Some('t')) => '\t',
            (_, Some(itself)) => itself,
            (plain, None) => plain,
        };
        units.extend_from_slice(unescaped.encode_utf16(&mut [0; 2]));
    }
    units
}

/// Where a slice of `text` stands in it.
pub(super) fn span(text: &str, slice: &str) -> Range<usize> {
    let start = slice.as_ptr() as usize - text.as_ptr() as usize;
    start..start + slice.len()
}

impl<'de: 't, 't> Deserialize<'de> for Object<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(&'de str, &'de str)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                // Keys raw as well: one that holds half of a surrogate pair can't be decoded and must not cost the object.
                while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                    fields.push((key.get(), value.get()));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Fields).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_keep_their_place() {
        let text = "{ \"a\\u0062\" : [1e999, \"\\ud800\"] , \"\\ud800\":2, \"ab\": \"x\" }";
        let object = Object::read(text).unwrap();
        assert_eq!(object.0[0], ("\"a\\u0062\"", "[1e999, \"\\ud800\"]"));
        let (key, value) = object.0[2];
        let at = text.find("\"ab\"").unwrap();
        assert_eq!((span(text, key), span(text, value)), (at..at + 4, at + 6..at + 9));
        assert!(object.has("ab", &["x"]) && object.has("ab", &[]) && !object.has("ab", &["y"]));
    }

    #[test]
    fn half_a_pair_is_kept_as_a_unit() {
        assert_eq!(decoded(r#""a\n""#), Some(Said::Text("a\n".into())));
        let units = vec![0xD800, 0x61, 0x0A, 0x22, 0xE9];
        assert_eq!(decoded(r#""\ud800a\n\"é""#), Some(Said::Units(units)));
        assert_eq!(decoded("1"), None);
    }
}
