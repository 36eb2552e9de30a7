use callsign::rules::{
    Answer, Disabled, Effect, Explanation, Policy, Pool, Rule, Verdict, is_blocked,
};
use proptest::prelude::*;

use super::fleets::{cases, pool};
use super::oracle::{self, Grant, Tool};

fn spelled(effect: Effect, texts: &[String]) -> Vec<Rule> {
    texts.iter().filter_map(|text| Rule::spelled(effect, text)).collect()
}

fn written(texts: &[String]) -> Vec<String> {
    texts.iter().filter(|text| !text.trim().is_empty()).cloned().collect()
}

/// What the oracle says of a rule.
fn wanted(effect: Effect, text: &str, me: &Tool, pool: &[Tool]) -> Grant {
    match effect {
        Effect::Allow => oracle::grants(text, me, pool),
        _ if oracle::restricts(text, me) => Grant::Yes,
        _ => Grant::No,
    }
}

fn said(answer: &Answer) -> Grant {
    match answer {
        Answer::No(_) => Grant::No,
        Answer::Matches | Answer::FailsClosed => Grant::Yes,
        Answer::Ambiguous(claimants) => {
            assert!(!claimants.is_empty(), "an ambiguous grant has claimants");
            Grant::Ambiguous
        }
    }
}

fn agrees(policy: &Policy, explained: &Explanation, me: &Tool, pool: &[Tool]) {
    for (rule, answer) in policy.rules().iter().zip(&explained.answers) {
        let wanted = wanted(rule.effect(), rule.text(), me, pool);
        assert_eq!(
            said(answer),
            wanted,
            "{} {:?} for {me:?} in {pool:?}",
            rule.effect(),
            rule.text()
        );
    }
}

/// The first rule that has the verdict's effect and takes effect.
fn first(policy: &Policy, explained: &Explanation) -> Option<usize> {
    let verdict = explained.decision.verdict;
    let takes_effect = |at: &usize| {
        Verdict::from(policy.rules()[*at].effect()) == verdict
            && said(&explained.answers[*at]) == Grant::Yes
    };
    (0..policy.rules().len()).find(takes_effect)
}

