use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use callsign::catalogue::fields;
use callsign::{Catalogue, WireName};
use callsign_wire::lifecycle::HEADER_MISMATCH;
use callsign_wire::message::{Id, RpcError, SpliceError, splice};
use callsign_wire::{
    Call, ClientIdentity, Closed, Connection, Era, Opening, RequestError, Start, establish,
};
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout};

use crate::failure::{FetchError, Stage, plain};
use crate::fetch::{Fetched, list_live};
use crate::header_params::HeaderParams;
use crate::limits::Limits;
use crate::live::{Caller, Live};
use crate::memory::Memory;
use crate::paging::Paging;
use crate::spec::ServerSpec;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server answered with an error, which is here whole. (A tool that fails gives a *result* that says so.)
    #[error("the server refused the call: {0}")]
    Refused(RpcError),
    /// The parameters can't be given the tool's name.
    #[error("the parameters of the call can't be used: {}", plain(&.0.to_string()))]
    BadParameters(SpliceError),
    /// The server failed, or was too slow.
    #[error(transparent)]
    Failed(Box<FetchError>),
}

impl CallError {
    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Refused(_) => {
                "read the message; the tool's description should explain it".to_owned()
            }
            Self::BadParameters(_) => "pass a JSON object that has each name once".to_owned(),
            Self::Failed(error) => error.remedy(),
        }
    }
}

/// One server, running and ready to be called.
///
/// Many calls may be under way at once. A call that finds the server's session over fails, and the next one has a new one.
/// Dropping it kills the server's whole process group; [`close`](Self::close) lets it leave by itself first.
#[derive(Debug)]
pub struct Session {
    live: Live,
    spec: ServerSpec,
    limits: Limits,
    memory: Memory,
    identity: ClientIdentity,
    /// How often the server's session had to be begun anew; held while that happens, so that requests wait for it.
    renewals: tokio::sync::Mutex<u64>,
    /// `None` until they are needed.
    header_params: Mutex<Option<Arc<ByName>>>,
}

/// The arguments of each tool, by wire name, that travel as headers too.
type ByName = BTreeMap<String, HeaderParams>;

impl Session {
    /// Starts or reaches the server and settles how to speak with it. Nothing is listed or called yet.
    ///
    /// # Errors
    /// Why it can't be spoken with.
    pub async fn open(
        spec: &ServerSpec,
        limits: &Limits,
        memory: &Memory,
    ) -> Result<Self, FetchError> {
        Self::open_as(&Caller::default(), spec, limits, memory).await
    }

    /// As [`open`](Self::open), for a caller that offers servers something or wants to hear them.
    ///
    /// # Errors
    /// Why it can't be spoken with.
    pub async fn open_as(
        caller: &Caller,
        spec: &ServerSpec,
        limits: &Limits,
        memory: &Memory,
    ) -> Result<Self, FetchError> {
        let deadline = Instant::now() + limits.start;
        let live = Box::pin(Live::open(spec, limits, memory, caller, deadline)).await?;
        let known = memory.catalogue(spec).map(|known| Arc::new(by_name(&known.catalogue)));
        let (spec, limits, memory) = (spec.clone(), *limits, memory.clone());
        let (identity, renewals) = (caller.identity.clone(), tokio::sync::Mutex::default());
        let header_params = Mutex::new(known);
        Ok(Self { live, spec, limits, memory, identity, renewals, header_params })
    }

    /// Everything the server advertises now, complete as by [`fetch`](crate::fetch).
    ///
    /// # Errors
    /// Why there is no complete list of tools; the server keeps running.
    pub async fn list(&self) -> Result<Fetched, FetchError> {
        let renewals = *self.renewals.lock().await;
        let begin = Instant::now();
        let listing = list_live(&self.live, &self.spec, &self.limits, &self.memory, begin);
        let fetched = Box::pin(listing).await;
        if let Err(error) = &fetched {
            self.renew_after(error, renewals).await;
        }
        let fetched = fetched?;
        self.keep(Some(Arc::new(by_name(&fetched.catalogue))));
        Ok(fetched)
    }

    /// What the server said when it was opened, and what both sides speak.
    #[must_use]
    pub fn opening(&self) -> &Opening {
        &self.live.opening
    }

