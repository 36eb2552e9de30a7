//! What calls came to, counted, and how it is told to Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use callsign::ToolId;

use crate::gateway::Inner;

/// Upper bounds of the latency buckets, in seconds.
const BUCKETS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

/// What a call came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server gave a result, whatever it says.
    Result,
    /// The server gave an error.
    Error,
    /// The gateway gave an error: the server was down, too slow, or the call was not allowed.
    Refused,
    /// The host gave it up.
    Cancelled,
}

impl Outcome {
    const ALL: [Self; 4] = [Self::Result, Self::Error, Self::Refused, Self::Cancelled];

    /// The word for it in logs and metrics.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Result => "result",
            Self::Error => "error",
            Self::Refused => "refused",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The calls so far. There are as many series as tools that were ever called, and who is called is on a list.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<BTreeMap<ToolId, Series>>);

#[derive(Debug, Default, Clone)]
struct Series {
    outcomes: [u64; 4],
    /// Not cumulated: that is done when it is told.
    buckets: [u64; BUCKETS.len()],
    seconds: f64,
}

impl Metrics {
    fn series(&self) -> MutexGuard<'_, BTreeMap<ToolId, Series>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a call of a tool.
    pub(crate) fn count(&self, tool: &ToolId, outcome: Outcome, elapsed: Duration) {
        let seconds = elapsed.as_secs_f64();
        let mut all = self.series();
        let series = match all.get_mut(tool) {
            Some(series) => series,
            None => all.entry(tool.clone()).or_default(),
        };
        series.outcomes[outcome as usize] += 1;
        series.seconds += seconds;
        if let Some(bucket) = BUCKETS.iter().position(|bound| seconds <= *bound) {
            series.buckets[bucket] += 1;
        }
    }

    fn write(&self, out: &mut String) {
        let all = self.series().clone();
        head(out, "calls_total", "counter", "Calls by server, tool and what they came to.");
        for (tool, series) in &all {
            for outcome in Outcome::ALL {
                let (labels, count) = (labels(tool), series.outcomes[outcome as usize]);
                let outcome = outcome.as_str();
                line(out, "calls_total", &format!("{labels},outcome=\"{outcome}\""), count);
            }
        }
        head(
            out,
            "call_seconds",
            "histogram",
            "How long calls took, from the host's request to its answer.",
        );
        for (tool, series) in &all {
            let labels = labels(tool);
            let mut below = 0;
            for (bound, count) in BUCKETS.iter().zip(series.buckets) {
                below += count;
                line(out, "call_seconds_bucket", &format!("{labels},le=\"{bound}\""), below);
            }
            let count: u64 = series.outcomes.iter().sum();
            line(out, "call_seconds_bucket", &format!("{labels},le=\"+Inf\""), count);
            line(out, "call_seconds_sum", &labels, series.seconds);
            line(out, "call_seconds_count", &labels, count);
        }
    }
}

/// Everything that is counted, in Prometheus' text form.
pub(crate) fn exposition(gateway: &Inner) -> String {
    let mut out = String::new();
    gateway.metrics.write(&mut out);
    let servers = gateway.fleet.all();
    head(&mut out, "server_up", "gauge", "Whether a server can be asked now.");
    for server in &servers {
        let up = u8::from(server.life_now().is_some());
        line(&mut out, "server_up", &format!("server=\"{}\"", escaped(&server.key)), up);
    }
    head(&mut out, "server_starts_total", "counter", "How often a server has been started.");
    for server in &servers {
        let labels = format!("server=\"{}\"", escaped(&server.key));
        line(&mut out, "server_starts_total", &labels, server.starts());
    }
    head(&mut out, "server_requests", "gauge", "Requests under way or waiting at a server.");
    for server in &servers {
        let labels = format!("server=\"{}\"", escaped(&server.key));
        line(&mut out, "server_requests", &labels, server.under_way());
    }
    let offer = gateway.directory.now();
    head(&mut out, "tools", "gauge", "Tools that are served.");
    let _ = writeln!(out, "callsign_tools {}", offer.tools.len());
    head(
        &mut out,
        "tools_list_bytes",
        "gauge",
        "The size of the list of tools, which every host puts into its prompt.",
    );
    let _ = writeln!(out, "callsign_tools_list_bytes {}", offer.lists.tools.get().len());
    head(&mut out, "hosts", "gauge", "Sessions of hosts.");
    let _ = writeln!(out, "callsign_hosts {}", gateway.hosts.all().len());
    out
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a String can't fail.
    let _ = writeln!(out, "# HELP callsign_{name} {help}\n# TYPE callsign_{name} {kind}");
}

fn line(out: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    let _ = writeln!(out, "callsign_{name}{{{labels}}} {value}");
}

fn labels(tool: &ToolId) -> String {
    format!("server=\"{}\",tool=\"{}\"", escaped(tool.server()), escaped(tool.wire()))
}

/// A label's value: names come from strangers.
fn escaped(text: &str) -> String {
    callsign_wire::text::printable(text, 200).replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulated_and_names_cannot_break_a_line() {
        let metrics = Metrics::default();
        let tool = ToolId::new("a".parse().unwrap(), "x\"\n\\y".parse().unwrap());
        metrics.count(&tool, Outcome::Result, Duration::from_micros(1500));
        metrics.count(&tool, Outcome::Refused, Duration::from_secs(60));
        let mut out = String::new();
        metrics.write(&mut out);
        let labels = r#"server="a",tool="x\"\\n\\y""#;
        assert!(
            out.contains(&format!("callsign_calls_total{{{labels},outcome=\"result\"}} 1\n")),
            "{out}"
        );
        assert!(
            out.contains(&format!("callsign_call_seconds_bucket{{{labels},le=\"0.001\"}} 0\n"))
        );
        assert!(out.contains(&format!("callsign_call_seconds_bucket{{{labels},le=\"30\"}} 1\n")));
        assert!(out.contains(&format!("callsign_call_seconds_bucket{{{labels},le=\"+Inf\"}} 2\n")));
        assert!(out.lines().all(|line| line.starts_with('#') || line.starts_with("callsign_")));
    }
}
