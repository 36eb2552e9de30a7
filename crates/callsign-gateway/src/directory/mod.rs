//! Who offers what: the names of all servers' tools and prompts, their resources, and the lists as hosts are given them.
//!
//! ```text
//! a server's listing ──► Keeper (the only writer) ──► Offer, published whole ──► every request reads the latest one
//! ```

mod keeper;
mod list;
mod resources;
mod template;

use std::sync::Arc;

use arc_swap::ArcSwap;
use callsign::registry::Snapshot;
use callsign::scheme::Scheme;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::refusal::Outage;

pub(crate) use keeper::{Configured, Earlier, Keeper, Listing, News};
pub(crate) use list::with_hints;
pub(crate) use resources::Resources;

/// Everything that is offered at one moment. Immutable: a request that began on it ends on it.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) tools: Arc<Snapshot>,
    /// Prompts have names under the same scheme, so they are kept in the same way.
    pub(crate) prompts: Arc<Snapshot>,
    pub(crate) resources: Resources,
    pub(crate) lists: Lists,
    /// What the servers say about themselves and which are missing, as a raw JSON string.
    pub(crate) instructions: Option<Box<str>>,
    pub(crate) missing: Vec<Outage>,
}

/// The results of list requests, prepared once for each change.
#[derive(Debug, Clone)]
pub(crate) struct Lists {
    pub(crate) tools: Arc<RawValue>,
    pub(crate) prompts: Arc<RawValue>,
    pub(crate) resources: Arc<RawValue>,
    pub(crate) templates: Arc<RawValue>,
}

/// What the start came to.
#[derive(Debug, Clone, Default)]
pub struct StartReport {
    /// The servers that can't be served, or not yet.
    pub missing: Vec<Outage>,
    /// Those of them whose tools are known and can't all be named: a collision, or an illegal name.
    pub refused: Vec<Outage>,
}

/// The latest [`Offer`].
#[derive(Debug)]
pub(crate) struct Directory {
    offer: ArcSwap<Offer>,
    start: watch::Sender<Option<Arc<StartReport>>>,
}

impl Directory {
    /// Nothing is offered yet.
    pub(crate) fn new(scheme: &Arc<dyn Scheme>) -> Self {
        let empty = callsign::registry::Registry::with_scheme(Arc::clone(scheme)).snapshot();
        let offer = Offer {
            tools: Arc::clone(&empty),
            prompts: empty,
            resources: Resources::default(),
            lists: Lists::empty(),
            instructions: None,
            missing: Vec::new(),
        };
        Self { offer: ArcSwap::from_pointee(offer), start: watch::Sender::new(None) }
    }

    /// What is offered now.
    pub(crate) fn now(&self) -> Arc<Offer> {
        self.offer.load_full()
    }

    /// What is offered once the start is over: all servers have answered, or the limit of the start has passed. It has
    /// passed once for all: later requests don't wait.
    pub(crate) async fn settled(&self) -> Arc<Offer> {
        if !self.is_settled() {
            self.report().await;
        }
        self.now()
    }

    /// Whether the start is over.
    pub(crate) fn is_settled(&self) -> bool {
        self.start.borrow().is_some()
    }

    /// What the start came to, once it is over.
    pub(crate) async fn report(&self) -> Arc<StartReport> {
        let mut start = self.start.subscribe();
        let report = start.wait_for(Option::is_some).await.ok().and_then(|report| report.clone());
        report.unwrap_or_default()
    }

    fn publish(&self, offer: Offer) {
        self.offer.store(Arc::new(offer));
    }

    fn settle(&self, report: StartReport) {
        self.start.send_replace(Some(Arc::new(report)));
    }
}
