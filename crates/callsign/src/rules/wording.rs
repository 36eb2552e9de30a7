//! What decisions and explanations say, in words. Texts come from outside: they are escaped.

use std::fmt;

use super::decide::Verdict;
use super::explain::{Answer, Claimant, Why};
use super::policy::{Decision, Policy};
use super::rule::{Effect, Rule};

/// How many claimants are named before the rest are counted.
const NAMED: usize = 5;

impl fmt::Display for Claimant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(key) => write!(f, "server `{}`", key.escape_debug()),
            Self::Tool { server, tool } => {
                let (server, tool) = (server.escape_debug(), tool.escape_debug());
                write!(f, "tool `{tool}` of server `{server}`")
            }
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never(never) => return never.fmt(f),
            Self::Unreadable => "it can't be read",
            Self::Other => "it names something else",
            Self::Case => "it differs in case, and case counts",
            Self::CutSpelling => "it is a name that was cut, and several tools may be cut so",
            Self::MissingHash => "the hash that ends the tool's name is missing",
            Self::RunsIntoSeparator => {
                "it runs on into the `_` behind the server key, where names of other servers begin so too"
            }
        })
    }
}

impl Answer {
    /// What the rule says of the call, as a clause after its text: "denies the tool", "does not match: it names something
    /// else".
    #[must_use]
    pub fn clause(&self, rule: &Rule) -> String {
        let effect = rule.effect();
        match self {
            Self::Matches => does(effect, "the tool"),
            Self::No(why) => format!("does not match: {why}"),
            Self::Ambiguous(claimants) => {
                let claimants = listed(claimants);
                format!("does not allow the tool: it could also be meant for {claimants}")
            }
            Self::FailsClosed => {
                let all = does(effect, "everything it may have been meant for");
                match rule.pattern() {
                    Err(unreadable) => format!("can't be read ({unreadable}), so it {all}"),
                    Ok(_) => format!("can't be read, so it {all}"),
                }
            }
        }
    }
}

fn does(effect: Effect, what: &str) -> String {
    match effect {
        Effect::Allow => format!("allows {what}"),
        Effect::Ask => format!("asks before {what} is called"),
        Effect::Deny => format!("denies {what}"),
    }
}

fn listed(claimants: &[Claimant]) -> String {
    let mut words: Vec<String> = claimants.iter().take(NAMED).map(ToString::to_string).collect();
    if let more @ 1.. = claimants.len().saturating_sub(NAMED) {
        words.push(format!("{more} more"));
    }
    match words.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        words => words.concat(),
    }
}

impl Decision {
    /// The decision as a sentence without its end: "denied by `mcp__mail` (a.json:3:9)".
    #[must_use]
    pub fn sentence(&self, policy: &Policy) -> String {
        let done = match self.verdict {
            Verdict::Disabled => return "disabled, so no rule is asked".to_owned(),
            Verdict::Default => return "no rule decides".to_owned(),
            Verdict::Deny => "denied",
            Verdict::Ask => "a person is asked, as wanted",
            Verdict::Allow => "allowed",
        };
        match self.by.and_then(|by| policy.rules().get(by)) {
            Some(rule) => format!("{done} by {}", named(rule)),
            None => done.to_owned(),
        }
    }
}

/// A rule's text in back quotes, and its place.
fn named(rule: &Rule) -> String {
    let text = rule.text().escape_debug();
    match rule.place() {
        Some(place) => format!("`{text}` ({place})"),
        None => format!("`{text}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Disabled, Place, Pool};

    fn pool() -> Pool {
        Pool::of([("foo:bar", "x"), ("foo_bar", "y"), ("mail", "send")])
    }

    fn clause(rule: &Rule, call: (&str, &str)) -> String {
        let policy = Policy::compile(vec![rule.clone()]);
        policy.explain(&pool(), call).answers[0].clause(rule)
    }

    #[test]
    fn each_answer_is_worded_with_what_it_is_about() {
        let rule = |effect, text| Rule::strict(effect, text);
        let mail = ("mail", "send");
        assert_eq!(clause(&rule(Effect::Deny, "mcp__mail"), mail), "denies the tool");
        assert_eq!(clause(&rule(Effect::Ask, "mcp__mail"), mail), "asks before the tool is called");
        assert_eq!(clause(&rule(Effect::Allow, "mcp__mail"), mail), "allows the tool");
        assert_eq!(
            clause(&rule(Effect::Allow, "mcp__post"), mail),
            "does not match: it names something else"
        );
        assert_eq!(
            clause(&rule(Effect::Allow, "mcp__foo_bar"), ("foo:bar", "x")),
            "does not allow the tool: it could also be meant for server `foo_bar`"
        );
        assert_eq!(
            clause(&rule(Effect::Deny, "mcp__mail(x"), mail),
            "can't be read (a `(` has no `)` at the end of the entry), so it denies everything it may have been meant for"
        );
    }

    #[test]
    fn many_claimants_are_counted_and_all_are_escaped() {
        let server = |at: usize| Claimant::Server(format!("s{at}\n"));
        let all: Vec<Claimant> = (0..7).map(server).collect();
        assert_eq!(listed(&all[..1]), "server `s0\\n`");
        assert_eq!(listed(&all[..2]), "server `s0\\n` and server `s1\\n`");
        assert!(listed(&all).ends_with("server `s4\\n` and 2 more"), "{}", listed(&all));
        let tool = Claimant::Tool { server: "a".into(), tool: "b\u{202e}".into() };
        assert_eq!(tool.to_string(), "tool `b\\u{202e}` of server `a`");
    }

    #[test]
    fn a_decision_names_its_rule_and_its_place() {
        let place = Place { file: "a.json".into(), line: 3, column: 9 };
        let policy = Policy::compile(vec![
            Rule::strict(Effect::Deny, "mcp__mail").at(place),
            Rule::strict(Effect::Ask, "mcp__foo_bar"),
        ]);
        let said = |pool: &Pool, call| policy.decide(pool, call).sentence(&policy);
        assert_eq!(said(&pool(), ("mail", "send")), "denied by `mcp__mail` (a.json:3:9)");
        assert_eq!(
            said(&pool(), ("foo_bar", "y")),
            "a person is asked, as wanted by `mcp__foo_bar`"
        );
        assert_eq!(said(&pool(), ("other", "y")), "no rule decides");
        let off = Pool::without([("mail", "send")], Disabled::of(["mcp__mail__send"]));
        assert_eq!(said(&off, ("mail", "send")), "disabled, so no rule is asked");
    }
}
