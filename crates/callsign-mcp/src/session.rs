use callsign::WireName;
use callsign_wire::message::{RpcError, SpliceError, splice};
use callsign_wire::{Connection, Era, RequestError};
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout};

use crate::failure::{FetchError, Stage};
use crate::limits::Limits;
use crate::live::Live;
use crate::memory::Memory;
use crate::spec::ServerSpec;

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The server answered with an error, which is here whole. (A tool that fails gives a *result* that says so.)
    #[error("the server refused the call: {0}")]
    Refused(RpcError),
    /// The parameters can't be given the tool's name.
    #[error("the parameters of the call can't be used: {0}")]
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
/// Dropping it kills the server's whole process group; [`close`](Self::close) lets it leave by itself first.
#[derive(Debug)]
pub struct Session {
    live: Live,
    limits: Limits,
}

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
        let deadline = Instant::now() + limits.start;
        let live = Box::pin(Live::open(spec, limits, memory, deadline)).await?;
        Ok(Self { live, limits: *limits })
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
        &mut self,
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
        &mut self,
        wire: &WireName,
        params: &str,
    ) -> Result<Box<RawValue>, CallError> {
        let name = serde_json::Value::from(wire.as_str()).to_string();
        let params = splice(params, "name", &name).map_err(CallError::BadParameters)?;
        let params = RawValue::from_string(params).map_err(|error| {
            CallError::BadParameters(SpliceError::NotAnObject(error.to_string()))
        })?;
        let call = self.live.connection.call("tools/call", Some(&params)).await;
        let (id, outcome) = match call {
            Ok(call) => {
                let id = call.id().clone();
                (Some(id), timeout(self.limits.call, call.answer()).await)
            }
            Err(error) => (None, Ok(Err(error))),
        };
        match outcome {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(RequestError::Refused(error))) => Err(CallError::Refused(error)),
            Ok(Err(error)) => {
                Err(CallError::Failed(Box::new(self.live.explain(Stage::Calling, error).await)))
            }
            Err(_) => {
                if let Some(id) = id {
                    self.cancel(id.raw()).await;
                }
                let error = self.live.timed_out(Stage::Calling, self.limits.call).await;
                Err(CallError::Failed(Box::new(error)))
            }
        }
    }

    /// Tells the server that nobody waits any more. Over HTTP in the stateless era the broken exchange said so already.
    async fn cancel(&self, id: &str) {
        let connection = &self.live.connection;
        let is_stateless = connection.spoken().is_some_and(|spoken| spoken.era == Era::Stateless);
        if connection.is_http() && is_stateless {
            return;
        }
        let params = format!("{{\"requestId\":{id},\"reason\":\"time limit\"}}");
        if let Ok(params) = RawValue::from_string(params) {
            let told = connection.notify("notifications/cancelled", Some(&params));
            // A courtesy: a server that takes no notice any more is not waited for.
            let _ = timeout(self.limits.grace, told).await;
        }
    }

    /// Ends the server: it may leave by itself, is asked to, and is killed in the end, with everything it started.
    pub async fn close(self) {
        self.live.close().await;
    }
}
