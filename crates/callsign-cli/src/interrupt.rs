//! Waiting for servers so that Ctrl-C ends all of them.

use std::future::Future;

use callsign_wire::process::interrupted;

use crate::failure::Failure;

/// Runs a future to its end on a runtime of its own. When the program is asked to stop (Ctrl-C, on Unix also SIGTERM and
/// the end of the terminal) the future is dropped, which ends the whole process group of every server it started.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::new(format!("can't start the runtime: {error}")))?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = future => Ok(outcome),
            stopped = interrupted() => Err(match stopped {
                Ok(()) => Failure::Interrupted,
                Err(error) => Failure::new(format!("can't watch for Ctrl-C: {error}")),
            }),
        }
    });
    // The look-up of a host's name can't be stopped, and to wait for it would make a limit of one second one of twelve.
    runtime.shutdown_background();
    outcome
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::block_on;

    #[test]
    fn what_can_not_be_stopped_is_not_waited_for() {
        let begun = Instant::now();
        let outcome = block_on(async {
            drop(tokio::task::spawn_blocking(|| std::thread::sleep(Duration::from_secs(20))));
            tokio::time::sleep(Duration::from_millis(50)).await;
            7
        });
        assert!(matches!(outcome, Ok(7)));
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
