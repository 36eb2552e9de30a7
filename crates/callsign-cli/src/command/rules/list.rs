//! `callsign rules list`: what becomes of every tool, and the rule that decides.

use anstyle::Style;
use callsign::ServerKey;
use callsign_config::HostRules;
use callsign_config::dialect::Tool;
use clap::Args;
use serde::Serialize;

use crate::arguments::{ConfigurationArguments, Format, LiveArguments, RuleArguments};
use crate::command::Verbosity;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::locate::Location;
use crate::named;
use crate::output::{self, DIM, ERROR, GOOD, NAME, WARNING, count, escaped};
use crate::ruled::{self, Ruled, Unread};
use crate::table::Table;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    configuration: ConfigurationArguments,
    #[command(flatten)]
    live: LiveArguments,
    /// The format of the result.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let which = &arguments.configuration;
    let configuration = ruled::configuration(which, &arguments.rules.rules)?;
    let files = ruled::read(&arguments.rules, &[], &configuration)?;
    let known = named::known(&configuration, &which.only, &arguments.live, verbosity)?;
    let unseen = ruled::unseen(&configuration, &known);
    let ruled = Ruled::of(files, &configuration, &known);
    let in_force = ruled.in_force();
    let unread = ruled::unread(&in_force);
    if !verbosity.quiet {
        ruled::warn_of(&unread);
    }
    match arguments.format {
        Format::Human => {
            output::print(&human(&ruled, &in_force))?;
            if !unseen.is_empty() && !verbosity.quiet {
                let keys: Vec<&str> = unseen.iter().map(ServerKey::as_str).collect();
                let keys = escaped(&keys.join(", "));
                output::print_error(&format!(
                    "{WARNING}warning{WARNING:#}: left out, since their tools are not known or not meant: {keys}\n"
                ));
            }
        }
        Format::Json => output::print_json(&json(&ruled, &in_force, &unseen, unread)?)?,
    }
    Ok(exit::SUCCESS)
}

/// What becomes of one tool by one language.
#[derive(Serialize)]
struct Row<'a> {
    language: &'static str,
    server: &'a str,
    wire: &'a str,
    decision: &'static str,
    /// The entry that decides.
    rule: Option<&'a str>,
    location: Option<Location>,
    /// Whether an entry that can't be read was taken to cover the tool.
    unreadable: bool,
    /// Whether such an entry decides.
    #[serde(skip)]
    fails_closed: bool,
}

fn row<'a>(host: &'a HostRules<'_>, tool: Tool<'a>) -> Option<Row<'a>> {
    let decision = host.decision(tool)?;
    let rule = decision.by.and_then(|by| host.rules().entries.get(by));
    let place = decision.by.and_then(|by| host.place(by));
    Some(Row {
        language: host.dialect().profile().id,
        server: tool.server(),
        wire: tool.wire(),
        decision: decision.verdict.as_str(),
        rule: rule.map(|entry| entry.text.as_str()),
        location: place.map(|(file, place)| Location::of(&file.path, place)),
        unreadable: !decision.unreadable.is_empty(),
        fails_closed: decision.by.is_some_and(|by| decision.unreadable.contains(&by)),
    })
}

fn rows<'a>(ruled: &'a Ruled, in_force: &'a [HostRules<'_>]) -> impl Iterator<Item = Row<'a>> {
    in_force.iter().flat_map(|host| ruled.fleet.tools().filter_map(move |tool| row(host, tool)))
}

fn human(ruled: &Ruled, in_force: &[HostRules<'_>]) -> String {
    let mut table = Table::new(["SERVER", "TOOL", "DECISION", "RULE", "PLACE", "LANGUAGE"]);
    let several = in_force.len() > 1;
    for row in rows(ruled, in_force) {
        let style = match row.decision {
            "allow" => GOOD,
            "ask" => WARNING,
            "deny" => ERROR,
            _ => DIM,
        };
        let rule = row.rule.unwrap_or_default();
        let rule = match row.fails_closed {
            true => (format!("can't be read: {rule}"), WARNING),
            false => (rule.to_owned(), Style::new()),
        };
        let place = row.location.map(|location| location.to_string()).unwrap_or_default();
        table.row([
            (row.server.to_owned(), Style::new()),
            (row.wire.to_owned(), NAME),
            (row.decision.to_owned(), style),
            rule,
            (place, DIM),
            (if several { row.language } else { "" }.to_owned(), DIM),
        ]);
    }
    let languages: Vec<String> = in_force
        .iter()
        .map(|host| host.dialect().profile())
        .map(|profile| format!("{} ({})", profile.host, profile.id))
        .collect();
    let tools = count(ruled.fleet.len(), "tool");
    format!("{}\n{tools}, by the rules of {}\n", table.render(), languages.join(", "))
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    tools: Vec<Row<'a>>,
    /// Servers that are left out, since their tools are not known or not meant.
    unchecked: Vec<&'a str>,
    /// Entries that can't be read.
    unreadable: Vec<Unread>,
}

fn json(
    ruled: &Ruled,
    in_force: &[HostRules<'_>],
    unseen: &[ServerKey],
    unreadable: Vec<Unread>,
) -> Result<String, Failure> {
    output::json(&Document {
        version: 1,
        tools: rows(ruled, in_force).collect(),
        unchecked: unseen.iter().map(ServerKey::as_str).collect(),
        unreadable,
    })
}
