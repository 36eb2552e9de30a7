use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use crate::catalogue::{MalformedReason, UnknownFilterEntry};
use crate::name::{ExposedName, ServerKey, ToolId, WireName};
use crate::scheme::{NameError, NameProblem};

/// Who wants or has an exposed name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claimant {
    /// A server's tool.
    Tool(ToolId),
    /// A tool of the host itself.
    Local(WireName),
}

impl fmt::Display for Claimant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(id) => {
                write!(f, "tool `{}` of server `{}`", quoted(id.wire()), quoted(id.server()))
            }
            Self::Local(name) => write!(f, "the local tool `{}`", quoted(name)),
        }
    }
}

/// Text from outside, safe to print.
pub(super) fn quoted(text: &str) -> std::str::EscapeDebug<'_> {
    text.escape_debug()
}

/// A wire name that one listing has twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The name.
    pub wire: WireName,
    /// Where it stands first, counted from 0 over all pages.
    pub first: usize,
    /// Where it stands again.
    pub second: usize,
}

/// An advertised tool that can't be registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Its wire name, where it could be read.
    pub wire: Option<WireName>,
    /// Where it stands in the listing, counted from 0.
    pub position: usize,
    /// Why it can't.
    pub cause: MissingCause,
}

/// Why an advertised tool can't be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MissingCause {
    /// The listing's entry could not be read.
    #[error("{0}")]
    Malformed(MalformedReason),
    /// The scheme has no name for it.
    #[error("{}; {}", .0, .0.remedy())]
    Unnameable(Box<NameError>),
    /// Its name is another's.
    #[error(
        "its name `{exposed}` is claimed by {holder} as well; load one of the servers under another key"
    )]
    Taken {
        /// The name both want.
        exposed: ExposedName,
        /// Who else wants or has it.
        holder: Claimant,
    },
}

/// An option whose key is no wire name of its server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct UnknownOption {
    /// The server whose options they are.
    pub server: ServerKey,
    /// The key as written.
    pub key: String,
    /// Set if the key is the exposed name of this tool of the server.
    pub meant: Option<WireName>,
    /// The server's wire names that come near it.
    pub near: Vec<WireName>,
}

impl fmt::Display for UnknownOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (server, key) = (quoted(&self.server), quoted(&self.key));
        write!(f, "server `{server}` has no tool `{key}` to set options for")?;
        if let Some(wire) = &self.meant {
            return write!(
                f,
                "; that is the exposed name: options are keyed by the wire name, `{}`",
                quoted(wire)
            );
        }
        for (index, near) in self.near.iter().enumerate() {
            write!(f, "{}`{}`", if index == 0 { "; did you mean " } else { " or " }, quoted(near))?;
        }
        if self.near.is_empty() { Ok(()) } else { f.write_str("?") }
    }
}

/// A server's tools were not registered; the registry is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The server is registered already.
    #[error("server `{}` is already registered; use `replace` to give it another catalogue", quoted(.server))]
    AlreadyRegistered {
        /// Its key.
        server: ServerKey,
    },
    /// One listing has a name more than once.
    #[error("server `{}` advertises {}", quoted(.server), duplicate_words(.duplicates))]
    DuplicateInListing {
        /// Its key.
        server: ServerKey,
        /// Every name that occurs again, in order of the second position.
        duplicates: Vec<Duplicate>,
    },
    /// Fewer tools could be registered than were advertised.
    #[error("{} of {advertised} tools of server `{}` can't be registered:{}", tools_in(.missing), quoted(.server), missing_words(.missing))]
    Shortfall {
        /// Its key.
        server: ServerKey,
        /// How many tools were to be registered.
        advertised: usize,
        /// Every tool that can't be, sorted by wire name.
        missing: Vec<Missing>,
    },
    /// Filter entries that name no tool of the server.
    #[error("{}", joined(.0))]
    UnknownFilterEntries(Vec<UnknownFilterEntry>),
    /// Option keys that are no wire name of the server.
    #[error("{}", joined(.0))]
    UnknownOptions(Vec<UnknownOption>),
    /// Names the server was to take over from local tools that no local tool has.
    #[error("server `{}` was to replace local tools that don't exist: {}", quoted(.server), quoted_list(.names))]
    UnknownLocal {
        /// Its key.
        server: ServerKey,
        /// The names as given.
        names: Vec<String>,
    },
    /// Local tools the server was to take the names of and does not claim.
    #[error("server `{}` was to replace local tools whose names none of its tools gets: {}", quoted(.server), quoted_list(.names))]
    UnclaimedLocal {
        /// Its key.
        server: ServerKey,
        /// The names as given.
        names: Vec<String>,
    },
    /// The admission predicate refused.
    #[error("{error}")]
    Refused {
        /// The server's key.
        server: ServerKey,
        /// The predicate's own error, unchanged.
        #[source]
        error: Box<dyn Error + Send + Sync>,
    },
}

/// A server that was to be replaced or removed is not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("server `{}` is not registered", quoted(.server))]
pub struct NotRegistered {
    /// The key that was asked for.
    pub server: ServerKey,
}

/// A local tool was not registered or removed; the registry is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// No provider accepts the name.
    #[error("the local tool's name `{}` {problem}", quoted(.name))]
    Illegal {
        /// The name.
        name: WireName,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// The name is in use.
    #[error("the name of {} is already that of {holder}", Claimant::Local(.name.clone()))]
    Taken {
        /// The name.
        name: WireName,
        /// Who has it.
        holder: Claimant,
    },
    /// A replacement or removal of a local tool that does not exist.
    #[error("there is no local tool `{}`", quoted(.name))]
    Unknown {
        /// The name.
        name: WireName,
    },
}

fn duplicate_words(duplicates: &[Duplicate]) -> String {
    let words: Vec<String> = duplicates
        .iter()
        .map(|Duplicate { wire, first, second }| {
            format!("`{}` twice, at positions {} and {}", quoted(wire), first + 1, second + 1)
        })
        .collect();
    words.join("; ")
}

/// How many tools are missing; one may be for more than one cause.
fn tools_in(missing: &[Missing]) -> usize {
    missing.iter().map(|missing| missing.position).collect::<BTreeSet<_>>().len()
}

fn missing_words(missing: &[Missing]) -> String {
    missing
        .iter()
        .map(|Missing { wire, position, cause }| match wire {
            Some(wire) => format!("\n  `{}`: {cause}", quoted(wire)),
            None => format!("\n  entry {} of its listing: {cause}", position + 1),
        })
        .collect()
}

fn quoted_list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{}`", quoted(name))).collect::<Vec<_>>().join(", ")
}

fn joined(errors: &[impl fmt::Display]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
