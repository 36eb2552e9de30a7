use std::cmp::Ordering;

use super::legacy::{substituted, with_others_substituted};
use super::{is_provider_char, legacy_spelling, provider_name, raw_name};

/// What every name that rules are written in begins with.
const LEAD: &str = "mcp__";
/// What stands between the server key and the tool.
const SEPARATOR: &str = "__";

/// One part of a name (a server key or a wire name) in the three spellings that rules may use: as it is, provider-safe
/// (every UTF-16 unit outside `A-Z a-z 0-9 _ -` is `_`), and legacy (the same, but a dot stays). Never cut, never hashed.
#[must_use]
pub fn segment_spellings(text: &str) -> [String; 3] {
    [text.to_owned(), with_others_substituted(text, is_provider_char), substituted(text)]
}

/// What the names of a server's tools begin with, `mcp__{server}__`, in the three [spellings](segment_spellings) of its key
/// and in their order.
#[must_use]
pub fn boundaries(server: &str) -> [String; 3] {
    segment_spellings(server).map(|spelled| raw_name(&spelled, ""))
}

/// A [boundary](boundaries) without its separator: the text of a rule that names the whole server.
#[must_use]
pub fn server_part(boundary: &str) -> &str {
    boundary.strip_suffix(SEPARATOR).unwrap_or(boundary)
}

/// The [boundary](boundaries) of which a text is the [server part](server_part).
#[must_use]
pub fn boundary_of(server_part: &str) -> String {
    [server_part, SEPARATOR].concat()
}

/// The key that a [boundary](boundaries) was made of, in its spelling.
#[must_use]
pub fn key_part(boundary: &str) -> &str {
    server_part(boundary).strip_prefix(LEAD).unwrap_or(boundary)
}

/// Whether a text begins as raw names do.
pub(crate) fn has_lead(text: &str) -> bool {
    text.starts_with(LEAD)
}

/// What a plain split at `__` would take for the server: the second part. Empty if there is none.
///
/// Only for rules that were written by that reading; a key may hold `__` itself, so this is no way to find a server.
#[must_use]
pub fn second_part(text: &str) -> &str {
    text.split(SEPARATOR).nth(1).unwrap_or_default()
}

/// The three names a tool goes by in rules: as it is, provider-safe, and legacy, the last two cut where they are too long.
#[must_use]
pub fn renderings(server: &str, wire: &str) -> [String; 3] {
    let raw = raw_name(server, wire);
    let (name, legacy) = (provider_name(&raw), legacy_spelling(&raw));
    [raw, name, legacy]
}

/// How a raw name compares with a text, byte for byte, without being put together.
#[must_use]
pub(crate) fn compare_raw_name(server: &str, wire: &str, text: &str) -> Ordering {
    let mut rest = text.as_bytes();
    for part in [LEAD, server, SEPARATOR, wire].map(str::as_bytes) {
        let common = part.len().min(rest.len());
        match part[..common].cmp(&rest[..common]) {
            Ordering::Equal if common < part.len() => return Ordering::Greater,
            Ordering::Equal => rest = &rest[common..],
            different => return different,
        }
    }
    if rest.is_empty() { Ordering::Equal } else { Ordering::Less }
}

/// The legacy spelling of a raw name before it is cut.
#[must_use]
pub(crate) fn legacy_whole(raw: &str) -> String {
    substituted(raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_name_compares_as_its_text_does() {
        let parts = ["", "a", "_", "__", "a_", "b", "é", "\u{10ffff}"];
        let texts =
            ["", "mcp__", "mcp__a__", "mcp__a__b", "mcp__a__bc", "mcp__é__é", "n", "A", "mcp__a_"];
        for (server, wire) in parts.iter().flat_map(|s| parts.iter().map(move |w| (s, w))) {
            let raw = raw_name(server, wire);
            for text in texts.into_iter().chain([raw.as_str()]) {
                assert_eq!(compare_raw_name(server, wire, text), (*raw).cmp(text), "{raw} {text}");
            }
        }
    }

    #[test]
    fn parts_are_found_again_in_what_was_made_of_them() {
        let [raw, safe, legacy] = boundaries("a.b:c");
        assert_eq!((&*raw, &*safe, &*legacy), ("mcp__a.b:c__", "mcp__a_b_c__", "mcp__a.b_c__"));
        assert_eq!((server_part(&raw), key_part(&legacy)), ("mcp__a.b:c", "a.b_c"));
        assert_eq!(boundary_of(server_part(&raw)), raw);
        assert_eq!(
            (second_part("mcp__a__b"), second_part("mcp"), second_part("a____b")),
            ("a", "", "")
        );
        assert_eq!(renderings("a", "b"), ["mcp__a__b"; 3].map(str::to_owned));
    }
}
