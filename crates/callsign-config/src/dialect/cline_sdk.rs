//! Cline's CLI and SDK: `toolPolicies`.
//!
//! Evidence: cline/cline 21cb8d2 (2026-08-22), `apps/vscode/src/sdk/sdk-tool-policies.ts`,
//! `sdk/packages/agents/src/agent-runtime.ts`, `sdk/packages/core/src/extensions/mcp/name-transform.ts`.
//!
//! - A table from the runtime's tool names, exact, to policies; `*` is the default that is merged under each.
//! - `enabled: false` blocks a tool and `autoApprove: false` asks for it. A tool without a policy runs unasked.
//! - The runtime's name is sanitised and hashed where it has to be; an entry under the raw name then names nothing.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::Entry;

#[derive(Debug)]
pub(crate) struct ClineSdk;

static PROFILE: Profile = Profile {
    id: "cline-sdk",
    host: "Cline CLI and SDK",
    acts: Acts::OnCalls,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established("the runtime's name SERVER__TOOL, sanitised and hashed where needed"),
    wildcards: Fact::Established("* alone, as the default under every entry"),
    precedence: Fact::Established("an exact entry over *, field by field; enabled before autoApprove"),
    empty: Fact::Established("every tool runs unasked"),
    unknown_entry: Fact::Established("ignored without a word"),
    evidence: &[
        "cline/cline 21cb8d2 apps/vscode/src/sdk/sdk-tool-policies.ts (2026-08-22)",
        "cline/cline 21cb8d2 sdk/packages/agents/src/agent-runtime.ts (2026-08-22)",
    ],
};

const TABLE: &str = "toolPolicies";

/// A policy's fields, and what each does when it is true and when it is false.
const FIELDS: [(&str, Effect, Effect); 2] =
    [("enabled", Effect::Show, Effect::Hide), ("autoApprove", Effect::Allow, Effect::Ask)];

impl Dialect for ClineSdk {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Cline
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(policies) = source.table(&[TABLE]) else { return Ok(reader.rules) };
        let list = reader.open(policies, Effect::Allow, None);
        for policy in reader.document.map(policies)? {
            fields(&mut reader, list, policy)?;
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let visible = closest(rules, &[Effect::Show, Effect::Hide], call);
        let approved = closest(rules, &[Effect::Allow, Effect::Ask], call);
        match (visible, approved) {
            (Some((at, Effect::Hide)), _) => Decision::by(Verdict::Deny, at, "the tool is switched off"),
            (_, Some((at, effect))) => Decision::by(effect.verdict(call), at, "the closest policy decides"),
            _ if rules.is_empty() => Decision::default(),
            _ => Decision::new(Verdict::Allow, "a tool without a policy runs unasked"),
        }
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        found.0.get(TABLE).is_some()
    }
}

fn fields(reader: &mut Reader<'_>, list: usize, policy: &Entry<'_>) -> Result<(), ConfigError> {
    reader.document.map(&policy.node)?;
    for (field, when_true, when_false) in FIELDS {
        let Some(node) = policy.node.get(field) else { continue };
        let effect = if reader.document.flag(node)? { when_true } else { when_false };
        let pattern = match policy.key.as_ref() {
            "*" => Pattern::All,
            name => Pattern::Exact(name.to_owned()),
        };
        let rank = i64::from(!matches!(pattern, Pattern::All));
        reader.entry(list, &policy.key, policy.key_span, pattern);
        if let Some(entry) = reader.rules.entries.last_mut() {
            (entry.effect, entry.rank) = (effect, rank);
        }
    }
    Ok(())
}

/// The entry of one field that counts for a tool: an exact one, else the default.
fn closest(rules: &Rules, effects: &[Effect], call: Tool<'_>) -> Option<(usize, Effect)> {
    let of_field = |(_, entry): &(usize, &RuleEntry)| {
        effects.contains(&entry.effect) && rules.reach(entry, call) == Reach::Matches
    };
    let entries = rules.entries.iter().enumerate().filter(of_field);
    entries.max_by_key(|(_, entry)| entry.rank).map(|(index, entry)| (index, entry.effect))
}

#[cfg(test)]
mod tests {
    use super::super::testing::verdict;
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "my.server/get_issue"];

    fn decided(policies: &str, call: &str) -> &'static str {
        verdict(&ClineSdk, &format!(r#"{{"toolPolicies": {policies}}}"#), TOOLS, call)
    }

    #[test]
    fn an_exact_policy_over_the_default_field_by_field() {
        let policies = r#"{"*": {"autoApprove": false}, "github__get_issue": {"autoApprove": true}}"#;
        assert_eq!(decided(policies, "github/get_issue"), "allow");
        assert_eq!(decided(policies, "my.server/get_issue"), "ask");
        let policies = r#"{"*": {"enabled": false}, "github__get_issue": {"autoApprove": true}}"#;
        assert_eq!(decided(policies, "github/get_issue"), "deny", "the other field is merged under it");
        let policies = r#"{"*": {"enabled": false}, "github__get_issue": {"enabled": true}}"#;
        assert_eq!(decided(policies, "github/get_issue"), "allow");
    }

    #[test]
    fn without_a_policy_a_tool_runs() {
        assert_eq!(decided("{}", "github/get_issue"), "allow");
        // The runtime's name has a hash, so the entry that asks names nothing.
        assert_eq!(decided(r#"{"my.server__get_issue": {"autoApprove": false}}"#, "my.server/get_issue"), "allow");
    }
}
