//! The server itself, apart from any transport: one message in, any number out.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::announce::Ear;
use crate::behaviour::Behaviour;
use crate::era::Spoken;
use crate::incoming::{Incoming, Request};
use crate::json_text::Object;
use crate::outlet::Outlet;
use crate::rpc_error::RpcError;
use crate::{FlagError, answer, record};

/// A server with its behaviour and what it remembers.
pub(crate) struct Server {
    pub(crate) behaviour: Behaviour,
    pub(crate) record: Option<Mutex<File>>,
    pub(crate) record_headers: Option<Mutex<File>>,
    state: Mutex<State>,
}

/// What the server remembers.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) initialized: bool,
    pub(crate) answered: u64,
    pub(crate) said_huge_line: bool,
    pub(crate) logged: bool,
    pub(crate) announced_after_list: bool,
    /// A connection that is not past its handshake.
    pub(crate) connection: Option<Outlet>,
    /// Who hears of changes, and how many announcements wait for somebody to hear them.
    pub(crate) ears: Vec<Ear>,
    pub(crate) unheard: u64,
    /// Ids (as written) of requests the client has taken back.
    pub(crate) cancelled: HashSet<String>,
    /// The server's own requests that are open.
    pub(crate) asked: HashMap<String, oneshot::Sender<String>>,
    pub(crate) asked_so_far: u64,
}

impl Server {
    pub(crate) fn new(behaviour: Behaviour) -> Result<Self, FlagError> {
        Ok(Self {
            record: behaviour.record.as_deref().map(record::open).transpose()?,
            record_headers: behaviour.record_headers.as_deref().map(record::open).transpose()?,
            behaviour,
            state: Mutex::default(),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one message of the client and emits what follows from it.
    pub(crate) async fn receive(&self, message: Incoming, outlet: &Outlet) {
        match message {
            Incoming::Request(request) => self.request(&request, outlet).await,
            Incoming::Notification { method, params } => {
                self.notification(&method, params.as_deref(), outlet);
            }
            Incoming::Answer { id, message } => self.take_answer(&id, message),
            Incoming::Unreadable => {
                outlet.answer(self.envelope("null", "error", &RpcError::unreadable().json()));
            }
        }
    }

    async fn request(&self, request: &Request, outlet: &Outlet) {
        let behaviour = &self.behaviour;
        if self.ends_at(request) && behaviour.ending.is_due() {
            return outlet.stop(behaviour.ending.status);
        }
        if behaviour.never_answers(&request.method) {
            return;
        }
        behaviour.delay(&request.method).await;
        self.write_junk(outlet);
        let outcome = match behaviour.era.of(request) {
            Ok(spoken) => {
                self.log_first(request, spoken, outlet);
                self.outcome(request, spoken, outlet).await
            }
            Err(refusal) => Some(Err(refusal)),
        };
        if let Some(outcome) = outcome {
            self.respond(request, &outcome, outlet);
        }
    }

    /// `None` if the request stays open (a subscription).
    async fn outcome(
        &self,
        request: &Request,
        spoken: Spoken,
        outlet: &Outlet,
    ) -> Option<Result<String, RpcError>> {
        match request.method.as_str() {
            "tools/call" => Some(self.call(request, spoken, outlet).await),
            "subscriptions/listen" if spoken == Spoken::Modern => {
                self.listen(request, outlet);
                None
            }
            _ => Some(answer::at_once(self, request, spoken)),
        }
    }

    fn notification(&self, method: &str, params: Option<&str>, outlet: &Outlet) {
        match method {
            "notifications/initialized" => self.announce_after_initialized(),
            "notifications/cancelled" => self.cancel(params, outlet),
            _ => {}
        }
    }

    fn respond(&self, request: &Request, outcome: &Result<String, RpcError>, outlet: &Outlet) {
        if self.state().cancelled.remove(&request.id) {
            return;
        }
        let message = match outcome {
            Ok(result) => self.envelope(&request.id, "result", result),
            Err(error) => self.envelope(&request.id, "error", &error.json()),
        };
        match self.behaviour.answers.broken {
            Some(broken) if matches!(request.method.as_str(), "tools/list" | "tools/call") => {
                broken.emit(&request.id, message, outlet);
            }
            _ => outlet.answer(message),
        }
        self.answered(request, outcome, outlet);
    }

    fn answered(&self, request: &Request, outcome: &Result<String, RpcError>, outlet: &Outlet) {
        self.state().answered += 1;
        match (request.method.as_str(), outcome) {
            ("initialize", Ok(_)) => self.hear_from_now_on(),
            ("tools/list", Ok(_)) => self.announce_after_list(),
            _ => {}
        }
        let ending = &self.behaviour.ending;
        if ending.after.is_some_and(|limit| self.state().answered >= limit) && ending.is_due() {
            outlet.stop(ending.status);
        }
    }

    pub(crate) fn envelope(&self, id: &str, field: &str, json: &str) -> String {
        Object::new()
            .text("jsonrpc", "2.0")
            .raw("id", id)
            .raw(field, json)
            .fields(&self.behaviour.extras())
            .json()
    }
}
