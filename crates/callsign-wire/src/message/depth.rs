use memchr::memchr2;

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
    // What has no more brackets than that, wherever they stand, does not nest deeper: true of almost every message, and
    // counting is many times faster than following.
    if text.len() <= limit {
        return false;
    }
    let brackets = text.iter().filter(|&&byte| byte == b'{' || byte == b'[').count();
    brackets > limit && follow(text, limit)
}

fn follow(mut text: &[u8], limit: usize) -> bool {
    let mut depth = 0_usize;
    while let Some((byte, rest)) = text.split_first() {
        text = rest;
        match byte {
            b'"' => text = behind_string(rest),
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// What stands behind the end of the string in which `text` begins.
fn behind_string(mut text: &[u8]) -> &[u8] {
    while let Some(place) = memchr2(b'"', b'\\', text) {
        let is_end = text[place] == b'"';
        text = text.get(place + 1 + usize::from(!is_end)..).unwrap_or_default();
        if is_end {
            return text;
        }
    }
    &[]
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
        let tricky = r#"["\\","[","\"[",{"a\\\"":"["}]"#;
        assert!(!nests_deeper(tricky, 2) && nests_deeper(tricky, 1));
        for unfinished in ["[[[\"", "[[[\"\\", "[[[\"\\\""] {
            assert!(nests_deeper(unfinished, 2) && !nests_deeper(unfinished, 3));
        }
    }

    #[test]
    fn the_deepest_message_is_read_without_descending() {
        let payload = format!("{}{}", "[".repeat(MAX_DEPTH - 1), "]".repeat(MAX_DEPTH - 1));
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{payload}}}"#);
        let message = super::super::parse(text.as_bytes());
        assert!(matches!(message, Ok(super::super::Message::Response(_))));
    }
}
