//! What is written that nobody asked for, and what is not written that somebody waits for.

use crate::behaviour::Behaviour;
use crate::era::{Era, Spoken};
use crate::incoming::Request;
use crate::json_text::Object;
use crate::outlet::Outlet;
use crate::server::Server;

const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";

/// Texts seen on the stdout of real servers, and some that look like JSON for a while.
const JUNK: [&str; 5] = [
    "Working directory: .",
    "[info] server ready",
    r#"{"level":"info","msg":"not a message"}"#,
    r#"{"jsonrpc":"2.0","id":"#,
    "null",
];

impl Behaviour {
    /// Lines that are not messages, with blank ones between.
    pub(crate) fn junk_lines(&self) -> impl Iterator<Item = String> {
        JUNK.iter()
            .cycle()
            .take(self.noise.junk)
            .flat_map(|line| [(*line).to_owned(), String::new()])
    }

    pub(crate) fn never_answers(&self, method: &str) -> bool {
        let discover = self.era == Era::SilentOnDiscover && method == "server/discover";
        discover || self.answers.never.iter().any(|pattern| pattern.matches(method))
    }
}

impl Server {
    /// Junk before every answer, and the huge line before the first.
    pub(crate) fn write_junk(&self, outlet: &Outlet) {
        self.behaviour.junk_lines().for_each(|line| outlet.junk(line));
        self.write_huge_line(outlet);
    }

    /// Log messages before the first answer; a modern request has to ask for them.
    pub(crate) fn log_first(&self, request: &Request, spoken: Spoken, outlet: &Outlet) {
        let wanted = spoken == Spoken::Legacy || request.meta(LOG_LEVEL_KEY).is_some();
        if !wanted || std::mem::replace(&mut self.state().logged, true) {
            return;
        }
        for number in 1..=self.behaviour.noise.log_first {
            outlet.aside(log_message(number));
        }
    }
}

fn log_message(number: usize) -> String {
    let params = Object::new()
        .text("level", "info")
        .text("logger", "testkit")
        .text("data", &format!("log message {number}"));
    let message = Object::new().text("jsonrpc", "2.0").text("method", "notifications/message");
    message.raw("params", &params.json()).json()
}
