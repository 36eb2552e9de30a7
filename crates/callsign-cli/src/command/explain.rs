//! `callsign explain CODE`: the page of a finding.

use std::fmt::Write as _;

use callsign::audit;
use clap::Args;

use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::output::{self, HEADING};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A finding's code (CS001) or name (duplicate-tool); without one, all are listed.
    code: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let Some(wanted) = &arguments.code else {
        output::print(&table())?;
        return Ok(exit::SUCCESS);
    };
    let code = audit::code(wanted).ok_or_else(|| unknown(wanted))?;
    output::print(&format!(
        "{HEADING}{} {}{HEADING:#} ({})\n\n{}\n",
        code.code,
        code.name,
        code.severity,
        code.page.trim_end()
    ))?;
    Ok(exit::SUCCESS)
}

fn unknown(wanted: &str) -> Failure {
    Failure::with_remedy(
        format!("there is no finding `{}`", output::escaped(wanted)),
        "`callsign explain` lists all",
    )
}

fn table() -> String {
    let width = audit::codes().iter().map(|code| code.name.len()).max().unwrap_or(0);
    audit::codes().iter().fold(String::new(), |mut text, code| {
        let _ = writeln!(text, "{}  {:width$}  {}", code.code, code.name, code.severity);
        text
    })
}
