use std::fmt;

use crate::scheme;

/// What a rule names, read once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// A name in one of the spellings that tools go by: `mcp__server__tool`, `mcp__server`, `mcp__server__*`.
    Spelled(Spelled),
    /// Server key and wire name as two fields; nothing is split and nothing is spelled.
    Identity(Identity),
}

/// A pattern that is one text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spelled {
    /// A whole name, or a whole server. Every `*` in it stands for itself.
    Exact(Box<str>),
    /// Everything that begins with this text, which is not empty and has lost its final `*`.
    Prefix(Box<str>),
    /// Readable, but it can't match any tool.
    Never(Never),
}

/// Why a spelled pattern matches nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Never {
    /// `name(…` without a `)` at the end.
    #[error("a `(` has no `)` at the end of the entry")]
    UnbalancedParenthesis,
    /// `name(something)`: calls of MCP tools have no specifier.
    #[error("a tool of an MCP server can't have a specifier in parentheses")]
    Specifier,
    /// `*` alone.
    #[error("a `*` alone matches no tool of an MCP server")]
    BareStar,
    /// `()`.
    #[error("no name stands before the parentheses")]
    NoName,
}

/// A pattern of two fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Which server keys.
    pub server: Part,
    /// Which wire names.
    pub tool: Part,
}

/// One field of an [`Identity`] pattern. Case counts; nothing is trimmed, folded or substituted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// This text and no other.
    Exact(Box<str>),
    /// Every text that begins so; all of them if it is empty.
    Prefix(Box<str>),
}

/// Which field of an entry something is said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The server key.
    Server,
    /// The wire name.
    Tool,
    /// Both in one text.
    Name,
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Server => "server",
            Self::Tool => "tool",
            Self::Name => "name",
        })
    }
}

/// An entry that can't be read. One that allows then grants nothing; one that denies or asks covers everything that it may
/// have been meant for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct Unreadable {
    /// What is wrong with it.
    pub cause: Cause,
    /// What it covers all the same if it restricts.
    pub covers: Covers,
}

/// What is wrong with an unreadable entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// Nothing stands there.
    #[error("the entry is blank")]
    Blank,
    /// It is readable and could never match.
    #[error("{0}")]
    Never(Never),
    /// A field is empty.
    #[error("the {0} is empty")]
    EmptyField(Field),
    /// A `*` stands before the end of a field.
    #[error("only the last character of the {0} can be a wildcard, and a `*` stands before it")]
    StarInside(Field),
    /// The entry is no text and no pair of fields; `found` says in words what it is.
    #[error("{found} stands where a rule is wanted")]
    NotARule {
        /// What stands there, as "a number".
        found: String,
    },
}

/// What an unreadable entry may have been meant for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Covers {
    /// Every tool.
    Everything,
    /// The tools that this pattern covers: the part of the entry that could be read.
    Pattern(Pattern),
    /// The tools that this pattern covers, which is what stands before a parenthesis, and those whose raw name begins with this
    /// text, which is the entry up to the parenthesis: keys and wire names may hold one.
    UpToParenthesis(Pattern, Box<str>),
}

impl Unreadable {
    /// An entry of which nothing could be read.
    #[must_use]
    pub fn whole(cause: Cause) -> Self {
        Self { cause, covers: Covers::Everything }
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match &self.cause {
            Cause::Blank => "remove the entry, or write the tool it is meant for".to_owned(),
            Cause::Never(Never::UnbalancedParenthesis | Never::Specifier) => {
                "write the name without parentheses".to_owned()
            }
            Cause::Never(Never::BareStar | Never::NoName) => {
                "name the server and the tool; `*` in both fields means every tool".to_owned()
            }
            Cause::EmptyField(field) => {
                format!("write the {field}, or `*` for every {field}")
            }
            Cause::StarInside(field) => {
                format!("write the {field} in full, or keep only what stands before the first `*`")
            }
            Cause::NotARule { .. } => {
                "write a text, or a table with `server` and `tool`".to_owned()
            }
        }
    }
}

