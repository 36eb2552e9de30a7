//! What is read from an entry, and what an entry that can't be read does.

use callsign::rules::{
    Answer, Cause, Claimant, Covers, Decision, Disabled, Effect, Field, Never, Pattern, Place,
    Policy, Pool, Rule, Spelled, Unreadable, Verdict, Why, is_blocked,
};

fn pool() -> Pool {
    Pool::of([
        ("mail", "send"),
        ("mail", "read"),
        ("mail2", "send"),
        ("a__b", "c"),
        ("x*y", "z"),
        ("mail(work)", "send"),
    ])
}

fn decide(rule: Rule, call: (&str, &str)) -> Decision {
    Policy::compile(vec![rule]).decide(&pool(), call)
}

fn never(text: &str) -> Option<Never> {
    match Pattern::spelled(text)? {
        Pattern::Spelled(Spelled::Never(never)) => Some(never),
        _ => None,
    }
}

#[test]
fn a_text_is_trimmed_and_loses_empty_parentheses_and_its_star() {
    let exact = |text: &str| Some(Pattern::Spelled(Spelled::Exact(text.into())));
    let prefix = |text: &str| Some(Pattern::Spelled(Spelled::Prefix(text.into())));
    assert_eq!(Pattern::spelled(" \t\n"), None);
    assert_eq!(Pattern::spelled("\tmcp__a__b \n"), exact("mcp__a__b"));
    assert_eq!(Pattern::spelled("mcp__a__b ()"), exact("mcp__a__b"));
    assert_eq!(Pattern::spelled("mcp__a__* ()"), prefix("mcp__a__"));
    assert_eq!(Pattern::spelled("x**"), prefix("x*"));
    assert_eq!(Pattern::spelled("a*b"), exact("a*b"));
    assert_eq!(Pattern::spelled("a)"), exact("a)"));
    assert_eq!(never("mcp__a__b(x)"), Some(Never::Specifier));
    assert_eq!(never("mcp__a__b( )"), Some(Never::Specifier));
    assert_eq!(never("mcp__a__b(x"), Some(Never::UnbalancedParenthesis));
    assert_eq!(never("*"), Some(Never::BareStar));
    assert_eq!(never("*()"), Some(Never::BareStar));
    assert_eq!(never("()"), Some(Never::NoName));
}

#[test]
fn what_matches_nothing_does_nothing_as_a_host_reads_it() {
    for effect in Effect::ALL {
        for text in ["mcp__mail__send(x)", "mcp__mail(", "*", "()"] {
            let decision = decide(Rule::spelled(effect, text).unwrap(), ("mail", "send"));
            assert_eq!(
                (decision.verdict, decision.by),
                (Verdict::Default, None),
                "{effect} {text}"
            );
        }
    }
}

#[test]
fn an_unreadable_restriction_covers_what_it_may_have_meant_and_says_so() {
    for (effect, verdict) in [(Effect::Deny, Verdict::Deny), (Effect::Ask, Verdict::Ask)] {
        for (text, call, is_covered) in [
            ("mcp__mail__send(x)", ("mail", "send"), true),
            ("mcp__mail__send(x)", ("mail", "read"), false),
            ("mcp__mail(", ("mail", "read"), true),
            ("mcp__mail(", ("mail2", "send"), false),
            // Keys may hold parentheses, and then can't be named so.
            ("mcp__mail(work)__send", ("mail(work)", "send"), true),
            ("mcp__mail(work)", ("mail(work)", "send"), true),
            ("mcp__mail__send(x)", ("mail(work)", "send"), false),
            ("mcp__*__send", ("mail", "send"), true),
            ("mcp__*__send", ("a__b", "c"), true),
            ("mcp__ma*__send", ("mail", "send"), true),
            ("mcp__ma*__send", ("a__b", "c"), false),
            ("mcp__mail__*d", ("mail", "send"), true),
            ("mcp__a.b__*c", ("a.b", "xc"), true),
            ("mcp__x*y__z", ("x*y", "z"), true),
            ("mcp__*__send(x)", ("mail", "send"), true),
            ("mai*l", ("a__b", "c"), true),
            (" mcp__mail(work)__* ", ("mail(work)", "send"), true),
            ("mcp__mail__*(x", ("mail", "read"), true),
            ("*", ("a__b", "c"), true),
            ("* (x)", ("a__b", "c"), true),
            ("", ("a__b", "c"), true),
            ("(x)", ("mail", "send"), true),
        ] {
            let decision = decide(Rule::strict(effect, text), call);
            let wanted = if is_covered { verdict } else { Verdict::Default };
            assert_eq!(decision.verdict, wanted, "{effect} {text:?} {call:?}");
            let told: &[usize] = if is_covered { &[0] } else { &[] };
            assert_eq!(decision.failed_closed, told, "{effect} {text:?} {call:?}");
            assert_eq!(decision.by, is_covered.then_some(0));
        }
    }
}

