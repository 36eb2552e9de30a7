//! Cursor's CLI: `permissions.allow` and `permissions.deny`.
//!
//! Evidence: cursor.com/docs/cli/reference/permissions (2026). The product is closed source.
//!
//! - `Mcp({server}:{tool})`, with `*`, `**` and `?` in either part; deny before allow.
//! - Whether case counts is not stated: an entry that differs from a tool in case alone decides nothing here.
//! - Entries in the spelling of the editor's `permissions.json` do nothing here: the two are separate systems.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct CursorCli;

static PROFILE: Profile = Profile {
    id: "cursor-cli",
    host: "Cursor CLI",
    acts: Acts::OnCalls,
    project_files: &[".cursor/cli.json"],
    user_files: &[".cursor/cli-config.json"],
    compared: Fact::Established("Mcp(server:tool), the server's key and the wire name; whether case counts is not stated"),
    wildcards: Fact::Established("*, ** and ? in either part"),
    precedence: Fact::Established("deny before allow"),
    empty: Fact::Established("no rules"),
    unknown_entry: Fact::Unknown("what becomes of an entry that names nothing"),
    evidence: &["cursor.com/docs/cli/reference/permissions (2026)"],
};

const SPELLING: HostSpelling = HostSpelling::CursorCli;

const CLASSES: [(&str, Effect); 2] = [("deny", Effect::Deny), ("allow", Effect::Allow)];

impl Dialect for CursorCli {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        if let Some(permissions) = source.table(&["permissions"]) {
            reader.document.map(permissions)?;
            for (list, effect) in CLASSES {
                reader.texts(permissions, list, effect, None, pattern)?;
            }
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let reach = entry.pattern.reach(tool, SPELLING);
        let unfolded = matches!(entry.pattern, Pattern::Parts(..)) && reach == Reach::Matches;
        match unfolded && !parts(&entry.text, Glob::new).is_some_and(|p| p.reach(tool, SPELLING) == Reach::Matches) {
            true => Reach::Unknown("it differs in case, and whether case counts is not stated".into()),
            false => reach,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&CLASSES.map(|(_, effect)| effect), call)
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(self.compared());
        let literal = !text.contains(['*', '?']);
        pattern(text).proposes(text, tool, self.compared()).filter(|_| literal)
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        let Some(permissions) = found.0.get("permissions") else { return false };
        let is_mcp = |item: &Node<'_>| {
            matches!(&item.value, Value::Text(text) if text.starts_with(SPELLING.marker()))
        };
        CLASSES.iter().filter_map(|(list, _)| permissions.get(list)).any(|list| match &list.value {
            Value::List(items) => items.iter().any(is_mcp),
            _ => false,
        })
    }
}

fn pattern(text: &str) -> Pattern {
    if !text.starts_with(SPELLING.marker()) {
        return match text.contains(SPELLING.separator()) && !text.contains('(') {
            true => Pattern::never("this is the spelling of Cursor's editor, which has a file of its own"),
            false => Pattern::Foreign,
        };
    }
    parts(text, Glob::folded).unwrap_or_else(|| {
        Pattern::Unknown("what an entry of another form than `Mcp(server:tool)` covers is not stated".into())
    })
}

fn parts(text: &str, glob: fn(&str, Wild) -> Glob) -> Option<Pattern> {
    let inside = text.strip_prefix(SPELLING.marker())?.strip_suffix(')')?;
    let (server, tool) = inside.split_once(SPELLING.separator())?;
    Some(Pattern::Parts(glob(server, Wild::StarAndMark), glob(tool, Wild::StarAndMark)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["datadog/search", "github/create_issue"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&CursorCli, rules, TOOLS, call)
    }

    #[test]
    fn wildcards_in_either_part() {
        for entry in ["Mcp(datadog:*)", "Mcp(*:search)", "Mcp(*:*)", "Mcp(data**:sear?h)"] {
            assert_eq!(decided(&format!(r#"{{"allow": ["{entry}"]}}"#), "datadog/search"), "allow", "{entry}");
        }
        assert_eq!(decided(r#"{"allow": ["Mcp(datadog:search)"]}"#, "github/create_issue"), "default");
        let rules = r#"{"permissions": {"allow": ["Mcp(*:*)"], "deny": ["Mcp(github:*)"]}}"#;
        assert_eq!(decided(rules, "github/create_issue"), "deny");
    }

    #[test]
    fn case_is_not_stated() {
        let rules = r#"{"allow": ["Mcp(DataDog:search)"]}"#;
        assert_eq!(decided(rules, "datadog/search"), "default");
        assert!(matches!(reaches(&CursorCli, rules, TOOLS)[0], Reach::Unknown(_)));
    }

    #[test]
    fn other_spellings() {
        let rules = r#"{"deny": ["datadog:search", "Shell(rm)", "Mcp(datadog)"]}"#;
        let reached = reaches(&CursorCli, rules, TOOLS);
        assert!(matches!(reached[..], [Reach::Never(_), Reach::No, Reach::Unknown(_)]), "{reached:?}");
    }
}
