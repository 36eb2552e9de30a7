//! The rules that apply, and the tools they are held against: what `rules` and `which` look at.

use std::path::{Path, PathBuf};

use callsign::rules::Claimant;
use callsign::{Catalogue, ServerKey, ToolId};
use callsign_config::dialect::{self, Address, Dialect, Fleet, Reach, RuleEntry, RuleFile, Tool};
use callsign_config::{HostRules, Problem, ServerEntry};
use serde::Serialize;

use crate::arguments::{ConfigurationArguments, RuleArguments};
use crate::catalogues::{self, Known};
use crate::configuration::Configuration;
use crate::failure::Failure;
use crate::locate::{Located, Location, RulePlaces, SourceFile};
use crate::output::{self, WARNING, escaped};

/// The files with rules, and the tools they are about.
#[derive(Debug)]
pub(crate) struct Ruled {
    pub(crate) files: Vec<RuleFile>,
    /// The tools that are looked at, among everything that is configured.
    pub(crate) fleet: Fleet,
}

impl Ruled {
    /// The rules of these files, and the tools of these servers.
    pub(crate) fn of(
        files: Vec<RuleFile>,
        configuration: &Configuration,
        known: &[Known<'_>],
    ) -> Self {
        Self { files, fleet: fleet(configuration, known) }
    }

    /// The rules by language. The fleet is spelled for each of them when it is first asked for.
    pub(crate) fn in_force(&self) -> Vec<HostRules<'_>> {
        HostRules::of(&self.files, &self.fleet)
    }
}

/// The part that one entry has in what becomes of a tool.
#[derive(Debug, Serialize)]
pub(crate) struct Part {
    pub(crate) text: String,
    pub(crate) does: &'static str,
    /// `decides`, `matches` (and another decides), `unreadable` (and so it restricts, or grants nothing), `ambiguous`,
    /// `never`, `unknown` or `no`.
    pub(crate) part: &'static str,
    /// Why, in words; nothing where the entry simply matches or doesn't.
    pub(crate) reason: Option<String>,
    pub(crate) location: Location,
}

/// What becomes of a tool by the rules of one language.
#[derive(Debug, Serialize)]
pub(crate) struct Explained {
    pub(crate) language: &'static str,
    pub(crate) host: &'static str,
    pub(crate) decision: &'static str,
    pub(crate) because: String,
    /// Those of every entry, in the order in which the host looks at them.
    pub(crate) rules: Vec<Part>,
}

/// The decision on a tool and each entry's part in it, in words.
pub(crate) fn explained(host: &HostRules<'_>, tool: Tool<'_>) -> Option<Explained> {
    let profile = host.dialect().profile();
    let decision = host.decision(tool)?;
    let entries = host.rules().entries.iter().enumerate();
    let parts = entries.filter_map(|(at, entry)| {
        let (part, reason) = match host.rules().reach(entry, tool) {
            reach if is_unreadable(entry, &reach) => ("unreadable", failed_closed(entry, &reach)),
            _ if decision.by == Some(at) => ("decides", None),
            Reach::Matches => ("matches", None),
            Reach::Never(why) => ("never", Some(why.into_owned())),
            Reach::Unknown(what) => ("unknown", Some(what.into_owned())),
            Reach::Ambiguous(claimants) => ("ambiguous", Some(claimed(&claimants))),
            Reach::No => ("no", None),
        };
        let (file, place) = host.place(at)?;
        let (text, does) = (entry.text.clone(), entry.effect.as_str());
        Some(Part { text, does, part, reason, location: Location::of(&file.path, place) })
    });
    Some(Explained {
        language: profile.id,
        host: profile.host,
        decision: decision.verdict.as_str(),
        because: decision.because.to_string(),
        rules: parts.collect(),
    })
}

/// Whether an entry that can't be read has a part in what becomes of the tool. A grant has none, but that is for whoever
/// wrote it to know.
fn is_unreadable(entry: &RuleEntry, reach: &Reach) -> bool {
    entry.unreadable().is_some() && *reach != Reach::No
}

/// What is wrong with an entry that can't be read, and what comes of it.
fn failed_closed(entry: &RuleEntry, reach: &Reach) -> Option<String> {
    let (cause, does) = (&entry.unreadable()?.cause, entry.effect.as_str());
    Some(match reach {
        Reach::Matches => format!("{cause}, so {does} holds for all it may have been meant for"),
        _ => format!("{cause}, so it grants nothing"),
    })
}

/// An entry that can't be read, as JSON has it.
#[derive(Debug, Serialize)]
pub(crate) struct Unread {
    language: &'static str,
    text: String,
    does: &'static str,
    message: String,
    location: Location,
}

