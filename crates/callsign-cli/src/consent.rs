//! Consent to starting the commands that a configuration file names.
//!
//! Whoever can write the file could run anything. So on a terminal the commands are shown and the user is asked, once for
//! each file, content and launch; without one, `--yes` has to say it. What was not shown was not consented to, so an answer
//! counts for the servers that were meant and for no other of the file, and only as long as they start in the same way:
//! another folder, a changed variable or a changed environment file asks again.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufRead, Write as _};
use std::path::{Path, PathBuf};

use callsign_mcp::{Launch, Secret};
use serde::{Deserialize, Serialize};

use crate::configuration::Chosen;
use crate::failure::Failure;
use crate::live::Startable;
use crate::output::{self, DIM, HEADING, NAME, count, escaped};

/// A server of a file that may be started, as long as the file's content and the server's launch stay the same.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Consent {
    file: PathBuf,
    digest: String,
    /// Of the launch, with variables and environment file put in.
    launch: String,
    scope: Option<String>,
    server: String,
}

/// Makes sure that the user wants these servers started.
///
/// # Errors
/// If they don't, or can't be asked and have not said so.
pub(crate) fn obtain(servers: &[&Startable<'_>], yes: bool) -> Result<(), Failure> {
    obtain_by(servers, yes, "--live --yes")
}

/// As [`obtain`], where other arguments than `--live --yes` say it.
pub(crate) fn obtain_by(
    servers: &[&Startable<'_>],
    yes: bool,
    arguments: &str,
) -> Result<(), Failure> {
    if yes || servers.is_empty() {
        return Ok(());
    }
    let given = remembered();
    let asked: Vec<&Startable<'_>> =
        servers.iter().filter(|server| !given.contains(&consent(server))).copied().collect();
    if asked.is_empty() {
        return Ok(());
    }
    if !output::can_ask() {
        return Err(Failure::with_remedy(
            format!("starting {} needs your consent", count(asked.len(), "server")),
            format!("look at them with `callsign servers`, then add {arguments}"),
        ));
    }
    if !ask(&asked)? {
        return Err(Failure::with_remedy(
            "nothing was started",
            format!("{arguments} consents without asking"),
        ));
    }
    remember(asked.into_iter().map(consent));
    Ok(())
}

fn ask(servers: &[&Startable<'_>]) -> Result<bool, Failure> {
    let mut text = format!(
        "{HEADING}This starts or contacts {}:{HEADING:#}\n",
        count(servers.len(), "server")
    );
    servers.iter().for_each(|server| tell(server, &mut text));
    text.push_str("\nStart them? [y/N] ");
    output::print_error(&text);
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}

/// Variables that decide what a program loads or runs, whatever its command says. Their values are no secrets.
const STEERING: [&str; 22] = [
    "BASH_ENV",
    "CLASSPATH",
    "COMSPEC",
    "ENV",
    "GIT_SSH_COMMAND",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "LUA_INIT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NPM_CONFIG_REGISTRY",
    "PATH",
    "PATHEXT",
    "PERL5LIB",
    "PERL5OPT",
    "PIP_INDEX_URL",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "UV_INDEX_URL",
];

/// Everything that decides what will run: the command, where, and with which variables; of their values only those that
/// steer programs.
fn tell(server: &Startable<'_>, text: &mut String) {
    let Chosen { file, entry } = server.chosen;
    let (key, path) = (escaped(&entry.key), escaped(&file.path.to_string_lossy()));
    let _ = writeln!(text, "\n{NAME}{key}{NAME:#}  {DIM}{path}:{}{DIM:#}", entry.place);
    let mut fact = |label: &str, value: &str| {
        let _ = writeln!(text, "  {DIM}{label:<9}{DIM:#} {}", escaped(value));
    };
    let launch = entry.launch.shown_for_consent();
    match &server.spec.launch {
        Launch::Stdio { env, cwd, .. } => {
            fact("runs", &launch);
            if let Some(cwd) = cwd {
                fact("in", &cwd.to_string_lossy());
            }
            if let Some(env_file) = &entry.launch.env_file {
                fact("env file", env_file);
            }
            if !env.is_empty() {
                fact("with", &env.iter().map(variable).collect::<Vec<_>>().join(", "));
            }
        }
        Launch::Http { headers, .. } => {
            fact("contacts", &launch);
            if !headers.is_empty() {
                let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
                fact("headers", &names.join(", "));
            }
        }
    }
}

fn variable((name, value): &(String, Secret)) -> String {
    let folded = name.to_ascii_uppercase();
    let steers = STEERING.contains(&folded.as_str())
        || folded.starts_with("LD_")
        || folded.starts_with("DYLD_");
    if steers { format!("{name}={}", value.expose()) } else { name.clone() }
}

fn consent(Startable { chosen: Chosen { file, entry }, digest, .. }: &Startable<'_>) -> Consent {
    Consent {
        file: fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone()),
        digest: file.digest(),
        launch: digest.clone(),
        scope: entry.scope.clone(),
        server: entry.key.to_string(),
    }
}

fn record() -> Option<PathBuf> {
    Some(crate::state_folder::state()?.join("consent.jsonl"))
}

/// A line that can't be read is no consent.
fn remembered() -> BTreeSet<Consent> {
    let text = record().and_then(|path| fs::read_to_string(path).ok()).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// If it can't be written the user is asked again next time, which is safe.
fn remember(consents: impl Iterator<Item = Consent>) {
    let Some(path) = record() else { return };
    let lines: String = consents
        .filter_map(|consent| serde_json::to_string(&consent).ok())
        .map(|line| line + "\n")
        .collect();
    let written = path
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| append(&path))
        .and_then(|mut file| file.write_all(lines.as_bytes()));
    if let Err(error) = written {
        let path = escaped(&path.to_string_lossy());
        output::print_error(&format!("note: the consent was not remembered in {path}: {error}\n"));
    }
}

fn append(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
