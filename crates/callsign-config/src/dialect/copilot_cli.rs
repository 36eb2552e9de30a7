//! GitHub Copilot CLI: `--allow-tool` and `--deny-tool`, and the servers that its settings switch off.
//!
//! Evidence: github/docs 128719b `content/copilot/how-tos/.../allowing-tools.md`; github/copilot-cli changelog to 1.0.78
//! (2026-08-03), 1.0.71 for malformed patterns; issue #1482.
//!
//! - An entry is `kind` or `kind(argument)`. A kind is `shell`, `read`, `write`, `url`, `memory`, or an MCP server's name:
//!   `github` is all of its tools, `github(create_issue)` one. A wildcard for MCP tools is not documented.
//! - Deny always wins, over `--allow-all` too.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct CopilotCli;

static PROFILE: Profile = Profile {
    id: "copilot-cli",
    host: "GitHub Copilot CLI",
    acts: Acts::OnCalls,
    project_files: &[],
    user_files: &[".copilot/config.json", ".copilot/settings.json"],
    compared: Fact::Established("the server's name and, in parentheses, the tool's, as configured and advertised"),
    wildcards: Fact::Established("the bare server for all its tools; others are not documented for MCP tools"),
    precedence: Fact::Established("deny always before allow, and before --allow-all"),
    empty: Fact::Established("no rules"),
    unknown_entry: Fact::Established("a malformed pattern is refused with a message since 1.0.71; before, silence"),
    evidence: &[
        "github/docs 128719b allowing-tools.md (2026)",
        "github/copilot-cli changelog up to 1.0.78 (2026-08-03)",
        "github/copilot-cli #1482",
    ],
};

const KINDS: [&str; 5] = ["shell", "read", "write", "url", "memory"];

const FLAGS: [(&str, Effect); 4] = [
    ("deny-tool", Effect::Deny),
    ("--deny-tool", Effect::Deny),
    ("allow-tool", Effect::Allow),
    ("--allow-tool", Effect::Allow),
];

const ALLOW_ALL: [&str; 4] = ["allow-all", "--allow-all", "allow-all-tools", "--allow-all-tools"];

impl Dialect for CopilotCli {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::CopilotCliRule
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let root = source.root();
        for (flag, effect) in FLAGS.into_iter().filter(|_| !source.whole_file) {
            reader.texts_or_commas(root, flag, effect, pattern)?;
        }
        for flag in ALLOW_ALL.into_iter().filter(|_| !source.whole_file) {
            let Some(node) = root.get(flag) else { continue };
            if reader.document.flag(node)? {
                let list = reader.open(node, Effect::Allow, None);
                reader.entry(list, "true", node.span, Pattern::All);
            }
        }
        let by_key = |text: &str| Pattern::Server(text.to_owned());
        reader.texts(root, "disabledMcpServers", Effect::Hide, None, by_key)?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match &entry.pattern {
            Pattern::Unknown(_) if !entry.text.starts_with(tool.server()) => Reach::No,
            pattern => pattern.reach(tool, self.compared()),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&[Effect::Hide, Effect::Deny, Effect::Allow], call)
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(self.compared());
        // Commas divide the flag's value, and blanks around an entry do not count.
        let is_one = !text.contains(',') && text.trim() == text && !tool.server().contains('(');
        pattern(text).proposes(text, tool, self.compared()).filter(|_| is_one)
    }
}

fn pattern(text: &str) -> Pattern {
    let (kind, argument) = match text.split_once('(') {
        Some((kind, argument)) => match argument.strip_suffix(')') {
            Some(argument) => (kind, Some(argument)),
            None => return Pattern::never("the parentheses are not closed, and the pattern is refused"),
        },
        None => (text, None),
    };
    match argument {
        _ if KINDS.contains(&kind) => Pattern::Foreign,
        None => Pattern::Server(kind.to_owned()),
        Some(argument) if argument.contains('*') => {
            Pattern::Unknown("wildcards for tools of MCP servers are not documented".into())
        }
        Some(_) => Pattern::Exact(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["my server/search", "github/grep"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&CopilotCli, rules, TOOLS, call)
    }

    #[test]
    fn servers_and_single_tools() {
        assert_eq!(decided(r#"{"allow-tool": "my server(search), shell"}"#, "my server/search"), "allow");
        assert_eq!(decided(r#"{"allow-tool": ["my server"]}"#, "my server/search"), "allow");
        assert_eq!(decided(r#"{"allow-tool": ["search"]}"#, "my server/search"), "default");
        assert_eq!(decided(r#"{"allow-tool": ["shell(grep:*)"]}"#, "github/grep"), "default", "#1482");
    }

    #[test]
    fn deny_wins_over_everything() {
        let rules = r#"{"allow-all": true, "deny-tool": ["github"]}"#;
        assert_eq!(decided(rules, "github/grep"), "deny");
        assert_eq!(decided(rules, "my server/search"), "allow");
        assert_eq!(decided(r#"{"disabledMcpServers": ["github"]}"#, "github/grep"), "deny");
    }

    #[test]
    fn wildcards_are_not_documented_and_broken_patterns_are_refused() {
        let tools = &["github/grep"];
        let reach = |rules| reaches(&CopilotCli, rules, tools).remove(0);
        assert!(matches!(reach(r#"{"deny-tool": ["github(g*)"]}"#), Reach::Unknown(_)));
        assert!(matches!(reach(r#"{"deny-tool": ["github(grep"]}"#), Reach::Never(_)));
        assert_eq!(reach(r#"{"deny-tool": ["docs(g*)"]}"#), Reach::No);
    }
}
