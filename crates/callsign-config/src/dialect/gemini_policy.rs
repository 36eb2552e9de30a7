//! Gemini CLI: the policy engine's `[[rule]]` tables in TOML files.
//!
//! Evidence: google-gemini/gemini-cli 5411f11 (2026-08-21), `packages/core/src/policy/{policy-engine,toml-loader,config}.ts`
//! and `docs/reference/policy-engine.md`; issues #24133 and #21727.
//!
//! - `mcpName` is folded into the text when the file is loaded: `mcp_{mcpName}_{toolName}`. The exposed name is compared,
//!   which is sanitised and cut; the rule is not, so a key with a space makes every rule for it miss.
//! - The wildcards that are implemented are `*`, `mcp_*` and `mcp_{key}_*`, the last with the tool's real key. Any other `*`
//!   is a literal one and fits nothing, `mcpName = "*"` with a tool name among them.
//! - The highest priority counts, then the order in the list. Nothing denies first.
//! - One rule that fails the schema (no `toolName`) discards the whole file.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct GeminiPolicy;

static PROFILE: Profile = Profile {
    id: "gemini-policy",
    host: "Gemini CLI",
    acts: Acts::OnCalls,
    project_files: &[],
    user_files: &[".gemini/policies/*.toml"],
    compared: Fact::Established(
        "the exposed name mcp_SERVER_TOOL, sanitised and cut; the rule's text is neither",
    ),
    wildcards: Fact::Established("*, mcp_* and mcp_SERVER_* only; any other * is a literal one"),
    precedence: Fact::Established("the highest priority, then the order in the list; no deny first"),
    empty: Fact::Established("no rules"),
    unknown_entry: Fact::Established(
        "a rule that fails the schema discards the whole file; a name that no tool has is ignored without a word",
    ),
    evidence: &[
        "google-gemini/gemini-cli 5411f11 packages/core/src/policy/policy-engine.ts (2026-08-21)",
        "google-gemini/gemini-cli 5411f11 packages/core/src/policy/toml-loader.ts (2026-08-21)",
        "google-gemini/gemini-cli #24133, #21727",
    ],
};

const SPELLING: HostSpelling = HostSpelling::GeminiCli;

/// What a rule may ask of the call besides the tool.
const CONDITIONS: [&str; 5] = ["argsPattern", "toolAnnotations", "modes", "interactive", "subagent"];

const DECISIONS: [(&str, Effect); 3] =
    [("allow", Effect::Allow), ("deny", Effect::Deny), ("ask_user", Effect::Ask)];

impl Dialect for GeminiPolicy {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(rules) = source.root().get("rule") else { return Ok(reader.rules) };
        let list = reader.open(rules, Effect::Allow, None);
        for rule in reader.document.list(rules)? {
            read_rule(&mut reader, list, rule)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        reach_by_policy(&entry.pattern, tool)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        match rules.highest(call) {
            Some((index, entry)) => {
                Decision::by(entry.effect.verdict(call), index, "the highest priority decides")
            }
            None => Decision::default(),
        }
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        let Some(Value::List(rules)) = found.0.get("rule").map(|rules| &rules.value) else {
            return false;
        };
        rules.iter().any(|rule| rule.get("decision").is_some())
    }
}

fn read_rule<'d>(reader: &mut Reader<'d>, list: usize, rule: &Node<'d>) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(rule)?;
    let Some(names) = rule.get("toolName") else {
        reader.drop_all("a rule without `toolName` fails the schema, and the whole file is discarded", rule.span);
        return Ok(());
    };
    let server = rule.get("mcpName").map(|name| document.string(name)).transpose()?;
    let (effect, priority) = (effect_of(reader, rule)?, priority_of(reader, rule)?);
    let conditional = CONDITIONS.iter().find(|key| rule.get(key).is_some());
    let one = std::slice::from_ref(names);
    let names = if let Value::List(names) = &names.value { names.as_slice() } else { one };
    for name in names {
        let text = document.string(name)?;
        let pattern = match (conditional, effect, priority) {
            (Some(key), ..) => Pattern::Unknown(format!("it depends on `{key}` at the call").into()),
            (_, None, _) | (_, _, None) => {
                Pattern::Unknown("what becomes of a rule without a valid `decision` and `priority` is not established".into())
            }
            _ => policy_pattern(&folded(server, text)),
        };
        reader.entry(list, text, name.span, pattern);
        if let Some(entry) = reader.rules.entries.last_mut() {
            (entry.effect, entry.rank) = (effect.unwrap_or(Effect::Allow), priority.unwrap_or(0));
        }
    }
    Ok(())
}

