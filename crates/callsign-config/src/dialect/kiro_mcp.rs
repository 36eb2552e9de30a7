//! Kiro: `disabled`, `disabledTools` and `autoApprove` of a server in `mcp.json`.
//!
//! Evidence: documentation kiro.dev/docs/cli/v3/permissions, and the pages of kiro.dev on `mcp.json` (2026).
//!
//! - `disabled` takes the server away and `disabledTools` the tools that it names.
//! - `autoApprove` approves; official pages differ on whether it takes the tool's name alone or with its server, and a
//!   wildcard in it is not confirmed: such entries are unknown. A managed rule that asks or denies outranks it.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct KiroMcp;

static PROFILE: Profile = Profile {
    id: "kiro-mcp",
    host: "Kiro",
    acts: Acts::OnBoth,
    project_files: &[".kiro/settings/mcp.json"],
    user_files: &[".kiro/settings/mcp.json"],
    compared: Fact::Unknown("whether autoApprove takes the tool's name alone or with its server"),
    wildcards: Fact::Unknown("whether autoApprove takes any"),
    precedence: Fact::Established("a managed rule that asks or denies outranks autoApprove"),
    empty: Fact::Established("nothing is approved, nothing taken away"),
    unknown_entry: Fact::Unknown("what happens to a name that no tool has"),
    evidence: &[
        "kiro.dev/docs, pages on mcp.json (2026)",
        "kiro.dev/docs/cli/v3/permissions (2026)",
    ],
};

impl Dialect for KiroMcp {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (server, table) in source.server_tables("mcpServers") {
            reader.document.map(table)?;
            if let Some(node) = table.get("disabled")
                && reader.document.flag(node)?
            {
                let list = reader.open(node, Effect::Hide, server);
                reader.entry(list, "true", node.span, Pattern::All);
            }
            let exact = |text: &str| Pattern::Exact(text.to_owned());
            reader.texts(table, "disabledTools", Effect::Hide, server, exact)?;
            reader.texts(table, "autoApprove", Effect::Allow, server, exact)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let Pattern::Exact(text) = &entry.pattern else {
            return entry.pattern.reach(tool, HostSpelling::Bare);
        };
        let spellings = [HostSpelling::Bare, HostSpelling::Kiro, HostSpelling::AmazonQ];
        let is_possible = text.contains('*') || spellings.iter().any(|s| tool.name(*s) == text);
        match entry.effect {
            Effect::Allow if is_possible => {
                Reach::Unknown("official pages differ on how autoApprove names a tool".into())
            }
            Effect::Allow => Reach::No,
            _ => entry.pattern.reach(tool, HostSpelling::Bare),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        match rules.first(&[Effect::Hide], call) {
            Some(entry) => Decision::by(Verdict::Deny, entry, "disabled"),
            None => Decision::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "docs/search"];

    #[test]
    fn what_is_disabled_is_away() {
        let rules = r#"{"mcpServers": {"github": {"disabledTools": ["get_issue"]}, "docs": {"disabled": true}}}"#;
        assert_eq!(verdict(&KiroMcp, rules, TOOLS, "github/get_issue"), "deny");
        assert_eq!(verdict(&KiroMcp, rules, TOOLS, "docs/search"), "deny");
        let rules =
            r#"{"mcpServers": {"github": {"disabledTools": ["search"], "disabled": false}}}"#;
        assert_eq!(verdict(&KiroMcp, rules, TOOLS, "github/get_issue"), "default");
        assert_eq!(verdict(&KiroMcp, rules, TOOLS, "docs/search"), "default");
    }

    #[test]
    fn how_auto_approve_names_a_tool_is_unknown() {
        let rules = r#"{"autoApprove": ["get_issue", "@github/get_issue", "github/get_issue", "*", "other"]}"#;
        let reached = reaches(&KiroMcp, rules, TOOLS);
        assert!(reached[..4].iter().all(|reach| matches!(reach, Reach::Unknown(_))), "{reached:?}");
        assert_eq!(reached[4], Reach::No);
        assert_eq!(verdict(&KiroMcp, rules, TOOLS, "github/get_issue"), "default");
    }
}
