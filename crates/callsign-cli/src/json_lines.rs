//! JSON lines: one value in, one value out, in order.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

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

/// Why a line has no answer.
#[derive(Debug, Serialize)]
pub(crate) struct LineError {
    /// What a program can go by: `invalid-input`.
    kind: &'static str,
    message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    help: String,
}

impl LineError {
    pub(crate) fn new(kind: &'static str, message: String, help: impl Into<String>) -> Self {
        Self { kind, message, help: help.into() }
    }
}

/// `{"error":{…}}`, for an answer that is otherwise without a tag.
pub(crate) fn as_error<S: Serializer>(error: &LineError, to: S) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry("error", error)?;
    map.end()
}

/// Reads the value of a line; `shape` says in its error what a line is.
pub(crate) fn parse<'l, T: Deserialize<'l>>(line: &Line<'l>, shape: &str) -> Result<T, LineError> {
    let number = line.number;
    let invalid = |message| LineError::new("invalid-input", message, shape);
    let text = line.text.map_err(|what| invalid(format!("line {number}: {what}")))?;
    serde_json::from_str(text).map_err(|error| invalid(unreadable(number, &error)))
}

/// What is wrong with a line. The parser sees one line at a time and counts it as the first; the place is that in the
/// input.
pub(crate) fn unreadable(number: usize, error: &serde_json::Error) -> String {
    let (what, column) = (without_place(error), error.column());
    let surrogate = match what.contains("surrogate") || what.contains("hex escape") {
        true => "; half of a surrogate pair is no character",
        false => "",
    };
    format!("line {number}, column {column}: {what}{surrogate}")
}

/// What is wrong, without where: the parser of a part counts from the part's beginning.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.rsplit_once(" at line ").map_or(said.clone(), |(what, _)| what.to_owned())
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