/// Every entry that can't be read. Whoever acts on what the rules say has to be told.
pub(crate) fn unread(in_force: &[HostRules<'_>]) -> Vec<Unread> {
    let of_host = |host: &HostRules<'_>| -> Vec<Unread> {
        let unread = host.unreadable().filter_map(|(at, entry, unreadable)| {
            let (file, place) = host.place(at)?;
            Some(Unread {
                language: host.dialect().profile().id,
                text: entry.text.clone(),
                does: entry.effect.as_str(),
                message: unreadable.cause.to_string(),
                location: Location::of(&file.path, place),
            })
        });
        unread.collect()
    };
    in_force.iter().flat_map(of_host).collect()
}

/// Says on standard error which entries can't be read, and what comes of it.
pub(crate) fn warn_of(unread: &[Unread]) {
    for Unread { text, does, message, location, .. } in unread {
        let comes = match *does {
            "allow" => "it grants nothing".to_owned(),
            does => format!("{does} holds for all it may have been meant for"),
        };
        let (place, text) = (escaped(&location.to_string()), escaped(text));
        let message = escaped(message);
        output::print_error(&format!(
            "{WARNING}warning{WARNING:#}: {place}: {does} rule `{text}` can't be read: {message}; {comes}\n"
        ));
    }
}

fn claimed(claimants: &[Claimant]) -> String {
    claimants.iter().map(Claimant::to_string).collect::<Vec<_>>().join(" or ")
}

impl Part {
    /// Whether it has anything to do with the tool: an entry that never matches may have been meant for it.
    pub(crate) fn takes_part(&self) -> bool {
        !matches!(self.part, "no" | "never")
    }

    /// The part as the end of a line.
    pub(crate) fn words(&self) -> String {
        let words = match self.part {
            "matches" => "matches, and another decides",
            "unreadable" => "can't be read",
            "never" => "matches no tool",
            "unknown" => "can't be told, unknown",
            "ambiguous" => "grants nothing, since it could mean",
            "no" => "does not match",
            decides => decides,
        };
        match &self.reason {
            Some(reason) if self.part == "ambiguous" => format!("{words} {reason}"),
            Some(reason) => format!("{words}: {reason}"),
            None => words.to_owned(),
        }
    }
}

/// Where each entry stands.
pub(crate) fn places<'f>(in_force: &[HostRules<'f>]) -> RulePlaces<'f> {
    let places = in_force.iter().flat_map(HostRules::places);
    let located = |file, place| Located { file: SourceFile::Rules(file), place };
    places.map(|(place, file, span)| (place, located(file, span))).collect()
}

/// The configuration of the servers. Where none is named and none is found, the files with rules may hold servers too.
pub(crate) fn configuration(
    which: &ConfigurationArguments,
    rules: &[PathBuf],
) -> Result<Configuration, Failure> {
    let found = Configuration::read(which);
    if found.is_ok() || !which.config.is_empty() || rules.is_empty() {
        return found;
    }
    let same = ConfigurationArguments { config: rules.to_vec(), only: which.only.clone() };
    Configuration::read(&same).or(found)
}

/// Reads the files that are named, or finds those that apply here, the configuration's own among them.
///
/// # Errors
/// A file that can't be read or can't be meant: nothing is decided from half a file. And if there are no rules at all.
pub(crate) fn read(
    arguments: &RuleArguments,
    named: &[PathBuf],
    configuration: &Configuration,
) -> Result<Vec<RuleFile>, Failure> {
    let files = found_or_named(arguments, named, configuration)?;
    match files.is_empty() {
        false => Ok(files),
        true => Err(Failure::with_remedy(
            "no rules were found here or above, and none of the user's",
            "name a file with rules; any known host's is read",
        )),
    }
}

/// As [`read`]; where none are named and none found, there are none.
pub(crate) fn found_or_named(
    arguments: &RuleArguments,
    named: &[PathBuf],
    configuration: &Configuration,
) -> Result<Vec<RuleFile>, Failure> {
    let host = arguments.host.as_deref().map(Host::of).transpose()?;
    let named: Vec<&PathBuf> = named.iter().chain(&arguments.rules).collect();
    if !named.is_empty() {
        return named.into_iter().map(|path| read_named(path, host.as_ref())).collect();
    }
    let mut files = Vec::new();
    for path in found(configuration)? {
        let mut file = dialect::read(&path, None)?;
        if let Some(host) = &host {
            file.sets.retain(|set| host.has(set.dialect));
        }
        files.extend(Some(file).filter(|file| !file.sets.is_empty()));
    }
    Ok(files)
}

fn read_named(path: &Path, host: Option<&Host>) -> Result<RuleFile, Failure> {
    let mut file = match (dialect::read(path, None), host) {
        (Err(error), Some(host)) if matches!(error.problem(), Problem::SeveralLanguages { .. }) => {
            dialect::read(path, Some(host.dialect))?
        }
        (file, _) => file?,
    };
    if let Some(host) = host {
        file.sets.retain(|set| host.has(set.dialect));
        if file.sets.is_empty() {
            file = dialect::read(path, Some(host.dialect))?;
        }
    }
    if !file.sets.is_empty() {
        return Ok(file);
    }
    let path = escaped(&path.to_string_lossy());
    Err(match host {
        Some(host) => Failure::with_remedy(
            format!("{path}: it has no rules in the language `{}`", host.dialect.profile().id),
            format!("its languages are {}", host.languages()),
        ),
        None => Failure::with_remedy(
            format!("{path}: no rules of a known host are in it"),
            "say whose they are with --host, or name another file",
        ),
    })
}

