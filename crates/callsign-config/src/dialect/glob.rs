//! Patterns in which `*` stands for any run of characters and, where a host has it, `?` for one.
//!
//! Hosts understand these in a few ways that differ only in which of the two count and in whether case does. Matching
//! never goes back: the pieces between stars are looked for from left to right, each in linear time.

use std::collections::HashMap;

/// A compiled pattern, for whole texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Glob {
    /// The pieces between stars; one piece, if there is no star.
    pieces: Vec<Piece>,
    fold: bool,
}

/// Text without a star.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Literal(String),
    WithGaps(Gaps),
}

/// Which characters are no literals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wild {
    /// `*`
    Star,
    /// `*` and `?`
    StarAndMark,
}

impl Glob {
    pub(crate) fn new(pattern: &str, wild: Wild) -> Self {
        Self::compile(pattern, wild, false)
    }

    /// What every text begins with that it matches.
    pub(crate) fn beginning(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Literal(literal)) if !self.fold => literal,
            _ => "",
        }
    }

    /// Names one text, whatever characters it has.
    pub(crate) fn literal(text: &str) -> Self {
        Self { pieces: vec![Piece::Literal(text.to_owned())], fold: false }
    }

    /// Compares without case.
    pub(crate) fn folded(pattern: &str, wild: Wild) -> Self {
        Self::compile(&pattern.to_lowercase(), wild, true)
    }

    fn compile(pattern: &str, wild: Wild, fold: bool) -> Self {
        let piece = |text: &str| match wild == Wild::StarAndMark && text.contains('?') {
            true => Piece::WithGaps(Gaps::new(text)),
            false => Piece::Literal(text.to_owned()),
        };
        Self { pieces: pattern.split('*').map(piece).collect(), fold }
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        // Most names have nothing to fold.
        let is_folded = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
        match !self.fold || text.bytes().all(is_folded) {
            true => self.matches_as_is(text),
            false => self.matches_as_is(&text.to_lowercase()),
        }
    }

    fn matches_as_is(&self, text: &str) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else { return text.is_empty() };
        let Some(text) = first.strip_prefix(text) else { return false };
        let Some((last, middle)) = rest.split_last() else { return text.is_empty() };
        let Some(mut text) = last.strip_suffix(text) else { return false };
        for piece in middle {
            match piece.find(text) {
                Some(end) => text = &text[end..],
                None => return false,
            }
        }
        true
    }
}

impl Piece {
    fn strip_prefix<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(literal) => text.strip_prefix(literal.as_str()),
            Self::WithGaps(gaps) => {
                let mut rest = text.chars();
                let fits = gaps.gaps.iter().all(|gap| fits(*gap, rest.next()));
                fits.then_some(rest.as_str())
            }
        }
    }

    fn strip_suffix<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal(literal) => text.strip_suffix(literal.as_str()),
            Self::WithGaps(gaps) => {
                let mut rest = text.chars();
                let fits = gaps.gaps.iter().rev().all(|gap| fits(*gap, rest.next_back()));
                fits.then_some(rest.as_str())
            }
        }
    }

    /// Where the first occurrence ends.
    fn find(&self, text: &str) -> Option<usize> {
        match self {
            Self::Literal(literal) => text.find(literal.as_str()).map(|at| at + literal.len()),
            Self::WithGaps(gaps) => gaps.find(text),
        }
    }
}

fn fits(gap: Option<char>, c: Option<char>) -> bool {
    c.is_some_and(|c| gap.is_none_or(|gap| gap == c))
}

/// A piece with gaps: `None` is any one character.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Gaps {
    gaps: Vec<Option<char>>,
    /// For each character of the piece, at which positions it may stand: one bit a position.
    positions: HashMap<char, Vec<u64>>,
    /// The same for every other character: the gaps.
    others: Vec<u64>,
}

const BITS: usize = u64::BITS as usize;

impl Gaps {
    fn new(piece: &str) -> Self {
        let gaps: Vec<_> = piece.chars().map(|c| Some(c).filter(|&c| c != '?')).collect();
        let mut others = vec![0; gaps.len().div_ceil(BITS)];
        for (at, _) in gaps.iter().enumerate().filter(|(_, gap)| gap.is_none()) {
            others[at / BITS] |= 1 << (at % BITS);
        }
        let mut positions = HashMap::new();
        for (at, c) in gaps.iter().enumerate().filter_map(|(at, gap)| Some((at, (*gap)?))) {
            let mask = positions.entry(c).or_insert_with(|| others.clone());
            mask[at / BITS] |= 1 << (at % BITS);
        }
        Self { gaps, positions, others }
    }

    /// Where the first occurrence ends. All candidates go through the text together, one bit each, so that no character is
    /// read twice.
    fn find(&self, text: &str) -> Option<usize> {
        let mut states = vec![0_u64; self.others.len()];
        let last = self.gaps.len() - 1;
        for (at, c) in text.char_indices() {
            let mask = self.positions.get(&c).unwrap_or(&self.others);
            let mut carry = 1;
            for (state, mask) in states.iter_mut().zip(mask) {
                let next = *state >> (BITS - 1);
                *state = (*state << 1 | carry) & mask;
                carry = next;
            }
            if states[last / BITS] >> (last % BITS) & 1 == 1 {
                return Some(at + c.len_utf8());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, slowly.
    fn slow(pattern: &[char], text: &[char]) -> bool {
        match (pattern.first(), text.first()) {
            (None, None) => true,
            (Some('*'), _) => {
                slow(&pattern[1..], text) || !text.is_empty() && slow(pattern, &text[1..])
            }
            (Some('?'), Some(_)) => slow(&pattern[1..], &text[1..]),
            (Some(p), Some(c)) if p == c => slow(&pattern[1..], &text[1..]),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn matches_as_defined(pattern in "[ab*?é]{0,8}", text in "[abé]{0,10}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            let fast = Glob::new(&pattern, Wild::StarAndMark).matches(&text);
            prop_assert_eq!(fast, slow(&chars(&pattern), &chars(&text)));
        }
    }

    #[test]
    fn without_the_mark_a_mark_is_a_mark() {
        assert!(Glob::new("a?*", Wild::Star).matches("a?b"));
        assert!(!Glob::new("a?*", Wild::Star).matches("abb"));
        assert!(Glob::folded("GET_*", Wild::Star).matches("get_Issue"));
        assert!(Glob::literal("a*").matches("a*") && !Glob::literal("a*").matches("ab"));
    }

    #[test]
    fn a_long_piece_with_gaps_is_found() {
        let piece = format!("{}?{}", "a".repeat(70), "b".repeat(70));
        let text = format!("aaa{}x{}ccc", "a".repeat(70), "b".repeat(70));
        assert!(Glob::new(&format!("*{piece}*"), Wild::StarAndMark).matches(&text));
        assert!(!Glob::new(&format!("*{piece}b*"), Wild::StarAndMark).matches(&text));
    }

    #[test]
    fn hostile_patterns_cost_little() {
        let text = "a".repeat(20_000);
        assert!(!Glob::new(&("*a".repeat(5_000) + "b"), Wild::Star).matches(&text));
        assert!(
            !Glob::new(&format!("*{}b*", "a?".repeat(1_000)), Wild::StarAndMark).matches(&text)
        );
    }
}
