//! Fetches the catalogue of one server and prints what is known about it, or calls one tool of it.
//!
//!     cargo run --example fetch -- COMMAND [ARGUMENT…]
//!     cargo run --example fetch -- https://host/mcp
//!     CALL=echo ARGUMENTS='{"message":"hello"}' cargo run --example fetch -- COMMAND [ARGUMENT…]
#![allow(clippy::print_stdout, clippy::print_stderr)]

use callsign_mcp::{Launch, Limits, Memory, ServerSpec, Session, fetch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        tokio::select! {
            outcome = run() => outcome,
            _ = callsign_wire::process::interrupted() => Err("interrupted".into()),
        }
    })
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let first = words.next().ok_or("a command or an address is missing")?;
    let launch = if first.starts_with("http://") || first.starts_with("https://") {
        Launch::Http { url: first, headers: Vec::new() }
    } else {
        Launch::Stdio { command: first, args: words.collect(), env: Vec::new(), cwd: None }
    };
    let spec = ServerSpec { key: "example".parse()?, launch, secrets: Vec::new() };
    let limits = Limits::default();
    if let Ok(tool) = std::env::var("CALL") {
        let arguments = std::env::var("ARGUMENTS").unwrap_or_else(|_| "{}".to_owned());
        let arguments = serde_json::value::RawValue::from_string(arguments)?;
        let session = Session::open(&spec, &limits, &Memory::none()).await?;
        let result = session.call(&tool.parse()?, &arguments).await;
        session.close().await;
        println!("{}", result?.get());
        return Ok(());
    }
    match fetch(&spec, &limits, &Memory::none()).await {
        Ok(fetched) => {
            let info = fetched.catalogue.server_info().unwrap_or("no serverInfo");
            println!(
                "{} ({}), {:?}, {} page(s)",
                fetched.protocol, fetched.era, fetched.elapsed, fetched.pages
            );
            println!("{info}");
            for tool in fetched.catalogue.tools() {
                println!("- {}", callsign_wire::text::printable(tool.wire(), 200));
            }
            let catalogue = &fetched.catalogue;
            println!(
                "{} prompts, {} resources",
                catalogue.prompts().len(),
                catalogue.resources().len()
            );
            for note in &fetched.notes {
                println!("note: {note}");
            }
        }
        Err(error) => {
            eprintln!("{error}\nhelp: {}", error.remedy());
            if let Some(evidence) = error.evidence() {
                eprintln!("{}\n{}", evidence.junk.join("\n"), evidence.stderr);
            }
        }
    }
    Ok(())
}
