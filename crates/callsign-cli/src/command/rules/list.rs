//! `callsign rules explain`
use crate::command::Verbosity;
use crate::exit::Status;
use crate::failure::Failure;
use clap::Args;
#[derive(Debug, Args)]
pub(crate) struct Arguments {}
pub(crate) fn run(_: &Arguments, _: Verbosity) -> Result<Status, Failure> {
    Err(Failure::new("x"))
}
