//! One command a file: its arguments, and how it asks the crates.

pub(crate) mod alias;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod demo_server;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod migrate;
pub(crate) mod name;
pub(crate) mod rules;
pub(crate) mod serve;
pub(crate) mod servers;
pub(crate) mod which;

use std::process::ExitCode;

use crate::arguments::{Arguments, Check, Command};
use crate::failure::Failure;

/// How much is said beside the result.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Verbosity {
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

/// Runs the command that the arguments name.
pub(crate) fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    let verbosity = Verbosity { quiet: arguments.quiet, verbose: arguments.verbose };
    let status = match arguments.command {
        Command::Demo(arguments) => demo::run(&arguments, verbosity),
        Command::Check(Check::Check(arguments)) => check::run(&arguments, verbosity),
        Command::Servers(arguments) => servers::run(&arguments),
        Command::List(arguments) => list::run(&arguments, verbosity),
        Command::Alias(arguments) => alias::run(&arguments, verbosity),
        Command::Name(arguments) => name::run(&arguments),
        Command::Which(arguments) => which::run(&arguments, verbosity),
        Command::Rules { command } => rules::run(&command, verbosity),
        Command::Call(arguments) => call::run(&arguments, verbosity),
        Command::History(arguments) => history::run(&arguments, verbosity),
        Command::Migrate(arguments) => migrate::run(&arguments, verbosity),
        Command::Serve(arguments) => serve::run(&arguments, verbosity),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Man(arguments) => man::run(&arguments),
        Command::DemoServer(arguments) => demo_server::run(&arguments),
    };
    status.map(ExitCode::from)
}
