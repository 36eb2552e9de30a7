//! Zed: `agent.tool_permissions` in its settings.
//!
//! Evidence: zed-industries/zed `docs/src/ai/tool-permissions.md` (07b5ab5), `crates/agent/src/tool_permissions.rs` (00b6ce1),
//! since 0.224.0.
//!
//! - A key of `tools` is an id; that of an MCP tool is `mcp:{server}:{tool}`, byte for byte. There is no wildcard in it.
//! - A tool's own `default` counts before the one for all. `always_allow`, `always_deny` and `always_confirm` hold regular
//!   expressions for a tool's *input*; for MCP tools only `default` is documented.
//! - An expression that does not compile makes its tool refuse. An id that no tool has is ignored, and the default for all
//!   applies.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules};
use super::source::{Reader, Source};
use super::zed_profile;
use crate::error::ConfigError;
use crate::tree::{Entry, Node};

#[derive(Debug)]
pub(crate) struct Zed;

static PROFILE: Profile = Profile {
    id: "zed",
    host: "Zed",
    acts: Acts::OnCalls,
    project_files: &[".zed/settings.json"],
    user_files: &[".config/zed/settings.json"],
    compared: Fact::Established("the id mcp:SERVER:TOOL, byte for byte"),
    wildcards: Fact::Established("none in an id"),
    precedence: Fact::Established("the tool's default before the default for all"),
    empty: Fact::Established("the default for all"),
    unknown_entry: Fact::Established(
        "an id of no tool is ignored; an expression that does not compile refuses its tool",
    ),
    evidence: &[
        "zed-industries/zed 00b6ce1 crates/agent/src/tool_permissions.rs",
        "zed-industries/zed 07b5ab5 docs/src/ai/tool-permissions.md",
    ],
};

const SPELLING: HostSpelling = HostSpelling::Zed;

const MODES: [(&str, Effect); 3] =
    [("allow", Effect::Allow), ("confirm", Effect::Ask), ("deny", Effect::Deny)];

/// Lists of expressions for a tool's input.
const INPUTS: [(&str, Effect); 3] = [
    ("always_deny", Effect::Deny),
    ("always_confirm", Effect::Ask),
    ("always_allow", Effect::Allow),
];

/// A broken expression counts before a tool's default, and that before the default for all.
const BROKEN: i64 = 2;
const TOOL: i64 = 1;

impl Dialect for Zed {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(table) = source.table(&["agent", "tool_permissions"]) else {
            return Ok(reader.rules);
        };
        if !source.whole_file && zed_profile::KEYS.iter().any(|key| table.get(key).is_some()) {
            // Rules that stand alone may be those of a profile.
            zed_profile::read_profile(&mut reader, table, true)?;
            return Ok(reader.rules);
        }
        if let Some(node) = table.get("default") {
            default(&mut reader, node)?;
        }
        if let Some(tools) = table.get("tools") {
            let list = reader.open(tools, Effect::Ask, None);
            for tool in reader.document.map(tools)? {
                read_tool(&mut reader, list, tool)?;
            }
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if rules.has_list(Effect::Show, call) || rules.has_list(Effect::Hide, call) {
            return zed_profile::decided(rules, call);
        }
        match rules.highest(call) {
            Some((index, entry)) => Decision::by(
                entry.effect.verdict(call),
                index,
                "a tool's own default counts before the one for all",
            ),
            None => Decision::default(),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(SPELLING);
        id(text).proposes(text, tool, SPELLING)
    }
}

fn default(reader: &mut Reader<'_>, node: &Node<'_>) -> Result<(), ConfigError> {
    let word = reader.document.string(node)?;
    let effect = effect_of(word);
    let list = reader.open(node, effect.unwrap_or(Effect::Ask), None);
    reader.entry(list, word, node.span, effect.map_or_else(unknown_mode, |_| Pattern::All));
    Ok(())
}

fn read_tool(reader: &mut Reader<'_>, list: usize, tool: &Entry<'_>) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(&tool.node)?;
    let mut add = |effect: Effect, pattern: Pattern, rank: i64| {
        reader.entry(list, &tool.key, tool.key_span, pattern);
        if let Some(entry) = reader.rules.entries.last_mut() {
            (entry.effect, entry.rank) = (effect, rank);
        }
    };
    let pattern = id(&tool.key);
    if let Some(node) = tool.node.get("default") {
        match effect_of(document.string(node)?) {
            Some(effect) => add(effect, pattern.clone(), TOOL),
            None => add(Effect::Ask, unknown_mode(), TOOL),
        }
    } else if tool.node.entries().is_empty() || matches!(pattern, Pattern::Never(_)) {
        add(Effect::Ask, pattern.clone(), TOOL);
    }
    for (key, effect) in INPUTS {
        let Some(expressions) = tool.node.get(key) else { continue };
        for item in document.list(expressions)? {
            let text = item.get("pattern").unwrap_or(item);
            match is_broken(document.string(text)?) {
                true => add(Effect::Deny, pattern.clone(), BROKEN),
                false if matches!(pattern, Pattern::Exact(_)) => add(
                    effect,
                    Pattern::Unknown("the expression is held against the call's input; for MCP tools that is not documented".into()),
                    BROKEN,
                ),
                false => {}
            }
        }
    }
    Ok(())
}

