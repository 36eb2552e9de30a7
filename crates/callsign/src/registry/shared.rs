use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::registry::Registry;
use super::snapshot::Snapshot;

/// A registry that one side changes while many read it.
///
/// Readers take the latest published snapshot and never wait for a writer; writers wait for each other. A change copies the
/// name table (not the definitions) once, in time linear in the number of names.
///
/// ```
/// use callsign::registry::{Registration, Registry, SharedRegistry};
/// use callsign::scheme::Qualified;
/// use callsign::{Catalogue, ServerKey, WireName};
///
/// let shared = SharedRegistry::new(Registry::new(Qualified::default()));
/// let before = shared.snapshot();
/// let mut catalogue = Catalogue::default();
/// catalogue.push_named(WireName::new("request")?);
/// let alpha = ServerKey::new("alpha")?;
/// shared.change(|registry| registry.register(alpha, catalogue, Registration::default()))?;
///
/// assert!(before.is_empty(), "a call in flight ends on the snapshot it began with");
/// assert!(shared.snapshot().get("mcp__alpha__request").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SharedRegistry {
    writer: Mutex<Registry>,
    published: ArcSwap<Snapshot>,
}

impl SharedRegistry {
    /// Shares a registry as it is.
    #[must_use]
    pub fn new(registry: Registry) -> Self {
        let published = ArcSwap::new(registry.snapshot());
        Self { writer: Mutex::new(registry), published }
    }

    /// The registry as last published.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.published.load_full()
    }

    /// Changes the registry and publishes the result before it returns. If `change` panics, the single changes it had
    /// completed stay and are published with the next one. Every single change of a [`Registry`] is complete or
    /// nothing, so what readers see is always whole.
    pub fn change<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = change(&mut writer);
        self.published.store(writer.snapshot());
        outcome
    }
}
