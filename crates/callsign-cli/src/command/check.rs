//! `callsign check`: what is wrong with the names of a set of servers.

use std::mem::ManuallyDrop;
use std::path::PathBuf;

use callsign::ServerKey;
use callsign::audit::{self, Finding, Fleet, Kind, Severity};
use callsign::scheme::Scheme;
use callsign_config::{Settings, Severity as Configured};
use clap::Args;

use super::Verbosity;
use crate::arguments::{ConfigurationArguments, FleetArguments, Format, LiveArguments};
use crate::catalogues::{self, Known, Origin};
use crate::configuration::Configuration;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::locate::{Locator, RulePlaces};
use crate::output::{self, count};
use crate::report::{self, LocatedFinding, Report};
use crate::{live, named, naming};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Configuration files, as with --config.
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    fleet: FleetArguments,
    /// The least severity that fails the check.
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    /// A server that could not be checked is an error.
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FailOn {
    #[default]
    Error,
    Warning,
    Info,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let mut which = arguments.fleet.configuration.clone();
    which.config.extend(arguments.files.iter().cloned());
    // What is held here is held to the end of the process, and the system takes memory back faster than piece by piece.
    let configuration = ManuallyDrop::new(Configuration::read(&which)?);
    let (servers, asked) =
        known(&configuration, &arguments.fleet.configuration, &arguments.fleet.live, verbosity)?;
    let report = ManuallyDrop::new(report(servers, asked, &configuration.settings(), arguments)?);
    let text = report::format(arguments.fleet.format, verbosity).render(&report)?;
    match arguments.fleet.format {
        Format::Human => output::print(&text)?,
        Format::Json => output::print_json(&text)?,
    }
    if !report.servers.is_empty() && report.checked() == 0 {
        return Err(nothing_checked(report.servers.len(), report.asked));
    }
    let worst = report.findings.iter().map(|located| located.finding.severity()).max();
    let fails = worst.is_some_and(|worst| worst >= least(arguments.fail_on));
    Ok(if fails { exit::FINDINGS } else { exit::SUCCESS })
}

/// What the servers offer: from the configuration, else as they last answered, or from the servers themselves. On a terminal, where nothing is known
/// yet, the user is asked whether to start them. Also whether the servers were asked.
pub(crate) fn known<'a>(
    configuration: &'a Configuration,
    which: &ConfigurationArguments,
    live: &LiveArguments,
    verbosity: Verbosity,
) -> Result<(Vec<Known<'a>>, bool), Failure> {
    let chosen = configuration.choose(&which.only)?;
    let memory = live::memory();
    let mut known = Vec::with_capacity(chosen.len());
    for chosen in chosen {
        known.push(named::recalled(catalogues::from_configuration(chosen)?, &memory)?);
    }
    let nothing_known =
        !known.is_empty() && known.iter().all(|known| known.origin == Origin::Unchecked);
    let ask = live.live || (nothing_known && output::can_ask());
    let known = if ask { live::ask(known, live, verbosity)? } else { known };
    Ok((known, ask))
}

fn report<'a>(
    mut servers: Vec<Known<'a>>,
    asked: bool,
    settings: &Settings,
    arguments: &Arguments,
) -> Result<Report<'a>, Failure> {
    servers.sort_by(|a, b| a.chosen.entry.key.cmp(&b.chosen.entry.key));
    let audited: Vec<audit::Server> = servers.iter().map(catalogues::audited).collect();
    let identities = audited.iter().flat_map(audit::Server::identities);
    let scheme = naming::scheme(&arguments.fleet.scheme, settings, "qualified", identities)?;
    let mut audit = audit::audit(&Fleet::new(&*scheme, audited));
    let of_described = of_described(&servers, &*scheme);
    if !of_described.is_empty() {
        audit.extend(of_described);
        audit.sort_by_key(|finding| finding.code().code);
    }
    let rules = RulePlaces::default();
    let locator = Locator::of(&servers, &rules);
    let mut findings = Vec::with_capacity(audit.len());
    findings.extend(
        audit
            .into_iter()
            .filter_map(|finding| weighed(finding, settings, arguments.strict))
            .map(|finding| LocatedFinding { places: locator.places(&finding), finding }),
    );
    let off = settings.severity.iter().filter(|(_, severity)| *severity == Configured::Off);
    let off = off.map(|(code, _)| code.value.clone()).collect();
    Ok(Report { scheme, servers, asked, off, findings })
}

/// What is wrong with listed prompts and resources of servers whose tools are not known. Of their tools it says nothing.
fn of_described(servers: &[Known<'_>], scheme: &dyn Scheme) -> Vec<Finding> {
    let described: Vec<_> = servers.iter().map(catalogues::described).collect();
    if described.iter().all(Option::is_none) {
        return Vec::new();
    }
    let all = servers.iter().zip(described);
    let all = all.map(|(known, described)| described.unwrap_or_else(|| catalogues::audited(known)));
    let concerns = |finding: &Finding| {
        let is_described = |key: &ServerKey| {
            servers.iter().any(|known| known.chosen.entry.key == *key && known.catalogue.is_err())
        };
        matches!(finding.kind(), Kind::Prompt | Kind::Resource)
            && finding.servers().iter().any(is_described)
    };
    let mut findings = audit::audit(&Fleet::new(scheme, all.collect()));
    findings.retain(concerns);
    findings
}

/// The finding with the severity the user gave its code, or nothing if they switched it off.
pub(crate) fn weighed(finding: Finding, settings: &Settings, strict: bool) -> Option<Finding> {
    let code = finding.code().code;
    if strict && code == "CS009" {
        return Some(finding.with_severity(Severity::Error));
    }
    let set = settings.severity.iter().find(|(written, _)| written.value == code);
    match set.map(|(_, severity)| severity) {
        None => Some(finding),
        Some(Configured::Info) => Some(finding.with_severity(Severity::Info)),
        Some(Configured::Warning) => Some(finding.with_severity(Severity::Warning)),
        Some(Configured::Error) => Some(finding.with_severity(Severity::Error)),
        Some(_) => None,
    }
}

pub(crate) fn least(fail_on: FailOn) -> Severity {
    match fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Info => Severity::Info,
    }
}

/// To check nothing is no pass.
pub(crate) fn nothing_checked(servers: usize, asked: bool) -> Failure {
    let message = format!("0 of {} checked: no tools are known", count(servers, "server"));
    let remedy = if asked {
        "the findings above say why each server could not be asked"
    } else {
        "ask the servers with --live (without a terminal: --live --yes), or list their `tools` in the configuration"
    };
    Failure::with_remedy(message, remedy)
}
