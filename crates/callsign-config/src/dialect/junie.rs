//! Junie: the "action allowlist".
//!
//! Evidence: documentation jetbrains.com/help/junie (2026) says that there is one. That it is `~/.junie/allowlist.json` with
//! `rules.mcpTools` are descriptions of third parties; how an entry there is written was not seen anywhere. So every entry
//! is unknown, and nothing is decided.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::Value;

#[derive(Debug)]
pub(crate) struct Junie;

static PROFILE: Profile = Profile {
    id: "junie",
    host: "Junie",
    acts: Acts::OnCalls,
    project_files: &[],
    user_files: &[".junie/allowlist.json"],
    compared: Fact::Unknown("how an entry for an MCP tool is written"),
    wildcards: Fact::Unknown("whether there are any"),
    precedence: Fact::Unknown("which of several entries counts, and what defaultBehavior does"),
    empty: Fact::Unknown("what an empty list means"),
    unknown_entry: Fact::Unknown("what happens to an entry that names nothing"),
    evidence: &["jetbrains.com/help/junie, Action Allowlist (2026)"],
};

const UNKNOWN: &str = "how an entry for an MCP tool is written is not documented";

impl Dialect for Junie {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        reader.switch(source.root(), "defaultBehavior")?;
        let tools = source.table(&["rules"]).and_then(|rules| rules.get("mcpTools"));
        let Some(tools) = tools else { return Ok(reader.rules) };
        let list = reader.open(tools, Effect::Allow, None);
        let items = match &tools.value {
            Value::List(items) => &items[..],
            _ => std::slice::from_ref(tools),
        };
        for item in items {
            let text = match &item.value {
                Value::Text(text) => text,
                _ => "",
            };
            reader.entry(list, text, item.span, Pattern::Unknown(UNKNOWN.into()));
        }
        Ok(reader.rules)
    }

    fn decide(&self, _: &Rules, _: &Fleet, _: Tool<'_>) -> Decision {
        Decision::new(Verdict::Default, UNKNOWN)
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::super::testing::{fleet, reaches, verdict};
    use super::*;

    #[test]
    fn nothing_is_decided_and_no_spelling_is_made_up() {
        let rules = r#"{"defaultBehavior": "allow", "rules": {"mcpTools": ["search", {"prefix": "docs"}]}}"#;
        assert_eq!(verdict(&Junie, rules, &["docs/search"], "docs/search"), "default");
        let reached = reaches(&Junie, rules, &["docs/search"]);
        assert!(
            reached.len() == 2 && reached.iter().all(|reach| matches!(reach, Reach::Unknown(_)))
        );
        let fleet = fleet(&["docs/search"]);
        assert_eq!(Junie.spelling(fleet.tools().next().unwrap()), None);
    }
}
