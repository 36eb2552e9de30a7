//! Where a tool's own name, which may be an ordinary word (`search`), is certainly meant as a name.

/// Where the line begins that a place is in, for places in ascending order: each byte is looked at once.
#[derive(Debug, Default)]
pub(crate) struct LineStart {
    start: usize,
    seen: usize,
}

impl LineStart {
    pub(crate) fn of(&mut self, text: &[u8], at: usize) -> usize {
        let new = text.get(self.seen..at).unwrap_or_default();
        if let Some(end) = memchr::memrchr2(b'\n', b'\r', new) {
            self.start = self.seen + end + 1;
        }
        self.seen = self.seen.max(at);
        self.start
    }
}

/// Whether the text stands alone between equal quotes or backticks, as a whole list item, or in a list of tools
/// (`tools: search, read_file`). `line` is where its line begins.
pub(crate) fn is_set_apart(text: &[u8], line: usize, start: usize, end: usize) -> bool {
    let line = &text[line..start];
    is_quoted(text, start, end) || is_list_item(text, line, end) || is_listed(text, line, end)
}

/// `"search"`, `` `search` ``, `\"search\"` in a string, `` `search(query)` ``.
pub(crate) fn is_quoted(text: &[u8], start: usize, end: usize) -> bool {
    let Some(quote) = text[..start].last().filter(|byte| b"\"'`".contains(byte)) else {
        return false;
    };
    match &text[end..] {
        [next, ..] if next == quote => true,
        [b'(', ..] => true,
        [b'\\', next, ..] if next == quote => text[..start - 1].ends_with(b"\\"),
        _ => false,
    }
}

/// `- search` and nothing else in the line but a comment.
fn is_list_item(text: &[u8], line: &[u8], end: usize) -> bool {
    let rest = line_after(text, end).trim_ascii_start();
    line.last().is_some_and(u8::is_ascii_whitespace)
        && is_marker(line.trim_ascii_end())
        && (rest.is_empty() || (rest.starts_with(b"#") && text[end].is_ascii_whitespace()))
}

/// Whether a line is nothing but `-` or `12.`. Read from its end, so that of a long line only a little is looked at.
fn is_marker(line: &[u8]) -> bool {
    // As many as CommonMark has in a number.
    const DIGITS: usize = 9;
    let before = match line {
        [before @ .., b'-' | b'*' | b'+'] => before,
        [before @ .., b'.' | b')'] => {
            let digits = before.iter().rev().take(DIGITS).take_while(|b| b.is_ascii_digit());
            match digits.count() {
                0 => return false,
                digits => &before[..before.len() - digits],
            }
        }
        _ => return false,
    };
    before.trim_ascii_end().is_empty()
}

/// One whole item of `tools: a, b` or `allowed-tools = [a, b]`: a key that speaks of tools, and items between commas.
fn is_listed(text: &[u8], line: &[u8], end: usize) -> bool {
    const LONGEST_KEY: usize = 128;
    let separator = |byte: &u8| matches!(byte, b':' | b'=');
    let Some(colon) = line.iter().take(LONGEST_KEY).position(separator) else { return false };
    let (key, items) = (line[..colon].trim_ascii(), &line[colon + 1..]);
    let of_key = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.\"'".contains(byte);
    let speaks_of_tools = key.to_ascii_lowercase().windows(4).any(|word| word == b"tool");
    let opens = items.trim_ascii_end().last().is_none_or(|byte| matches!(byte, b',' | b'['));
    let rest = line_after(text, end).trim_ascii_start();
    let closes = rest.first().is_none_or(|byte| matches!(byte, b',' | b']'));
    speaks_of_tools && key.iter().all(of_key) && opens && closes
}

fn line_after(text: &[u8], end: usize) -> &[u8] {
    let near = &text[end..text.len().min(end + 256)];
    let stop = memchr::memchr2(b'\n', b'\r', near).unwrap_or(near.len());
    &near[..stop]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(text: &str) -> bool {
        let start = text.find("search").unwrap();
        let line = LineStart::default().of(text.as_bytes(), start);
        is_set_apart(text.as_bytes(), line, start, start + "search".len())
    }

    #[test]
    fn quotes_code_spans_and_lists_set_a_name_apart() {
        for text in [
            "\"search\"",
            "call `search` first",
            "`search(query)`",
            "'search': 1",
            "{\\\"name\\\": \\\"search\\\"}",
            "- search",
            "tools:\n  - search\r\n  - b",
            "  * search  # finds",
            "2. search\n",
            "tools: search",
            "tools: read_file, search\n",
            "allowed-tools: [search, b]",
            "enabledTools = [ a, search ]",
        ] {
            assert!(apart(text), "{text}");
        }
    }

    #[test]
    fn a_word_in_a_sentence_or_in_code_is_a_word() {
        for text in [
            "search the web",
            "\"search the web\"",
            "- search the web",
            "- search: finds",
            "mode: search",
            "tools: search the web",
            "the tools: they search, then stop",
            "def search(query):",
            "search(x)",
            "x = search",
            "search's",
            "'search\"",
            "- search#x",
            "a - search",
        ] {
            assert!(!apart(text), "{text}");
        }
    }
}
