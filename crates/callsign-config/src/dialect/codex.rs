//! Codex CLI: each server's `enabled_tools`, `disabled_tools` and approval modes in `config.toml`.
//!
//! Evidence: openai/codex, `codex-rs/config/src/mcp_types.rs` (00b17c2), `codex-rs/codex-mcp/src/tools.rs` (00a35b1) and
//! `codex-rs/core/src/mcp_tool_call.rs`, all 2026; the value `writes` from a later edition of its documentation.
//!
//! - The lists hold wire names, byte for byte. Exposed names are sanitised and hashed, and play no part.
//! - No `enabled_tools` means all, an empty one none; `disabled_tools` is applied after it.
//! - Approval is another matter: a tool's own mode, else its server's, whichever is stricter; `auto` goes by annotations. An
//!   enabled tool is not approved.
//! - A name that no tool has, and a key the file format does not know, are ignored without a word: then all tools stay.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::document::Document;
use crate::error::ConfigError;
use crate::tree::{Entry, Node};

#[derive(Debug)]
pub(crate) struct Codex;

static PROFILE: Profile = Profile {
    id: "codex",
    host: "Codex CLI",
    acts: Acts::OnBoth,
    project_files: &[".codex/config.toml"],
    user_files: &[".codex/config.toml"],
    compared: Fact::Established("the wire name, byte for byte, within its server"),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established(
        "disabled_tools after enabled_tools; a tool's approval mode before its server's default",
    ),
    empty: Fact::Established("an empty enabled_tools allows no tool; without the key all are"),
    unknown_entry: Fact::Established("ignored without a word; so is a misspelt key, and then all tools stay"),
    evidence: &[
        "openai/codex 00b17c2 codex-rs/config/src/mcp_types.rs (2026)",
        "openai/codex 00a35b1 codex-rs/codex-mcp/src/tools.rs (2026)",
        "openai/codex codex-rs/core/src/mcp_tool_call.rs (2026)",
    ],
};

const SERVERS: &str = "mcp_servers";
const DEFAULT_MODE: &str = "default_tools_approval_mode";

/// Approval modes and what they do.
const MODES: [(&str, Effect); 4] = [
    ("approve", Effect::Allow),
    ("prompt", Effect::Ask),
    ("auto", Effect::Auto),
    ("writes", Effect::AskUnlessReadOnly),
];

/// Other programs' words for the two lists.
const NOT_KEYS: [(&str, Effect); 8] = [
    ("enabledTools", Effect::Show),
    ("allowed_tools", Effect::Show),
    ("allowedTools", Effect::Show),
    ("includeTools", Effect::Show),
    ("disabledTools", Effect::Hide),
    ("disallowed_tools", Effect::Hide),
    ("blocked_tools", Effect::Hide),
    ("excludeTools", Effect::Hide),
];

/// A tool's own mode counts before its server's.
const TOOL_RANK: i64 = 1;

impl Dialect for Codex {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (server, table) in source.server_tables(SERVERS) {
            reader.document.map(table)?;
            let exact = |text: &str| Pattern::Exact(text.to_owned());
            reader.texts(table, "enabled_tools", Effect::Show, server, exact)?;
            reader.texts(table, "disabled_tools", Effect::Hide, server, exact)?;
            reader.ignored(table, &NOT_KEYS, server, "Codex does not know this key and ignores it");
            switched_off(&mut reader, table, server)?;
            approvals(&mut reader, table, server)?;
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let filtered = rules.filtered(call);
        if filtered.as_ref().is_some_and(|decision| decision.verdict == Verdict::Deny) {
            return filtered.unwrap_or_else(Decision::default);
        }
        let is_approval = |entry: &RuleEntry| !matches!(entry.effect, Effect::Show | Effect::Hide);
        let mut approvals = rules.entries.iter().enumerate().filter(|(_, entry)| is_approval(entry));
        let mut best: Option<(usize, &RuleEntry)> = None;
        for (index, entry) in &mut approvals {
            let higher = best.is_none_or(|(_, best)| entry.rank > best.rank);
            if higher && rules.reach(entry, call) == Reach::Matches {
                best = Some((index, entry));
            }
        }
        match best {
            Some((index, entry)) => {
                Decision::by(entry.effect.verdict(call), index, "the approval mode decides")
            }
            None => filtered.unwrap_or_else(Decision::default),
        }
    }
}

/// `enabled = false` takes the whole server away.
fn switched_off(reader: &mut Reader<'_>, table: &Node<'_>, server: Option<&str>) -> Result<(), ConfigError> {
    let Some(node) = table.get("enabled") else { return Ok(()) };
    if !reader.document.flag(node)? {
        let list = reader.open(node, Effect::Hide, server);
        reader.entry(list, "false", node.span, Pattern::All);
    }
    Ok(())
}

