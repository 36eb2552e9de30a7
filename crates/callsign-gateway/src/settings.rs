//! What a gateway is made of, decided before anything starts.

use std::collections::BTreeMap;
use std::sync::Arc;

use callsign::catalogue::Filter;
use callsign::registry::ToolOptions;
use callsign::scheme::{PrefixedSafe, Scheme};
use callsign_mcp::{Memory, ServerSpec};

use crate::limits::Limits;
use crate::policy::{AllowAll, Policy};
use crate::refusal::Outage;

/// One server and what the user set for its tools.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Its key, and how it is started or reached.
    pub spec: ServerSpec,
    /// What holds for its tools.
    pub tools: ToolSettings,
}

impl ServerSettings {
    /// A server all of whose tools are served as they are.
    #[must_use]
    pub fn new(spec: ServerSpec) -> Self {
        Self { spec, tools: ToolSettings::default() }
    }
}

/// What the user set for a server's tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Which of them are served.
    pub filter: Filter,
    /// Options by wire name.
    pub options: BTreeMap<String, ToolOptions>,
}

/// Everything a gateway is made of.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The servers, in the configuration's order, which is that of the lists.
    pub servers: Vec<ServerSettings>,
    /// Servers of the configuration that can't even be started: they are named wherever a missing one is.
    pub unavailable: Vec<Outage>,
    /// How tools and prompts are named.
    pub scheme: Arc<dyn Scheme>,
    /// What may be seen and called.
    pub policy: Arc<dyn Policy>,
    /// Where eras and catalogues are remembered: what was listed in an earlier run is served at once.
    pub memory: Memory,
    /// The bounds.
    pub limits: Limits,
}

impl Settings {
    /// The default scheme, no policy, nothing remembered, the usual bounds.
    #[must_use]
    pub fn new(servers: Vec<ServerSettings>) -> Self {
        Self {
            servers,
            unavailable: Vec::new(),
            scheme: Arc::new(PrefixedSafe::default()),
            policy: Arc::new(AllowAll),
            memory: Memory::none(),
            limits: Limits::default(),
        }
    }
}
