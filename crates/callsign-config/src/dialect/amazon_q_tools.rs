//! Amazon Q Developer CLI, and Kiro CLI before version 3: `tools` of an agent file, which tools the agent has.
//!
//! Evidence: aws/amazon-q-developer-cli 15cc8f3 (2026-04-23), `crates/chat-cli/src/cli/chat/tool_manager.rs`.
//!
//! - `*` counts only as the sole entry. Beside others it gives no MCP tool.
//! - Entries for a server are picked by the *beginning* `@{server}`: with servers `git` and `github`, `@github` also opens
//!   all of `git`.
//! - After `/` stands a wire name, byte for byte, or `*`. Any other pattern there is compared as it is.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct AmazonQTools;

static PROFILE: Profile = Profile {
    id: "amazon-q-tools",
    host: "Amazon Q Developer CLI",
    acts: Acts::OnVisibility,
    project_files: &[".amazonq/cli-agents/*.json", ".kiro/agents/*.json"],
    user_files: &[".aws/amazonq/cli-agents/*.json", ".kiro/agents/*.json"],
    compared: Fact::Established("whether the entry begins with @SERVER; after / the wire name"),
    wildcards: Fact::Established("a sole *; @SERVER and @SERVER/* for a server"),
    precedence: Fact::Established("what no entry opens is not there"),
    empty: Fact::Established("no MCP tools"),
    unknown_entry: Fact::Established("ignored without a word"),
    evidence: &[
        "aws/amazon-q-developer-cli 15cc8f3 crates/chat-cli/src/cli/chat/tool_manager.rs (2026-04-23)",
    ],
};

const SPELLING: HostSpelling = HostSpelling::AmazonQ;

impl Dialect for AmazonQTools {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(node) = source.root().get("tools") else { return Ok(reader.rules) };
        let is_sole = reader.document.list(node)?.len() == 1;
        reader.texts(source.root(), "tools", Effect::Show, None, |text| pattern(text, is_sole))?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let Pattern::Exact(text) = &entry.pattern else {
            return entry.pattern.reach(tool, SPELLING);
        };
        let server = [SPELLING.marker(), tool.key(SPELLING)].concat();
        Reach::of(match text.split_once(SPELLING.separator()) {
            _ if !text.starts_with(&server) => false,
            Some((_, wire)) => wire == "*" || wire == tool.wire(),
            None => true,
        })
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.filtered(call).unwrap_or_else(Decision::default)
    }

    /// The first slash divides an entry, so a key with one can't be written; nor can a tool that is called as a wildcard.
    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let is_divided = tool.server().contains(SPELLING.separator());
        (!is_divided && !tool.wire().contains('*')).then(|| tool.name(SPELLING).to_owned())
    }
}

fn pattern(text: &str, is_sole: bool) -> Pattern {
    let wire = text.split_once(SPELLING.separator()).map_or("", |(_, wire)| wire);
    match text {
        "*" if is_sole => Pattern::All,
        "*" => Pattern::never("`*` counts only as the sole entry"),
        _ if !text.starts_with(SPELLING.marker()) => Pattern::Foreign,
        _ if wire != "*" && wire.contains('*') => {
            Pattern::never("after `/` only a lone `*` is a wildcard")
        }
        _ => Pattern::Exact(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["git/push", "github/get_issue", "docs/search"];

    fn decided(tools: &str, call: &str) -> &'static str {
        verdict(&AmazonQTools, &format!(r#"{{"tools": [{tools}]}}"#), TOOLS, call)
    }

    #[test]
    fn the_beginning_of_an_entry_opens_a_server() {
        assert_eq!(decided(r#""@github""#, "git/push"), "allow");
        assert_eq!(decided(r#""@github""#, "github/get_issue"), "allow");
        assert_eq!(decided(r#""@git""#, "github/get_issue"), "deny");
        assert_eq!(decided(r#""@github""#, "docs/search"), "deny");
    }

    #[test]
    fn a_sole_star_and_a_star_beside_others() {
        assert_eq!(decided(r#""*""#, "docs/search"), "allow");
        assert_eq!(decided(r#""*", "@git""#, "docs/search"), "deny");
        assert_eq!(decided(r#""*", "@git""#, "git/push"), "allow");
        assert_eq!(decided("", "docs/search"), "deny");
        assert_eq!(verdict(&AmazonQTools, "{}", TOOLS, "docs/search"), "default");
    }

    #[test]
    fn after_the_slash_a_name_or_a_star() {
        assert_eq!(decided(r#""@git/push""#, "git/push"), "allow");
        assert_eq!(decided(r#""@git/*""#, "git/push"), "allow");
        assert_eq!(decided(r#""@git/pu*""#, "git/push"), "deny");
        assert_eq!(decided(r#""@git/pull""#, "git/push"), "deny");
        let reached = reaches(&AmazonQTools, r#"{"tools": ["@git/pu*", "*"]}"#, TOOLS);
        assert!(reached.iter().all(|reach| matches!(reach, Reach::Never(_))), "{reached:?}");
    }
}
