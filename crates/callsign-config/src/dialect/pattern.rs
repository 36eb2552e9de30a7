//! What an entry is made into when it is read, and what it reaches.

use std::borrow::Cow;

use callsign::rules::{Answer, Claimant, Disabled, Identity, Policy, Pool, Rule, Why};
use callsign::scheme::HostSpelling;

use super::address::AddressPattern;
use super::cel::Condition;
use super::fleet::Tool;
use super::glob::Glob;

/// What an entry does to one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It covers the tool.
    Matches,
    /// It doesn't cover this tool.
    No,
    /// It can't cover any tool, and why.
    Never(Cow<'static, str>),
    /// It would grant the tool, and grants nothing, because these could be meant as well.
    Ambiguous(Vec<Claimant>),
    /// Whether it covers the tool is not established, and what is not. It decides nothing.
    Unknown(Cow<'static, str>),
}

impl Reach {
    pub(crate) fn of(matches: bool) -> Self {
        if matches { Self::Matches } else { Self::No }
    }
}

/// An entry, parsed once. Dialects with another idea of matching look at the tool themselves
/// ([`Dialect::reach`](super::Dialect::reach)) and use these where they fit.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    /// The whole name, byte for byte.
    Exact(String),
    /// A wildcard over the whole name.
    Glob(Glob),
    /// Every tool of the server whose key, as the dialect spells it, is this.
    Server(String),
    /// The server's key and the wire name, each with its own wildcards.
    Parts(Glob, Glob),
    /// Every tool.
    All,
    /// A regular expression that may match anywhere in the name.
    Regex(regex_lite::Regex),
    /// Every tool of the servers that are started or reached like this.
    Address(AddressPattern),
    /// An expression about the tool.
    Condition(Condition),
    /// What the first covers and none of the others does.
    Except(Box<Pattern>, Vec<Pattern>),
    /// Two readings of one entry, and what is not established; where they agree, that is the answer.
    Disputed(Box<Pattern>, Box<Pattern>, &'static str),
    /// Key and wire name, as callsign's own lists have them.
    Identity(Box<Identity>),
    /// A rule that is decided by identity: a policy of this one.
    Judged(Box<Policy>),
    /// A tool that is not offered, by any of its whole names.
    Off(Disabled),
    /// Something else than an MCP tool: a program of the shell, a built-in tool. It is not judged.
    Foreign,
    /// The same, said beside the text: what the text looks like means nothing.
    Elsewhere,
    /// No tool, and why.
    Never(Cow<'static, str>),
    /// What is not established.
    Unknown(Cow<'static, str>),
}

impl Pattern {
    pub(crate) fn never(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Never(why.into())
    }

    /// The text of an entry, if the pattern made of it names the tool.
    pub(crate) fn proposes(
        &self,
        text: &str,
        tool: Tool<'_>,
        spelling: HostSpelling,
    ) -> Option<String> {
        (self.reach(tool, spelling) == Reach::Matches).then(|| text.to_owned())
    }

    /// Holds the entry against a tool, by its name in that spelling.
    pub(crate) fn reach(&self, tool: Tool<'_>, spelling: HostSpelling) -> Reach {
        Reach::of(match self {
            Self::Exact(text) => tool.name(spelling) == text,
            Self::Glob(glob) => glob.matches(tool.name(spelling)),
            Self::Server(key) => tool.key(spelling) == key,
            Self::Parts(server, wire) => server.matches(tool.server()) && wire.matches(tool.wire()),
            Self::All => true,
            Self::Regex(regex) => regex.is_match(tool.name(spelling)),
            Self::Address(address) => return address.reach(tool),
            Self::Condition(condition) => return condition.reach(tool),
            Self::Except(covered, others) => {
                return except(covered.reach(tool, spelling), others, tool, spelling);
            }
            Self::Disputed(one, other, what) => {
                let (one, other) = (one.reach(tool, spelling), other.reach(tool, spelling));
                return if one == other { one } else { Reach::Unknown((*what).into()) };
            }
            Self::Identity(id) => id.server.matches(tool.server()) && id.tool.matches(tool.wire()),
            Self::Judged(policy) => return judged(policy, tool.pool(), tool),
            Self::Off(disabled) => disabled.covers(tool.id()),
            Self::Foreign | Self::Elsewhere => false,
            Self::Never(why) => return Reach::Never(why.clone()),
            Self::Unknown(what) => return Reach::Unknown(what.clone()),
        })
    }
}

/// What is left of a reach once the others have taken theirs.
fn except(covered: Reach, others: &[Pattern], tool: Tool<'_>, spelling: HostSpelling) -> Reach {
    if covered == Reach::No {
        return covered;
    }
    let mut left = covered;
    for other in others {
        match other.reach(tool, spelling) {
            Reach::Matches => return Reach::No,
            Reach::Unknown(what) => left = Reach::Unknown(what),
            Reach::No | Reach::Never(_) | Reach::Ambiguous(_) => {}
        }
    }
    left
}

/// What the one rule of a policy says, as the core judges it among the tools of a pool.
pub(crate) fn judged(policy: &Policy, pool: &Pool, tool: Tool<'_>) -> Reach {
    let mut answers = policy.explain(pool, tool.id()).answers.into_iter();
    match answers.next() {
        Some(Answer::Matches | Answer::FailsClosed) => Reach::Matches,
        Some(Answer::Ambiguous(claimants)) => Reach::Ambiguous(claimants),
        Some(Answer::No(Why::Never(never))) => Reach::Never(never.to_string().into()),
        Some(Answer::No(Why::Unreadable)) => match policy.rules().first().map(Rule::pattern) {
            Some(Err(unreadable)) if !is_restriction(policy) => {
                Reach::Never(format!("{}, so it grants nothing", unreadable.cause).into())
            }
            _ => Reach::No,
        },
        Some(Answer::No(_)) | None => Reach::No,
    }
}

fn is_restriction(policy: &Policy) -> bool {
    policy.rules().iter().any(|rule| rule.effect().restricts())
}
