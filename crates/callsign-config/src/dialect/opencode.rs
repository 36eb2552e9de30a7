//! opencode's `permission` and legacy `tools`, and those of Kilo Code's CLI, which carries the same loader.
//!
//! Evidence: anomalyco/opencode `packages/opencode/src/permission/{index,evaluate}.ts` (0197fee, 8d037a7),
//! `packages/web/src/content/docs/permissions.mdx` (0783a1b), 2026; issue #15664. Kilo-Org/kilocode carries the loader.
//!
//! - The exposed name `{server}_{tool}` is compared, without a word in front, so `github_*` also covers the key
//!   `github_enterprise`.
//! - `*` is any run of characters and `?` one; the whole name must match.
//! - The *last* matching entry in the file's order counts; nothing denies first. `tools` is put before `permission`, so a
//!   catch-all there overrides it.
//! - A table as value divides calls by what they touch. Calls of MCP tools are checked with `*` alone, so only that entry
//!   of it can fire.
//! - An agent's own entries come after all others, for that agent.

use std::borrow::Cow;

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::{Entry, Node, Value};

/// opencode's language, whoever speaks it.
#[derive(Debug)]
pub(crate) struct OpenCode(&'static Profile);

const EVIDENCE: &[&str] = &[
    "anomalyco/opencode 8d037a7 packages/opencode/src/permission/evaluate.ts (2026)",
    "anomalyco/opencode 0783a1b packages/web/src/content/docs/permissions.mdx (2026)",
    "anomalyco/opencode #15664",
];

const fn profile(
    id: &'static str,
    host: &'static str,
    project_files: &'static [&'static str],
    user_files: &'static [&'static str],
) -> Profile {
    Profile {
        id,
        host,
        acts: Acts::OnCalls,
        project_files,
        user_files,
        compared: Fact::Established("the exposed name SERVER_TOOL, other characters replaced by _"),
        wildcards: Fact::Established("* for any run of characters and ? for one, anywhere"),
        precedence: Fact::Established("the last matching entry in the file's order; legacy tools stand before permission"),
        empty: Fact::Established("the built-in defaults, which allow almost everything"),
        unknown_entry: Fact::Established("ignored without a word"),
        evidence: EVIDENCE,
    }
}

/// opencode.
pub(crate) static OPENCODE: OpenCode = OpenCode(
    &profile(
        "opencode",
        "opencode",
        &["opencode.json", "opencode.jsonc", ".opencode/agent/*.md", ".opencode/agents/*.md"],
        &[".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"],
    ),
);

/// Kilo Code's CLI.
pub(crate) static KILO: OpenCode = OpenCode(
    &profile(
        "kilo",
        "Kilo Code CLI",
        &["kilo.json", "kilo.jsonc"],
        &[".config/kilo/kilo.json", ".config/kilo/kilo.jsonc"],
    ),
);

/// Permissions with a `_` in their names that are no MCP tools'.
const BUILT_IN: [&str; 2] = ["external_directory", "doom_loop"];

/// The one thing a call of an MCP tool is checked for.
const TOUCHED: &str = "*";

/// Entries that count only while that agent runs.
const OF_AGENT: i64 = 1;

impl Dialect for OpenCode {
    fn profile(&self) -> &'static Profile {
        self.0
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::OpenCode
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        own_rules(&mut reader, source.root(), 0)?;
        if let Some(agents) = source.root().get("agent") {
            for agent in reader.document.map(agents)? {
                own_rules(&mut reader, &agent.node, OF_AGENT)?;
            }
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let general = rules.entries.iter().enumerate().filter(|(_, entry)| entry.rank < OF_AGENT);
        let mut matching = general.filter(|(_, entry)| rules.reach(entry, call) == Reach::Matches);
        match matching.next_back() {
            Some((index, entry)) => {
                Decision::by(entry.effect.verdict(call), index, "the last matching entry decides")
            }
            None => Decision::default(),
        }
    }

    fn beginning<'e>(&self, entry: &'e RuleEntry) -> Option<Cow<'e, str>> {
        match &entry.pattern {
            Pattern::Glob(glob) => Some(glob.beginning().into()),
            _ => None,
        }
    }

    fn decides_by_matches(&self) -> bool {
        true
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        self.0.id == OPENCODE.0.id
            && found.0.get("permission").is_some_and(|permission| {
                permission.entries().iter().any(|entry| effect_of(&entry.node).is_some())
            })
    }
}

fn own_rules<'d>(reader: &mut Reader<'d>, table: &Node<'d>, rank: i64) -> Result<(), ConfigError> {
    let before = reader.rules.entries.len();
    if let Some(tools) = table.get("tools") {
        let list = reader.open(tools, Effect::Allow, None);
        for tool in reader.document.map(tools)? {
            let effect = if reader.document.flag(&tool.node)? { Effect::Allow } else { Effect::Deny };
            entry(reader, list, tool, effect, pattern(&tool.key));
        }
    }
    if let Some(permission) = table.get("permission") {
        let list = reader.open(permission, Effect::Allow, None);
        permissions(reader, list, permission)?;
    }
    for entry in &mut reader.rules.entries[before..] {
        entry.rank = rank;
    }
    Ok(())
}

