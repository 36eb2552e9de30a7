//! What the command line takes: one definition that help, completions and manual pages are made from.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::command;
use crate::output::Color;

/// One name for every MCP tool, and it answers to it.
#[derive(Debug, Parser)]
#[command(name = "callsign", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct CommandLine<C: Subcommand> {
    #[command(subcommand)]
    pub(crate) command: C,

    /// When to colour.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    pub(crate) color: Color,

    /// Print less: no progress and no hints.
    #[arg(short, long, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Print more.
    #[arg(short, long, global = true, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// The main job with nothing installed: real servers, their collisions, and calls that reach the right one.
    Demo(command::demo::Arguments),
    #[command(flatten)]
    Check(Check),
    /// Show what the configuration says; nothing is started.
    Servers(command::servers::Arguments),
    /// List every tool: its server, its wire name, its exposed name.
    List(command::list::Arguments),
    /// Show the map of tools that get another name than their own.
    Alias(command::alias::Arguments),
    /// Name identities by a scheme; no configuration is read.
    Name(command::name::Arguments),
    /// Say who answers to a name.
    Which(command::which::Arguments),
    /// Call one tool by its exposed name and print the result.
    Call(command::call::Arguments),
    /// Check, explain and decide by the rules of hosts: allow, ask and deny lists, tool lists, filters.
    Rules {
        #[command(subcommand)]
        command: command::rules::Command,
    },
    /// Mend tool names in stored requests and conversations.
    History(command::history::Arguments),
    /// Rewrite tool names in prompts, rules, code and documents; prints a diff unless told to write.
    Migrate(command::migrate::Arguments),
    /// Serve the tools of all servers behind one MCP endpoint.
    Serve(command::serve::Arguments),
    /// Print the page of a finding, such as CS001.
    Explain(command::explain::Arguments),
    /// Print a completion script for a shell.
    Completions(command::completions::Arguments),
    /// Write the manual pages.
    Man(command::man::Arguments),
    /// Serve one of the demonstration's servers over stdio.
    #[command(hide = true)]
    DemoServer(command::demo_server::Arguments),
}

/// The command line with every command.
pub(crate) type Arguments = CommandLine<Command>;

/// The command that hooks run again and again.
#[derive(Debug, Subcommand)]
pub(crate) enum Check {
    /// Report colliding, illegal, over-long and look-alike names before anything starts.
    Check(command::check::Arguments),
}

impl Arguments {
    /// Reads the command line; ends the process where it can't be read or asks for help.
    pub(crate) fn read() -> Self {
        if std::env::args_os().nth(1).is_none_or(|word| word != "check") {
            return Self::parse();
        }
        // To define all the other commands would take longer than many a check.
        let CommandLine { command, color, quiet, verbose } = CommandLine::<Check>::parse();
        Self { command: Command::Check(command), color, quiet, verbose }
    }
}

/// Where the configuration comes from, and which of its servers are meant.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ConfigurationArguments {
    /// A configuration file of any known client; repeatable. Without it: callsign.toml upwards, else the project's client
    /// files.
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    pub(crate) config: Vec<PathBuf>,

    /// Use only this server, by its key; repeatable, or separated by commas. No other is started or contacted.
    // A key may have a comma in it, so what is a list and what a key is decided where the keys are known.
    #[arg(long, value_name = "KEY", help_heading = "Configuration")]
    pub(crate) only: Vec<String>,
}

/// How tools are named.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SchemeArguments {
    /// The naming scheme.
    #[arg(long, value_name = "SCHEME", value_parser = callsign::scheme::IDS)]
    pub(crate) scheme: Option<String>,
}

/// Whether servers may be started, and how long they may take.
#[derive(Debug, Clone, Args)]
pub(crate) struct LiveArguments {
    /// Start or contact the servers and ask them for their tools.
    #[arg(long, help_heading = "Live")]
    pub(crate) live: bool,

    /// Consent to running the commands and contacting the addresses of the configuration.
    #[arg(long, short = 'y', help_heading = "Live")]
    pub(crate) yes: bool,

    /// How long one server may take, in seconds [default: 30 until its tools are known, 120 for a call].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Live")]
    pub(crate) timeout: Option<Duration>,
}

/// Where rules come from.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct RuleArguments {
    /// A file with rules of any known host; repeatable. Without it: those that apply here, of the project and the user.
    #[arg(long, value_name = "FILE", help_heading = "Configuration")]
    pub(crate) rules: Vec<PathBuf>,

    /// Only the rules of this host, by its name or the name of one of its languages; a file that doesn't say whose it is
    /// is read as that.
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
}

/// What every command takes that shows the tools of a fleet.
#[derive(Debug, Clone, Args)]
pub(crate) struct FleetArguments {
    #[command(flatten)]
    pub(crate) configuration: ConfigurationArguments,
    #[command(flatten)]
    pub(crate) scheme: SchemeArguments,
    #[command(flatten)]
    pub(crate) live: LiveArguments,
    /// The format of the result.
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(limit) if !limit.is_zero() && seconds <= 86_400.0 => Ok(limit),
        _ => Err("must be above 0 and at most 86400".into()),
    }
}

/// A result for people or for machines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Aligned text, coloured on a terminal.
    #[default]
    Human,
    /// Stable JSON.
    Json,
}
