//! The tools that rules are judged against, each with its name in every host's spelling.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, OnceLock};

use callsign::rules::{Disabled, Pool};
use callsign::scheme::HostSpelling;
use callsign::{ServerKey, ToolId};

use crate::configured::Configured;

/// What identifies a server besides its key: a few hosts' rules go by it.
///
/// Shows nothing of itself in `Debug`, since both may hold secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// The program and its arguments; empty if it is not started.
    pub command: Vec<String>,
    /// Where it is reached, if it is not started.
    pub url: Option<String>,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").finish_non_exhaustive()
    }
}

/// All tools that are offered, in the order in which they were registered.
///
/// Names are spelled when a dialect first asks for them, once for all tools.
#[derive(Debug, Default)]
pub struct Fleet {
    /// Those that are offered, then those that are not.
    tools: Vec<ToolId>,
    offered: usize,
    /// Those that are on although they are not among the offered: only not looked at.
    aside: HashSet<usize>,
    /// Servers whose tools are not known, sorted.
    unknown: Vec<ServerKey>,
    /// For each tool, the index of its server.
    server_of: Vec<usize>,
    servers: Vec<ServerKey>,
    addresses: HashMap<ServerKey, Address>,
    read_only: HashMap<usize, bool>,
    spelled: [OnceLock<Spelled>; HostSpelling::ALL.len()],
    pool: OnceLock<Pool>,
    /// Tells this fleet from every other.
    mark: Arc<()>,
}

/// One spelling's names.
#[derive(Debug)]
struct Spelled {
    tools: Vec<Box<str>>,
    keys: Vec<Box<str>>,
}

impl Fleet {
    /// A fleet of these tools.
    #[must_use]
    pub fn new(tools: impl IntoIterator<Item = ToolId>) -> Self {
        Self::among(tools, &Configured::default())
    }

    /// A fleet of these tools, among everything that is configured. What of that is not in `tools` is never shown as
    /// reached, and counts where a text could be meant for it.
    #[must_use]
    pub fn among(tools: impl IntoIterator<Item = ToolId>, configured: &Configured) -> Self {
        let mut tools: Vec<ToolId> = tools.into_iter().collect();
        let offered = tools.len();
        let shown: HashSet<&ToolId> = tools.iter().collect();
        let others = configured.tools().filter(|tool| !shown.contains(tool)).cloned();
        let others: Vec<ToolId> = others.collect();
        tools.extend(others);
        let on = |at: &usize| tools.get(*at).is_some_and(|tool| configured.offers(tool));
        let aside = (offered..tools.len()).filter(on).collect();
        let mut servers = Vec::new();
        let mut known = HashMap::new();
        let mut server_of = Vec::with_capacity(tools.len());
        for tool in &tools {
            server_of.push(*known.entry(tool.server().clone()).or_insert_with(|| {
                servers.push(tool.server().clone());
                servers.len() - 1
            }));
        }
        let unknown = configured.unknown().cloned().collect();
        Self { tools, offered, aside, unknown, server_of, servers, ..Self::default() }
    }

    /// Says how a server is started or reached.
    pub fn set_address(&mut self, server: &ServerKey, address: Address) {
        self.addresses.insert(server.clone(), address);
    }

    /// Says what a tool's own annotation `readOnlyHint` is. Ignored for a tool that is not in the fleet.
    pub fn set_read_only(&mut self, tool: &ToolId, read_only: bool) {
        if let Some(index) = self.tools.iter().position(|known| known == tool) {
            self.read_only.insert(index, read_only);
        }
    }

