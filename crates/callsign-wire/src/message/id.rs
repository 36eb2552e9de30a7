use std::fmt;

use serde_json::value::RawValue;

/// A request id: a string or a number, kept as it was spelled so that it goes back byte for byte.
///
/// Two ids that differ only in spelling (`"a"` and `"\u0061"`, `1` and `1.0`) have the same [`key`](Id::key).
#[derive(Clone)]
pub struct Id(Box<RawValue>);

impl Id {
    /// A number.
    #[must_use]
    pub fn number(number: u64) -> Self {
        Self(raw(number.to_string()))
    }

    /// A string.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self(raw(serde_json::Value::from(text).to_string()))
    }

    /// Takes raw JSON; `None` unless it is a string or a number.
    #[must_use]
    pub fn from_raw(raw: &RawValue) -> Option<Self> {
        let is_id = raw.get().starts_with(|c: char| c == '"' || c == '-' || c.is_ascii_digit());
        is_id.then(|| Self(raw.to_owned()))
    }

    /// The raw JSON text.
    #[must_use]
    pub fn raw(&self) -> &str {
        self.0.get()
    }

    /// What the id says, whatever its spelling or JSON type: servers exist that answer `1` as `"1"` or `1.0`.
    ///
    /// Use it to find one's own open requests, whose ids come from one counter; not to tell a peer's ids apart.
    #[must_use]
    pub fn key(&self) -> String {
        if let Ok(text) = serde_json::from_str::<String>(self.raw()) {
            return text;
        }
        self.raw().strip_suffix(".0").unwrap_or(self.raw()).to_owned()
    }
}

/// Wraps text that is JSON by construction.
fn raw(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw()
    }
}

impl Eq for Id {}

impl std::hash::Hash for Id {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.raw().hash(state);
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.raw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_is_kept_and_the_key_sees_through_it() {
        let of = |text: &str| {
            let value: Box<RawValue> = serde_json::from_str(text).unwrap();
            Id::from_raw(&value)
        };
        assert_eq!(of(r#""\u0061""#).unwrap().raw(), r#""\u0061""#);
        assert_eq!(of(r#""\u0061""#).unwrap().key(), "a");
        assert_eq!(of("1.0").unwrap().key(), Id::number(1).key());
        assert_eq!(of("\"1\"").unwrap().key(), Id::number(1).key());
        assert_eq!(of("123456789012345678901").unwrap().raw(), "123456789012345678901");
        assert!(of("null").is_none() && of("{}").is_none() && of("true").is_none());
        assert_eq!(Id::text("a\"b").raw(), r#""a\"b""#);
    }
}
