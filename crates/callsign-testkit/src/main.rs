//! `callsign-testkit`: an MCP server that misbehaves on request.

mod flags;

use std::io::Write;
use std::process::exit;
use std::time::Duration;

use clap::{Parser, Subcommand};

use callsign_testkit::{Behaviour, ServeError, serve_stdio};

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
        Command::Serve(flags) => flags.behaviour().map_err(ServeError::from).and_then(serve),
        Command::Sleep { seconds } => {
            std::thread::sleep(Duration::from_secs(seconds));
            Ok(0)
        }
    };
    // `exit` because a thread still waits for stdin, and would hold up an ordinary return.
    exit(status.unwrap_or_else(|error| {
        let _ = writeln!(std::io::stderr(), "callsign-testkit: {error}");
        2
    }));
}

fn serve(behaviour: Behaviour) -> Result<i32, ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|cause| ServeError::Process { what: "start the runtime", cause })?;
    runtime.block_on(serve_stdio(behaviour))
}
