//! Which files are read and which of their servers are meant. All of it is decided before any server is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use callsign::ServerKey;
use callsign::audit;
use callsign::name::nearest;
use callsign_config::{ConfigFile, Placed, ServerEntry, Settings, ToolOptions};

use crate::arguments::ConfigurationArguments;
use crate::failure::Failure;
use crate::output::escaped;

/// Configuration files, as read.
#[derive(Debug)]
pub(crate) struct Configuration {
    pub(crate) files: Vec<ConfigFile>,
}

/// One server that is meant, and where its entry is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chosen<'a> {
    pub(crate) file: &'a ConfigFile,
    pub(crate) entry: &'a ServerEntry,
}

impl Configuration {
    /// Reads the files named, or finds those that apply here.
    pub(crate) fn read(arguments: &ConfigurationArguments) -> Result<Self, Failure> {
        let files = match &arguments.config[..] {
            [] => found()?,
            named => read_all(named)?,
        };
        if let Some(file) = files.iter().find(|file| unknown_scheme(&file.settings).is_some()) {
            return Err(unknown_scheme_failure(file));
        }
        files.iter().try_for_each(refuse_unknown_codes)?;
        Ok(Self { files })
    }

    /// The settings of callsign.toml, if one was read.
    pub(crate) fn settings(&self) -> Settings {
        let own = self.files.iter().find(|file| file.client == "callsign");
        own.map(|file| file.settings.clone()).unwrap_or_default()
    }

    /// The servers that are meant: enabled, of this project's scope, and of `only` where that is given. Two that can't be
    /// told apart are an error only if both are meant.
    pub(crate) fn choose(&self, only: &[String]) -> Result<Vec<Chosen<'_>>, Failure> {
        let only = self.selection(only)?;
        let here = std::env::current_dir().unwrap_or_default();
        let here = std::fs::canonicalize(&here).unwrap_or(here);
        let (meant, elsewhere): (Vec<Chosen<'_>>, Vec<_>) = self
            .files
            .iter()
            .flat_map(|file| file.servers.iter().map(move |entry| Chosen { file, entry }))
            .filter(|chosen| is_of(&only, chosen.entry))
            .partition(|chosen| in_scope(chosen.entry, &here));
        refuse_other_projects(&only, &meant, &elsewhere)?;
        let of_projects: Vec<Chosen<'_>> =
            meant.iter().filter(|chosen| chosen.entry.scope.is_some()).copied().collect();
        let meant: Vec<Chosen<'_>> =
            meant.into_iter().filter(|chosen| !is_shadowed(chosen, &of_projects)).collect();
        let (disabled, enabled): (Vec<Chosen<'_>>, Vec<_>) =
            meant.into_iter().partition(|chosen| chosen.entry.disabled);
        refuse_disabled(&only, &disabled, &enabled)?;
        one_of_each(enabled)
    }

    /// The keys that `only` names: each text as it is if there is such a key, else its parts between commas.
    ///
    /// # Errors
    /// A key that names no server is a mistake.
    pub(crate) fn selection(&self, only: &[String]) -> Result<Vec<String>, Failure> {
        let known: Vec<&str> = self
            .files
            .iter()
            .flat_map(|file| &file.servers)
            .map(|entry| entry.key.as_str())
            .collect();
        let split = |text: &String| match known.contains(&text.as_str()) {
            true => vec![text.clone()],
            false => text.split(',').map(str::to_owned).collect(),
        };
        let keys: Vec<String> = only.iter().flat_map(split).collect();
        let Some(unknown) = keys.iter().find(|key| !known.contains(&key.as_str())) else {
            return Ok(keys);
        };
        Err(Failure::with_remedy(
            format!("--only {}: the configuration has no such server", escaped(unknown)),
            match known[..] {
                [] => "it has no servers at all".into(),
                _ => format!("its servers are {}", escaped(&known.join(", "))),
            },
        ))
    }
}

impl Chosen<'_> {
    /// The folder it starts in. Where a variable in it has no value, which a start would refuse, as it is written.
    pub(crate) fn folder(&self) -> PathBuf {
        let (entry, project) = (self.entry, self.file.project());
        let variable = |name: &str| std::env::var(name).ok();
        entry.folder(project, &variable).unwrap_or_else(|_| {
            let written = entry.launch.cwd.as_deref().unwrap_or_default();
            project.join(written)
        })
    }
}

