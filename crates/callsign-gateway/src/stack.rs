//! The way of a message, from top to bottom. Each layer says why it stands where it does.
//!
//! ```text
//! 1 arrival    what kind of message it is, and whose
//! 2 task       each request on its own, so that none waits for another
//! 3 method     who can answer it at all
//! 4 name       whose tool, prompt or resource it is
//! 5 policy     whether it may be asked
//! 6 address    the server's own name for it, and our own progress token
//! 7 carriage   to the server and back (carry.rs)
//! 8 answer     exactly one, under the host's id
//! ```

use std::sync::Arc;
use std::time::Duration;

use callsign::registry::Entry;
use callsign::{ServerKey, ToolId};
use callsign_mcp::header_params::HeaderParams;
use callsign_wire::Era;
use callsign_wire::message::{Notification, Request, Response, RpcError, write_request};
use callsign_wire::serve::{Arrival, Carrier, Context, Ending, Exchange, Headers, Reply, Session};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use crate::carry::{Cargo, GivenUp, Interrupted, addressed, attend, carry};
use crate::directory::{Offer, with_hints};
use crate::downstream::{self, Asker, Host, Question};
use crate::errand::Errand;
use crate::gateway::Inner;
use crate::input::CAPABILITIES;
use crate::metrics::Outcome;
use crate::params::{BadParams, Members, quoted, raw, text};
use crate::policy::Judgement;
use crate::refusal::Refusal;
use crate::upstream::Upstream;

/// The answer to a request, before it is written.
pub(crate) enum Answer {
    /// A result that many are given: a list.
    Shared(Arc<RawValue>),
    /// A result.
    Own(Box<RawValue>),
    /// A server's error, passed on as it is.
    Error(RpcError),
}

/// Why a request gets no answer of a server.
pub(crate) enum Unanswered {
    /// It is refused here.
    Refused(Refusal),
    /// Nobody waits for it any more.
    GivenUp,
}

pub(crate) type Answered = Result<Answer, Unanswered>;

impl From<Refusal> for Unanswered {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<BadParams> for Unanswered {
    fn from(bad: BadParams) -> Self {
        Self::Refused(bad.into())
    }
}

impl From<GivenUp> for Unanswered {
    fn from(_: GivenUp) -> Self {
        Self::GivenUp
    }
}

impl From<Interrupted> for Unanswered {
    fn from(_: Interrupted) -> Self {
        Self::GivenUp
    }
}

// ---- 1 arrival --------------------------------------------------------------------------------------------------------
// First, because only the order of arrival says which request a cancellation means: nothing here waits.

pub(crate) fn take(gateway: &Arc<Inner>, arrival: Arrival) {
    match arrival {
        Arrival::Request(exchange) => begin(gateway, exchange),
        Arrival::Notification(message, context) => notice(gateway, &message, &context),
        Arrival::Response(response, context) => {
            answered(&gateway.hosts.of(&context.session), response);
        }
        Arrival::Ended(session, ending) => {
            tracing::info!(session = %session.id(), ?ending, "a host is gone");
            if (session.carrier(), &ending) == (Carrier::Lines, &Ending::ByHost) {
                still_reads(gateway, session);
            } else {
                vanished(gateway, &session);
            }
        }
    }
}

/// What a host says without wanting an answer.
fn notice(gateway: &Arc<Inner>, message: &Notification, context: &Context) {
    let host = gateway.hosts.of(&context.session);
    match message.method.as_str() {
        "notifications/initialized" => {}
        "notifications/cancelled" => {
            let Ok(params) = Members::of(message.params.as_deref()) else { return };
            let reason = params.get("reason").unwrap_or("\"the client cancelled it\"");
            if let Some(id) = params.get("requestId") {
                host.cancel(id, reason);
            }
        }
        // For every server that asked for roots, or for the only one there is: we can't tell what else it may mean.
        "notifications/roots/list_changed" => gateway.tell_servers(message),
        _ if gateway.fleet.len() == 1 => gateway.tell_servers(message),
        method => tracing::debug!(method, "a notification of a host that is meant for nobody"),
    }
}

/// A host's answer to what it was asked goes to who asked.
fn answered(host: &Host, response: Response) {
    let Some(Question { asker }) = host.questions.answered(&response) else { return };
    match asker {
        Asker::Gateway(waiting) => drop(waiting.send(response.outcome)),
        Asker::Server { upstream, life, id } => {
            tokio::spawn(async move {
                let asked_in = upstream.life_of(life).await;
                let outcome = response.outcome.as_ref().map(|result| &**result);
                if let Some(life) = asked_in
                    && let Err(error) = life.session.connection().respond(&id, outcome).await
                {
                    tracing::debug!(%error, "a host's answer did not reach the server");
                }
            });
        }
    }
}

/// A host that closed its side of the lines may still read: what it asked is answered.
fn still_reads(gateway: &Arc<Inner>, session: Session) {
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        gateway.drained(|host| host.session == session).await;
        vanished(&gateway, &session);
    });
}

