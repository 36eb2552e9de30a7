//! `callsign call NAME`: calls one tool by its exposed name.

use std::time::Duration;

use callsign::{ServerKey, WireName};
use callsign_mcp::{CallError, FetchError, ServerSpec, Session};
use clap::Args;
use serde_json::value::RawValue;

use super::Verbosity;
use crate::arguments::{ConfigurationArguments, LiveArguments, SchemeArguments};
use crate::catalogues::{self, Known, Origin};
use crate::configuration::Configuration;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::named;
use crate::output::{self, escaped};
use crate::{consent, interrupt, live};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The exposed name of the tool.
    name: String,
    /// The arguments, a JSON object; `-` reads it from standard input.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,
    #[command(flatten)]
    configuration: ConfigurationArguments,
    #[command(flatten)]
    scheme: SchemeArguments,
    #[command(flatten)]
    live: LiveArguments,
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let tool_arguments = object(&arguments.args)?;
    let configuration = Configuration::read(&arguments.configuration)?;
    let known = known(&configuration, arguments, verbosity)?;
    let fleet = named::fleet(known, &configuration, &arguments.scheme, "qualified")?;
    let (registry, outcome) = named::registry(&fleet);
    let snapshot = registry.snapshot();
    let entry = snapshot
        .resolve(&arguments.name)
        .map_err(|miss| named::unresolved(&fleet, &outcome, miss))?;
    let Some(owner) =
        fleet.known.iter().find(|known| Some(&known.chosen.entry.key) == entry.server())
    else {
        return Err(Failure::new("only tools of servers can be called"));
    };
    consent::obtain(&[owner.chosen], arguments.live.yes)?;
    let spec = live::spec(owner.chosen).map_err(|unchecked| {
        let key = escaped(&owner.chosen.entry.key);
        let message = format!("server `{key}` can't be called: {}", unchecked.reason);
        Failure::with_remedy(message, unchecked.remedy.unwrap_or_default())
    })?;
    let limit = entry.options().and_then(|options| options.time_limit);
    let result = call(&spec, entry.wire(), &tool_arguments, &arguments.live, limit)?;
    output::print_raw(&format!("{}\n", result.get()))?;
    Ok(if says_error(&result) { exit::FINDINGS } else { exit::SUCCESS })
}

/// What is known without asking anybody, if that is enough to know whose the name is; else all chosen servers are asked.
fn known<'a>(
    configuration: &'a Configuration,
    arguments: &Arguments,
    verbosity: Verbosity,
) -> Result<Vec<Known<'a>>, Failure> {
    let chosen = configuration.choose(&arguments.configuration.only)?;
    let memory = live::memory();
    let known: Vec<Known<'_>> = chosen
        .into_iter()
        .map(|chosen| named::recalled(catalogues::from_configuration(chosen)?, &memory))
        .collect::<Result<_, _>>()?;
    let complete = known.iter().all(|known| known.origin != Origin::Unchecked);
    if complete && !arguments.live.live {
        Ok(known)
    } else {
        live::ask(known, &arguments.live, verbosity)
    }
}

fn object(text: &str) -> Result<Box<RawValue>, Failure> {
    let read;
    let text = if text == "-" {
        read = std::io::read_to_string(std::io::stdin())?;
        read.trim()
    } else {
        text.trim()
    };
    let wrong =
        |what: String| Failure::with_remedy(what, r#"write a JSON object: --args '{"path":"a"}'"#);
    callsign::catalogue::fields(text)
        .map_err(|error| wrong(format!("--args is not a JSON object: {error}")))?;
    RawValue::from_string(text.to_owned())
        .map_err(|error| wrong(format!("--args is not JSON: {error}")))
}

/// Starts the server, calls it by the name it knows, and ends it.
fn call(
    spec: &ServerSpec,
    wire: &WireName,
    arguments: &RawValue,
    live: &LiveArguments,
    limit: Option<Duration>,
) -> Result<Box<RawValue>, Failure> {
    let mut limits = live::limits(live);
    limits.call = limit.unwrap_or(limits.call);
    let memory = live::memory();
    interrupt::block_on(async {
        let session = Session::open(spec, &limits, &memory)
            .await
            .map_err(|error| unanswered(&spec.key, &error))?;
        let result = session.call(wire, arguments).await;
        session.close().await;
        result.map_err(|error| refused(&spec.key, wire, &error))
    })?
}

fn unanswered(server: &ServerKey, error: &FetchError) -> Failure {
    let wrote = error.evidence().map(|evidence| evidence.stderr.as_str()).filter(|s| !s.is_empty());
    let wrote = wrote.map(|text| format!("\nit wrote:\n{}", output::escaped_lines(text)));
    let message = format!("server `{}`: {error}{}", escaped(server), wrote.unwrap_or_default());
    Failure::with_remedy(message, error.remedy())
}

fn refused(server: &ServerKey, wire: &WireName, error: &CallError) -> Failure {
    let (server, wire) = (escaped(server), escaped(wire));
    let message = format!("tool `{wire}` of server `{server}`: {}", escaped(&error.to_string()));
    Failure::with_remedy(message, error.remedy())
}

/// A tool that fails gives a result that says so.
fn says_error(result: &RawValue) -> bool {
    callsign::catalogue::fields(result.get())
        .is_ok_and(|fields| fields.get("isError") == Some("true"))
}
