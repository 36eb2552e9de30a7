//! What `check` found, and the formats it is given in: one file each behind [`ReportFormat`].
//!
//! A format lays out; every sentence in it comes from the findings themselves.

mod human;
mod json;

use callsign::audit::{Finding, Severity};
use callsign::{ExposedName, ServerKey, WireName};

use crate::arguments::Format;
use crate::catalogues::{Known, Origin};
use crate::command::Verbosity;
use crate::locate::Located;

/// What `check` found.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    pub(crate) scheme: &'static str,
    /// Sorted by key.
    pub(crate) servers: Vec<Known<'a>>,
    /// Whether the servers themselves were asked.
    pub(crate) asked: bool,
    /// Sorted by server, then in advertised order.
    pub(crate) tools: Vec<NamedTool>,
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
pub(crate) struct NamedTool {
    pub(crate) server: ServerKey,
    pub(crate) wire: WireName,
    pub(crate) name: Option<ExposedName>,
}

impl Report<'_> {
    /// Servers whose catalogue is known.
    pub(crate) fn checked(&self) -> usize {
        self.servers.iter().filter(|known| known.origin != Origin::Unchecked).count()
    }

    pub(crate) fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|located| located.finding.severity() == severity).count()
    }
}

/// Lays a report out as text.
pub(crate) trait ReportFormat {
    fn render(&self, report: &Report<'_>) -> String;
}

/// The format of that name.
pub(crate) fn format(format: Format, verbosity: Verbosity) -> Box<dyn ReportFormat> {
    match format {
        Format::Human => Box::new(human::Human { verbosity }),
        Format::Json => Box::new(json::Json),
    }
}