/// Nothing of a host that is gone stays behind: not its requests, not its subscriptions, not what servers asked it.
fn vanished(gateway: &Arc<Inner>, session: &Session) {
    let Some(host) = gateway.hosts.forget(session) else { return };
    host.vanish();
    let gone = RpcError::new(-32603, "the client is gone");
    for Question { asker } in host.questions.take_all() {
        if let Asker::Server { upstream, life, id } = asker {
            let gone = gone.clone();
            tokio::spawn(async move {
                if let Some(life) = upstream.life_of(life).await {
                    // A server that is gone too needs no answer.
                    let _ = life.session.connection().respond(&id, Err(&gone)).await;
                }
            });
        }
    }
    let offer = gateway.directory.now();
    for uri in host.take_subscriptions() {
        gateway.release(&offer, &uri);
    }
}

// ---- 2 task -----------------------------------------------------------------------------------------------------------
// Then, because from here on a request may wait. It is known by its id before the next message is looked at.

fn begin(gateway: &Arc<Inner>, exchange: Exchange) {
    let host = gateway.hosts.of(&exchange.context.session);
    let errand = Arc::new(Errand::new(
        Arc::clone(&host),
        exchange.context.era,
        gateway.limits.host_messages,
    ));
    host.begin(&exchange.request.id, &errand);
    let gateway = Arc::clone(gateway);
    tokio::spawn(async move {
        let Exchange { request, context, mut reply } = exchange;
        let headers = context.headers;
        let mut asked =
            Asked { gateway: &gateway, request: &request, headers, errand, reply: &mut reply };
        let answered = Box::pin(asked.answer()).await;
        // Before the answer, for the host may use the id again once it has it.
        host.end(&request.id);
        finish(reply, answered).await;
    });
}

/// One request on its way through the layers.
pub(crate) struct Asked<'a> {
    pub(crate) gateway: &'a Arc<Inner>,
    pub(crate) request: &'a Request,
    /// What its headers say, where it came by HTTP.
    headers: Option<Headers>,
    pub(crate) errand: Arc<Errand>,
    pub(crate) reply: &'a mut Reply,
}

// ---- 3 method ---------------------------------------------------------------------------------------------------------
// Then, because what a request names can only be looked for once it is known what kind of thing it names.

/// How long a host waits that only wants to know who we are.
const DISCOVERY: Duration = Duration::from_millis(500);

