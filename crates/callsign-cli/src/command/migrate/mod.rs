//! `callsign migrate`: tool names in files, from one spelling to another.

mod human;
mod json;

use std::path::PathBuf;

use callsign::{ServerKey, ToolId};
use callsign_migrate::{Plan, Skip, Spelling, Staged, Survey, Surveyed, Where, WriteError};
use clap::Args;
use clap::builder::PossibleValuesParser;

use super::Verbosity;
use crate::arguments::{ConfigurationArguments, Format, LiveArguments};
use crate::catalogues::{self, Known};
use crate::configuration::Configuration;
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::named;
use crate::output::escaped;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How names are spelled now: a scheme, or another program's way.
    #[arg(long, value_name = "SPELLING", value_parser = spellings())]
    from: String,
    /// How they are to be spelled.
    #[arg(long, value_name = "SPELLING", value_parser = spellings())]
    to: String,
    /// Files, and folders that are walked as ripgrep walks them. A file named here is read even if it is ignored.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Change the files. Without it a diff is printed.
    #[arg(long)]
    write: bool,
    /// Keep each changed file as FILE.orig; one that is there already is never replaced.
    #[arg(long, requires = "write")]
    backup: bool,
    /// Change nothing, and end with status 1 if something would change.
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Also files and folders whose names begin with a dot.
    #[arg(long)]
    hidden: bool,
    /// Names without a server (`bare`) count everywhere, not only in quotes, code spans and lists.
    #[arg(long)]
    words: bool,
    /// The format of the result.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    configuration: ConfigurationArguments,
    #[command(flatten)]
    live: LiveArguments,
}

fn spellings() -> PossibleValuesParser {
    PossibleValuesParser::new(Spelling::ids())
}

/// What a run found and did.
struct Outcome<'a> {
    arguments: &'a Arguments,
    known: &'a [Known<'a>],
    survey: &'a Survey,
    /// For each surveyed file.
    files: Vec<Written>,
}

/// What became of one file.
enum Written {
    /// Nothing was to be done, or nothing was asked for.
    No,
    Done {
        backup: Option<PathBuf>,
    },
    Failed(WriteError),
}

pub(crate) fn run(arguments: &Arguments, verbosity: Verbosity) -> Result<Status, Failure> {
    let configuration = Configuration::read(&arguments.configuration)?;
    let only = &arguments.configuration.only;
    let known = named::known(&configuration, only, &arguments.live, verbosity)?;
    let plan = plan(arguments, &configuration, &known)?;
    let places = Where {
        paths: arguments.paths.clone(),
        hidden: arguments.hidden,
        catalogues: configuration.files.iter().map(|file| file.path.clone()).collect(),
    };
    let survey = Survey::of(&plan, &places).map_err(|error| {
        Failure::with_remedy(error.to_string(), "name files and folders that are there")
    })?;
    let files = match arguments.write {
        true => write(&survey.files, arguments.backup),
        false => survey.files.iter().map(|_| Written::No).collect(),
    };
    let outcome = Outcome { arguments, known: &known, survey: &survey, files };
    match arguments.format {
        Format::Human => human::print(&outcome, verbosity)?,
        Format::Json => json::print(&outcome)?,
    }
    Ok(outcome.status())
}

/// What is moved where: names of the chosen servers, among everything that is configured.
fn plan(
    arguments: &Arguments,
    configuration: &Configuration,
    known: &[Known<'_>],
) -> Result<Plan, Failure> {
    let configured = catalogues::configured(configuration, known);
    let tools: Vec<ToolId> = configured.tools().cloned().collect();
    let unknown: Vec<ServerKey> = configured.unknown().cloned().collect();
    let exposed: Vec<ToolId> = tools.iter().filter(|id| configured.offers(id)).cloned().collect();
    let spelling = |id: &str| {
        Spelling::by_id(id, &exposed)
            .map_err(|error| Failure::with_remedy(error.to_string(), error.remedy()))
    };
    let (from, to) = (spelling(&arguments.from)?, spelling(&arguments.to)?);
    refuse_guessing(&from, &unknown)?;
    refuse_guessing(&to, &unknown)?;
    let plan = Plan::new(&tools, &unknown, &from, &to);
    let plan = match arguments.configuration.only.is_empty() {
        true => plan,
        false => plan.only(&keys(known)),
    };
    Ok(if arguments.words { plan.with_words() } else { plan })
}

fn keys(known: &[Known<'_>]) -> Vec<ServerKey> {
    known.iter().map(|known| known.chosen.entry.key.clone()).collect()
}

/// Where names don't say whose they are, a server whose tools are not known may have any of them.
fn refuse_guessing(spelling: &Spelling, unknown: &[ServerKey]) -> Result<(), Failure> {
    if spelling.spells_key() || unknown.is_empty() {
        return Ok(());
    }
    let keys: Vec<String> = unknown.iter().map(|key| format!("`{}`", escaped(key))).collect();
    Err(Failure::with_remedy(
        format!(
            "names by `{}` don't say whose they are, and the tools of {} are not known",
            spelling.id(),
            keys.join(", ")
        ),
        "ask the servers with --live, or list their tools in the configuration",
    ))
}

/// Writes the files: all new contents first beside the old ones, and only when all are there, each in its place.
fn write(files: &[Surveyed], backup: bool) -> Vec<Written> {
    let staged: Vec<Option<Result<Staged, WriteError>>> = files
        .iter()
        .map(|file| {
            let new = || file.scan.rewrite(&file.text);
            let changes = !file.scan.edits.is_empty();
            changes.then(|| Staged::new(&file.path, &file.text, &new(), backup))
        })
        .collect();
    let complete = !staged.iter().flatten().any(Result::is_err);
    let settle = |staged| match staged {
        Some(Err(error)) => Written::Failed(error),
        Some(Ok(staged)) if complete => match Staged::commit(staged) {
            Ok(written) => Written::Done { backup: written.backup },
            Err(error) => Written::Failed(error),
        },
        Some(Ok(_)) | None => Written::No,
    };
    staged.into_iter().map(settle).collect()
}

impl Outcome<'_> {
    fn status(&self) -> Status {
        let failed = self.files.iter().any(|file| matches!(file, Written::Failed(_)));
        let unread = self.survey.skipped.iter().any(|s| matches!(s.why, Skip::Unreadable(_)));
        if failed || unread {
            return exit::FAILURE;
        }
        match self.arguments.check && self.edits() > 0 {
            true => exit::FINDINGS,
            false => exit::SUCCESS,
        }
    }

    fn edits(&self) -> usize {
        self.survey.files.iter().map(|file| file.scan.edits.len()).sum()
    }

    fn left(&self) -> usize {
        self.survey.files.iter().map(|file| file.scan.left.len()).sum()
    }

    /// How many files have something to change.
    fn changing(&self) -> usize {
        self.survey.files.iter().filter(|file| !file.scan.edits.is_empty()).count()
    }

    fn written(&self) -> usize {
        self.files.iter().filter(|file| matches!(file, Written::Done { .. })).count()
    }
}
