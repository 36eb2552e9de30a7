use super::decide::{Say, Verdict, say};
use super::index::Index;
use super::matching;
use super::pool::Pool;
use super::rule::Rule;
use super::target::{Call, Target};

/// A set of rules, ready to decide.
///
/// Deny goes before ask, ask before allow; within one of them the order of the rules changes only which is reported.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    rules: Vec<Rule>,
    index: Index,
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
    /// Compiles rules, in time n log n. Their order is that in which they are reported.
    #[must_use]
    pub fn compile(rules: Vec<Rule>) -> Self {
        let index = Index::of(&rules);
        Self { rules, index }
    }

    /// The rules, in the order in which they were given.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The numbers of the rules that may have to do with a tool, in the order in which they are asked.
    pub(super) fn candidates(&self, target: &Target<'_>) -> Vec<u32> {
        self.index.candidates(&self.rules, target)
    }

    /// What the rules say of a call among all tools there are now.
    ///
    /// Takes time that grows with the number of rules that have to do with the tool or its server, and with the logarithm of
    /// those of other rules and tools.
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
        for number in self.candidates(&target) {
            let at = number as usize;
            let rule = &self.rules[at];
            let is_open = decision.by.is_none();
            // Once it is decided, only what has to be said loudly is looked for.
            if !is_open && rule.pattern().is_ok() {
                continue;
            }
            match say(rule, &target, pool) {
                Say::No => continue,
                Say::Ambiguous(_) => {
                    decision.ambiguous.push(at);
                    continue;
                }
                Say::FailsClosed => decision.failed_closed.push(at),
                Say::Yes => {}
            }
            if is_open {
                (decision.verdict, decision.by) = (rule.effect().into(), Some(at));
            }
        }
        decision
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