#[test]
fn an_unreadable_grant_grants_nothing() {
    for text in
        ["mcp__mail__send(x)", "mcp__mail(", "mcp__*__send", "mcp__mail__s**", "*", "", "()"]
    {
        let decision = decide(Rule::strict(Effect::Allow, text), ("mail", "send"));
        assert_eq!(decision.verdict, Verdict::Default, "{text:?}");
        assert!(decision.failed_closed.is_empty());
        let policy = Policy::compile(vec![Rule::strict(Effect::Allow, text)]);
        let explained = policy.explain(&pool(), ("mail", "send"));
        assert_eq!(explained.answers, [Answer::No(Why::Unreadable)]);
    }
}

/// A readable rule that decides first hides no unreadable one, and the weaker unreadable one is told as well.
#[test]
fn every_unreadable_restriction_that_took_part_is_told() {
    let policy = Policy::compile(vec![
        Rule::strict(Effect::Ask, "mcp__mail(x"),
        Rule::strict(Effect::Deny, "mcp__mail__send"),
        Rule::strict(Effect::Deny, "mcp__mail__send(x)"),
        Rule::strict(Effect::Deny, "mcp__mail__read(x)"),
        Rule::strict(Effect::Allow, "*"),
    ]);
    let decision = policy.decide(&pool(), ("mail", "send"));
    assert_eq!((decision.verdict, decision.by), (Verdict::Deny, Some(1)));
    assert_eq!(decision.failed_closed, [2, 0]);
    let explained = policy.explain(&pool(), ("mail", "send"));
    assert_eq!(explained.decision, decision);
    assert_eq!(explained.answers[2], Answer::FailsClosed);
    assert_eq!(explained.answers[3], Answer::No(Why::Unreadable));
}

#[test]
fn fields_are_compared_and_nothing_is_split() {
    for (server, tool, call, matches) in [
        ("mail", "send", ("mail", "send"), true),
        ("mail", "send", ("mail2", "send"), false),
        ("mail", "send", ("mail", "read"), false),
        ("mail", "*", ("mail", "read"), true),
        ("mail", "*", ("mail2", "send"), false),
        ("mail*", "send", ("mail2", "send"), true),
        ("mail*", "send", ("mail", "read"), false),
        ("mail*", "s*", ("mail", "send"), true),
        ("*", "c", ("a__b", "c"), true),
        ("*", "*", ("a__b", "c"), true),
        ("a", "b__c", ("a__b", "c"), false),
        ("a__b", "c", ("a__b", "c"), true),
        ("Mail", "send", ("mail", "send"), false),
        ("mail", "sen*", ("mail", "send"), true),
        ("mail", "send*", ("mail", "send"), true),
        ("mail", "sent*", ("mail", "send"), false),
    ] {
        for (effect, verdict) in [
            (Effect::Allow, Verdict::Allow),
            (Effect::Ask, Verdict::Ask),
            (Effect::Deny, Verdict::Deny),
        ] {
            let decision = decide(Rule::identity(effect, server, tool), call);
            let wanted = if matches { verdict } else { Verdict::Default };
            assert_eq!(decision.verdict, wanted, "{effect} {server} {tool} {call:?}");
        }
    }
}

/// Two tools may be spelled alike; a pair of fields means one of them.
#[test]
fn a_pair_is_never_ambiguous() {
    let pool = Pool::of([("a", "b__c.d"), ("a__b", "c.d"), ("foo:bar", "x"), ("foo_bar", "x")]);
    let policy = Policy::compile(vec![
        Rule::identity(Effect::Allow, "a", "b__c.d"),
        Rule::identity(Effect::Allow, "foo:bar", "*"),
    ]);
    let granted = |call| policy.decide(&pool, call).verdict == Verdict::Allow;
    assert!(granted(("a", "b__c.d")) && !granted(("a__b", "c.d")));
    assert!(granted(("foo:bar", "x")) && !granted(("foo_bar", "x")));
}

