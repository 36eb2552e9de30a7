//! From what a finding is about to where that stands in the user's file.

use std::collections::HashMap;

use callsign::audit::{self, Finding, Kind};
use callsign::{Catalogue, ServerKey};
use callsign_config::{ConfigFile, Place};

use crate::catalogues::{Known, Origin};

/// A place in one of the configuration files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located<'a> {
    pub(crate) file: &'a ConfigFile,
    pub(crate) place: Place,
}

/// Finds the servers that findings name. A report has many findings, so a server is looked up and not searched for.
pub(crate) struct Locator<'k, 'a> {
    by_key: HashMap<&'k ServerKey, &'k Known<'a>, foldhash::fast::RandomState>,
}

impl<'k, 'a> Locator<'k, 'a> {
    pub(crate) fn of(servers: &'k [Known<'a>]) -> Self {
        Self { by_key: servers.iter().map(|known| (&known.chosen.entry.key, known)).collect() }
    }

    /// Where a finding is, the place to point at first. An entry that the file does not list is at its server's key.
    pub(crate) fn places(&self, finding: &Finding) -> Vec<Located<'a>> {
        let mut found: Vec<Located<'a>> = Vec::with_capacity(finding.places().len());
        // A finding's places are sorted by server, and no two servers have a place in common.
        for places in finding.places().chunk_by(|a, b| a.server == b.server) {
            let Some(known) = self.by_key.get(&places[0].server) else { continue };
            let of_server = found.len();
            for place in places {
                let located = locate(place, known);
                if !found[of_server..].iter().any(|other| other.place.span == located.place.span) {
                    found.push(located);
                }
            }
        }
        found
    }
}

fn locate<'a>(place: &audit::Place, known: &Known<'a>) -> Located<'a> {
    let (file, entry) = (known.chosen.file, known.chosen.entry);
    let is_listed = !matches!(known.origin, Origin::Live | Origin::Cached);
    let span = place.entry.and_then(|listed| match listed.kind {
        Kind::Tool => tool_span(known, known.catalogue.as_ref().ok()?, listed.index),
        Kind::Prompt if is_listed => entry.spans.prompts.get(listed.index).copied(),
        Kind::Resource if is_listed => entry.spans.resources.get(listed.index).copied(),
        Kind::Prompt | Kind::Resource | Kind::Server => None,
    });
    let place = span.map_or(entry.place, |span| file.place(span));
    Located { file, place }
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
