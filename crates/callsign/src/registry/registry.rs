use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::change::Unmatched;
use super::plan::{self, Plan};
use super::snapshot::{Block, Current, Row, Slot, Snapshot};
use super::{
    Admission, ChangeSet, Miss, NotRegistered, RegisterError, Registration, ToolOptions, Unreadable,
};
use crate::catalogue::{Catalogue, Filter, Malformed};
use crate::name::{ExposedName, ServerKey};
use crate::scheme::Scheme;

/// Gives every tool of a set of servers one exposed name and keeps it until the server is replaced or removed.
///
/// This is the writing side, owned by whoever changes it; readers take a [`Snapshot`], or share a
/// [`SharedRegistry`](super::SharedRegistry).
#[derive(Debug)]
pub struct Registry {
    pub(super) current: Current,
    /// What each server was registered with, to be applied again when its catalogue is replaced.
    pub(super) settings: HashMap<ServerKey, Settings>,
    /// The configuration's order of servers, where one was given.
    order: Vec<ServerKey>,
    /// How many servers have been registered so far.
    registered: u64,
}

#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) filter: Filter,
    options: BTreeMap<String, ToolOptions>,
    unreadable: Unreadable,
    /// The how many-th server it was.
    since: u64,
}

impl Settings {
    pub(super) fn of(registration: &Registration<'_>) -> Self {
        let (filter, options) = (registration.filter.clone(), registration.options.clone());
        Self { filter, options, unreadable: registration.unreadable, since: 0 }
    }
}

impl Registry {
    /// An empty registry whose names are made by `scheme`.
    pub fn new(scheme: impl Scheme + 'static) -> Self {
        Self::with_scheme(Arc::new(scheme))
    }

    /// As [`new`](Self::new), for a scheme chosen at run time.
    #[must_use]
    pub fn with_scheme(scheme: Arc<dyn Scheme>) -> Self {
        let current = Current::empty(scheme);
        Self { current, settings: HashMap::new(), order: Vec::new(), registered: 0 }
    }

    /// Lists servers in this order from now on, whenever they come; servers not named here follow in order of registration.
    pub fn set_server_order(&mut self, order: Vec<ServerKey>) {
        self.order = order;
        self.sort_servers();
    }

