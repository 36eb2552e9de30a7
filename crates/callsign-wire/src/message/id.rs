use std::fmt;

use serde_json::value::RawValue;

/// A request id: a string or a number, kept as it was spelled so that it goes back byte for byte.
///
/// Two ids that differ only in spelling (`"a"` and `"\u0061"`, `1` and `1.0`) have the same [`key`](Id::key).
#[derive(Clone)]
pub struct Id(Spelled);

/// How many bytes an id may have to be kept in place: every number of 64 bits, and most strings that count.
const SHORT: usize = 22;

#[derive(Clone)]
enum Spelled {
    Short(u8, [u8; SHORT]),
    Long(Box<str>),
}

impl Id {
    /// A number.
    #[must_use]
    pub fn number(number: u64) -> Self {
        let mut digits = [0; SHORT];
        let mut start = SHORT;
        let mut rest = number;
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        digits.copy_within(start.., 0);
        Self(Spelled::Short((SHORT - start) as u8, digits))
    }

    /// A string.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::spelled(&serde_json::Value::from(text).to_string())
    }

    /// Takes raw JSON; `None` unless it is a string or a number.
    #[must_use]
    pub fn from_raw(raw: &RawValue) -> Option<Self> {
        is_id(raw.get()).then(|| Self::spelled(raw.get()))
    }

    /// Takes raw JSON that is an id.
    pub(super) fn spelled(raw: &str) -> Self {
        let mut short = [0; SHORT];
        match short.get_mut(..raw.len()) {
            Some(place) => {
                place.copy_from_slice(raw.as_bytes());
                Self(Spelled::Short(raw.len() as u8, short))
            }
            None => Self(Spelled::Long(raw.into())),
        }
    }

    /// The raw JSON text.
    #[must_use]
    pub fn raw(&self) -> &str {
        match &self.0 {
            // It was copied from text as a whole.
            Spelled::Short(length, bytes) => {
                std::str::from_utf8(&bytes[..usize::from(*length)]).unwrap_or("null")
            }
            Spelled::Long(text) => text,
        }
    }

    /// What the id says, whatever its spelling or JSON type: servers exist that answer `1` as `"1"` or `1.0`.
    ///
    /// Use it to find one's own open requests, whose ids come from one counter; not to tell a peer's ids apart.
    #[must_use]
    pub fn key(&self) -> String {
        match Key::of(self.raw()) {
            Key::Number(number) => number.to_string(),
            Key::Text(text) => text.into(),
        }
    }
}

/// What [`Id::key`] says, without a string where it is a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// Digits that are spelled as a number of 64 bits is.
    Number(u64),
    /// Anything else.
    Text(Box<str>),
}

impl Key {
    /// The key of an id's raw JSON text.
    pub(crate) fn of(raw: &str) -> Self {
        let quoted = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        match quoted {
            Some(text) if text.contains('\\') => {
                let read: Option<String> = serde_json::from_str(raw).ok();
                Self::of_text(read.as_deref().unwrap_or(raw))
            }
            Some(text) => Self::of_text(text),
            None => Self::of_text(raw.strip_suffix(".0").unwrap_or(raw)),
        }
    }

    fn of_text(text: &str) -> Self {
        let is_plain = text == "0"
            || (!text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit()));
        match text.parse() {
            Ok(number) if is_plain => Self::Number(number),
            _ => Self::Text(text.into()),
        }
    }
}

/// Whether raw JSON is a string or a number.
pub(super) fn is_id(raw: &str) -> bool {
    raw.starts_with(|first: char| first == '"' || first == '-' || first.is_ascii_digit())
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
        let long = format!("\"{}\"", "é".repeat(40));
        assert_eq!(of(&long).unwrap().raw(), long);
    }

    #[test]
    fn numbers_are_spelled_as_numbers() {
        for number in [0, 7, 10, 1_234_567_890, u64::MAX] {
            assert_eq!(Id::number(number).raw(), number.to_string());
        }
    }

    #[test]
    fn keys_are_equal_where_what_they_say_is() {
        let equal = |one: &str, other: &str| Key::of(one) == Key::of(other);
        assert!(equal("1", "\"1\"") && equal("1", "1.0") && equal("0", "\"\\u0030\""));
        assert!(equal("\"a\"", "\"\\u0061\""));
        for (one, other) in [
            ("1", "\"01\""),
            ("1", "\"1.0\""),
            ("1", "\"+1\""),
            ("0", "-0"),
            ("1", "10"),
            ("18446744073709551615", "18446744073709551616"),
            ("\"\"", "0"),
        ] {
            assert!(!equal(one, other), "{one} {other}");
        }
        assert_eq!(Key::of("18446744073709551615"), Key::Number(u64::MAX));
    }
}
