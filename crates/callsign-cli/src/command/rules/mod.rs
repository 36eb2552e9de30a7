//! `callsign rules`: what the rules of a host come to, one command a file.

mod check;
mod decide;
mod explain;
mod list;

use clap::Subcommand;

use super::Verbosity;
use crate::exit::Status;
use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Report rules that match nothing, that others overrule, or that reach servers their author can't have meant.
    Check(check::Arguments),
    /// Say what becomes of a call, and the part that each rule has in it.
    Explain(explain::Arguments),
    /// List what becomes of every tool, and the rule that decides.
    List(list::Arguments),
    /// Decide calls by rules given with them; no configuration is read.
    Decide(decide::Arguments),
}

pub(crate) fn run(command: &Command, verbosity: Verbosity) -> Result<Status, Failure> {
    match command {
        Command::Check(arguments) => check::run(arguments, verbosity),
        Command::Explain(arguments) => explain::run(arguments, verbosity),
        Command::List(arguments) => list::run(arguments, verbosity),
        Command::Decide(arguments) => decide::run(arguments),
    }
}
