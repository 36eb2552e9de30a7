//! The only writer of the directory: takes what servers say, and publishes it in whole steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use callsign::registry::{Load, LoadError, RegisterError, Registration, Registry, Unreadable};
use callsign::scheme::Scheme;
use callsign::{Catalogue, ServerKey};
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use super::resources::Resources;
use super::{Directory, Lists, Offer, StartReport, list};
use crate::downstream::Hosts;
use crate::limits::Limits;
use crate::params::{Members, quoted, text};
use crate::policy::Policy;
use crate::refusal::Outage;
use crate::settings::ToolSettings;

/// What a server lists.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    pub(crate) catalogue: Catalogue,
    pub(crate) templates: Vec<Box<RawValue>>,
}

/// What became of a server.
#[derive(Debug)]
pub(crate) enum News {
    /// It has listed what it offers.
    Listed(ServerKey, Box<Listing>),
    /// It can't be asked.
    Down(Outage),
    /// The user wants other servers.
    Configured(Configured),
}

/// The servers of a changed configuration, in its order.
#[derive(Debug)]
pub(crate) struct Configured {
    pub(crate) servers: Vec<(ServerKey, ToolSettings)>,
    pub(crate) unavailable: Vec<Outage>,
    /// Those that are new, or started in another way: what they list is not known.
    pub(crate) fresh: Vec<ServerKey>,
}

/// What is known of servers from an earlier run.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    /// What they listed: nobody waits for these.
    pub(crate) listed: Vec<(ServerKey, Listing)>,
    /// Those that did not come: nobody waits long for these.
    pub(crate) absent: BTreeSet<ServerKey>,
}

/// The writing side of a [`Directory`].
#[derive(Debug)]
pub(crate) struct Keeper {
    directory: Arc<Directory>,
    hosts: Arc<Hosts>,
    policy: Arc<dyn Policy>,
    limits: Limits,
    tools: Registry,
    prompts: Registry,
    servers: BTreeMap<ServerKey, Server>,
    /// The configuration's order.
    order: Vec<ServerKey>,
    /// Servers that can't even be started.
    unavailable: Vec<Outage>,
}

#[derive(Debug, Default)]
struct Server {
    settings: ToolSettings,
    listing: Option<Box<Listing>>,
    outage: Option<Outage>,
}

impl Server {
    /// Whether nothing has been heard of it.
    fn is_waited_for(&self) -> bool {
        self.listing.is_none() && self.outage.is_none()
    }
}

impl Keeper {
    /// `servers` are in the configuration's order.
    pub(crate) fn new(
        directory: Arc<Directory>,
        hosts: Arc<Hosts>,
        policy: Arc<dyn Policy>,
        scheme: &Arc<dyn Scheme>,
        limits: Limits,
        servers: Vec<(ServerKey, ToolSettings)>,
        unavailable: Vec<Outage>,
    ) -> Self {
        let order: Vec<ServerKey> = servers.iter().map(|(key, _)| key.clone()).collect();
        let registry = || {
            let mut registry = Registry::with_scheme(Arc::clone(scheme));
            registry.set_server_order(order.clone());
            registry
        };
        let (tools, prompts) = (registry(), registry());
        let servers = servers
            .into_iter()
            .map(|(key, settings)| (key, Server { settings, ..Server::default() }))
            .collect();
        Self { directory, hosts, policy, limits, tools, prompts, servers, order, unavailable }
    }

    /// Keeps the directory until no server can say anything any more.
    pub(crate) async fn run(mut self, mut news: mpsc::Receiver<News>, earlier: Earlier) {
        self.start(&mut news, earlier).await;
        while let Some(first) = news.recv().await {
            self.batch(first, &mut news).await;
            self.announce_changes();
        }
    }

    /// Waits for everybody, or as long as the limit says, then names all at once: nobody has a name for being quick.
    async fn start(&mut self, news: &mut mpsc::Receiver<News>, earlier: Earlier) {
        let begun = Instant::now();
        for (server, listing) in earlier.listed {
            self.note_listing(&server, Box::new(listing));
        }
        while let Some(limit) = self.patience(&earlier.absent) {
            match timeout_at(begun + limit, news.recv()).await {
                Ok(Some(news)) => self.note_at_start(news),
                Ok(None) | Err(_) => break,
            }
        }
        let refused = self.load_all();
        for (key, server) in self.servers.iter_mut().filter(|(_, server)| server.is_waited_for()) {
            server.outage = Some(still_starting(key));
        }
        let missing = self.missing();
        self.directory.publish(self.offer(Parts::ALL));
        self.directory.settle(StartReport { missing, refused });
    }

