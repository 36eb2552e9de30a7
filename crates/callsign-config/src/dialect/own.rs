//! callsign's own rules: `[rules]` in `callsign.toml`.
//!
//! Evidence: this crate; [`RuleSettings`](crate::RuleSettings) reads them and [`callsign::rules`] decides.
//!
//! - An entry is a table of server key and wire name, so nothing is split; `*` at the end of a field stands for any rest,
//!   and without `tool` it is the whole server. Or it is a text in one of the spellings that tools go by.
//! - Deny, then ask, then allow, then `default`. A grant that could be meant for another tool grants nothing.
//! - An entry that can't be read is no error of the file: one that denies or asks covers what it may have been meant for.

use callsign::rules::{Effect as Own, Part, Policy};
use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, RuleList, Rules, Switch, Verdict};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::place::Span;
use crate::rule_settings::{self, DisabledTool, RuleSettings};

#[derive(Debug)]
pub(crate) struct Callsign;

static PROFILE: Profile = Profile {
    id: "callsign",
    host: "callsign",
    acts: Acts::OnCalls,
    project_files: &["callsign.toml"],
    user_files: &[],
    compared: Fact::Established("server key and wire name as two fields, or a name in one of a tool's spellings"),
    wildcards: Fact::Established("* at the end of a field or of a name"),
    precedence: Fact::Established("deny, then ask, then allow, then default"),
    empty: Fact::Established("no rules"),
    unknown_entry: Fact::Established(
        "a key that is not known is an error; an entry that can't be read covers what it may have been meant for if it restricts",
    ),
    evidence: &["callsign-config README.md, callsign::rules"],
};

const TABLE: &str = "rules";

impl Dialect for Callsign {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::QwenCode
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        if let Some(table) = source.table(&[TABLE]) {
            let settings = rule_settings::read(source.document, table)?;
            take(&mut reader, &settings);
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if let Some(entry) = rules.first(&[Effect::Hide], call) {
            return Decision::by(Verdict::Deny, entry, "the tool is disabled, so no rule is asked");
        }
        let decision = rules.by_identity(call);
        let default = match rules.switch("default") {
            Some("allow") => Verdict::Allow,
            Some("ask") => Verdict::Ask,
            Some("deny") => Verdict::Deny,
            _ => return decision,
        };
        match decision.verdict {
            Verdict::Default => Decision { verdict: default, ..decision },
            _ => decision,
        }
    }

    /// Two fields, as they are written in the file.
    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let literal = |text: &str| !text.contains('*');
        (literal(tool.server()) && literal(tool.wire())).then(|| {
            format!("{{ server = {}, tool = {} }}", quoted(tool.server()), quoted(tool.wire()))
        })
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        let Some(rules) = found.0.get(TABLE) else { return false };
        Own::ALL.iter().any(|effect| rules.get(effect.as_str()).is_some())
    }
}

fn take(reader: &mut Reader<'_>, settings: &RuleSettings) {
    let list = |effect, span: Span| RuleList { name: String::new(), effect, server: None, span, ignored: false };
    let lists: Vec<_> =
        settings.lists.iter().map(|(effect, span)| list(effect_of(*effect), *span)).collect();
    let disabled = settings.disabled_list.map(|span| list(Effect::Hide, span));
    reader.rules.lists = lists;
    for placed in &settings.rules {
        let of_list = |list: &(Own, Span)| list.0 == placed.rule.effect();
        let list = settings.lists.iter().position(of_list).unwrap_or(0);
        reader.rules.entries.push(RuleEntry {
            list,
            effect: effect_of(placed.rule.effect()),
            text: placed.rule.text().to_owned(),
            span: placed.span,
            rank: 0,
            pattern: Pattern::Judged(Box::new(Policy::compile(vec![placed.rule.clone()]))),
        });
    }
    if let Some(disabled) = disabled {
        reader.rules.lists.push(disabled);
        take_disabled(reader, settings);
    }
    if let Some(default) = &settings.default {
        let (value, span) = (default.value.as_str().to_owned(), default.place.span);
        reader.rules.switches.push(Switch { name: "default".into(), value, span });
    }
}

