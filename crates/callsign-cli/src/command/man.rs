//! `callsign man FOLDER`: the manual pages, made from the argument definitions.

use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::output;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder to write them to; without one, the main page goes to standard output.
    folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let command = crate::arguments::Arguments::command();
    let Some(folder) = &arguments.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        output::print_raw(&String::from_utf8_lossy(&page))?;
        return Ok(exit::SUCCESS);
    };
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command.disable_help_subcommand(true), folder));
    written.map_err(|error| {
        let folder = output::escaped(&folder.to_string_lossy());
        Failure::with_remedy(format!("can't write to {folder}: {error}"), "name another folder")
    })?;
    Ok(exit::SUCCESS)
}