    /// How long to wait in all for those that have not come; `None` if all have.
    fn patience(&self, absent_before: &BTreeSet<ServerKey>) -> Option<Duration> {
        let mut waiting =
            self.servers.iter().filter(|(_, server)| server.is_waited_for()).peekable();
        waiting.peek()?;
        let are_doubtful = waiting.all(|(key, _)| absent_before.contains(key));
        let Limits { start, doubtful_start, .. } = self.limits;
        Some(if are_doubtful { doubtful_start.min(start) } else { start })
    }

    fn note_at_start(&mut self, news: News) {
        match news {
            News::Down(outage) => self.note_outage(outage),
            News::Configured(configured) => self.configure(configured),
            News::Listed(server, listing) => {
                self.note_recovery(&server);
                self.note_listing(&server, listing);
            }
        }
    }

    fn note_listing(&mut self, server: &ServerKey, listing: Box<Listing>) {
        if let Some(known) = self.servers.get_mut(server) {
            known.listing = Some(listing);
        }
    }

    fn note_recovery(&mut self, server: &ServerKey) {
        if let Some(known) = self.servers.get_mut(server) {
            known.outage = None;
        }
    }

    fn note_outage(&mut self, outage: Outage) {
        if let Some(known) = self.servers.get_mut(&outage.server) {
            // It fails again and again until it is mended, and is told once.
            if known.outage.as_ref().is_none_or(|before| before.reason != outage.reason) {
                tracing::warn!(server = %printable(&outage.server), "{outage}");
            }
            known.outage = Some(outage);
        }
    }

    /// Registers everything that is known. Gives the servers some of whose tools can't be named.
    fn load_all(&mut self) -> Vec<Outage> {
        let listed = || {
            self.order.iter().filter_map(|key| {
                let server = self.servers.get(key)?;
                Some((key, server.listing.as_ref()?, &server.settings))
            })
        };
        let tools = listed().map(|(key, listing, settings)| Load {
            server: key.clone(),
            catalogue: Ok(each_once(key, &listing.catalogue)),
            registration: registration(settings),
        });
        let prompts = listed().map(|(key, listing, _)| Load {
            server: key.clone(),
            catalogue: Ok(prompts_of(&listing.catalogue)),
            registration: Registration {
                unreadable: Unreadable::LeaveOut,
                ..Registration::default()
            },
        });
        let (tools, prompts): (Vec<_>, Vec<_>) = (tools.collect(), prompts.collect());
        for (key, error) in self.prompts.load_available(prompts).missing {
            tracing::warn!(server = %printable(&key), %error, "the prompts of a server are not served");
        }
        let missing = self.tools.load_available(tools).missing;
        let mut unnamed = Vec::new();
        for (key, error) in missing {
            let outage = refused(&key, &error.to_string());
            self.note_outage(outage.clone());
            if matches!(error, LoadError::Register(RegisterError::Shortfall { .. })) {
                unnamed.push(outage);
            }
        }
        unnamed
    }

    /// Takes news until none has come for a while.
    async fn batch(&mut self, first: News, news: &mut mpsc::Receiver<News>) {
        let latest = Instant::now() + self.limits.longest_quiet;
        self.apply(first);
        loop {
            let quiet = Instant::now() + self.limits.quiet;
            match timeout_at(quiet.min(latest), news.recv()).await {
                Ok(Some(more)) => self.apply(more),
                Ok(None) | Err(_) => return,
            }
        }
    }

    fn apply(&mut self, news: News) {
        match news {
            News::Down(outage) => self.note_outage(outage),
            News::Configured(configured) => self.configure(configured),
            News::Listed(server, listing) => {
                self.note_recovery(&server);
                let replaced = self.replace_tools(&server, &listing.catalogue);
                if let Err(error) = self.replace_prompts(&server, &listing.catalogue) {
                    let server = printable(&server);
                    tracing::warn!(%server, %error, "the prompts of a server are not served");
                }
                self.note_listing(&server, listing);
                if let Err(error) = replaced {
                    self.note_outage(refused(&server, &error));
                }
            }
        }
    }

