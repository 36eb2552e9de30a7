//! Roo Code: `alwaysAllow` and `disabledTools` of a server.
//!
//! Evidence: RooCodeInc/Roo-Code cb83656 (2026-04-14), `src/services/mcp/McpHub.ts`,
//! `src/core/auto-approval/{index,mcp}.ts`.
//!
//! - Wire names, byte for byte. `alwaysAllow` may hold the single entry `*` for all; `disabledTools` may not.
//! - `alwaysAllow` counts only with the switches for auto-approval and for MCP on. What it does not hold is asked for.
//! - Only the file a server came from is read. Any reading of an MCP resource is approved by the switch for MCP alone.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct Roo;

static PROFILE: Profile = Profile {
    id: "roo",
    host: "Roo Code",
    acts: Acts::OnBoth,
    project_files: &[".roo/mcp.json", "mcp_settings.json"],
    user_files: &[],
    compared: Fact::Established("the wire name, byte for byte, within its server"),
    wildcards: Fact::Established("a lone * in alwaysAllow"),
    precedence: Fact::Established("disabledTools hides; alwaysAllow allows only with both switches on"),
    empty: Fact::Established("every call is asked for"),
    unknown_entry: Fact::Established("ignored without a word; a file that can't be read counts as empty lists"),
    evidence: &[
        "RooCodeInc/Roo-Code cb83656 src/services/mcp/McpHub.ts (2026-04-14)",
        "RooCodeInc/Roo-Code cb83656 src/core/auto-approval/mcp.ts (2026-04-14)",
    ],
};

const SWITCHES: [&str; 2] = ["alwaysAllowMcp", "autoApprovalEnabled"];

impl Dialect for Roo {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (server, table) in source.server_tables("mcpServers") {
            reader.texts(table, "disabledTools", Effect::Hide, server, |text| match text {
                "*" => Pattern::never("`*` is compared as it is in `disabledTools`"),
                name => Pattern::Exact(name.to_owned()),
            })?;
            reader.texts(table, "alwaysAllow", Effect::Allow, server, |text| match text {
                "*" => Pattern::All,
                name if name.contains('*') => Pattern::never("the only wildcard here is a lone `*`"),
                name => Pattern::Exact(name.to_owned()),
            })?;
        }
        for switch in SWITCHES {
            reader.switch(source.root(), switch)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, rules: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let in_list = rules.entries.iter().filter(|other| other.list == entry.list);
        match entry.pattern {
            Pattern::All if in_list.count() > 1 => {
                Reach::Unknown("what `*` beside other entries means is not established".into())
            }
            _ => entry.pattern.reach(tool, self.compared()),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if let Some(entry) = rules.first(&[Effect::Hide], call) {
            return Decision::by(Verdict::Deny, entry, "a disabled tool is not shown");
        }
        let is_off = |switch| rules.switch(switch) == Some("false");
        let unsettled = |entry: &RuleEntry| matches!(rules.reach(entry, call), Reach::Unknown(_));
        match rules.first(&[Effect::Allow], call) {
            _ if !rules.has_list(Effect::Allow, call) => Decision::default(),
            _ if SWITCHES.into_iter().any(is_off) => {
                Decision::new(Verdict::Ask, "a switch for auto-approval is off, so no list counts")
            }
            Some(entry) => Decision::by(Verdict::Allow, entry, "listed"),
            None if rules.entries.iter().any(unsettled) => Decision::default(),
            None => Decision::new(Verdict::Ask, "what is not listed is asked for"),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        Some(tool.wire().to_owned()).filter(|text| !text.contains('*'))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue"];

    fn decided(lists: &str, call: &str) -> &'static str {
        let rules = format!(r#"{{{lists}, "alwaysAllowMcp": true, "autoApprovalEnabled": true}}"#);
        verdict(&Roo, &rules, TOOLS, call)
    }

    #[test]
    fn listed_tools_and_the_lone_star() {
        assert_eq!(decided(r#""alwaysAllow": ["get_issue"]"#, "github/get_issue"), "allow");
        assert_eq!(decided(r#""alwaysAllow": ["get_issue"]"#, "github/create_issue"), "ask");
        assert_eq!(decided(r#""alwaysAllow": ["get_*"]"#, "github/get_issue"), "ask");
        assert_eq!(decided(r#""alwaysAllow": []"#, "github/get_issue"), "ask");
        assert_eq!(decided(r#""alwaysAllow": ["*", "x"]"#, "github/get_issue"), "default");
    }

    #[test]
    fn disabled_tools_take_no_star() {
        assert_eq!(decided(r#""disabledTools": ["get_issue"], "alwaysAllow": ["*"]"#, "github/get_issue"), "deny");
        assert_eq!(decided(r#""disabledTools": ["*"]"#, "github/get_issue"), "default");
        let reach = &reaches(&Roo, r#"{"disabledTools": ["*"]}"#, TOOLS)[0];
        assert!(matches!(reach, Reach::Never(_)));
    }

    #[test]
    fn without_its_switches_no_list_counts() {
        for off in SWITCHES {
            let rules = format!(r#"{{"alwaysAllow": ["*"], "{off}": false}}"#);
            assert_eq!(verdict(&Roo, &rules, TOOLS, "github/get_issue"), "ask", "{off}");
        }
    }
}
