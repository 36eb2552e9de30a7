//! `callsign completions SHELL`: a completion script, made from the argument definitions.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let mut script = Vec::new();
    let mut command = crate::arguments::Arguments::command();
    clap_complete::generate(arguments.shell, &mut command, "callsign", &mut script);
    output::print_raw(&String::from_utf8_lossy(&script))?;
    Ok(exit::SUCCESS)
}
