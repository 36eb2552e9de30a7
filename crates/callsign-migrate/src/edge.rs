//! Where a name begins and ends.
//!
//! A name's neighbours decide whether it is the whole name. Letters, digits and `_` belong to a word. `.` and `:` end a
//! name when nothing follows them (`mcp__a__b.` at the end of a sentence) and join it to something longer when a word does
//! (`mcp__a__b.json`). What may be a path (`/`), a variable (`$`) or a member (`.` in front) can't be told from here.

/// What stands at one side of a text that is spelled like a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The name begins or ends here.
    Clear,
    /// It may be part of something longer.
    Unsure,
    /// It is part of a longer word.
    Inside,
    /// A `*` that makes it a pattern.
    Wildcard,
}

/// The longest stretch that is looked at beyond the neighbour.
const FAR: usize = 1024;

/// What stands before `start`.
pub(crate) fn before(text: &[u8], start: usize) -> Edge {
    let text = text.get(..start).unwrap_or_default();
    match last(text) {
        Found::End => Edge::Clear,
        Found::NoText => Edge::Unsure,
        Found::Char(c) if is_word(c) => match ends_escape(text) {
            true => Edge::Clear,
            false => within(c),
        },
        Found::Char('-') => match last(trim_end(text, b'-')) {
            Found::Char(c) if is_word(c) => Edge::Inside,
            _ => Edge::Unsure,
        },
        // The closing tag of the markup that many prompts use.
        Found::Char('/') if text.ends_with(b"</") => Edge::Clear,
        Found::Char('.' | ':' | '/' | '\\' | '$') => Edge::Unsure,
        Found::Char('@') => match last(&text[..text.len() - 1]) {
            Found::Char(c) if may_end_name(c) => Edge::Unsure,
            _ => Edge::Clear,
        },
        Found::Char('*') => match last(trim_end(text, b'*')) {
            Found::Char(c) if is_word(c) || c == '-' => Edge::Inside,
            Found::Char('"' | '\'' | '`' | ',' | '.' | '/' | ':' | ')') => Edge::Unsure,
            _ => Edge::Clear,
        },
        Found::Char(_) => Edge::Clear,
    }
}

/// What stands from `end` on.
pub(crate) fn after(text: &[u8], end: usize) -> Edge {
    let rest = text.get(end..).unwrap_or_default();
    match first(rest) {
        Found::End => Edge::Clear,
        Found::NoText => Edge::Unsure,
        Found::Char(c) if is_word(c) => within(c),
        Found::Char('-') => match first(trim_start(rest, b"-")) {
            Found::Char('>') => Edge::Clear,
            Found::Char(c) if is_word(c) => Edge::Inside,
            _ => Edge::Unsure,
        },
        Found::Char('.' | ':') => after_stops(text, end),
        Found::Char('/') if rest.starts_with(b"/>") => Edge::Clear,
        Found::Char('/') => Edge::Unsure,
        Found::Char('@' | '$' | '?') => match first(&rest[1..]) {
            Found::Char(c) if may_begin_name(c) => Edge::Unsure,
            _ => Edge::Clear,
        },
        Found::Char('*') if closes_emphasis(text, end) => Edge::Clear,
        Found::Char('*') => Edge::Wildcard,
        Found::Char(_) => Edge::Clear,
    }
}

/// `.` and `:` behind a name: punctuation, unless something goes on.
fn after_stops(text: &[u8], end: usize) -> Edge {
    let rest = trim_start(&text[end..], b".:");
    let next = text.len() - rest.len();
    match first(rest) {
        Found::Char(c) if may_begin_name(c) || matches!(c, '/' | '\\' | '-' | '$') => Edge::Unsure,
        Found::Char('*') if !rest.starts_with(b"**") && !closes_emphasis(text, next) => {
            Edge::Wildcard
        }
        Found::NoText => Edge::Unsure,
        _ => Edge::Clear,
    }
}