impl Asked<'_> {
    async fn answer(&mut self) -> Answered {
        match self.request.method.as_str() {
            "ping" => Ok(nothing()),
            "initialize" => self.initialize().await,
            "server/discover" => self.discover().await,
            "tools/list" => self.list(|offer| &offer.lists.tools).await,
            "prompts/list" => self.list(|offer| &offer.lists.prompts).await,
            "resources/list" => self.list(|offer| &offer.lists.resources).await,
            "resources/templates/list" => self.list(|offer| &offer.lists.templates).await,
            "tools/call" => self.call_tool().await,
            "prompts/get" => self.get_prompt().await,
            "resources/read" => self.read_resource().await,
            "resources/subscribe" => self.subscribe().await,
            "resources/unsubscribe" => self.unsubscribe().await,
            "completion/complete" => self.complete().await,
            "subscriptions/listen" => self.listen().await,
            "logging/setLevel" => self.set_log_level(),
            _ => self.pass().await,
        }
    }

    /// The instructions name what is missing, so the handshake waits for the start; it does so once for all.
    async fn initialize(&mut self) -> Answered {
        let params = self.request.params.as_deref();
        let revision = downstream::shake_hands(&self.errand.host, params)?;
        let offer = self.settled().await?;
        Ok(Answer::Own(downstream::greeting(revision, &offer)))
    }

    /// Hosts ask this to find out the era, and don't wait long for the answer.
    async fn discover(&mut self) -> Answered {
        self.start();
        // What has not come until then is not in the instructions.
        let _ = timeout(DISCOVERY, self.gateway.directory.settled()).await;
        Ok(Answer::Own(downstream::discovery(&self.gateway.directory.now())))
    }

    /// Lists are whole, so there is no second page.
    async fn list(&mut self, which: impl Fn(&Offer) -> &Arc<RawValue>) -> Answered {
        let cursor =
            self.request.params.as_deref().and_then(|raw| Members::read(raw.get())?.get("cursor"));
        if cursor.is_some_and(|cursor| cursor != "null") {
            return Err(Refusal::UnknownCursor.into());
        }
        let offer = self.settled().await?;
        let list = Arc::clone(which(&offer));
        Ok(match self.errand.era {
            Era::Handshake => Answer::Shared(list),
            Era::Stateless => Answer::Own(with_hints(&list)),
        })
    }

    /// What is offered, once the start is over.
    pub(crate) async fn settled(&mut self) -> Result<Arc<Offer>, Interrupted> {
        if self.gateway.directory.is_settled() {
            return Ok(self.gateway.directory.now());
        }
        self.start();
        attend(self.gateway.directory.settled(), &self.errand, self.reply).await
    }

    /// Starts the servers with the first request that needs them. They are told what this host offers.
    fn start(&self) {
        if self.gateway.is_started() {
            return;
        }
        let said = self.request.params.as_deref().and_then(|raw| Members::read(raw.get()));
        let meta = said.and_then(|params| Members::read(params.get("_meta")?));
        let offered = meta.and_then(|meta| meta.get(CAPABILITIES)).map(|it| raw(it.to_owned()));
        self.gateway.start(offered.as_deref().or(self.errand.host.capabilities()));
    }

    fn set_log_level(&mut self) -> Answered {
        let params = Members::of(self.request.params.as_deref())?;
        let level = params.string("level")?;
        if !self.errand.host.set_log_level(&level) {
            return Err(BadParams::NotALevel(level.into_owned()).into());
        }
        self.gateway.spread_log_level();
        Ok(nothing())
    }

    /// A method that we do not know is passed where only one server can be meant.
    async fn pass(&mut self) -> Answered {
        let Some(upstream) = self.gateway.fleet.only() else {
            return Err(Refusal::UnknownMethod(self.request.method.clone()).into());
        };
        match Members::of(self.request.params.as_deref()) {
            Ok(params) => self.send(&upstream, &params, &[], None).await,
            Err(_) => {
                self.carry(&upstream, self.request.params.clone(), upstream.number(), None).await
            }
        }
    }
}

// ---- 4 name -----------------------------------------------------------------------------------------------------------
// Then, because policies and servers know identities. A name is looked up, never taken apart.