    /// The connection, for what this type does not offer.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.live.connection
    }

    /// Calls a tool by the name its server knows it by. Arguments and result are passed on byte for byte.
    ///
    /// # Errors
    /// The server refuses, fails, or is slower than the limit for calls.
    pub async fn call(
        &self,
        wire: &WireName,
        arguments: &RawValue,
    ) -> Result<Box<RawValue>, CallError> {
        self.call_with(wire, &format!("{{\"name\":\"\",\"arguments\":{}}}", arguments.get())).await
    }

    /// Calls a tool with the whole raw `params` of somebody else's call: only `name` is set to the wire name.
    ///
    /// # Errors
    /// As for [`call`](Self::call); also parameters that are no object or have `name` twice.
    pub async fn call_with(
        &self,
        wire: &WireName,
        params: &str,
    ) -> Result<Box<RawValue>, CallError> {
        let name = serde_json::Value::from(wire.as_str()).to_string();
        let params = splice(params, "name", &name).map_err(CallError::BadParameters)?;
        let params = RawValue::from_string(params).map_err(|error| {
            CallError::BadParameters(SpliceError::NotAnObject(error.to_string()))
        })?;
        let headers = self.headers(wire, &params).await;
        let mut outcome = self.exchange(&params, &headers).await?;
        // The server compared headers and body before it did anything, and knows a newer schema than we do.
        if matches!(&outcome, Err(error) if error.code() == Some(HEADER_MISMATCH)) {
            self.keep(None);
            let headers = self.headers(wire, &params).await;
            outcome = self.exchange(&params, &headers).await?;
        }
        outcome.map_err(CallError::Refused)
    }

    /// One exchange; the inner error is the server's own.
    async fn exchange(
        &self,
        params: &RawValue,
        headers: &[(String, String)],
    ) -> Result<Result<Box<RawValue>, RpcError>, CallError> {
        let failed = |error| CallError::Failed(Box::new(error));
        let mut id = None;
        let exchange = async {
            let sent = self.send_with("tools/call", Some(params), headers).await?;
            id = Some(sent.id().clone());
            sent.answer().await
        };
        match (timeout(self.limits.call, exchange).await, id) {
            (Ok(outcome), _) => outcome.map_err(failed),
            (Err(_), id) => {
                if let Some(id) = id {
                    self.cancel(&id, "\"time limit\"").await;
                }
                Err(failed(self.live.timed_out(Stage::Calling, self.limits.call).await))
            }
        }
    }

    /// Sends any request, its parameters as they are; the answer is waited for separately, without a limit of time. Where
    /// the server wants arguments of a call as headers too, they are sent.
    ///
    /// # Errors
    /// The server is gone.
    pub async fn send(
        &self,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Sent<'_>, FetchError> {
        let headers = match params {
            Some(params) if method == "tools/call" && self.wants_headers() => {
                let wire = fields(params.get()).ok().and_then(|params| params.string("name"));
                match wire.and_then(|wire| WireName::new(wire).ok()) {
                    Some(wire) => self.headers(&wire, params).await,
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        };
        self.send_with(method, params, &headers).await
    }

    async fn send_with(
        &self,
        method: &str,
        params: Option<&RawValue>,
        headers: &[(String, String)],
    ) -> Result<Sent<'_>, FetchError> {
        let renewals = *self.renewals.lock().await;
        let mut call = match self.live.connection.call(method, params).await {
            Ok(call) => call,
            Err(error) => return Err(self.live.explain(Stage::Calling, error).await),
        };
        for (name, value) in headers {
            call = call.header(name, value);
        }
        Ok(Sent { session: self, call, renewals })
    }

    /// Words the end of the connection with what the server wrote, and how it ended.
    pub async fn explain_end(&self, closed: Closed) -> FetchError {
        self.live.explain(Stage::Serving, closed.into()).await
    }

    /// Words the passing of a time limit on a request with what the server wrote.
    pub async fn timed_out(&self, limit: Duration) -> FetchError {
        self.live.timed_out(Stage::Calling, limit).await
    }

    /// Begins a new session where the server has forgotten the one of the failed request (a restarted server has), unless
    /// another request has done so since. What failed is not sent again: the server may have acted on it.
    async fn renew_after(&self, error: &FetchError, renewals_before: u64) {
        if !matches!(error, FetchError::SessionEnded { .. }) {
            return;
        }
        let mut renewals = self.renewals.lock().await;
        if *renewals != renewals_before {
            return;
        }
        let handshake = establish(&self.live.connection, &self.identity, Start::Handshake);
        match timeout(self.limits.start, Box::pin(handshake)).await {
            Ok(Ok(_)) => *renewals += 1,
            // The next request fails in the same way, and tries again.
            Ok(Err(error)) => {
                let error = self.live.mask.line(&error.to_string());
                tracing::debug!(%error, "no new session");
            }
            Err(_) => tracing::debug!("no new session in time"),
        }
    }

    /// Only the stateless era over HTTP has arguments that travel as headers too.
    fn wants_headers(&self) -> bool {
        self.live.connection.is_http() && self.is_stateless()
    }

    /// The arguments that the server wants as headers too. They stand in the tool's schema, so the tools are listed once
    /// where no catalogue is remembered.
    async fn headers(&self, wire: &WireName, params: &RawValue) -> Vec<(String, String)> {
        if !self.wants_headers() {
            return Vec::new();
        }
        let kept = self.header_params.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let by_name = match kept {
            Some(kept) => kept,
            None => self.listed_header_params().await,
        };
        let known = by_name.get(wire.as_str());
        let arguments = fields(params.get()).ok().and_then(|params| params.get("arguments"));
        match (known, arguments) {
            (Some(known), Some(arguments)) => known.headers(arguments),
            _ => Vec::new(),
        }
    }

    /// That they can't be listed is no reason not to call: the server will say what it misses.
    async fn listed_header_params(&self) -> Arc<ByName> {
        let connection = self.live.connection.clone();
        let mut paging = Paging::new(&connection, &self.limits, "tools");
        let tools = match timeout(self.limits.start, paging.complete()).await {
            Ok(Ok(tools)) => tools,
            _ => Vec::new(),
        };
        let mut catalogue = Catalogue::default();
        tools.iter().for_each(|tool| catalogue.push_tool(tool.get()));
        let listed = Arc::new(by_name(&catalogue));
        self.keep(Some(Arc::clone(&listed)));
        listed
    }

    fn keep(&self, header_params: Option<Arc<ByName>>) {
        *self.header_params.lock().unwrap_or_else(PoisonError::into_inner) = header_params;
    }

    fn is_stateless(&self) -> bool {
        self.live.opening.spoken.era == Era::Stateless
    }

    /// Forgets which arguments the server wants as headers; they are found out anew at the next call. For a server that
    /// says that they do not fit ([`HEADER_MISMATCH`]).
    pub fn forget_headers(&self) {
        self.keep(None);
    }

    /// Tells the server that nobody waits for the answer to a request any more; `reason` is a JSON string. Over HTTP in the
    /// stateless era the exchange that is broken off says so, and nothing is sent.
    pub async fn cancel(&self, id: &Id, reason: &str) {
        let connection = &self.live.connection;
        if connection.is_http() && self.is_stateless() {
            return;
        }
        let params = format!("{{\"requestId\":{},\"reason\":{reason}}}", id.raw());
        if let Ok(params) = RawValue::from_string(params) {
            let told = connection.notify("notifications/cancelled", Some(&params));
            // A courtesy: a server that takes no notice any more is not waited for.
            let _ = timeout(self.limits.terminate, told).await;
        }
    }

    /// Ends the server: it may leave by itself, is asked to, and is killed in the end, with everything it started.
    pub async fn close(self) {
        self.end().await;
    }

    /// As [`close`](Self::close), where others may still hold it: their requests end with an error.
    pub async fn end(&self) {
        self.live.end(self.limits.patience_after_a_call()).await;
    }
}

