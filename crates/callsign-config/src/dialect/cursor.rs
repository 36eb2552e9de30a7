//! Cursor, the editor: `mcpAllowlist` in `permissions.json`.
//!
//! Evidence: cursor.com/docs/reference/permissions, two editions of 2026. The product is closed source.
//!
//! - `{server}:{tool}`, without case; the server is the key in `mcp.json`. `*` alone or inside either part.
//! - An entry without `:` is ignored; one that is no text is dropped. There is no deny list.
//! - Where the key is present it replaces the list of the application. What an empty list means is not discussed.
//! - Entries in the spelling of Cursor's CLI do nothing here: the two are separate systems.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::Value;

#[derive(Debug)]
pub(crate) struct Cursor;

static PROFILE: Profile = Profile {
    id: "cursor",
    host: "Cursor",
    acts: Acts::OnCalls,
    project_files: &[".cursor/permissions.json"],
    user_files: &[".cursor/permissions.json"],
    compared: Fact::Established("server:tool, the server's key and the wire name, without case"),
    wildcards: Fact::Established("* in either part"),
    precedence: Fact::Established("allow only; a team's lists, then the files, then the application's"),
    empty: Fact::Unknown("what an empty list means, which replaces the application's"),
    unknown_entry: Fact::Established("one without : is ignored, one that is no text is dropped"),
    evidence: &["cursor.com/docs/reference/permissions (2026)"],
};

const LIST: &str = "mcpAllowlist";

impl Dialect for Cursor {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Cursor
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(node) = source.root().get(LIST) else { return Ok(reader.rules) };
        let list = reader.open(node, Effect::Allow, None);
        for item in reader.document.list(node)? {
            match &item.value {
                Value::Text(text) => reader.entry(list, text, item.span, pattern(text)),
                _ => reader.entry(list, "", item.span, Pattern::never("it is no text, and is dropped")),
            }
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&[Effect::Allow], call)
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(self.compared());
        let literal = !text.contains(['*', '?']);
        pattern(text).proposes(text, tool, self.compared()).filter(|_| literal)
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        found.0.get(LIST).is_some()
    }
}

fn pattern(text: &str) -> Pattern {
    if text.starts_with(HostSpelling::CursorCli.marker()) {
        return Pattern::never("this is the spelling of Cursor's CLI, which has a file of its own");
    }
    match text.split_once(HostSpelling::Cursor.separator()) {
        Some((server, tool)) => {
            Pattern::Parts(Glob::folded(server, Wild::Star), Glob::folded(tool, Wild::Star))
        }
        None => Pattern::never("an entry without `:` is ignored"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["GitHub/get_issue", "docs/search"];

    #[test]
    fn either_part_without_case_and_with_stars() {
        for entry in ["github:*", "*:GET_ISSUE", "*:*", "git*:get_*", "GitHub:get_issue"] {
            let rules = format!(r#"{{"mcpAllowlist": ["{entry}"]}}"#);
            assert_eq!(verdict(&Cursor, &rules, TOOLS, "GitHub/get_issue"), "allow", "{entry}");
        }
        let rules = r#"{"mcpAllowlist": ["github:*"]}"#;
        assert_eq!(verdict(&Cursor, rules, TOOLS, "docs/search"), "default");
        assert_eq!(verdict(&Cursor, r#"{"mcpAllowlist": []}"#, TOOLS, "docs/search"), "default");
    }

    #[test]
    fn what_does_nothing() {
        let rules = r#"{"mcpAllowlist": ["github", "*", "Mcp(docs:search)", 3]}"#;
        let reached = reaches(&Cursor, rules, TOOLS);
        assert!(reached.iter().all(|reach| matches!(reach, super::super::Reach::Never(_))), "{reached:?}");
    }
}
