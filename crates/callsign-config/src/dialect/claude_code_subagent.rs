//! Claude Code: `tools` and `disallowedTools` in the front matter of a subagent.
//!
//! Evidence: documentation code.claude.com/docs/en/sub-agents (2026); release notes 2.1.178 (server forms in
//! `disallowedTools` were ignored before) and 2.1.208 (an agent whose `tools` names nothing is refused).
//!
//! - A list, or one text with commas. Exact exposed names, `mcp__{server}` and `mcp__{server}__*`; `mcp__*` only in
//!   `disallowedTools`. Rules with parentheses are not understood.
//! - `disallowedTools` is applied first and `tools` against the rest. Without `tools` the agent has all.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::claude_code::{reach_by_name_or_server, whole_server};
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct ClaudeCodeSubagent;

static PROFILE: Profile = Profile {
    id: "claude-code-subagent",
    host: "Claude Code",
    acts: Acts::OnVisibility,
    project_files: &[".claude/agents/*.md"],
    user_files: &[".claude/agents/*.md"],
    compared: Fact::Established("the exposed name mcp__SERVER__TOOL"),
    wildcards: Fact::Established(
        "a whole server as mcp__SERVER or mcp__SERVER__*; mcp__* in disallowedTools only",
    ),
    precedence: Fact::Established("disallowedTools first, tools against the rest"),
    empty: Fact::Unknown("what an empty `tools` means; without the key the agent has all tools"),
    unknown_entry: Fact::Established(
        "ignored; if nothing in `tools` names a tool, the agent is refused (before 2.1.208 it ran without tools)",
    ),
    evidence: &[
        "code.claude.com/docs/en/sub-agents (2026)",
        "anthropics/claude-code 5cfc0a1 CHANGELOG.md, 2.1.178 and 2.1.208 (2026)",
    ],
};

const SPELLING: HostSpelling = HostSpelling::ClaudeCode;

impl Dialect for ClaudeCodeSubagent {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let root = source.root();
        let lists = [("disallowedTools", Effect::Hide), ("tools", Effect::Show)];
        for (key, effect) in lists {
            reader.texts_or_commas(root, key, effect, |text| pattern(text, effect))?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        reach_by_name_or_server(&entry.pattern, tool)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let tools_is_empty = rules.has_list(Effect::Show, call)
            && !rules.entries.iter().any(|entry| entry.effect == Effect::Show);
        match rules.filtered(call) {
            Some(decision) if decision.by.is_some() || !tools_is_empty => decision,
            _ => Decision::default(),
        }
    }
}

fn pattern(text: &str, effect: Effect) -> Pattern {
    let Some(rest) = text.strip_prefix(SPELLING.marker()) else { return Pattern::Foreign };
    match (whole_server(text), effect) {
        (Some(key), _) => Pattern::Server(key.to_owned()),
        (None, _) if text.contains('(') => {
            Pattern::never("rules with parentheses are not understood in an agent's front matter")
        }
        (None, Effect::Hide) if rest == "*" => Pattern::All,
        (None, _) if rest == "*" => Pattern::never("this wildcard is understood in `disallowedTools` only"),
        (None, _) if text.contains('*') => {
            Pattern::Unknown("wildcards within a tool's name are not documented here".into())
        }
        (None, _) => Pattern::Exact(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&ClaudeCodeSubagent, rules, TOOLS, call)
    }

    #[test]
    fn a_list_or_commas() {
        for tools in [r#""Read, mcp__github__get_issue""#, r#"["mcp__github__get_issue", "Read"]"#] {
            let rules = format!(r#"{{"tools": {tools}}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "allow");
            assert_eq!(decided(&rules, "github/create_issue"), "deny");
        }
        assert_eq!(decided(r#"{"disallowedTools": ["mcp__github__*"]}"#, "docs/search"), "default");
    }

    #[test]
    fn disallowed_first() {
        let rules = r#"{"tools": ["mcp__github", "mcp__docs"], "disallowedTools": ["mcp__github"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "deny");
        assert_eq!(decided(rules, "docs/search"), "allow");
    }

    #[test]
    fn every_server_only_in_disallowed() {
        assert_eq!(decided(r#"{"disallowedTools": ["mcp__*"]}"#, "docs/search"), "deny");
        assert_eq!(decided(r#"{"tools": ["mcp__*"]}"#, "docs/search"), "deny", "nothing resolves");
        let scoped = reaches(&ClaudeCodeSubagent, r#"{"tools": ["mcp__github__x(a)"]}"#, TOOLS);
        assert!(matches!(scoped[0], Reach::Never(_)));
    }

    #[test]
    fn what_is_not_documented_decides_nothing() {
        assert_eq!(decided(r#"{"tools": []}"#, "docs/search"), "default");
        let rules = r#"{"disallowedTools": ["mcp__github__get_*"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "default");
        assert!(matches!(reaches(&ClaudeCodeSubagent, rules, TOOLS)[0], Reach::Unknown(_)));
    }
}