fn take_disabled(reader: &mut Reader<'_>, settings: &RuleSettings) {
    let list = reader.rules.lists.len() - 1;
    for entry in &settings.disabled {
        let (text, pattern) = match &entry.value {
            DisabledTool::Name(name) => {
                (name.clone(), Pattern::Off(callsign::rules::Disabled::of([name.as_str()])))
            }
            DisabledTool::Identity(id) => {
                let text = format!("{} / {}", written(&id.server), written(&id.tool));
                (text, Pattern::Identity(Box::new(id.clone())))
            }
        };
        reader.entry(list, &text, entry.place.span, pattern);
    }
}

/// A field with its wildcard.
fn written(part: &Part) -> String {
    match part {
        Part::Exact(text) => text.to_string(),
        Part::Prefix(text) => format!("{text}*"),
    }
}

fn effect_of(effect: Own) -> Effect {
    match effect {
        Own::Allow => Effect::Allow,
        Own::Ask => Effect::Ask,
        Own::Deny => Effect::Deny,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::super::{Reach, parse};
    use super::*;

    const TOOLS: &[&str] = &["github/delete_repo", "github/get", "a__b/c", "a/b__c"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Callsign, rules, TOOLS, call)
    }

    #[test]
    fn two_fields_split_nothing() {
        let rules = r#"{"deny": [{"server": "a", "tool": "b__c"}]}"#;
        assert_eq!(decided(rules, "a/b__c"), "deny");
        assert_eq!(decided(rules, "a__b/c"), "default");
        let rules = r#"{"allow": [{"server": "github"}], "ask": [{"server": "github", "tool": "delete_*"}]}"#;
        assert_eq!(decided(rules, "github/delete_repo"), "ask");
        assert_eq!(decided(rules, "github/get"), "allow");
        assert_eq!(decided(r#"{"deny": [{"server": "*", "tool": "get"}]}"#, "github/get"), "deny");
    }

    #[test]
    fn spelled_texts_are_judged_by_identity() {
        let rules = r#"{"allow": ["mcp__a__b__c"]}"#;
        assert_eq!(decided(rules, "a/b__c"), "default", "another identity has the same name");
        assert!(matches!(reaches(&Callsign, rules, &["a/b__c", "a__b/c"])[0], Reach::Ambiguous(_)));
        assert_eq!(decided(r#"{"deny": ["mcp__a__b__c"]}"#, "a/b__c"), "deny");
    }

    #[test]
    fn default_and_disabled() {
        assert_eq!(decided(r#"{"default": "deny", "allow": [{"server": "github"}]}"#, "a/b__c"), "deny");
        assert_eq!(decided(r#"{"default": "ask"}"#, "github/get"), "ask");
        let rules = r#"{"allow": [{"server": "*"}], "disabled": [{"server": "github"}, "mcp__a__b__c"]}"#;
        assert_eq!(decided(rules, "github/get"), "deny");
        assert_eq!(decided(rules, "a/b__c"), "deny");
        // Whoever shares the whole name is off too.
        assert_eq!(decided(rules, "a__b/c"), "deny");
    }

    #[test]
    fn a_disabled_tool_makes_no_grant_ambiguous() {
        let rules = r#"{"allow": ["mcp__a__b__c"], "disabled": [{"server": "a__*"}]}"#;
        assert_eq!(decided(rules, "a/b__c"), "allow");
        assert_eq!(decided(rules, "a__b/c"), "deny");
        assert_eq!(reaches(&Callsign, rules, &["a/b__c", "a__b/c"])[0], Reach::Matches);
        let rules = super::super::of_value(&Callsign, rules).unwrap();
        assert_eq!(rules.entries[1].text, "a__* / *", "the wildcards are shown");
        // What was told of one fleet is not what holds for another.
        let id = |server, wire| callsign::ToolId::parse(server, wire).unwrap();
        let with_others = Fleet::new([id("a", "b__c"), id("x", "y")]);
        let alone = Fleet::new([id("a", "b__c")]);
        for fleet in [&with_others, &alone, &with_others] {
            let call = fleet.tools().next().unwrap();
            assert_eq!(rules.decide(fleet, call).verdict, Verdict::Allow);
            assert_eq!(rules.pool(fleet).len(), fleet.len());
        }
    }

    #[test]
    fn what_is_no_whole_name_cannot_be_disabled() {
        for name in [" mcp__mail__read", "mcp__mail__read ", "mcp__mail", "mcp__mail__", "mcp____read", "read", "mcp__", "mcp__mail__*", "mcp__mail__read(x)"] {
            let rules = format!(r#"{{"disabled": ["{name}"]}}"#);
            let error = super::super::of_value(&Callsign, &rules).unwrap_err();
            assert!(error.to_string().contains("whole"), "{name}: {error}");
        }
        let cut = format!("mcp__{}_0pdctjb", "k".repeat(50));
        for name in ["mcp__mail__read", "mcp__a__b__c", "mcp___a__b", "mcp__foo.bar__x", &cut] {
            let rules = format!(r#"{{"disabled": ["{name}"]}}"#);
            assert!(super::super::of_value(&Callsign, &rules).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_star_inside_of_a_name_fails_closed() {
        assert_eq!(decided(r#"{"deny": ["mcp__*__get"]}"#, "github/get"), "deny");
        assert_eq!(decided(r#"{"allow": ["mcp__*__get"]}"#, "github/get"), "default");
        let rules = super::super::of_value(&Callsign, r#"{"deny": ["mcp__*__get"]}"#).unwrap();
        let unreadable = rules.entries[0].unreadable().unwrap();
        assert!(unreadable.to_string().contains("last character of the name"), "{unreadable}");
    }

    #[test]
    fn what_cannot_be_read_restricts_and_never_grants() {
        for (entry, covered, spared) in [
            (r#""mcp__github(x""#, "github/get", Some("a/b__c")),
            (r#"{"server": "github", "tool": 5}"#, "github/get", Some("a/b__c")),
            (r#"{"server": "github", "tool": "*_repo"}"#, "github/get", Some("a/b__c")),
            (r#"{"tool": "get"}"#, "github/get", Some("github/delete_repo")),
            ("7", "a/b__c", None),
            (r#""  ""#, "a/b__c", None),
            ("{}", "a/b__c", None),
        ] {
            assert_eq!(decided(&format!(r#"{{"deny": [{entry}]}}"#), covered), "deny", "{entry}");
            assert_eq!(decided(&format!(r#"{{"ask": [{entry}]}}"#), covered), "ask", "{entry}");
            assert_eq!(decided(&format!(r#"{{"allow": [{entry}]}}"#), covered), "default", "{entry}");
            if let Some(spared) = spared {
                assert_eq!(decided(&format!(r#"{{"deny": [{entry}]}}"#), spared), "default", "{entry}");
            }
        }
        let rules = super::super::of_value(&Callsign, r#"{"deny": [7]}"#).unwrap();
        assert!(rules.entries[0].unreadable().is_some());
    }

    #[test]
    fn arrays_of_tables_have_their_places() {
        let text = "[[rules.deny]]\nserver = \"github\"\ntool = \"delete_*\"\n\n[[rules.deny]]\nserver = \"a\"\n";
        let file = parse("callsign.toml".as_ref(), text.as_bytes(), None).unwrap();
        let rules = &file.sets[0];
        let texts: Vec<_> = rules.entries.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(texts, ["github / delete_*", "a / *"]);
        assert_eq!(file.place(rules.entries[1].span).line, 5);
        assert_eq!(rules.lists[0].name, "rules.deny");
    }
}