/// The files with rules that apply here, and the configuration's files.
fn found(configuration: &Configuration) -> Result<Vec<PathBuf>, Failure> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::new(format!("can't tell the current folder: {error}")))?;
    let home = crate::state_folder::home();
    // Relative paths read better, and the same project gives the same output in any folder.
    let relative = |path: PathBuf| path.strip_prefix(&here).map_or(path.clone(), Path::to_owned);
    let mut found: Vec<PathBuf> =
        dialect::rule_files(&here, home.as_deref()).into_iter().map(relative).collect();
    for file in &configuration.files {
        let same = |path: &PathBuf| {
            *path == file.path
                || std::fs::canonicalize(path).ok() == std::fs::canonicalize(&file.path).ok()
        };
        if !found.iter().any(same) {
            found.push(file.path.clone());
        }
    }
    Ok(found)
}

/// A host that was asked for, and the language that a file of unknown language is read as.
struct Host {
    dialect: &'static dyn Dialect,
}

impl Host {
    /// # Errors
    /// There is no such host.
    fn of(text: &str) -> Result<Self, Failure> {
        let named = |dialect: &&&'static dyn Dialect| {
            let host = dialect.profile().host.to_lowercase().replace([' ', '/'], "-");
            host == text.to_lowercase()
        };
        let dialect = dialect::by_id(text).or_else(|| dialect::ALL.iter().find(named).copied());
        dialect.map(|dialect| Self { dialect }).ok_or_else(|| {
            let known: Vec<&str> = dialect::ALL.iter().map(|known| known.profile().id).collect();
            Failure::with_remedy(
                format!("--host {}: no such host is known", escaped(text)),
                format!("known are {}", known.join(", ")),
            )
        })
    }

    fn has(&self, dialect: &dyn Dialect) -> bool {
        dialect.profile().host == self.dialect.profile().host
    }

    fn languages(&self) -> String {
        let own = dialect::ALL.iter().filter(|dialect| self.has(**dialect));
        own.map(|dialect| dialect.profile().id).collect::<Vec<_>>().join(", ")
    }
}

/// The tools that are known, with what some hosts' rules go by besides names.
fn fleet(configuration: &Configuration, known: &[Known<'_>]) -> Fleet {
    let catalogues = known
        .iter()
        .filter_map(|known| Some((&known.chosen.entry.key, known.catalogue.as_ref().ok()?)));
    let ids = catalogues.flat_map(|(key, catalogue)| {
        catalogue.tools().iter().map(move |tool| ToolId::new(key.clone(), tool.wire().clone()))
    });
    let mut fleet = Fleet::among(ids, &catalogues::configured(configuration, known));
    for entry in configuration.files.iter().flat_map(|file| &file.servers) {
        fleet.set_address(&entry.key, address(entry));
    }
    for known in known {
        let entry = known.chosen.entry;
        fleet.set_address(&entry.key, address(entry));
        let tools = known.catalogue.as_ref().map_or(&[][..], Catalogue::tools);
        for tool in tools {
            if let Some(read_only) = tool.definition().and_then(read_only_hint) {
                fleet
                    .set_read_only(&ToolId::new(entry.key.clone(), tool.wire().clone()), read_only);
            }
        }
    }
    fleet
}

fn address(entry: &ServerEntry) -> Address {
    let launch = &entry.launch;
    let program = launch.command.iter().chain(&launch.args).cloned();
    let command = if launch.command.is_some() { program.collect() } else { Vec::new() };
    Address { command, url: launch.url.clone() }
}

/// What a tool says of itself, if it says it.
fn read_only_hint(definition: &str) -> Option<bool> {
    #[derive(serde::Deserialize)]
    struct Definition {
        annotations: Option<Annotations>,
    }
    #[derive(serde::Deserialize)]
    struct Annotations {
        #[serde(rename = "readOnlyHint")]
        read_only: Option<bool>,
    }
    // Most definitions don't say it, and to look for the word is quicker than to read them.
    if !definition.contains("readOnlyHint") {
        return None;
    }
    serde_json::from_str::<Definition>(definition).ok()?.annotations?.read_only
}

/// The configured servers whose tools are not looked at: not known, switched off, or not meant.
pub(crate) fn unseen(configuration: &Configuration, known: &[Known<'_>]) -> Vec<ServerKey> {
    let seen = |key: &ServerKey| {
        known.iter().any(|known| known.chosen.entry.key == *key && known.catalogue.is_ok())
    };
    let entries = configuration.files.iter().flat_map(|file| &file.servers);
    let mut keys: Vec<ServerKey> =
        entries.map(|entry| entry.key.clone()).filter(|key| !seen(key)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
