//! Docker Agent (cagent): `permissions.allow`, `ask` and `deny` of an agent file.
//!
//! Evidence: docker/cagent 0d76412 (2026-03-14), `pkg/permissions/permissions.go`, `pkg/tools/mcp/mcp.go`.
//!
//! - Patterns with `*`, `?` and `[…]`, without case, for `{toolset}_{tool}`, or for the wire name where a toolset has no
//!   name. A pattern that is not well formed matches nothing.
//! - `{name}:{argument}={pattern}` also looks at an argument. So the documented `mcp:github:delete_*` speaks of a tool called
//!   `mcp`, and never fires.
//! - Deny, then *allow*, then ask: an explicit ask does not beat an allow.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use super::wild_regex::{Family, pattern as wild};
use super::{Dialect, Found};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct DockerAgent;

static PROFILE: Profile = Profile {
    id: "docker-agent",
    host: "Docker Agent",
    acts: Acts::OnCalls,
    project_files: &["cagent.yaml", "cagent.yml"],
    user_files: &[],
    compared: Fact::Established("the exposed name TOOLSET_TOOL, without case"),
    wildcards: Fact::Established("*, ? and sets of characters, anywhere"),
    precedence: Fact::Established("deny, then allow, then ask"),
    empty: Fact::Established("every call is asked for"),
    unknown_entry: Fact::Established(
        "matches nothing, without a word; so does a pattern that is not well formed",
    ),
    evidence: &[
        "docker/cagent 0d76412 pkg/permissions/permissions.go (2026-03-14)",
        "docker/cagent 0d76412 pkg/tools/mcp/mcp.go (2026-03-14)",
    ],
};

/// In the order in which they are asked.
const LISTS: [(&str, Effect); 3] =
    [("deny", Effect::Deny), ("allow", Effect::Allow), ("ask", Effect::Ask)];

impl Dialect for DockerAgent {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Joined
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(permissions) = source.table(&["permissions"]) else { return Ok(reader.rules) };
        reader.document.map(permissions)?;
        for (key, effect) in LISTS {
            reader.texts(permissions, key, effect, None, pattern)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match (entry.pattern.reach(tool, self.compared()), entry.text.contains(':')) {
            (Reach::Matches, true) => {
                Reach::Unknown("it depends on an argument of the call".into())
            }
            (reach, _) => reach,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&LISTS.map(|(_, effect)| effect), call)
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        found.0.get("agents").is_some() && found.0.get("permissions").is_some()
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(self.compared());
        (!text.contains(['*', '?', '[', '\\', ':'])).then(|| text.to_owned())
    }
}

/// What stands before the first colon is the tool's name, the rest speaks of arguments.
fn pattern(text: &str) -> Pattern {
    match text.split_once(':') {
        Some(("mcp", _)) => Pattern::never(
            "what stands before `:` is the tool's name, and no MCP tool is called `mcp`",
        ),
        Some((name, _)) => wild(name, Family::GoWithoutCase),
        None => wild(text, Family::GoWithoutCase),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&DockerAgent, rules, TOOLS, call)
    }

    #[test]
    fn patterns_for_the_exposed_name_without_case() {
        for entry in ["github_get_issue", "GitHub_*", "*_issue", "github_[fg]et_?ssue", "*"] {
            let rules = format!(r#"{{"deny": ["{entry}"]}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "deny", "{entry}");
        }
        for entry in ["get_issue", "github", "mcp__github__get_issue", "github_[", "mcp:github:*"] {
            let rules = format!(r#"{{"permissions": {{"deny": ["{entry}"]}}}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "default", "{entry}");
        }
        let never = reaches(&DockerAgent, r#"{"deny": ["github_[", "mcp:github:get_*"]}"#, TOOLS);
        assert!(never.iter().all(|reach| matches!(reach, Reach::Never(_))), "{never:?}");
    }

    #[test]
    fn allow_is_asked_before_ask() {
        let rules = r#"{"allow": ["github_*"], "ask": ["github_create_*"]}"#;
        assert_eq!(decided(rules, "github/create_issue"), "allow");
        assert_eq!(decided(r#"{"ask": ["github_*"]}"#, "github/create_issue"), "ask");
        let denied = r#"{"allow": ["github_*"], "deny": ["github_create_*"]}"#;
        assert_eq!(decided(denied, "github/create_issue"), "deny");
    }

    #[test]
    fn an_argument_is_not_known_here() {
        let rules = r#"{"deny": ["github_get_issue:repo=secret*"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "default");
        assert!(matches!(reaches(&DockerAgent, rules, TOOLS)[0], Reach::Unknown(_)));
    }
}
