use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Why a member could not be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpliceError {
    /// The text is no JSON object.
    #[error("it is not a JSON object: {0}")]
    NotAnObject(String),
    /// The member occurs twice: setting one of them would leave two readers with two values.
    #[error("it has `{0}` twice")]
    Twice(String),
}

/// Sets the raw value of one member of a JSON object and copies everything else byte for byte.
///
/// A member that is there is replaced where it stands, one that is not is added at the end.
///
/// # Errors
/// The text is no object, or has the member twice.
///
/// ```
/// use callsign_wire::message::splice;
/// let params = r#"{ "x": 1e999, "name" : "mcp__alpha__request", "arguments":{} }"#;
/// assert_eq!(
///     splice(params, "name", r#""request""#).unwrap(),
///     r#"{ "x": 1e999, "name" : "request", "arguments":{} }"#,
/// );
/// assert_eq!(splice("{}", "a", "1").unwrap(), r#"{"a":1}"#);
/// ```
pub fn splice(object: &str, member: &str, value: &str) -> Result<String, SpliceError> {
    let members: Members<'_> = serde_json::from_str(object)
        .map_err(|error| SpliceError::NotAnObject(error.to_string()))?;
    let mut found = members.0.iter().filter(|(name, _)| name.is(member));
    let place = found.next().map(|(_, raw)| place_in(object, raw.get()));
    if found.next().is_some() {
        return Err(SpliceError::Twice(member.to_owned()));
    }
    let (before, added, after) = match place {
        Some((start, end)) => (&object[..start], value.to_owned(), &object[end..]),
        None => {
            let end = object.trim_end().len() - 1;
            let comma = if members.0.is_empty() { "" } else { "," };
            let name = serde_json::Value::from(member);
            (&object[..end], format!("{comma}{name}:{value}"), &object[end..])
        }
    };
    Ok([before, &added, after].concat())
}

/// Where a value borrowed from `object` stands in it.
fn place_in(object: &str, value: &str) -> (usize, usize) {
    let start = value.as_ptr() as usize - object.as_ptr() as usize;
    (start, start + value.len())
}

/// The members of an object in their order, names and values raw.
pub(crate) struct Members<'a>(pub(crate) Vec<(Name<'a>, &'a RawValue)>);

/// A member's name as it was spelled. Names exist that say nothing (half a surrogate pair): they are names of others, and
/// no reason to read none.
pub(crate) struct Name<'a>(&'a str);

impl<'a> Name<'a> {
    pub(crate) fn of(raw: &'a RawValue) -> Self {
        Self(raw.get())
    }

    /// Whether it says this.
    pub(crate) fn is(&self, name: &str) -> bool {
        let quoted = self.0.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        if self.0.contains('\\') {
            serde_json::from_str::<String>(self.0).is_ok_and(|said| said == name)
        } else {
            quoted == Some(name)
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(Name<'de>, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((name, value)) = map.next_entry::<&'de RawValue, _>()? {
                    members.push((Name::of(name), value));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Object).map(Self)
    }
}

/// The raw text of one member of an object; `None` if the text is no object or has no such member.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let members: Members<'a> = serde_json::from_str(object).ok()?;
    members.0.iter().find(|(found, _)| found.is(name)).map(|(_, raw)| raw.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_twice_is_refused_and_an_escaped_spelling_is_found() {
        let twice = splice(r#"{"name":1,"n\u0061me":2}"#, "name", "3");
        assert_eq!(twice, Err(SpliceError::Twice("name".to_owned())));
        assert_eq!(splice(r#"{"n\u0061me":2}"#, "name", "3").unwrap(), r#"{"n\u0061me":3}"#);
        assert_eq!(splice(r#"{"\ud800":2}"#, "a", "1").unwrap(), r#"{"\ud800":2,"a":1}"#);
        assert!(matches!(splice("[]", "a", "1"), Err(SpliceError::NotAnObject(_))));
        assert_eq!(splice("{\"b\":[] }\n", "a", "1").unwrap(), "{\"b\":[] ,\"a\":1}\n");
    }
}