    /// Takes out what is not there any more, and names anew what has other settings. A server that is new is listed by itself
    /// soon.
    fn configure(&mut self, configured: Configured) {
        let Configured { servers, unavailable, fresh } = configured;
        let mut before = std::mem::take(&mut self.servers);
        self.order = servers.iter().map(|(key, _)| key.clone()).collect();
        self.unavailable = unavailable;
        for registry in [&mut self.tools, &mut self.prompts] {
            registry.set_server_order(self.order.clone());
        }
        for (key, settings) in servers {
            let known = before.remove(&key).unwrap_or_default();
            let (is_fresh, is_other) = (fresh.contains(&key), known.settings != settings);
            let outage = known.outage.filter(|_| !is_fresh);
            self.servers.insert(key.clone(), Server { settings, listing: None, outage });
            if is_other {
                self.forget(&key);
            }
            match known.listing {
                // What a server listed that is started in another way now is served until it lists again.
                Some(listing) if !is_other => self.note_listing(&key, listing),
                Some(listing) if !is_fresh => self.apply(News::Listed(key, listing)),
                _ => {}
            }
        }
        for key in before.into_keys() {
            self.forget(&key);
        }
    }

    fn forget(&mut self, key: &ServerKey) {
        for registry in [&mut self.tools, &mut self.prompts] {
            // Where it had no tools or prompts that could be named, there are none to remove.
            let _ = registry.remove(key);
        }
    }

    /// The old tools keep serving where the new ones can't be named.
    fn replace_tools(&mut self, server: &ServerKey, catalogue: &Catalogue) -> Result<(), String> {
        let catalogue = each_once(server, catalogue);
        if self.tools.snapshot().servers().any(|known| known == server) {
            let change =
                self.tools.replace(server, catalogue).map_err(|error| error.to_string())?;
            for entry in change.unmatched_filter_entries.iter().chain(&change.unmatched_options) {
                let (server, tool) = (printable(server), printable(entry));
                tracing::warn!(%server, %tool, "a setting names a tool that the server no longer has");
            }
            return Ok(());
        }
        let settings = self.servers.get(server).map(|known| registration(&known.settings));
        let registered =
            self.tools.register(server.clone(), catalogue, settings.unwrap_or_default());
        registered.map(drop).map_err(|error| error.to_string())
    }

    fn replace_prompts(&mut self, server: &ServerKey, catalogue: &Catalogue) -> Result<(), String> {
        let prompts = prompts_of(catalogue);
        if self.prompts.snapshot().servers().any(|known| known == server) {
            return self.prompts.replace(server, prompts).map(drop).map_err(|e| e.to_string());
        }
        let registration =
            Registration { unreadable: Unreadable::LeaveOut, ..Registration::default() };
        let registered = self.prompts.register(server.clone(), prompts, registration);
        registered.map(drop).map_err(|error| error.to_string())
    }

    /// Publishes what changed, and tells hosts which of their lists did.
    fn announce_changes(&mut self) {
        let before = self.directory.now();
        let tools = self.tools.snapshot();
        let parts = Parts {
            tools: !Arc::ptr_eq(&before.tools, &tools),
            prompts: !Arc::ptr_eq(&before.prompts, &self.prompts.snapshot()),
            resources: true,
        };
        let offer = self.offer(parts);
        let (old, new) = (before.lists.clone(), offer.lists.clone());
        self.directory.publish(offer);
        let differ =
            |a: &Arc<RawValue>, b: &Arc<RawValue>| !Arc::ptr_eq(a, b) && a.get() != b.get();
        if differ(&old.tools, &new.tools) {
            self.hosts.announce("notifications/tools/list_changed");
        }
        if differ(&old.prompts, &new.prompts) {
            self.hosts.announce("notifications/prompts/list_changed");
        }
        if differ(&old.resources, &new.resources) || differ(&old.templates, &new.templates) {
            self.hosts.announce("notifications/resources/list_changed");
        }
    }

    fn offer(&self, parts: Parts) -> Offer {
        let before = self.directory.now();
        let (tools, prompts) = (self.tools.snapshot(), self.prompts.snapshot());
        let mut lists = before.lists.clone();
        if parts.tools {
            lists.tools = list::tools(&tools, &*self.policy);
        }
        if parts.prompts {
            lists.prompts = list::prompts(&prompts);
        }
        let resources = self.resources(&mut lists, parts.resources);
        Offer {
            tools,
            prompts,
            resources,
            lists,
            instructions: self.instructions(),
            missing: self.missing(),
        }
    }

