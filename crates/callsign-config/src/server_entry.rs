//! One server as a configuration file has it.

use std::path::{Path, PathBuf};

use callsign::catalogue::Filter;
use callsign::{Catalogue, ServerKey};

use crate::expand::{self, ExpandError, Expanded};
use crate::launch::Launch;
use crate::place::{Place, Span};
use crate::settings::ToolOptions;

/// How a server is spoken to, as far as its entry says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Transport {
    /// A program that is started and spoken to over its standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP with server-sent events, the older transport.
    Sse,
    /// A web socket.
    Ws,
    /// A container image.
    Container,
    /// A part of the client.
    Builtin,
    /// An extension of the client.
    Extension,
    /// A name that is explained elsewhere.
    Reference,
    /// Changes to a server that is defined elsewhere.
    Override,
    /// The entry says neither command nor address, or a transport that callsign does not know.
    Unknown,
    /// The entry says both command and address.
    Ambiguous,
}

impl Transport {
    /// The word for it in callsign's output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Sse => "sse",
            Self::Ws => "ws",
            Self::Container => "container",
            Self::Builtin => "builtin",
            Self::Extension => "extension",
            Self::Reference => "reference",
            Self::Override => "override",
            Self::Unknown => "unknown",
            Self::Ambiguous => "ambiguous",
        }
    }
}

/// What an entry says of its server's tools without the server being asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Statics {
    /// Nothing, or only patterns (`get_*`), which choose among tools and list none.
    #[default]
    None,
    /// `tools` has the entry `*`: all are allowed, which ones there are is not said.
    AllowAll,
    /// They are listed, in this order, twice where they are listed twice. An empty list says that there are none.
    ///
    /// A tool written as an object keeps its text byte for byte, except that comments and trailing commas are spaces.
    Listed(Catalogue),
}

/// One server of a configuration file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerEntry {
    /// The key the user gave it.
    pub key: ServerKey,
    /// Where the key stands.
    pub place: Place,
    /// The project path or profile that a nested entry belongs to.
    pub scope: Option<String>,
    /// How it is spoken to.
    pub transport: Transport,
    /// How it is started or reached, variables unexpanded.
    pub launch: Launch,
    /// Whether it is switched off.
    pub disabled: bool,
    /// Which of its tools are used, by wire name. `tools` is set only by a list of names without `*`: a list of whole
    /// definitions describes the server and leaves nothing out.
    pub filter: Filter,
    /// What is said of its tools, and with a list of them of its prompts and resources.
    pub statics: Statics,
    /// What is said of its prompts, its resources and itself where `tools` lists no tools; it has no tools then. Empty
    /// where [`statics`](Self::statics) is [`Listed`](Statics::Listed).
    pub described: Catalogue,
    /// Where all that stands.
    pub spans: EntrySpans,
    /// Options of single tools, by wire name (callsign.toml only).
    pub options: Vec<ToolOptions>,
}

/// Where an entry's lists stand. [`ConfigFile::place`](crate::ConfigFile::place) makes lines and columns of spans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntrySpans {
    /// The value under the key.
    pub entry: Span,
    /// The name of each static tool, by its [position](Catalogue::position) in the list; for a tool without a readable
    /// name the whole tool.
    pub tools: Vec<Span>,
    /// The name of each static prompt, in order.
    pub prompts: Vec<Span>,
    /// The URI of each static resource, in order.
    pub resources: Vec<Span>,
    /// The entries of `filter.include`, in order.
    pub include: Vec<Span>,
    /// The entries of `filter.exclude`, in order.
    pub exclude: Vec<Span>,
}

impl ServerEntry {
    /// The static catalogue, if one is listed.
    #[must_use]
    pub fn catalogue(&self) -> Option<&Catalogue> {
        match &self.statics {
            Statics::Listed(catalogue) => Some(catalogue),
            Statics::None | Statics::AllowAll => None,
        }
    }

    /// Where the names of the static tools called `wire` stand: one span for each time it is listed.
    pub fn tool_spans<'a>(&'a self, wire: &'a str) -> impl Iterator<Item = Span> + 'a {
        let tools = self.catalogue().into_iter().flat_map(move |catalogue| {
            let named = catalogue.tools().iter().enumerate();
            let same = named.filter(move |(_, tool)| tool.wire().as_str() == wire);
            same.map(|(index, _)| catalogue.position(index))
        });
        tools.filter_map(|position| self.spans.tools.get(position).copied())
    }

    /// The launch with its variables put in ([what is expanded](crate::expand)).
    ///
    /// `variable` gives the value of an environment variable; `project` is what `${workspaceFolder}` and relative paths
    /// stand for ([`ConfigFile::project`](crate::ConfigFile::project)), unless the entry belongs to a project of its own
    /// ([`scope`](Self::scope)). Reads the environment file if the entry names one. Never runs anything.
    ///
    /// # Errors
    /// The first variable without a value, by name; or an environment file that can't be read.
    pub fn expand(
        &self,
        project: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Expanded, ExpandError> {
        expand::expand(&self.key, &self.launch, self.project(project), variable)
    }

    /// The folder it starts in, absolute, with the same arguments as [`expand`](Self::expand): the entry's own, else the
    /// project's. Reads no file.
    ///
    /// # Errors
    /// If a variable in it has no value.
    pub fn folder(
        &self,
        project: &Path,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<PathBuf, ExpandError> {
        expand::folder(&self.key, &self.launch, self.project(project), variable)
    }

    /// The project that the entry belongs to, which in a file with entries of several projects is not the file's.
    fn project<'a>(&'a self, of_file: &'a Path) -> &'a Path {
        let own = self.scope.as_deref().map(Path::new);
        own.filter(|scope| scope.is_absolute()).unwrap_or(of_file)
    }
}
