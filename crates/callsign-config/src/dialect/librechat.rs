//! LibreChat: the `tools` of an agent.
//!
//! Evidence: excerpts of danny-avila/LibreChat's tests, the file not pinned (2026).
//!
//! - `{tool}_mcp_{server}` is one tool, `sys__all__sys_mcp_{server}` all tools of a server. Both parts may contain the
//!   divider, so the server is looked for among those that are known.
//! - There is no deny list that was seen. Nothing is known of approval.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct LibreChat;

static PROFILE: Profile = Profile {
    id: "librechat",
    host: "LibreChat",
    acts: Acts::OnVisibility,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established(
        "TOOL_mcp_SERVER, the server looked for among those that are known",
    ),
    wildcards: Fact::Established("sys__all__sys_mcp_SERVER for a server"),
    precedence: Fact::Established("an agent has the tools that are listed"),
    empty: Fact::Unknown("whether an empty list differs from none"),
    unknown_entry: Fact::Unknown("what happens to an entry that names nothing"),
    evidence: &["danny-avila/LibreChat, tests of agents' tool lists (2026, not pinned)"],
};

const SPELLING: HostSpelling = HostSpelling::LibreChat;

/// Stands for every tool in the place of one.
const EVERY: &str = "sys__all__sys";

impl Dialect for LibreChat {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        reader.texts(source.root(), "tools", Effect::Show, None, pattern)?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        entry.pattern.reach(tool, SPELLING)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        match rules.filtered(call) {
            Some(decision) if decision.by.is_none() && rules.entries.is_empty() => {
                Decision::default()
            }
            Some(decision) => decision,
            None => Decision::default(),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(SPELLING);
        pattern(text).proposes(text, tool, SPELLING).filter(|_| !text.starts_with(EVERY))
    }
}

fn pattern(text: &str) -> Pattern {
    let every = text.strip_prefix(EVERY).and_then(|rest| rest.strip_prefix(SPELLING.separator()));
    match every {
        Some(server) => Pattern::Server(server.to_owned()),
        None if !text.contains(SPELLING.separator()) => Pattern::Foreign,
        None if text.contains('*') => Pattern::never("there are no wildcards"),
        None => Pattern::Exact(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] =
        &["github/get_issue", "github/create_issue", "x_mcp_y/search", "y/search_mcp_x"];

    fn decided(entry: &str, call: &str) -> &'static str {
        verdict(&LibreChat, &format!(r#"{{"tools": ["{entry}", "web_search"]}}"#), TOOLS, call)
    }

    #[test]
    fn one_tool_or_a_whole_server() {
        assert_eq!(decided("get_issue_mcp_github", "github/get_issue"), "allow");
        assert_eq!(decided("get_issue_mcp_github", "github/create_issue"), "deny");
        assert_eq!(decided("sys__all__sys_mcp_github", "github/create_issue"), "allow");
        assert_eq!(decided("sys__all__sys_mcp_x_mcp_y", "x_mcp_y/search"), "allow");
        assert_eq!(decided("sys__all__sys_mcp_y", "x_mcp_y/search"), "deny", "not by its end");
        assert_eq!(decided("get_*_mcp_github", "github/get_issue"), "deny");
        assert_eq!(
            verdict(&LibreChat, r#"{"tools": []}"#, TOOLS, "github/get_issue"),
            "default",
            "not established"
        );
    }

    #[test]
    fn one_entry_may_name_tools_of_two_servers() {
        assert_eq!(decided("search_mcp_x_mcp_y", "x_mcp_y/search"), "allow");
        assert_eq!(decided("search_mcp_x_mcp_y", "y/search_mcp_x"), "allow");
        let never = reaches(&LibreChat, r#"{"tools": ["get_*_mcp_github", "github"]}"#, TOOLS);
        assert!(never.iter().all(|reach| matches!(reach, Reach::Never(_))), "{never:?}");
    }
}
