//! Which files are read and which of their servers are meant. All of it is decided before any server is started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use callsign::ServerKey;
use callsign_config::{ConfigFile, Placed, ServerEntry, Settings};

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
        let paths = match &arguments.config[..] {
            [] => found()?,
            named => named.to_vec(),
        };
        let files: Result<Vec<_>, _> =
            paths.iter().map(|path| callsign_config::read(path)).collect();
        let files = files?;
        if let Some(file) = files.iter().find(|file| unknown_scheme(&file.settings).is_some()) {
            return Err(unknown_scheme_failure(file));
        }
        Ok(Self { files })
    }

    /// The settings of callsign.toml, if one was read.
    pub(crate) fn settings(&self) -> Settings {
        let own = self.files.iter().find(|file| file.client == "callsign");
        own.map(|file| file.settings.clone()).unwrap_or_default()
    }

    /// The servers that are meant: enabled, of this project's scope, and of `only` where that is given.
    pub(crate) fn choose(&self, only: &[String]) -> Result<Vec<Chosen<'_>>, Failure> {
        let here = std::env::current_dir().unwrap_or_default();
        let mut chosen = BTreeMap::<&ServerKey, Chosen<'_>>::new();
        let mut order = Vec::new();
        for file in &self.files {
            for entry in file.servers.iter().filter(|entry| in_scope(entry, &here)) {
                let candidate = Chosen { file, entry };
                match chosen.get(&entry.key) {
                    Some(first) => {
                        let kept = one_of(*first, candidate)?;
                        chosen.insert(&entry.key, kept);
                    }
                    None => {
                        chosen.insert(&entry.key, candidate);
                        order.push(&entry.key);
                    }
                }
            }
        }
        self.refuse_unknown_keys(only)?;
        let wanted = |key: &ServerKey| only.is_empty() || only.iter().any(|k| k == key.as_str());
        let servers = order.into_iter().filter(|key| wanted(key)).filter_map(|key| chosen.get(key));
        let (disabled, enabled): (Vec<Chosen<'_>>, Vec<_>) =
            servers.copied().partition(|chosen| chosen.entry.disabled);
        // Asked for by name and switched off: to check nothing and say nothing would look like a pass.
        match disabled.first().filter(|_| !only.is_empty()) {
            Some(off) => Err(Failure::with_remedy(
                format!(
                    "--only {}: that server is disabled ({})",
                    escaped(&off.entry.key),
                    place(*off)
                ),
                "enable it in the configuration",
            )),
            None => Ok(enabled),
        }
    }

    /// A key that names no server is a mistake.
    pub(crate) fn refuse_unknown_keys(&self, only: &[String]) -> Result<(), Failure> {
        let known = || self.files.iter().flat_map(|file| &file.servers).map(|entry| &entry.key);
        let Some(unknown) = only.iter().find(|key| !known().any(|known| known.as_str() == *key))
        else {
            return Ok(());
        };
        let keys: Vec<&str> = known().map(ServerKey::as_str).collect();
        Err(Failure::with_remedy(
            format!("--only {}: the configuration has no such server", escaped(unknown)),
            match keys[..] {
                [] => "it has no servers at all".into(),
                _ => format!("its servers are {}", escaped(&keys.join(", "))),
            },
        ))
    }
}

fn found() -> Result<Vec<PathBuf>, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("can't tell the current folder: {error}")))?;
    let home = crate::state_folder::home();
    let paths = callsign_config::discover(&here, home.as_deref());
    if paths.is_empty() {
        return Err(Failure::with_remedy(
            "no MCP configuration was found here or above",
            "name one with --config FILE; any client's file is read",
        ));
    }
    // Relative paths read better, and the same project gives the same output in any folder.
    Ok(paths
        .into_iter()
        .map(|path| path.strip_prefix(&here).map_or(path.clone(), Path::to_owned))
        .collect())
}

/// An entry without scope holds everywhere; one of a project, in that project's folder.
fn in_scope(entry: &ServerEntry, here: &Path) -> bool {
    entry.scope.as_ref().is_none_or(|scope| Path::new(scope) == here)
}

/// Two entries under one key: a project's own wins over the general one of the same file; the same launch in two files is
/// one server; anything else can't be told apart by its key.
fn one_of<'a>(first: Chosen<'a>, second: Chosen<'a>) -> Result<Chosen<'a>, Failure> {
    let same_file = std::ptr::eq(first.file, second.file);
    if same_file && first.entry.scope.is_none() != second.entry.scope.is_none() {
        return Ok(if first.entry.scope.is_none() { second } else { first });
    }
    if first.entry.disabled != second.entry.disabled {
        return Ok(if first.entry.disabled { second } else { first });
    }
    if first.entry.launch == second.entry.launch && first.entry.statics == second.entry.statics {
        return Ok(first);
    }
    Err(Failure::with_remedy(
        format!(
            "server key `{}` is defined twice: {} and {}",
            escaped(&first.entry.key),
            place(first),
            place(second)
        ),
        "check one client's file at a time with --config FILE",
    ))
}

fn place(chosen: Chosen<'_>) -> String {
    format!("{}:{}", escaped(&chosen.file.path.to_string_lossy()), chosen.entry.place)
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
