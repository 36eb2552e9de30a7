//! agentgateway: `mcpAuthorization.rules`.
//!
//! Evidence: agentgateway/agentgateway 75b4e6c (2026-08-21), `crates/agentgateway/src/http/authorization.rs`,
//! `crates/agentgateway/src/mcp/rbac.rs`.
//!
//! - A rule is an expression in the Common Expression Language: alone or under `allow` it allows, under `deny` it denies,
//!   under `require` it must be true. `mcp.tool.name` is the wire name, `mcp.tool.target` the server.
//! - Any deny refuses; then any require that is not true; then any allow passes; else everything passes if there are no
//!   allow rules. So no rules at all let everything pass.
//! - What fails when it is evaluated counts as false: an allow and a require fail closed, a *deny fails open*. What does not
//!   compile is an error in the configuration.
//! - A rule for `mcp.tool.name` alone covers that name on every server.
//!
//! What depends on the request (`jwt` and others) is unknown here.

use callsign::scheme::HostSpelling;

use super::cel::Condition;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct AgentGateway;

static PROFILE: Profile = Profile {
    id: "agentgateway",
    host: "agentgateway",
    acts: Acts::OnCalls,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established(
        "what the expression names: the wire name, the server, the request",
    ),
    wildcards: Fact::Established(
        "those of the Common Expression Language: startsWith, endsWith, contains, matches, in",
    ),
    precedence: Fact::Established("any deny, then any require that is not true, then any allow"),
    empty: Fact::Established("everything passes"),
    unknown_entry: Fact::Established(
        "what does not compile is refused; what fails at a call counts as false, so a deny fails open",
    ),
    evidence: &[
        "agentgateway/agentgateway 75b4e6c crates/agentgateway/src/http/authorization.rs (2026-08-21)",
        "agentgateway/agentgateway 75b4e6c crates/agentgateway/src/mcp/rbac.rs (2026-08-21)",
    ],
};

const POLICY: &str = "mcpAuthorization";

/// A require denies what it is not true for.
const KINDS: [(&str, Effect, bool); 3] = [
    ("allow", Effect::Allow, false),
    ("deny", Effect::Deny, false),
    ("require", Effect::Deny, true),
];

impl Dialect for AgentGateway {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let mut policies = Vec::new();
        policies_below(source.root(), &mut policies);
        if policies.is_empty() && !source.whole_file {
            policies.push(source.root());
        }
        for policy in policies {
            let Some(rules) = policy.get("rules") else { continue };
            let list = reader.open(rules, Effect::Allow, None);
            for rule in reader.document.list(rules)? {
                read_rule(&mut reader, list, rule)?;
            }
        }
        Ok(reader.rules)
    }

    /// Which of several policies a call meets depends on its route: where they differ, nothing is decided.
    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let mut decisions = (0..rules.lists.len()).map(|list| of_policy(rules, list, call));
        let Some(first) = decisions.next() else { return Decision::default() };
        match decisions.all(|other| other.verdict == first.verdict) {
            true => first,
            false => Decision::new(Verdict::Default, "the policies of several routes differ"),
        }
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        let mut policies = Vec::new();
        policies_below(found.0, &mut policies);
        !policies.is_empty()
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }
}

/// Policies stand at routes, backends and targets. A file's tree is never deeper than is read.
fn policies_below<'d>(node: &'d Node<'d>, found: &mut Vec<&'d Node<'d>>) {
    match &node.value {
        Value::Map(entries) => {
            for entry in entries {
                match entry.key == POLICY {
                    true => found.push(&entry.node),
                    false => policies_below(&entry.node, found),
                }
            }
        }
        Value::List(items) => items.iter().for_each(|item| policies_below(item, found)),
        _ => {}
    }
}

fn read_rule(reader: &mut Reader<'_>, list: usize, rule: &Node<'_>) -> Result<(), ConfigError> {
    let document = reader.document;
    let (node, effect, negated) = match &rule.value {
        Value::Text(_) => (rule, Effect::Allow, false),
        _ => {
            let kind = KINDS
                .iter()
                .find_map(|(key, effect, negated)| Some((rule.get(key)?, *effect, *negated)));
            kind.ok_or_else(|| {
                document
                    .wrong_type(rule, "an expression, or one under `allow`, `deny` or `require`")
            })?
        }
    };
    let text = document.string(node)?;
    let pattern = match Condition::new(text) {
        Ok(condition) if negated => Pattern::Condition(condition.negated()),
        Ok(condition) => Pattern::Condition(condition),
        Err(_) => {
            reader.drop_all(
                "an expression does not compile, and the configuration is refused",
                node.span,
            );
            Pattern::never("it does not compile, and the configuration is refused")
        }
    };
    reader.entry(list, text, node.span, pattern);
    if let Some(entry) = reader.rules.entries.last_mut() {
        entry.effect = effect;
    }
    Ok(())
}

