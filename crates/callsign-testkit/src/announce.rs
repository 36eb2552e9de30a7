//! `notifications/tools/list_changed`: to whom, how often and when.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use crate::FlagError;
use crate::choice::{choice, number};
use crate::incoming::Request;
use crate::json_text::{self, Object};
use crate::listing;
use crate::outlet::Outlet;
use crate::server::Server;

const SUBSCRIPTION_KEY: &str = "io.modelcontextprotocol/subscriptionId";
const FILE_WATCH: Duration = Duration::from_millis(50);

/// Many announcements of a changed list.
#[derive(Clone, Copy, Debug)]
pub struct ListChanged {
    /// How many.
    pub count: u64,
    /// After the first complete list; otherwise after `notifications/initialized`, or when a modern client listens.
    pub after_list: bool,
}

impl FromStr for ListChanged {
    type Err = FlagError;

    /// `COUNT`, `COUNT:initialized` or `COUNT:list`.
    fn from_str(text: &str) -> Result<Self, FlagError> {
        let (count, moment) = text.split_once(':').unwrap_or((text, "initialized"));
        let moments = [("initialized", false), ("list", true)];
        Ok(Self {
            count: number(count, "a number of notifications")?,
            after_list: choice("moment", moment, &moments)?,
        })
    }
}

/// Somebody who hears of changes: a legacy connection, or a modern subscription with its id.
#[derive(Clone, Debug)]
pub(crate) struct Ear {
    pub(crate) outlet: Outlet,
    pub(crate) subscription: Option<String>,
}

impl Ear {
    fn hear(&self, count: u64) {
        let bare =
            Object::new().text("jsonrpc", "2.0").text("method", "notifications/tools/list_changed");
        let message = match &self.subscription {
            Some(id) => bare.raw("params", &Object::new().raw("_meta", &tag(id)).json()),
            None => bare,
        };
        for _ in 0..count {
            self.outlet.aside(message.json());
        }
    }
}

/// The `_meta` that says which subscription a message belongs to.
fn tag(subscription: &str) -> String {
    Object::new().raw(SUBSCRIPTION_KEY, subscription).json()
}

fn acknowledgement(subscription: &str, honoured: &Object) -> String {
    let params =
        Object::new().raw("_meta", &tag(subscription)).raw("notifications", &honoured.json());
    Object::new()
        .text("jsonrpc", "2.0")
        .text("method", "notifications/subscriptions/acknowledged")
        .raw("params", &params.json())
        .json()
}

impl Server {
    /// Adds somebody who hears of changes, and tells what nobody has heard yet.
    pub(crate) fn add_ear(&self, ear: Ear) {
        let unheard = std::mem::take(&mut self.state().unheard);
        ear.hear(unheard);
        self.state().ears.push(ear);
    }

    /// A legacy connection hears of everything once its handshake is through; a modern one only of what it listens for.
    pub(crate) fn hear_from_now_on(&self) {
        let connection = self.state().connection.take();
        if let Some(outlet) = connection {
            self.add_ear(Ear { outlet, subscription: None });
        }
    }

    /// Tells everybody; if nobody is there, the first to come.
    pub(crate) fn announce(&self, count: u64) {
        let mut state = self.state();
        state.ears.retain(|ear| !ear.outlet.is_closed());
        if state.ears.is_empty() {
            state.unheard += count;
        }
        for ear in &state.ears {
            ear.hear(count);
        }
    }

    pub(crate) fn announce_after_initialized(&self) {
        if let Some(ListChanged { count, after_list: false }) = self.behaviour.noise.list_changed {
            self.announce(count);
        }
    }

    /// Once, after the first list.
    pub(crate) fn announce_after_list(&self) {
        let first = !std::mem::replace(&mut self.state().announced_after_list, true);
        if let (true, Some(ListChanged { count, after_list: true })) =
            (first, self.behaviour.noise.list_changed)
        {
            self.announce(count);
        }
    }

    /// A modern subscription: acknowledged first, then fed until it is cancelled or its stream ends.
    pub(crate) fn listen(&self, request: &Request, outlet: &Outlet) {
        let asked = request.param("notifications").unwrap_or_default();
        let tools = json_text::field(&asked, "toolsListChanged").as_deref() == Some("true");
        let honoured =
            if tools { Object::new().raw("toolsListChanged", "true") } else { Object::new() };
        let ear = Ear { outlet: outlet.clone(), subscription: Some(request.id.clone()) };
        outlet.aside(acknowledgement(&request.id, &honoured));
        if tools {
            if let Some(ListChanged { count, after_list: false }) =
                self.behaviour.noise.list_changed
            {
                ear.hear(count);
            }
            self.add_ear(ear);
        }
    }

    /// A cancelled request is not answered; a cancelled subscription ends with a result.
    pub(crate) fn cancel(&self, params: Option<&str>, outlet: &Outlet) {
        let Some(id) = params.and_then(|params| json_text::field(params, "requestId")) else {
            return;
        };
        let mut state = self.state();
        let before = state.ears.len();
        state.ears.retain(|ear| ear.subscription.as_ref() != Some(&id));
        if state.ears.len() == before {
            state.cancelled.insert(id);
            return;
        }
        drop(state);
        let result = Object::new().text("resultType", "complete").raw("_meta", &tag(&id)).json();
        outlet.answer(self.envelope(&id, "result", &result));
    }
}

/// Announces every change of the file that holds the tools' names.
pub(crate) async fn watch_tools_file(server: Arc<Server>, file: PathBuf) {
    let mut names = listing::names_in(&file);
    loop {
        tokio::time::sleep(FILE_WATCH).await;
        let now = listing::names_in(&file);
        if now != names {
            names = now;
            server.announce(1);
        }
    }
}
