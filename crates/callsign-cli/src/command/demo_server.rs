//! `callsign demo-server KEY`: one server of the demonstration (hidden: `demo` starts it).

use clap::Args;

use crate::demo;
use crate::exit::{self, Status};
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The server's key.
    key: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let Some((key, tools)) = demo::FLEET.iter().find(|(key, _)| *key == arguments.key) else {
        return Err(Failure::new("the demonstration has no such server"));
    };
    demo::server::serve(key, tools)?;
    Ok(exit::SUCCESS)
}
