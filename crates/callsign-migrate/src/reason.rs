use callsign::{ServerKey, ToolId};

use crate::claimant::Claimant;

/// Why a text that could be moved is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// Several could be meant.
    #[error("it may mean {}", list(.0))]
    Ambiguous(Vec<Claimant>),
    /// The new spelling has no name for the tool that can be written.
    #[error("as {to}, `{}` of server `{}` would be `{spelling}`, which {problem}", tool.wire(), tool.server())]
    Unwritable {
        /// The tool that is meant.
        tool: ToolId,
        /// What it would be called.
        spelling: String,
        /// The identifier of the new spelling.
        to: &'static str,
        /// What is wrong with that.
        problem: String,
    },
    /// In the new spelling, others would have the same name.
    #[error("`{spelling}` would be the name of {}", list(.claimants))]
    Shared {
        /// What it would be called.
        spelling: String,
        /// Everybody who would be called so.
        claimants: Vec<Claimant>,
    },
    /// The new name is, in the old spelling, the name of something else: nobody could tell what has been moved.
    #[error("its new name `{spelling}` is what {holder} is called now")]
    Taken {
        /// What it would be called.
        spelling: String,
        /// Whose old name that is.
        holder: Claimant,
    },
    /// What stands beside it may belong to it: a path, a member, a longer name.
    #[error("it may be part of something longer")]
    Neighbour,
    /// The new name is the tool's own, which is a word like any other where nothing sets it apart.
    #[error("outside of quotes, code spans and lists, `{spelling}` would be a word like any other")]
    Word {
        /// What it would be called.
        spelling: String,
    },
    /// The new spelling has characters that may mean something to the file, and nothing quotes it.
    #[error(
        "nothing quotes it, and as `{spelling}` it might not be read as a name: put it in quotes or backticks first"
    )]
    Unquoted {
        /// What it would be called.
        spelling: String,
    },
    /// It is spelled like a tool of the server, which has none of that name.
    #[error("server `{0}` has no such tool")]
    UnknownTool(ServerKey),
    /// A pattern that covers no tool that is known.
    #[error("it covers no tool of server `{0}`")]
    CoversNothing(ServerKey),
    /// A pattern that covers tools of several servers.
    #[error("it covers tools of {}", servers(.0))]
    CoversSeveral(Vec<Claimant>),
    /// The new spelling has no pattern that covers exactly the same tools.
    #[error("{} has no pattern for exactly the same tools", .to)]
    NoPattern {
        /// The identifier of the new spelling.
        to: &'static str,
    },
    /// A pattern of another form than one `*` at its end.
    #[error("only patterns with one `*` at the end can be moved")]
    Form,
    /// The new spelling has no way to write a server as a whole.
    #[error("{to} has no name for a server as a whole")]
    NoServerName {
        /// The identifier of the new spelling.
        to: &'static str,
    },
    /// The start of a name that something else completes, as in `${…}`.
    #[error("a name is put together here")]
    Template,
}

impl Reason {
    /// The reason in one word, for machines.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ambiguous(_) => "ambiguous",
            Self::Unwritable { .. } => "unwritable",
            Self::Shared { .. } => "shared",
            Self::Taken { .. } => "taken",
            Self::Neighbour => "neighbour",
            Self::Word { .. } => "word",
            Self::Unquoted { .. } => "unquoted",
            Self::UnknownTool(_) => "unknown-tool",
            Self::CoversNothing(_) => "covers-nothing",
            Self::CoversSeveral(_) => "covers-several",
            Self::NoPattern { .. } => "no-pattern",
            Self::Form => "form",
            Self::NoServerName { .. } => "no-server-name",
            Self::Template => "template",
        }
    }

    /// The servers that the text may name, as far as the reason says.
    pub(crate) fn servers(&self) -> Vec<&ServerKey> {
        match self {
            // What would share the name, or has it, is not what the text names.
            Self::Shared { .. } | Self::Taken { .. } => Vec::new(),
            Self::Unwritable { tool, .. } => vec![tool.server()],
            Self::UnknownTool(key) | Self::CoversNothing(key) => vec![key],
            _ => self.claimants().iter().map(Claimant::server).collect(),
        }
    }

    /// Everybody the text may mean, where that is why it is left.
    #[must_use]
    pub fn claimants(&self) -> &[Claimant] {
        match self {
            Self::Ambiguous(claimants)
            | Self::CoversSeveral(claimants)
            | Self::Shared { claimants, .. } => claimants,
            Self::Taken { holder, .. } => std::slice::from_ref(holder),
            _ => &[],
        }
    }
}

fn list(claimants: &[Claimant]) -> String {
    claimants.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

fn servers(claimants: &[Claimant]) -> String {
    let mut keys: Vec<&str> = claimants.iter().map(|claimant| claimant.server().as_str()).collect();
    keys.dedup();
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and ")
}