/// Whether the stars at `at` close what the same number of stars opened earlier in the line: `**Use mcp__a__b**`.
fn closes_emphasis(text: &[u8], at: usize) -> bool {
    let stars = text[at..].iter().take_while(|byte| **byte == b'*').count();
    let line = line_before(text, at);
    let mut open = false;
    let mut index = 0;
    while let Some(found) = memchr::memchr(b'*', line.get(index..).unwrap_or_default()) {
        let begin = index + found;
        let run = line[begin..].iter().take_while(|byte| **byte == b'*').count();
        index = begin + run;
        if run != stars {
            continue;
        }
        // No separator of a spelling is among them, so that a pattern opens nothing.
        let opens = |byte: &u8| matches!(byte, b' ' | b'\t' | b'|' | b'>');
        let spaced = line.get(index).is_none_or(u8::is_ascii_whitespace) && index < line.len();
        open = if open { false } else { !spaced && line[..begin].last().is_none_or(opens) };
    }
    open
}

/// The part of the line before `at`, as far as it is looked at.
fn line_before(text: &[u8], at: usize) -> &[u8] {
    let near = &text[at.saturating_sub(FAR)..at];
    let begin = memchr::memrchr2(b'\n', b'\r', near).map_or(0, |found| found + 1);
    &near[begin..]
}

/// Whether the word before a name is no word but the end of an escape in a string: `\n`, `\t`, `\u0022`.
fn ends_escape(text: &[u8]) -> bool {
    let escape = |letters: &[u8], digits: usize| {
        let Some(at) = text.len().checked_sub(digits + 2) else { return false };
        let tail = &text[at..];
        let backslashes =
            text[..=at].iter().rev().take(FAR).take_while(|byte| **byte == b'\\').count();
        letters.contains(&tail[1])
            && tail[2..].iter().all(u8::is_ascii_hexdigit)
            && backslashes % 2 == 1
    };
    escape(b"nrtbfv0", 0) || escape(b"u", 4) || escape(b"x", 2)
}

/// In scripts without spaces between words, and where particles are joined to a name, a letter says nothing.
fn within(c: char) -> Edge {
    match c {
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{30ff}'
        | '\u{3100}'..='\u{31ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Edge::Unsure,
        _ => Edge::Inside,
    }
}

/// Letters, digits, `_`, and what changes the character before it (accents, joiners).
pub(crate) fn is_word(c: char) -> bool {
    c == '_'
        || c.is_alphanumeric()
        || matches!(c, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}'
            | '\u{200c}' | '\u{200d}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}

/// Whether a name of some spelling may begin with it. Where another name stands nearby, it must not matter whether that has
/// been moved.
fn may_begin_name(c: char) -> bool {
    is_word(c) || matches!(c, '@' | '-')
}

/// As [`may_begin_name`]: the last character of a name, or of what names of a server begin with.
fn may_end_name(c: char) -> bool {
    is_word(c) || matches!(c, ')' | '-' | ':' | '/')
}

/// One end of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    Char(char),
    /// Bytes that are not UTF-8.
    NoText,
    /// There is nothing.
    End,
}

pub(crate) fn first(text: &[u8]) -> Found {
    match text.first() {
        None => Found::End,
        Some(byte) if byte.is_ascii() => Found::Char(char::from(*byte)),
        Some(_) => (2..=4)
            .find_map(|length| std::str::from_utf8(text.get(..length)?).ok()?.chars().next())
            .map_or(Found::NoText, Found::Char),
    }
}

fn last(text: &[u8]) -> Found {
    match text.last() {
        None => Found::End,
        Some(byte) if byte.is_ascii() => Found::Char(char::from(*byte)),
        Some(_) => (2..=4)
            .find_map(|length| {
                let at = text.len().checked_sub(length)?;
                std::str::from_utf8(&text[at..]).ok()?.chars().next()
            })
            .map_or(Found::NoText, Found::Char),
    }
}

fn trim_end(text: &[u8], byte: u8) -> &[u8] {
    let run = text.iter().rev().take(FAR).take_while(|b| **b == byte).count();
    &text[..text.len() - run]
}

