//! `callsign which NAME`: who answers to a name.

use std::fmt::Write as _;

use callsign::registry::Entry;
use callsign::scheme;
use clap::Args;
use serde::Serialize;

use super::Verbosity;
use crate::arguments::{FleetArguments, Format, RuleArguments};
use crate::catalogues::{Known, Origin};
use crate::configuration::Configuration;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::locate::Location;
use crate::named::{self, NamedFleet};
use crate::output::{self, DIM, HEADING, NAME, escaped};
use crate::ruled::{self, Explained, Part, Ruled};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The exposed name. A wire name, or another scheme's spelling, is answered with the name to use.
    name: String,
    #[command(flatten)]
    fleet: FleetArguments,
    #[command(flatten)]
    rules: RuleArguments,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let configuration = Configuration::read(&arguments.fleet.configuration)?;
    let only = &arguments.fleet.configuration.only;
    let known = named::known(&configuration, only, &arguments.fleet.live, verbosity)?;
    let fleet = named::fleet(known, &configuration, &arguments.fleet.scheme, "qualified")?;
    let (registry, outcome) = named::registry(&fleet);
    let snapshot = registry.snapshot();
    let entry = match snapshot.resolve(&arguments.name) {
        Ok(entry) => entry,
        Err(miss) => return Err(named::unresolved(&fleet, &outcome, miss)),
    };
    let server = entry
        .server()
        .and_then(|key| fleet.known.iter().find(|known| known.chosen.entry.key == *key));
    let spellings = spellings(&fleet, entry);
    let rules = rules(&arguments.rules, &configuration, &fleet, entry, verbosity)?;
    match arguments.fleet.format {
        Format::Human => output::print(&human(entry, server, &spellings, &rules))?,
        Format::Json => output::print_json(&json(entry, server, spellings, rules)?)?,
    }
    Ok(exit::SUCCESS)
}

/// What the rules that apply here say of the tool. Where there are none, nothing.
fn rules(
    arguments: &RuleArguments,
    configuration: &Configuration,
    fleet: &NamedFleet<'_>,
    entry: Entry<'_>,
    verbosity: Verbosity,
) -> Result<Vec<Explained>, Failure> {
    let Some(id) = entry.id() else { return Ok(Vec::new()) };
    let files = ruled::found_or_named(arguments, &[], configuration)?;
    let ruled = Ruled::of(files, configuration, &fleet.known);
    let Some(tool) = ruled.fleet.find(&id) else { return Ok(Vec::new()) };
    let in_force = ruled.in_force();
    if !verbosity.quiet {
        ruled::warn_of(&ruled::unread(&in_force));
    }
    let mut explained: Vec<Explained> =
        in_force.iter().filter_map(|host| ruled::explained(host, tool)).collect();
    for explained in &mut explained {
        explained.rules.retain(Part::takes_part);
    }
    explained.retain(|explained| !explained.rules.is_empty() || explained.decision != "default");
    Ok(explained)
}

#[derive(Serialize)]
struct Spelling {
    scheme: &'static str,
    name: Option<String>,
    error: Option<String>,
}

/// What each scheme calls the tool.
fn spellings(fleet: &NamedFleet<'_>, entry: Entry<'_>) -> Vec<Spelling> {
    let identities = || fleet.tools.iter().map(|tool| (&tool.server, &tool.wire));
    let Some(server) = entry.server() else { return Vec::new() };
    scheme::IDS
        .into_iter()
        .filter_map(|identifier| scheme::by_id(identifier, identities()))
        .map(|scheme| match scheme.name(server, entry.wire()) {
            Ok(name) => Spelling { scheme: scheme.id(), name: Some(name.to_string()), error: None },
            Err(error) => {
                Spelling { scheme: scheme.id(), name: None, error: Some(error.problem.to_string()) }
            }
        })
        .collect()
}

fn human(
    entry: Entry<'_>,
    server: Option<&Known<'_>>,
    spellings: &[Spelling],
    rules: &[Explained],
) -> String {
    let mut text = format!("{HEADING}{NAME}{}{NAME:#}{HEADING:#}\n", entry.exposed());
    let mut fact = |label: &str, value: &str| {
        let _ = writeln!(text, "  {DIM}{label:<12}{DIM:#} {}", escaped(value));
    };
    if let Some(key) = entry.server() {
        fact("server", key);
    }
    fact("wire name", entry.wire());
    if let Some(Known { chosen, origin, .. }) = server {
        fact("known from", source(*origin));
        fact("transport", chosen.entry.transport.as_str());
        fact("launch", &chosen.entry.launch.shown());
        fact("configured", &format!("{}:{}", chosen.file.path.display(), chosen.entry.place));
    }
    if let Some(description) = entry.tool().description() {
        fact("description", description.lines().next().unwrap_or_default());
    }
    let _ = writeln!(text, "  {DIM}in each scheme{DIM:#}");
    for Spelling { scheme, name, error } in spellings {
        let name = name.as_deref().or(error.as_deref()).unwrap_or_default();
        let _ = writeln!(text, "    {scheme:<14} {}", escaped(name));
    }
    for Explained { host, language, decision, rules, .. } in rules {
        let _ = writeln!(text, "  {DIM}rules of{DIM:#} {host} ({language}): {decision}");
        for part in rules {
            let (rule, place) = (escaped(&part.text), escaped(&part.location.to_string()));
            let _ = writeln!(
                text,
                "    {:<5} {rule}  {DIM}{place}{DIM:#}  {}",
                part.does,
                escaped(&part.words())
            );
        }
    }
    text
}

/// Where the tool is known from, in words.
fn source(origin: Origin) -> &'static str {
    match origin {
        Origin::Static => "the list in the configuration",
        Origin::Live => "the server, asked just now",
        Origin::Cached => "the server, when it was last asked",
        Origin::Unchecked => "nowhere",
    }
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    name: &'a str,
    server: Option<&'a str>,
    wire: &'a str,
    status: Option<&'static str>,
    location: Option<Location>,
    definition: Option<&'a serde_json::value::RawValue>,
    spellings: Vec<Spelling>,
    rules: Vec<Explained>,
}

fn json(
    entry: Entry<'_>,
    server: Option<&Known<'_>>,
    spellings: Vec<Spelling>,
    rules: Vec<Explained>,
) -> Result<String, Failure> {
    let definition = entry.tool().definition();
    let document = Document {
        version: 1,
        name: entry.exposed(),
        server: entry.server().map(callsign::ServerKey::as_str),
        wire: entry.wire(),
        status: server.map(|known| known.origin.as_str()),
        location: server
            .map(|known| Location::of(&known.chosen.file.path, known.chosen.entry.place)),
        definition: definition.and_then(|raw| serde_json::from_str(raw).ok()),
        spellings,
        rules,
    };
    output::json(&document)
}
