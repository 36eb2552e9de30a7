//! Any rules over any tools: nothing panics or hangs, and a decision is what its explanation says.
//!
//! Each line is a tool (`server<TAB>tool`, from the second line on also called) or a rule (`+`, `?` or `-` and its text; `=`
//! and two fields parted by a tab for a pair).

#![no_main]

use callsign::rules::{Answer, Call, Disabled, Effect, Policy, Pool, Rule, Verdict, is_blocked};
use libfuzzer_sys::fuzz_target;

fn rules(line: &str) -> Vec<Rule> {
    let Some(kind) = line.chars().next() else { return Vec::new() };
    let text = &line[kind.len_utf8()..];
    let effect = match kind {
        '+' => Effect::Allow,
        '?' => Effect::Ask,
        '-' => Effect::Deny,
        '=' => {
            let (server, tool) = text.split_once('\t').unwrap_or((text, ""));
            return Effect::ALL.map(|effect| Rule::identity(effect, server, tool)).into();
        }
        _ => return Vec::new(),
    };
    let strict = Rule::strict(effect, text);
    Rule::spelled(effect, text).into_iter().chain([strict]).collect()
}

fn holds(policy: &Policy, pool: &Pool, call: Call<'_>) {
    let explained = policy.explain(pool, call);
    let decision = policy.decide(pool, call);
    assert_eq!(explained.decision, decision);
    let bears = |(at, answer): (usize, Answer)| (!matches!(answer, Answer::No(_))).then_some(at);
    let mut bearing: Vec<usize> =
        explained.answers.iter().cloned().enumerate().filter_map(bears).collect();
    let mut found: Vec<usize> =
        policy.bearing_on(pool, call).into_iter().filter_map(bears).collect();
    found.sort_unstable();
    bearing.sort_unstable();
    assert_eq!(found, bearing, "no rule is overlooked");
    if decision.verdict == Verdict::Deny {
        assert!(is_blocked(policy.rules(), pool, call));
    }
    let Some(by) = decision.by else {
        assert!(matches!(decision.verdict, Verdict::Default | Verdict::Disabled));
        return;
    };
    assert!(matches!(explained.answers[by], Answer::Matches | Answer::FailsClosed));
    assert_eq!(decision.verdict, policy.rules()[by].effect().into());
}

fuzz_target!(|input: &str| {
    let lines = || input.lines().take(64);
    let calls: Vec<Call<'_>> =
        lines().filter_map(|line| Some(Call::from(line.split_once('\t')?))).collect();
    let policy = Policy::compile(lines().flat_map(rules).collect());
    let disabled = Disabled::of(lines().filter(|line| line.len() % 7 == 0));
    for pool in
        [Pool::of(calls.iter().skip(1).copied()), Pool::without(calls.iter().copied(), disabled)]
    {
        for call in &calls {
            holds(&policy, &pool, *call);
        }
    }
});
