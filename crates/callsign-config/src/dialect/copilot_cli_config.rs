//! GitHub Copilot CLI: stored approvals in `permissions-config.json`.
//!
//! Evidence: github/docs 03b432e `cli-config-dir-reference.md` (2026).
//!
//! - `locations.{absolute path}.tool_approvals[]` with `kind: "mcp"`, `serverName` and `toolName`, both exact and as they
//!   are, or `null` for all tools of the server. Approvals only: no deny and no wildcard.
//! - Approvals under another location do not apply.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct CopilotCliConfig;

static PROFILE: Profile = Profile {
    id: "copilot-cli-config",
    host: "GitHub Copilot CLI",
    acts: Acts::OnCalls,
    project_files: &[],
    user_files: &[".copilot/permissions-config.json"],
    compared: Fact::Established("the server's name and the wire name, as two fields, byte for byte"),
    wildcards: Fact::Established("a null toolName for all tools of the server"),
    precedence: Fact::Established("approvals only, within their location"),
    empty: Fact::Established("no approvals"),
    unknown_entry: Fact::Established("approves nothing; unknown fields may be ignored and removed"),
    evidence: &["github/docs 03b432e cli-config-dir-reference.md (2026)"],
};

impl Dialect for CopilotCliConfig {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::CopilotCliRule
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (_, location) in source.server_tables("locations") {
            let Some(approvals) = location.get("tool_approvals") else { continue };
            let list = reader.open(approvals, Effect::Allow, None);
            for approval in reader.document.list(approvals)? {
                read_approval(&mut reader, list, approval)?;
            }
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&[Effect::Allow], call)
    }
}

fn read_approval(reader: &mut Reader<'_>, list: usize, approval: &Node<'_>) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(approval)?;
    let text = |key: &str| approval.get(key).map(|node| document.string(node)).transpose();
    if text("kind")? != Some("mcp") {
        return Ok(());
    }
    let Some(server) = text("serverName")? else {
        reader.entry(list, "", approval.span, Pattern::never("there is no `serverName`"));
        return Ok(());
    };
    let literal = |text: &str| Glob::literal(text);
    let (written, pattern) = match text("toolName")? {
        Some(tool) => (tool, Pattern::Parts(literal(server), literal(tool))),
        None => (server, Pattern::Parts(literal(server), Glob::new("*", Wild::Star))),
    };
    reader.entry(list, written, approval.span, pattern);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::verdict;
    use super::*;

    const TOOLS: &[&str] = &["my server/a*", "my server/ab", "docs/ab"];

    fn decided(approval: &str, call: &str) -> &'static str {
        let rules = format!(r#"{{"locations": {{"/home/me/p": {{"tool_approvals": [{approval}]}}}}}}"#);
        verdict(&CopilotCliConfig, &rules, TOOLS, call)
    }

    #[test]
    fn two_fields_byte_for_byte() {
        let one = r#"{"kind": "mcp", "serverName": "my server", "toolName": "a*"}"#;
        assert_eq!(decided(one, "my server/a*"), "allow");
        assert_eq!(decided(one, "my server/ab"), "default", "a star is a star");
        let all = r#"{"kind": "mcp", "serverName": "my server", "toolName": null}"#;
        assert_eq!(decided(all, "my server/ab"), "allow");
        assert_eq!(decided(all, "docs/ab"), "default");
        assert_eq!(decided(r#"{"kind": "commands", "serverName": "docs"}"#, "docs/ab"), "default");
    }
}
