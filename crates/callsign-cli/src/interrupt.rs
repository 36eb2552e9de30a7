//! Waiting for servers so that Ctrl-C ends all of them.

use std::future::Future;

use crate::failure::Failure;

/// Runs a future to its end on a runtime of its own. On Ctrl-C (and on Unix SIGTERM) the future is dropped, which ends the
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
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return std::future::pending().await;
    };
    tokio::select! {
        Ok(()) = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}

#[cfg(not(unix))]
async fn asked_to_stop() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
