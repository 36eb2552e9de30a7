//! What a failed server wrote, for the user to see why it failed.

use callsign::ServerKey;
use callsign_mcp::FetchError;

use crate::output::{self, count, escaped, escaped_lines};

/// Prints to standard error what the server wrote before it failed. Secrets are masked already.
pub(crate) fn tell(server: &ServerKey, error: &FetchError) {
    let Some(evidence) = error.evidence() else { return };
    let key = escaped(server);
    if !evidence.stderr.is_empty() {
        let lines = escaped_lines(&evidence.stderr);
        let quoted: Vec<String> = lines.lines().map(|line| format!("  | {line}")).collect();
        output::print_error(&format!("server `{key}` wrote:\n{}\n", quoted.join("\n")));
    }
    if let Some(first) = evidence.junk.first() {
        let (lines, first) = (count(evidence.junk_lines, "line"), escaped(first));
        output::print_error(&format!(
            "server `{key}`: {lines} of its standard output could not be read as a message, the first: {first}\n"
        ));
    }
}
