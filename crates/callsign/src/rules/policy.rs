use super::decide::{Say, Verdict, say};
use super::matching;
use super::pool::Pool;
use super::rule::{Effect, Rule};
use super::target::{Call, Target};

/// A set of rules, ready to decide.
///
/// Deny goes before ask, ask before allow; within one of them the order of the rules changes only which is reported.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    rules: Vec<Rule>,
}

/// What a policy says of a call, and by which rules. Rules are given by their place in [`Policy::rules`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What is to be done.
    pub verdict: Verdict,
    /// The first rule that wants it; `None` if no rule decides.
    pub by: Option<usize>,
    /// Rules that can't be read and were taken to cover the tool. Whoever acts on the decision must say so loudly.
    pub failed_closed: Vec<usize>,
    /// Grants that would have come first, and were refused because another tool or server could be meant.
    pub ambiguous: Vec<usize>,
}

impl Policy {
    /// Compiles rules. Their order is that in which they are reported.
    #[must_use]
    pub fn compile(rules: Vec<Rule>) -> Self {
        Self { rules }
    }

    /// The rules, in the order in which they were given.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What the rules say of a call among all tools there are now.
    ///
    /// A call of a tool that is not in the pool is decided as if it came to those that are.
    #[must_use]
    pub fn decide<'a>(&self, pool: &Pool, call: impl Into<Call<'a>>) -> Decision {
        let call = call.into();
        let mut decision = Decision {
            verdict: Verdict::Default,
            by: None,
            failed_closed: Vec::new(),
            ambiguous: Vec::new(),
        };
        if pool.is_disabled(call) {
            decision.verdict = Verdict::Disabled;
            return decision;
        }
        let target = Target::of(call, pool);
        for effect in Effect::ALL {
            self.decide_by(effect, &target, pool, &mut decision);
        }
        decision
    }

    fn decide_by(&self, effect: Effect, target: &Target<'_>, pool: &Pool, into: &mut Decision) {
        let of_effect = self.rules.iter().enumerate().filter(|(_, rule)| rule.effect() == effect);
        for (at, rule) in of_effect {
            let open = into.by.is_none();
            match say(rule, target, pool) {
                Say::No => continue,
                Say::Ambiguous(_) if open => into.ambiguous.push(at),
                Say::Ambiguous(_) => {}
                Say::FailsClosed => into.failed_closed.push(at),
                Say::Yes => {}
            }
            if open && !into.ambiguous.ends_with(&[at]) {
                (into.verdict, into.by) = (effect.into(), Some(at));
            }
        }
    }
}

/// Whether a list that takes tools away from a sub-agent covers a tool. What its rules want otherwise is not looked at:
/// each of them restricts here.
#[must_use]
pub fn is_blocked<'a>(list: &[Rule], pool: &Pool, call: impl Into<Call<'a>>) -> bool {
    let target = Target::of(call.into(), pool);
    list.iter().any(|rule| match rule.pattern() {
        Ok(pattern) => matching::covers(pattern, &target),
        Err(unreadable) => matching::may_cover(unreadable, &target),
    })
}