#[test]
fn a_field_that_can_not_be_read_leaves_the_other_one() {
    for (server, tool, cause, covered, spared) in [
        ("mail", "", Cause::EmptyField(Field::Tool), ("mail", "read"), Some(("mail2", "send"))),
        ("mail", "s*d", Cause::StarInside(Field::Tool), ("mail", "read"), Some(("a__b", "c"))),
        ("", "send", Cause::EmptyField(Field::Server), ("mail2", "send"), Some(("mail", "read"))),
        ("m*l", "send", Cause::StarInside(Field::Server), ("mail", "send"), Some(("a__b", "c"))),
        ("x*y*", "z", Cause::StarInside(Field::Server), ("x*y", "z"), Some(("a__b", "c"))),
        ("", "", Cause::EmptyField(Field::Server), ("a__b", "c"), None),
    ] {
        let rule = Rule::identity(Effect::Deny, server, tool);
        let unreadable = rule.pattern().unwrap_err();
        assert_eq!(unreadable.cause, cause);
        assert!(!unreadable.remedy().is_empty() && !unreadable.to_string().is_empty());
        let decision = decide(rule.clone(), covered);
        assert_eq!((decision.verdict, &decision.failed_closed[..]), (Verdict::Deny, &[0][..]));
        if let Some(spared) = spared {
            assert_eq!(decide(rule, spared).verdict, Verdict::Default, "{server} {tool}");
        }
        let grant = decide(Rule::identity(Effect::Allow, server, tool), covered);
        assert_eq!(grant.verdict, Verdict::Default);
    }
}

#[test]
fn what_is_no_rule_covers_everything() {
    let cause = Cause::NotARule { found: "a number".to_owned() };
    let unreadable = Unreadable::whole(cause);
    assert_eq!(unreadable.covers, Covers::Everything);
    assert_eq!(unreadable.to_string(), "a number stands where a rule is wanted");
    let rule = Rule::new(Effect::Ask, "7", Err(unreadable));
    assert_eq!(decide(rule, ("a__b", "c")).verdict, Verdict::Ask);
}

#[test]
fn a_block_list_restricts_whatever_its_rules_want() {
    let list = [
        Rule::spelled(Effect::Allow, "mcp__mai*").unwrap(),
        Rule::strict(Effect::Allow, "mcp__a__b__c(x"),
    ];
    assert!(is_blocked(&list, &pool(), ("mail", "send")));
    assert!(is_blocked(&list, &pool(), ("a__b", "c")));
    assert!(!is_blocked(&list, &pool(), ("x*y", "z")));
}

#[test]
fn the_first_rule_of_the_strongest_effect_is_reported() {
    let policy = Policy::compile(vec![
        Rule::spelled(Effect::Allow, "mcp__mail").unwrap(),
        Rule::spelled(Effect::Ask, "mcp__mail__*").unwrap(),
        Rule::spelled(Effect::Deny, "mcp__mail__send").unwrap(),
        Rule::identity(Effect::Deny, "mail", "send"),
        Rule::identity(Effect::Allow, "mail2", "*"),
        Rule::spelled(Effect::Allow, "mcp__mail2__send").unwrap(),
    ]);
    let by = |call| policy.decide(&pool(), call).by;
    assert_eq!(by(("mail", "send")), Some(2));
    assert_eq!(by(("mail", "read")), Some(1));
    assert_eq!(by(("mail2", "send")), Some(4));
    assert_eq!(by(("x*y", "z")), None);
}

#[test]
fn what_comes_after_the_decision_is_not_reached_unless_it_fails_closed() {
    let policy = Policy::compile(vec![
        Rule::spelled(Effect::Allow, "mcp__mail").unwrap(),
        Rule::spelled(Effect::Deny, "mcp__other").unwrap(),
        Rule::spelled(Effect::Deny, "mcp__mail__send").unwrap(),
        Rule::spelled(Effect::Deny, "mcp__mail").unwrap(),
        Rule::strict(Effect::Ask, "mcp__mail("),
        Rule::strict(Effect::Ask, "mcp__mail"),
    ]);
    let explained = policy.explain(&pool(), ("mail", "send"));
    let reached = (0..6).filter(|at| explained.is_reached(&policy, *at));
    assert_eq!(reached.collect::<Vec<_>>(), [1, 2, 4]);
    let explained = policy.explain(&pool(), ("x*y", "z"));
    assert!((0..6).all(|at| explained.is_reached(&policy, at)), "no rule decides");
}

