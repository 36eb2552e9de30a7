/// The deepest nesting of arrays and objects a message may have, its own braces counted.
///
/// Nothing here descends into a payload, so a message may be deeper than typed readers take (`serde_json` stops at 128):
/// one odd member must not cost a whole list. Who reads members with such a reader asks [`nests_deeper`] first.
pub const MAX_DEPTH: usize = 4096;

/// Whether JSON text nests arrays and objects deeper than `limit`. A scan of its bytes: nothing is parsed, and text that
/// is no JSON gives any answer.
///
/// ```
/// use callsign_wire::message::nests_deeper;
/// assert!(!nests_deeper(r#"{"a":[1,"[[["]}"#, 2));
/// assert!(nests_deeper("[[[1]]]", 2));
/// ```
#[must_use]
pub fn nests_deeper(text: &str, limit: usize) -> bool {
    bytes_nest_deeper(text.as_bytes(), limit)
}

pub(super) fn bytes_nest_deeper(text: &[u8], limit: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match (in_string, byte) {
            (true, b'\\') => {
                bytes.next();
            }
            (_, b'"') => in_string = !in_string,
            (false, b'{' | b'[') => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_do_not_count_and_others_do() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(!nests_deeper(&nested(127), 127));
        assert!(nests_deeper(&nested(128), 127));
        assert!(!nests_deeper(&format!(r#""\"{}""#, "[".repeat(500)), 0));
        assert!(!nests_deeper(&"[]".repeat(500), 1));
    }

    #[test]
    fn the_deepest_message_is_read_without_descending() {
        let payload = format!("{}{}", "[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1));
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{payload}}}"#);
        let message = super::super::parse(text.as_bytes());
        assert!(matches!(message, Ok(super::super::Message::Response(_))));
    }
}
