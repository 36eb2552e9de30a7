//! `callsign demo`: the main job with nothing installed. Everything in it is real: seven MCP servers, each a process of its
//! own, are started over stdio and asked; only their tools do nothing useful.

use std::fmt::Write as _;
use std::path::Path;

use callsign::audit::{self, Fleet};
use callsign::scheme::Qualified;
use callsign_config::ConfigFile;
use callsign_mcp::{Memory, Session};
use clap::Args;
use serde_json::value::RawValue;

use super::Verbosity;
use crate::arguments::{LiveArguments, SchemeArguments};
use crate::catalogues::{self, Known};
use crate::configuration::Configuration;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::named::{self, NamedFleet};
use crate::output::{self, DIM, GOOD, HEADING, NAME, count, escaped};
use crate::table::Table;
use crate::{demo, interrupt, live};

#[derive(Debug, Args)]
pub(crate) struct Arguments {}

/// The commands are this program itself: nobody has to consent to them.
const LIVE: LiveArguments = LiveArguments { live: true, yes: true, timeout: None };

pub(crate) fn run(_: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let configuration = Configuration { files: vec![configuration()?] };
    let known: Vec<Known<'_>> = configuration
        .choose(&[])?
        .into_iter()
        .map(catalogues::from_configuration)
        .collect::<Result<_, _>>()?;
    let known = live::ask_remembering(known, &LIVE, verbosity, &Memory::none())?;
    let fleet = named::fleet(known, &configuration, &SchemeArguments::default(), "qualified")?;
    output::print(&started(&fleet)?)?;
    output::print(&collisions(&fleet))?;
    output::print(&names(&fleet))?;
    output::print(&calls(&fleet)?)?;
    Ok(exit::SUCCESS)
}

fn configuration() -> Result<ConfigFile, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::new(format!("can't tell where this program is: {error}")))?;
    let text = demo::configuration(&program.to_string_lossy());
    Ok(callsign_config::parse(Path::new("demo.json"), text.as_bytes())?)
}

fn started(fleet: &NamedFleet<'_>) -> Result<String, Failure> {
    let mut text = format!(
        "{HEADING}1  {} started over stdio and asked for their tools{HEADING:#}\n\n",
        count(fleet.known.len(), "MCP server")
    );
    let mut table = Table::new(["SERVER", "TOOLS", "READY AFTER"]);
    for known in &fleet.known {
        let key = &known.chosen.entry.key;
        let Ok(catalogue) = &known.catalogue else {
            return Err(Failure::new(format!("the server `{key}` did not answer")));
        };
        let ready = known.milliseconds.map(|ms| format!("{ms} ms")).unwrap_or_default();
        let tools = catalogue.tools().len().to_string();
        table.row([(key.to_string(), NAME), (tools, DIM), (ready, DIM)]);
    }
    text.push_str(&table.render());
    Ok(text + "\n")
}

fn collisions(fleet: &NamedFleet<'_>) -> String {
    let audited = fleet.known.iter().map(catalogues::audited).collect();
    let scheme = Qualified::default();
    let findings = audit::audit(&Fleet::new(&scheme, audited));
    let mut text = format!(
        "{HEADING}2  What a host that puts them into one table would get wrong{HEADING:#}\n\n"
    );
    for finding in findings {
        let style = match finding.severity() {
            audit::Severity::Error => output::ERROR,
            audit::Severity::Warning => output::WARNING,
            audit::Severity::Info => output::INFO,
        };
        let (severity, code) = (finding.severity(), finding.code().code);
        let _ = writeln!(text, "{style}{severity}[{code}]{style:#}: {}", finding.message());
    }
    text + "\n"
}

fn names(fleet: &NamedFleet<'_>) -> String {
    let mut text = format!(
        "{HEADING}3  The names callsign gives them: one for every tool, whatever else is configured{HEADING:#}\n\n"
    );
    let mut table = Table::new(["SERVER", "TOOL", "NAME"]);
    for tool in &fleet.tools {
        let name = tool.name.as_ref().map_or_else(ToString::to_string, ToString::to_string);
        table.row([(tool.server.to_string(), DIM), (tool.wire.to_string(), DIM), (name, NAME)]);
    }
    text.push_str(&table.render());
    text + "\n"
}

/// Calls every tool that is called `request`, each by its exposed name.
fn calls(fleet: &NamedFleet<'_>) -> Result<String, Failure> {
    let (registry, _) = named::registry(fleet);
    let snapshot = registry.snapshot();
    let mut text = format!(
        "{HEADING}4  The same wire name twice, each call answered by its own server{HEADING:#}\n\n"
    );
    let no_arguments = RawValue::from_string("{}".into())
        .map_err(|error| Failure::new(format!("can't write the arguments: {error}")))?;
    let names: Vec<&str> = fleet
        .tools
        .iter()
        .filter(|tool| tool.wire.as_str() == "request")
        .filter_map(|tool| tool.name.as_deref().ok())
        .collect();
    for name in names {
        let entry = snapshot.resolve(name)?;
        let owner =
            fleet.known.iter().find(|known| Some(&known.chosen.entry.key) == entry.server());
        let Some(owner) = owner else { continue };
        let spec =
            live::startable(owner.chosen).map_err(|unchecked| Failure::new(unchecked.reason))?.spec;
        let limits = live::limits(&LIVE);
        let result = interrupt::block_on(async {
            let session = Session::open(&spec, &limits, &Memory::none())
                .await
                .map_err(|error| Failure::with_remedy(error.to_string(), error.remedy()))?;
            let result = session.call(entry.wire(), &no_arguments).await;
            session.close().await;
            result.map_err(|error| Failure::with_remedy(error.to_string(), error.remedy()))
        })??;
        let answer = escaped(&answer(&result));
        let _ = writeln!(
            text,
            "called {NAME}{name}{NAME:#}  {DIM}sent `{}` to {}{DIM:#}  {GOOD}answer:{GOOD:#} {answer}",
            entry.wire(),
            spec.key
        );
    }
    text.push_str("\nNow with your own servers: callsign check\n");
    Ok(text)
}

/// The text of a result's first content block.
fn answer(result: &RawValue) -> String {
    let result: serde_json::Value = serde_json::from_str(result.get()).unwrap_or_default();
    result["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}
