//! Which servers are ready and which still wait, on standard error while somebody watches it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use callsign_mcp::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::{count, escaped};

/// As many waiting servers are named; the others are counted.
const MOST_NAMED: usize = 4;

/// A line that tells how far a fleet of servers is.
pub(crate) struct ProgressLine {
    state: Mutex<State>,
    bar: ProgressBar,
}

struct State {
    total: usize,
    answered: usize,
    waiting: BTreeSet<String>,
    begun: Instant,
}

impl ProgressLine {
    /// A line for `total` servers; nothing is drawn unless `shown`.
    pub(crate) fn new(total: usize, shown: bool) -> Self {
        let bar = if shown { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        if shown {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        let state = State { total, answered: 0, waiting: BTreeSet::new(), begun: Instant::now() };
        Self { state: Mutex::new(state), bar }
    }

    /// Takes note of what happened to one server.
    pub(crate) fn note(&self, progress: &Progress<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = state.begun.elapsed().as_secs_f64();
        match progress {
            Progress::Started { server } => {
                state.waiting.insert(escaped(server));
            }
            Progress::Ready { server, tools } => {
                let server = state.done(server);
                self.bar.println(format!(
                    "  ready   {server}  {}, {seconds:.1} s",
                    count(*tools, "tool")
                ));
            }
            Progress::Failed { server } => {
                let server = state.done(server);
                self.bar.println(format!("  failed  {server}  {seconds:.1} s"));
            }
            _ => {}
        }
        self.bar.set_message(state.words());
    }

    /// Takes the line away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl State {
    /// Takes note that a server's answer is there, and gives its key for a terminal.
    fn done(&mut self, server: &str) -> String {
        let server = escaped(server);
        self.waiting.remove(&server);
        self.answered += 1;
        server
    }

    fn words(&self) -> String {
        let done = format!("{} of {} answered", self.answered, count(self.total, "server"));
        let mut named: Vec<&str> =
            self.waiting.iter().take(MOST_NAMED).map(String::as_str).collect();
        let more = self.waiting.len().saturating_sub(MOST_NAMED);
        let rest = format!("{more} more");
        if more > 0 {
            named.push(&rest);
        }
        match named[..] {
            [] => done,
            _ => format!("{done}, waiting for {}", named.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_have_not_started_have_not_answered() {
        let mut state =
            State { total: 6, answered: 0, waiting: BTreeSet::new(), begun: Instant::now() };
        state.waiting.insert("a".into());
        assert_eq!(state.words(), "0 of 6 servers answered, waiting for a");
        state.waiting.extend(["b", "c", "d", "e", "f"].map(String::from));
        assert_eq!(state.words(), "0 of 6 servers answered, waiting for a, b, c, d, 2 more");
        for key in ["a", "b", "c", "d", "e", "f"] {
            state.done(key);
        }
        assert_eq!(state.words(), "6 of 6 servers answered");
    }
}
