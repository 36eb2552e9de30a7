//! Asking servers for their tools: consent first, all at once, each with a limit.

use std::time::Duration;

use callsign::audit::Unchecked;
use callsign_config::Transport;
use callsign_mcp::{FetchError, Fetched, Launch, Limits, Memory, Secret, ServerSpec, fetch_all};

use crate::arguments::LiveArguments;
use crate::catalogues::{self, Known, Origin};
use crate::command::Verbosity;
use crate::configuration::Chosen;
use crate::failure::Failure;
use crate::output::{self, escaped};
use crate::progress::ProgressLine;
use crate::{consent, evidence, interrupt, state_folder};

/// What was learnt in earlier runs.
pub(crate) fn memory() -> Memory {
    state_folder::cache().map_or_else(Memory::none, |cache| Memory::at(cache.join("servers")))
}

/// The limits of this run.
pub(crate) fn limits(arguments: &LiveArguments) -> Limits {
    let usual = Limits::default();
    match arguments.timeout {
        Some(limit) => Limits { start: limit, call: limit, ..usual },
        None => usual,
    }
}

/// A server that can be started or reached, and how: what is consented to is what is started.
#[derive(Debug, Clone)]
pub(crate) struct Startable<'a> {
    pub(crate) chosen: Chosen<'a>,
    pub(crate) spec: ServerSpec,
    /// Of the launch with its variables and its environment file put in.
    pub(crate) digest: String,
}

/// How a server is started or reached, with its variables put in.
///
/// # Errors
/// Why it can't be: the entry says too little or too much, or a variable is not set.
pub(crate) fn startable(chosen: Chosen<'_>) -> Result<Startable<'_>, Unchecked> {
    let cannot = |reason: &str, remedy: &str| {
        Err(Unchecked { reason: reason.into(), remedy: Some(remedy.into()) })
    };
    let entry = chosen.entry;
    match entry.transport {
        Transport::Stdio | Transport::Http => {}
        Transport::Sse => {
            return cannot(
                "it speaks HTTP+SSE, the transport of revision 2024-11-05, which callsign does not",
                "use its Streamable HTTP address, if it has one",
            );
        }
        Transport::Ambiguous => {
            return cannot("its entry has both a command and an address", "take one of them out");
        }
        Transport::Unknown => {
            return cannot("its entry has neither a command nor an address", "add one of them");
        }
        other => {
            return cannot(
                &format!("callsign can't start a server of transport `{}`", other.as_str()),
                "list its tools statically",
            );
        }
    }
    let variable = |name: &str| std::env::var(name).ok();
    let expanded = entry.expand(chosen.file.project(), &variable).map_err(|error| Unchecked {
        reason: escaped(&format!("{} in `{}`", error.cause, error.field)),
        remedy: Some(escaped(&error.cause.remedy())),
    })?;
    let secrets = |pairs: &[(String, callsign_config::Secret)]| -> Vec<(String, Secret)> {
        pairs.iter().map(|(name, value)| (name.clone(), Secret::new(value.expose()))).collect()
    };
    let launch = match (expanded.command.clone(), expanded.url.clone()) {
        (Some(command), _) => Launch::Stdio {
            command,
            args: expanded.args.clone(),
            env: secrets(&expanded.env),
            cwd: expanded.cwd.clone(),
        },
        (None, Some(url)) => Launch::Http { url, headers: secrets(&expanded.headers) },
        (None, None) => return cannot("its entry has neither a command nor an address", "add one"),
    };
    let further = expanded.secrets().map(Secret::new).collect();
    let spec = ServerSpec { key: entry.key.clone(), launch, secrets: further };
    Ok(Startable { chosen, spec, digest: expanded.digest() })
}

/// Replaces what is known of each server by what it says itself. Servers that can't be started keep a static list.
pub(crate) fn ask<'a>(
    known: Vec<Known<'a>>,
    arguments: &LiveArguments,
    verbosity: Verbosity,
) -> Result<Vec<Known<'a>>, Failure> {
    ask_remembering(known, arguments, verbosity, &memory())
}

/// As [`ask`], remembering elsewhere or not at all.
pub(crate) fn ask_remembering<'a>(
    known: Vec<Known<'a>>,
    arguments: &LiveArguments,
    verbosity: Verbosity,
    memory: &Memory,
) -> Result<Vec<Known<'a>>, Failure> {
    let specs: Vec<Result<Startable<'_>, Unchecked>> =
        known.iter().map(|known| startable(known.chosen)).collect();
    let wanted: Vec<&Startable<'_>> = specs.iter().flatten().collect();
    consent::obtain(&wanted, arguments.yes)?;
    let wanted: Vec<ServerSpec> = wanted.into_iter().map(|wanted| wanted.spec.clone()).collect();
    let mut fetched = fetch(&wanted, arguments, verbosity, memory)?.into_iter();
    known
        .into_iter()
        .zip(specs)
        .map(|(known, spec)| match spec {
            Ok(_) => match fetched.next() {
                Some(outcome) => answered(known.chosen, outcome, verbosity),
                None => Ok(known),
            },
            Err(_) if known.catalogue.is_ok() => Ok(known),
            Err(unchecked) => {
                Ok(Known { origin: Origin::Unchecked, catalogue: Err(unchecked), ..known })
            }
        })
        .collect()
}

fn fetch(
    specs: &[ServerSpec],
    arguments: &LiveArguments,
    verbosity: Verbosity,
    memory: &Memory,
) -> Result<Vec<Result<Fetched, FetchError>>, Failure> {
    if specs.is_empty() {
        return Ok(Vec::new());
    }
    let mut line = ProgressLine::new(specs.len(), output::is_watched() && !verbosity.quiet);
    let limits = limits(arguments);
    let outcome = interrupt::block_on(async {
        fetch_all(specs, &limits, memory, &|progress| line.note(&progress)).await
    });
    line.finish();
    Ok(outcome?.into_iter().map(|(_, outcome)| outcome).collect())
}

fn answered<'a>(
    chosen: Chosen<'a>,
    outcome: Result<Fetched, FetchError>,
    verbosity: Verbosity,
) -> Result<Known<'a>, Failure> {
    match outcome {
        Ok(fetched) => {
            if !verbosity.quiet {
                tell_notes(chosen, &fetched);
            }
            Ok(Known {
                chosen,
                origin: Origin::Live,
                catalogue: Ok(catalogues::filtered(chosen, fetched.catalogue)?),
                milliseconds: Some(milliseconds(fetched.elapsed)),
            })
        }
        Err(error) => {
            if !verbosity.quiet {
                evidence::tell(&chosen.entry.key, &error);
            }
            let (reason, remedy) =
                (escaped(&error.to_string()), Some(escaped(&error.remedy().to_string())));
            let catalogue = Err(Unchecked { reason, remedy });
            Ok(Known { chosen, origin: Origin::Unchecked, catalogue, milliseconds: None })
        }
    }
}

fn milliseconds(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

fn tell_notes(chosen: Chosen<'_>, fetched: &Fetched) {
    let key = escaped(&chosen.entry.key);
    for note in &fetched.notes {
        output::print_error(&format!("note: server `{key}`: {note}\n"));
    }
}
