//! `callsign rules check`: rules that don't do what they look like.

use std::path::PathBuf;

use callsign::audit::{self, Fleet, Kind, Severity};
use clap::Args;

use crate::arguments::{ConfigurationArguments, Format, LiveArguments, RuleArguments};
use crate::catalogues;
use crate::command::Verbosity;
use crate::command::check::{self, FailOn};
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::locate::Locator;
use crate::naming;
use crate::output;
use crate::report::LocatedFinding;
use crate::report::human::Human;
use crate::report::rules::{RulesReport, json};
use crate::ruled::{self, Ruled};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files with rules, as with --rules.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    rules: RuleArguments,
    #[command(flatten)]
    configuration: ConfigurationArguments,
    #[command(flatten)]
    live: LiveArguments,
    /// The format of the result.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The least severity that fails the check.
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// A rule of which it can't be told whether it matches is an error.
    #[arg(long)]
    strict: bool,
}

/// What is wrong with rules, and with keys that make them ambiguous.
const CODES: [&str; 3] = ["CS011", "CS014", "CS015"];

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let named = [&arguments.files[..], &arguments.rules.rules].concat();
    let configuration = ruled::configuration(&arguments.configuration, &named)?;
    let files = ruled::read(&arguments.rules, &arguments.files, &configuration)?;
    let (mut servers, asked) =
        check::known(&configuration, &arguments.configuration, &arguments.live, verbosity)?;
    servers.sort_by(|a, b| a.chosen.entry.key.cmp(&b.chosen.entry.key));
    let ruled = Ruled::of(files, &configuration, &servers);
    let in_force = ruled.in_force();
    let judged: Vec<_> = in_force.iter().map(|host| host.judged(ruled.fleet.unknown())).collect();

    let settings = configuration.settings();
    let audited: Vec<audit::Server> = servers.iter().map(catalogues::audited).collect();
    let identities = audited.iter().flat_map(audit::Server::identities);
    let scheme = naming::scheme(&Default::default(), &settings, "qualified", identities)?;
    let fleet = Fleet::new(&*scheme, audited).with_rules(judged);
    let places = ruled::places(&in_force);
    let locator = Locator::of(&servers, &places);
    let findings = audit::audit_for(&fleet, |code| CODES.contains(&code.code))
        .into_iter()
        .filter(|finding| matches!(finding.kind(), Kind::Rule | Kind::Server))
        .filter_map(|finding| check::weighed(finding, &settings, false))
        .map(|finding| strictly(finding, arguments.strict))
        .map(|finding| LocatedFinding { places: locator.places(&finding), finding })
        .collect();
    let report = RulesReport {
        servers: &servers,
        asked,
        in_force: &in_force,
        judged: fleet.rules(),
        findings,
    };
    show(&report, arguments, verbosity)?;
    verdict(&report, arguments.fail_on)
}

/// What can't be told is no pass where nothing may be left open.
fn strictly(finding: audit::Finding, strict: bool) -> audit::Finding {
    let is_open = finding.code().code == "CS014" && finding.severity() == Severity::Info;
    if strict && is_open { finding.with_severity(Severity::Error) } else { finding }
}

fn show(
    report: &RulesReport<'_>,
    arguments: &Arguments,
    verbosity: Verbosity,
) -> Result<(), Failure> {
    match arguments.format {
        Format::Human => {
            let human = Human { verbosity, colored: output::is_colored() };
            Ok(output::print(&human.rules(report))?)
        }
        Format::Json => Ok(output::print_json(&json(report)?)?),
    }
}

/// # Errors
/// If nothing could be held against anything: that is no pass.
fn verdict(report: &RulesReport<'_>, fail_on: FailOn) -> Result<Status, Failure> {
    if !report.servers.is_empty() && report.checked() == 0 {
        return Err(check::nothing_checked(report.servers.len(), report.asked));
    }
    let dropped = report.judged.iter().any(|judged| !judged.dropped.is_empty());
    if report.entries() == 0 && !dropped {
        return Err(Failure::with_remedy(
            "0 rules checked: the files have lists of rules and no entry in them",
            "name the file that has the rules",
        ));
    }
    let worst = report.findings.iter().map(|located| located.finding.severity()).max();
    let fails = worst.is_some_and(|worst| worst >= check::least(fail_on));
    Ok(if fails { exit::FINDINGS } else { exit::SUCCESS })
}
