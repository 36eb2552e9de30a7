//! LangChain's Deep Agents CLI: a server's `allowedTools` or `disabledTools` in `.mcp.json`.
//!
//! Evidence: documentation of the Deep Agents CLI (2026).
//!
//! - Patterns as of Python's fnmatch, tried against the wire name and against `{server}_{tool}`.
//! - Both lists at once, or an empty one, are refused when the file is loaded. An entry that fits nothing is warned about.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::Reach;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use super::wild_regex::{Family, pattern as wild};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct DeepAgents;

static PROFILE: Profile = Profile {
    id: "deep-agents",
    host: "LangChain Deep Agents CLI",
    acts: Acts::OnVisibility,
    // Its file is called `.mcp.json`, as those of others are whose servers have no such lists.
    project_files: &[],
    user_files: &[],
    compared: Fact::Established("the wire name, and SERVER_TOOL"),
    wildcards: Fact::Established("*, ? and sets of characters, anywhere"),
    precedence: Fact::Established("one list only: both at once are refused"),
    empty: Fact::Established("refused when the file is loaded"),
    unknown_entry: Fact::Established("a warning"),
    evidence: &["documentation of the Deep Agents CLI, MCP tools (2026)"],
};

const LISTS: [(&str, Effect); 2] =
    [("allowedTools", Effect::Show), ("disabledTools", Effect::Hide)];

impl Dialect for DeepAgents {
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
            for (key, effect) in LISTS {
                reader.texts(table, key, effect, server, |text| wild(text, Family::Fnmatch))?;
                let list = table.get(key);
                if let Some(list) =
                    list.filter(|list| reader.document.list(list).is_ok_and(<[_]>::is_empty))
                {
                    reader.drop_all("an empty list is refused when the file is loaded", list.span);
                }
            }
            if let [Some(_), Some(second)] = LISTS.map(|(key, _)| table.get(key)) {
                reader.drop_all(
                    "both lists at once are refused when the file is loaded",
                    second.span,
                );
            }
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match entry.pattern.reach(tool, HostSpelling::Bare) {
            Reach::No => entry.pattern.reach(tool, HostSpelling::Joined),
            reach => reach,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.filtered(call).unwrap_or_else(Decision::default)
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        Some(tool.wire().to_owned()).filter(|text| !text.contains(['*', '?', '[']))
    }
}

#[cfg(test)]
mod tests {
    use super::super::of_value;
    use super::super::testing::verdict;
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&DeepAgents, rules, TOOLS, call)
    }

    #[test]
    fn patterns_for_both_names() {
        for entry in ["get_issue", "get_*", "github_get_issue", "github_*", "[!c]*_issue"] {
            let allowed =
                format!(r#"{{"mcpServers": {{"github": {{"allowedTools": ["{entry}"]}}}}}}"#);
            assert_eq!(decided(&allowed, "github/get_issue"), "allow", "{entry}");
            assert_eq!(decided(&allowed, "docs/search"), "default", "{entry}");
            let disabled = format!(r#"{{"disabledTools": ["{entry}"]}}"#);
            assert_eq!(decided(&disabled, "github/get_issue"), "deny", "{entry}");
        }
        assert_eq!(decided(r#"{"allowedTools": ["get_*"]}"#, "github/create_issue"), "deny");
        assert_eq!(decided(r#"{"disabledTools": ["get"]}"#, "github/get_issue"), "default");
    }

    #[test]
    fn what_is_refused() {
        for rules in [
            r#"{"allowedTools": []}"#,
            r#"{"disabledTools": []}"#,
            r#"{"allowedTools": ["a"], "disabledTools": ["b"]}"#,
        ] {
            assert!(of_value(&DeepAgents, rules).unwrap().dropped.is_some(), "{rules}");
            assert_eq!(decided(rules, "github/get_issue"), "default");
        }
    }
}
