//! How findings quote and list names. Names come from outside: they are escaped, and long ones are cut where it shows.

use super::finding::Kind;
use super::index::Claim;

/// How much of a name is shown before it is cut.
const SHOWN: usize = 160;

/// A name in back quotes, control and invisible characters escaped.
pub(super) fn quote(text: &str) -> String {
    let length = text.chars().count();
    let shown: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    match length {
        0..=SHOWN => format!("`{shown}`"),
        _ => format!("`{shown}…` ({length} characters)"),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// `server `a`` or `servers `a` and `b``; the keys come sorted and each once.
pub(super) fn servers<'k>(keys: impl IntoIterator<Item = &'k str>) -> String {
    let quoted: Vec<String> = keys.into_iter().map(quote).collect();
    let noun = if quoted.len() == 1 { "server" } else { "servers" };
    format!("{noun} {}", list(&quoted))
}

/// `tool `x` of server `a``.
pub(super) fn whose(claim: &Claim<'_>) -> String {
    identity(claim.kind, claim.key(), claim.name)
}

pub(super) fn identity(kind: Kind, key: &str, name: &str) -> String {
    format!("{kind} {} of server {}", quote(name), quote(key))
}

/// The claims by name: each name in order with the sorted keys of the servers that have it.
pub(super) fn by_name<'a>(claims: &[Claim<'a>]) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut pairs: Vec<(&str, &str)> =
        claims.iter().map(|claim| (claim.name.as_str(), claim.key().as_str())).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
        .chunk_by(|a, b| a.0 == b.0)
        .map(|same| (same[0].0, same.iter().map(|pair| pair.1).collect()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_invisible_is_shown_and_long_names_are_cut_visibly() {
        assert_eq!(quote("a\n\u{202e}b"), "`a\\n\\u{202e}b`");
        assert!(quote(&"x".repeat(161)).ends_with("x…` (161 characters)"));
        assert_eq!(servers(["a"]), "server `a`");
        assert_eq!(servers(["a", "b", "c"]), "servers `a`, `b` and `c`");
    }
}
