//! Whether a new name may stand where nothing quotes it.
//!
//! A name of letters, digits, `_` and `-` may stand wherever another one did. Any other character may mean something to the
//! file that it stands in: `@` begins no YAML text, `/` and `:` are in no key of TOML. Such a name is written only between
//! quotes or backticks, into a sentence, or where the old name had the same characters.

use crate::set_apart::is_quoted;

/// Whether `new` may take the place of `start..end` without a change in how the text around it is read.
pub(crate) fn may_stand(new: &str, text: &[u8], start: usize, end: usize) -> bool {
    let is_bare_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let old = &text[start..end];
    is_quoted(text, start, end)
        || (!is_literal(old)
            && !is_dotted_key(old, &text[end..])
            && (new.bytes().all(is_bare_word) || has_nothing_new(new, old)))
        || (new.chars().all(is_of_sentences)
            && !new.ends_with(':')
            && is_in_sentence(text, start, end))
}

/// What was read as it is with these characters is so again; how it begins counts most.
fn has_nothing_new(new: &str, old: &[u8]) -> bool {
    let of_words = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let begins_alike =
        new.bytes().next().is_none_or(|first| of_words(&first) || old.first() == Some(&first));
    begins_alike && !new.ends_with(':') && new.bytes().all(|b| of_words(&b) || old.contains(&b))
}

/// Whether a tool is called what files write without quotes for a number, a date, a truth or a mark.
fn is_literal(old: &[u8]) -> bool {
    let of_numbers = |byte: &u8| byte.is_ascii_hexdigit() || b"xXoO_.+-:TZ".contains(byte);
    let begins = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-');
    let words = ["true", "false", "null", "yes", "no", "on", "off", "inf", "nan"];
    old.first().is_some_and(|first| b"!&%|>#?~".contains(first))
        || (old.first().is_some_and(begins) && old.iter().all(of_numbers))
        || words.iter().any(|word| old.eq_ignore_ascii_case(word.as_bytes()))
}

/// Whether the dots in it divide a key of TOML into several, so that without them it would be another place.
fn is_dotted_key(old: &[u8], rest: &[u8]) -> bool {
    let blanks = rest.iter().take(FAR).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    old.contains(&b'.') && matches!(rest.get(blanks), Some(b'=' | b']'))
}

/// Characters that no format reads as anything else inside of a sentence.
fn is_of_sentences(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '@' | '/' | ':' | '.' | '(' | ')' | '*')
}

/// Whether a word stands before it, and behind it a word or what ends a part of a sentence: `use … first`, `call …, then`.
fn is_in_sentence(text: &[u8], start: usize, end: usize) -> bool {
    ends_with_word(&text[..start]) && goes_on(&text[end..])
}

/// The longest word that is looked at.
const FAR: usize = 32;

fn ends_with_word(text: &[u8]) -> bool {
    let Some(text) = text.strip_suffix(b" ") else { return false };
    let letters = text.iter().rev().take(FAR).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let before = text[..text.len() - letters].last();
    // An anchor or a tag of YAML is no word: what follows it is the beginning of a text.
    let begins = |byte: &u8| byte.is_ascii_whitespace() || b"\"'(*".contains(byte);
    (1..FAR).contains(&letters) && before.is_none_or(begins)
}

fn goes_on(text: &[u8]) -> bool {
    match text {
        [b' ', rest @ ..] => {
            let letters = rest.iter().take(FAR).take_while(|b| b.is_ascii_alphabetic()).count();
            let ends = |byte: &u8| byte.is_ascii_whitespace() || b",.;?!\"')".contains(byte);
            (1..FAR).contains(&letters) && rest.get(letters).is_none_or(ends)
        }
        [b',', b' ', ..] => true,
        [b'.' | b'?' | b'!', rest @ ..] => rest.first().is_none_or(u8::is_ascii_whitespace),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may(text: &str, new: &str) -> bool {
        let start = text.find("mcp__a__b").unwrap();
        may_stand(new, text.as_bytes(), start, start + "mcp__a__b".len())
    }

    #[test]
    fn words_stand_anywhere_and_others_between_quotes_or_in_sentences() {
        for text in ["mcp__a__b = 1", "- mcp__a__b", "tools: mcp__a__b", "def mcp__a__b():"] {
            assert!(may(text, "a_b") && !may(text, "@a/b"), "{text}");
        }
        for text in [
            "\"mcp__a__b\" = 1",
            "- 'mcp__a__b'",
            "Call `mcp__a__b`",
            "Use mcp__a__b first.",
            "d: Use mcp__a__b, then stop",
            "\"Call mcp__a__b.\\n",
            "First call mcp__a__b.",
        ] {
            let expected = !text.contains("\\n");
            assert_eq!(may(text, "@a/b"), expected, "{text}");
        }
    }

    #[test]
    fn what_may_begin_a_text_is_no_sentence() {
        for text in [
            "!tag mcp__a__b first",
            "&x mcp__a__b first",
            "[x, mcp__a__b first]",
            "x: mcp__a__b first",
            "a.b. mcp__a__b first",
            "return mcp__a__b\n",
            "mcp__a__b first",
        ] {
            assert!(!may(text, "@a/b"), "{text}");
        }
        assert!(!may("use mcp__a__b first", "git #hub"), "a comment of YAML");
        assert!(!may("use mcp__a__b, then", "a:b:"));
    }

    #[test]
    fn dots_of_keys_stay() {
        for text in ["a.b = 1", "a.b=1", "[a.b]"] {
            let start = text.find('a').unwrap();
            assert!(!may_stand("a_b", text.as_bytes(), start, start + 3), "{text}");
        }
    }

    #[test]
    fn what_stood_there_before_may_stand_again() {
        let may = |old: &str, new: &str| may_stand(new, old.as_bytes(), 0, old.len());
        assert!(may("github:get", "mcp:github:get") && may("mcp__a__*", "a_*"));
        assert!(
            !may("1", "mcp__a__1") && !may("true", "a_true") && may("1password__x", "1password_x")
        );
        assert!(may("mcp__a.b__c", "mcp__a_b__c"));
        assert!(may("@a/b", "@c/d") && !may("a@b", "@b") && !may("a:b", "a:b:"));
    }
}
