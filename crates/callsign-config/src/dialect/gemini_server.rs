//! Gemini CLI: a server's `includeTools`, `excludeTools` and `trust`.
//!
//! Evidence: google-gemini/gemini-cli 5411f11 (2026-08-21), `packages/core/src/tools/{mcp-client,mcp-client-manager}.ts`,
//! `packages/core/src/policy/config.ts`, `docs/tools/mcp-server.md`.
//!
//! - Wire names, byte for byte. An include entry counts too when it begins with `{name}(`.
//! - Excluding wins. An empty `includeTools` means none, no `includeTools` all.
//! - `trust` is an allow for the server's exposed names in all modes but planning; a key that is sanitised makes it miss.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::gemini_policy::reach_by_policy;
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct GeminiServer;

static PROFILE: Profile = Profile {
    id: "gemini-server",
    host: "Gemini CLI",
    acts: Acts::OnBoth,
    project_files: &[".gemini/settings.json"],
    user_files: &[".gemini/settings.json"],
    compared: Fact::Established("the wire name, byte for byte, within its server"),
    wildcards: Fact::Established("none; an include entry may go on with ( after the name"),
    precedence: Fact::Established("excludeTools wins over includeTools"),
    empty: Fact::Established("an empty includeTools includes no tool; without the key all are"),
    unknown_entry: Fact::Established("ignored without a word"),
    evidence: &[
        "google-gemini/gemini-cli 5411f11 packages/core/src/tools/mcp-client.ts isEnabled (2026-08-21)",
        "google-gemini/gemini-cli 5411f11 packages/core/src/policy/config.ts (2026-08-21)",
    ],
};

impl Dialect for GeminiServer {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (server, table) in source.server_tables("mcpServers") {
            let exact = |text: &str| Pattern::Exact(text.to_owned());
            reader.texts(table, "includeTools", Effect::Show, server, exact)?;
            reader.texts(table, "excludeTools", Effect::Hide, server, exact)?;
            if let Some(trust) = table.get("trust")
                && reader.document.flag(trust)?
            {
                let list = reader.open(trust, Effect::Allow, server);
                let pattern = server.map_or(Pattern::All, |key| Pattern::Server(key.to_owned()));
                reader.entry(list, "true", trust.span, pattern);
            }
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let with_arguments = || {
            let rest = entry.text.strip_prefix(tool.wire());
            rest.is_some_and(|rest| rest.starts_with('('))
        };
        match entry.effect {
            Effect::Show if with_arguments() => Reach::Matches,
            Effect::Allow => reach_by_policy(&Pattern::Server(tool.server().to_owned()), tool),
            _ => entry.pattern.reach(tool, self.compared()),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let filtered = rules.filtered(call);
        let hidden = filtered.as_ref().is_some_and(|decision| decision.verdict == Verdict::Deny);
        let trusted = rules.first(&[Effect::Allow], call).filter(|_| !hidden);
        match (trusted, filtered) {
            (Some(entry), _) => Decision::by(Verdict::Allow, entry, "the server is trusted"),
            (None, Some(decision)) => decision,
            (None, None) => Decision::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::verdict;
    use super::*;

    const TOOLS: &[&str] = &["a/search", "a/get_x", "b c/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&GeminiServer, rules, TOOLS, call)
    }

    #[test]
    fn wire_names_and_what_follows_in_parentheses() {
        assert_eq!(decided(r#"{"includeTools": ["search(q)"]}"#, "a/search"), "allow");
        assert_eq!(decided(r#"{"includeTools": ["search"]}"#, "a/get_x"), "deny");
        assert_eq!(decided(r#"{"excludeTools": ["search(q)"]}"#, "a/search"), "default");
        assert_eq!(decided(r#"{"includeTools": ["mcp_a_search"]}"#, "a/search"), "deny");
        let both = r#"{"includeTools": ["search"], "excludeTools": ["search"]}"#;
        assert_eq!(decided(both, "a/search"), "deny");
    }

    #[test]
    fn trust_misses_a_key_that_is_sanitised() {
        let rules = r#"{"mcpServers": {"a": {"trust": true}, "b c": {"trust": true}}}"#;
        assert_eq!(decided(rules, "a/search"), "allow");
        assert_eq!(decided(rules, "b c/search"), "default");
        let rules = r#"{"trust": true, "excludeTools": ["search"]}"#;
        assert_eq!(decided(rules, "a/search"), "deny");
    }
}
