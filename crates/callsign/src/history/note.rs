use std::fmt;

use super::provider::Provider;
use super::repair::Place;

/// Something that was left, or that somebody should look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Where it is; the first place, if there are several.
    pub place: Place,
    /// At how many places it is.
    pub times: usize,
    /// What it is.
    pub remark: Remark,
}

/// What a note says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Remark {
    /// A name has the form in which an older algorithm cut long ones. It is legal, and what was cut can't be had back.
    Cut {
        /// The name.
        name: String,
    },
    /// A name is illegal, but not one that callsign may change.
    Refused {
        /// The name.
        name: String,
        /// Who refuses it.
        providers: Vec<Provider>,
    },
    /// Two different names are now one.
    Merged {
        /// The first of them.
        first: String,
        /// The other.
        other: String,
        /// What both are now.
        name: String,
    },
    /// Two definitions in one list have the same name, and say different things.
    DefinedTwice {
        /// The name that both have now.
        name: String,
    },
    /// With its name made legal, a definition would be the same as another one in its list. Both stay: it may be one tool
    /// by its old and its new name, or two.
    MaybeTwice {
        /// The name, which stays in this definition although it is illegal.
        name: String,
        /// What it is made into elsewhere.
        legal: String,
    },
    /// A string that looks like an illegal name, where no known shape has names.
    Elsewhere {
        /// The string.
        text: String,
    },
    /// A document is neither a request nor a conversation of a known shape.
    UnknownShape,
}

impl Remark {
    /// What kind of remark it is, for programs.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Cut { .. } => "cut",
            Self::Refused { .. } => "refused",
            Self::Merged { .. } => "merged",
            Self::DefinedTwice { .. } => "defined-twice",
            Self::MaybeTwice { .. } => "maybe-twice",
            Self::Elsewhere { .. } => "elsewhere",
            Self::UnknownShape => "unknown-shape",
        }
    }

    /// The name or text that it is about.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Cut { name }
            | Self::Refused { name, .. }
            | Self::Merged { name, .. }
            | Self::DefinedTwice { name }
            | Self::MaybeTwice { name, .. } => Some(name),
            Self::Elsewhere { text } => Some(text),
            Self::UnknownShape => None,
        }
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { name } => write!(
                f,
                "`{name}` was cut by an older way of naming; it is legal and stays, but no tool has it by that name now"
            ),
            Self::Refused { name, providers } => {
                let providers: Vec<String> = providers.iter().map(ToString::to_string).collect();
                let providers = providers.join(" and ");
                write!(
                    f,
                    "`{name}` stays, since it is no MCP tool's name, but {providers} would refuse it"
                )
            }
            Self::Merged { first: old, other, name }
            | Self::Merged { first: other, other: old, name }
                if other == name =>
            {
                write!(
                    f,
                    "`{old}` is `{name}` now, which stands here as well: its present form, or another tool's name"
                )
            }
            Self::Merged { first, other, name } => {
                write!(
                    f,
                    "`{first}` and `{other}` are both `{name}` now; they were two names before"
                )
            }
            Self::DefinedTwice { name } => write!(
                f,
                "two definitions are called `{name}` and differ; a provider takes one, and which is not for us to say"
            ),
            Self::MaybeTwice { name, legal } => write!(
                f,
                "as `{legal}`, this definition of `{name}` would be the same as another one here; whether both are one tool is not for us to say, so it stays: take one of them out"
            ),
            Self::Elsewhere { text } => write!(
                f,
                "`{text}` looks like a tool's name, but stands where no known request has one; it stays"
            ),
            Self::UnknownShape => f.write_str(
                "this is neither a request nor a conversation of a known shape; it stays as it is",
            ),
        }
    }
}