    fn resources(&self, lists: &mut Lists, is_changed: bool) -> Resources {
        if !is_changed {
            return self.directory.now().resources.clone();
        }
        let listings = || {
            self.order
                .iter()
                .filter_map(|key| Some((key, self.servers.get(key)?.listing.as_ref()?)))
        };
        let mut resources = Resources::default();
        for (key, listing) in listings() {
            let uris = listing.catalogue.resources().iter().map(|resource| resource.uri().as_str());
            let templates = listing.templates.iter().filter_map(|raw| template_of(raw));
            resources.add(key, uris, templates);
        }
        for (uri, servers) in resources.contested() {
            let (uri, servers) = (printable(uri), servers.len());
            tracing::warn!(%uri, servers, "a resource is offered by several servers and can't be read");
        }
        let listed = listings().flat_map(|(_, listing)| listing.catalogue.resources());
        let templates = listings().flat_map(|(_, listing)| &listing.templates);
        lists.resources = list::list_of("resources", listed.filter_map(|it| it.definition()));
        lists.templates = list::list_of("resourceTemplates", templates.map(|raw| raw.get()));
        resources
    }

    /// What is missing, then what each server says of itself, as a JSON string.
    fn instructions(&self) -> Option<Box<str>> {
        let missing: Vec<String> =
            self.missing().iter().map(|outage| format!("- {outage}\n")).collect();
        let mut text = String::new();
        if !missing.is_empty() {
            text.push_str("Not all tools are available now:\n");
            text.extend(missing);
        }
        for key in &self.order {
            let listing = self.servers.get(key).and_then(|server| server.listing.as_ref());
            let Some(said) = listing.and_then(|listing| listing.catalogue.instructions()) else {
                continue;
            };
            text.push_str(&format!("Instructions of the server `{}`:\n{said}\n", printable(key)));
        }
        (!text.is_empty()).then(|| quoted(text.trim_end()).into())
    }

    fn missing(&self) -> Vec<Outage> {
        let outage = |key| self.servers.get(key).and_then(|server| server.outage.clone());
        self.order.iter().filter_map(outage).chain(self.unavailable.iter().cloned()).collect()
    }
}

/// What has to be prepared anew.
#[derive(Debug, Clone, Copy)]
struct Parts {
    tools: bool,
    prompts: bool,
    resources: bool,
}

impl Parts {
    const ALL: Self = Self { tools: true, prompts: true, resources: true };
}

fn registration(settings: &ToolSettings) -> Registration<'static> {
    Registration {
        filter: settings.filter.clone(),
        options: settings.options.clone(),
        unreadable: Unreadable::LeaveOut,
        ..Registration::default()
    }
}

/// The catalogue's tools, each once: servers exist that list one again, and a host that is given a name twice fails. The
/// first definition is served; another one is said.
fn each_once(server: &ServerKey, catalogue: &Catalogue) -> Catalogue {
    let mut first = BTreeMap::new();
    for tool in catalogue.tools() {
        let known = *first.entry(tool.wire()).or_insert(tool);
        if !known.changed_fields(tool).is_empty() {
            let (server, tool) = (printable(server), printable(tool.wire()));
            tracing::warn!(%server, %tool, "a tool is listed again with another definition; the first one is served");
        }
    }
    for malformed in catalogue.malformed() {
        let (server, reason) = (printable(server), malformed.reason.to_string());
        let position = malformed.position;
        tracing::warn!(%server, position, %reason, "a tool can't be read and is left out");
    }
    if first.len() == catalogue.tools().len() {
        return catalogue.clone();
    }
    let mut once = Catalogue::default();
    for tool in catalogue.tools() {
        if first.remove(tool.wire()).is_some() {
            once.push_tool(tool.definition().unwrap_or_default());
        }
    }
    for malformed in catalogue.malformed() {
        once.push_malformed(malformed.name.clone(), malformed.reason.clone());
    }
    once
}

/// The prompts of a catalogue as entries that a registry can name.
fn prompts_of(catalogue: &Catalogue) -> Catalogue {
    let mut prompts = Catalogue::default();
    let mut seen = BTreeSet::new();
    for prompt in catalogue.prompts() {
        if seen.insert(prompt.name()) {
            prompts.push_tool(prompt.definition().unwrap_or_default());
        }
    }
    prompts
}

fn template_of(raw: &RawValue) -> Option<String> {
    let members = Members::read(raw.get())?;
    text(members.get("uriTemplate")?).map(std::borrow::Cow::into_owned)
}

fn refused(server: &ServerKey, reason: &str) -> Outage {
    Outage {
        server: server.clone(),
        reason: reason.to_owned(),
        remedy: "change the server's key, its settings, or the naming scheme".to_owned(),
        since: SystemTime::now(),
        retry: None,
    }
}

fn still_starting(server: &ServerKey) -> Outage {
    Outage {
        server: server.clone(),
        reason: "it is still starting".to_owned(),
        remedy: String::new(),
        since: SystemTime::now(),
        retry: Some(Duration::ZERO),
    }
}

fn printable(text: &str) -> String {
    callsign_wire::text::printable(text, 200)
}
