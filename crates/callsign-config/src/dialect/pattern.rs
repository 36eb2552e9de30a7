//! What an entry is made into when it is read, and what it reaches.

use std::borrow::Cow;

use callsign::scheme::HostSpelling;

use super::address::AddressPattern;
use super::cel::Condition;
use super::fleet::Tool;
use super::glob::{Glob, Wild};

/// What an entry does to one tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It covers the tool.
    Matches,
    /// It doesn't cover this tool.
    No,
    /// It can't cover any tool, and why.
    Never(Cow<'static, str>),
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
    /// The beginning of the name.
    Prefix(String),
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
    /// Something else than an MCP tool: a program of the shell, a built-in tool. It is not judged.
    Foreign,
    /// No tool, and why.
    Never(Cow<'static, str>),
    /// What is not established.
    Unknown(Cow<'static, str>),
}

impl Pattern {
    pub(crate) fn never(why: impl Into<Cow<'static, str>>) -> Self {
        Self::Never(why.into())
    }

    /// Holds the entry against a tool, by its name in that spelling.
    pub(crate) fn reach(&self, tool: Tool<'_>, spelling: HostSpelling) -> Reach {
        Reach::of(match self {
            Self::Exact(text) => tool.name(spelling) == text,
            Self::Glob(glob) => glob.matches(tool.name(spelling)),
            Self::Prefix(text) => tool.name(spelling).starts_with(text.as_str()),
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
            Self::Foreign => false,
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
            Reach::No | Reach::Never(_) => {}
        }
    }
    left
}