fn trim_start<'a>(text: &'a [u8], bytes: &[u8]) -> &'a [u8] {
    let run = text.iter().take(FAR).take_while(|b| bytes.contains(b)).count();
    &text[run..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str = "mcp__a__b";

    fn edges(text: &str) -> (Edge, Edge) {
        let start = text.find(NAME).unwrap();
        (before(text.as_bytes(), start), after(text.as_bytes(), start + NAME.len()))
    }

    #[test]
    fn a_name_ends_where_nothing_goes_on() {
        for text in [
            "mcp__a__b",
            "\"mcp__a__b\"",
            "'mcp__a__b'",
            "`mcp__a__b`",
            "mcp__a__b.",
            "mcp__a__b. Then",
            "mcp__a__b, then",
            "mcp__a__b: then",
            "mcp__a__b…",
            "mcp__a__b... then",
            "mcp__a__b(x)",
            "{mcp__a__b}",
            "(mcp__a__b)",
            "[mcp__a__b](x)",
            "<mcp__a__b>",
            "</mcp__a__b>",
            "<mcp__a__b/>",
            "**mcp__a__b**",
            "**mcp__a__b:** does",
            "*mcp__a__b*",
            "**Use mcp__a__b**",
            "*Use mcp__a__b.* Then",
            "- **Use mcp__a__b.**",
            "~~mcp__a__b~~",
            "|mcp__a__b|",
            "^mcp__a__b$",
            "mcp__a__b?",
            "@mcp__a__b",
            "#mcp__a__b",
            "x=mcp__a__b;",
            "\\nmcp__a__b\\n",
            "\\u0022mcp__a__b\\u0022",
            "\\\\\\tmcp__a__b",
            "A-->mcp__a__b-->C",
            "「mcp__a__b」、",
            "mcp__a__b's",
            "\u{feff}mcp__a__b",
            "&quot;mcp__a__b&quot;",
        ] {
            assert_eq!(edges(text), (Edge::Clear, Edge::Clear), "{text}");
        }
    }

    #[test]
    fn a_longer_word_is_another_word() {
        for text in ["xmcp__a__b", "_mcp__a__b", "9mcp__a__b", "émcp__a__b", "x-mcp__a__b"] {
            assert_eq!(edges(text).0, Edge::Inside, "{text}");
        }
        for text in ["\\\\nmcp__a__b", "жmcp__a__b", "e\u{301}mcp__a__b"] {
            assert_eq!(edges(text).0, Edge::Inside, "{text}");
        }
        for text in ["mcp__a__b_c", "mcp__a__bc", "mcp__a__b9", "mcp__a__bé", "mcp__a__b-x"] {
            assert_eq!(edges(text).1, Edge::Inside, "{text}");
        }
        for text in ["mcp__a__b\u{301}", "mcp__a__bж"] {
            assert_eq!(edges(text).1, Edge::Inside, "{text}");
        }
    }

    #[test]
    fn what_may_go_on_is_not_decided() {
        for text in [
            "/mcp__a__b",
            "x.mcp__a__b",
            "x:mcp__a__b",
            "C:\\mcp__a__b",
            "$mcp__a__b",
            "me@mcp__a__b",
        ] {
            assert_eq!(edges(text).0, Edge::Unsure, "{text}");
        }
        for text in ["使mcp__a__b", "-mcp__a__b", "\"*mcp__a__b\""] {
            assert_eq!(edges(text).0, Edge::Unsure, "{text}");
        }
        for text in [
            "mcp__a__b/x",
            "mcp__a__b.json",
            "mcp__a__b:x",
            "mcp__a__b-",
            "mcp__a__b@2",
            "mcp__a__bを",
        ] {
            assert_eq!(edges(text).1, Edge::Unsure, "{text}");
        }
        assert_eq!(after(b"mcp__a__b\xe9", 9), Edge::Unsure);
        assert_eq!(before(b"\xe9mcp__a__b", 1), Edge::Unsure);
    }

    #[test]
    fn a_star_that_closes_nothing_makes_a_pattern() {
        for text in ["mcp__a__b*", "mcp__a__b.*", "[\"*\", \"mcp__a__b*\"]", "* mcp__a__b*"] {
            assert_eq!(edges(text).1, Edge::Wildcard, "{text}");
        }
    }
}