fn effect_of(reader: &Reader<'_>, rule: &Node<'_>) -> Result<Option<Effect>, ConfigError> {
    let Some(node) = rule.get("decision") else { return Ok(None) };
    let word = reader.document.string(node)?;
    Ok(DECISIONS.iter().find(|(name, _)| *name == word).map(|(_, effect)| *effect))
}

fn priority_of(reader: &Reader<'_>, rule: &Node<'_>) -> Result<Option<i64>, ConfigError> {
    match rule.get("priority").map(|node| (&node.value, node)) {
        None => Ok(None),
        Some((Value::Number(number), _)) => {
            Ok(number.parse().ok().filter(|priority| (0..=999).contains(priority)))
        }
        Some((_, node)) => Err(reader.document.wrong_type(node, "a number")),
    }
}

fn folded(server: Option<&str>, tool: &str) -> String {
    match server {
        Some(server) => [SPELLING.marker(), server, SPELLING.separator(), tool].concat(),
        None => tool.to_owned(),
    }
}

/// What the engine makes of a text. Settings lists end up here too.
pub(super) fn policy_pattern(text: &str) -> Pattern {
    let marker = SPELLING.marker();
    if text == "*" || text.strip_prefix(marker) == Some("*") {
        return Pattern::All;
    }
    let key = text.strip_prefix(marker).and_then(|rest| {
        rest.strip_suffix('*').and_then(|rest| rest.strip_suffix(SPELLING.separator()))
    });
    match key {
        _ if !text.starts_with(marker) && text.contains('*') => Pattern::never(LITERAL_STAR),
        _ if !text.starts_with(marker) && !text.contains(HostSpelling::Raw.separator()) => Pattern::Foreign,
        _ if !text.starts_with(marker) => {
            Pattern::never("the engine warns about this spelling, and no exposed name has it")
        }
        Some(key) if !key.is_empty() && !key.contains('*') => Pattern::Server(key.to_owned()),
        _ if text.contains('*') => Pattern::never(LITERAL_STAR),
        _ if !text.chars().all(is_exposed) => Pattern::never(
            "exposed names have other characters replaced by `_`, and the rule keeps its own",
        ),
        _ => Pattern::Exact(text.to_owned()),
    }
}

const LITERAL_STAR: &str =
    "only `*`, `mcp_*` and `mcp_SERVER_*` are wildcards here; this `*` is a literal one";

fn is_exposed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-')
}

