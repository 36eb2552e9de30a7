//! `callsign history fix`: tool names in stored requests and conversations made legal again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};

use callsign::history::{self, Change, Edit, Note, Provider, Repair};
use clap::{Args, Subcommand};
use serde::Serialize;

use crate::arguments::Format;
use crate::command::Verbosity;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::output::{self, DIM, HEADING, NAME, WARNING, count, escaped};
use crate::replace::replace;

#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make illegal tool names in stored OpenAI, Anthropic and Gemini requests legal, and nothing else different.
    ///
    /// Names change, and a definition that stands twice in one list, the same byte for byte, stands once afterwards; every
    /// other byte stays. What only would be the same after a change of name stays and is told of. A file is one JSON document, an array of them, or one on each line. Without --write or --check the repaired text goes to
    /// standard output and the report to standard error.
    Fix(Fix),
}

#[derive(Debug, Args)]
struct Fix {
    /// Files with stored requests or conversations; `-` is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Replace the files.
    #[arg(long, conflicts_with = "check")]
    write: bool,
    /// Write nothing, and end with status 1 if something would change.
    #[arg(long)]
    check: bool,
    /// Whose requests they are [default: told from the content].
    #[arg(long, value_name = "PROVIDER", value_parser = Provider::ALL.map(Provider::id))]
    provider: Option<String>,
    /// The format of the report.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let Action::Fix(arguments) = &arguments.action;
    let provider = arguments.provider.as_deref().and_then(Provider::by_id);
    refuse_what_makes_no_sense(arguments)?;
    let stored = arguments.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
    // All are read and understood before the first is written.
    let repairs = stored
        .iter()
        .map(|stored| Ok((stored, repair(stored, provider)?)))
        .collect::<Result<Vec<_>, Failure>>()?;
    let mut outcomes = Vec::new();
    for (stored, repair) in repairs {
        let written = match arguments.write && !repair.is_empty() {
            true => write(stored, &repair),
            false => Ok(false),
        };
        outcomes.push(Outcome { stored, repair, written });
    }
    let report = match arguments.format {
        Format::Human => human(&outcomes, arguments, verbosity),
        Format::Json => json(&outcomes)?,
    };
    match (arguments.write || arguments.check, arguments.format) {
        (true, Format::Human) => output::print(&report)?,
        (true, Format::Json) => output::print_json(&report)?,
        (false, _) => {
            for outcome in &outcomes {
                output::print_json(&outcome.repair.apply())?;
            }
            output::print_error(&report);
        }
    }
    Ok(status(&outcomes, arguments))
}

/// What came of one file.
struct Outcome<'a> {
    stored: &'a Stored,
    repair: Repair<'a>,
    /// Whether it was replaced, or why that failed.
    written: Result<bool, Failure>,
}