/// A request under way. Dropping it gives the answer up; [`Session::cancel`] tells the server.
#[derive(Debug)]
pub struct Sent<'a> {
    session: &'a Session,
    call: Call,
    /// How often the server's session had been begun anew when it was sent.
    renewals: u64,
}

impl Sent<'_> {
    /// The id the request has on this connection.
    #[must_use]
    pub fn id(&self) -> &Id {
        self.call.id()
    }

    /// Waits for the answer, as long as it takes. The inner error is the server's own.
    ///
    /// # Errors
    /// The server failed. If it has forgotten the session, a new one has been begun, and what failed is not sent again: the
    /// server may have acted on it.
    pub async fn answer(self) -> Result<Result<Box<RawValue>, RpcError>, FetchError> {
        let Self { session, call, renewals } = self;
        let error = match call.answer().await {
            Ok(result) => return Ok(Ok(result)),
            Err(RequestError::Refused(error)) => return Ok(Err(error)),
            Err(error) => session.live.explain(Stage::Calling, error).await,
        };
        session.renew_after(&error, renewals).await;
        Err(error)
    }
}

/// The annotations of a catalogue's tools; tools with invalid ones have none.
fn by_name(catalogue: &Catalogue) -> ByName {
    let of = |tool: &callsign::Tool| {
        Some((tool.wire().to_string(), HeaderParams::of(tool.definition()?).ok()?))
    };
    catalogue.tools().iter().filter_map(of).collect()
}
