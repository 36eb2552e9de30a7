//! `callsign alias`: the tools that get another name than their own.

use anstyle::Style;
use clap::Args;
use serde::Serialize;

use super::Verbosity;
use crate::arguments::{FleetArguments, Format, SchemeArguments};
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
    let asked = SchemeArguments {
        // A map of aliases under the configuration's own scheme would list every tool; who wants that says so.
        scheme: Some(arguments.fleet.scheme.scheme.clone().unwrap_or_else(|| "minimal".into())),
    };
    let mut fleet = named::fleet(known, &configuration, &asked, "minimal")?;
    fleet.tools.retain(|tool| tool.name.as_deref().ok() != Some(&*tool.wire));
    fleet.tools.sort_by(|a, b| (&a.server, &a.wire).cmp(&(&b.server, &b.wire)));
    match arguments.fleet.format {
        Format::Human => {
            output::print(&human(&fleet))?;
            if !verbosity.quiet {
                output::print_error(&named::unknown_servers(&fleet));
            }
        }
        Format::Json => output::print_json(&json(&fleet)?)?,
    }
    let complete = fleet.tools.iter().all(|tool| tool.name.is_ok());
    Ok(if complete { exit::SUCCESS } else { exit::FINDINGS })
}

fn human(fleet: &NamedFleet<'_>) -> String {
    let scheme = fleet.scheme.id();
    if fleet.tools.is_empty() {
        return format!("no tool is renamed by `{scheme}`\n");
    }
    let mut table = Table::new(["SERVER", "TOOL", "ALIAS"]);
    for NamedTool { server, wire, name } in &fleet.tools {
        let alias = match name {
            Ok(name) => (name.to_string(), NAME),
            Err(error) => (format!("none: {}", error.in_short()), ERROR),
        };
        table.row([(server.to_string(), Style::new()), (wire.to_string(), DIM), alias]);
    }
    let renamed = fleet.tools.iter().filter(|tool| tool.name.is_ok()).count();
    let failed = fleet.tools.len() - renamed;
    let mut text = format!("{}\n{} by `{scheme}`", table.render(), aliases(renamed));
    if failed > 0 {
        text.push_str(&format!(", {} without one", count(failed, "tool")));
    }
    text + "\n"
}

fn aliases(number: usize) -> String {
    format!("{number} alias{}", if number == 1 { "" } else { "es" })
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    scheme: &'a str,
    aliases: Vec<Alias<'a>>,
    errors: Vec<Unnamed<'a>>,
}

#[derive(Serialize)]
struct Alias<'a> {
    server: &'a str,
    wire: &'a str,
    name: &'a str,
}

#[derive(Serialize)]
struct Unnamed<'a> {
    server: &'a str,
    wire: &'a str,
    message: String,
    help: String,
}

fn json(fleet: &NamedFleet<'_>) -> Result<String, Failure> {
    let aliases = fleet.tools.iter().filter_map(|tool| {
        let name = tool.name.as_ref().ok()?;
        Some(Alias { server: &tool.server, wire: &tool.wire, name })
    });
    let errors = fleet.tools.iter().filter_map(|tool| {
        let error = tool.name.as_ref().err()?;
        let (message, help) = (error.to_string(), error.remedy());
        Some(Unnamed { server: &tool.server, wire: &tool.wire, message, help })
    });
    let document = Document {
        version: 1,
        scheme: fleet.scheme.id(),
        aliases: aliases.collect(),
        errors: errors.collect(),
    };
    output::json(&document)
}
