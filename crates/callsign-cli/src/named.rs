//! The tools of the chosen servers with their names: what `list`, `alias`, `which` and `call` look at.

use std::sync::Arc;

use callsign::audit;
use callsign::registry::{Load, LoadedFleet, Miss, Registration, Registry, ToolOptions};
use callsign::scheme::{NameError, Scheme};
use callsign::{ExposedName, ServerKey, WireName};
use callsign_mcp::Memory;

use crate::arguments::{LiveArguments, SchemeArguments};
use crate::catalogues::{self, Known, Origin};
use crate::command::Verbosity;
use crate::configuration::Configuration;
use crate::failure::Failure;
use crate::output::{self, escaped};
use crate::{live, naming};

/// Servers, a scheme, and the names it gives their tools.
pub(crate) struct NamedFleet<'a> {
    pub(crate) known: Vec<Known<'a>>,
    pub(crate) scheme: Arc<dyn Scheme>,
    /// In the configuration's order of servers, each server's in advertised order.
    pub(crate) tools: Vec<NamedTool>,
}

pub(crate) struct NamedTool {
    pub(crate) server: ServerKey,
    pub(crate) wire: WireName,
    pub(crate) name: Result<ExposedName, NameError>,
}

/// What is known of the chosen servers: what the configuration lists, else what they said when last asked; with `--live`
/// what they say now.
///
/// # Errors
/// If nothing is known of any of them.
pub(crate) fn known<'a>(
    configuration: &'a Configuration,
    only: &[String],
    live: &LiveArguments,
    verbosity: Verbosity,
) -> Result<Vec<Known<'a>>, Failure> {
    let chosen = configuration.choose(only)?;
    let known: Vec<Known<'_>> =
        chosen.into_iter().map(catalogues::from_configuration).collect::<Result<_, _>>()?;
    let known = if live.live {
        live::ask(known, live, verbosity)?
    } else {
        let memory = live::memory();
        known.into_iter().map(|known| recalled(known, &memory)).collect::<Result<_, _>>()?
    };
    if !known.is_empty() && known.iter().all(|known| known.origin == Origin::Unchecked) {
        return Err(nothing_known(&known, live.live));
    }
    Ok(known)
}

/// What the server said when it was last asked, if the configuration does not list its tools.
pub(crate) fn recalled<'a>(known: Known<'a>, memory: &Memory) -> Result<Known<'a>, Failure> {
    if known.origin != Origin::Unchecked {
        return Ok(known);
    }
    let startable = live::startable(known.chosen).ok();
    let Some(remembered) = startable.and_then(|startable| memory.catalogue(&startable.spec)) else {
        return Ok(known);
    };
    let catalogue = catalogues::filtered(known.chosen, remembered.catalogue)?;
    Ok(Known { origin: Origin::Cached, catalogue: Ok(catalogue), ..known })
}

fn nothing_known(known: &[Known<'_>], live: bool) -> Failure {
    let reasons: Vec<String> = known
        .iter()
        .filter_map(|known| {
            let reason = &known.catalogue.as_ref().err()?.reason;
            Some(format!("\n  {}: {}", escaped(&known.chosen.entry.key), escaped(reason)))
        })
        .collect();
    let remedy =
        if live { "see what each server wrote above" } else { "ask the servers with --live" };
    Failure::with_remedy(format!("no server's tools are known:{}", reasons.concat()), remedy)
}

/// Names every tool of the servers.
pub(crate) fn fleet<'a>(
    known: Vec<Known<'a>>,
    configuration: &Configuration,
    scheme: &SchemeArguments,
    default: &str,
) -> Result<NamedFleet<'a>, Failure> {
    let audited: Vec<audit::Server> = known.iter().map(catalogues::audited).collect();
    let identities = || audited.iter().flat_map(audit::Server::identities);
    let scheme = naming::scheme(scheme, &configuration.settings(), default, identities())?;
    let tools = identities()
        .map(|(server, wire)| NamedTool {
            server: server.clone(),
            wire: wire.clone(),
            name: scheme.name(server, wire),
        })
        .collect();
    Ok(NamedFleet { known, scheme, tools })
}

/// Registers what can be, each server completely, and says which are missing.
pub(crate) fn registry(fleet: &NamedFleet<'_>) -> (Registry, LoadedFleet) {
    let mut registry = Registry::with_scheme(Arc::clone(&fleet.scheme));
    let loads = fleet.known.iter().map(|known| {
        let entry = known.chosen.entry;
        let options = entry.options.iter().map(|options| {
            let set = ToolOptions {
                time_limit: options.time_limit,
                hidden: options.hidden,
                description: options.description.clone(),
            };
            (options.wire.value.to_string(), set)
        });
        Load {
            server: entry.key.clone(),
            catalogue: known.catalogue.clone().map_err(|unchecked| unchecked.reason),
            registration: Registration { options: options.collect(), ..Registration::default() },
        }
    });
    let outcome = registry.load_available(loads.collect());
    (registry, outcome)
}

/// A line for each server whose tools are not known; a list that leaves one out must say so.
pub(crate) fn unknown_servers(fleet: &NamedFleet<'_>) -> String {
    let warning = output::WARNING;
    let lines = fleet.known.iter().filter_map(|known| {
        let reason = escaped(&known.catalogue.as_ref().err()?.reason);
        let key = escaped(&known.chosen.entry.key);
        Some(format!("{warning}warning{warning:#}: server `{key}` is left out: {reason}\n"))
    });
    lines.collect()
}

/// Why a name does not resolve: several tools claim it, its server is not loaded, or nobody has it.
pub(crate) fn unresolved(fleet: &NamedFleet<'_>, outcome: &LoadedFleet, miss: Miss) -> Failure {
    let claims = |tool: &&NamedTool| matches!(&tool.name, Ok(name) if **name == *miss.asked);
    let claimants: Vec<String> = fleet
        .tools
        .iter()
        .filter(claims)
        .map(|tool| format!("`{}` of server `{}`", escaped(&tool.wire), escaped(&tool.server)))
        .collect();
    let asked = escaped(&miss.asked);
    match claimants.len() {
        0 => {}
        1 => {
            let key = fleet.tools.iter().find(claims).map(|tool| &tool.server);
            if let Some(error) = key.and_then(|key| outcome.missing.get(key)) {
                return Failure::new(format!("`{asked}` is not served: {error}"));
            }
        }
        _ => {
            return Failure::with_remedy(
                format!("`{asked}` is claimed by {}", claimants.join(" and ")),
                "load one of the servers under another key, or choose another --scheme",
            );
        }
    }
    let unknown: Vec<String> = fleet
        .known
        .iter()
        .filter(|known| known.catalogue.is_err())
        .map(|known| escaped(&known.chosen.entry.key))
        .collect();
    if unknown.is_empty() {
        return miss.into();
    }
    let ask = format!("the tools of {} are not known: ask them with --live", unknown.join(", "));
    Failure::with_remedies(miss.headline(), miss.hints().into_iter().chain([ask]))
}
