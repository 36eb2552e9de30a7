//! `callsign list`: every tool, its server, its wire name, its exposed name.

use anstyle::Style;
use clap::Args;
use serde::Serialize;

use super::Verbosity;
use crate::arguments::{FleetArguments, Format};
use crate::configuration::Configuration;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::named::{self, NamedFleet, NamedTool};
use crate::output::{self, DIM, ERROR, NAME, count};
use crate::table::Table;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    fleet: FleetArguments,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let configuration = Configuration::read(&arguments.fleet.configuration)?;
    let only = &arguments.fleet.configuration.only;
    let known = named::known(&configuration, only, &arguments.fleet.live, verbosity)?;
    let mut fleet = named::fleet(known, &configuration, &arguments.fleet.scheme, "qualified")?;
    let hidden = named::take_hidden(&mut fleet);
    match arguments.fleet.format {
        Format::Human => {
            output::print(&human(&fleet, hidden))?;
            if !verbosity.quiet {
                output::print_error(&named::unknown_servers(&fleet));
            }
        }
        Format::Json => output::print_json(&json(&fleet, hidden)?)?,
    }
    let complete = fleet.tools.iter().all(|tool| tool.name.is_ok());
    Ok(if complete { exit::SUCCESS } else { exit::FINDINGS })
}

fn human(fleet: &NamedFleet<'_>, hidden: usize) -> String {
    let mut table = Table::new(["SERVER", "TOOL", "NAME"]);
    for NamedTool { server, wire, name } in &fleet.tools {
        let name = match name {
            Ok(name) => (name.to_string(), NAME),
            Err(error) => (format!("no name: {}", error.in_short()), ERROR),
        };
        table.row([(server.to_string(), Style::new()), (wire.to_string(), DIM), name]);
    }
    let (tools, servers) = (count(fleet.tools.len(), "tool"), fleet.known.len());
    let scheme = fleet.scheme.id();
    let left_out = match hidden {
        0 => String::new(),
        some => format!(", {} left out: hidden by its options", count(some, "tool")),
    };
    let servers = count(servers, "server");
    format!("{}\n{tools} of {servers}, names by `{scheme}`{left_out}\n", table.render())
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    scheme: &'a str,
    tools: Vec<Tool<'a>>,
    unchecked: Vec<Unchecked<'a>>,
    /// How many tools are left out because their options hide them.
    hidden: usize,
}

#[derive(Serialize)]
struct Tool<'a> {
    server: &'a str,
    wire: &'a str,
    name: Option<&'a str>,
    error: Option<String>,
}

#[derive(Serialize)]
struct Unchecked<'a> {
    server: &'a str,
    reason: &'a str,
}

fn json(fleet: &NamedFleet<'_>, hidden: usize) -> Result<String, Failure> {
    let tools = fleet.tools.iter().map(|tool| Tool {
        server: &tool.server,
        wire: &tool.wire,
        name: tool.name.as_ref().ok().map(callsign::ExposedName::as_str),
        error: tool.name.as_ref().err().map(ToString::to_string),
    });
    let unchecked = fleet.known.iter().filter_map(|known| {
        let reason = &known.catalogue.as_ref().err()?.reason;
        Some(Unchecked { server: &known.chosen.entry.key, reason })
    });
    let document = Document {
        version: 1,
        scheme: fleet.scheme.id(),
        tools: tools.collect(),
        unchecked: unchecked.collect(),
        hidden,
    };
    output::json(&document)
}
