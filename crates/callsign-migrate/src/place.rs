use std::fmt;

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Counted from 1.
    pub line: usize,
    /// Counted from 1, in characters.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Turns offsets into places, in ascending order; each byte of the text is looked at once.
#[derive(Debug)]
pub struct Places<'t> {
    text: &'t [u8],
    line: usize,
    line_start: usize,
    /// Up to here, with `columns` characters since the line's start.
    counted: usize,
    columns: usize,
}

impl<'t> Places<'t> {
    /// The places of a text.
    #[must_use]
    pub fn new(text: &'t [u8]) -> Self {
        Self { text, line: 1, line_start: 0, counted: 0, columns: 0 }
    }

    /// The place of an offset that is not before the last one asked for.
    pub fn of(&mut self, offset: usize) -> Place {
        let offset = offset.clamp(self.counted, self.text.len().max(self.counted));
        let new = self.text.get(self.counted..offset).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', new).count();
        if let Some(end) = memchr::memrchr(b'\n', new) {
            self.line += lines;
            self.line_start = self.counted + end + 1;
            self.columns = 0;
        }
        let from = self.counted.max(self.line_start);
        let of_line = self.text.get(from..offset).unwrap_or_default();
        // Bytes that continue a character count nothing.
        self.columns += of_line.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        self.counted = offset;
        Place { line: self.line, column: self.columns + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_with_line_feeds() {
        let text = "aé b\r\n\nc d".as_bytes();
        let mut places = Places::new(text);
        let shown: Vec<String> =
            [0, 3, 4, 7, 8, 10].map(|offset| places.of(offset).to_string()).into();
        assert_eq!(shown, ["1:1", "1:3", "1:4", "2:1", "3:1", "3:3"]);
    }
}
