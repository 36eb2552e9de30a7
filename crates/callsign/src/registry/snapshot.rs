use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use super::miss::Miss;
use super::{Claimant, ToolOptions};
use crate::catalogue::{Malformed, Tool};
use crate::name::{ExposedName, ServerKey, ToolId, WireName};
use crate::rules::{Disabled, Listing, Pool};
use crate::scheme::Scheme;

/// A registry as it was at one moment. Immutable: a call that began on it ends on it, whatever changes meanwhile.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub(super) scheme: Arc<dyn Scheme>,
    /// Slot 0 holds the local tools; a freed slot is `None` and used again.
    pub(super) blocks: Vec<Option<Arc<Block>>>,
    /// The slots of registered servers, in the order in which they are listed.
    pub(super) order: Vec<u32>,
    pub(super) index: HashMap<ExposedName, Slot, foldhash::fast::RandomState>,
    /// Made of the rest when rules are first decided, see [`Current::edit`].
    pool: OnceLock<Arc<Pool>>,
}

/// The snapshot that a registry is at. The only way to change one, so that nothing made of it outlives the change.
#[derive(Debug)]
pub(super) struct Current(Arc<Snapshot>);

impl Current {
    pub(super) fn empty(scheme: Arc<dyn Scheme>) -> Self {
        Self(Arc::new(Snapshot::empty(scheme)))
    }

    pub(super) fn share(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0)
    }

    /// The snapshot to be changed: a copy, if readers hold it.
    pub(super) fn edit(&mut self) -> &mut Snapshot {
        let snapshot = Arc::make_mut(&mut self.0);
        snapshot.pool = OnceLock::new();
        snapshot
    }
}

impl Deref for Current {
    type Target = Snapshot;
    fn deref(&self) -> &Snapshot {
        &self.0
    }
}

/// The tools of one server, or the local ones.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// `None` for the local tools.
    pub(super) server: Option<ServerKey>,
    pub(super) rows: Vec<Row>,
    /// Entries of the server's listing that are not among the rows because they can't be read.
    pub(super) left_out: Vec<Malformed>,
}

#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) exposed: ExposedName,
    pub(super) tool: Tool,
    pub(super) options: Option<Box<ToolOptions>>,
}

/// Where a name's row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) block: u32,
    pub(super) row: u32,
}

/// One tool of a registry: its exposed name, whose it is, and its definition.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    block: &'a Block,
    row: &'a Row,
}

impl<'a> Entry<'a> {
    /// The name it is called by.
    #[must_use]
    pub fn exposed(&self) -> &'a ExposedName {
        &self.row.exposed
    }

    /// The server that has it; `None` for a local tool.
    #[must_use]
    pub fn server(&self) -> Option<&'a ServerKey> {
        self.block.server.as_ref()
    }

    /// The name its server knows it by, and the only one it is ever sent.
    #[must_use]
    pub fn wire(&self) -> &'a WireName {
        self.row.tool.wire()
    }

    /// Its identity; `None` for a local tool.
    #[must_use]
    pub fn id(&self) -> Option<ToolId> {
        Some(ToolId::new(self.server()?.clone(), self.wire().clone()))
    }

    /// Its definition, as it was advertised.
    #[must_use]
    pub fn tool(&self) -> &'a Tool {
        &self.row.tool
    }

    /// What the user set for it, if anything.
    #[must_use]
    pub fn options(&self) -> Option<&'a ToolOptions> {
        self.row.options.as_deref()
    }

    /// Who this is, for messages.
    #[must_use]
    pub fn claimant(&self) -> Claimant {
        match self.id() {
            Some(id) => Claimant::Tool(id),
            None => Claimant::Local(self.wire().clone()),
        }
    }
}

impl Listing for Block {
    fn server(&self) -> &str {
        self.server.as_deref().unwrap_or_default()
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn wire(&self, row: usize) -> &str {
        self.rows[row].tool.wire()
    }

    fn exposed(&self, row: usize) -> Option<&str> {
        Some(&self.rows[row].exposed)
    }
}

impl Snapshot {
    fn empty(scheme: Arc<dyn Scheme>) -> Self {
        let blocks = vec![Some(Arc::default())];
        let (order, index, pool) = (Vec::new(), HashMap::default(), OnceLock::new());
        Self { scheme, blocks, order, index, pool }
    }

    /// The scheme that names the tools.
    #[must_use]
    pub fn scheme(&self) -> &dyn Scheme {
        &*self.scheme
    }