/// Whether the keys, if there are any, name the entry.
pub(crate) fn is_of(only: &[String], entry: &ServerEntry) -> bool {
    only.is_empty() || only.iter().any(|key| *key == *entry.key)
}

/// To check nothing and say nothing would look like a pass.
fn refuse_other_projects(
    only: &[String],
    meant: &[Chosen<'_>],
    elsewhere: &[Chosen<'_>],
) -> Result<(), Failure> {
    let is_here = |key: &str| meant.iter().any(|chosen| *chosen.entry.key == *key);
    let message = match only.iter().find(|key| !is_here(key)) {
        Some(key) => format!("--only {}: that server belongs to another project", escaped(key)),
        None if meant.is_empty() && !elsewhere.is_empty() => {
            "every server of the configuration belongs to another project".to_owned()
        }
        None => return Ok(()),
    };
    let mut projects: Vec<String> = elsewhere
        .iter()
        .filter(|chosen| only.is_empty() || !is_here(&chosen.entry.key))
        .filter_map(|chosen| chosen.entry.scope.as_deref().map(escaped))
        .collect();
    projects.sort_unstable();
    projects.dedup();
    Err(Failure::with_remedy(message, format!("run it in {}", projects.join(" or in "))))
}

/// Asked for by name and switched off: to check nothing and say nothing would look like a pass.
fn refuse_disabled(
    only: &[String],
    disabled: &[Chosen<'_>],
    enabled: &[Chosen<'_>],
) -> Result<(), Failure> {
    let is_on = |off: &Chosen<'_>| enabled.iter().any(|on| on.entry.key == off.entry.key);
    let Some(off) = disabled.iter().find(|off| !only.is_empty() && !is_on(off)) else {
        return Ok(());
    };
    Err(Failure::with_remedy(
        format!("--only {}: that server is disabled ({})", escaped(&off.entry.key), place(*off)),
        "enable it in the configuration",
    ))
}

/// Within one file, the entry of the nearest project hides the others of its key.
fn is_shadowed(chosen: &Chosen<'_>, of_projects: &[Chosen<'_>]) -> bool {
    let length = |chosen: &Chosen<'_>| chosen.entry.scope.as_ref().map_or(0, String::len);
    of_projects.iter().any(|other| {
        std::ptr::eq(other.file, chosen.file)
            && other.entry.key == chosen.entry.key
            && length(other) > length(chosen)
    })
}

fn one_of_each(servers: Vec<Chosen<'_>>) -> Result<Vec<Chosen<'_>>, Failure> {
    let mut first = BTreeMap::<&ServerKey, Chosen<'_>>::new();
    let mut chosen = Vec::with_capacity(servers.len());
    for server in servers {
        match first.get(&server.entry.key) {
            Some(first) => refuse_another(*first, server)?,
            None => {
                first.insert(&server.entry.key, server);
                chosen.push(server);
            }
        }
    }
    Ok(chosen)
}

/// The files that apply here: callsign.toml, and the clients' files if it has no servers of its own.
fn found() -> Result<Vec<ConfigFile>, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("can't tell the current folder: {error}")))?;
    let home = crate::state_folder::home();
    // Relative paths read better, and the same project gives the same output in any folder.
    let relative = |path: PathBuf| path.strip_prefix(&here).map_or(path.clone(), Path::to_owned);
    let read =
        |paths: Vec<PathBuf>| read_all(&paths.into_iter().map(relative).collect::<Vec<PathBuf>>());
    let mut files = read(callsign_config::discover(&here, home.as_deref()))?;
    if files.iter().all(|file| file.client == "callsign" && file.servers.is_empty()) {
        files.extend(read(callsign_config::discover_clients(&here, home.as_deref()))?);
    }
    if files.is_empty() {
        return Err(Failure::with_remedy(
            "no MCP configuration was found here or above",
            "name one with --config FILE; any client's file is read",
        ));
    }
    Ok(files)
}

fn read_all(paths: &[PathBuf]) -> Result<Vec<ConfigFile>, Failure> {
    Ok(paths.iter().map(|path| callsign_config::read(path)).collect::<Result<_, _>>()?)
}

/// An entry without scope holds everywhere; one of a project, in that project's folder and below.
fn in_scope(entry: &ServerEntry, here: &Path) -> bool {
    entry.scope.as_ref().is_none_or(|scope| {
        let scope = Path::new(scope);
        here.starts_with(std::fs::canonicalize(scope).as_deref().unwrap_or(scope))
    })
}

/// Two entries under one key are one server if they say the same and mean the same; anything else can't be told apart by
/// its key.
fn refuse_another(first: Chosen<'_>, second: Chosen<'_>) -> Result<(), Failure> {
    let (one, other) = (first.entry, second.entry);
    let depends = one.launch.depends_on_folder() || one.launch.env_file.is_some();
    let is_same = one.launch == other.launch
        && (&one.statics, &one.described) == (&other.statics, &other.described)
        && one.filter == other.filter
        && same_options(&one.options, &other.options)
        && (!depends || first.folder() == second.folder());
    if is_same {
        return Ok(());
    }
    Err(Failure::with_remedy(
        format!(
            "server key `{}` is defined twice: {} and {}",
            escaped(&first.entry.key),
            place(first),
            place(second)
        ),
        "check one client's file at a time with --config FILE, or choose others with --only",
    ))
}

/// Where they stand is no difference.
fn same_options(one: &[ToolOptions], other: &[ToolOptions]) -> bool {
    let said = |options: &ToolOptions| {
        let ToolOptions { wire, hidden, time_limit, description, .. } = options;
        (wire.value.clone(), *hidden, *time_limit, description.clone())
    };
    one.iter().map(said).eq(other.iter().map(said))
}

fn place(chosen: Chosen<'_>) -> String {
    format!("{}:{}", escaped(&chosen.file.path.to_string_lossy()), chosen.entry.place)
}

/// A severity for a finding that there is not does nothing and hides a mistake.
fn refuse_unknown_codes(file: &ConfigFile) -> Result<(), Failure> {
    let codes = || audit::codes().iter().map(|code| code.code);
    let set = file.settings.severity.iter().map(|(code, _)| code);
    let Some(unknown) = set.into_iter().find(|code| !codes().any(|known| known == code.value))
    else {
        return Ok(());
    };
    let path = file.path.to_string_lossy();
    let near = nearest(&unknown.value, codes());
    Err(Failure::with_remedy(
        format!("{path}:{}: there is no finding `{}`", unknown.place, unknown.value),
        match near[..] {
            [] => "`callsign explain` lists all".to_owned(),
            _ => format!("did you mean {}? `callsign explain` lists all", near.join(" or ")),
        },
    ))
}

fn unknown_scheme(settings: &Settings) -> Option<&Placed<String>> {
    settings
        .scheme
        .as_ref()
        .filter(|scheme| !callsign::scheme::IDS.contains(&scheme.value.as_str()))
}

fn unknown_scheme_failure(file: &ConfigFile) -> Failure {
    let (path, scheme) = (escaped(&file.path.to_string_lossy()), unknown_scheme(&file.settings));
    let (place, written) = scheme.map_or_else(Default::default, |scheme| {
        (format!(":{}", scheme.place), escaped(&scheme.value))
    });
    Failure::with_remedy(
        format!("{path}{place}: there is no naming scheme `{written}`"),
        format!("schemes are {}", callsign::scheme::IDS.join(", ")),
    )
}
