//! Qwen Code: `permissions.allow`, `ask` and `deny` in its settings.
//!
//! Evidence: QwenLM/qwen-code 67d07f2 `packages/core/src/permissions/rule-parser.ts` (2026) for the form of an entry; a public
//! fork, commit `8d88a4f0d8f1b07eafd92b39d11c3cb69b9c53e3`, for how entries are held against tools: [`callsign::rules`] is that
//! meaning, and `data/vectors/rules.jsonl` was made by running it. Issue #10199.
//!
//! - Entries are trimmed and blank ones dropped. A part in parentheses that is not empty, or not closed, makes the entry
//!   match nothing. Case counts.
//! - The registered name is compared, and the raw text where that had to be changed. Only a final `*` is a wildcard;
//!   `mcp__a` is all of `a`.
//! - Deny, then ask, then allow. A grant by a spelling that could be another tool's grants nothing.
//! - In revision 67d07f2 a bare `*` is a prefix of everything; later it matches nothing, and so it does here.
//! - Whether `includeTools` and `excludeTools` of a server are read as Gemini CLI reads them is not established.

use callsign::rules::{Disabled, Effect as Own, Policy, Rule};
use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::claude_code::ClaudeCode;
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct QwenCode;

static PROFILE: Profile = Profile {
    id: "qwen-code",
    host: "Qwen Code",
    acts: Acts::OnCalls,
    project_files: &[".qwen/settings.json"],
    user_files: &[".qwen/settings.json"],
    compared: Fact::Established(
        "the registered name mcp__SERVER__TOOL, cut and hashed where needed, or the raw text of such a name",
    ),
    wildcards: Fact::Established("a final *; mcp__SERVER for a whole server"),
    precedence: Fact::Established("deny, then ask, then allow, then the tool's own default"),
    empty: Fact::Established("no rules"),
    unknown_entry: Fact::Established(
        "ignored without a word; with a specifier or unbalanced parentheses it never matches",
    ),
    evidence: &[
        "QwenLM/qwen-code 67d07f2 packages/core/src/permissions/rule-parser.ts (2026)",
        "commit 8d88a4f0d8f1b07eafd92b39d11c3cb69b9c53e3 of a public fork, run (2026)",
        "QwenLM/qwen-code #10199",
    ],
};

const CLASSES: [(&str, Own, Effect); 3] = [
    ("deny", Own::Deny, Effect::Deny),
    ("ask", Own::Ask, Effect::Ask),
    ("allow", Own::Allow, Effect::Allow),
];

/// What the list of tools that are never registered is called in a bare value.
const DISABLED: [&str; 2] = ["disabledTools", "disabled_tools"];

/// Filters of a server of which it is not established that they count.
const FILTERS: [(&str, Effect); 2] = [("excludeTools", Effect::Hide), ("includeTools", Effect::Show)];

impl Dialect for QwenCode {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::QwenCode
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        if let Some(permissions) = source.table(&["permissions"]) {
            reader.document.map(permissions)?;
            for (key, own, effect) in CLASSES {
                class(&mut reader, permissions, key, own, effect)?;
            }
        }
        for key in DISABLED.into_iter().filter(|_| !source.whole_file) {
            let off = |text: &str| Pattern::Off(Disabled::of([text]));
            reader.texts(source.root(), key, Effect::Hide, None, off)?;
        }
        for (server, table) in source.server_tables("mcpServers") {
            for (key, effect) in FILTERS {
                reader.texts(table, key, effect, server, |_| {
                    Pattern::Unknown("whether this list is read is not established".into())
                })?;
            }
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match &entry.pattern {
            Pattern::Unknown(_) if entry.text != tool.wire() => Reach::No,
            pattern => pattern.reach(tool, self.compared()),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        match rules.first(&[Effect::Hide], call) {
            Some(entry) => Decision::by(Verdict::Deny, entry, "a disabled tool is not registered"),
            None => rules.by_identity(call),
        }
    }

    /// Its file is written as Claude Code's is, and means something else.
    fn recognises(&self, found: Found<'_>) -> bool {
        ClaudeCode.recognises(found)
    }
}

fn class<'d>(
    reader: &mut Reader<'d>,
    permissions: &Node<'d>,
    key: &str,
    own: Own,
    effect: Effect,
) -> Result<(), ConfigError> {
    let Some(node) = permissions.get(key) else { return Ok(()) };
    let list = reader.open(node, effect, None);
    for item in reader.document.list(node)? {
        let text = reader.document.string(item)?;
        if let Some(rule) = Rule::spelled(own, text) {
            let pattern = match may_be_mcp(text) {
                true => Pattern::Judged(Box::new(Policy::compile(vec![rule]))),
                false => Pattern::Foreign,
            };
            reader.entry(list, text, item.span, pattern);
        }
    }
    Ok(())
}

/// Entries for built-in tools stand in the same lists: `Bash(git *)`, `ReadFileTool`.
fn may_be_mcp(text: &str) -> bool {
    let marker = HostSpelling::QwenCode.marker();
    let name = text.trim();
    match name.strip_suffix('*') {
        Some(prefix) => prefix.starts_with(marker) || marker.starts_with(prefix),
        None => name.starts_with(marker),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "foo.bar/x", "foo_bar/x"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&QwenCode, rules, TOOLS, call)
    }

    #[test]
    fn forms_of_an_entry() {
        for text in ["mcp__github", "mcp__github__*", " mcp__github__get_issue ", "mcp__github__get_issue()", "mcp__git*"] {
            assert_eq!(decided(&format!(r#"{{"deny": ["{text}"]}}"#), "github/get_issue"), "deny", "{text}");
        }
        for text in ["*", "mcp__*__get_issue", "mcp__github__get_issue(x)", "mcp__github(", "", "MCP__github", "Bash(*)"] {
            assert_eq!(decided(&format!(r#"{{"deny": ["{text}"]}}"#), "github/get_issue"), "default", "{text}");
        }
    }

    #[test]
    fn classes_and_disabled_tools() {
        let rules = r#"{"permissions": {"allow": ["mcp__github"], "ask": ["mcp__github__get_*"]}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "ask");
        let rules = r#"{"allow": ["mcp__github"], "disabledTools": ["mcp__github__get_issue"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "deny");
        assert_eq!(decided(r#"{"disabledTools": ["mcp__github"]}"#, "github/get_issue"), "default");
    }

    #[test]
    fn a_rule_for_one_key_does_not_reach_what_it_is_sanitised_to() {
        assert_eq!(decided(r#"{"allow": ["mcp__foo_bar__x"]}"#, "foo.bar/x"), "default", "#10199");
        assert_eq!(decided(r#"{"allow": ["mcp__foo.bar__x"]}"#, "foo.bar/x"), "allow");
    }

    #[test]
    fn a_servers_filters_are_unknown() {
        let rules = r#"{"includeTools": ["get_issue"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "default");
        assert!(matches!(reaches(&QwenCode, rules, TOOLS)[0], Reach::Unknown(_)));
    }
}
