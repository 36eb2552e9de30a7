//! Patterns with more than `*` and `?`: sets of characters and alternatives, as three families of programs read them.

use regex_lite::Regex;

use super::glob::{Glob, Wild};
use super::pattern::Pattern;

/// Whose patterns they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Rust's globset, `*` and `?` crossing `/`: `[…]`, `[!…]`, `[^…]`, `{a,b}`, `\` before a character that is meant as
    /// it is.
    Globset,
    /// Go's `filepath.Match`, without case: `[…]`, `[^…]`, `\`; `*` and `?` stop at `/`.
    GoWithoutCase,
    /// Python's fnmatch: `[…]`, `[!…]`; what is not closed is meant as it is.
    Fnmatch,
    /// A path's pattern: `*` and `?` stop at `/`, `**` does not.
    Path,
}

/// The pattern for a whole name; one that never matches where the program refuses it.
pub(super) fn pattern(text: &str, family: Family) -> Pattern {
    match regex(text, family) {
        Some(_) if family == Family::Globset && !text.contains(['[', '{', '\\', '}']) => {
            Pattern::Glob(Glob::new(text, Wild::StarAndMark))
        }
        Some(regex) => Pattern::Regex(regex),
        None => Pattern::never("the pattern is not well formed, and matches nothing"),
    }
}

/// A regular expression that means the same; `None` where the program refuses the pattern.
pub(super) fn regex(text: &str, family: Family) -> Option<Regex> {
    let mut expression = String::from(match family {
        Family::GoWithoutCase => "(?is)^(?:",
        _ => "(?s)^(?:",
    });
    Translation { rest: text, family, depth: 0, out: &mut expression }.run()?;
    expression.push_str(")$");
    Regex::new(&expression).ok()
}

struct Translation<'a> {
    rest: &'a str,
    family: Family,
    /// How many alternatives are open.
    depth: usize,
    out: &'a mut String,
}

impl Translation<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some(c) = self.next() {
            match c {
                '*' if self.stops_at_slash() && !self.doubled() => self.out.push_str("[^/]*"),
                '*' => self.out.push_str(".*"),
                '?' if self.stops_at_slash() => self.out.push_str("[^/]"),
                '?' => self.out.push('.'),
                '[' if self.family != Family::Path => self.set()?,
                '{' if self.family == Family::Globset => self.open(),
                '}' if self.family == Family::Globset => self.close()?,
                ',' if self.depth > 0 => self.out.push('|'),
                '\\' if matches!(self.family, Family::Globset | Family::GoWithoutCase) => {
                    let escaped = self.next()?;
                    self.literal(escaped);
                }
                c => self.literal(c),
            }
        }
        (self.depth == 0).then_some(())
    }

    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    fn stops_at_slash(&self) -> bool {
        matches!(self.family, Family::GoWithoutCase | Family::Path)
    }

    /// Takes a second star where two mean more than one.
    fn doubled(&mut self) -> bool {
        let rest = self.rest.strip_prefix('*').filter(|_| self.family == Family::Path);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn literal(&mut self, c: char) {
        self.out.push_str(&regex_lite::escape(c.encode_utf8(&mut [0; 4])));
    }

    fn open(&mut self) {
        self.depth += 1;
        self.out.push_str("(?:");
    }

    fn close(&mut self) -> Option<()> {
        self.depth = self.depth.checked_sub(1)?;
        self.out.push(')');
        Some(())
    }

    /// A set of characters, its bracket already taken.
    fn set(&mut self) -> Option<()> {
        let negation: &[char] = match self.family {
            Family::Fnmatch => &['!'],
            Family::GoWithoutCase => &['^'],
            _ => &['!', '^'],
        };
        let inside = self.rest.strip_prefix(negation).unwrap_or(self.rest);
        // A bracket that comes first is a member of the set.
        let first = inside.chars().next().map_or(0, char::len_utf8);
        let Some(end) = inside.get(first..).and_then(|rest| rest.find(']')) else {
            if self.family == Family::Fnmatch {
                self.literal('[');
                return Some(());
            }
            return None;
        };
        let (members, rest) = inside.split_at(first + end);
        self.out.push_str(if inside.len() < self.rest.len() { "[^" } else { "[" });
        for c in members.chars() {
            if c.is_ascii_punctuation() && c != '-' {
                self.out.push('\\');
            }
            self.out.push(c);
        }
        self.out.push(']');
        self.rest = &rest[1..];
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, family: Family, text: &str) -> Option<bool> {
        regex(pattern, family).map(|regex| regex.is_match(text))
    }

    #[test]
    fn each_family_reads_its_own() {
        for (pattern, family, text, expected) in [
            ("@git-*", Family::Globset, "@git-x/rm", Some(true)),
            ("@g{it,o}", Family::Globset, "@go", Some(true)),
            ("@g[!i]t", Family::Globset, "@git", Some(false)),
            (r"a\*", Family::Globset, "a*", Some(true)),
            ("a[", Family::Globset, "a[", None),
            ("a{b", Family::Globset, "ab", None),
            ("a}", Family::Globset, "a}", None),
            ("GITHUB_[gc]*", Family::GoWithoutCase, "github_get", Some(true)),
            ("git*", Family::GoWithoutCase, "git/x", Some(false)),
            ("a[", Family::GoWithoutCase, "a[", None),
            ("get_[!i]*", Family::Fnmatch, "get_x", Some(true)),
            ("get_[!i]*", Family::Fnmatch, "get_issue", Some(false)),
            ("a[", Family::Fnmatch, "a[", Some(true)),
            ("a.b", Family::Fnmatch, "axb", Some(false)),
            ("*", Family::Path, "a/b", Some(false)),
            ("**", Family::Path, "a/b", Some(true)),
            ("a/*", Family::Path, "a/b", Some(true)),
            ("a/?", Family::Path, "a/b", Some(true)),
        ] {
            assert_eq!(fits(pattern, family, text), expected, "{pattern} {family:?} {text}");
        }
    }

    #[test]
    fn whole_names_only() {
        assert_eq!(fits("a|b", Family::Fnmatch, "a"), Some(false));
        assert_eq!(fits("a", Family::Fnmatch, "ab"), Some(false));
        assert_eq!(fits("*", Family::Globset, "a\nb"), Some(true));
    }
}
