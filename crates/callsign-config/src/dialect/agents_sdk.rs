//! OpenAI's Agents SDK for Python: a server's static tool filter and `require_approval`.
//!
//! Evidence: openai/openai-agents-python 7f7a44f (2026-08-22), `src/agents/mcp/server.py` and `src/agents/mcp/util.py`.
//!
//! - `allowed_tool_names` and `blocked_tool_names` hold wire names, byte for byte. An empty `allowed_tool_names` leaves no
//!   tool. Blocked counts after allowed.
//! - `require_approval` is `always`, `never`, a word for each name, or names under `always` and `never`. A name that is not
//!   there needs *no* approval, so `never` alone protects nothing. A name in both, a foreign key or a wrong type raises.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::keys::at;
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct AgentsSdk;

static PROFILE: Profile = Profile {
    id: "agents-sdk",
    host: "OpenAI Agents SDK",
    acts: Acts::OnBoth,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established("the wire name, byte for byte, within its server"),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established(
        "blocked after allowed; approval by name, and none for a name that is not there",
    ),
    empty: Fact::Established("an empty allowed_tool_names leaves no tool"),
    unknown_entry: Fact::Established("a name that no tool has is ignored; a wrong shape raises"),
    evidence: &[
        "openai/openai-agents-python 7f7a44f src/agents/mcp/server.py (2026-08-22)",
        "openai/openai-agents-python 7f7a44f src/agents/mcp/util.py (2026-08-22)",
    ],
};

const APPROVAL: &str = "require_approval";
const FILTERS: [(&str, Effect); 2] =
    [("blocked_tool_names", Effect::Hide), ("allowed_tool_names", Effect::Show)];
const WORDS: [(&str, Effect); 2] = [("always", Effect::Ask), ("never", Effect::Allow)];

impl Dialect for AgentsSdk {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (key, effect) in FILTERS {
            if let Some(list) = at(source, &["tool_filter", key]) {
                reader.texts_of(list, effect, 0, |text| Pattern::Exact(text.to_owned()))?;
            }
        }
        if let Some(node) = source.root().get(APPROVAL) {
            approval(&mut reader, node);
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let filtered = rules.filtered(call);
        if filtered.as_ref().is_some_and(|decision| decision.verdict == Verdict::Deny) {
            return filtered.unwrap_or_else(Decision::default);
        }
        let is_approval = |effect| matches!(effect, Effect::Ask | Effect::Allow);
        let has_approval = rules.lists.iter().any(|list| is_approval(list.effect));
        match rules.first(&[Effect::Ask, Effect::Allow], call) {
            Some(index) => {
                let effect = rules.entries.get(index).map_or(Effect::Allow, |entry| entry.effect);
                Decision::by(effect.verdict(call), index, "its approval is set")
            }
            None if has_approval => {
                Decision::new(Verdict::Allow, "a name that is not there needs no approval")
            }
            None => filtered.unwrap_or_else(Decision::default),
        }
    }
}

/// One word for all tools, a word for each, or names under the two words.
fn approval(reader: &mut Reader<'_>, node: &Node<'_>) {
    if let Value::Text(word) = &node.value {
        return match effect_of(word) {
            Some(effect) => {
                let list = reader.open(node, effect, None);
                reader.entry(list, word, node.span, Pattern::All);
            }
            None => raises(reader, node),
        };
    }
    let Value::Map(entries) = &node.value else { return raises(reader, node) };
    let is_by_word = entries.iter().any(|entry| matches!(entry.node.value, Value::Map(_)));
    for entry in entries {
        let word = if is_by_word { effect_of(&entry.key) } else { effect_of(text_of(&entry.node)) };
        let Some(effect) = word else { return raises(reader, &entry.node) };
        if !is_by_word {
            let list = reader.open(&entry.node, effect, None);
            reader.entry(list, &entry.key, entry.key_span, Pattern::Exact(entry.key.to_string()));
        } else if !names(reader, &entry.node, effect) {
            return raises(reader, &entry.node);
        }
    }
    if let Some(twice) = in_both(&reader.rules.entries) {
        reader.drop_all("a name stands under both words, and the SDK raises", twice.span);
    }
}