impl Pattern {
    /// Reads a text as hosts with one list of names read it; `None` if it is blank.
    ///
    /// The text is trimmed. A part in parentheses at its end is cut off; empty ones mean nothing, any other makes the pattern
    /// match [nothing](Never). A final `*` is a wildcard; every other `*`, `?` and `[` stands for itself.
    #[must_use]
    pub fn spelled(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self::Spelled(Spelled::read(text)))
    }

    /// As [`spelled`](Self::spelled), for a language in which an entry that could never match is a mistake, and so is a `*`
    /// that would stand for itself: whoever writes `mcp__*__send` means a wildcard.
    ///
    /// # Errors
    /// [`Unreadable`]: it is blank, [could never match](Never), or has a `*` before its end.
    pub fn strict(text: &str) -> Result<Self, Unreadable> {
        let Some(pattern) = Self::spelled(text) else {
            return Err(Unreadable::whole(Cause::Blank));
        };
        let Self::Spelled(Spelled::Never(never)) = pattern else {
            return match pattern.star_inside() {
                None => Ok(pattern),
                Some(_) => {
                    let covers = pattern.widened().map_or(Covers::Everything, Covers::Pattern);
                    Err(Unreadable { cause: Cause::StarInside(Field::Name), covers })
                }
            };
        };
        let covers = match text.trim().split_once('(') {
            None => Covers::Everything,
            Some((name, _)) => match Self::spelled(name).and_then(Self::widened) {
                Some(Self::Spelled(Spelled::Never(_))) | None => Covers::Everything,
                Some(readable) => Covers::UpToParenthesis(readable, [name, "("].concat().into()),
            },
        };
        Err(Unreadable { cause: Cause::Never(never), covers })
    }

    /// What stands before a `*` that is not the last character.
    fn star_inside(&self) -> Option<&str> {
        match self {
            Self::Spelled(Spelled::Exact(text) | Spelled::Prefix(text)) => {
                text.split_once('*').map(|(before, _)| before)
            }
            _ => None,
        }
    }

    /// The pattern, or if a `*` stands inside of it, one for all that begins as it does. `None` if that could be anything.
    fn widened(self) -> Option<Self> {
        let Some(before) = self.star_inside() else { return Some(self) };
        scheme::has_lead(before).then(|| Self::Spelled(Spelled::Prefix(before.into())))
    }

    /// Reads two fields, of which each may end in a `*` that stands for any rest, and be a `*` alone.
    ///
    /// # Errors
    /// [`Unreadable`]: a field is empty, or a `*` stands before its end.
    pub fn identity(server: &str, tool: &str) -> Result<Self, Unreadable> {
        let of = |server, tool| Self::Identity(Identity { server, tool });
        let any = || Part::Prefix(Box::default());
        match (Part::read(Field::Server, server), Part::read(Field::Tool, tool)) {
            (Ok(server), Ok(tool)) => Ok(of(server, tool)),
            (Ok(server), Err(cause)) => {
                Err(Unreadable { cause, covers: Covers::Pattern(of(server, any())) })
            }
            (Err(cause), Ok(tool)) => {
                Err(Unreadable { cause, covers: Covers::Pattern(of(any(), tool)) })
            }
            (Err(cause), Err(_)) => Err(Unreadable::whole(cause)),
        }
    }
}

impl Spelled {
    /// `text` is trimmed and not empty.
    fn read(text: &str) -> Self {
        let name = match text.split_once('(') {
            None => text,
            Some((name, rest)) => match rest.strip_suffix(')') {
                None => return Self::Never(Never::UnbalancedParenthesis),
                Some("") => name.trim_end(),
                Some(_) => return Self::Never(Never::Specifier),
            },
        };
        match name.strip_suffix('*') {
            _ if name.is_empty() => Self::Never(Never::NoName),
            None => Self::Exact(name.into()),
            Some("") => Self::Never(Never::BareStar),
            Some(prefix) => Self::Prefix(prefix.into()),
        }
    }
}

impl Part {
    fn read(field: Field, text: &str) -> Result<Self, Cause> {
        let (kept, is_prefix) = match text.strip_suffix('*') {
            Some(kept) => (kept, true),
            None => (text, false),
        };
        match (kept.contains('*'), is_prefix) {
            (true, _) => Err(Cause::StarInside(field)),
            (false, true) => Ok(Self::Prefix(kept.into())),
            (false, false) if kept.is_empty() => Err(Cause::EmptyField(field)),
            (false, false) => Ok(Self::Exact(kept.into())),
        }
    }

    /// The text without its wildcard.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Exact(text) | Self::Prefix(text) => text,
        }
    }

    /// Whether a key or a wire name is among those it names.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        match self {
            Self::Exact(exact) => **exact == *text,
            Self::Prefix(prefix) => text.starts_with(&**prefix),
        }
    }
}
