use std::sync::Arc;

use super::registry::Registry;
use super::snapshot::{Row, Slot, Snapshot};
use super::{Claimant, LocalError};
use crate::catalogue::Tool;
use crate::name::{ExposedName, WireName};
use crate::scheme;

/// What to do if a local tool's name is in use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnTaken {
    /// Refuse.
    #[default]
    Refuse,
    /// Put the new tool in the place of a *local* tool of that name, which must exist. A server's tool is never replaced
    /// this way: its name is owned by its identity.
    Replace,
}

impl From<WireName> for Tool {
    /// A local tool that is known by name only.
    fn from(name: WireName) -> Self {
        Self::named(name)
    }
}

impl Registry {
    /// Registers a tool of the host itself, by name or by definition; both forms go through the same guard.
    ///
    /// ```
    /// use callsign::registry::{OnTaken, Registry};
    /// use callsign::scheme::Qualified;
    /// use callsign::{Tool, WireName};
    ///
    /// let mut registry = Registry::new(Qualified::default());
    /// registry.register_local(WireName::new("ask")?, OnTaken::Refuse)?;
    /// assert!(registry.register_local(WireName::new("ask")?, OnTaken::Refuse).is_err());
    /// let defined = Tool::from_json(r#"{"name":"ask","inputSchema":{"type":"object"}}"#).map_err(|(_, why)| why)?;
    /// registry.register_local(defined, OnTaken::Replace)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`LocalError`]; the registry is as it was.
    pub fn register_local(
        &mut self,
        tool: impl Into<Tool>,
        on_taken: OnTaken,
    ) -> Result<ExposedName, LocalError> {
        let tool = tool.into();
        let name = tool.wire().clone();
        let exposed = scheme::local_name(&name)
            .map_err(|problem| LocalError::Illegal { name: name.clone(), problem })?;
        let holder = self.current.get(&exposed).map(|entry| entry.claimant());
        match (holder, on_taken) {
            (None, OnTaken::Refuse) | (Some(Claimant::Local(_)), OnTaken::Replace) => {}
            (None, OnTaken::Replace) => return Err(LocalError::Unknown { name }),
            (Some(holder), _) => return Err(LocalError::Taken { name, holder }),
        }
        let row = Row { exposed: exposed.clone(), tool, options: None };
        self.current.edit().put_local(row);
        Ok(exposed)
    }

    /// Removes a local tool. A server's tool of that name is not touched.
    ///
    /// # Errors
    /// [`LocalError::Unknown`] if there is no such local tool.
    pub fn remove_local(&mut self, name: &WireName) -> Result<(), LocalError> {
        let exposed = self
            .current
            .get(name)
            .filter(|entry| entry.server().is_none())
            .map(|entry| entry.exposed().clone());
        match exposed {
            None => Err(LocalError::Unknown { name: name.clone() }),
            Some(exposed) => {
                self.drop_local(&exposed);
                Ok(())
            }
        }
    }

    pub(super) fn drop_local(&mut self, name: &ExposedName) {
        let snapshot = self.current.edit();
        snapshot.index.remove(name);
        snapshot.change_local(|rows| rows.retain(|row| row.exposed != *name));
    }
}

impl Snapshot {
    fn put_local(&mut self, row: Row) {
        self.change_local(|rows| match rows.iter_mut().find(|old| old.exposed == row.exposed) {
            Some(old) => *old = row,
            None => rows.push(row),
        });
    }

    fn change_local(&mut self, change: impl FnOnce(&mut Vec<Row>)) {
        let block = self.blocks[0].get_or_insert_default();
        let block = Arc::make_mut(block);
        change(&mut block.rows);
        for (row, entry) in (0u32..).zip(&block.rows) {
            self.index.insert(entry.exposed.clone(), Slot { block: 0, row });
        }
    }
}
