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
        let state = State { total, waiting: BTreeSet::new(), begun: Instant::now() };
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
                let server = escaped(server);
                state.waiting.remove(&server);
                self.bar.println(format!(
                    "  ready   {server}  {}, {seconds:.1} s",
                    count(*tools, "tool")
                ));
            }
            Progress::Failed { server } => {
                let server = escaped(server);
                state.waiting.remove(&server);
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
    fn words(&self) -> String {
        let done = self.total - self.waiting.len().min(self.total);
        let mut named: Vec<&str> =
            self.waiting.iter().take(MOST_NAMED).map(String::as_str).collect();
        let more = self.waiting.len().saturating_sub(MOST_NAMED);
        let rest = format!("{more} more");
        if more > 0 {
            named.push(&rest);
        }
        format!(
            "{done} of {} answered, waiting for {}",
            count(self.total, "server"),
            named.join(", ")
        )
    }
}
