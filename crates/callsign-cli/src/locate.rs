//! From what a finding is about to where that stands in the user's file.

use std::collections::HashMap;
use std::path::Path;

use callsign::audit::{self, Finding, Kind};
use callsign::{Catalogue, ServerKey};
use callsign_config::dialect::RuleFile;
use callsign_config::{ConfigFile, Place};
use serde::Serialize;

use crate::catalogues::{Known, Origin};

/// A place in one of the files that were read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located<'a> {
    pub(crate) file: SourceFile<'a>,
    pub(crate) place: Place,
}

/// A file that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SourceFile<'a> {
    Configuration(&'a ConfigFile),
    Rules(&'a RuleFile),
}

impl<'a> SourceFile<'a> {
    pub(crate) fn path(self) -> &'a Path {
        match self {
            Self::Configuration(file) => &file.path,
            Self::Rules(file) => &file.path,
        }
    }

    /// The text that every place of the file fits, with what may be secret overwritten.
    pub(crate) fn shown_text(self) -> &'a str {
        match self {
            Self::Configuration(file) => file.shown_text(),
            Self::Rules(file) => file.shown_text(),
        }
    }
}

/// A place as JSON has it.
#[derive(Debug, Serialize)]
pub(crate) struct Location {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl Location {
    pub(crate) fn of(file: &Path, place: Place) -> Self {
        let file = file.to_string_lossy().into_owned();
        Self { file, line: place.line, column: place.column }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Where each entry of a list of rules stands.
pub(crate) type RulePlaces<'a> = HashMap<callsign::rules::Place, Located<'a>>;

/// Finds what findings name. A report has many findings, so a server is looked up and not searched for.
pub(crate) struct Locator<'k, 'a> {
    servers: HashMap<&'k ServerKey, &'k Known<'a>, foldhash::fast::RandomState>,
    rules: &'k RulePlaces<'a>,
}

impl<'k, 'a> Locator<'k, 'a> {
    pub(crate) fn of(servers: &'k [Known<'a>], rules: &'k RulePlaces<'a>) -> Self {
        let by_key = servers.iter().map(|known| (&known.chosen.entry.key, known));
        Self { servers: by_key.collect(), rules }
    }

    /// Where a finding is, the place to point at first. An entry that the file does not list is at its server's key.
    pub(crate) fn places(&self, finding: &Finding) -> Vec<Located<'a>> {
        let mut found: Vec<Located<'a>> = Vec::with_capacity(finding.places().len());
        // A finding's places of servers are sorted by server, and no two servers have a place in common.
        for places in finding.places().chunk_by(|a, b| server_of(a) == server_of(b)) {
            let of_server = found.len();
            for located in places.iter().filter_map(|place| self.locate(place)) {
                if !found[of_server..].iter().any(|other| other.place.span == located.place.span) {
                    found.push(located);
                }
            }
        }
        found
    }

    fn locate(&self, place: &audit::Place) -> Option<Located<'a>> {
        match place {
            audit::Place::Server { server, entry } => {
                Some(locate_server(*entry, self.servers.get(server)?))
            }
            audit::Place::Rule(place) => self.rules.get(place).copied(),
        }
    }
}

fn server_of(place: &audit::Place) -> Option<&ServerKey> {
    match place {
        audit::Place::Server { server, .. } => Some(server),
        audit::Place::Rule(_) => None,
    }
}

fn locate_server<'a>(listed: Option<audit::Entry>, known: &Known<'a>) -> Located<'a> {
    let (file, entry) = (known.chosen.file, known.chosen.entry);
    let is_listed = !matches!(known.origin, Origin::Live | Origin::Cached);
    let span = listed.and_then(|listed| match listed.kind {
        Kind::Tool => tool_span(known, known.catalogue.as_ref().ok()?, listed.index),
        Kind::Prompt if is_listed => entry.spans.prompts.get(listed.index).copied(),
        Kind::Resource if is_listed => entry.spans.resources.get(listed.index).copied(),
        Kind::Prompt | Kind::Resource | Kind::Server | Kind::Rule => None,
    });
    let place = span.map_or(entry.place, |span| file.place(span));
    Located { file: SourceFile::Configuration(file), place }
}

/// Where a tool of a catalogue stands in the file. What the configuration lists stands at its position, filtered or not;
/// what a server said is found again by its name, if the configuration names it.
fn tool_span(
    known: &Known<'_>,
    catalogue: &Catalogue,
    position: usize,
) -> Option<callsign_config::Span> {
    let entry = known.chosen.entry;
    if known.origin == Origin::Static {
        return entry.spans.tools.get(position).copied();
    }
    let tool = catalogue.tools().get(catalogue.index_at(position)?)?;
    entry.tool_spans(tool.wire()).next()
}
