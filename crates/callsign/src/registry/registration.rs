use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::time::Duration;

use crate::catalogue::{Filter, Tool};

/// Sees every tool that is about to be registered, before anything changes. An `Err` refuses the whole registration and
/// reaches the caller as it is. It is asked once: for a later [`replace`](super::Registry::replace) it has to be given
/// again ([`replace_admitted`](super::Registry::replace_admitted)).
pub type Admission<'a> =
    &'a (dyn Fn(&[Tool]) -> Result<(), Box<dyn Error + Send + Sync>> + Send + Sync);

/// What comes with a server's catalogue when it is registered.
#[derive(Clone, Default)]
pub struct Registration<'a> {
    /// Which of its tools are used.
    pub filter: Filter,
    /// Options by wire name. A key that is no advertised wire name is an error.
    pub options: BTreeMap<String, ToolOptions>,
    /// What is done about tools of the listing that can't be read and that the filter does not leave out.
    pub unreadable: Unreadable,
    /// Local tools that this server takes the name of, by exposed name. Anything not listed keeps its name, and a name that
    /// is no local tool's, or that the server does not claim, is an error.
    pub replace_local: BTreeSet<String>,
    /// Asked once, with all tools.
    pub admission: Option<Admission<'a>>,
}

impl std::fmt::Debug for Registration<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration")
            .field("filter", &self.filter)
            .field("options", &self.options)
            .field("unreadable", &self.unreadable)
            .field("replace_local", &self.replace_local)
            .field("admission", &self.admission.is_some())
            .finish()
    }
}

/// What is done about tools of a listing that can't be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Unreadable {
    /// The server is not registered: an agent would miss a tool and not know it.
    #[default]
    Refuse,
    /// The other tools are registered all the same, and what was left out can be had of
    /// [`Snapshot::left_out`](super::Snapshot::left_out), so that a caller can name it.
    LeaveOut,
}

/// What the user set for one tool of one server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOptions {
    /// How long a call may take; the caller's own limit if absent.
    pub time_limit: Option<Duration>,
    /// Registered and callable, but not listed.
    pub hidden: bool,
    /// Shown in place of the server's description.
    pub description: Option<String>,
}
