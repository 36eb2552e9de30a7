//! callsign: one name for every MCP tool, and it answers to it.
//!
//! The binary decides nothing: it reads arguments, asks the crates, and lays out what they answer.

mod arguments;
mod catalogues;
mod command;
mod configuration;
mod consent;
mod demo;
mod evidence;
mod exit;
mod failure;
mod interrupt;
mod json_lines;
mod live;
mod locate;
mod named;
mod naming;
mod output;
mod progress;
mod replace;
mod report;
mod rule_policy;
mod ruled;
mod state_folder;
mod table;
mod watch;

use std::process::ExitCode;

use crate::arguments::Arguments;
use crate::failure::Failure;

// The compiler's part of unwinding, linked in: to load it as a library of its own, which has the same code, is a tenth of
// what starting an empty program takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[link(name = "gcc_eh")]
unsafe extern "C" {}

fn main() -> ExitCode {
    let arguments = Arguments::read();
    output::set_color(arguments.color);
    match command::run(arguments) {
        Ok(status) => status,
        // Whoever read our output has seen enough; that is not a failure.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            exit::SUCCESS.into()
        }
        Err(failure) => {
            failure.print();
            failure.exit().into()
        }
    }
}
