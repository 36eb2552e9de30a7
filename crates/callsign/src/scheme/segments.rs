use super::legacy::substituted;
use super::{is_provider_char, legacy_spelling, provider_name, raw_name};

/// What every name that rules are written in begins with.
const LEAD: &str = "mcp__";
/// What stands between the server key and the tool.
const SEPARATOR: &str = "__";

/// One part of a name (a server key or a wire name) in the three spellings that rules may use: as it is, provider-safe
/// (every UTF-16 unit outside `A-Z a-z 0-9 _ -` is `_`), and legacy (the same, but a dot stays). Never cut, never hashed.
#[must_use]
pub fn segment_spellings(text: &str) -> [String; 3] {
    [text.to_owned(), safe_segment(text), substituted(text)]
}

fn safe_segment(text: &str) -> String {
    let unit = |unit: u16| match u8::try_from(unit).map(char::from) {
        Ok(c) if is_provider_char(c) => c,
        _ => '_',
    };
    text.encode_utf16().map(unit).collect()
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

/// Whether a text begins as the names of servers' tools do.
#[must_use]
pub fn begins_as_a_name(text: &str) -> bool {
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

/// The legacy spelling of a raw name before it is cut.
#[must_use]
pub(crate) fn legacy_whole(raw: &str) -> String {
    substituted(raw)
}