/// Reads `{tool_names: […]}`; whether it is that.
fn names(reader: &mut Reader<'_>, table: &Node<'_>, effect: Effect) -> bool {
    let is_alone = table.entries().iter().all(|entry| entry.key == "tool_names");
    let Some(Value::List(items)) = table.get("tool_names").map(|node| &node.value) else {
        return false;
    };
    let list = reader.open(table, effect, None);
    for item in items {
        let text = text_of(item);
        reader.entry(list, text, item.span, Pattern::Exact(text.to_owned()));
    }
    is_alone && items.iter().all(|item| matches!(item.value, Value::Text(_)))
}

fn raises(reader: &mut Reader<'_>, node: &Node<'_>) {
    reader.drop_all("this is no shape of `require_approval`, and the SDK raises", node.span);
}

fn text_of<'n>(node: &'n Node<'_>) -> &'n str {
    match &node.value {
        Value::Text(text) => text,
        _ => "",
    }
}

fn effect_of(word: &str) -> Option<Effect> {
    WORDS.iter().find(|(known, _)| *known == word).map(|(_, effect)| *effect)
}

fn in_both(entries: &[RuleEntry]) -> Option<&RuleEntry> {
    let of = |effect: Effect| entries.iter().filter(move |entry| entry.effect == effect);
    let never: std::collections::HashSet<&str> =
        of(Effect::Allow).map(|entry| entry.text.as_str()).collect();
    of(Effect::Ask).find(|entry| never.contains(entry.text.as_str()))
}

#[cfg(test)]
mod tests {
    use super::super::of_value;
    use super::super::testing::verdict;
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&AgentsSdk, rules, TOOLS, call)
    }

    #[test]
    fn blocked_after_allowed_and_an_empty_list_leaves_none() {
        for rules in [
            r#"{"allowed_tool_names": []}"#,
            r#"{"tool_filter": {"allowed_tool_names": ["Get_issue"]}}"#,
            r#"{"allowed_tool_names": ["get_*"]}"#,
            r#"{"allowed_tool_names": ["get_issue"], "blocked_tool_names": ["get_issue"]}"#,
        ] {
            assert_eq!(decided(rules, "github/get_issue"), "deny", "{rules}");
        }
        assert_eq!(
            decided(r#"{"allowed_tool_names": ["get_issue"]}"#, "github/get_issue"),
            "allow"
        );
        assert_eq!(decided(r#"{"blocked_tool_names": []}"#, "github/get_issue"), "default");
    }

    #[test]
    fn a_name_that_is_not_there_needs_no_approval() {
        for (approval, get, create) in [
            (r#""always""#, "ask", "ask"),
            (r#""never""#, "allow", "allow"),
            (r#"{"get_issue": "always"}"#, "ask", "allow"),
            (r#"{"get_issue": "never"}"#, "allow", "allow"),
            (r#"{"never": {"tool_names": ["get_issue"]}}"#, "allow", "allow"),
            (r#"{"always": {"tool_names": ["get_issue"]}}"#, "ask", "allow"),
        ] {
            let rules = format!(r#"{{"require_approval": {approval}}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), get, "{rules}");
            assert_eq!(decided(&rules, "github/create_issue"), create, "{rules}");
        }
        let hidden = r#"{"require_approval": "never", "blocked_tool_names": ["get_issue"]}"#;
        assert_eq!(decided(hidden, "github/get_issue"), "deny");
    }

    #[test]
    fn what_raises() {
        for approval in [
            r#""sometimes""#,
            "true",
            r#"{"get_issue": "sometimes"}"#,
            r#"{"allow": {"tool_names": []}}"#,
            r#"{"always": {"names": []}}"#,
            r#"{"always": {"tool_names": ["a"], "read_only": true}}"#,
            r#"{"always": {"tool_names": ["a"]}, "never": {"tool_names": ["a"]}}"#,
        ] {
            let rules =
                of_value(&AgentsSdk, &format!(r#"{{"require_approval": {approval}}}"#)).unwrap();
            assert!(rules.dropped.is_some(), "{approval}");
        }
    }
}