fn of_policy(rules: &Rules, list: usize, call: Tool<'_>) -> Decision {
    let of = |effect: Effect| {
        let entries = rules.entries.iter().enumerate();
        entries.filter(move |(_, entry): &(usize, &RuleEntry)| {
            entry.list == list && entry.effect == effect
        })
    };
    let reached = |effect: Effect, wanted: fn(&Reach) -> bool| {
        of(effect).find(|(_, entry)| wanted(&rules.reach(entry, call))).map(|(index, _)| index)
    };
    let matches = |reach: &Reach| *reach == Reach::Matches;
    let unknown = |reach: &Reach| matches!(reach, Reach::Unknown(_));
    const OPEN: &str = "it depends on more than the tool's name";
    if let Some(index) = reached(Effect::Deny, matches) {
        return Decision::by(
            Verdict::Deny,
            index,
            "a deny that is true, or a require that is not, refuses",
        );
    }
    if let Some(index) = reached(Effect::Deny, unknown) {
        return Decision::by(Verdict::Default, index, OPEN);
    }
    if let Some(index) = reached(Effect::Allow, matches) {
        return Decision::by(Verdict::Allow, index, "an allow that is true lets it pass");
    }
    if let Some(index) = reached(Effect::Allow, unknown) {
        return Decision::by(Verdict::Default, index, OPEN);
    }
    match of(Effect::Allow).next() {
        Some(_) => Decision::new(Verdict::Deny, "there are allow rules, and none is true"),
        None => Decision::new(
            Verdict::Allow,
            "without allow rules everything passes that is not refused",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::super::{of_value, parse};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/get_issue"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&AgentGateway, &format!(r#"{{"rules": [{rules}]}}"#), TOOLS, call)
    }

    const NAME: &str = r#""mcp.tool.name == \"get_issue\"""#;
    const TARGET: &str = r#""mcp.tool.target == \"github\"""#;

    #[test]
    fn allow_rules_close_what_they_do_not_name() {
        assert_eq!(decided(NAME, "github/get_issue"), "allow");
        assert_eq!(decided(NAME, "docs/get_issue"), "allow", "on every server");
        assert_eq!(decided(&format!(r#"{{"allow": {NAME}}}"#), "github/create_issue"), "deny");
        assert_eq!(decided("", "github/create_issue"), "allow");
        assert_eq!(decided(&format!(r#"{{"deny": {NAME}}}"#), "github/create_issue"), "allow");
    }

    #[test]
    fn deny_then_require_then_allow() {
        let deny = format!(r#"{NAME}, {{"deny": {TARGET}}}"#);
        assert_eq!(decided(&deny, "github/get_issue"), "deny");
        assert_eq!(decided(&deny, "docs/get_issue"), "allow");
        let require = format!(r#"{NAME}, {{"require": {TARGET}}}"#);
        assert_eq!(decided(&require, "docs/get_issue"), "deny");
        assert_eq!(decided(&require, "github/get_issue"), "allow");
        assert_eq!(decided(&format!(r#"{{"require": {TARGET}}}"#), "github/create_issue"), "allow");
    }

    #[test]
    fn what_fails_counts_as_false() {
        let fails = r#""mcp.prompt.name == \"get_issue\"""#;
        assert_eq!(
            decided(&format!(r#"{{"deny": {fails}}}"#), "github/get_issue"),
            "allow",
            "a deny fails open"
        );
        assert_eq!(decided(&format!(r#"{{"require": {fails}}}"#), "github/get_issue"), "deny");
        assert_eq!(decided(fails, "github/get_issue"), "deny");
    }

    #[test]
    fn what_the_request_decides_is_unknown() {
        let jwt = r#""jwt.sub == \"me\"""#;
        assert_eq!(decided(jwt, "github/get_issue"), "default");
        assert_eq!(
            decided(&format!(r#"{{"deny": {jwt}}}, {NAME}"#), "github/get_issue"),
            "default"
        );
        assert_eq!(
            decided(&format!(r#"{{"deny": {jwt}}}, {{"deny": {NAME}}}"#), "github/get_issue"),
            "deny"
        );
        assert_eq!(decided(&format!("{jwt}, {NAME}"), "github/get_issue"), "allow");
        assert!(matches!(
            reaches(&AgentGateway, &format!(r#"{{"rules": [{jwt}]}}"#), TOOLS)[0],
            Reach::Unknown(_)
        ));
    }

    #[test]
    fn what_does_not_compile_refuses_the_configuration() {
        let rules =
            of_value(&AgentGateway, r#"{"rules": [{"deny": "mcp.tool.name =="}]}"#).unwrap();
        assert!(rules.dropped.is_some());
        assert!(of_value(&AgentGateway, r#"{"rules": [{"forbid": "true"}]}"#).is_err());
    }

    #[test]
    fn policies_are_found_in_a_file_and_must_agree() {
        let file = |other: &str| {
            format!(
                r#"{{"binds": [{{"routes": [{{"policies": {{"mcpAuthorization": {{"rules": [{NAME}]}}}}}},
                {{"policies": {{"mcpAuthorization": {{"rules": [{other}]}}}}}}]}}]}}"#
            )
        };
        let found = parse("config.json".as_ref(), file(NAME).as_bytes(), None).unwrap();
        assert_eq!(found.sets[0].dialect.profile().id, "agentgateway");
        assert_eq!(verdict(&AgentGateway, &file(NAME), TOOLS, "github/create_issue"), "deny");
        assert_eq!(verdict(&AgentGateway, &file(""), TOOLS, "github/create_issue"), "default");
    }
}
