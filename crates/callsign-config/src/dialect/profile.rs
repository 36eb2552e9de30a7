//! What is known of a rule language, and on what evidence.

/// A statement about a host: established by its source or its documentation, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// It is so.
    Established(&'static str),
    /// Nothing that was found says it; what exactly is not known. It decides nothing.
    Unknown(&'static str),
}

impl Fact {
    /// The statement as it is printed: what is not established begins with `unknown`.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Established(text) => text.to_owned(),
            Self::Unknown(text) => format!("unknown: {text}"),
        }
    }
}

/// What a dialect's entries act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acts {
    /// On calls: run, ask, refuse.
    OnCalls,
    /// On what reaches the model at all.
    OnVisibility,
    /// On both, by the list an entry stands in.
    OnBoth,
    /// On whole servers.
    OnServers,
    /// On nothing by itself: it chooses for which calls a program of the user's is run.
    OnHooks,
}

/// One rule language: where it is written and what it means there.
#[derive(Debug)]
pub struct Profile {
    /// The dialect's identifier, as written in a `decide` line and on the command line: `claude-code`.
    pub id: &'static str,
    /// The program whose language it is: `Claude Code`.
    pub host: &'static str,
    /// What its entries act on.
    pub acts: Acts,
    /// Files of a project, relative to its folder. A last component may hold one `*`.
    pub project_files: &'static [&'static str],
    /// Files of a user, relative to their home folder.
    pub user_files: &'static [&'static str],
    /// What an entry is compared with.
    pub compared: Fact,
    /// What stands for more than one tool.
    pub wildcards: Fact,
    /// Which of several matching entries counts.
    pub precedence: Fact,
    /// What a list without entries means.
    pub empty: Fact,
    /// What the host does about an entry that names nothing, or can't be read.
    pub unknown_entry: Fact,
    /// Where that was seen: source file and revision, document, or release notes, with their date.
    pub evidence: &'static [&'static str],
}
