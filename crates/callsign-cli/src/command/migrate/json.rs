//! The result for machines; docs/json.md describes it.

use callsign_migrate::{Claimant, Edit, Left, Place, Places, Subject, Surveyed};
use serde::Serialize;

use super::{Outcome, Written};
use crate::failure::Failure;
use crate::output;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    from: &'a str,
    to: &'a str,
    files: Vec<File<'a>>,
    skipped: Vec<Skipped>,
    unchecked: Vec<Unchecked<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct File<'a> {
    file: String,
    status: &'static str,
    error: Option<String>,
    backup: Option<String>,
    edits: Vec<Replacement<'a>>,
    left: Vec<Stays<'a>>,
}

#[derive(Serialize)]
struct Replacement<'a> {
    location: Location,
    old: String,
    new: &'a str,
    kind: &'static str,
    server: Option<&'a str>,
    wire: Option<&'a str>,
}

#[derive(Serialize)]
struct Stays<'a> {
    location: Location,
    text: String,
    reason: &'static str,
    message: String,
    claimants: Vec<Claims<'a>>,
}

#[derive(Serialize)]
struct Claims<'a> {
    server: &'a str,
    wire: Option<&'a str>,
}

#[derive(Serialize)]
struct Location {
    file: String,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct Skipped {
    file: String,
    reason: String,
}

#[derive(Serialize)]
struct Unchecked<'a> {
    server: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct Summary {
    searched: usize,
    changing: usize,
    written: usize,
    edits: usize,
    left: usize,
    words: usize,
}

pub(super) fn print(outcome: &Outcome<'_>) -> Result<(), Failure> {
    let survey = outcome.survey;
    let files = survey.files.iter().zip(&outcome.files);
    let skipped = survey.skipped.iter().map(|skipped| Skipped {
        file: skipped.path.to_string_lossy().into_owned(),
        reason: skipped.why.to_string(),
    });
    let unchecked = outcome.known.iter().filter_map(|known| {
        let reason = &known.catalogue.as_ref().err()?.reason;
        Some(Unchecked { server: &known.chosen.entry.key, reason })
    });
    let document = Document {
        version: 1,
        from: &outcome.arguments.from,
        to: &outcome.arguments.to,
        files: files.map(|(file, written)| described(file, written)).collect(),
        skipped: skipped.collect(),
        unchecked: unchecked.collect(),
        summary: Summary {
            searched: survey.searched,
            changing: outcome.changing(),
            written: outcome.written(),
            edits: outcome.edits(),
            left: outcome.left(),
            words: survey.words,
        },
    };
    Ok(output::print_json(&output::json(&document)?)?)
}

fn described<'a>(file: &'a Surveyed, written: &Written) -> File<'a> {
    let (status, error, backup) = match written {
        Written::Done { backup } => ("written", None, backup.as_deref()),
        Written::Failed(error) => ("failed", Some(error.to_string()), None),
        Written::No if file.scan.edits.is_empty() => ("unchanged", None, None),
        Written::No => ("would-change", None, None),
    };
    let (mut edits, mut left) = (Places::new(&file.text), Places::new(&file.text));
    File {
        file: file.path.to_string_lossy().into_owned(),
        status,
        error,
        backup: backup.map(|path| path.to_string_lossy().into_owned()),
        edits: file.scan.edits.iter().map(|e| replacement(file, e, edits.of(e.start))).collect(),
        left: file.scan.left.iter().map(|l| stays(file, l, left.of(l.start))).collect(),
    }
}

fn replacement<'a>(file: &Surveyed, edit: &'a Edit, place: Place) -> Replacement<'a> {
    let (kind, server, wire) = match &edit.subject {
        Subject::Tool(id) => ("tool", Some(id.server()), Some(id.wire().as_str())),
        Subject::Server(key) => ("server", Some(key), None),
        Subject::Tools(key) => ("tools", Some(key), None),
        _ => ("everything", None, None),
    };
    let server = server.map(callsign::ServerKey::as_str);
    let old = quoted(file, edit.start, edit.end);
    Replacement { location: location(file, place), old, new: &edit.to, kind, server, wire }
}

fn stays<'a>(file: &Surveyed, left: &'a Left, place: Place) -> Stays<'a> {
    let claims =
        |claimant: &'a Claimant| Claims { server: claimant.server(), wire: claimant.wire() };
    Stays {
        location: location(file, place),
        text: quoted(file, left.start, left.end),
        reason: left.reason.kind(),
        message: left.reason.to_string(),
        claimants: left.reason.claimants().iter().map(claims).collect(),
    }
}

fn location(file: &Surveyed, place: Place) -> Location {
    let Place { line, column } = place;
    Location { file: file.path.to_string_lossy().into_owned(), line, column }
}

fn quoted(file: &Surveyed, start: usize, end: usize) -> String {
    String::from_utf8_lossy(file.text.get(start..end).unwrap_or_default()).into_owned()
}