/// A whole server: the key must be the tool's own, and the exposed name must begin with it as the rule has it.
pub(super) fn reach_by_policy(pattern: &Pattern, tool: Tool<'_>) -> Reach {
    match pattern {
        Pattern::Server(key) => {
            let name = tool.name(SPELLING).strip_prefix(SPELLING.marker());
            let rest = name.and_then(|name| name.strip_prefix(key.as_str()));
            let begins = rest.is_some_and(|rest| rest.starts_with(SPELLING.separator()));
            Reach::of(key == tool.server() && begins)
        }
        pattern => pattern.reach(tool, SPELLING),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["a/search", "a/get_x", "my_server/search", "my server/search"];

    fn deny(server: &str, tool: &str) -> String {
        let server = if server.is_empty() { String::new() } else { format!(r#""mcpName": "{server}","#) };
        format!(r#"{{"rule": [{{{server} "toolName": "{tool}", "decision": "deny", "priority": 9}}]}}"#)
    }

    #[test]
    fn wildcards_that_are_implemented() {
        for (server, tool) in [("", "*"), ("", "mcp_*"), ("", "mcp_a_*"), ("a", "*"), ("a", "search")] {
            assert_eq!(verdict(&GeminiPolicy, &deny(server, tool), TOOLS, "a/search"), "deny", "{tool}");
        }
        assert_eq!(verdict(&GeminiPolicy, &deny("my_server", "*"), TOOLS, "my_server/search"), "deny");
    }

    #[test]
    fn the_beginning_of_a_tools_name_is_read_as_a_key() {
        let tools = &["a/get_x", "a_get/y"];
        assert_eq!(verdict(&GeminiPolicy, &deny("a", "get_*"), tools, "a/get_x"), "default");
        assert_eq!(verdict(&GeminiPolicy, &deny("a", "get_*"), tools, "a_get/y"), "deny");
    }

    #[test]
    fn other_stars_are_literal() {
        for (server, tool) in
            [("", "mcp_*_search"), ("", "mcp_a_s*"), ("*", "search"), ("a", "sea*"), ("", "a_*"), ("", "a__*")]
        {
            let rules = deny(server, tool);
            assert_eq!(verdict(&GeminiPolicy, &rules, TOOLS, "a/search"), "default", "{server} {tool}");
            assert!(matches!(reaches(&GeminiPolicy, &rules, TOOLS)[0], Reach::Never(_)), "{tool}");
        }
    }

    #[test]
    fn a_key_that_is_sanitised_makes_its_rules_miss() {
        for tool in ["search", "*"] {
            let rules = deny("my server", tool);
            assert_eq!(verdict(&GeminiPolicy, &rules, TOOLS, "my server/search"), "default");
            assert_eq!(verdict(&GeminiPolicy, &rules, TOOLS, "my_server/search"), "default");
        }
    }

    #[test]
    fn an_exact_text_fits_any_identity_that_flattens_to_it() {
        let tools = &["a/b_c", "a_b/c"];
        assert_eq!(verdict(&GeminiPolicy, &deny("a", "b_c"), tools, "a_b/c"), "deny");
        // A name without mcpName is a built-in tool's; where an MCP tool is called so, that is worth a word.
        assert_eq!(verdict(&GeminiPolicy, &deny("", "search"), TOOLS, "a/search"), "default");
        assert!(matches!(reaches(&GeminiPolicy, &deny("", "search"), TOOLS)[0], Reach::Never(_)));
    }

    #[test]
    fn the_highest_priority_counts_and_then_the_order() {
        let rule = |decision, priority| {
            format!(r#"{{"mcpName": "a", "toolName": "search", "decision": "{decision}", "priority": {priority}}}"#)
        };
        for (first, second, verdict_) in [
            (("deny", 1), ("allow", 2), "allow"),
            (("allow", 5), ("deny", 5), "allow"),
            (("ask_user", 7), ("allow", 2), "ask"),
        ] {
            let rules = format!(r#"{{"rule": [{}, {}]}}"#, rule(first.0, first.1), rule(second.0, second.1));
            assert_eq!(verdict(&GeminiPolicy, &rules, TOOLS, "a/search"), verdict_);
        }
    }

    #[test]
    fn a_list_of_names_is_several_entries_and_conditions_are_not_judged() {
        let rules = r#"{"rule": [{"mcpName": "a", "toolName": ["x", "search"], "decision": "deny", "priority": 1}]}"#;
        assert_eq!(verdict(&GeminiPolicy, rules, TOOLS, "a/search"), "deny");
        let rules = r#"{"rule": [{"mcpName": "a", "toolName": "search", "decision": "deny", "priority": 1, "argsPattern": "x"}]}"#;
        assert_eq!(verdict(&GeminiPolicy, rules, TOOLS, "a/search"), "default");
        assert!(matches!(reaches(&GeminiPolicy, rules, TOOLS)[0], Reach::Unknown(_)));
    }
}
