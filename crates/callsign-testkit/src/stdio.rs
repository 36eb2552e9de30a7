//! The stdio transport: one message a line.

use std::sync::Arc;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Duration, timeout};

use crate::behaviour::Behaviour;
use crate::incoming::Incoming;
use crate::outlet::{Emit, Outlet};
use crate::server::Server;
use crate::{ServeError, announce, json_text, record, start, termination};

/// How long answers still under way may take after stdin has closed.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Serves on stdin and stdout until stdin closes or the behaviour ends the process; gives the exit status.
///
/// The caller should shut its runtime down in the background and end the process with that status: reading stdin
/// occupies a thread that nothing else can end.
///
/// # Errors
/// [`ServeError`]: a file of the behaviour cannot be used, the child cannot be started, or stdout fails.
pub async fn serve_stdio(behaviour: Behaviour) -> Result<i32, ServeError> {
    let _deaf = termination::prepare(&behaviour.ending)?;
    let longest_life = behaviour.ending.longest_life;
    let (outlet, emitted) = Outlet::new();
    if behaviour.ending.at_start && behaviour.ending.is_due() {
        start::banner(&behaviour, &outlet);
        outlet.stop(behaviour.ending.status);
        return write_out(emitted).await;
    }
    start::side_effects(&behaviour)?;
    start::banner(&behaviour, &outlet);
    let server = Arc::new(Server::new(behaviour)?);
    server.state().connection = Some(outlet.clone());
    if let Some(file) = server.behaviour.catalogue.tools_file.clone() {
        tokio::spawn(announce::watch_tools_file(server.clone(), file));
    }
    tokio::select! {
        status = write_out(emitted) => status,
        status = read_in(server, outlet) => status,
        () = tokio::time::sleep(longest_life) => Ok(0),
    }
}

/// Takes one line after the other; slow answers do not hold up the next line.
async fn read_in(server: Arc<Server>, outlet: Outlet) -> Result<i32, ServeError> {
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut under_way = JoinSet::new();
    while let Ok(Some(line)) = lines.next_line().await {
        if line.trim().is_empty() {
            continue;
        }
        if let Some(file) = &server.record {
            record::append(file, &line);
        }
        let message = Incoming::read(&line);
        let (server, outlet) = (server.clone(), outlet.clone());
        under_way.spawn(async move { server.receive(message, &outlet).await });
        // Keeps answers that need no waiting in the order of the requests.
        tokio::task::yield_now().await;
    }
    let ending = &server.behaviour.ending;
    if ending.lingers || ending.ignores_sigterm {
        std::future::pending::<()>().await;
    }
    let _ = timeout(LAST_ANSWERS, async { while under_way.join_next().await.is_some() {} }).await;
    outlet.stop(0);
    // The writer sees the order to stop after everything else, and ends the process.
    std::future::pending().await
}

async fn write_out(mut emitted: mpsc::UnboundedReceiver<Emit>) -> Result<i32, ServeError> {
    let mut stdout = tokio::io::stdout();
    while let Some(emit) = emitted.recv().await {
        let line = match emit {
            Emit::Answer(message) | Emit::Aside(message) => json_text::one_line(&message),
            Emit::Junk(text) => text,
            Emit::Stop(status) => return Ok(status),
        };
        let written = async {
            stdout.write_all(line.as_bytes()).await?;
            stdout.write_all(b"\n").await?;
            stdout.flush().await
        };
        if let Err(cause) = written.await {
            return Err(ServeError::Stdout(cause));
        }
    }
    Ok(0)
}