fn id(text: &str) -> Pattern {
    match text.starts_with(SPELLING.marker()) {
        true if text.contains('*') => Pattern::never("an id has no wildcards"),
        true => Pattern::Exact(text.to_owned()),
        false => Pattern::Foreign,
    }
}

fn effect_of(word: &str) -> Option<Effect> {
    MODES.iter().find(|(mode, _)| *mode == word).map(|(_, effect)| *effect)
}

fn unknown_mode() -> Pattern {
    Pattern::Unknown("what Zed does with a word it does not have is not established".into())
}

/// Whether Zed's engine refuses the expression. Ours has less, so what only it might know is taken for sound.
fn is_broken(expression: &str) -> bool {
    const ONLY_THERE: [&str; 4] = ["\\p", "\\P", "&&", "[["];
    regex_lite::Regex::new(expression).is_err()
        && !ONLY_THERE.iter().any(|part| expression.contains(part))
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Zed, rules, TOOLS, call)
    }

    #[test]
    fn a_tools_default_before_the_one_for_all() {
        let rules =
            r#"{"default": "deny", "tools": {"mcp:github:get_issue": {"default": "confirm"}}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "ask");
        assert_eq!(decided(rules, "github/create_issue"), "deny");
        assert_eq!(decided(r#"{"tools": {}}"#, "github/get_issue"), "default");
        let nested = r#"{"agent": {"tool_permissions": {"default": "allow"}}}"#;
        assert_eq!(decided(nested, "github/get_issue"), "allow");
    }

    #[test]
    fn an_id_has_no_wildcards_and_is_no_exposed_name() {
        for id in [
            "mcp:github:*",
            "mcp:*:get_issue",
            "get_issue",
            "mcp__github__get_issue",
            "mcp:GitHub:get_issue",
        ] {
            let rules =
                format!(r#"{{"default": "allow", "tools": {{"{id}": {{"default": "deny"}}}}}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "allow", "{id}");
        }
        let rules = r#"{"tools": {"mcp:github:*": {"default": "deny"}}}"#;
        assert!(matches!(reaches(&Zed, rules, TOOLS)[0], Reach::Never(_)));
    }

    #[test]
    fn a_broken_expression_refuses_its_tool_and_others_are_unknown() {
        let with = |pattern: &str| {
            format!(
                r#"{{"default": "allow", "tools": {{"mcp:github:get_issue": {{"default": "allow", "always_allow": [{{"pattern": "{pattern}"}}]}}}}}}"#
            )
        };
        assert_eq!(decided(&with("("), "github/get_issue"), "deny");
        assert_eq!(decided(&with("("), "github/create_issue"), "allow");
        assert_eq!(decided(&with("^x"), "github/get_issue"), "allow");
        assert!(
            reaches(&Zed, &with("^x"), TOOLS)
                .iter()
                .any(|reach| matches!(reach, Reach::Unknown(_)))
        );
        assert_eq!(decided(&with("\\\\p{L}"), "github/get_issue"), "allow");
    }

    #[test]
    fn an_unknown_word_decides_nothing() {
        assert_eq!(decided(r#"{"default": "ask"}"#, "github/get_issue"), "default");
    }
}
