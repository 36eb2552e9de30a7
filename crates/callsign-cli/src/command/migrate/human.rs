//! The result for people: the diff, or the files that were written; what is left and why goes to standard error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::IsTerminal as _;

use anstyle::{AnsiColor, Style};
use callsign_migrate::{Place, Places, Skip, Surveyed, unified};

use super::{Outcome, Written};
use crate::command::Verbosity;
use crate::failure::Failure;
use crate::output::{self, DIM, ERROR, HEADING, HELP, WARNING, count, escaped, is_visible};

const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const RANGE: Style = AnsiColor::Cyan.on_default();

/// So many places are shown of one thing that is left.
const PLACES: usize = 3;

pub(super) fn print(outcome: &Outcome<'_>, verbosity: Verbosity) -> Result<(), Failure> {
    match outcome.arguments.write {
        true => output::print(&written(outcome))?,
        false => print_diffs(outcome)?,
    }
    output::print_error(&failures(outcome));
    if !verbosity.quiet {
        let told = left(outcome, verbosity) + &skipped(outcome) + &unknown(outcome);
        output::print_error(&(told + &summary(outcome)));
    }
    Ok(())
}

fn print_diffs(outcome: &Outcome<'_>) -> Result<(), Failure> {
    let (colored, terminal) = (output::is_colored(), std::io::stdout().is_terminal());
    for file in &outcome.survey.files {
        let diff = unified(&file.path, &file.text, &file.scan);
        if colored || terminal {
            output::print_bytes(shown(&diff, colored, terminal).as_bytes())?;
        } else {
            output::print_bytes(&diff)?;
        }
    }
    Ok(())
}

/// A diff for eyes: coloured, and on a terminal with nothing in it that could steer it.
fn shown(diff: &[u8], colored: bool, terminal: bool) -> String {
    let mut out = String::with_capacity(diff.len() * 2);
    for (index, line) in diff.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let style = match line.first() {
            _ if index < 2 => HEADING,
            Some(b'-') => REMOVED,
            Some(b'+') => ADDED,
            Some(b'@') => RANGE,
            Some(b'\\') => DIM,
            _ => Style::new(),
        };
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches(['\n', '\r']);
        let line = if terminal { tame(line) } else { line.to_owned() };
        let _ = match colored {
            true => writeln!(out, "{style}{line}{style:#}"),
            false => writeln!(out, "{line}"),
        };
    }
    out
}

fn tame(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match c == '\t' || is_visible(c) {
            true => out.push(c),
            false => out.extend(c.escape_debug()),
        }
    }
    out
}

fn written(outcome: &Outcome<'_>) -> String {
    let mut text = String::new();
    for (file, written) in outcome.survey.files.iter().zip(&outcome.files) {
        let Written::Done { backup } = written else { continue };
        let names = count(file.scan.edits.len(), "name");
        let _ = write!(text, "{}: {names}", path_of(file));
        if let Some(backup) = backup {
            let name = backup.file_name().unwrap_or_default();
            let _ = write!(text, "{DIM}, before in {}{DIM:#}", escaped(&name.to_string_lossy()));
        }
        text.push('\n');
    }
    text
}

fn path_of(file: &Surveyed) -> String {
    escaped(&file.path.to_string_lossy())
}

fn failures(outcome: &Outcome<'_>) -> String {
    let mut text = String::new();
    let mut remedies: Vec<&str> = Vec::new();
    for written in &outcome.files {
        let Written::Failed(error) = written else { continue };
        let _ = writeln!(text, "{ERROR}error{ERROR:#}: {}", escaped(&error.to_string()));
        remedies.push(error.remedy());
    }
    if remedies.is_empty() {
        return text;
    }
    remedies.sort_unstable();
    remedies.dedup();
    for remedy in remedies {
        let _ = writeln!(text, "{HELP}help{HELP:#}: {remedy}");
    }
    let _ = match outcome.written() {
        0 => writeln!(text, "nothing was written"),
        some => writeln!(
            text,
            "{} written, as listed; the others are as they were",
            count(some, "file")
        ),
    };
    text
}

/// What is left, each text and reason once, with where.
fn left(outcome: &Outcome<'_>, verbosity: Verbosity) -> String {
    let mut kinds = BTreeMap::<(String, String), Vec<(String, Place)>>::new();
    for file in &outcome.survey.files {
        let mut places = Places::new(&file.text);
        for left in &file.scan.left {
            let text = file.text.get(left.start..left.end).unwrap_or_default();
            let kind = (String::from_utf8_lossy(text).into_owned(), left.reason.to_string());
            kinds.entry(kind).or_default().push((path_of(file), places.of(left.start)));
        }
    }
    let mut told = String::new();
    for ((text, reason), places) in kinds {
        let shown = if verbosity.verbose { places.len() } else { PLACES };
        let mut at: Vec<String> =
            places.iter().take(shown).map(|(path, place)| format!("{path}:{place}")).collect();
        if places.len() > shown {
            at.push(format!("{} more", places.len() - shown));
        }
        let _ = writeln!(
            told,
            "{WARNING}left{WARNING:#}: `{}`: {}\n  {DIM}{}{DIM:#}",
            escaped(&text),
            escaped(&reason),
            at.join(", ")
        );
    }
    told
}

fn skipped(outcome: &Outcome<'_>) -> String {
    let mut told = String::new();
    for skipped in &outcome.survey.skipped {
        let (style, word) = match skipped.why {
            Skip::Unreadable(_) => (ERROR, "error"),
            _ => (WARNING, "left out"),
        };
        let (path, why) = (skipped.path.to_string_lossy(), skipped.why.to_string());
        let _ = writeln!(told, "{style}{word}{style:#}: {}: {}", escaped(&path), escaped(&why));
    }
    told
}

fn unknown(outcome: &Outcome<'_>) -> String {
    let mut told = String::new();
    for known in outcome.known {
        let Err(unchecked) = &known.catalogue else { continue };
        let (key, reason) = (escaped(&known.chosen.entry.key), escaped(&unchecked.reason));
        let _ = writeln!(
            told,
            "{WARNING}warning{WARNING:#}: names of server `{key}` are not looked for: {reason}"
        );
    }
    told
}

fn summary(outcome: &Outcome<'_>) -> String {
    let (from, to) = (&outcome.arguments.from, &outcome.arguments.to);
    let (edits, files) = (count(outcome.edits(), "name"), count(outcome.changing(), "file"));
    let did = match outcome.arguments.write {
        _ if outcome.edits() == 0 => format!("no name moves from {from} to {to}"),
        true if outcome.written() == outcome.changing() => {
            format!("{edits} in {files} moved from {from} to {to}")
        }
        true => format!("{edits} in {files} were to move from {from} to {to}"),
        false => format!("{edits} in {files} would move from {from} to {to}"),
    };
    let mut text = format!("{did}; {} searched", count(outcome.survey.searched, "file"));
    if outcome.left() > 0 {
        let _ = write!(text, ", {} left", count(outcome.left(), "place"));
    }
    if outcome.survey.words > 0 {
        let words = count(outcome.survey.words, "word");
        let _ = write!(
            text,
            "; {words} that could be names, outside of quotes, code spans and lists, not counted"
        );
    }
    text.push('\n');
    let hidden: Vec<String> =
        outcome.survey.hidden.iter().map(|path| escaped(&path.to_string_lossy())).collect();
    if !hidden.is_empty() {
        let _ = writeln!(
            text,
            "{HELP}help{HELP:#}: not searched without --hidden: {}",
            hidden.join(", ")
        );
    }
    text
}
