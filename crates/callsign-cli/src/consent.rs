//! Consent to starting the commands that a configuration file names.
//!
//! Whoever can write the file could run anything. So on a terminal the commands are shown and the user is asked, once for
//! each file and content; without one, `--yes` has to say it. What was not shown was not consented to, so an answer counts
//! for the servers that were meant and for no other of the file.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, BufRead, Write as _};
use std::path::{Path, PathBuf};

use anstyle::Style;
use serde::{Deserialize, Serialize};

use crate::configuration::Chosen;
use crate::failure::Failure;
use crate::output::{self, DIM, HEADING, NAME, count, escaped};
use crate::table::Table;

/// A server of a file that may be started, as long as the file's content stays the same.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Consent {
    file: PathBuf,
    digest: String,
    scope: Option<String>,
    server: String,
}

/// Makes sure that the user wants these servers started.
///
/// # Errors
/// If they don't, or can't be asked and have not said so.
pub(crate) fn obtain(servers: &[Chosen<'_>], yes: bool) -> Result<(), Failure> {
    if yes || servers.is_empty() {
        return Ok(());
    }
    let given = remembered();
    let asked: Vec<Chosen<'_>> =
        servers.iter().filter(|chosen| !given.contains(&consent(**chosen))).copied().collect();
    if asked.is_empty() {
        return Ok(());
    }
    if !output::can_ask() {
        return Err(Failure::with_remedy(
            format!("starting {} needs your consent", count(asked.len(), "server")),
            "look at them with `callsign servers`, then add --live --yes",
        ));
    }
    if !ask(&asked)? {
        return Err(Failure::with_remedy(
            "nothing was started",
            "--live --yes consents without asking",
        ));
    }
    remember(asked.into_iter().map(consent));
    Ok(())
}

fn ask(servers: &[Chosen<'_>]) -> Result<bool, Failure> {
    let mut text = format!(
        "{HEADING}This starts or contacts {}:{HEADING:#}\n\n",
        count(servers.len(), "server")
    );
    let mut table = Table::new(["SERVER", "COMMAND OR ADDRESS", "PLACE"]);
    for Chosen { file, entry } in servers {
        let place = format!("{}:{}", file.path.display(), entry.place);
        table.row([
            (entry.key.to_string(), NAME),
            (entry.launch.shown(), Style::new()),
            (place, DIM),
        ]);
    }
    text.push_str(&table.render());
    text.push_str("\nStart them? [y/N] ");
    output::print_error(&text);
    io::stderr().flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}

fn consent(Chosen { file, entry }: Chosen<'_>) -> Consent {
    Consent {
        file: fs::canonicalize(&file.path).unwrap_or_else(|_| file.path.clone()),
        digest: file.digest(),
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