/// An entry that spells out a name with a star of its own means that name before it is a wildcard.
#[test]
fn a_star_that_belongs_to_a_name_is_no_wildcard_first_of_all() {
    let granted = |tools: &[(&str, &str)], text: &str, call| {
        let policy = Policy::compile(vec![Rule::spelled(Effect::Allow, text).unwrap()]);
        policy.decide(&Pool::of(tools.iter().copied()), call).verdict == Verdict::Allow
    };
    // As a wildcard it would be the beginning of `é/`'s names as well.
    let tools = [("é/_", "-a*"), ("é/", "-a*__")];
    assert!(granted(&tools, "mcp__é/___-a*", ("é/_", "-a*")));
    assert!(!granted(&tools, "mcp__é/___-*", ("é/_", "-a*")));
    // A whole server, unless it is a whole tool of another one.
    let tools = [("x__y*", "t"), ("x", "z"), ("x", "y*")];
    assert!(granted(&tools[..2], "mcp__x__y*", ("x__y*", "t")));
    assert!(!granted(&tools, "mcp__x__y*", ("x__y*", "t")));
    assert!(granted(&tools, "mcp__x__y*", ("x", "y*")));
}

/// The prefix is the beginning of none of the tool's whole names, only of its key and wire name in two different spellings,
/// and of another server's raw name.
#[test]
fn a_mixed_spelling_grants_only_what_no_other_server_is_spelled_as() {
    let rule = Rule::spelled(Effect::Allow, "mcp__a.b__c_d*").unwrap();
    let policy = Policy::compile(vec![rule]);
    let (me, other) = (("a.b", "c.d e"), ("a.b__c_dx", "t"));
    assert_eq!(policy.decide(&Pool::of([me]), me).verdict, Verdict::Allow);
    let explained = policy.explain(&Pool::of([me, other]), me);
    assert_eq!(explained.decision.verdict, Verdict::Default);
    let (server, tool) = (other.0.to_owned(), other.1.to_owned());
    assert_eq!(explained.answers, [Answer::Ambiguous(vec![Claimant::Tool { server, tool }])]);
}

/// `mcp__a__b__dep*` reads as `a` with tools `b__dep…` or as `a__b` with tools `dep…`: it grants neither's.
#[test]
fn a_prefix_that_parts_in_two_ways_grants_nothing() {
    let pool =
        Pool::of([("a", "b__deploy"), ("a__b", "deploy"), ("foo", "x"), ("foo_", "release")]);
    let granted = |text: &str, call| {
        let policy = Policy::compile(vec![Rule::spelled(Effect::Allow, text).unwrap()]);
        policy.decide(&pool, call).verdict == Verdict::Allow
    };
    assert!(!granted("mcp__a__b__dep*", ("a", "b__deploy")));
    assert!(!granted("mcp__a__b__dep*", ("a__b", "deploy")));
    assert!(granted("mcp__a__b__*", ("a__b", "deploy")), "a whole server's own boundary");
    assert!(!granted("mcp__foo___rel*", ("foo_", "release")), "`foo` owns what reads as its name");
    assert!(granted("mcp__foo___*", ("foo_", "release")));
}

#[test]
fn a_refused_grant_is_told_and_the_next_one_tried() {
    let pool = Pool::of([("foo:bar", "x"), ("foo_bar", "y")]);
    let policy = Policy::compile(vec![
        Rule::spelled(Effect::Allow, "mcp__foo_bar").unwrap(),
        Rule::spelled(Effect::Allow, "mcp__foo:bar__x").unwrap(),
        Rule::spelled(Effect::Allow, "mcp__foo_bar__*").unwrap(),
    ]);
    let decision = policy.decide(&pool, ("foo:bar", "x"));
    assert_eq!((decision.verdict, decision.by), (Verdict::Allow, Some(1)));
    assert_eq!(decision.ambiguous, [0], "the grants that came before");
}