fn permissions<'d>(reader: &mut Reader<'d>, list: usize, permission: &Node<'d>) -> Result<(), ConfigError> {
    if let Value::Text(word) = &permission.value {
        let effect = word_at(reader, permission)?;
        reader.entry(list, word, permission.span, Pattern::All);
        set_effect(reader, effect);
        return Ok(());
    }
    for tool in reader.document.map(permission)? {
        match &tool.node.value {
            Value::Map(parts) => parts.iter().try_for_each(|part| divided(reader, list, tool, part))?,
            _ => {
                let effect = word_at(reader, &tool.node)?;
                entry(reader, list, tool, effect, pattern(&tool.key));
            }
        }
    }
    Ok(())
}

/// One entry of a table that divides the calls of a tool.
fn divided<'d>(reader: &mut Reader<'d>, list: usize, tool: &Entry<'d>, part: &Entry<'d>) -> Result<(), ConfigError> {
    let effect = word_at(reader, &part.node)?;
    let fires = Glob::new(&part.key, Wild::StarAndMark).matches(TOUCHED);
    let found = match pattern(&tool.key) {
        pattern if fires || matches!(pattern, Pattern::Foreign) => pattern,
        _ => Pattern::never("calls of MCP tools are checked with `*` alone, which this does not fit"),
    };
    entry(reader, list, tool, effect, found);
    Ok(())
}

fn entry(reader: &mut Reader<'_>, list: usize, tool: &Entry<'_>, effect: Effect, pattern: Pattern) {
    reader.entry(list, &tool.key, tool.key_span, pattern);
    set_effect(reader, effect);
}

fn set_effect(reader: &mut Reader<'_>, effect: Effect) {
    if let Some(entry) = reader.rules.entries.last_mut() {
        entry.effect = effect;
    }
}

fn word_at(reader: &Reader<'_>, node: &Node<'_>) -> Result<Effect, ConfigError> {
    reader.document.string(node)?;
    let wrong = || reader.document.wrong_value(node.span, "it is one of `allow`, `ask` and `deny`");
    effect_of(node).ok_or_else(wrong)
}

fn effect_of(node: &Node<'_>) -> Option<Effect> {
    let Value::Text(word) = &node.value else { return None };
    match word.as_ref() {
        "allow" => Some(Effect::Allow),
        "ask" => Some(Effect::Ask),
        "deny" => Some(Effect::Deny),
        _ => None,
    }
}

/// An exposed name has at least one `_`; a text without it and without a wildcard is a built-in tool's.
fn pattern(text: &str) -> Pattern {
    let literal = !text.contains(['*', '?']);
    match literal && (!text.contains(HostSpelling::OpenCode.separator()) || BUILT_IN.contains(&text)) {
        true => Pattern::Foreign,
        false => Pattern::Glob(Glob::new(text, Wild::StarAndMark)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github_enterprise/list", "my.server/a b"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&OPENCODE, rules, TOOLS, call)
    }

    #[test]
    fn the_last_match_counts() {
        let rules = r#"{"permission": {"github_*": "deny", "*": "allow"}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "allow", "a catch-all at the end undoes all");
        assert_eq!(decided(r#"{"permission": "ask"}"#, "github/get_issue"), "ask");
        assert_eq!(decided(r#"{"permission": {}}"#, "github/get_issue"), "default");
    }

    #[test]
    fn wildcards_and_cleaned_names() {
        assert_eq!(decided(r#"{"permission": {"my?server_a?b": "deny"}}"#, "my.server/a b"), "deny");
        assert_eq!(decided(r#"{"permission": {"my.server_*": "deny"}}"#, "my.server/a b"), "default");
        assert_eq!(decided(r#"{"permission": {"*_issue": "ask"}}"#, "github/get_issue"), "ask");
        assert_eq!(decided(r#"{"permission": {"GITHUB_*": "ask"}}"#, "github/get_issue"), "default");
    }

    #[test]
    fn legacy_tools_stand_first() {
        assert_eq!(decided(r#"{"tools": {"github_*": false}}"#, "github/get_issue"), "deny");
        let rules = r#"{"permission": {"github_*": "ask"}, "tools": {"github_*": false}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "ask");
    }

    #[test]
    fn only_a_star_fires_in_a_table() {
        let rules = r#"{"permission": {"github_get_issue": {"x*": "deny", "*": "ask"}}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "ask");
        assert!(matches!(reaches(&OPENCODE, rules, TOOLS)[0], Reach::Never(_)));
    }

    #[test]
    fn an_agents_entries_are_for_that_agent() {
        let rules = r#"{"agent": {"plan": {"permission": {"github_*": "deny"}}}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "default");
        assert_eq!(reaches(&OPENCODE, rules, TOOLS), [Reach::Matches]);
    }

    #[test]
    fn built_in_tools_are_not_judged() {
        let rules = r#"{"permission": {"bash": {"rm *": "deny"}, "external_directory": "ask"}}"#;
        assert_eq!(reaches(&OPENCODE, rules, TOOLS), [Reach::No, Reach::No]);
        assert!(of_words(r#"{"permission": {"bash": "never"}}"#).is_err());
        assert!(of_words(r#"{"permission": {"bash": 1}}"#).is_err());
    }

    fn of_words(rules: &str) -> Result<Rules, ConfigError> {
        super::super::of_value(&OPENCODE, rules)
    }

    #[test]
    fn kilo_speaks_it_too() {
        assert_eq!(KILO.profile().host, "Kilo Code CLI");
        assert_eq!(verdict(&KILO, r#"{"permission": {"github_*": "deny"}}"#, TOOLS, "github/get_issue"), "deny");
    }
}
