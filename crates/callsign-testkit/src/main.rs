//! `callsign-testkit`: an MCP server that misbehaves on request.

mod flags;

use std::io::Write;
use std::process::exit;
use std::time::Duration;

use clap::{Parser, Subcommand};

use callsign_testkit::{ServeError, serve_http, serve_stdio};

#[derive(Parser)]
#[command(name = "callsign-testkit", version, about)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve MCP, as badly as the flags say.
    Serve(Box<flags::ServeFlags>),
    /// Do nothing for so many seconds (the child that `--spawn-child` starts).
    #[command(hide = true)]
    Sleep {
        /// How long.
        seconds: u64,
    },
}

fn main() {
    let status = match Arguments::parse().command {
        Command::Serve(flags) => serve(*flags),
        Command::Sleep { seconds } => {
            std::thread::sleep(Duration::from_secs(seconds));
            Ok(0)
        }
    };
    exit(status.unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "callsign-testkit: {error}");
        2
    }));
}

fn serve(flags: flags::ServeFlags) -> Result<i32, ServeError> {
    let address = flags.address();
    let behaviour = flags.behaviour()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|cause| ServeError::Process { what: "start the runtime", cause })?;
    let status = match address {
        Some(address) => runtime.block_on(serve_http(behaviour, address)),
        None => runtime.block_on(serve_stdio(behaviour)),
    };
    // A thread still waits for stdin; an ordinary end of the runtime would wait for it.
    runtime.shutdown_background();
    status
}
