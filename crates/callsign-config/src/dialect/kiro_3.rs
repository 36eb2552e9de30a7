//! Kiro, the editor 1.x and the CLI 3: `permissions.yaml`.
//!
//! Evidence: documentation kiro.dev/docs/cli/v3/permissions (2026).
//!
//! - A rule has a capability, `match`, `exclude` and an effect. For MCP the capability is `mcp` and what is matched is
//!   `{server}/{tool}`; without `match` it covers everything.
//! - Deny, then ask, then allow, over the rules of all scopes together.
//! - That the patterns are globs is documented, whether `*` stops at `/` is not: an entry for which that matters is unknown.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules};
use super::source::{Reader, Source};
use super::wild_regex::{Family, pattern as wild};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct Kiro3;

static PROFILE: Profile = Profile {
    id: "kiro-3",
    host: "Kiro",
    acts: Acts::OnCalls,
    project_files: &[".kiro/settings/permissions.yaml"],
    user_files: &[".kiro/settings/permissions.yaml"],
    compared: Fact::Established("SERVER/TOOL"),
    wildcards: Fact::Established(
        "globs; whether * stops at / is not documented, and where it matters an entry is unknown",
    ),
    precedence: Fact::Established("deny, then ask, then allow, over all scopes"),
    empty: Fact::Established("no rules; a rule without match covers every tool"),
    unknown_entry: Fact::Unknown("what happens to an entry that names nothing"),
    evidence: &["kiro.dev/docs/cli/v3/permissions (2026)"],
};

const CLASSES: [(&str, Effect); 3] =
    [("deny", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)];

const DISPUTED: &str = "whether `*` stops at `/` is not documented";

impl Dialect for Kiro3 {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Kiro
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(rules) = source.root().get("rules") else { return Ok(reader.rules) };
        for rule in reader.document.list(rules)? {
            read_rule(&mut reader, rule)?;
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&CLASSES.map(|(_, effect)| effect), call)
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        let rules = found.0.get("rules").map(|rules| &rules.value);
        let Some(crate::tree::Value::List(rules)) = rules else { return false };
        rules.iter().any(|rule| rule.get("capability").is_some() && rule.get("effect").is_some())
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(self.compared());
        let literal = !text.contains(['*', '?']);
        resource(text).proposes(text, tool, self.compared()).filter(|_| literal)
    }
}

fn read_rule(reader: &mut Reader<'_>, rule: &Node<'_>) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(rule)?;
    let text = |key: &str| rule.get(key).map(|node| document.string(node)).transpose();
    let (capability, word) = (text("capability")?, text("effect")?);
    let effect = CLASSES.iter().find(|(class, _)| Some(*class) == word).map(|(_, effect)| *effect);
    let list = reader.open(rule, effect.unwrap_or(Effect::Ask), None);
    let excluded = match rule.get("exclude") {
        Some(excluded) => document.strings(excluded)?,
        None => Vec::new(),
    };
    let covers = |pattern: Pattern| match (capability, effect) {
        (Some("mcp"), Some(_)) if excluded.is_empty() => pattern,
        (Some("mcp"), Some(_)) => {
            let excluded = excluded.iter().map(|text| resource(text)).collect();
            Pattern::Except(Box::new(pattern), excluded)
        }
        (Some("mcp"), None) => Pattern::Unknown("what a rule without a known effect does".into()),
        (Some(_), _) => Pattern::Elsewhere,
        (None, _) => Pattern::Unknown("what a rule without a capability covers".into()),
    };
    let Some(matched) = rule.get("match") else {
        reader.entry(list, "", rule.span, covers(Pattern::All));
        return Ok(());
    };
    for item in document.list(matched)? {
        let text = document.string(item)?;
        reader.entry(list, text, item.span, covers(resource(text)));
    }
    Ok(())
}

/// One pattern, in both readings.
fn resource(text: &str) -> Pattern {
    if !text.contains('/') && !text.contains('*') {
        return Pattern::never("what is matched is SERVER/TOOL, and this has no slash");
    }
    if text.contains(['[', '{', '!']) {
        return Pattern::Unknown(
            "which characters are special besides * and ? is not documented".into(),
        );
    }
    let crossing = Pattern::Glob(Glob::new(text, Wild::StarAndMark));
    Pattern::Disputed(Box::new(crossing), Box::new(wild(text, Family::Path)), DISPUTED)
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Kiro3, &format!(r#"{{"rules": [{rules}]}}"#), TOOLS, call)
    }

    #[test]
    fn deny_ask_allow_whatever_their_order() {
        let allow = r#"{"capability": "mcp", "effect": "allow", "match": ["github/*"]}"#;
        let ask = r#"{"capability": "mcp", "effect": "ask", "match": ["*/create_*"]}"#;
        let deny = r#"{"capability": "mcp", "effect": "deny", "match": ["github/create_issue"]}"#;
        assert_eq!(decided(&format!("{allow}, {ask}"), "github/create_issue"), "ask");
        assert_eq!(decided(&format!("{allow}, {ask}, {deny}"), "github/create_issue"), "deny");
        assert_eq!(decided(&format!("{allow}, {ask}, {deny}"), "github/get_issue"), "allow");
        assert_eq!(decided(&format!("{allow}, {ask}, {deny}"), "docs/search"), "default");
    }

    #[test]
    fn without_match_everything_and_exclude_takes_out() {
        assert_eq!(decided(r#"{"capability": "mcp", "effect": "deny"}"#, "docs/search"), "deny");
        let but = r#"{"capability": "mcp", "effect": "allow", "exclude": ["github/create_*"]}"#;
        assert_eq!(decided(but, "github/create_issue"), "default");
        assert_eq!(decided(but, "github/get_issue"), "allow");
        assert_eq!(
            decided(r#"{"capability": "shell", "effect": "deny"}"#, "docs/search"),
            "default"
        );
    }

    #[test]
    fn whether_a_star_stops_at_the_slash_is_unknown() {
        let rules = |text: &str| {
            format!(
                r#"{{"rules": [{{"capability": "mcp", "effect": "deny", "match": ["{text}"]}}]}}"#
            )
        };
        for text in ["*", "git*", "*issue"] {
            assert!(matches!(reaches(&Kiro3, &rules(text), TOOLS)[0], Reach::Unknown(_)), "{text}");
        }
        for text in ["**", "*/*", "github/**", "github/get_?ssue"] {
            assert_eq!(reaches(&Kiro3, &rules(text), TOOLS)[0], Reach::Matches, "{text}");
        }
        assert_eq!(reaches(&Kiro3, &rules("docs/*"), TOOLS)[0], Reach::No);
        assert!(matches!(reaches(&Kiro3, &rules("github"), TOOLS)[0], Reach::Never(_)));
    }
}
