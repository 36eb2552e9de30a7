//! JSON lines: one value in, one value out, in order.

use std::io::{self, BufRead, BufWriter, Write};

use serde::Serialize;

use crate::failure::Failure;

/// Longest line that is read, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Reads standard input line by line; a blank line is skipped.
pub(crate) fn read<T>(mut value: impl FnMut(&str) -> T) -> Result<Vec<T>, Failure> {
    let mut input = io::stdin().lock();
    let mut values = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let unreadable =
            |what: String| Failure::new(format!("standard input, line {number}: {what}"));
        io::Read::take(&mut input, LONGEST + 1)
            .read_until(b'\n', &mut line)
            .map_err(|error| unreadable(error.to_string()))?;
        if line.is_empty() {
            break;
        }
        if line.len() as u64 > LONGEST {
            return Err(unreadable(format!("longer than {LONGEST} bytes")));
        }
        let text = std::str::from_utf8(&line).map_err(|_| unreadable("not UTF-8".into()))?.trim();
        if !text.is_empty() {
            values.push(value(text));
        }
    }
    Ok(values)
}

/// Writes values to standard output, one a line.
pub(crate) fn write(values: impl IntoIterator<Item = impl Serialize>) -> Result<(), Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    for value in values {
        serde_json::to_writer(&mut out, &value).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}