    /// How many tools are offered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.offered
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.offered == 0
    }

    /// The servers, in the order of their first tools.
    #[must_use]
    pub fn servers(&self) -> &[ServerKey] {
        &self.servers
    }

    /// Every tool that is offered.
    pub fn tools(&self) -> impl Iterator<Item = Tool<'_>> {
        (0..self.offered).map(|index| Tool { fleet: self, index })
    }

    /// The other tools that are configured: of servers that are switched off or not meant, and those that a filter takes
    /// out.
    pub fn withheld(&self) -> impl Iterator<Item = Tool<'_>> {
        (self.offered..self.tools.len()).map(|index| Tool { fleet: self, index })
    }

    /// The servers whose tools are not known, sorted.
    #[must_use]
    pub fn unknown(&self) -> &[ServerKey] {
        &self.unknown
    }

    /// The tool at that position.
    #[must_use]
    pub fn tool(&self, index: usize) -> Option<Tool<'_>> {
        (index < self.offered).then_some(Tool { fleet: self, index })
    }

    /// The offered tool of that identity.
    #[must_use]
    pub fn find(&self, id: &ToolId) -> Option<Tool<'_>> {
        self.tools().find(|tool| tool.id() == id)
    }

    /// The tool of that identity, offered or not.
    #[must_use]
    pub fn find_configured(&self, id: &ToolId) -> Option<Tool<'_>> {
        self.tools().chain(self.withheld()).find(|tool| tool.id() == id)
    }

    /// The tools as the core judges rules against them.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        let unknown = || self.unknown.iter().map(ServerKey::as_str);
        self.pool.get_or_init(|| Pool::with_unknown(&self.tools, unknown(), Disabled::default()))
    }

    /// As [`pool`](Self::pool), without the tools that are off: they have no part in what makes a grant ambiguous.
    pub(crate) fn pool_without(&self, is_off: impl Fn(Tool<'_>) -> bool) -> Pool {
        let on = self.tools().chain(self.withheld()).filter(|tool| !is_off(*tool)).map(Tool::id);
        Pool::with_unknown(on, self.unknown.iter().map(ServerKey::as_str), Disabled::default())
    }

    pub(crate) fn mark(&self) -> &Arc<()> {
        &self.mark
    }

    fn spelled(&self, spelling: HostSpelling) -> Option<&Spelled> {
        Some(self.spelled.get(spelling.index())?.get_or_init(|| {
            let name = |tool: &ToolId| spelling.spell(tool.server(), tool.wire()).into();
            Spelled {
                tools: self.tools.iter().map(name).collect(),
                keys: self.servers.iter().map(|key| spelling.spell_key(key).into()).collect(),
            }
        }))
    }
}

/// A tool of a [`Fleet`].
#[derive(Debug, Clone, Copy)]
pub struct Tool<'f> {
    fleet: &'f Fleet,
    index: usize,
}

impl<'f> Tool<'f> {
    /// Its identity.
    #[must_use]
    pub fn id(self) -> &'f ToolId {
        &self.fleet.tools[self.index]
    }

    /// The fleet it is of.
    pub(crate) fn fleet(self) -> &'f Fleet {
        self.fleet
    }

    /// Its position in the fleet.
    #[must_use]
    pub fn index(self) -> usize {
        self.index
    }

    /// Whether it is on although it is not offered: its server is only not looked at.
    #[must_use]
    pub fn is_aside(self) -> bool {
        self.fleet.aside.contains(&self.index)
    }

    /// The key of its server.
    #[must_use]
    pub fn server(self) -> &'f str {
        self.id().server()
    }

    /// What its server calls it.
    #[must_use]
    pub fn wire(self) -> &'f str {
        self.id().wire()
    }

    /// All tools, as the core judges rules against them.
    #[must_use]
    pub fn pool(self) -> &'f Pool {
        self.fleet.pool()
    }

    /// Its name as that host writes it.
    #[must_use]
    pub fn name(self, spelling: HostSpelling) -> &'f str {
        self.fleet.spelled(spelling).map_or("", |spelled| &spelled.tools[self.index])
    }

    /// The key of its server as that host writes it.
    #[must_use]
    pub fn key(self, spelling: HostSpelling) -> &'f str {
        let server = self.fleet.server_of[self.index];
        self.fleet.spelled(spelling).map_or("", |spelled| &spelled.keys[server])
    }

    /// How its server is started or reached, if that is known.
    #[must_use]
    pub fn address(self) -> Option<&'f Address> {
        self.fleet.addresses.get(self.id().server())
    }

    /// Its own annotation `readOnlyHint`, if it is known.
    #[must_use]
    pub fn read_only(self) -> Option<bool> {
        self.fleet.read_only.get(&self.index).copied()
    }
}
