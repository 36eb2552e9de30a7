//! JSON lines: one value in, one value out, in order.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Longest line that is read, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// A line of standard input that is not blank, without the white space around it.
pub(crate) struct Line<'a> {
    /// Counted from 1.
    pub(crate) number: usize,
    /// Or why it is no text.
    pub(crate) text: Result<&'a str, &'static str>,
}

/// Answers each line as soon as it is read, so that another program can ask and wait.
pub(crate) fn answer<T: Serialize>(mut answer: impl FnMut(Line<'_>) -> T) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    each(|line, is_last_for_now| {
        write_line(&mut out, &answer(line))?;
        if is_last_for_now { out.flush() } else { Ok(()) }
    })?;
    Ok(out.flush()?)
}

/// Reads all lines, for answers that depend on lines still to come.
pub(crate) fn read<T>(mut value: impl FnMut(Line<'_>) -> T) -> Result<Vec<T>, Failure> {
    let mut values = Vec::new();
    each(|line, _| {
        values.push(value(line));
        Ok(())
    })?;
    Ok(values)
}

/// Writes values to standard output, one a line.
pub(crate) fn write(values: impl IntoIterator<Item = impl Serialize>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    for value in values {
        write_line(&mut out, &value)?;
    }
    Ok(out.flush()?)
}

fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// Shows every line, and whether reading the next one may have to wait.
fn each(mut show: impl FnMut(Line<'_>, bool) -> io::Result<()>) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(64 * 1024, io::stdin().lock());
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let unreadable =
            |what: String| Failure::new(format!("standard input, line {number}: {what}"));
        (&mut input)
            .take(LONGEST + 1)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| unreadable(error.to_string()))?;
        if bytes.is_empty() {
            break;
        }
        if bytes.len() as u64 > LONGEST {
            return Err(unreadable(format!("longer than {LONGEST} bytes")));
        }
        let text = std::str::from_utf8(&bytes).map(str::trim).map_err(|_| "it is not UTF-8");
        if text != Ok("") {
            show(Line { number, text }, input.buffer().is_empty())?;
        }
    }
    Ok(())
}
