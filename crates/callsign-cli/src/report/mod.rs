//! What `check` found, and the formats it is given in: one file each behind [`ReportFormat`].
//!
//! A format lays out; every sentence in it comes from the findings themselves.

pub(crate) mod human;
mod json;
pub(crate) mod rules;

use std::sync::Arc;

use callsign::audit::{Finding, Severity};
use callsign::scheme::Scheme;
use callsign::{Catalogue, ExposedName, ServerKey, WireName};

use crate::arguments::Format;
use crate::catalogues::{Known, Origin};
use crate::command::Verbosity;
use crate::failure::Failure;
use crate::locate::Located;
use crate::output;

/// What `check` found.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) scheme: Arc<dyn Scheme>,
    /// Sorted by key.
    pub(crate) servers: Vec<Known<'a>>,
    /// Whether the servers themselves were asked.
    pub(crate) asked: bool,
    /// Codes that the configuration switches off.
    pub(crate) off: Vec<String>,
    /// Sorted by code, then by tools.
    pub(crate) findings: Vec<LocatedFinding<'a>>,
}

/// A finding and its places in the files.
#[derive(Debug)]
pub(crate) struct LocatedFinding<'a> {
    pub(crate) finding: Finding,
    pub(crate) places: Vec<Located<'a>>,
}

/// A tool and its name, if it has one.
#[derive(Debug)]
pub(crate) struct NamedTool<'a> {
    pub(crate) server: &'a ServerKey,
    pub(crate) wire: &'a WireName,
    pub(crate) name: Option<ExposedName>,
}

impl Report<'_> {
    /// Servers whose catalogue is known.
    pub(crate) fn checked(&self) -> usize {
        self.servers.iter().filter(|known| known.origin != Origin::Unchecked).count()
    }

    /// Every tool with its name, by server, then in advertised order. Made when asked for: most reports only count them.
    pub(crate) fn tools(&self) -> impl Iterator<Item = NamedTool<'_>> {
        self.servers.iter().flat_map(move |known| {
            let server = &known.chosen.entry.key;
            let tools = known.catalogue.as_ref().map_or(&[][..], Catalogue::tools);
            tools.iter().map(move |tool| NamedTool {
                server,
                wire: tool.wire(),
                name: self.scheme.name(server, tool.wire()).ok(),
            })
        })
    }

    /// How many tools the checked servers have.
    pub(crate) fn tool_count(&self) -> usize {
        let catalogues = self.servers.iter().filter_map(|known| known.catalogue.as_ref().ok());
        catalogues.map(|catalogue| catalogue.tools().len()).sum()
    }

    pub(crate) fn count(&self, severity: Severity) -> usize {
        count_of(&self.findings, severity)
    }
}

fn count_of(findings: &[LocatedFinding<'_>], severity: Severity) -> usize {
    findings.iter().filter(|located| located.finding.severity() == severity).count()
}

/// Lays a report out as text.
pub(crate) trait ReportFormat {
    fn render(&self, report: &Report<'_>) -> Result<String, Failure>;
}

/// The format of that name.
pub(crate) fn format(format: Format, verbosity: Verbosity) -> Box<dyn ReportFormat> {
    match format {
        Format::Human => Box::new(human::Human { verbosity, colored: output::is_colored() }),
        Format::Json => Box::new(json::Json),
    }
}
