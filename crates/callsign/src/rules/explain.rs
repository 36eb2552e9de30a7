use std::cmp::Reverse;

use super::decide::{Say, Verdict, say};
use super::guard::Clash;
use super::names::Sorted;
use super::policy::{Decision, Policy};
use super::pool::Pool;
use super::rule::Rule;
use super::target::{Call, Target};
use super::{Never, Pattern, Spelled};

/// A decision, with what each rule says of the call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// What was decided.
    pub decision: Decision,
    /// One for each rule of the policy, in its order.
    pub answers: Vec<Answer>,
}

/// What one rule says of a call, whether or not a stronger one decides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It matches.
    Matches,
    /// It does not, and why.
    No(Why),
    /// It would grant the tool, but these could be meant as well.
    Ambiguous(Vec<Claimant>),
    /// It can't be read and restricts, so it covers the tool.
    FailsClosed,
}

/// Why a rule does not match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// It matches nothing at all.
    Never(Never),
    /// It can't be read; a grant of that kind grants nothing, and a restriction is not about this tool.
    Unreadable,
    /// It names something else.
    Other,
    /// It differs from a name of the tool in case alone.
    Case,
    /// It is the legacy spelling of the tool's name, which was cut so that it names several.
    CutSpelling,
    /// It is the provider-safe spelling of the tool's name without the hash that belongs to it.
    MissingHash,
    /// It runs on into the separator behind the server key, so that it is the beginning of other servers' names as well.
    RunsIntoSeparator,
}

/// Who else a grant could be meant for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claimant {
    /// Every tool of a server.
    Server(String),
    /// One tool.
    Tool {
        /// Its server's key.
        server: String,
        /// Its wire name.
        tool: String,
    },
}

impl Policy {
    /// What [`decide`](Self::decide) says, and what each rule has to do with it. Takes time that grows with the number of rules.
    #[must_use]
    pub fn explain<'a>(&self, pool: &Pool, call: impl Into<Call<'a>>) -> Explanation {
        let call = call.into();
        let target = Target::of(call, pool);
        Explanation {
            decision: self.decide(pool, call),
            answers: self.rules().iter().map(|rule| answer(rule, &target, pool)).collect(),
        }
    }

    /// What the rules say that have something to do with a tool, deny before ask before allow, whether or not a stronger one
    /// decides. The other rules, which say [`No`](Answer::No), are left out, and cost no time.
    #[must_use]
    pub fn bearing_on<'a>(&self, pool: &Pool, call: impl Into<Call<'a>>) -> Vec<(usize, Answer)> {
        let target = Target::of(call.into(), pool);
        let candidates = self.candidates(&target).into_iter().map(|number| number as usize);
        candidates
            .map(|at| (at, answer(&self.rules()[at], &target, pool)))
            .filter(|(_, answer)| !matches!(answer, Answer::No(_)))
            .collect()
    }
}

impl Explanation {
    /// Whether a rule was asked before the decision was made. One that restricts and can't be read always is.
    #[must_use]
    pub fn is_reached(&self, policy: &Policy, rule: usize) -> bool {
        let rank = |at: usize| policy.rules().get(at).map(|rule| (Reverse(rule.effect()), at));
        let is_told = self.answers.get(rule) == Some(&Answer::FailsClosed);
        match self.decision.by {
            Some(by) => is_told || rank(rule) <= rank(by),
            None => self.decision.verdict != Verdict::Disabled,
        }
    }
}

fn answer(rule: &Rule, target: &Target<'_>, pool: &Pool) -> Answer {
    match say(rule, target, pool) {
        Say::Yes => Answer::Matches,
        Say::FailsClosed => Answer::FailsClosed,
        Say::Ambiguous(clash) => Answer::Ambiguous(pool.claimants(&clash, target)),
        Say::No => Answer::No(match rule.pattern() {
            Ok(pattern) => why_not(pattern, target),
            Err(_) => Why::Unreadable,
        }),
    }
}

fn why_not(pattern: &Pattern, target: &Target<'_>) -> Why {
    let Pattern::Spelled(spelled) = pattern else { return Why::Other };
    match spelled {
        Spelled::Never(never) => Why::Never(*never),
        Spelled::Exact(text) if **text == *target.legacy() => Why::CutSpelling,
        Spelled::Exact(text) if target.is_safe_without_hash(text) => Why::MissingHash,
        Spelled::Exact(text) if target.is_but_for_case(text) => Why::Case,
        Spelled::Prefix(prefix) if target.boundaries.iter().any(|b| b.starts_with(&**prefix)) => {
            Why::RunsIntoSeparator
        }
        _ => Why::Other,
    }
}

impl Pool {
    /// Everyone else that a refused grant could be meant for, sorted.
    fn claimants(&self, clash: &Clash<'_>, target: &Target<'_>) -> Vec<Claimant> {
        let mut found: Vec<Claimant> = match *clash {
            Clash::Servers(prefix) => {
                let claims = self.claims(prefix, target);
                claims.iter().filter_map(|claim| another_server(claim.key, target)).collect()
            }
            Clash::Legacy(key) => another_server(key, target).into_iter().collect(),
            Clash::Name(text) => self.tools_named(text, true, target),
            Clash::Unknown(text) => self.perhaps_named(text, target).map(Claimant::from).collect(),
            Clash::UnknownPrefix(prefix) => {
                self.perhaps_beginning(prefix, target).map(Claimant::from).collect()
            }
            Clash::Text(text) => {
                let servers = self.spelled_so(text).filter_map(|key| another_server(key, target));
                self.tools_named(text, false, target).into_iter().chain(servers).collect()
            }
            Clash::Prefix(prefix) => {
                let beginning = |names: &Sorted| -> Vec<Claimant> {
                    let others = names.others_beginning(prefix, target.call, &self.servers);
                    others.map(Claimant::from).collect()
                };
                [beginning(&self.names.renderings), beginning(&self.names.exposed)].concat()
            }
        };
        found.sort();
        found.dedup();
        found
    }

    fn tools_named(&self, text: &str, safe: bool, target: &Target<'_>) -> Vec<Claimant> {
        let named = |names: &Sorted, safe| -> Vec<Claimant> {
            let others = names.others_named(text, safe, target.call, &self.servers);
            others.map(Claimant::from).collect()
        };
        [named(&self.names.renderings, safe), named(&self.names.exposed, false)].concat()
    }
}

fn another_server(key: &str, target: &Target<'_>) -> Option<Claimant> {
    (key != target.call.server).then(|| Claimant::Server(key.to_owned()))
}

/// Of a server that is known by its key alone.
impl From<&str> for Claimant {
    fn from(key: &str) -> Self {
        Self::Server(key.to_owned())
    }
}

impl From<Call<'_>> for Claimant {
    fn from(Call { server, tool }: Call<'_>) -> Self {
        Self::Tool { server: server.to_owned(), tool: tool.to_owned() }
    }
}
