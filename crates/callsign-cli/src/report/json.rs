//! `--format json`: version 1, which only grows. Keys in this order; one document, one line at the end.

use std::collections::HashMap;

use callsign::ToolId;
use callsign::audit::{Kind, Severity};
use serde::Serialize;

use super::{LocatedFinding, NamedTool, Report, ReportFormat};
use crate::catalogues::Known;
use crate::failure::Failure;
use crate::locate::Location;
use crate::output;

pub(crate) struct Json;

/// The name of each tool, by server key and wire name.
pub(super) type Names<'a> =
    HashMap<(&'a str, &'a str), Option<&'a str>, foldhash::fast::RandomState>;

impl ReportFormat for Json {
    fn render(&self, report: &Report<'_>) -> Result<String, Failure> {
        let tools: Vec<NamedTool<'_>> = report.tools().collect();
        let names: Names<'_> = tools
            .iter()
            .map(|tool| ((&**tool.server, &**tool.wire), tool.name.as_deref()))
            .collect();
        let document = Document {
            version: 1,
            scheme: report.scheme.id(),
            servers: report.servers.iter().map(server).collect(),
            tools: tools.iter().map(tool).collect(),
            findings: report.findings.iter().map(|located| finding(located, &names)).collect(),
            summary: Summary {
                servers: report.servers.len(),
                checked: report.checked(),
                tools: tools.len(),
                errors: report.count(Severity::Error),
                warnings: report.count(Severity::Warning),
            },
        };
        output::json(&document)
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    scheme: &'a str,
    servers: Vec<Server<'a>>,
    tools: Vec<Tool<'a>>,
    findings: Vec<Finding<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
pub(super) struct Server<'a> {
    key: &'a str,
    status: &'static str,
    tools: usize,
    reason: Option<&'a str>,
    milliseconds: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    server: &'a str,
    wire: &'a str,
    name: Option<&'a str>,
}

#[derive(Serialize)]
pub(super) struct Finding<'a> {
    code: &'a str,
    name: &'a str,
    severity: Severity,
    kind: Kind,
    message: &'a str,
    servers: Vec<&'a str>,
    tools: Vec<Tool<'a>>,
    location: Option<Location>,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Summary {
    servers: usize,
    checked: usize,
    tools: usize,
    errors: usize,
    warnings: usize,
}

pub(super) fn server<'a>(known: &'a Known<'_>) -> Server<'a> {
    Server {
        key: &known.chosen.entry.key,
        status: known.origin.as_str(),
        tools: known.catalogue.as_ref().map_or(0, |catalogue| catalogue.tools().len()),
        reason: known.catalogue.as_ref().err().map(|unchecked| unchecked.reason.as_str()),
        milliseconds: known.milliseconds,
    }
}

fn tool<'a>(tool: &'a NamedTool<'_>) -> Tool<'a> {
    Tool { server: tool.server, wire: tool.wire, name: tool.name.as_deref() }
}

pub(super) fn finding<'a>(
    LocatedFinding { finding, places }: &'a LocatedFinding<'_>,
    names: &Names<'a>,
) -> Finding<'a> {
    let named = |id: &'a ToolId| Tool {
        server: id.server(),
        wire: id.wire(),
        name: match finding.kind() {
            Kind::Tool => names.get(&(&**id.server(), &**id.wire())).copied().flatten(),
            _ => None,
        },
    };
    Finding {
        code: finding.code().code,
        name: finding.code().name,
        severity: finding.severity(),
        kind: finding.kind(),
        message: finding.message(),
        servers: finding.servers().iter().map(callsign::ServerKey::as_str).collect(),
        tools: finding.tools().iter().map(named).collect(),
        location: places.first().map(|located| Location::of(located.file.path(), located.place)),
        help: finding.help(),
    }
}