    /// The registry as it is now; later changes don't touch it.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.current.share()
    }

    /// Who answers to a name now.
    ///
    /// # Errors
    /// [`Miss`], which says what the asker may have meant.
    pub fn resolve(&self, name: &str) -> Result<super::Entry<'_>, Miss> {
        self.current.resolve(name)
    }

    /// Registers all tools of a server, or none, and gives their exposed names in advertised order.
    ///
    /// A server that advertises no tools registers none and succeeds.
    ///
    /// # Errors
    /// [`RegisterError`]; the registry is as it was.
    pub fn register(
        &mut self,
        server: ServerKey,
        catalogue: Catalogue,
        registration: Registration<'_>,
    ) -> Result<Vec<ExposedName>, RegisterError> {
        let settings = Settings::of(&registration);
        let plan = plan::plan(&self.current, server, catalogue, registration)?;
        Ok(self.commit(plan, settings))
    }

    /// Puts a server's new catalogue in place of its old one, under the filter and options it was registered with, and with
    /// what it was registered to do about unreadable tools.
    ///
    /// Tools that stay keep their place in the list, new ones come last, so that a prompt prefix cached by a host survives.
    ///
    /// ```
    /// use callsign::registry::{Registration, Registry};
    /// use callsign::scheme::Qualified;
    /// use callsign::{Catalogue, ServerKey, WireName};
    ///
    /// let listing = |names: &[&str]| {
    ///     let mut catalogue = Catalogue::default();
    ///     names.iter().for_each(|name| catalogue.push_tool(&format!(r#"{{"name":"{name}"}}"#)));
    ///     catalogue
    /// };
    /// let mut registry = Registry::new(Qualified::default());
    /// let alpha = ServerKey::new("alpha")?;
    /// registry.register(alpha.clone(), listing(&["get", "put"]), Registration::default())?;
    ///
    /// let change = registry.replace(&alpha, listing(&["post", "get"]))?;
    /// assert_eq!((change.added.len(), change.removed.len(), change.changed.len()), (1, 1, 0));
    /// let names: Vec<_> = registry.snapshot().entries().map(|e| e.exposed().to_string()).collect();
    /// assert_eq!(names, ["mcp__alpha__get", "mcp__alpha__post"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ReplaceError`]; the old catalogue keeps serving.
    pub fn replace(
        &mut self,
        server: &ServerKey,
        catalogue: Catalogue,
    ) -> Result<ChangeSet, ReplaceError> {
        self.replace_admitted(server, catalogue, None)
    }

    /// As [`replace`](Self::replace), after asking an admission predicate.
    ///
    /// # Errors
    /// As [`replace`](Self::replace), and [`RegisterError::Refused`].
    pub fn replace_admitted(
        &mut self,
        server: &ServerKey,
        mut catalogue: Catalogue,
        admission: Option<Admission<'_>>,
    ) -> Result<ChangeSet, ReplaceError> {
        let Some(slot) = self.current.slot_of(server) else {
            return Err(NotRegistered { server: server.clone() }.into());
        };
        plan::refuse_duplicates(server, &catalogue)?;
        let mut unmatched = Unmatched::default();
        let (mut options, mut left_out) = (BTreeMap::new(), Vec::new());
        if let Some(settings) = self.settings.get(server) {
            unmatched.filter_entries = settings.filter.retain(server, &mut catalogue);
            options.clone_from(&settings.options);
            unmatched.options = options.keys().cloned().collect();
            let served = |key: &String| catalogue.tools().iter().any(|tool| **tool.wire() == **key);
            unmatched.options.retain(|key| !served(key));
            left_out = plan::leave_out(settings.unreadable, &mut catalogue);
        }
        let own =
            |name: &str| self.current.index.get(name).is_some_and(|holder| holder.block == slot);
        let names = plan::names(&self.current, server, &catalogue, &own)?;
        plan::admit(server, catalogue.tools(), admission)?;
        let rows = plan::rows(names, catalogue, options);
        Ok(self.exchange(slot, rows, left_out, unmatched))
    }

    /// Removes a server and all its names, and gives these in the order in which they were listed.
    ///
    /// # Errors
    /// [`NotRegistered`].
    pub fn remove(&mut self, server: &ServerKey) -> Result<Vec<ExposedName>, NotRegistered> {
        let Some(slot) = self.current.slot_of(server) else {
            return Err(NotRegistered { server: server.clone() });
        };
        self.settings.remove(server);
        let snapshot = self.current.edit();
        snapshot.order.retain(|&listed| listed != slot);
        let block = snapshot.blocks[slot as usize].take();
        let names: Vec<ExposedName> =
            block.iter().flat_map(|block| &block.rows).map(|row| row.exposed.clone()).collect();
        for name in &names {
            snapshot.index.remove(name);
        }
        Ok(names)
    }

    /// Puts a checked plan into force; nothing in here can fail.
    pub(super) fn commit(&mut self, plan: Plan, settings: Settings) -> Vec<ExposedName> {
        let Plan { server, rows, left_out, evicted, .. } = plan;
        for name in &evicted {
            self.drop_local(name);
        }
        let names: Vec<ExposedName> = rows.iter().map(|row| row.exposed.clone()).collect();
        let snapshot = self.current.edit();
        let slot = snapshot.free_slot();
        snapshot.order.push(slot);
        snapshot.fill(slot, Block { server: Some(server.clone()), rows, left_out });
        self.registered += 1;
        self.settings.insert(server, Settings { since: self.registered, ..settings });
        if !self.order.is_empty() {
            self.sort_servers();
        }
        names
    }

    fn exchange(
        &mut self,
        slot: u32,
        rows: Vec<Row>,
        left_out: Vec<Malformed>,
        unmatched: Unmatched,
    ) -> ChangeSet {
        let snapshot = self.current.edit();
        let Some(old) = snapshot.blocks[slot as usize].take() else { return ChangeSet::default() };
        for row in &old.rows {
            snapshot.index.remove(&row.exposed);
        }
        let (change, rows) = super::change::between(&old.rows, rows, unmatched);
        snapshot.fill(slot, Block { server: old.server.clone(), rows, left_out });
        change
    }

    fn sort_servers(&mut self) {
        let rank: HashMap<&ServerKey, usize> =
            self.order.iter().enumerate().map(|(rank, key)| (key, rank)).collect();
        let snapshot = self.current.edit();
        let mut order = std::mem::take(&mut snapshot.order);
        order.sort_by_key(|&slot| {
            let key = snapshot.block(slot).and_then(|block| block.server.as_ref());
            let rank = key.and_then(|key| rank.get(key)).copied().unwrap_or(usize::MAX);
            (rank, key.and_then(|key| self.settings.get(key)).map(|settings| settings.since))
        });
        snapshot.order = order;
    }
}