    /// Who answers to a name: one hash look-up.
    ///
    /// # Errors
    /// [`Miss`], which says what the asker may have meant.
    pub fn resolve(&self, name: &str) -> Result<Entry<'_>, Miss> {
        self.get(name).ok_or_else(|| Miss::explain(self, name))
    }

    /// As [`resolve`](Self::resolve), without the help on a miss.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Entry<'_>> {
        let slot = self.index.get(name)?;
        let block = self.blocks.get(slot.block as usize)?.as_deref()?;
        Some(Entry { block, row: block.rows.get(slot.row as usize)? })
    }

    /// The exposed name of an identity.
    #[must_use]
    pub fn name_of(&self, id: &ToolId) -> Option<&ExposedName> {
        let block = self.block_of(id.server())?;
        block.rows.iter().find(|row| row.tool.wire() == id.wire()).map(|row| &row.exposed)
    }

    /// All tools: local ones first, then servers in configuration order, each server's in advertised order, tools that came
    /// later last within their server.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        std::iter::once(&0).chain(&self.order).flat_map(|&slot| self.entries_of(slot))
    }

    /// The tools that are shown: [`entries`](Self::entries) without the hidden ones.
    pub fn listed(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries().filter(|entry| entry.options().is_none_or(|options| !options.hidden))
    }

    /// The registered servers, in configuration order. One that advertises no tools is among them.
    pub fn servers(&self) -> impl Iterator<Item = &ServerKey> {
        self.order.iter().filter_map(|&slot| self.block(slot)?.server.as_ref())
    }

    /// The tools of one server, or `None` if it is not registered.
    #[must_use]
    pub fn tools_of(&self, server: &ServerKey) -> Option<Vec<Entry<'_>>> {
        Some(self.entries_of(self.slot_of(server)?).collect())
    }

    /// What one server advertised and could not be read, with its positions; `None` if it is not registered. Always empty
    /// for a server that was not registered to [leave it out](super::Unreadable::LeaveOut).
    #[must_use]
    pub fn left_out(&self, server: &ServerKey) -> Option<&[Malformed]> {
        Some(&self.block_of(server)?.left_out)
    }

    /// How many tools there are, local and hidden ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no tool at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The servers' tools, as rules are decided among them; hidden ones are among them, local ones are not.
    ///
    /// Made at the first call, in time n log n; a snapshot never changes, so it is never out of date.
    #[must_use]
    pub fn pool(&self) -> &Pool {
        self.pool.get_or_init(|| Arc::new(self.pool_without(Disabled::default())))
    }

    /// As [`pool`](Self::pool), without the tools of a list of disabled ones; made at each call.
    #[must_use]
    pub fn pool_without(&self, disabled: Disabled) -> Pool {
        let blocks = self.order.iter().filter_map(|&slot| self.blocks.get(slot as usize)?.as_ref());
        let listings = blocks.map(|block| Arc::clone(block) as Arc<dyn Listing>);
        Pool::over(listings, disabled, matches!(self.scheme.id(), "bare" | "minimal"))
    }

    pub(super) fn block(&self, slot: u32) -> Option<&Block> {
        self.blocks.get(slot as usize)?.as_deref()
    }

    pub(super) fn slot_of(&self, server: &ServerKey) -> Option<u32> {
        let holds =
            |&slot: &u32| self.block(slot).is_some_and(|b| b.server.as_ref() == Some(server));
        self.order.iter().copied().find(holds)
    }

    fn block_of(&self, server: &ServerKey) -> Option<&Block> {
        self.block(self.slot_of(server)?)
    }

    fn entries_of(&self, slot: u32) -> impl Iterator<Item = Entry<'_>> {
        self.block(slot)
            .into_iter()
            .flat_map(|block| block.rows.iter().map(move |row| Entry { block, row }))
    }
}

/// The same tools under the same names with the same definitions and options, in the same order.
impl PartialEq for Snapshot {
    fn eq(&self, other: &Self) -> bool {
        let rows = |snapshot: &Self| -> Vec<_> {
            snapshot
                .entries()
                .map(|e| {
                    (
                        e.exposed().clone(),
                        e.server().cloned(),
                        e.tool().clone(),
                        e.options().cloned(),
                    )
                })
                .collect()
        };
        self.servers().eq(other.servers()) && rows(self) == rows(other)
    }
}
