//! Factory's droid: `mcpServers` and `tools` in the front matter of a custom droid.
//!
//! Evidence: Factory-AI/factory a80aa7c (2026-07-24), `docs/cli/configuration/custom-droids.mdx`.
//!
//! - `mcpServers` is a list of servers' keys; a droid is cut off from all others.
//! - `tools` is a category or a list of exact ids, case counts. How the id of an MCP tool is written there is not stated, so
//!   what depends on it is unknown. Ids that no tool has are told of in the log.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct DroidAgent;

static PROFILE: Profile = Profile {
    id: "droid-agent",
    host: "Factory droid",
    acts: Acts::OnVisibility,
    project_files: &[".factory/droids/*.md"],
    user_files: &[".factory/droids/*.md"],
    compared: Fact::Established(
        "in mcpServers the server's key; how tools names an MCP tool is not stated",
    ),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established("a server outside mcpServers is cut off, whatever tools says"),
    empty: Fact::Unknown("what an empty list means"),
    unknown_entry: Fact::Established("a message in the log"),
    evidence: &["Factory-AI/factory a80aa7c docs/cli/configuration/custom-droids.mdx (2026-07-24)"],
};

const SERVERS: &str = "mcpServers";
const TOOLS: &str = "tools";

impl Dialect for DroidAgent {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Raw
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let server = |text: &str| Pattern::Server(text.to_owned());
        reader.texts_or_commas(source.root(), SERVERS, Effect::Show, server)?;
        let exact = |text: &str| Pattern::Exact(text.to_owned());
        reader.texts_or_commas(source.root(), TOOLS, Effect::Allow, exact)?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let Pattern::Exact(id) = &entry.pattern else {
            return entry.pattern.reach(tool, HostSpelling::Bare);
        };
        match [HostSpelling::Raw, HostSpelling::Bare].iter().any(|s| tool.name(*s) == id) {
            true => Reach::Unknown("how `tools` names an MCP tool is not stated".into()),
            false => Reach::No,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let listed = rules.entries.iter().any(|entry| entry.effect == Effect::Show);
        match rules.first(&[Effect::Show], call) {
            Some(_) if rules.has_list(Effect::Allow, call) => {
                Decision::new(Verdict::Default, "how `tools` names an MCP tool is not stated")
            }
            Some(entry) => Decision::by(Verdict::Allow, entry, "the droid has this server"),
            None if listed => Decision::new(Verdict::Deny, "the droid is cut off from this server"),
            None => Decision::default(),
        }
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const FLEET: &[&str] = &["github/get_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&DroidAgent, rules, FLEET, call)
    }

    #[test]
    fn a_droid_has_the_servers_that_are_listed() {
        assert_eq!(decided(r#"{"mcpServers": ["github"]}"#, "github/get_issue"), "allow");
        assert_eq!(decided(r#"{"mcpServers": ["github"]}"#, "docs/search"), "deny");
        assert_eq!(decided(r#"{"mcpServers": ["GitHub"]}"#, "github/get_issue"), "deny");
        assert_eq!(decided(r#"{"mcpServers": []}"#, "docs/search"), "default", "not stated");
        assert_eq!(decided("{}", "docs/search"), "default");
    }

    #[test]
    fn how_tools_names_an_mcp_tool_is_unknown() {
        let rules = r#"{"tools": ["mcp__github__get_issue", "get_issue", "Read"], "mcpServers": ["github"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "default");
        assert_eq!(decided(rules, "docs/search"), "deny");
        let reached = reaches(&DroidAgent, rules, FLEET);
        assert!(
            matches!(
                reached[..],
                [Reach::Matches, Reach::Unknown(_), Reach::Unknown(_), Reach::No]
            ),
            "{reached:?}"
        );
    }
}
