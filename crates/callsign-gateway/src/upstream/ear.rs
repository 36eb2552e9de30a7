//! What servers send on their own account, and whom it is for.

use std::sync::{Arc, Weak};

use callsign_wire::message::{
    Id, Notification, Request, RpcError, write_notification, write_request,
};
use callsign_wire::{Ear, Era, Incoming, IncomingMessage, METHOD_NOT_FOUND};

use super::{Unattributable, Upstream};
use crate::downstream::{Asker, Host};
use crate::errand::{Errand, Posed};
use crate::params::{Members, raw, text};

const INTERNAL_ERROR: i64 = -32603;

/// Hears one server in one of its lives.
#[derive(Debug)]
pub(super) struct UpstreamEar {
    pub(super) upstream: Weak<Upstream>,
    pub(super) life: u64,
}

impl Ear for UpstreamEar {
    fn hear(&self, incoming: Incoming) -> Result<(), RpcError> {
        let Some(upstream) = self.upstream.upgrade() else {
            return Err(RpcError::new(INTERNAL_ERROR, "the gateway ends"));
        };
        let cause = incoming.during.and_then(|id| upstream.errand_of_id(&id));
        match incoming.message {
            IncomingMessage::Request(request) => self.ask(&upstream, &request, cause.as_ref()),
            IncomingMessage::Notification(message) => {
                pass_on(&upstream, &message, cause.as_ref());
                Ok(())
            }
        }
    }
}

/// Brings a notification to whom it concerns.
fn pass_on(upstream: &Upstream, message: &Notification, cause: Option<&Arc<Errand>>) {
    match message.method.as_str() {
        "notifications/progress" => progress(upstream, message),
        "notifications/tools/list_changed"
        | "notifications/prompts/list_changed"
        | "notifications/resources/list_changed" => upstream.note_change(),
        "notifications/cancelled" => question_cancelled(upstream, message),
        "notifications/message" => log(upstream, message, cause),
        "notifications/resources/updated" => {
            let Some(uri) = string_member(message, "uri") else { return };
            tell(upstream, message, |host| host.is_subscribed(&uri));
            if let Ok(params) = Members::of(message.params.as_deref()) {
                upstream.hosts.listeners.tell_of_resource(&uri, &message.method, &params);
            }
        }
        _ => match cause {
            Some(errand) => drop(errand.push(as_it_is(message))),
            None => tell(upstream, message, Host::is_greeted),
        },
    }
}

/// Progress goes to the host whose request it is, under the host's own token.
fn progress(upstream: &Upstream, message: &Notification) {
    let Ok(params) = Members::of(message.params.as_deref()) else { return };
    let Some(errand) = params.get("progressToken").and_then(|own| upstream.errand_of_token(own))
    else {
        return;
    };
    let Some(token) = errand.token() else { return };
    let params = raw(params.with(&[("progressToken", &*token)]));
    if !errand.push(write_notification(&message.method, Some(&params))) {
        tracing::debug!("progress is lost: the host does not read");
    }
}

/// Log messages go to the host whose request caused them where that is known, else to every host that wants their level. A
/// host of the stateless era gets those of its own requests only.
fn log(upstream: &Upstream, message: &Notification, cause: Option<&Arc<Errand>>) {
    let level = string_member(message, "level").unwrap_or_default();
    let alone = || upstream.only_errand().ok().filter(|errand| errand.era == Era::Stateless);
    match cause.cloned().or_else(alone) {
        Some(errand) if errand.wants_log(&level) => drop(errand.push(as_it_is(message))),
        Some(errand) if errand.era == Era::Handshake => {}
        _ => tell(upstream, message, |host| host.wants_log(&level)),
    }
}

fn tell(upstream: &Upstream, message: &Notification, is_meant: impl Fn(&Host) -> bool) {
    for host in upstream.hosts.all().iter().filter(|host| is_meant(host)) {
        if !host.tell(as_it_is(message)) {
            tracing::debug!("a notification is lost: the host does not read");
        }
    }
}

fn as_it_is(message: &Notification) -> String {
    write_notification(&message.method, message.params.as_deref())
}

fn string_member(message: &Notification, name: &str) -> Option<String> {
    let params = Members::of(message.params.as_deref()).ok()?;
    text(params.get(name)?).map(std::borrow::Cow::into_owned)
}

/// The server no longer wants to know what it asked.
fn question_cancelled(upstream: &Upstream, message: &Notification) {
    let Ok(params) = Members::of(message.params.as_deref()) else { return };
    let Some(its_id) = params.get("requestId") else { return };
    for host in upstream.hosts.all() {
        if let Some(id) = host.questions.given_up(upstream, its_id) {
            let params = raw(params.with(&[("requestId", id.raw())]));
            host.tell(write_notification(&message.method, Some(&params)));
        }
    }
}

/// Tells a host that what it was asked needs no answer any more; `reason` is a JSON string.
pub(super) fn cancellation(id: &Id, reason: &str) -> String {
    let params = raw(format!("{{\"requestId\":{},\"reason\":{reason}}}", id.raw()));
    write_notification("notifications/cancelled", Some(&params))
}

impl UpstreamEar {
    /// Asks the host whose request caused the question, and nobody else.
    fn ask(
        &self,
        upstream: &Arc<Upstream>,
        request: &Request,
        cause: Option<&Arc<Errand>>,
    ) -> Result<(), RpcError> {
        let errand = match cause {
            Some(errand) => Ok(Arc::clone(errand)),
            None => upstream.only_errand(),
        };
        let asker = |id| Asker::Server { upstream: Arc::clone(upstream), life: self.life, id };
        if let Ok(errand) = &errand
            && errand.can_be_posed(&request.method)
        {
            let (method, params) = (request.method.clone(), request.params.clone());
            errand.pose(Posed { asker: asker(request.id.clone()), method, params });
            return Ok(());
        }
        let host = match &errand {
            Ok(errand) => Some(Arc::clone(&errand.host)),
            Err(Unattributable::NoneUnderWay) => upstream.only_host(),
            Err(Unattributable::SeveralHosts) => None,
        };
        let host = host.ok_or_else(unattributable)?;
        if !host.can_be_asked(&request.method) {
            let message = format!("the client does not offer `{}`", request.method);
            return Err(RpcError::new(METHOD_NOT_FOUND, &message));
        }
        let id = host.questions.ask(asker(request.id.clone()));
        let message = write_request(&id, &request.method, request.params.as_deref());
        let is_told = match &errand {
            Ok(errand) => errand.push(message),
            Err(_) => host.tell(message),
        };
        if is_told {
            return Ok(());
        }
        host.questions.given_up(upstream, request.id.raw());
        Err(RpcError::new(INTERNAL_ERROR, "the client does not read what it is asked"))
    }
}

fn unattributable() -> RpcError {
    RpcError::new(
        INTERNAL_ERROR,
        "it can't be told which client this is for: several use this server at once, or none does",
    )
}
