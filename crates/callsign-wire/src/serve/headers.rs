use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::lifecycle::HEADER_MISMATCH;
use crate::message::RpcError;

/// What the headers of a request say beside what was compared with its body already.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers {
    /// `MCP-Protocol-Version`, where there is one.
    pub protocol_version: Option<String>,
    /// `Mcp-Param-*`: the part of the name behind the prefix in lower case, and the value decoded; `None` where it can't
    /// be decoded, or where two values contradict each other. Only a tool's schema says which of them mean anything.
    pub parameters: Vec<(String, Option<String>)>,
}

impl Headers {
    /// Compares the header that repeats an argument (schema keyword `x-mcp-header` with this name) with the argument in
    /// the body. `null`, arrays and objects have no header, and integers are compared as numbers.
    ///
    /// Source: specification 2026-07-28, basic/transports (Streamable HTTP, headers from parameters).
    ///
    /// # Errors
    /// The error to answer with: the header is missing, can't be decoded, or says something else.
    ///
    /// ```
    /// use callsign_wire::serve::Headers;
    /// use serde_json::value::RawValue;
    /// let parameters = vec![("region".to_owned(), Some("é".to_owned()))];
    /// let headers = Headers { protocol_version: None, parameters };
    /// let argument: Box<RawValue> = serde_json::from_str(r#""\u00e9""#).unwrap();
    /// assert!(headers.compare_parameter("Region", Some(&argument)).is_ok());
    /// assert_eq!(headers.compare_parameter("Region", None).unwrap_err().code(), Some(-32020));
    /// ```
    pub fn compare_parameter(
        &self,
        name: &str,
        argument: Option<&RawValue>,
    ) -> Result<(), RpcError> {
        let mismatch = |what: &str| {
            let reason = format!("the header `Mcp-Param-{name}` {what}");
            Err(RpcError::new(HEADER_MISMATCH, &reason))
        };
        let found = self.parameters.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match (found, argument.and_then(|raw| repeated(raw.get()))) {
            (None, None) => Ok(()),
            (None, Some(_)) => mismatch("is missing"),
            (Some(_), None) => mismatch("repeats what the body does not have"),
            (Some((_, None)), Some(_)) => mismatch("has two values, or can't be decoded"),
            (Some((_, Some(value))), Some(argument)) if is_same(value, &argument) => Ok(()),
            _ => mismatch("and the body differ"),
        }
    }
}

/// An argument as a header repeats it.
enum Repeated<'a> {
    Text(Cow<'a, str>),
    Number(&'a str),
}

fn repeated(raw: &str) -> Option<Repeated<'_>> {
    match raw.as_bytes().first()? {
        b'"' => serde_json::from_str(raw).ok().map(|text: String| Repeated::Text(text.into())),
        b't' | b'f' => Some(Repeated::Text(raw.into())),
        b'-' | b'0'..=b'9' => Some(Repeated::Number(raw)),
        _ => None,
    }
}

fn is_same(value: &str, argument: &Repeated<'_>) -> bool {
    match argument {
        Repeated::Text(text) => value == text,
        Repeated::Number(raw) => {
            value == *raw || integer(value).is_some_and(|value| integer(raw) == Some(value))
        }
    }
}

/// The integer that a JSON number is, however it is spelled: `10`, `10.0`, `1e1`.
fn integer(text: &str) -> Option<i128> {
    /// Up to here every integer is a floating-point number of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Ok(integer) = text.parse() {
        return Some(integer);
    }
    let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    let number: f64 = text.parse().ok().filter(|_| is_number)?;
    #[allow(clippy::cast_possible_truncation, reason = "it was looked at before")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i128)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(header: Option<&str>, argument: &str) -> bool {
        let parameters =
            header.map(|value| ("n".to_owned(), Some(value.to_owned()))).into_iter().collect();
        let headers = Headers { protocol_version: None, parameters };
        let argument = RawValue::from_string(argument.to_owned()).unwrap();
        headers.compare_parameter("N", Some(&argument)).is_ok()
    }

    #[test]
    fn a_header_says_what_the_argument_says() {
        for (header, argument) in [
            (Some("a"), r#""a""#),
            (Some("a"), r#""\u0061""#),
            (Some(""), r#""""#),
            (Some("true"), "true"),
            (Some("10"), "10"),
            (Some("10"), "10.0"),
            (Some("10.0"), "1e1"),
            (Some("-0"), "0"),
            (Some("18446744073709551616"), "18446744073709551616"),
            (None, "null"),
            (None, "{}"),
        ] {
            assert!(agree(header, argument), "{header:?} {argument}");
        }
        for (header, argument) in [
            (None, r#""a""#),
            (Some("A"), r#""a""#),
            (Some("10"), r#""10.0""#),
            (Some("10.5"), "10"),
            (Some("9007199254740993"), "9007199254740992"),
            (Some("1e400"), "10"),
            (Some("inf"), "1e400"),
            (Some("x"), "10"),
            (Some("null"), "null"),
            (Some("False"), "false"),
            (Some("1"), "true"),
        ] {
            assert!(!agree(header, argument), "{header:?} {argument}");
        }
    }

    #[test]
    fn what_can_not_be_read_is_a_mismatch_of_that_parameter_only() {
        let parameters = vec![("a".to_owned(), None), ("b".to_owned(), Some("1".to_owned()))];
        let headers = Headers { protocol_version: None, parameters };
        let one = RawValue::from_string("1".to_owned()).unwrap();
        assert_eq!(headers.compare_parameter("a", Some(&one)).unwrap_err().code(), Some(-32020));
        assert!(headers.compare_parameter("b", Some(&one)).is_ok());
        assert!(headers.compare_parameter("c", None).is_ok());
    }
}
