//! The tools of the chosen servers with their names: what `list`, `alias`, `which` and `call` look at.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use callsign::audit;
use callsign::registry::{
    Load, LoadedFleet, Miss, Registration, Registry, ToolOptions, Unreadable,
};
use callsign::scheme::{NameError, Scheme};
use callsign::{Catalogue, ExposedName, ServerKey, WireName};
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
    pub(crate) name: Result<ExposedName, Unnamed>,
}

impl NamedTool {
    /// Whether it would answer to this name, alone or not.
    fn claims(&self, asked: &str) -> bool {
        match &self.name {
            Ok(name) | Err(Unnamed::Claimed { name, .. }) => **name == *asked,
            Err(Unnamed::Illegal(_)) => false,
        }
    }
}

/// Why a tool has no name.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unnamed {
    /// The scheme can't make one.
    #[error(transparent)]
    Illegal(NameError),
    /// Others would have it too, so nobody has it.
    #[error("`{name}` is claimed by {}", escaped(.claimants))]
    Claimed { name: ExposedName, claimants: String },
}

impl Unnamed {
    /// In few words, for a table.
    pub(crate) fn in_short(&self) -> String {
        match self {
            Self::Illegal(error) => format!("`{}` {}", error.spelling, error.problem),
            Self::Claimed { .. } => self.to_string(),
        }
    }

    pub(crate) fn remedy(&self) -> String {
        match self {
            Self::Illegal(error) => error.remedy(),
            Self::Claimed { .. } => CLAIMED_REMEDY.into(),
        }
    }
}

const CLAIMED_REMEDY: &str =
    "load one of the servers under another key, or choose another --scheme";

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
    let mut tools: Vec<NamedTool> = identities()
        .map(|(server, wire)| NamedTool {
            server: server.clone(),
            wire: wire.clone(),
            name: scheme.name(server, wire).map_err(Unnamed::Illegal),
        })
        .collect();
    take_claimed_names(&mut tools);
    Ok(NamedFleet { known, scheme, tools })
}

/// A name that two tools claim is nobody's: the registry gives it to none of them, so no list may show it.
fn take_claimed_names(tools: &mut [NamedTool]) {
    let mut claimed = HashMap::<ExposedName, Vec<usize>>::new();
    for (index, tool) in tools.iter().enumerate() {
        if let Ok(name) = &tool.name {
            claimed.entry(name.clone()).or_default().push(index);
        }
    }
    for (name, claiming) in claimed.into_iter().filter(|(_, claiming)| claiming.len() > 1) {
        let claimants = claimants(claiming.iter().filter_map(|&index| tools.get(index)));
        for index in claiming {
            if let Some(tool) = tools.get_mut(index) {
                let (name, claimants) = (name.clone(), claimants.clone());
                tool.name = Err(Unnamed::Claimed { name, claimants });
            }
        }
    }
}

fn claimants<'t>(tools: impl Iterator<Item = &'t NamedTool>) -> String {
    let claimants = tools
        .map(|tool| format!("`{}` of server `{}`", escaped(&tool.wire), escaped(&tool.server)));
    claimants.collect::<Vec<_>>().join(" and ")
}

/// Takes the tools that their options hide out of the fleet, and says how many.
pub(crate) fn take_hidden(fleet: &mut NamedFleet<'_>) -> usize {
    let entries = fleet.known.iter().map(|known| known.chosen.entry);
    let hidden: HashSet<(&ServerKey, &WireName)> = entries
        .flat_map(|entry| entry.options.iter().map(move |options| (&entry.key, options)))
        .filter(|(_, options)| options.hidden)
        .map(|(key, options)| (key, &options.wire.value))
        .collect();
    let all = fleet.tools.len();
    fleet.tools.retain(|tool| !hidden.contains(&(&tool.server, &tool.wire)));
    all - fleet.tools.len()
}

/// What can't be read of a server's listing costs only itself, and is said.
fn tell_unreadable(known: &Known<'_>) {
    let malformed = known.catalogue.as_ref().map_or(&[][..], Catalogue::malformed);
    for malformed in malformed {
        let (warning, key) = (output::WARNING, escaped(&known.chosen.entry.key));
        let name = malformed.name.as_ref().map(|name| format!(" `{}`", escaped(name)));
        output::print_error(&format!(
            "{warning}warning{warning:#}: server `{key}`: tool{} at position {} is left out: {}\n",
            name.unwrap_or_default(),
            malformed.position + 1,
            escaped(&malformed.reason.to_string())
        ));
    }
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
        tell_unreadable(known);
        Load {
            server: entry.key.clone(),
            catalogue: known.catalogue.clone().map_err(|unchecked| unchecked.reason),
            registration: Registration {
                options: options.collect(),
                unreadable: Unreadable::LeaveOut,
                ..Registration::default()
            },
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

/// Under a scheme that does not spell the server key, a server whose tools are not known may have the very name: to call
/// another for it would be to guess.
///
/// # Errors
/// If the scheme is such a one and some server's tools are not known.
pub(crate) fn refuse_guessing(fleet: &NamedFleet<'_>) -> Result<(), Failure> {
    let unknown: Vec<String> = fleet
        .known
        .iter()
        .filter(|known| known.catalogue.is_err())
        .map(|known| format!("`{}`", escaped(&known.chosen.entry.key)))
        .collect();
    if fleet.scheme.spells_key() || unknown.is_empty() {
        return Ok(());
    }
    Err(Failure::with_remedy(
        format!(
            "names by `{}` don't say whose they are, and the tools of {} are not known",
            fleet.scheme.id(),
            unknown.join(", ")
        ),
        "use a scheme that spells the server key (`qualified`, `prefixed`), or choose servers with --only",
    ))
}

/// Why a name does not resolve: several tools claim it, its server is not loaded, or nobody has it.
pub(crate) fn unresolved(fleet: &NamedFleet<'_>, outcome: &LoadedFleet, miss: Miss) -> Failure {
    let asked = escaped(&miss.asked);
    let claiming: Vec<&NamedTool> =
        fleet.tools.iter().filter(|tool| tool.claims(&miss.asked)).collect();
    match claiming[..] {
        [] => {}
        [one] => {
            if let Some(error) = outcome.missing.get(&one.server) {
                return Failure::new(format!("`{asked}` is not served: {error}"));
            }
        }
        _ => {
            let claimants = claimants(claiming.into_iter());
            return Failure::with_remedy(
                format!("`{asked}` is claimed by {claimants}"),
                CLAIMED_REMEDY,
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