impl Snapshot {
    fn free_slot(&mut self) -> u32 {
        match self.blocks.iter().position(Option::is_none) {
            Some(free) => u32::try_from(free).unwrap_or(u32::MAX),
            None => {
                self.blocks.push(None);
                u32::try_from(self.blocks.len() - 1).unwrap_or(u32::MAX)
            }
        }
    }

    pub(super) fn fill(&mut self, slot: u32, block: Block) {
        self.index.reserve(block.rows.len());
        for (row, entry) in (0u32..).zip(&block.rows) {
            self.index.insert(entry.exposed.clone(), Slot { block: slot, row });
        }
        self.blocks[slot as usize] = Some(Arc::new(block));
    }
}

/// A catalogue was not replaced; the old one keeps serving.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// There is nothing to replace.
    #[error(transparent)]
    NotRegistered(#[from] NotRegistered),
    /// The new catalogue can't be registered.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::Tool;
    use crate::name::WireName;
    use crate::scheme::Qualified;

    fn key(text: &str) -> ServerKey {
        ServerKey::new(text).unwrap()
    }

    fn catalogue(names: &[&str]) -> Catalogue {
        Catalogue::of(names.iter().map(|name| Tool::named(WireName::new(name).unwrap())).collect())
    }

    #[test]
    fn servers_without_a_place_are_in_order_of_registration_whatever_the_order_was_before() {
        let mut registry = Registry::new(Qualified::default());
        for server in ["c", "a", "b"] {
            registry.register(key(server), Catalogue::default(), Registration::default()).unwrap();
        }
        let mut listed = |order: &[&str]| {
            registry.set_server_order(order.iter().map(|server| key(server)).collect());
            registry.snapshot().servers().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(listed(&["b", "a"]), ["b", "a", "c"]);
        assert_eq!(listed(&["b"]), ["b", "c", "a"]);
        assert_eq!(listed(&[]), ["c", "a", "b"]);
    }

    #[test]
    fn what_a_registration_says_of_tools_that_went_is_told() {
        let mut registry = Registry::new(Qualified::default());
        let registration = Registration {
            filter: Filter { exclude: Some(vec!["old".into()]), ..Filter::default() },
            options: BTreeMap::from([("run".into(), ToolOptions::default())]),
            ..Registration::default()
        };
        registry.register(key("s"), catalogue(&["run", "old"]), registration).unwrap();
        let change = registry.replace(&key("s"), catalogue(&["new"])).unwrap();
        assert_eq!(change.unmatched_filter_entries, ["old"]);
        assert_eq!(change.unmatched_options, ["run"]);
        let change = registry.replace(&key("s"), catalogue(&["run", "old"])).unwrap();
        assert!(change.unmatched_filter_entries.is_empty() && change.unmatched_options.is_empty());
    }

    #[test]
    fn positions_in_errors_are_those_of_the_listing_not_of_what_a_filter_left() {
        let filter = Filter { exclude: Some(vec!["a".into()]), ..Filter::default() };
        let registration = Registration { filter, ..Registration::default() };
        let error = Registry::new(Qualified::default())
            .register(key("s"), catalogue(&["a", "b", "c c"]), registration)
            .unwrap_err();
        let RegisterError::Shortfall { missing, .. } = error else { panic!("{error}") };
        assert_eq!(missing[0].position, 2);
    }
}
