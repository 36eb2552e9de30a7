//! VS Code, GitHub Copilot Chat: `tools` in the front matter of custom agents and prompt files.
//!
//! Evidence: microsoft/vscode-docs 00790a8 `docs/copilot/agents/agent-tools.md` (2026-03-25) and its pages on custom agents
//! and prompt files.
//!
//! - Names of tools and of tool sets, or `{server}/*` for a whole MCP server. A name that is not available is ignored
//!   without a word.
//! - The list of a prompt file counts before an agent's, and that before the picker.
//! - Whether a tool's reference name has its server's label or key, and what an empty list means, is not established.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct VsCodeTools;

static PROFILE: Profile = Profile {
    id: "vscode-tools",
    host: "VS Code",
    acts: Acts::OnVisibility,
    project_files: &[
        ".github/agents/*.agent.md",
        ".github/chatmodes/*.chatmode.md",
        ".github/prompts/*.prompt.md",
    ],
    user_files: &[],
    compared: Fact::Unknown("whether a tool's reference name has its server's label or its key"),
    wildcards: Fact::Established("SERVER/* for a whole server"),
    precedence: Fact::Established("a prompt file's list, then an agent's, then the picker's"),
    empty: Fact::Unknown("what an empty list means"),
    unknown_entry: Fact::Established("ignored without a word"),
    evidence: &["microsoft/vscode-docs 00790a8 docs/copilot/agents/agent-tools.md (2026-03-25)"],
};

/// Between a server and its tools.
const WITHIN: char = '/';

impl Dialect for VsCodeTools {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        reader.texts_or_commas(source.root(), "tools", Effect::Show, pattern)?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match &entry.pattern {
            Pattern::Unknown(what) => match may_name(&entry.text, tool) {
                true => Reach::Unknown(what.clone()),
                false => Reach::No,
            },
            pattern => pattern.reach(tool, self.compared()),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let uncertain = rules.entries.is_empty()
            || rules.entries.iter().any(|entry| matches!(rules.reach(entry, call), Reach::Unknown(_)));
        match rules.filtered(call) {
            Some(decision) if decision.by.is_some() || !uncertain => decision,
            _ => Decision::default(),
        }
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }
}

fn pattern(text: &str) -> Pattern {
    match text.strip_suffix('*').and_then(|text| text.strip_suffix(WITHIN)) {
        Some(server) => Pattern::Server(server.to_owned()),
        None => Pattern::Unknown("what a tool of an MCP server is called in this list is not established".into()),
    }
}

/// Whether the text ends in the wire name, as any reference name of the tool would.
fn may_name(text: &str, tool: Tool<'_>) -> bool {
    let before = text.strip_suffix(tool.wire());
    before.is_some_and(|before| before.is_empty() || before.ends_with(WITHIN))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "docs/search"];

    #[test]
    fn whole_servers() {
        let rules = r#"{"tools": ["github/*", "codebase"]}"#;
        assert_eq!(verdict(&VsCodeTools, rules, TOOLS, "github/get_issue"), "allow");
        assert_eq!(verdict(&VsCodeTools, rules, TOOLS, "docs/search"), "deny");
    }

    #[test]
    fn what_is_not_established_decides_nothing() {
        for rules in [r#"{"tools": []}"#, r#"{"tools": ["get_issue"]}"#, r#"{"tools": ["github/get_issue"]}"#] {
            assert_eq!(verdict(&VsCodeTools, rules, TOOLS, "github/get_issue"), "default", "{rules}");
        }
        let reach = &reaches(&VsCodeTools, r#"{"tools": ["github/get_issue"]}"#, TOOLS)[0];
        assert!(matches!(reach, Reach::Unknown(_)));
    }
}