impl Asked<'_> {
    async fn call_tool(&mut self) -> Answered {
        let params = Members::of(self.request.params.as_deref())?;
        let name = params.string("name")?;
        let offer = self.settled().await?;
        let tool =
            offer.tools.resolve(&name).map_err(|miss| Refusal::UnknownTool(Box::new(miss)))?;
        let upstream = self.upstream_of(tool.server(), &name)?;
        let Some(id) = tool.id() else { return Err(Refusal::UnknownResource(name.into()).into()) };
        if let Err(error) = self.compare_headers(&tool, &params) {
            return Ok(Answer::Error(error));
        }
        let begun = Instant::now();
        let answered = match self.allow(&offer, &tool, &id).await {
            Ok(()) => {
                let limit = tool.options().and_then(|options| options.time_limit);
                self.send(&upstream, &params, &[("name", &quoted(id.wire()))], limit).await
            }
            Err(unanswered) => Err(unanswered),
        };
        self.note(&id, &name, begun.elapsed(), &answered);
        answered
    }

    /// Arguments that the tool wants repeated as headers must be the same there (2026-07-28, Streamable HTTP).
    fn compare_headers(&self, tool: &Entry<'_>, params: &Members<'_>) -> Result<(), RpcError> {
        let (Era::Stateless, Some(headers)) = (self.errand.era, &self.headers) else {
            return Ok(());
        };
        let wanted = tool.tool().definition().and_then(|it| HeaderParams::of(it).ok());
        let arguments = params.get("arguments").unwrap_or("{}");
        for (name, argument) in wanted.unwrap_or_default().repeated(arguments) {
            let argument = argument.map(|it| raw(it.to_owned()));
            headers.compare_parameter(name, argument.as_deref())?;
        }
        Ok(())
    }

    /// Counts a call and writes it to the log.
    fn note(&self, tool: &ToolId, exposed: &str, elapsed: Duration, answered: &Answered) {
        let outcome = match answered {
            Ok(Answer::Error(_)) => Outcome::Error,
            Ok(_) => Outcome::Result,
            Err(Unanswered::Refused(_)) => Outcome::Refused,
            Err(Unanswered::GivenUp) => Outcome::Cancelled,
        };
        self.gateway.metrics.count(tool, outcome, elapsed);
        tracing::info!(
            session = %self.errand.host.session.id(),
            id = self.request.id.raw(),
            server = %tool.server().escape_debug(),
            tool = %tool.wire().escape_debug(),
            exposed,
            ms = elapsed.as_secs_f64() * 1e3,
            outcome = outcome.as_str(),
            "call"
        );
    }

    async fn get_prompt(&mut self) -> Answered {
        let params = Members::of(self.request.params.as_deref())?;
        let name = params.string("name")?;
        let offer = self.settled().await?;
        let prompt =
            offer.prompts.get(&name).ok_or_else(|| Refusal::UnknownPrompt(name.clone().into()))?;
        let upstream = self.upstream_of(prompt.server(), &name)?;
        self.send(&upstream, &params, &[("name", &quoted(prompt.wire()))], None).await
    }

    async fn read_resource(&mut self) -> Answered {
        let params = Members::of(self.request.params.as_deref())?;
        let uri = params.string("uri")?;
        let offer = self.settled().await?;
        let upstream = self.upstream_of(Some(offer.resources.server_of(&uri)?), &uri)?;
        self.send(&upstream, &params, &[], None).await
    }

    /// A server is subscribed to once, however many hosts want to hear of a resource.
    async fn subscribe(&mut self) -> Answered {
        let params = Members::of(self.request.params.as_deref())?;
        let uri = params.string("uri")?;
        let offer = self.settled().await?;
        let upstream = self.upstream_of(Some(offer.resources.server_of(&uri)?), &uri)?;
        let host = Arc::clone(&self.errand.host);
        let is_first = self.gateway.hosts.subscribers(&uri) == 0;
        host.subscribe(&uri);
        if !is_first {
            return Ok(nothing());
        }
        let answered = self.send(&upstream, &params, &[], None).await;
        if !matches!(answered, Ok(Answer::Own(_))) {
            host.unsubscribe(&uri);
        }
        answered
    }

    async fn unsubscribe(&mut self) -> Answered {
        let params = Members::of(self.request.params.as_deref())?;
        let uri = params.string("uri")?;
        let offer = self.settled().await?;
        let upstream = self.upstream_of(Some(offer.resources.server_of(&uri)?), &uri)?;
        let was_subscribed = self.errand.host.unsubscribe(&uri);
        if was_subscribed && self.gateway.hosts.subscribers(&uri) > 0 {
            return Ok(nothing());
        }
        self.send(&upstream, &params, &[], None).await
    }

    /// What is completed is an argument of a prompt or of a resource template.
    async fn complete(&mut self) -> Answered {
        let params = Members::of(self.request.params.as_deref())?;
        let reference = params.once("ref")?.ok_or(BadParams::Missing("ref"))?;
        let reference = Members::read(reference).ok_or(BadParams::NotAnObject)?;
        let offer = self.settled().await?;
        match &*reference.string("type")? {
            "ref/prompt" => {
                let name = reference.string("name")?;
                let unknown = || Refusal::UnknownPrompt(name.clone().into());
                let prompt = offer.prompts.get(&name).ok_or_else(unknown)?;
                let upstream = self.upstream_of(prompt.server(), &name)?;
                let reference = reference.with(&[("name", &quoted(prompt.wire()))]);
                self.send(&upstream, &params, &[("ref", &reference)], None).await
            }
            "ref/resource" => {
                let uri = reference.string("uri")?;
                let upstream = self.upstream_of(Some(offer.resources.server_of(&uri)?), &uri)?;
                self.send(&upstream, &params, &[], None).await
            }
            other => Err(Refusal::UnknownReference(other.to_owned()).into()),
        }
    }

    fn upstream_of(
        &self,
        server: Option<&ServerKey>,
        asked: &str,
    ) -> Result<Arc<Upstream>, Refusal> {
        let upstream = server.and_then(|server| self.gateway.fleet.get(server));
        upstream.ok_or_else(|| Refusal::UnknownResource(asked.to_owned()))
    }
}

