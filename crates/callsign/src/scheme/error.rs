use crate::name::ToolId;

/// Which part of an identity a problem is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// The key the user gave the server; they can change it.
    ServerKey,
    /// The name the server gave the tool; only its author can change it.
    WireName,
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ServerKey => "server key",
            Self::WireName => "tool name",
        })
    }
}

/// A scheme has no legal name for an identity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{scheme}` has no name for tool `{}` of server `{}`: `{}` {problem}", .id.wire().escape_debug(), .id.server().escape_debug(), .spelling.escape_debug())]
pub struct NameError {
    /// Whose name it would have been.
    pub id: ToolId,
    /// The scheme's identifier.
    pub scheme: &'static str,
    /// The name as the scheme would have written it.
    pub spelling: String,
    /// What is wrong with that.
    pub problem: NameProblem,
}

impl NameError {
    /// What the user can do about it, as a sentence.
    #[must_use]
    pub fn remedy(&self) -> String {
        self.problem.remedy()
    }
}

/// What is wrong with a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameProblem {
    /// A character that no provider accepts.
    #[error("has {character:?} (U+{:04X}) at position {position} of the {part}; allowed are A-Z a-z 0-9 _ -", u32::from(*character))]
    IllegalCharacter {
        /// Where it stands.
        part: Part,
        /// Which character of that part, counted from 1.
        position: usize,
        /// The character itself.
        character: char,
    },
    /// More characters than the limit.
    #[error("has {length} characters, {limit} are allowed")]
    TooLong {
        /// How many characters it has.
        length: usize,
        /// How many it may have.
        limit: usize,
        /// The longest server key with which the tool would fit; `None` if not even a key of one character does.
        longest_key: Option<usize>,
        /// Whether the scheme spells the key at all.
        spells_key: bool,
    },
    /// The name would read as another identity too, and the scheme was asked to refuse such names.
    #[error("can also be read as tool `{}` of server `{}`", .wire.escape_debug(), .server.escape_debug())]
    Ambiguous {
        /// The other reading's server key.
        server: String,
        /// The other reading's wire name.
        wire: String,
    },
    /// The short name a scheme made is another tool's.
    #[error("is already the name of {}", list(holders))]
    Taken {
        /// Who has the name, sorted.
        holders: Vec<ToolId>,
    },
    /// Making the name unique would cut the tool's own name.
    #[error(
        "is taken by {}, and a suffix that tells them apart would cut the tool's own name",
        list(holders)
    )]
    NoRoomForSuffix {
        /// Who has the name, sorted.
        holders: Vec<ToolId>,
    },
}

impl NameProblem {
    /// What the user can do about it, as a sentence.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::IllegalCharacter { part: Part::ServerKey, .. } => {
                "load the server under a key of letters, digits, `_` and `-`".into()
            }
            Self::IllegalCharacter { part: Part::WireName, .. } => {
                "use a scheme that substitutes characters (`provider-safe`, `prefixed-safe`), or ask the \
                 server's author for another name; the server keeps receiving its own name either way"
                    .into()
            }
            Self::TooLong { longest_key: Some(1), .. } => {
                "load the server under a key of 1 character".into()
            }
            Self::TooLong { longest_key: Some(fits), .. } => {
                format!("load the server under a key of at most {fits} characters")
            }
            Self::TooLong { .. } => "no server key can make it fit: use a scheme that shortens \
                 (`provider-safe`, `prefixed-safe`), or leave the tool out with a filter"
                .into(),
            Self::Ambiguous { .. } => {
                "load the server under a key without `__` that does not end in `_`".into()
            }
            Self::Taken { .. } | Self::NoRoomForSuffix { .. } => {
                "load one of the servers under another key".into()
            }
        }
    }
}

fn list(ids: &[ToolId]) -> String {
    ids.iter()
        .map(|id| format!("`{}`", id.to_string().escape_debug()))
        .collect::<Vec<_>>()
        .join(" and ")
}
