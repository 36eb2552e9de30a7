//! A host of the stateless era that listens (`subscriptions/listen`): what it is told, and under which id.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use callsign_wire::message::{Id, write_notification};
use serde_json::value::RawValue;

use crate::errand::Errand;
use crate::params::{BadParams, Members, quoted, raw};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// What each list change is called, in a filter and as a notification.
const LISTS: [(&str, &str); 3] = [
    ("toolsListChanged", "notifications/tools/list_changed"),
    ("promptsListChanged", "notifications/prompts/list_changed"),
    ("resourcesListChanged", "notifications/resources/list_changed"),
];

/// One stream on which a host hears what it asked for and nothing else.
#[derive(Debug)]
pub(crate) struct Listener {
    errand: Arc<Errand>,
    id: Id,
    /// The list changes it wants, by the names of their notifications.
    lists: Vec<&'static str>,
    pub(crate) uris: BTreeSet<Box<str>>,
}

impl Listener {
    /// Reads what a host wants to hear.
    ///
    /// # Errors
    /// The parameters have no filter.
    pub(crate) fn read(
        params: Option<&RawValue>,
        id: &Id,
        errand: &Arc<Errand>,
    ) -> Result<Self, BadParams> {
        let params = Members::of(params)?;
        let filter = params.once("notifications")?.ok_or(BadParams::Missing("notifications"))?;
        let filter = Members::read(filter).ok_or(BadParams::NotAnObject)?;
        let wants = |(name, _): &(&str, &str)| filter.get(name) == Some("true");
        let lists = LISTS.into_iter().filter(wants).map(|(_, method)| method).collect();
        let uris = filter.get("resourceSubscriptions");
        let uris = uris.and_then(|raw| serde_json::from_str(raw).ok()).unwrap_or_default();
        Ok(Self { errand: Arc::clone(errand), id: id.clone(), lists, uris })
    }

    /// The first message: what of the wishes is honoured.
    pub(crate) fn acknowledgement(&self) -> String {
        let lists = LISTS.into_iter().filter(|(_, method)| self.lists.contains(method));
        let mut honoured: Vec<String> = lists.map(|(name, _)| format!("\"{name}\":true")).collect();
        if !self.uris.is_empty() {
            let uris: Vec<String> = self.uris.iter().map(|uri| quoted(uri)).collect();
            honoured.push(format!("\"resourceSubscriptions\":[{}]", uris.join(",")));
        }
        let params = format!("{{{},\"notifications\":{{{}}}}}", self.tag(), honoured.join(","));
        write_notification("notifications/subscriptions/acknowledged", Some(&raw(params)))
    }

    /// The result with which it ends.
    pub(crate) fn farewell(&self) -> Box<RawValue> {
        raw(format!("{{\"resultType\":\"complete\",{}}}", self.tag()))
    }

    fn tag(&self) -> String {
        format!("\"_meta\":{{\"{SUBSCRIPTION}\":{}}}", self.id.raw())
    }

    fn hear_of_list(&self, method: &str) {
        if self.lists.contains(&method) {
            let params = raw(format!("{{{}}}", self.tag()));
            self.errand.push(write_notification(method, Some(&params)));
        }
    }

    fn hear_of_resource(&self, uri: &str, method: &str, params: &Members<'_>) {
        if self.uris.iter().any(|wanted| uri.starts_with(&**wanted)) {
            let meta = Members::read(params.get("_meta").unwrap_or("{}"));
            let tag = [(SUBSCRIPTION, self.id.raw())];
            let meta = meta.map_or_else(|| "{}".to_owned(), |meta| meta.with(&tag));
            let params = raw(params.with(&[("_meta", &meta)]));
            self.errand.push(write_notification(method, Some(&params)));
        }
    }
}

/// All listeners there are. Each is forgotten when its request ends.
#[derive(Debug, Default)]
pub(crate) struct Listeners(Mutex<Vec<Weak<Listener>>>);

impl Listeners {
    fn all(&self) -> MutexGuard<'_, Vec<Weak<Listener>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, listener: &Arc<Listener>) {
        let mut all = self.all();
        all.retain(|listener| listener.strong_count() > 0);
        all.push(Arc::downgrade(listener));
    }

    fn each(&self, tell: impl Fn(&Listener)) {
        for listener in self.all().iter().filter_map(Weak::upgrade) {
            tell(&listener);
        }
    }

    pub(crate) fn tell_of_list(&self, method: &str) {
        self.each(|listener| listener.hear_of_list(method));
    }

    pub(crate) fn tell_of_resource(&self, uri: &str, method: &str, params: &Members<'_>) {
        self.each(|listener| listener.hear_of_resource(uri, method, params));
    }

    /// Everything that any of them wants to hear of.
    pub(crate) fn uris(&self) -> BTreeSet<Box<str>> {
        let all = self.all();
        let listeners = all.iter().filter_map(Weak::upgrade);
        listeners.flat_map(|listener| listener.uris.clone()).collect()
    }

    /// How many want to hear of a resource.
    pub(crate) fn of_resource(&self, uri: &str) -> usize {
        let all = self.all();
        all.iter().filter_map(Weak::upgrade).filter(|it| it.uris.contains(uri)).count()
    }

    /// Ends all of them: the gateway ends.
    pub(crate) fn end(&self) {
        self.each(|listener| listener.errand.cancel("\"the gateway ends\""));
    }
}