fn approvals(reader: &mut Reader<'_>, table: &Node<'_>, server: Option<&str>) -> Result<(), ConfigError> {
    if let Some(node) = table.get(DEFAULT_MODE) {
        let word = reader.document.string(node)?;
        let effect = effect_of(word);
        let list = reader.open(node, effect.unwrap_or(Effect::Auto), server);
        reader.entry(list, word, node.span, effect.map_or_else(unknown_mode, |_| Pattern::All));
    }
    let Some(tools) = table.get("tools") else { return Ok(()) };
    let list = reader.open(tools, Effect::Auto, server);
    for tool in reader.document.map(tools)? {
        approval(reader, list, tool)?;
    }
    Ok(())
}

fn approval(reader: &mut Reader<'_>, list: usize, tool: &Entry<'_>) -> Result<(), ConfigError> {
    let document: &Document<'_> = reader.document;
    document.map(&tool.node)?;
    let Some(mode) = tool.node.get("approval_mode") else { return Ok(()) };
    let effect = effect_of(document.string(mode)?);
    let exact = |_| Pattern::Exact(tool.key.to_string());
    reader.entry(list, &tool.key, tool.key_span, effect.map_or_else(unknown_mode, exact));
    if let Some(entry) = reader.rules.entries.last_mut() {
        (entry.effect, entry.rank) = (effect.unwrap_or(Effect::Auto), TOOL_RANK);
    }
    Ok(())
}

fn effect_of(mode: &str) -> Option<Effect> {
    MODES.iter().find(|(word, _)| *word == mode).map(|(_, effect)| *effect)
}

fn unknown_mode() -> Pattern {
    Pattern::Unknown("what Codex does with an approval mode it does not have is not established".into())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["docs/search", "docs/read", "web/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Codex, rules, TOOLS, call)
    }

    #[test]
    fn lists_are_of_wire_names() {
        assert_eq!(decided(r#"{"enabled_tools": ["search"]}"#, "docs/search"), "allow");
        assert_eq!(decided(r#"{"enabled_tools": ["search"]}"#, "docs/read"), "deny");
        assert_eq!(decided(r#"{"enabled_tools": []}"#, "docs/read"), "deny");
        assert_eq!(decided(r#"{"enabled_tools": ["*"]}"#, "docs/read"), "deny", "no wildcards");
        assert_eq!(decided(r#"{"enabled_tools": [" read"]}"#, "docs/read"), "deny", "no trimming");
        assert_eq!(decided(r#"{"disabled_tools": ["search"]}"#, "docs/read"), "default");
    }

    #[test]
    fn approval_and_visibility_are_separate() {
        let rules = r#"{"enabled_tools": ["search"], "default_tools_approval_mode": "prompt"}"#;
        assert_eq!(decided(rules, "docs/search"), "ask");
        assert_eq!(decided(rules, "docs/read"), "deny");
    }

    #[test]
    fn a_tools_mode_replaces_its_servers_whichever_is_stricter() {
        let rules = r#"{"default_tools_approval_mode": "prompt", "tools": {"read": {"approval_mode": "approve"},
                        "search": {"approval_mode": "auto"}}}"#;
        assert_eq!(decided(rules, "docs/read"), "allow");
        assert_eq!(decided(rules, "docs/search"), "default", "annotations decide");
    }

    #[test]
    fn a_servers_lists_are_its_own() {
        let rules = r#"{"mcp_servers": {"docs": {"disabled_tools": ["search"]}, "off": {"enabled": false}}}"#;
        assert_eq!(decided(rules, "docs/search"), "deny");
        assert_eq!(decided(rules, "web/search"), "default");
        assert_eq!(verdict(&Codex, rules, &["off/x"], "off/x"), "deny");
    }

    #[test]
    fn a_misspelt_key_leaves_all_tools() {
        for key in ["enabledTools", "allowed_tools"] {
            assert_eq!(decided(&format!(r#"{{"{key}": ["read"]}}"#), "docs/search"), "default", "{key}");
        }
        let rules = r#"{"disabledTools": ["search"]}"#;
        assert_eq!(decided(rules, "docs/search"), "default");
        assert!(matches!(reaches(&Codex, rules, TOOLS)[0], Reach::Never(_)));
    }

    #[test]
    fn what_an_unknown_mode_does_is_unknown() {
        let rules = r#"{"default_tools_approval_mode": "never"}"#;
        assert_eq!(decided(rules, "docs/search"), "default");
        assert!(matches!(reaches(&Codex, rules, TOOLS)[0], Reach::Unknown(_)));
    }
}
