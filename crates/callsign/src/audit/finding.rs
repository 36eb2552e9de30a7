use std::fmt;

use serde::Serialize;

use super::index::{Claim, Index};
use crate::name::{ServerKey, ToolId};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing breaks.
    Info,
    /// Likely to confuse a model or a person.
    Warning,
    /// A call fails or reaches the wrong tool.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// What sort of name a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A tool's wire name.
    Tool,
    /// A prompt's name.
    Prompt,
    /// A resource's URI.
    Resource,
    /// A server key.
    Server,
    /// An entry of a list of rules.
    Rule,
}

impl Kind {
    /// The word for it in sentences.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::Server => "server",
            Self::Rule => "rule",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// One row of the table of findings: what all findings of a code have in common.
#[derive(Debug)]
pub struct Code {
    /// The stable code, `CS001`.
    pub code: &'static str,
    /// The code in words, `duplicate-tool`.
    pub name: &'static str,
    /// The severity its findings have unless their facts or the user's settings say otherwise.
    pub severity: Severity,
    /// The page in Markdown: what it finds, why it matters, an example, what to do, how to silence it.
    pub page: &'static str,
    pub(super) search: Search,
}

pub(super) type Search = fn(&Index<'_>, &'static Code, &mut Vec<Finding>);

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for Code {}

/// One thing that the audit reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    code: &'static Code,
    severity: Severity,
    message: String,
    help: Option<String>,
    subject: Subject,
}

impl Finding {
    pub(super) fn of(code: &'static Code, facts: &impl Facts) -> Self {
        Self {
            code,
            severity: facts.severity(code.severity),
            message: facts.message(),
            help: facts.help(),
            subject: facts.subject(),
        }
    }

    /// The row of the table it belongs to.
    #[must_use]
    pub fn code(&self) -> &'static Code {
        self.code
    }

    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The same finding with the severity that the user's settings or a host's behaviour give it.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// What sort of name it is about.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.subject.kind
    }

    /// What was found, as one sentence without a final stop. Names from outside are escaped: it has no control characters.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What can be done about it, as one sentence without a final stop.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The servers it is about, sorted, each once.
    #[must_use]
    pub fn servers(&self) -> &[ServerKey] {
        &self.subject.servers
    }

    /// The identities it is about, sorted, each once; empty for findings about servers. In a finding about prompts or
    /// resources the prompt's name or the resource's URI stands where a tool has its wire name.
    #[must_use]
    pub fn tools(&self) -> &[ToolId] {
        &self.subject.tools
    }

    /// Where it is, so that a reader of the configuration can point there; the first is the one to point at, the others
    /// belong to it. Never empty.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.subject.places
    }

    /// Findings of one code are sorted by what they are about, then by what they say: never by the order of the input.
    /// Those about rules come in the order of their files.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let by_file = match self.subject.kind {
            Kind::Rule => self.subject.places.cmp(&other.subject.places),
            _ => std::cmp::Ordering::Equal,
        };
        self.kind()
            .cmp(&other.kind())
            .then(by_file)
            .then_with(|| self.subject.tools.cmp(&other.subject.tools))
            .then_with(|| self.subject.servers.cmp(&other.subject.servers))
            .then_with(|| self.subject.places.cmp(&other.subject.places))
            .then_with(|| self.message.cmp(&other.message))
    }
}

/// `error[CS001]: tool ...`, for logs and tests; a report's layout is for its renderer.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.severity, self.code.code, self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

/// Where a finding is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A server's entry in the configuration, or one entry of what the server advertised.
    Server {
        /// The server.
        server: ServerKey,
        /// The entry of one of its listings; `None` for the server as a whole.
        entry: Option<Entry>,
    },
    /// An entry of a list of rules.
    Rule(crate::rules::Place),
}

/// An entry of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entry {
    /// Which listing: tools, prompts or resources; no other kind.
    pub kind: Kind,
    /// Where it stood in the listing as it was sent, counted from 0, unreadable entries included.
    pub index: usize,
}

/// What a finding knows before it is put into words. Each finding's file has one type that implements this.
pub(super) trait Facts {
    fn severity(&self, default: Severity) -> Severity {
        default
    }
    fn message(&self) -> String;
    fn help(&self) -> Option<String>;
    fn subject(&self) -> Subject;
}

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) kind: Kind,
    pub(super) servers: Vec<ServerKey>,
    pub(super) tools: Vec<ToolId>,
    pub(super) places: Vec<Place>,
}

impl Subject {
    /// These entries of listings. `claims` may come in any order; the first in the order of servers is pointed at.
    pub(super) fn entries(claims: &[Claim<'_>]) -> Self {
        let mut tools: Vec<ToolId> = claims.iter().map(Claim::id).collect();
        let mut places: Vec<Place> = claims.iter().map(Claim::place).collect();
        // Most have one claim of each server, in their order.
        if !claims.is_sorted_by(|a, b| a.key() < b.key()) {
            sort_unique(&mut tools);
            sort_unique(&mut places);
        }
        let mut servers: Vec<ServerKey> = tools.iter().map(|id| id.server().clone()).collect();
        servers.dedup();
        let kind = claims.first().map_or(Kind::Tool, |claim| claim.kind);
        Self { kind, servers, tools, places }
    }

    /// These servers as a whole.
    pub(super) fn servers<'k>(keys: impl IntoIterator<Item = &'k ServerKey>) -> Self {
        let mut servers: Vec<ServerKey> = keys.into_iter().cloned().collect();
        sort_unique(&mut servers);
        let place = |server: &ServerKey| Place::Server { server: server.clone(), entry: None };
        let places = servers.iter().map(place).collect();
        Self { kind: Kind::Server, servers, tools: Vec::new(), places }
    }

    /// An entry of a list of rules, with the tools and servers it concerns. `places` are not sorted: the first is the
    /// entry's own.
    pub(super) fn rule<'t>(
        places: Vec<Place>,
        tools: impl IntoIterator<Item = &'t ToolId>,
        servers: impl IntoIterator<Item = &'t ServerKey>,
    ) -> Self {
        let mut tools: Vec<ToolId> = tools.into_iter().cloned().collect();
        sort_unique(&mut tools);
        let of_tools = tools.iter().map(|id| id.server().clone());
        let mut servers: Vec<ServerKey> = servers.into_iter().cloned().chain(of_tools).collect();
        sort_unique(&mut servers);
        Self { kind: Kind::Rule, servers, tools, places }
    }

    /// An entry of a server's tools that could not be read, with its name where that much could be.
    pub(super) fn unreadable(server: &ServerKey, index: usize, tool: Option<ToolId>) -> Self {
        let entry = Some(Entry { kind: Kind::Tool, index });
        Self {
            kind: Kind::Tool,
            servers: vec![server.clone()],
            tools: tool.into_iter().collect(),
            places: vec![Place::Server { server: server.clone(), entry }],
        }
    }
}

impl Claim<'_> {
    fn id(&self) -> ToolId {
        ToolId::new(self.key().clone(), self.name.clone())
    }

    fn place(&self) -> Place {
        let entry = Some(Entry { kind: self.kind, index: self.position as usize });
        Place::Server { server: self.key().clone(), entry }
    }
}

fn sort_unique<T: Ord>(items: &mut Vec<T>) {
    items.sort_unstable();
    items.dedup();
}