proptest! {
    /// Decisions, what each rule says, and the block list, for every tool of the registry and one that is not in it.
    #[test]
    fn the_compiled_policy_is_the_oracle((registry, texts) in cases(24), stranger in cases(2)) {
        let third = texts.len() / 3;
        let (deny, rest) = texts.split_at(third / 2);
        let (ask, allow) = rest.split_at(third / 2);
        let (deny, ask, allow) = (written(deny), written(ask), written(allow));
        let rules = [
            spelled(Effect::Allow, &allow),
            spelled(Effect::Deny, &deny),
            spelled(Effect::Ask, &ask),
        ];
        let policy = Policy::compile(rules.concat());
        let compiled = pool(&registry);
        for me in registry.iter().chain(&stranger.0[..1]) {
            let decision = policy.decide(&compiled, me.call());
            let explained = policy.explain(&compiled, me.call());
            prop_assert_eq!(&decision, &explained.decision);
            agrees(&policy, &explained, me, &registry);
            let wanted = oracle::decide(&deny, &ask, &allow, me, &registry);
            prop_assert_eq!(decision.verdict.as_str(), wanted, "{:?} in {:?}", me, &registry);
            prop_assert_eq!(decision.by, first(&policy, &explained));
            let blocked = deny.iter().any(|text| oracle::restricts(text, me));
            prop_assert_eq!(is_blocked(&spelled(Effect::Allow, &deny), &compiled, me.call()), blocked);
        }
    }

    /// A decision finds the rules that have to do with a tool; an explanation asks every one of them.
    #[test]
    fn no_rule_of_any_kind_is_overlooked(
        (registry, texts) in cases(16),
        kinds in prop::collection::vec((0..3usize, 0..4usize, 0..4usize), 16),
    ) {
        let field = |text: &str, how| match how {
            0 => text.to_owned(),
            1 => text.chars().take(1).collect::<String>() + "*",
            2 => "*".to_owned(),
            _ => text.chars().take(2).collect(),
        };
        let rules = texts.iter().zip(&kinds).enumerate().map(|(at, (text, (kind, server, tool)))| {
            let effect = Effect::ALL[at % 3];
            let near = &registry[at % registry.len()];
            match kind {
                0 => Rule::identity(effect, &field(&near.server, *server), &field(&near.tool, *tool)),
                1 => Rule::strict(effect, text),
                _ => Rule::strict(effect, &format!("{text}(x)")),
            }
        });
        let policy = Policy::compile(rules.collect());
        let compiled = pool(&registry);
        for me in &registry {
            let Explanation { decision, answers } = policy.explain(&compiled, me.call());
            let mut order: Vec<usize> = (0..answers.len()).collect();
            order.sort_by_key(|at| std::cmp::Reverse(policy.rules()[*at].effect()));
            let in_order = || order.iter().copied();
            let takes_effect = |at: &usize| said(&answers[*at]) == Grant::Yes;
            let by = in_order().find(takes_effect);
            prop_assert_eq!(decision.by, by);
            let wanted = by.map_or(Verdict::Default, |at| policy.rules()[at].effect().into());
            prop_assert_eq!(decision.verdict, wanted);
            let closed = in_order().filter(|at| answers[*at] == Answer::FailsClosed);
            prop_assert_eq!(decision.failed_closed, closed.collect::<Vec<_>>());
            let refused = in_order()
                .take_while(|at| Some(*at) != by)
                .filter(|at| matches!(answers[*at], Answer::Ambiguous(_)));
            prop_assert_eq!(decision.ambiguous, refused.collect::<Vec<_>>());
            let bearing = in_order().filter(|at| !matches!(answers[*at], Answer::No(_)));
            let bearing: Vec<_> = bearing.map(|at| (at, answers[at].clone())).collect();
            prop_assert_eq!(policy.bearing_on(&compiled, me.call()), bearing);
        }
    }

    #[test]
    fn a_disabled_tool_is_off_and_no_claimant((registry, texts) in cases(12), split in 0..12usize) {
        let (entries, allow) = texts.split_at(split.min(texts.len()));
        let disabled = || Disabled::of(entries.iter().map(String::as_str));
        let compiled = Pool::without(registry.iter().map(Tool::call), disabled());
        let left: Vec<Tool> =
            registry.iter().filter(|tool| !oracle::is_disabled(entries, tool)).cloned().collect();
        let policy = Policy::compile(spelled(Effect::Allow, allow));
        for me in &registry {
            let is_off = oracle::is_disabled(entries, me);
            prop_assert_eq!(disabled().covers(me.call()), is_off);
            let explained = policy.explain(&compiled, me.call());
            prop_assert_eq!(explained.decision.verdict == Verdict::Disabled, is_off);
            agrees(&policy, &explained, me, &left);
        }
    }

    #[test]
    fn the_order_of_registration_changes_no_decision((registry, texts) in cases(12), turn in 0..8usize) {
        let policy = Policy::compile(spelled(Effect::Allow, &texts));
        let mut turned = registry.clone();
        turned.rotate_left(turn % registry.len());
        turned.reverse();
        for me in &registry {
            prop_assert_eq!(
                policy.explain(&pool(&registry), me.call()),
                policy.explain(&pool(&turned), me.call())
            );
        }
    }

    #[test]
    fn a_restriction_is_never_lost_and_a_grant_never_won_by_another_registration(
        (registry, texts) in cases(12),
        (others, _) in cases(2),
        effect in prop::sample::select(Effect::ALL.to_vec()),
    ) {
        let policy = Policy::compile(spelled(effect, &texts));
        let before = pool(&registry);
        let more: Vec<Tool> = registry.iter().chain(&others).cloned().collect();
        let after = pool(&more);
        for me in &registry {
            let (was, is) = (policy.decide(&before, me.call()), policy.decide(&after, me.call()));
            match effect {
                Effect::Allow => prop_assert!(was.verdict == Verdict::Allow || is.verdict != Verdict::Allow),
                _ => prop_assert_eq!(was, is),
            }
        }
    }

    /// A text that grants a tool it is not the raw beginning of grants no tool of another server, and if it is exact, no other
    /// tool at all.
    #[test]
    fn a_grant_reaches_what_it_spells_and_nothing_else((registry, texts) in cases(12)) {
        let compiled = pool(&registry);
        for text in written(&texts) {
            let policy = Policy::compile(spelled(Effect::Allow, std::slice::from_ref(&text)));
            let granted = |me: &&Tool| policy.decide(&compiled, me.call()).verdict == Verdict::Allow;
            let granted: Vec<&Tool> = registry.iter().filter(granted).collect();
            let Some(read) = oracle::read(&text) else {
                prop_assert!(granted.is_empty());
                continue;
            };
            let spelled_out = |tool: &&&Tool| match read.strip_suffix('*') {
                Some(prefix) => oracle::raw(tool).starts_with(prefix),
                None => oracle::raw(tool) == read,
            };
            for (lossy, other) in granted.iter().filter(|t| !spelled_out(t)).flat_map(|t| {
                granted.iter().filter(move |other| *other != t).map(move |other| (t, other))
            }) {
                prop_assert_eq!(&lossy.server, &other.server, "{} in {:?}", &text, &registry);
                let names_a_server = read.strip_prefix("mcp__").is_some_and(|key| {
                    oracle::grants(&format!("mcp__{key}"), lossy, &[]) == Grant::Yes
                        && oracle::restricts(&format!("mcp__{key}__*"), lossy)
                });
                prop_assert!(read.ends_with('*') || names_a_server, "{} in {:?}", &text, &registry);
            }
        }
    }
}
