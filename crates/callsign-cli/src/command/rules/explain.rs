//! `callsign rules explain`: what becomes of a call, and the part that each rule has in it.

use std::fmt::Write as _;

use anstyle::Style;
use callsign::audit::{self, Finding, Fleet, Kind, Place, Severity};
use callsign::name::nearest;
use callsign::scheme::Qualified;
use callsign::{ServerKey, ToolId, WireName};
use callsign_config::HostRules;
use clap::Args;
use serde::Serialize;

use crate::arguments::{FleetArguments, Format, RuleArguments};
use crate::catalogues::{self, Known};
use crate::command::Verbosity;
use crate::configuration::Configuration;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::named;
use crate::output::{self, DIM, HEADING, HELP, NAME, WARNING, escaped};
use crate::ruled::{self, Explained, Ruled};
use crate::table::Table;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The tool's exposed name; or, before TOOL, its server's key.
    #[arg(value_name = "NAME|SERVER")]
    name: String,
    /// The tool's wire name.
    tool: Option<String>,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    fleet: FleetArguments,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let (which, live) = (&arguments.fleet.configuration, &arguments.fleet.live);
    let configuration = ruled::configuration(which, &arguments.rules.rules)?;
    let files = ruled::read(&arguments.rules, &[], &configuration)?;
    let known = named::known(&configuration, &which.only, live, verbosity)?;
    let id = match &arguments.tool {
        Some(tool) => identity(&known, &arguments.name, tool)?,
        None => resolved(known.clone(), &configuration, arguments)?,
    };
    let ruled = Ruled::of(files, &configuration, &known);
    let tool = ruled.fleet.find(&id).ok_or_else(|| not_known(&known, &id))?;
    let in_force = ruled.in_force();
    let explained: Vec<Explained> =
        in_force.iter().filter_map(|host| ruled::explained(host, tool)).collect();
    let findings = findings(&id, &known, &in_force, ruled.fleet.unknown());
    if !verbosity.quiet {
        ruled::warn_of(&ruled::unread(&in_force));
    }
    match arguments.fleet.format {
        Format::Human => output::print(&human(&id, &explained, &findings, verbosity))?,
        Format::Json => output::print_json(&json(&id, explained, &findings)?)?,
    }
    Ok(exit::SUCCESS)
}

