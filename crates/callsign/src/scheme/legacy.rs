use super::{provider_name, raw_name};

/// The spelling that releases before provider-safe names gave `text`: every UTF-16 unit outside `A-Z a-z 0-9 _ . -`
/// becomes `_` (the dot stays), and what is longer than 63 keeps its first 28 and last 32 around `___`.
#[must_use]
pub fn legacy_spelling(text: &str) -> String {
    let substituted = substituted(text);
    if substituted.len() <= 63 {
        return substituted;
    }
    // All ASCII by now, so bytes are characters.
    [&substituted[..28], "___", &substituted[substituted.len() - 32..]].concat()
}

/// Whether a name has the form that [`legacy_spelling`] gives to text that it cuts: 63 characters, `___` after 28 of them.
///
/// A name may have that form by chance; it can't be told apart.
#[must_use]
pub fn looks_cut(name: &str) -> bool {
    super::is_history_name(name) && name.len() == 63 && name.as_bytes().get(28..31) == Some(b"___")
}

pub(super) fn substituted(text: &str) -> String {
    with_others_substituted(text, |c| super::is_provider_char(c) || c == '.')
}

/// The text with a `_` for every UTF-16 unit of a character that is not kept.
pub(super) fn with_others_substituted(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_kept(c) {
            out.push(c);
        } else {
            (0..c.len_utf16()).for_each(|_| out.push('_'));
        }
    }
    out
}

/// The other spellings under which a tool may be named in rules that people wrote earlier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aliases {
    /// Accepted where a rule is matched: the raw name, and the legacy spelling if the server key vouches for it.
    pub permission: Vec<String>,
    /// Accepted in a list of disabled tools: the raw name and the legacy spelling.
    pub disabled: Vec<String>,
}

/// The aliases of a tool whose registered name is its [`provider_name`].
///
/// A legal short name has none. A legacy spelling that was cut names many tools at once; it is published for rules only if
/// the key alone already tells them apart in what was kept.
#[must_use]
pub fn aliases(server: &str, wire: &str) -> Aliases {
    let raw = raw_name(server, wire);
    let name = provider_name(&raw);
    let mut aliases = Aliases::default();
    if raw != name {
        aliases.permission.push(raw.clone());
        aliases.disabled.push(raw.clone());
    }
    let legacy = legacy_spelling(&raw);
    if legacy != name && legacy != raw {
        let whole = legacy.len() == raw.encode_utf16().count();
        if whole || key_vouches(server) {
            aliases.permission.push(legacy.clone());
        }
        aliases.disabled.push(legacy);
    }
    aliases
}

/// Whether a cut legacy spelling still shows the whole key and where it ends: `mcp__` and the key must fit the 28 units
/// kept, with the separator or exactly at the edge, and the key must not be readable in two ways.
pub(crate) fn key_vouches(server: &str) -> bool {
    let length = 5 + server.encode_utf16().count();
    let spelled = substituted(server);
    (length + 2 <= 28 || length == 28) && !spelled.contains("__") && !spelled.ends_with('_')
}