#[test]
fn a_rule_keeps_its_text_and_place() {
    let place = Place { file: "a.json".into(), line: 3, column: 9 };
    let rule = Rule::spelled(Effect::Deny, " mcp__a ").unwrap().at(place.clone());
    assert_eq!(
        (rule.text(), rule.place(), rule.effect()),
        (" mcp__a ", Some(&place), Effect::Deny)
    );
    assert_eq!(place.to_string(), "a.json:3:9");
    assert_eq!(Rule::identity(Effect::Ask, "a", "b*").text(), "a / b*");
}

#[test]
fn an_explanation_says_why_a_rule_does_not_match() {
    let long = "search_repository_issues_and_pull_requests_by_keyword";
    let key = "a_key_that_is_longer_than_what_is_kept";
    let cut = callsign::scheme::legacy_spelling(&callsign::scheme::raw_name(key, long));
    let pool = Pool::of([("foo.bar", "a.b"), (key, long)]);
    let why = |text: &str, call: (&str, &str)| {
        let policy = Policy::compile(vec![Rule::spelled(Effect::Allow, text).unwrap()]);
        match policy.explain(&pool, call).answers.remove(0) {
            Answer::No(why) => why,
            other => panic!("{text}: {other:?}"),
        }
    };
    let call = ("foo.bar", "a.b");
    assert_eq!(why("mcp__foo.bar__a.b(x)", call), Why::Never(Never::Specifier));
    assert_eq!(why("mcp__foo_bar__a_b", call), Why::MissingHash);
    assert_eq!(why("mcp__Foo.bar__a.b", call), Why::Case);
    assert_eq!(why("MCP__foo.bar", call), Why::Case);
    assert_eq!(why("mcp__foo.bar_*", call), Why::RunsIntoSeparator);
    assert_eq!(why("mcp__foo.baz", call), Why::Other);
    assert_eq!(why("mcp__foo.bar__x*", call), Why::Other);
    assert_eq!(why(&cut, (key, long)), Why::CutSpelling);
    assert_eq!(why(&cut, call), Why::Other);
}

#[test]
fn a_pool_is_empty_where_it_has_no_tool_that_is_on() {
    use callsign::rules::{Disabled, Pool};

    let pool = |off: &[&str]| Pool::without([("a", "x")], Disabled::of(off.iter().copied()));
    assert_eq!((pool(&[]).len(), pool(&[]).is_empty()), (1, false));
    let off = ["mcp__a__x"];
    assert_eq!((pool(&off).len(), pool(&off).is_empty()), (0, true));
}

/// A server whose tools are not known may have any: what is granted beside it is granted whatever tools it turns out to
/// have, and what restricts holds as before.
#[test]
fn a_server_of_unknown_tools_grants_no_more_than_any_tools_of_it_would() {
    let keys = ["a", "a__b", "a.b", "a_b", "a_"];
    let wires = ["c", "b__c", "_c", "c.d", "c_d"];
    let mut refused = 0;
    for (own, unknown) in keys.iter().flat_map(|own| keys.map(|other| (*own, other))) {
        if own == unknown {
            continue;
        }
        let mine = wires.map(|wire| (own, wire));
        let beside = Pool::with_unknown(mine, [unknown], Disabled::default());
        for call in mine {
            let raw = format!("mcp__{own}__{}", call.1);
            let safe = raw.replace('.', "_");
            let cuts = [&raw, &safe].map(|name| {
                (3..name.len()).map(|at| format!("{}*", &name[..at])).collect::<Vec<_>>()
            });
            for text in cuts.concat().into_iter().chain([raw.clone(), safe.clone()]) {
                let verdict = |effect, pool: &Pool| {
                    Policy::compile(vec![Rule::strict(effect, &text)]).decide(pool, call).verdict
                };
                let alone = Pool::of(mine);
                assert_eq!(verdict(Effect::Deny, &beside), verdict(Effect::Deny, &alone), "{text}");
                if verdict(Effect::Allow, &beside) != Verdict::Allow {
                    refused += usize::from(verdict(Effect::Allow, &alone) == Verdict::Allow);
                    continue;
                }
                for wire in wires.into_iter().chain(["x", "b__c_d"]) {
                    let pool = Pool::of(mine.into_iter().chain([(unknown, wire)]));
                    let then = verdict(Effect::Allow, &pool);
                    assert_eq!(then, Verdict::Allow, "{text} for {call:?} beside {unknown} {wire}");
                }
            }
        }
    }
    assert!(refused > 20, "{refused} grants were refused");
}
