//! How findings quote and list names. Names come from outside: they are escaped, and long ones are cut where it shows.

use super::finding::Kind;
use super::index::Claim;
use super::judged_rules::JudgedRule;
use crate::scheme::is_provider_char;

/// How much of a name is shown before it is cut.
const SHOWN: usize = 160;

/// A name in back quotes, control and invisible characters escaped.
pub(super) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    push_quoted(text, &mut quoted);
    quoted
}

/// Whether each byte is a character that every provider accepts. No byte of another character is one of theirs.
const IS_PROVIDER_BYTE: [bool; 256] = {
    let mut accepted = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        accepted[byte as usize] = is_provider_char(byte as char);
        byte += 1;
    }
    accepted
};

/// Whether a text has only characters that every provider accepts. Asked of every name several times, so it is looked up.
pub(super) fn has_provider_chars_only(text: &str) -> bool {
    text.bytes().all(|byte| IS_PROVIDER_BYTE[usize::from(byte)])
}

/// Appends what [`quote`] gives.
pub(super) fn push_quoted(text: &str, out: &mut String) {
    out.push('`');
    // Nearly all names are plain, and a report may have very many of them.
    if text.len() <= SHOWN && has_provider_chars_only(text) {
        out.push_str(text);
        out.push('`');
        return;
    }
    for c in text.chars().take(SHOWN) {
        match c {
            // Neither steers a terminal, and an entry to be copied stays as it is written.
            '"' | '\'' => out.push(c),
            _ => out.extend(c.escape_debug()),
        }
    }
    match text.chars().count() {
        0..=SHOWN => out.push('`'),
        length => out.push_str(&format!("…` ({length} characters)")),
    }
}

/// Names in back quotes: `a`, `a` and `b`, `a`, `b` and `c`.
pub(super) fn quoted_list(names: &[&str]) -> String {
    let mut list = String::with_capacity(names.iter().map(|name| room_for(name)).sum());
    push_quoted_list(names.iter().copied(), &mut list);
    list
}

/// How many bytes a name takes in a list, unless it has to be escaped.
pub(super) fn room_for(name: &str) -> usize {
    name.len() + "`` and ".len()
}

/// Appends what [`quoted_list`] gives.
pub(super) fn push_quoted_list<'n>(names: impl Iterator<Item = &'n str> + Clone, out: &mut String) {
    let last = names.clone().count().saturating_sub(1);
    for (at, name) in names.enumerate() {
        out.push_str(match at {
            0 => "",
            _ if at == last => " and ",
            _ => ", ",
        });
        push_quoted(name, out);
    }
}

/// The ASCII small letters that a text begins with. Nearly all names are runs of them with something between, and a run
/// is quicker to copy than its letters.
pub(super) fn small_letters(text: &str) -> &str {
    let length = text.bytes().take_while(u8::is_ascii_lowercase).count();
    &text[..length]
}

/// Appends a character in lower case; nearly all of them are ASCII.
pub(super) fn push_lower(c: char, out: &mut String) {
    if c.is_ascii() {
        out.push(c.to_ascii_lowercase());
    } else {
        out.extend(c.to_lowercase());
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
pub(super) fn servers(keys: &[&str]) -> String {
    let length = keys.iter().map(|key| room_for(key)).sum::<usize>();
    let mut servers = String::with_capacity("servers ".len() + length);
    push_servers(keys.iter().copied(), &mut servers);
    servers
}

/// Appends what [`servers`] gives.
pub(super) fn push_servers<'n>(keys: impl Iterator<Item = &'n str> + Clone, out: &mut String) {
    out.push_str(if keys.clone().nth(1).is_none() { "server " } else { "servers " });
    push_quoted_list(keys, out);
}

/// `tool `x` of server `a``.
pub(super) fn whose(claim: &Claim<'_>) -> String {
    identity(claim.kind, claim.key(), claim.name)
}

pub(super) fn identity(kind: Kind, key: &str, name: &str) -> String {
    format!("{kind} {} of server {}", quote(name), quote(key))
}

/// deny rule `x`.
pub(super) fn act_rule(rule: &JudgedRule) -> String {
    format!("{} rule {}", rule.does.as_str(), quote(&rule.text))
}

/// Begins with `text`, then each name of the claims with the servers that have it, in order: `x` of `a` and `b`; `y` of
/// `c`. What `note` adds to a name follows its servers.
pub(super) fn names_and_servers(
    text: &str,
    claims: &[Claim<'_>],
    mut note: impl FnMut(&str, &mut String),
) -> String {
    let mut pairs: Vec<(&str, &str)> =
        claims.iter().map(|claim| (claim.name.as_str(), claim.key().as_str())).collect();
    pairs.sort_unstable();
    pairs.dedup();
    // Most notes have room in what names that several servers have leave over.
    let length = pairs.iter().map(|(name, key)| room_for(name) + room_for(key)).sum::<usize>();
    let mut text = with_room(text, length);
    for (at, same) in pairs.chunk_by(|a, b| a.0 == b.0).enumerate() {
        let name = same[0].0;
        text.push_str(if at == 0 { "" } else { "; " });
        push_quoted(name, &mut text);
        text.push_str(" of ");
        push_quoted_list(same.iter().map(|(_, key)| *key), &mut text);
        note(name, &mut text);
    }
    text
}

/// A sentence that begins with `text` and has room for `more` bytes.
pub(super) fn with_room(text: &str, more: usize) -> String {
    let mut sentence = String::with_capacity(text.len() + more);
    sentence.push_str(text);
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_invisible_is_shown_and_long_names_are_cut_visibly() {
        assert_eq!(quote("a\n\u{202e}b"), "`a\\n\\u{202e}b`");
        assert!(quote(&"x".repeat(161)).ends_with("x…` (161 characters)"));
        assert_eq!(servers(&["a"]), "server `a`");
        assert_eq!(servers(&["a", "b", "c"]), "servers `a`, `b` and `c`");
    }
}
