use super::decide::{Say, say};
use super::guard::Clash;
use super::names::{Kind, Sorted};
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
    /// What [`decide`](Self::decide) says, and what each rule has to do with it. Takes time that grows with the number of rules
    /// and, for ambiguous grants, of tools.
    #[must_use]
    pub fn explain<'a>(&self, pool: &Pool, call: impl Into<Call<'a>>) -> Explanation {
        let call = call.into();
        let target = Target::of(call, pool);
        let answer = |rule| {
            answer(rule, &target, pool).unwrap_or_else(|| {
                Answer::No(match rule.pattern() {
                    Ok(pattern) => why_not(pattern, &target),
                    Err(_) => Why::Unreadable,
                })
            })
        };
        Explanation {
            decision: self.decide(pool, call),
            answers: self.rules().iter().map(answer).collect(),
        }
    }

    /// The rules that have to do with a call, by their place in [`rules`](Self::rules), ascending, and what each of them says:
    /// never [`Answer::No`]. Takes time that grows with the number of those rules, as [`decide`](Self::decide) does.
    #[must_use]
    pub fn touching<'a>(&self, pool: &Pool, call: impl Into<Call<'a>>) -> Vec<(usize, Answer)> {
        let target = Target::of(call.into(), pool);
        let mut candidates = self.index().candidates(self.rules(), &target);
        candidates.sort_unstable();
        let rules = candidates.into_iter().map(|number| number as usize);
        rules.filter_map(|at| Some((at, answer(self.rules().get(at)?, &target, pool)?))).collect()
    }
}

/// What a rule says, if it has to do with the tool.
fn answer(rule: &Rule, target: &Target<'_>, pool: &Pool) -> Option<Answer> {
    match say(rule, target, pool) {
        Say::Yes => Some(Answer::Matches),
        Say::FailsClosed => Some(Answer::FailsClosed),
        Say::Ambiguous(clash) => Some(Answer::Ambiguous(pool.claimants(&clash, target))),
        Say::No => None,
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
        let own = target.call.server;
        let server = |key: &str| (key != own).then(|| Claimant::Server(key.to_owned()));
        let mut found: Vec<Claimant> = match clash {
            Clash::Servers(prefix) => {
                self.claims(prefix, target).iter().filter_map(|claim| server(claim.key)).collect()
            }
            Clash::Legacy(key) => server(key).into_iter().collect(),
            Clash::Name(text) => {
                self.tools_named(target, |name, kind| kind == Kind::Safe && name == *text)
            }
            Clash::Text(text) => {
                let mut found = self.tools_named(target, |name, _| name == *text);
                found.extend(self.spelled_so(text).filter_map(server));
                found
            }
            Clash::Prefix(prefix) => self.tools_named(target, |name, _| name.starts_with(*prefix)),
        };
        found.sort();
        found.dedup();
        found
    }

    fn tools_named(
        &self,
        target: &Target<'_>,
        holds: impl Fn(&str, Kind) -> bool,
    ) -> Vec<Claimant> {
        let of = |names: &Sorted| -> Vec<Claimant> {
            let others = names.others(target.call, &self.servers, &holds);
            others
                .map(|Call { server, tool }| Claimant::Tool {
                    server: server.into(),
                    tool: tool.into(),
                })
                .collect()
        };
        [of(&self.names.renderings), of(&self.names.exposed)].concat()
    }
}
