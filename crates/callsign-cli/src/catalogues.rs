//! What is known of each chosen server's tools, and how it came to be known.

use callsign::audit::{self, Launch, Unchecked};
use callsign::catalogue::Filter;
use callsign::name::nearest;
use callsign::{Catalogue, WireName};
use callsign_config::{Configured, Statics};

use crate::configuration::{Chosen, Configuration};
use crate::failure::Failure;
use crate::live;
use crate::output::escaped;

/// Where a catalogue comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Listed in the configuration.
    Static,
    /// The server said so just now.
    Live,
    /// The server said so when it was last asked.
    Cached,
    /// Nowhere: it is not known.
    Unchecked,
}

impl Origin {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Live => "live",
            Self::Cached => "cached",
            Self::Unchecked => "unchecked",
        }
    }
}

/// One server and what is known of its tools.
#[derive(Debug, Clone)]
pub(crate) struct Known<'a> {
    pub(crate) chosen: Chosen<'a>,
    pub(crate) origin: Origin,
    pub(crate) catalogue: Result<Catalogue, Unchecked>,
    /// From the start of the server to its complete list; `None` if it was not started.
    pub(crate) milliseconds: Option<u64>,
}

/// What the configuration itself says of a server's tools.
///
/// # Errors
/// A filter entry that names none of the listed tools, with its place.
pub(crate) fn from_configuration(chosen: Chosen<'_>) -> Result<Known<'_>, Failure> {
    let unchecked = |reason: &str| {
        Err(Unchecked {
            reason: reason.to_owned(),
            remedy: Some("ask the server with --live".into()),
        })
    };
    let catalogue = match &chosen.entry.statics {
        Statics::Listed(catalogue) => Ok(filtered_list(chosen, catalogue)?),
        Statics::AllowAll => {
            unchecked("its `tools` list is `*`, which allows all tools and names none")
        }
        _ => unchecked("the configuration does not list its tools"),
    };
    let origin = if catalogue.is_ok() { Origin::Static } else { Origin::Unchecked };
    Ok(Known { chosen, origin, catalogue, milliseconds: None })
}

/// The list of the configuration, less what the other filters leave out. The list itself filters nothing here: it is what
/// it would be held against.
fn filtered_list(chosen: Chosen<'_>, catalogue: &Catalogue) -> Result<Catalogue, Failure> {
    let (include, exclude) =
        (chosen.entry.filter.include.clone(), chosen.entry.filter.exclude.clone());
    let filter = Filter { tools: None, include, exclude };
    filtered_by(&filter, chosen, catalogue.clone())
}

/// Leaves out what the server's filter leaves out.
///
/// # Errors
/// A filter entry that names no tool of the catalogue, with its place and near misses.
pub(crate) fn filtered(chosen: Chosen<'_>, catalogue: Catalogue) -> Result<Catalogue, Failure> {
    filtered_by(&chosen.entry.filter, chosen, catalogue)
}

fn filtered_by(
    filter: &Filter,
    chosen: Chosen<'_>,
    mut catalogue: Catalogue,
) -> Result<Catalogue, Failure> {
    let entry = chosen.entry;
    let Err(unknown) = filter.apply(&entry.key, &mut catalogue) else {
        refuse_unknown_options(chosen, &catalogue)?;
        return Ok(catalogue);
    };
    let places: Vec<String> = unknown
        .iter()
        .map(|unknown| {
            let (written, spans) = match unknown.list {
                "include" => (&entry.filter.include, &entry.spans.include),
                "exclude" => (&entry.filter.exclude, &entry.spans.exclude),
                _ => (&entry.filter.tools, &entry.spans.tools),
            };
            let at = written.iter().flatten().position(|text| *text == unknown.entry);
            let span = at.and_then(|at| spans.get(at));
            let place = span.map_or(entry.place, |span| chosen.file.place(*span));
            let file = escaped(&chosen.file.path.to_string_lossy());
            format!("{file}:{place}: {}", escaped(&unknown.to_string()))
        })
        .collect();
    Err(Failure::with_remedy(
        places.join("\n"),
        "write the tool's wire name, or take the entry out: a filter entry that does nothing hides a mistake",
    ))
}

/// Options for a tool that is not there do nothing and hide a mistake.
fn refuse_unknown_options(chosen: Chosen<'_>, catalogue: &Catalogue) -> Result<(), Failure> {
    let has = |wire: &WireName| catalogue.tools().iter().any(|tool| tool.wire() == wire);
    let unknown = chosen.entry.options.iter().map(|options| &options.wire);
    let unknown: Vec<_> = unknown.filter(|wire| !has(&wire.value)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let (file, key) = (chosen.file.path.to_string_lossy(), &chosen.entry.key);
    let lines = unknown.into_iter().map(|wire| {
        let near = nearest(&wire.value, catalogue.tools().iter().map(|tool| tool.wire().as_str()));
        let near = match near[..] {
            [] => String::new(),
            _ => format!("; did you mean `{}`?", near.join("` or `")),
        };
        let (place, wire) = (wire.place, &wire.value);
        format!("{file}:{place}: server `{key}` has no tool `{wire}` to set options for{near}")
    });
    Err(Failure::with_remedy(
        lines.map(|line| escaped(&line)).collect::<Vec<_>>().join("\n"),
        "write the tool's wire name, or take the options out",
    ))
}

/// Everything that is configured, chosen or not: what `known` says of the chosen servers, and of the others what the
/// configuration lists or they said when they were last asked.
pub(crate) fn configured(configuration: &Configuration, known: &[Known<'_>]) -> Configured {
    let memory = live::memory();
    Configured::of(&configuration.files, |file, entry| {
        let chosen = known.iter().find(|known| std::ptr::eq(known.chosen.entry, entry));
        if let Some(Ok(catalogue)) = chosen.map(|known| &known.catalogue) {
            return Some(catalogue.clone());
        }
        let startable = live::startable(Chosen { file, entry }).ok()?;
        Some(memory.catalogue(&startable.spec)?.catalogue)
    })
}

/// The server as the audit wants it.
pub(crate) fn audited(known: &Known<'_>) -> audit::Server {
    let Chosen { entry, .. } = known.chosen;
    let launch = match (&entry.launch.command, &entry.launch.url) {
        (Some(command), None) => {
            // The same words in another folder may be another program. An option, so that it does not count as the name
            // of a package.
            let folder = match entry.launch.depends_on_folder() {
                true => format!("-in {}", known.chosen.folder().display()),
                false => "-anywhere".to_owned(),
            };
            let words = entry.launch.args.iter().map(String::as_str).chain([&*folder]);
            Some(Launch::command(command, words, settings(known.chosen)))
        }
        (None, Some(url)) => Some(Launch::address(url, settings(known.chosen))),
        _ => None,
    };
    audit::Server { key: entry.key.clone(), launch, catalogue: known.catalogue.clone() }
}

/// Only compared, never shown: two entries with equal surroundings give equal texts.
fn settings(chosen: Chosen<'_>) -> String {
    let launch = &chosen.entry.launch;
    let env_file = launch.env_file.iter().map(|file| {
        let file = chosen.file.project().join(file);
        format!("{}\n", std::path::absolute(&file).unwrap_or(file).display())
    });
    let secrets = launch.env.iter().chain(&launch.headers);
    let secrets = secrets.map(|(name, value)| format!("{name}={}\n", value.expose()));
    env_file.chain(secrets).collect()
}

/// The server with what its entry says of prompts and resources, if its tools are not known.
pub(crate) fn described(known: &Known<'_>) -> Option<audit::Server> {
    let described = &known.chosen.entry.described;
    let says = !described.prompts().is_empty() || !described.resources().is_empty();
    (known.catalogue.is_err() && says)
        .then(|| audit::Server { catalogue: Ok(described.clone()), ..audited(known) })
}
