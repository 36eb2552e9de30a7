/// The deepest nesting of arrays and objects a message may have, its own braces counted.
///
/// It equals the recursion limit of `serde_json`, so whatever passes here can be read by typed readers further on.
pub const MAX_DEPTH: usize = 127;

/// Whether the text nests deeper than [`MAX_DEPTH`]. A scan of the bytes that is right for JSON; for anything else the
/// JSON reader says no afterwards.
pub(super) fn too_deep(text: &[u8]) -> bool {
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
                if depth > MAX_DEPTH {
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
        let deepest = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(!too_deep(deepest.as_bytes()));
        assert!(serde_json::from_str::<serde_json::Value>(&deepest).is_ok());
        assert!(too_deep("[".repeat(MAX_DEPTH + 1).as_bytes()));
        assert!(!too_deep(format!(r#""\"{}""#, "[".repeat(500)).as_bytes()));
        assert!(!too_deep("[]".repeat(500).as_bytes()));
    }
}