/// What is wrong with rules that reach this tool, or that may have been meant for it.
fn findings(
    id: &ToolId,
    known: &[Known<'_>],
    in_force: &[HostRules<'_>],
    unknown: &[ServerKey],
) -> Vec<Finding> {
    let servers = known.iter().map(catalogues::audited).collect();
    let scheme = Qualified::default();
    let judged = in_force.iter().map(|host| host.judged(unknown)).collect();
    let fleet = Fleet::new(&scheme, servers).with_rules(judged);
    let mut findings = audit::audit_for(&fleet, |code| matches!(code.code, "CS014" | "CS015"));
    let unread: Vec<_> = in_force
        .iter()
        .flat_map(|host| host.unreadable().filter_map(|(at, ..)| host.rule_place(at)))
        .collect();
    let is_unread = |finding: &Finding| {
        let mut places = finding.places().iter();
        places.any(|place| matches!(place, Place::Rule(place) if unread.contains(place)))
    };
    findings.retain(|finding| {
        finding.kind() == Kind::Rule && (finding.tools().contains(id) || is_unread(finding))
    });
    findings
}

/// The tool of an exposed name.
fn resolved(
    known: Vec<Known<'_>>,
    configuration: &Configuration,
    arguments: &Arguments,
) -> Result<ToolId, Failure> {
    let fleet = named::fleet(known, configuration, &arguments.fleet.scheme, "qualified")?;
    let (registry, outcome) = named::registry(&fleet);
    let snapshot = registry.snapshot();
    match snapshot.resolve(&arguments.name) {
        Ok(entry) => entry.id().ok_or_else(|| {
            Failure::new(format!("`{}` is no server's tool", escaped(&arguments.name)))
        }),
        Err(miss) => Err(named::unresolved(&fleet, &outcome, miss)),
    }
}

fn identity(known: &[Known<'_>], server: &str, tool: &str) -> Result<ToolId, Failure> {
    let key = ServerKey::new(server).map_err(|error| Failure::new(error.to_string()))?;
    let wire = WireName::new(tool).map_err(|error| Failure::new(error.to_string()))?;
    if known.iter().any(|known| known.chosen.entry.key == key) {
        return Ok(ToolId::new(key, wire));
    }
    let keys: Vec<&str> = known.iter().map(|known| known.chosen.entry.key.as_str()).collect();
    let near = nearest(server, keys.iter().copied());
    Err(Failure::with_remedy(
        format!("there is no server `{}`", escaped(server)),
        format!("servers are {}", escaped(&if near.is_empty() { keys } else { near }.join(", "))),
    ))
}

fn not_known(known: &[Known<'_>], id: &ToolId) -> Failure {
    let server = known.iter().find(|known| known.chosen.entry.key == *id.server());
    let (key, wire) = (escaped(id.server()), escaped(id.wire()));
    match server.map(|known| &known.catalogue) {
        Some(Ok(catalogue)) => {
            let near =
                nearest(id.wire(), catalogue.tools().iter().map(|tool| tool.wire().as_str()));
            Failure::with_remedy(
                format!("server `{key}` has no tool `{wire}`"),
                match near.is_empty() {
                    true => String::new(),
                    false => format!("did you mean {}?", escaped(&near.join(" or "))),
                },
            )
        }
        _ => Failure::with_remedy(
            format!("the tools of server `{key}` are not known"),
            "ask it with --live",
        ),
    }
}

fn human(
    id: &ToolId,
    explained: &[Explained],
    findings: &[Finding],
    verbosity: Verbosity,
) -> String {
    let (wire, key) = (escaped(id.wire()), escaped(id.server()));
    let mut text = format!("tool {HEADING}{NAME}{wire}{NAME:#}{HEADING:#} of server `{key}`\n");
    for Explained { language, host, decision, because, rules } in explained {
        let _ = writeln!(
            text,
            "\n{HEADING}{host}{HEADING:#} {DIM}({language}){DIM:#}: {HEADING}{decision}{HEADING:#}"
        );
        let _ = writeln!(text, "{}", escaped(because));
        let (shown, other): (Vec<_>, Vec<_>) =
            rules.iter().partition(|part| verbosity.verbose || part.takes_part());
        let mut table = Table::new(["RULE", "DOES", "PLACE", "PART"]);
        for part in &shown {
            table.row([
                (part.text.clone(), NAME),
                (part.does.to_owned(), Style::new()),
                (part.location.to_string(), DIM),
                (part.words(), Style::new()),
            ]);
        }
        if !shown.is_empty() {
            text.push_str(&table.render());
        }
        if !other.is_empty() {
            let others = output::count(other.len(), "rule");
            let _ = writeln!(text, "{DIM}{others} with no part in it: -v shows them{DIM:#}");
        }
    }
    for finding in findings {
        let (code, message) = (finding.code().code, finding.message());
        let _ = writeln!(text, "\n{WARNING}{}[{code}]{WARNING:#}: {message}", finding.severity());
        if let Some(help) = finding.help() {
            let _ = writeln!(text, "{HELP}help{HELP:#}: {help}");
        }
    }
    text
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    server: &'a str,
    wire: &'a str,
    languages: Vec<Explained>,
    findings: Vec<Found<'a>>,
}

/// What is wrong with a rule that reaches the tool, or may have been meant for it.
#[derive(Serialize)]
struct Found<'a> {
    code: &'a str,
    severity: Severity,
    message: &'a str,
    help: Option<&'a str>,
}

fn json(id: &ToolId, languages: Vec<Explained>, findings: &[Finding]) -> Result<String, Failure> {
    let findings = findings.iter().map(|finding| Found {
        code: finding.code().code,
        severity: finding.severity(),
        message: finding.message(),
        help: finding.help(),
    });
    let (server, wire) = (id.server(), id.wire());
    output::json(&Document { version: 1, server, wire, languages, findings: findings.collect() })
}
