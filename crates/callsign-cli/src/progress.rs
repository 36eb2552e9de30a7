//! Which servers are ready and which still wait, on standard error while somebody watches it.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use callsign_mcp::Progress;
use console::Term;

use crate::output::{count, escaped};

/// As many waiting servers are named; the others are counted.
const MOST_NAMED: usize = 4;
/// How often the line moves, so that waiting can be told from hanging.
const STEP: Duration = Duration::from_millis(100);
const SPINNER: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// Of a terminal that does not say how wide it is.
const USUAL_WIDTH: usize = 80;

/// A line that tells how far a fleet of servers is.
///
/// Drawn here and not by a library of progress bars: their estimates need the system's library of mathematics, and loading
/// that at every start takes a twelfth of what an empty program takes.
pub(crate) struct ProgressLine {
    line: Arc<Line>,
    /// Draws the line again and again; there is none where nothing is shown.
    ticker: Option<JoinHandle<()>>,
}

struct Line {
    state: Mutex<State>,
    finished: Condvar,
}

struct State {
    total: usize,
    answered: usize,
    waiting: BTreeSet<String>,
    begun: Instant,
    /// `None` where nobody watches, and once the line is taken away.
    terminal: Option<Term>,
}

impl ProgressLine {
    /// A line for `total` servers; nothing is drawn unless `shown`.
    pub(crate) fn new(total: usize, shown: bool) -> Self {
        let terminal = shown.then(Term::stderr);
        let (waiting, begun) = (BTreeSet::new(), Instant::now());
        let state = State { total, answered: 0, waiting, begun, terminal };
        let line = Arc::new(Line { state: Mutex::new(state), finished: Condvar::new() });
        let ticking = line.clone();
        // Without a thread of its own the line is drawn whenever there is news.
        let ticker = shown.then(|| std::thread::Builder::new().spawn(move || ticking.tick()));
        Self { line, ticker: ticker.and_then(Result::ok) }
    }

    /// Takes note of what happened to one server.
    pub(crate) fn note(&self, progress: &Progress<'_>) {
        let mut state = self.line.state.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = state.begun.elapsed().as_secs_f64();
        match progress {
            Progress::Started { server } => {
                state.waiting.insert(escaped(server));
            }
            Progress::Ready { server, tools } => {
                let server = state.done(server);
                let tools = count(*tools, "tool");
                state.print(&format!("  ready   {server}  {tools}, {seconds:.1} s"));
            }
            Progress::Failed { server } => {
                let server = state.done(server);
                state.print(&format!("  failed  {server}  {seconds:.1} s"));
            }
            _ => {}
        }
        state.draw();
    }

    /// Takes the line away.
    pub(crate) fn finish(&mut self) {
        let mut state = self.line.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.clear();
        state.terminal = None;
        drop(state);
        self.line.finished.notify_all();
        if let Some(ticker) = self.ticker.take() {
            let _ = ticker.join();
        }
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Line {
    fn tick(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.terminal.is_some() {
            state.draw();
            let waited = self.finished.wait_timeout(state, STEP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What can't be drawn is not drawn: nothing depends on it.
impl State {
    /// Takes note that a server's answer is there, and gives its key for a terminal.
    fn done(&mut self, server: &str) -> String {
        let server = escaped(server);
        self.waiting.remove(&server);
        self.answered += 1;
        server
    }

    /// Prints a line of its own, which stays.
    fn print(&self, text: &str) {
        self.clear();
        if let Some(terminal) = &self.terminal {
            let _ = terminal.write_line(text);
        }
    }

    fn draw(&self) {
        let Some(terminal) = &self.terminal else { return };
        let width = terminal.size_checked().map_or(USUAL_WIDTH, |(_, columns)| columns.into());
        let line = self.line(self.begun.elapsed(), width);
        let colored = console::style(line).for_stderr().cyan();
        let _ = terminal.clear_line().and_then(|()| terminal.write_str(&colored.to_string()));
    }

    fn clear(&self) {
        if let Some(terminal) = &self.terminal {
            let _ = terminal.clear_line();
        }
    }

    /// The whole line, short enough not to wrap: a wrapped one could not be taken away.
    fn line(&self, elapsed: Duration, width: usize) -> String {
        let step = usize::try_from(elapsed.as_millis() / STEP.as_millis()).unwrap_or(0);
        let (spinner, seconds) = (SPINNER[step % SPINNER.len()], elapsed.as_secs());
        let line = format!("{spinner} {} ({seconds} s)", self.words());
        console::truncate_str(&line, width.saturating_sub(1), "…").into_owned()
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

    fn of_six_servers() -> State {
        let (waiting, begun) = (BTreeSet::new(), Instant::now());
        State { total: 6, answered: 0, waiting, begun, terminal: None }
    }

    #[test]
    fn servers_that_have_not_started_have_not_answered() {
        let mut state = of_six_servers();
        state.waiting.insert("a".into());
        assert_eq!(state.words(), "0 of 6 servers answered, waiting for a");
        state.waiting.extend(["b", "c", "d", "e", "f"].map(String::from));
        assert_eq!(state.words(), "0 of 6 servers answered, waiting for a, b, c, d, 2 more");
        for key in ["a", "b", "c", "d", "e", "f"] {
            state.done(key);
        }
        assert_eq!(state.words(), "6 of 6 servers answered");
    }

    #[test]
    fn the_line_moves_and_never_wraps() {
        let state = of_six_servers();
        let line = |milliseconds, width| state.line(Duration::from_millis(milliseconds), width);
        assert_eq!(line(0, 80), "⠋ 0 of 6 servers answered (0 s)");
        assert_eq!(line(1250, 80), "⠹ 0 of 6 servers answered (1 s)");
        assert_eq!(line(0, 12), "⠋ 0 of 6 s…");
    }

    #[test]
    fn a_line_that_nobody_sees_is_taken_away_at_once() {
        let server = callsign::ServerKey::new("a").unwrap();
        let mut line = ProgressLine::new(1, false);
        line.note(&Progress::Started { server: &server });
        line.finish();
        assert!(line.ticker.is_none());
    }
}
