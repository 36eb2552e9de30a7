//! `callsign servers`: what the configuration says, nothing started.

use anstyle::Style;
use callsign_config::{ConfigFile, ServerEntry};
use clap::Args;
use serde::Serialize;

use crate::arguments::{ConfigurationArguments, Format};
use crate::configuration::{Configuration, is_of};
use crate::exit::{self, Status};
use crate::failure::Failure;
use crate::output::{self, DIM, NAME, count};
use crate::table::Table;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    configuration: ConfigurationArguments,
    /// The format of the result.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let configuration = Configuration::read(&arguments.configuration)?;
    let only = configuration.selection(&arguments.configuration.only)?;
    let servers: Vec<(&ConfigFile, &ServerEntry)> = configuration
        .files
        .iter()
        .flat_map(|file| file.servers.iter().map(move |entry| (file, entry)))
        .filter(|(_, entry)| is_of(&only, entry))
        .collect();
    match arguments.format {
        Format::Human => output::print(&human(&servers))?,
        Format::Json => output::print_json(&json(&configuration, &servers)?)?,
    }
    Ok(exit::SUCCESS)
}

fn human(servers: &[(&ConfigFile, &ServerEntry)]) -> String {
    if servers.is_empty() {
        return "no servers are configured\n".into();
    }
    let mut table =
        Table::new(["SERVER", "CLIENT", "TRANSPORT", "STATE", "FILTER", "LAUNCH", "PLACE"]);
    for (file, entry) in servers {
        let key = match &entry.scope {
            None => entry.key.to_string(),
            Some(scope) => format!("{scope}>{}", entry.key),
        };
        let state = if entry.disabled { "disabled" } else { "" };
        table.row([
            (key, NAME),
            (file.client.to_owned(), Style::new()),
            (entry.transport.as_str().to_owned(), Style::new()),
            (state.to_owned(), DIM),
            (filter(entry), Style::new()),
            (entry.launch.shown(), Style::new()),
            (format!("{}:{}", file.path.display(), entry.place), DIM),
        ]);
    }
    let disabled = match servers.iter().filter(|(_, entry)| entry.disabled).count() {
        0 => String::new(),
        some => format!(", {some} of them disabled"),
    };
    format!("{}\n{}{disabled}\n", table.render(), count(servers.len(), "server"))
}

fn filter(entry: &ServerEntry) -> String {
    let lists = [("includes", &entry.filter.include), ("excludes", &entry.filter.exclude)];
    let said = lists.iter().filter_map(|(does, list)| {
        let number = list.as_ref()?.len();
        Some(if number == 0 { format!("{does} none") } else { format!("{does} {number}") })
    });
    said.collect::<Vec<_>>().join(", ")
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    files: Vec<File<'a>>,
    servers: Vec<Server<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    file: String,
    client: &'a str,
    scope: Option<&'a str>,
}

#[derive(Serialize)]
struct Server<'a> {
    key: &'a str,
    scope: Option<&'a str>,
    client: &'a str,
    transport: &'static str,
    disabled: bool,
    include: Option<&'a [String]>,
    exclude: Option<&'a [String]>,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    file: String,
    line: usize,
    column: usize,
}

fn json(
    configuration: &Configuration,
    servers: &[(&ConfigFile, &ServerEntry)],
) -> Result<String, Failure> {
    let path = |file: &ConfigFile| file.path.to_string_lossy().into_owned();
    let files = &configuration.files;
    let files =
        files.iter().map(|file| File { file: path(file), client: file.client, scope: None });
    let servers = servers.iter().map(|(file, entry)| Server {
        key: &entry.key,
        scope: entry.scope.as_deref(),
        client: file.client,
        transport: entry.transport.as_str(),
        disabled: entry.disabled,
        include: entry.filter.include.as_deref(),
        exclude: entry.filter.exclude.as_deref(),
        location: Location { file: path(file), line: entry.place.line, column: entry.place.column },
    });
    let document = Document { version: 1, files: files.collect(), servers: servers.collect() };
    output::json(&document)
}
