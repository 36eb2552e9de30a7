//! From what a finding is about to where that stands in the user's file.

use callsign::audit::{self, Finding, Kind};
use callsign::{Catalogue, ServerKey};
use callsign_config::{ConfigFile, Place};

use crate::catalogues::Known;

/// A place in one of the configuration files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Located<'a> {
    pub(crate) file: &'a ConfigFile,
    pub(crate) place: Place,
}

/// Where a finding is, the place to point at first. An entry that the file does not list is at its server's key.
pub(crate) fn places<'a>(finding: &Finding, servers: &[Known<'a>]) -> Vec<Located<'a>> {
    let mut found: Vec<Located<'a>> = Vec::new();
    for place in finding.places() {
        let Some(located) = locate(place, servers) else { continue };
        let same = |other: &Located<'_>| {
            std::ptr::eq(other.file, located.file) && other.place.span == located.place.span
        };
        if !found.iter().any(same) {
            found.push(located);
        }
    }
    found
}

fn locate<'a>(place: &audit::Place, servers: &[Known<'a>]) -> Option<Located<'a>> {
    let known = of(&place.server, servers)?;
    let (file, entry) = (known.chosen.file, known.chosen.entry);
    let span = place.entry.and_then(|listed| {
        let catalogue = known.catalogue.as_ref().ok()?;
        match listed.kind {
            Kind::Tool => tool_span(known, catalogue, listed.index),
            Kind::Prompt => entry.spans.prompts.get(listed.index).copied(),
            Kind::Resource => entry.spans.resources.get(listed.index).copied(),
            Kind::Server => None,
        }
    });
    let place = span.map_or(entry.place, |span| file.place(span));
    Some(Located { file, place })
}

/// The catalogue may have been filtered or fetched, so an entry is found again by its name, not its number.
fn tool_span(
    known: &Known<'_>,
    catalogue: &Catalogue,
    position: usize,
) -> Option<callsign_config::Span> {
    let entry = known.chosen.entry;
    let tools = catalogue.tools();
    let Some(index) = index_of(catalogue, position) else {
        return entry.spans.tools.get(position).copied();
    };
    let wire = tools.get(index)?.wire();
    let earlier = tools.iter().take(index).filter(|tool| tool.wire() == wire).count();
    entry.tool_spans(wire).nth(earlier)
}

fn index_of(catalogue: &Catalogue, position: usize) -> Option<usize> {
    if catalogue.malformed().is_empty() {
        return (position < catalogue.tools().len()).then_some(position);
    }
    (0..catalogue.tools().len()).find(|&index| catalogue.position(index) == position)
}

fn of<'k, 'a>(server: &ServerKey, servers: &'k [Known<'a>]) -> Option<&'k Known<'a>> {
    servers.iter().find(|known| known.chosen.entry.key == *server)
}
