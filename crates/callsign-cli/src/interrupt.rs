//! Waiting for servers so that Ctrl-C ends all of them.

use std::future::Future;

use crate::failure::Failure;

/// Runs a future to its end on a runtime of its own. On Ctrl-C (on Unix also SIGTERM, and SIGHUP from a
/// terminal that closes) the future is dropped, which ends the
/// whole process group of every server it started.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("can't start the runtime: {error}")))?;
    runtime.block_on(async {
        tokio::select! {
            outcome = future => Ok(outcome),
            () = asked_to_stop() => Err(Failure::Interrupted),
        }
    })
}

#[cfg(unix)]
async fn asked_to_stop() {
    use tokio::signal::unix::SignalKind;
    tokio::select! {
        Ok(()) = tokio::signal::ctrl_c() => {}
        () = received(SignalKind::terminate()) => {}
        () = received(SignalKind::hangup()), if !outlives_its_terminal() => {}
        else => std::future::pending().await,
    }
}

/// Returns when the signal comes; never, if it can't be waited for.
#[cfg(unix)]
async fn received(kind: tokio::signal::unix::SignalKind) {
    match tokio::signal::unix::signal(kind) {
        Ok(mut signal) => drop(signal.recv().await),
        Err(_) => std::future::pending().await,
    }
}

/// Whether whoever started this program had it ignore the end of its terminal, as `nohup` does. Only Linux tells.
#[cfg(unix)]
fn outlives_its_terminal() -> bool {
    const HANGUP: u64 = 1; // the bit of signal 1
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & HANGUP != 0)
}

#[cfg(not(unix))]
async fn asked_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