// ---- 5 policy ---------------------------------------------------------------------------------------------------------
// Then, because a tool that may not be called is not called, whatever its arguments are.

/// What the user can answer to the question whether a tool may be called: that, and nothing else.
const NO_FIELDS: &str = r#"{"type":"object","properties":{}}"#;

impl Asked<'_> {
    async fn allow(
        &mut self,
        offer: &Offer,
        tool: &Entry<'_>,
        id: &ToolId,
    ) -> Result<(), Unanswered> {
        let denied = |reason: String| Refusal::Denied {
            server: id.server().clone(),
            wire: id.wire().clone(),
            reason,
        };
        match self.gateway.policy.judge(&offer.tools, id) {
            Judgement::Allow => Ok(()),
            Judgement::Deny(reason) => Err(denied(reason).into()),
            Judgement::Ask(reason) if self.errand.host.offers("elicitation") => {
                let question = format!("Call {}? {reason}", tool.exposed());
                if self.user_accepts(&question).await? {
                    return Ok(());
                }
                Err(denied(format!("the user did not accept it ({reason})")).into())
            }
            Judgement::Ask(reason) => Err(denied(format!(
                "the user would have to be asked ({reason}), and the client can't"
            ))
            .into()),
        }
    }

    async fn user_accepts(&mut self, question: &str) -> Result<bool, Interrupted> {
        let (answer, answered) = oneshot::channel();
        let id = self.errand.host.questions.ask(Asker::Gateway(answer));
        let params =
            raw(format!("{{\"message\":{},\"requestedSchema\":{NO_FIELDS}}}", quoted(question)));
        self.errand.push(write_request(&id, "elicitation/create", Some(&params)));
        let answered = attend(answered, &self.errand, self.reply).await?;
        let Ok(Ok(result)) = answered else { return Ok(false) };
        let action = Members::read(result.get()).and_then(|result| text(result.get("action")?));
        Ok(action.as_deref() == Some("accept"))
    }
}

// ---- 6 address, 7 carriage --------------------------------------------------------------------------------------------
// Last, because nothing is sent that could still be refused here.

impl Asked<'_> {
    /// Sends the parameters with some members set.
    async fn send(
        &mut self,
        upstream: &Arc<Upstream>,
        params: &Members<'_>,
        edits: &[(&str, &str)],
        limit: Option<Duration>,
    ) -> Answered {
        if self.errand.era == Era::Stateless {
            return self.set_out(upstream, params, edits, limit).await;
        }
        let number = upstream.number();
        let params = addressed(params, edits, number, &self.errand)?;
        self.carry(upstream, Some(params), number, limit).await
    }

    async fn carry(
        &mut self,
        upstream: &Arc<Upstream>,
        params: Option<Box<RawValue>>,
        number: u64,
        limit: Option<Duration>,
    ) -> Answered {
        let cargo = self.cargo(upstream, params, number, limit);
        answer_of(carry(&cargo, &self.errand, self.reply).await??)
    }

    pub(crate) fn cargo(
        &self,
        upstream: &Arc<Upstream>,
        params: Option<Box<RawValue>>,
        number: u64,
        limit: Option<Duration>,
    ) -> Cargo {
        let limit = limit.unwrap_or(self.gateway.limits.server.call);
        let (upstream, method) = (Arc::clone(upstream), self.request.method.clone());
        Cargo { upstream, method, params, number, limit }
    }
}

pub(crate) fn answer_of(outcome: Result<Box<RawValue>, RpcError>) -> Answered {
    Ok(match outcome {
        Ok(result) => Answer::Own(result),
        Err(error) => Answer::Error(error),
    })
}

// ---- 8 answer ---------------------------------------------------------------------------------------------------------

fn nothing() -> Answer {
    Answer::Own(raw("{}".to_owned()))
}

/// Answers once, or not at all where the host said that it waits for nothing.
async fn finish(reply: Reply, answered: Answered) {
    let told = match &answered {
        Ok(Answer::Shared(result)) => reply.finish(Ok(result)).await,
        Ok(Answer::Own(result)) => reply.finish(Ok(result)).await,
        Ok(Answer::Error(error)) => reply.finish(Err(error)).await,
        Err(Unanswered::Refused(refusal)) => reply.finish(Err(&refusal.to_error())).await,
        Err(Unanswered::GivenUp) => {
            reply.withhold();
            Ok(())
        }
    };
    if told.is_err() {
        tracing::debug!("an answer is lost: the host is gone");
    }
}
