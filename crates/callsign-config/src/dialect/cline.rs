//! Cline: `autoApprove` in `cline_mcp_settings.json`.
//!
//! Evidence: cline/cline 21cb8d2 (2026-08-22), `apps/vscode/src/services/mcp/McpHub.ts`,
//! `apps/vscode/src/sdk/sdk-tool-policies.ts`, `sdk/packages/core/src/extensions/mcp/name-transform.ts`,
//! `sdk/packages/agents/src/agent-runtime.ts`.
//!
//! - Wire names, byte for byte, no wildcard. Works only together with the switch "use MCP servers". What is not listed is
//!   asked for.
//! - Calls are taken apart at the first `__`, so a key that contains it is never found, and its entries never approve.
//! - The runtime runs what has no entry, and the extension writes its entries under the raw name: where the name had to be
//!   changed (dots, slashes, spaces, over 64), the entry that asks misses, and the tool runs. Read in the code, not run.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct Cline;

static PROFILE: Profile = Profile {
    id: "cline",
    host: "Cline",
    acts: Acts::OnCalls,
    project_files: &["cline_mcp_settings.json"],
    user_files: &[".cline/data/settings/cline_mcp_settings.json"],
    compared: Fact::Established("the wire name, byte for byte, within its server"),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established("allow only, and only with the switch for MCP servers on"),
    empty: Fact::Established("every call is asked for"),
    unknown_entry: Fact::Established("ignored without a word"),
    evidence: &[
        "cline/cline 21cb8d2 apps/vscode/src/services/mcp/McpHub.ts (2026-08-22)",
        "cline/cline 21cb8d2 apps/vscode/src/sdk/sdk-tool-policies.ts (2026-08-22)",
        "cline/cline 21cb8d2 sdk/packages/agents/src/agent-runtime.ts (2026-08-22)",
    ],
};

const SPELLING: HostSpelling = HostSpelling::Cline;

impl Dialect for Cline {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (server, table) in source.server_tables("mcpServers") {
            reader.texts(table, "autoApprove", Effect::Allow, server, pattern)?;
        }
        reader.switch(source.root(), "useMcp")?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match entry.pattern.reach(tool, self.compared()) {
            Reach::Matches if tool.server().contains(SPELLING.separator()) => Reach::Never(
                "calls are taken apart at the first `__`, and a key that contains it is never found".into(),
            ),
            reach => reach,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if rules.lists.is_empty() {
            return Decision::default();
        }
        match rules.first(&[Effect::Allow], call) {
            Some(entry) if rules.switch("useMcp") != Some("false") => {
                Decision::by(Verdict::Allow, entry, "listed")
            }
            _ if is_changed(call) => Decision::new(
                Verdict::Allow,
                "the name had to be changed, so the entry that would ask for it misses, and the runtime runs it",
            ),
            _ => Decision::new(Verdict::Ask, "what is not approved is asked for"),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let found = !tool.server().contains(SPELLING.separator());
        pattern(tool.wire()).proposes(tool.wire(), tool, self.compared()).filter(|_| found)
    }
}

/// Whether the runtime's name is another than the one the extension writes entries under.
fn is_changed(call: Tool<'_>) -> bool {
    let raw = [call.server(), SPELLING.separator(), call.wire()].concat();
    call.name(SPELLING) != raw
}

fn pattern(text: &str) -> Pattern {
    match text {
        "*" => Pattern::never("there are no wildcards here; this is compared as it is"),
        name => Pattern::Exact(name.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "a__b/get_issue", "my.server/get_issue"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Cline, rules, TOOLS, call)
    }

    #[test]
    fn listed_tools_run_and_others_are_asked_for() {
        let rules = r#"{"autoApprove": ["get_issue"], "useMcp": true}"#;
        assert_eq!(decided(rules, "github/get_issue"), "allow");
        assert_eq!(decided(r#"{"autoApprove": ["get_*"], "useMcp": true}"#, "github/get_issue"), "ask");
        assert_eq!(decided(r#"{"autoApprove": ["Get_issue"]}"#, "github/get_issue"), "ask");
        assert_eq!(decided(r#"{"autoApprove": [], "useMcp": true}"#, "github/get_issue"), "ask");
        let off = r#"{"autoApprove": ["get_issue"], "useMcp": false}"#;
        assert_eq!(decided(off, "github/get_issue"), "ask");
    }

    #[test]
    fn a_key_with_the_separator_is_never_found() {
        let rules = r#"{"autoApprove": ["get_issue"], "useMcp": true}"#;
        assert_eq!(decided(rules, "a__b/get_issue"), "ask");
        assert!(matches!(reaches(&Cline, rules, &["a__b/get_issue"])[0], Reach::Never(_)));
    }

    #[test]
    fn a_changed_name_runs_unasked() {
        assert_eq!(decided(r#"{"autoApprove": [], "useMcp": true}"#, "my.server/get_issue"), "allow");
    }

    #[test]
    fn lists_belong_to_their_servers() {
        let rules = r#"{"mcpServers": {"docs": {"autoApprove": ["get_issue"]}, "github": {"autoApprove": []}}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "ask");
    }
}
