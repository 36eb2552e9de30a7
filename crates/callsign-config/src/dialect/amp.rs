//! Amp: `amp.tools.disable` and `amp.permissions` in its settings.
//!
//! Evidence: the Amp manual, ampcode.com/manual (2026 edition), and its page of settings. The product is closed source.
//!
//! - `amp.tools.disable` holds names of tools, `*` for any run of characters; `builtin:{name}` is the built-in tool alone.
//!   Whether names of MCP tools carry their server there is not documented, so what depends on it is unknown.
//! - `amp.permissions` holds entries with an action: allow, reject, ask, delegate. That the first match counts is said by
//!   third parties only, so its entries are unknown.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::keys::at;
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct Amp;

static PROFILE: Profile = Profile {
    id: "amp",
    host: "Amp",
    acts: Acts::OnBoth,
    project_files: &[".amp/settings.json", ".vscode/settings.json"],
    user_files: &[".config/amp/settings.json"],
    compared: Fact::Unknown("whether the name of an MCP tool carries its server"),
    wildcards: Fact::Established("* for any run of characters in amp.tools.disable"),
    precedence: Fact::Established(
        "amp.tools.disable only takes away; a managed file overrides user and workspace",
    ),
    empty: Fact::Established("nothing is disabled"),
    unknown_entry: Fact::Unknown("what happens to a name that no tool has"),
    evidence: &["ampcode.com/manual (2026)"],
};

const BUILT_IN: &str = "builtin:";

const ACTIONS: [(&str, Effect); 3] =
    [("allow", Effect::Allow), ("reject", Effect::Deny), ("ask", Effect::Ask)];

impl Dialect for Amp {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Raw
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let setting =
            |key: &str, path: &[&str]| source.root().get(key).or_else(|| at(source, path));
        if let Some(list) = setting("amp.tools.disable", &["amp", "tools", "disable"]) {
            reader.texts_of(list, Effect::Hide, 0, disabled)?;
        }
        if let Some(list) = setting("amp.permissions", &["amp", "permissions"]) {
            permissions(&mut reader, list)?;
        }
        Ok(reader.rules)
    }

    /// By both spellings that a name might have; only where they agree is there an answer.
    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let raw = entry.pattern.reach(tool, HostSpelling::Raw);
        match entry.pattern.reach(tool, HostSpelling::Bare) {
            bare if bare == raw => bare,
            _ => Reach::Unknown(
                "whether the name of an MCP tool carries its server is not documented".into(),
            ),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&[Effect::Hide], call)
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }
}

fn disabled(text: &str) -> Pattern {
    match text.starts_with(BUILT_IN) {
        true => Pattern::Foreign,
        false => Pattern::Glob(Glob::new(text, Wild::Star)),
    }
}

fn permissions(reader: &mut Reader<'_>, node: &Node<'_>) -> Result<(), ConfigError> {
    const UNKNOWN: &str =
        "which of several entries counts, and how a tool is named, is not documented";
    let list = reader.open(node, Effect::Ask, None);
    for rule in reader.document.list(node)? {
        let text = |key: &str| match rule.get(key).map(|node| &node.value) {
            Some(Value::Text(text)) => text.to_string(),
            _ => String::new(),
        };
        reader.entry(list, &text("tool"), rule.span, Pattern::Unknown(UNKNOWN.into()));
        let action = text("action");
        let effect = ACTIONS.iter().find(|(word, _)| *word == action).map(|(_, effect)| *effect);
        if let Some(entry) = reader.rules.entries.last_mut() {
            entry.effect = effect.unwrap_or(Effect::Ask);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fleet, reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue"];

    #[test]
    fn only_what_both_spellings_agree_on_is_disabled() {
        for (entry, decided) in [
            ("*", "deny"),
            ("*get_issue", "deny"),
            ("get_issue", "default"),
            ("mcp__github__*", "default"),
            ("builtin:get_issue", "default"),
            ("other", "default"),
        ] {
            for key in ["amp.tools.disable", "tools.disable"] {
                let rules = format!(r#"{{"{key}": ["{entry}"]}}"#);
                assert_eq!(verdict(&Amp, &rules, TOOLS, "github/get_issue"), decided, "{entry}");
            }
        }
        let reached =
            reaches(&Amp, r#"{"amp.tools.disable": ["get_issue", "other", "builtin:x"]}"#, TOOLS);
        assert!(matches!(reached[..], [Reach::Unknown(_), Reach::No, Reach::No]), "{reached:?}");
    }

    #[test]
    fn permissions_are_unknown() {
        let rules = r#"{"amp.permissions": [{"tool": "*", "action": "reject"}]}"#;
        assert_eq!(verdict(&Amp, rules, TOOLS, "github/get_issue"), "default");
        assert!(matches!(reaches(&Amp, rules, TOOLS)[0], Reach::Unknown(_)));
        assert_eq!(Amp.spelling(fleet(TOOLS).tools().next().unwrap()), None);
    }
}
