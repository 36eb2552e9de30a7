//! Where something stands in a file: byte spans, and the lines and columns people count in.
//!
//! Values keep only their [`Span`]; a [`Place`] is worked out when somebody asks for it. So a file with a million tool
//! names costs a million pairs of numbers, and a finding still points at the exact character.

/// A range of bytes in a file's text, after a byte order mark if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Whether `other` lies within this span.
    #[must_use]
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The same as a range, for slicing.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start..self.end
    }
}

/// A [`Span`] with the line and column at which it starts.
///
/// Both count from 1; the column counts characters (Unicode scalar values). A line ends at LF, CRLF or a lone CR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes it covers.
    pub span: Span,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// How many bytes lie between two entries of [`LineIndex::characters`]; what a column costs to count is bounded by it.
const BLOCK: usize = 1024;

/// How many bytes are looked at for an end of line at once.
const CHUNK: usize = 32;

/// Answers which line and column a byte is on, in a time that depends neither on the file's nor on the line's length.
#[derive(Debug, Clone, Default)]
pub(crate) struct LineIndex {
    /// Byte at which each line starts.
    starts: Vec<usize>,
    /// Characters that begin before each multiple of [`BLOCK`]; empty if every character is one byte.
    characters: Vec<usize>,
}

impl LineIndex {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        // Several bytes at once are looked at for an end of line before each of them is.
        for (start, chunk) in (0..).step_by(CHUNK).zip(bytes.chunks(CHUNK)) {
            if chunk.iter().fold(false, |any, &byte| any | (byte == b'\n') | (byte == b'\r')) {
                let ends = (start..).zip(chunk).filter(|&(at, &byte)| ends_line(byte, at, bytes));
                starts.extend(ends.map(|(at, _)| at + 1));
            }
        }
        Self { starts, characters: blocks(bytes) }
    }

    /// The place of `span` in `text`, which must be the text the index was made of.
    pub(crate) fn place(&self, text: &str, span: Span) -> Place {
        let line = self.starts.partition_point(|&start| start <= span.start);
        let start = line.checked_sub(1).and_then(|line| self.starts.get(line)).copied();
        let before = self.characters_before(text, span.start);
        let column = before - self.characters_before(text, start.unwrap_or(0)) + 1;
        Place { line, column, span }
    }

    fn characters_before(&self, text: &str, byte: usize) -> usize {
        let Some(&counted) = self.characters.get(byte / BLOCK) else { return byte };
        let block = byte - byte % BLOCK;
        counted + text.as_bytes().get(block..byte).map_or(0, count_characters)
    }
}

/// Of CRLF it is the LF that ends the line.
fn ends_line(byte: u8, at: usize, bytes: &[u8]) -> bool {
    byte == b'\n' || (byte == b'\r' && bytes.get(at + 1) != Some(&b'\n'))
}

fn blocks(bytes: &[u8]) -> Vec<usize> {
    if bytes.is_ascii() {
        return Vec::new();
    }
    let mut before = 0;
    let mut blocks = Vec::with_capacity(bytes.len() / BLOCK + 2);
    for block in bytes.chunks(BLOCK) {
        blocks.push(before);
        before += count_characters(block);
    }
    blocks.push(before);
    blocks
}

/// UTF-8 continuation bytes begin no character.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0b1100_0000 != 0b1000_0000).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, slowly.
    fn counted(text: &str, at: usize) -> (usize, usize) {
        let before = &text[..at];
        let unified = before.replace("\r\n", "\n").replace('\r', "\n");
        let line = unified.matches('\n').count() + 1;
        (line, unified.rsplit('\n').next().unwrap_or_default().chars().count() + 1)
    }

    #[test]
    fn lines_and_columns_are_those_one_counts_by_hand() {
        let long = format!("{}\n\u{1F600}é{}\r\nx\ry", "ä".repeat(3000), "z".repeat(5000));
        for text in ["", "a", "a\nb", "a\r\nb\rc", "é\u{200b}\n\u{1F600}x", &long] {
            let index = LineIndex::new(text);
            for (at, _) in text.char_indices().filter(|(at, _)| !text[..*at].ends_with('\r')) {
                let place = index.place(text, Span::new(at, at));
                assert_eq!((place.line, place.column), counted(text, at), "{text:.20?} at {at}");
            }
        }
    }

    #[test]
    fn the_end_of_the_text_has_a_place() {
        let index = LineIndex::new("ab\n");
        assert_eq!(index.place("ab\n", Span::new(3, 3)).to_string(), "2:1");
    }
}