fn status(outcomes: &[Outcome<'_>], arguments: &Fix) -> Status {
    let failures = outcomes.iter().filter_map(|outcome| outcome.written.as_ref().err());
    // The others are replaced all the same, and the report says which.
    if failures.inspect(|failure| failure.print()).count() > 0 {
        return exit::FAILURE;
    }
    let would_change = outcomes.iter().any(|outcome| !outcome.repair.is_empty());
    if arguments.check && would_change { exit::FINDINGS } else { exit::SUCCESS }
}

fn refuse_what_makes_no_sense(arguments: &Fix) -> Result<(), Failure> {
    if arguments.write && arguments.files.iter().any(|file| is_standard_input(file)) {
        return Err(Failure::with_remedy(
            "standard input can't be written to",
            "leave out --write, and the result goes to standard output",
        ));
    }
    if arguments.files.len() > 1 && !arguments.write && !arguments.check {
        return Err(Failure::with_remedy(
            "several files can't go to standard output",
            "add --write or --check, or give one file",
        ));
    }
    Ok(())
}

/// A file as it was read.
struct Stored {
    path: PathBuf,
    text: String,
}

impl Stored {
    fn shown(&self) -> String {
        shown(&self.path)
    }
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

fn shown(path: &Path) -> String {
    if is_standard_input(path) { "standard input".into() } else { path.display().to_string() }
}

fn read(path: &Path) -> Result<Stored, Failure> {
    let bytes = if is_standard_input(path) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    let bytes = bytes.map_err(|error| {
        Failure::with_remedy(
            format!("{}: {error}", shown(path)),
            "give a file with a stored request or conversation, or `-`",
        )
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let read = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = read.iter().filter(|byte| **byte == b'\n').count() + 1;
        Failure::with_remedy(
            format!("{}: line {line}: it is not UTF-8 text", shown(path)),
            "save it as UTF-8; nothing was changed",
        )
    })?;
    Ok(Stored { path: path.to_owned(), text })
}

fn repair(stored: &Stored, provider: Option<Provider>) -> Result<Repair<'_>, Failure> {
    history::fix(&stored.text, provider).map_err(|error| {
        Failure::with_remedy(format!("{}: {error}", stored.shown()), error.remedy())
    })
}

fn write(stored: &Stored, repair: &Repair<'_>) -> Result<bool, Failure> {
    let replaced = replace(&stored.path, stored.text.as_bytes(), repair.apply().as_bytes());
    replaced.map(|()| true).map_err(|error| {
        Failure::with_remedy(format!("can't replace {}: {error}", stored.shown()), error.remedy())
    })
}

fn human(outcomes: &[Outcome<'_>], arguments: &Fix, verbosity: Verbosity) -> String {
    let mut text = String::new();
    for outcome in outcomes {
        let file = escaped(&outcome.stored.shown());
        if !verbosity.quiet {
            push_edits(&mut text, &file, &outcome.repair.edits, verbosity.verbose);
            push_notes(&mut text, &file, &outcome.repair.notes);
        }
        if !verbosity.quiet || arguments.check || arguments.write {
            let _ = writeln!(text, "{HEADING}{file}{HEADING:#}: {}", summary(outcome, arguments));
        }
    }
    text
}

fn summary(Outcome { repair, written, .. }: &Outcome<'_>, arguments: &Fix) -> String {
    let names = count(repair.names, "tool name");
    let documents = count(repair.documents, "document");
    let done = match written {
        _ if repair.is_empty() => "",
        Err(_) => " not made",
        Ok(_) if arguments.check => " to make",
        Ok(_) => " made",
    };
    format!("{}{done}; {names} in {documents}", count(repair.edits.len(), "change"))
}

/// Each change once, with its first place and the number of the others.
fn push_edits(text: &mut String, file: &str, edits: &[Edit], all_places: bool) {
    let mut places: BTreeMap<&Change, Vec<&Edit>> = BTreeMap::new();
    for edit in edits {
        places.entry(&edit.change).or_default().push(edit);
    }
    let mut changes: Vec<(&Change, Vec<&Edit>)> = places.into_iter().collect();
    changes.sort_by_key(|(_, edits)| edits[0].span.start);
    for (change, edits) in changes {
        let _ = writeln!(text, "{NAME}{}{NAME:#}", escaped(&change.to_string()));
        let shown = if all_places { edits.len() } else { 1 };
        for edit in edits.iter().take(shown) {
            let place = &edit.place;
            let (line, column, field) = (place.line, place.column, escaped(&place.field));
            let _ = write!(text, "  {DIM}{file}:{line}:{column}{DIM:#} {field}");
            text.push('\n');
        }
        if edits.len() > shown {
            let more = count(edits.len() - shown, "more place");
            let _ = writeln!(text, "  and {more}");
        }
    }
}

fn push_notes(text: &mut String, file: &str, notes: &[Note]) {
    for note in notes {
        let place = &note.place;
        let (line, column, field) = (place.line, place.column, escaped(&place.field));
        let said = escaped(&note.remark.to_string());
        let _ = writeln!(text, "{WARNING}note{WARNING:#}: {said}");
        let times = match note.times {
            1 => String::new(),
            more => format!(" and {}", count(more - 1, "more place")),
        };
        let _ = writeln!(text, "  {DIM}{file}:{line}:{column}{DIM:#} {field}{times}");
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    file: String,
    written: bool,
    documents: usize,
    names: usize,
    edits: Vec<JsonEdit<'a>>,
    notes: Vec<JsonNote<'a>>,
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    line: usize,
    column: usize,
    field: &'a str,
    change: &'static str,
    old: &'a str,
    new: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonNote<'a> {
    line: usize,
    column: usize,
    field: &'a str,
    times: usize,
    kind: &'static str,
    name: Option<&'a str>,
    message: String,
}

fn json(outcomes: &[Outcome<'_>]) -> Result<String, Failure> {
    let files = outcomes.iter().map(|Outcome { stored, repair, written }| File {
        file: stored.path.to_string_lossy().into_owned(),
        written: matches!(written, Ok(true)),
        documents: repair.documents,
        names: repair.names,
        edits: repair.edits.iter().map(json_edit).collect(),
        notes: repair.notes.iter().map(json_note).collect(),
    });
    output::json(&Document { version: 1, files: files.collect() })
}

fn json_edit(edit: &Edit) -> JsonEdit<'_> {
    let (change, old, new) = match &edit.change {
        Change::Renamed { old, new } => ("renamed", old, Some(new.as_str())),
        Change::Removed { name } => ("removed", name, None),
    };
    let place = &edit.place;
    JsonEdit { line: place.line, column: place.column, field: &place.field, change, old, new }
}

fn json_note(note: &Note) -> JsonNote<'_> {
    JsonNote {
        line: note.place.line,
        column: note.place.column,
        field: &note.place.field,
        times: note.times,
        kind: note.remark.kind(),
        name: note.remark.name(),
        message: note.remark.to_string(),
    }
}
