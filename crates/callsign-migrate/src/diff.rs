use std::path::Path;

use crate::scan::{Edit, Scan};

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// The edits of a text as a unified diff that `git apply` and `patch -p1` take; nothing without edits.
///
/// Where the lines differ is known from the edits, so nothing is compared and the diff is always the smallest. Bytes are
/// shown as they are, whatever their encoding.
#[must_use]
pub fn unified(path: &Path, text: &[u8], scan: &Scan) -> Vec<u8> {
    let mut out = Vec::new();
    let changes = changed_lines(text, &scan.edits);
    if changes.is_empty() {
        return out;
    }
    header(&mut out, b"--- ", b"a", path);
    header(&mut out, b"+++ ", b"b", path);
    let lines = Lines::new(text);
    let mut rest = &changes[..];
    while let Some(first) = rest.first() {
        let apart = |pair: &[Change<'_>]| pair[1].line - pair[0].line > 2 * CONTEXT + 1;
        let count = rest.windows(2).position(apart).map_or(rest.len(), |at| at + 1);
        let (hunk, later) = rest.split_at(count);
        let last = hunk.last().map_or(first.line, |change| change.line);
        push_hunk(&mut out, &lines, first.line, last, hunk);
        rest = later;
    }
    out
}

/// One changed line: its number, counted from 0, and its edits.
struct Change<'e> {
    line: usize,
    edits: &'e [Edit],
}

fn changed_lines<'e>(text: &[u8], edits: &'e [Edit]) -> Vec<Change<'e>> {
    let mut changes: Vec<Change<'e>> = Vec::new();
    let (mut line, mut seen, mut first) = (0, 0, 0);
    for (index, edit) in edits.iter().enumerate() {
        let ends = memchr::memchr_iter(b'\n', text.get(seen..edit.start).unwrap_or_default());
        line += ends.count();
        seen = edit.start;
        match changes.last_mut() {
            Some(last) if last.line == line => last.edits = &edits[first..=index],
            _ => {
                first = index;
                changes.push(Change { line, edits: &edits[index..=index] });
            }
        }
    }
    changes
}

/// The lines of a text, each with its end.
struct Lines<'t> {
    text: &'t [u8],
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn new(text: &'t [u8]) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text).map(|end| end + 1));
        starts.retain(|start| *start < text.len());
        Self { text, starts }
    }

    fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    fn get(&self, line: usize) -> &'t [u8] {
        &self.text[self.start(line)..self.start(line + 1)]
    }
}

fn push_hunk(
    out: &mut Vec<u8>,
    lines: &Lines<'_>,
    first: usize,
    last: usize,
    changes: &[Change<'_>],
) {
    let begin = first.saturating_sub(CONTEXT);
    let end = (last + 1 + CONTEXT).min(lines.starts.len());
    let count = end - begin;
    let range = format!("@@ -{0},{count} +{0},{count} @@\n", begin + 1);
    out.extend_from_slice(range.as_bytes());
    let mut line = begin;
    let mut changes = changes;
    while line < end {
        let together = changes
            .iter()
            .enumerate()
            .take_while(|(index, change)| change.line == line + index)
            .count();
        if together == 0 {
            push_line(out, b' ', lines.get(line));
            line += 1;
            continue;
        }
        let (run, later) = changes.split_at(together);
        for change in run {
            push_line(out, b'-', lines.get(change.line));
        }
        for change in run {
            push_line(out, b'+', &edited(lines, change));
        }
        line += together;
        changes = later;
    }
}

fn edited(lines: &Lines<'_>, change: &Change<'_>) -> Vec<u8> {
    let (start, end) = (lines.start(change.line), lines.start(change.line + 1));
    let mut new = Vec::new();
    let mut done = start;
    for edit in change.edits {
        new.extend_from_slice(&lines.text[done..edit.start]);
        new.extend_from_slice(edit.to.as_bytes());
        done = edit.end;
    }
    new.extend_from_slice(&lines.text[done..end]);
    new
}

fn push_line(out: &mut Vec<u8>, sign: u8, line: &[u8]) {
    out.push(sign);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

fn header(out: &mut Vec<u8>, sign: &[u8], side: &[u8], path: &Path) {
    let path = path.strip_prefix(".").unwrap_or(path);
    let separator: &[u8] = if path.is_absolute() { b"" } else { b"/" };
    let whole = [side, separator, path.as_os_str().as_encoded_bytes()].concat();
    out.extend_from_slice(sign);
    let needs_quotes = |byte: &u8| byte.is_ascii_control() || matches!(byte, b'"' | b'\\');
    if whole.iter().any(needs_quotes) || std::str::from_utf8(&whole).is_err() {
        out.push(b'"');
        for byte in whole {
            match byte {
                b'"' | b'\\' => out.extend([b'\\', byte]),
                0x20..0x7f => out.push(byte),
                _ => out.extend(format!("\\{byte:03o}").bytes()),
            }
        }
        out.push(b'"');
    } else {
        out.extend_from_slice(&whole);
        if whole.contains(&b' ') {
            // As git writes it: else `patch` takes what follows the space for a date.
            out.push(b'\t');
        }
    }
    out.push(b'\n');
}
