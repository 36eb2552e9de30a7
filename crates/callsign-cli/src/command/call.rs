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
use crate::{consent, evidence, interrupt, live};

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
    named::refuse_guessing(&fleet)?;
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
    let startable = live::startable(owner.chosen).map_err(|unchecked| {
        let key = escaped(&owner.chosen.entry.key);
        let reason = escaped(&unchecked.reason);
        let message = format!("server `{key}` can't be called: {reason}");
        Failure::with_remedy(message, unchecked.remedy.unwrap_or_default())
    })?;
    consent::obtain(&[&startable], arguments.live.yes)?;
    let spec = startable.spec;
    let limit = entry.options().and_then(|options| options.time_limit);
    let result = call(&spec, entry.wire(), &tool_arguments, &arguments.live, limit)?;
    let result = result.map_err(|failed| {
        if let (false, Some(error)) = (verbosity.quiet, failed.error()) {
            evidence::tell(&spec.key, error);
        }
        failed.told(&spec.key, entry.wire())
    })?;
    output::print_json(&format!("{}\n", result.get()))?;
    ended(&result, &spec.key, entry.wire())
}

/// What is known without asking anybody; of those whose tools are not, what they say. With `--live` all are asked.
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
    if arguments.live.live {
        return live::ask(known, &arguments.live, verbosity);
    }
    let (unknown, mut known): (Vec<Known<'_>>, Vec<_>) =
        known.into_iter().partition(|known| known.origin == Origin::Unchecked);
    if !unknown.is_empty() {
        known.extend(live::ask(unknown, &arguments.live, verbosity)?);
    }
    Ok(known)
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

/// Why a call gave no result.
enum Failed {
    /// The server could not be brought to the point where it can be called.
    Unready(FetchError),
    Call(CallError),
}

impl Failed {
    fn error(&self) -> Option<&FetchError> {
        match self {
            Self::Unready(error) => Some(error),
            Self::Call(CallError::Failed(error)) => Some(error),
            Self::Call(_) => None,
        }
    }

    fn told(&self, server: &ServerKey, wire: &WireName) -> Failure {
        let (server, wire) = (escaped(server), escaped(wire));
        match self {
            Self::Unready(error) => {
                Failure::with_remedy(format!("server `{server}`: {error}"), error.remedy())
            }
            Self::Call(error) => Failure::with_remedy(
                format!("tool `{wire}` of server `{server}`: {}", escaped(&error.to_string())),
                error.remedy(),
            ),
        }
    }
}

/// Starts the server, calls it by the name it knows, and ends it.
fn call(
    spec: &ServerSpec,
    wire: &WireName,
    arguments: &RawValue,
    live: &LiveArguments,
    limit: Option<Duration>,
) -> Result<Result<Box<RawValue>, Failed>, Failure> {
    let mut limits = live::limits(live);
    // What is said for this call counts before what is said for every call.
    limits.call = limit.filter(|_| live.timeout.is_none()).unwrap_or(limits.call);
    let memory = live::memory();
    interrupt::block_on(async {
        let session = Session::open(spec, &limits, &memory).await.map_err(Failed::Unready)?;
        let result = session.call(wire, arguments).await;
        session.close().await;
        result.map_err(Failed::Call)
    })
}

/// What the result says of itself: a tool that fails says so in a result, and one that wants to be asked again is not done.
fn ended(result: &RawValue, server: &ServerKey, wire: &WireName) -> Result<Status, Failure> {
    let Ok(fields) = callsign::catalogue::fields(result.get()) else { return Ok(exit::SUCCESS) };
    if fields.get("resultType") == Some(r#""input_required""#) {
        let (server, wire) = (escaped(server), escaped(wire));
        return Err(Failure::with_remedy(
            format!("tool `{wire}` of server `{server}` did not answer: it asks for more input"),
            "`call` has nobody to ask; call it from a client that has",
        ));
    }
    Ok(if fields.get("isError") == Some("true") { exit::FINDINGS } else { exit::SUCCESS })
}
