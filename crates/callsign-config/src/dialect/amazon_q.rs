//! Amazon Q Developer CLI, and Kiro CLI before version 3: `allowedTools` of an agent file.
//!
//! Evidence: aws/amazon-q-developer-cli 15cc8f3 (2026-04-23), `crates/chat-cli/src/util/tool_permission_checker.rs`,
//! `crates/chat-cli/src/util/pattern_matching.rs`, `docs/agent-format.md`.
//!
//! - For MCP tools only entries that begin with `@` count. An entry is held against `@{server}`, then against
//!   `@{server}/{tool}`; key and wire name as they are, case counts.
//! - With `*` or `?` it is a pattern, in which `*` also crosses `/`, and `[` and `{` mean something then. So `@git-*` covers
//!   every tool of every such server and `@*` everything. A pattern that is not well formed matches nothing, without a word.
//! - There is no deny list. What is not listed is asked for.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::wild_regex::{Family, pattern as wild};
use super::{Dialect, Found};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct AmazonQ;

static PROFILE: Profile = Profile {
    id: "amazon-q",
    host: "Amazon Q Developer CLI",
    acts: Acts::OnCalls,
    project_files: &[".amazonq/cli-agents/*.json", ".kiro/agents/*.json"],
    user_files: &[".aws/amazonq/cli-agents/*.json", ".kiro/agents/*.json"],
    compared: Fact::Established("@SERVER, then @SERVER/TOOL, key and wire name as they are"),
    wildcards: Fact::Established(
        "* and ? anywhere after @, crossing /; with them [ ] and { } as well",
    ),
    precedence: Fact::Established("allow only"),
    empty: Fact::Established("every call is asked for"),
    unknown_entry: Fact::Established(
        "matches nothing, without a word; so does a pattern that is not well formed",
    ),
    evidence: &[
        "aws/amazon-q-developer-cli 15cc8f3 crates/chat-cli/src/util/tool_permission_checker.rs (2026-04-23)",
        "aws/amazon-q-developer-cli 15cc8f3 docs/agent-format.md (2026-04-23)",
    ],
};

const LIST: &str = "allowedTools";
const SPELLING: HostSpelling = HostSpelling::AmazonQ;

impl Dialect for AmazonQ {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        reader.texts(source.root(), LIST, Effect::Allow, None, pattern)?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let server = [SPELLING.marker(), tool.key(SPELLING)].concat();
        let is_server = match &entry.pattern {
            Pattern::Exact(text) => *text == server,
            Pattern::Regex(regex) => regex.is_match(&server),
            _ => false,
        };
        if is_server { Reach::Matches } else { entry.pattern.reach(tool, SPELLING) }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        match rules.first(&[Effect::Allow], call) {
            Some(entry) => Decision::by(Verdict::Allow, entry, "listed"),
            None if rules.lists.is_empty() => Decision::default(),
            None => Decision::new(Verdict::Ask, "what is not listed is asked for"),
        }
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        found.0.get(LIST).is_some() && found.0.get("prompt").is_some()
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(SPELLING);
        (!text.contains(['*', '?'])).then(|| text.to_owned())
    }
}

fn pattern(text: &str) -> Pattern {
    let has_wildcard = text.contains(['*', '?']);
    match text.starts_with(SPELLING.marker()) {
        true if has_wildcard => wild(text, Family::Globset),
        true => Pattern::Exact(text.to_owned()),
        false if has_wildcard => {
            Pattern::never("for MCP tools only entries that begin with `@` count")
        }
        false => Pattern::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["git-x/rm", "github/get_issue", "builtin/x"];

    fn decided(entry: &str, call: &str) -> &'static str {
        verdict(&AmazonQ, &format!(r#"{{"allowedTools": ["{entry}"]}}"#), TOOLS, call)
    }

    #[test]
    fn a_server_or_one_tool() {
        assert_eq!(decided("@github", "github/get_issue"), "allow");
        assert_eq!(decided("@github/get_issue", "github/get_issue"), "allow");
        assert_eq!(decided("@git", "github/get_issue"), "ask");
        assert_eq!(decided("@GitHub", "github/get_issue"), "ask");
        assert_eq!(decided("@github/get", "github/get_issue"), "ask");
        assert_eq!(decided("@builtin", "builtin/x"), "allow", "a server may be called that");
    }

    #[test]
    fn a_star_crosses_the_slash() {
        assert_eq!(decided("@git-*", "git-x/rm"), "allow");
        assert_eq!(decided("@*", "github/get_issue"), "allow");
        assert_eq!(decided("@*issue", "github/get_issue"), "allow");
        assert_eq!(decided("@github/get_?ssue", "github/get_issue"), "allow");
        assert_eq!(decided("@git{-x,hub}/*", "github/get_issue"), "allow");
        assert_eq!(
            decided("@git{-x,hub}/rm", "git-x/rm"),
            "ask",
            "without a wildcard braces are braces"
        );
    }

    #[test]
    fn what_does_nothing_for_mcp_tools() {
        for entry in ["*", "git*", "@github/get_*[", "get_issue"] {
            assert_eq!(decided(entry, "github/get_issue"), "ask", "{entry}");
        }
        let rules = r#"{"allowedTools": ["*", "@git[*", "rm"]}"#;
        let reached = reaches(&AmazonQ, rules, TOOLS);
        assert!(reached.iter().all(|reach| matches!(reach, Reach::Never(_))), "{reached:?}");
        assert_eq!(verdict(&AmazonQ, r#"{"allowedTools": []}"#, TOOLS, "git-x/rm"), "ask");
        assert_eq!(verdict(&AmazonQ, "{}", TOOLS, "git-x/rm"), "default");
    }
}
