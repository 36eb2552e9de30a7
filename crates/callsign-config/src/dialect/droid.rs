//! Factory's droid: a server's `enabledTools` and `disabledTools` in `mcp.json`, and `droid exec --restrict-tools` and
//! `--disabled-tools`, which are the same.
//!
//! Evidence: Factory-AI/factory a80aa7c (2026-07-24), `docs/cli/configuration/mcp.mdx`.
//!
//! - Exact names of tools.
//! - Where both lists are there `enabledTools` counts and `disabledTools` is *ignored*.
//! - What an empty list means is not stated.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct Droid;

static PROFILE: Profile = Profile {
    id: "droid",
    host: "Factory droid",
    acts: Acts::OnVisibility,
    project_files: &[".factory/mcp.json"],
    user_files: &[".factory/mcp.json"],
    compared: Fact::Established("the tool's name, exactly, within its server"),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established(
        "where both lists are there enabledTools counts and disabledTools is ignored",
    ),
    empty: Fact::Unknown("what an empty list means"),
    unknown_entry: Fact::Unknown("what happens to a name that no tool has"),
    evidence: &["Factory-AI/factory a80aa7c docs/cli/configuration/mcp.mdx (2026-07-24)"],
};

const LISTS: [(&str, &str, Effect); 2] = [
    ("enabledTools", "--restrict-tools", Effect::Show),
    ("disabledTools", "--disabled-tools", Effect::Hide),
];

impl Dialect for Droid {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (server, table) in source.server_tables("mcpServers") {
            reader.document.map(table)?;
            let counts = table.get("enabledTools").is_none();
            for (key, _, effect) in LISTS {
                reader.texts(table, key, effect, server, |text| match effect {
                    Effect::Hide if !counts => {
                        Pattern::never("beside `enabledTools` this list is ignored")
                    }
                    _ => Pattern::Exact(text.to_owned()),
                })?;
            }
        }
        if !source.whole_file {
            for (_, flag, effect) in LISTS {
                let exact = |text: &str| Pattern::Exact(text.to_owned());
                reader.texts_or_commas(source.root(), flag, effect, exact)?;
            }
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if !rules.has_list(Effect::Show, call) {
            return rules.filtered(call).unwrap_or_else(Decision::default);
        }
        let of_server =
            |index: usize| rules.lists.get(index).is_some_and(|list| list.concerns(call));
        let shown =
            |entry: &super::RuleEntry| entry.effect == Effect::Show && of_server(entry.list);
        match rules.first(&[Effect::Show], call) {
            Some(entry) => {
                Decision::by(Verdict::Allow, entry, "enabled; `disabledTools` is ignored beside it")
            }
            None if rules.entries.iter().any(shown) => {
                Decision::new(Verdict::Deny, "not among the enabled tools")
            }
            None => Decision::new(Verdict::Default, "what an empty list means is not established"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Droid, rules, TOOLS, call)
    }

    #[test]
    fn beside_enabled_tools_the_other_list_is_ignored() {
        let both = r#"{"enabledTools": ["create_issue"], "disabledTools": ["create_issue"]}"#;
        assert_eq!(decided(both, "github/create_issue"), "allow");
        assert_eq!(decided(both, "github/get_issue"), "deny");
        assert!(matches!(
            reaches(&Droid, both, &["github/create_issue"])[..],
            [Reach::Matches, Reach::Never(_)]
        ));
    }

    #[test]
    fn one_list_alone() {
        assert_eq!(decided(r#"{"disabledTools": ["get_issue"]}"#, "github/get_issue"), "deny");
        assert_eq!(decided(r#"{"disabledTools": ["get_*"]}"#, "github/get_issue"), "default");
        assert_eq!(decided(r#"{"enabledTools": ["Get_issue"]}"#, "github/get_issue"), "deny");
        assert_eq!(
            decided(r#"{"enabledTools": []}"#, "github/get_issue"),
            "default",
            "not established"
        );
        assert_eq!(decided(r#"{"--restrict-tools": "get_issue,search"}"#, "docs/search"), "allow");
    }

    #[test]
    fn a_servers_lists_are_its_own() {
        let rules = r#"{"mcpServers": {"github": {"enabledTools": ["get_issue"]}, "docs": {"disabledTools": ["search"]}}}"#;
        assert_eq!(decided(rules, "docs/search"), "deny");
        assert_eq!(decided(rules, "github/create_issue"), "deny");
    }
}
