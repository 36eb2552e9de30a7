//! VS Code, GitHub Copilot Chat: which tools may be approved without asking: `chat.tools.eligibleForAutoApproval`, and the
//! switch that approves all.
//!
//! Evidence: microsoft/vscode `src/vs/workbench/contrib/chat/browser/tools/languageModelToolsService.ts`,
//! microsoft/vscode-docs 00790a8 `docs/copilot/agents/agent-tools.md` (2026-03-25), microsoft/vscode-copilot-chat 31acd00
//! CHANGELOG (2026-03-29).
//!
//! - A table from full reference names to booleans. A name without an entry is eligible: `true` changes nothing, only
//!   `false` does. No wildcard.
//! - `chat.tools.global.autoApprove` approves all tools. Its former name `chat.tools.autoApprove` is ignored.
//! - Whether the reference name of an MCP tool has its server's label or key is not established, so no entry decides here.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct VsCodeEligibility;

static PROFILE: Profile = Profile {
    id: "vscode",
    host: "VS Code",
    acts: Acts::OnCalls,
    project_files: &[".vscode/settings.json"],
    user_files: &[
        ".config/Code/User/settings.json",
        "Library/Application Support/Code/User/settings.json",
        "AppData/Roaming/Code/User/settings.json",
    ],
    compared: Fact::Unknown("whether a tool's full reference name has its server's label or its key"),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established("an exact entry; the switch for all tools besides"),
    empty: Fact::Established("every tool is eligible"),
    unknown_entry: Fact::Established("ignored without a word; true changes nothing"),
    evidence: &[
        "microsoft/vscode src/vs/workbench/contrib/chat/browser/tools/languageModelToolsService.ts (2026)",
        "microsoft/vscode-docs 00790a8 docs/copilot/agents/agent-tools.md (2026-03-25)",
        "microsoft/vscode-copilot-chat 31acd00 CHANGELOG.md (2026-03-29)",
    ],
};

const MAP: &str = "chat.tools.eligibleForAutoApproval";
const ALL: &str = "chat.tools.global.autoApprove";
const RENAMED: &str = "chat.tools.autoApprove";

impl Dialect for VsCodeEligibility {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Kiro
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let root = source.root();
        if let Some(map) = root.get(MAP) {
            let list = reader.open(map, Effect::Ask, None);
            for tool in reader.document.map(map)? {
                let pattern = match reader.document.flag(&tool.node)? {
                    true => Pattern::never("`true` changes nothing: a tool without an entry is eligible"),
                    false => Pattern::Unknown(
                        "what a tool of an MCP server is called in this table is not established".into(),
                    ),
                };
                reader.entry(list, &tool.key, tool.key_span, pattern);
            }
        }
        let never = || Pattern::never("the setting was renamed, and the old name is ignored");
        for (key, pattern) in [(ALL, Pattern::All), (RENAMED, never())] {
            let Some(switch) = root.get(key) else { continue };
            if reader.document.flag(switch)? {
                let list = reader.open(switch, Effect::Allow, None);
                reader.entry(list, "true", switch.span, pattern);
            }
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match &entry.pattern {
            Pattern::Unknown(_) if !entry.text.ends_with(tool.wire()) => Reach::No,
            pattern => pattern.reach(tool, self.compared()),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let of_tool = |entry: &RuleEntry| matches!(rules.reach(entry, call), Reach::Unknown(_));
        match rules.first(&[Effect::Allow], call) {
            Some(entry) if !rules.entries.iter().any(of_tool) => {
                Decision::by(Verdict::Allow, entry, "all tools are approved")
            }
            _ => Decision::default(),
        }
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        [MAP, ALL, RENAMED].iter().any(|key| found.0.get(key).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue"];

    fn decided(rules: &str) -> &'static str {
        verdict(&VsCodeEligibility, rules, TOOLS, "github/get_issue")
    }

    #[test]
    fn only_false_could_change_anything_and_whom_is_unknown() {
        let rules = r#"{"chat.tools.eligibleForAutoApproval": {"github/get_issue": false, "get_issue": true, "x": false}}"#;
        assert_eq!(decided(rules), "default");
        let reached = reaches(&VsCodeEligibility, rules, TOOLS);
        assert!(matches!(reached[..], [Reach::Unknown(_), Reach::Never(_), Reach::No]), "{reached:?}");
    }

    #[test]
    fn the_switch_for_all_has_a_new_name() {
        assert_eq!(decided(r#"{"chat.tools.global.autoApprove": true}"#), "allow");
        assert_eq!(decided(r#"{"chat.tools.global.autoApprove": false}"#), "default");
        assert_eq!(decided(r#"{"chat.tools.autoApprove": true}"#), "default");
        let rules = r#"{"chat.tools.global.autoApprove": true, "chat.tools.eligibleForAutoApproval": {"get_issue": false}}"#;
        assert_eq!(decided(rules), "default", "which of the two counts is not established");
    }
}
