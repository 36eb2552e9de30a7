use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::timeout;

use super::UNSUPPORTED_PROTOCOL_VERSION;
use super::handshake::{HandshakeError, finish, send_initialize};
use super::probe::{Verdict, judge, send_discover};
use super::revision::Era;
use super::spoken::{ClientIdentity, Spoken};
use crate::connection::{Call, Connection, RequestError};
use crate::http::HttpError;
use crate::router::METHOD_NOT_FOUND;

/// How long a server that answered `server/discover` after `initialize` was sent may still take to answer the latter,
/// before it is taken for one that never will.
const AFTER_A_LATE_DISCOVERY: Duration = Duration::from_secs(5);
/// How long a server that refused `initialize` may take to answer `server/discover`.
const AFTER_A_REFUSAL: Duration = Duration::from_secs(5);

/// What is known about the server beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Nothing: ask `server/discover` and, when it stays silent for this long, `initialize` too.
    Probe(Duration),
    /// It spoke the handshake era: `initialize` at once. A server that refuses it may have learnt the other era, so it is
    /// asked `server/discover` after all.
    Handshake,
}

/// A started connection.
#[derive(Debug, Clone)]
pub struct Opening {
    /// What both sides speak from now on.
    pub spoken: Spoken,
    /// The raw result of `initialize` or `server/discover`.
    pub result: Box<RawValue>,
    /// The era to [start](Start) with next time. It differs from the spoken one for a server of both eras whose answer
    /// to `server/discover` came too late for this connection.
    pub next: Era,
}

/// Starts a fresh connection: finds out the era, and shakes hands where it has one. It has no time limit but that of
/// the probe: drop it when the time is over.
///
/// # Errors
/// The server refuses, speaks no revision of ours, or is gone. A server that ends at the probe (those exist) gives
/// [`RequestError::Closed`]: start it again with [`Start::Handshake`].
pub async fn establish(
    connection: &Connection,
    client: &ClientIdentity,
    start: Start,
) -> Result<Opening, HandshakeError> {
    let opener = Opener { connection, client };
    match start {
        Start::Handshake => opener.handshake_or_discover().await,
        Start::Probe(limit) => opener.discover(limit).await,
    }
}

struct Opener<'a> {
    connection: &'a Connection,
    client: &'a ClientIdentity,
}

impl Opener<'_> {
    async fn handshake(&self) -> Result<Opening, HandshakeError> {
        let result = match send_initialize(self.connection, self.client).await?.answer().await {
            Ok(result) => result,
            Err(RequestError::Http(error)) => return Err(self.name_first_revision(error).await),
            Err(other) => return Err(other.into()),
        };
        self.handshaken(result, Era::Handshake).await
    }

    /// A server that refuses to shake hands, in whatever words, loses nothing by one question more. That it does not
    /// answer it leaves the refusal standing.
    async fn handshake_or_discover(&self) -> Result<Opening, HandshakeError> {
        let error = match self.handshake().await {
            Err(error) if refuses_handshake(&error) => error,
            other => return other,
        };
        let discovered = async {
            let call = send_discover(self.connection, self.client, "discover").await?;
            judge(call.answer().await)
        };
        match timeout(AFTER_A_REFUSAL, discovered).await {
            Ok(Ok(Verdict::Stateless(result))) => Ok(self.stateless(result)),
            Ok(Ok(Verdict::AskAgain)) => self.ask_again().await,
            _ => Err(error),
        }
    }

    async fn handshaken(
        &self,
        result: Box<RawValue>,
        next: Era,
    ) -> Result<Opening, HandshakeError> {
        let spoken = finish(self.connection, self.client, &result).await?;
        Ok(Opening { spoken, result, next })
    }

    fn stateless(&self, result: Box<RawValue>) -> Opening {
        let spoken = Spoken::stateless(self.client);
        self.connection.speak(spoken.clone());
        Opening { spoken, result, next: Era::Stateless }
    }

    async fn discover(&self, limit: Duration) -> Result<Opening, HandshakeError> {
        let call = send_discover(self.connection, self.client, "discover").await?;
        let mut answer = Box::pin(call.answer());
        match timeout(limit, answer.as_mut()).await {
            Ok(answered) => self.follow(judge(answered)?).await,
            Err(_) => self.handshake_beside(answer).await,
        }
    }

    async fn follow(&self, verdict: Verdict) -> Result<Opening, HandshakeError> {
        match verdict {
            Verdict::Stateless(result) => Ok(self.stateless(result)),
            Verdict::Handshake => self.handshake().await,
            Verdict::AskAgain => Box::pin(self.ask_again()).await,
            Verdict::NoCommonRevision(offered) => Err(HandshakeError::NoCommonRevision(offered)),
            Verdict::Faulty(error) => Err(HandshakeError::ProbeRefused(error)),
        }
    }

    /// Once only: a server that then still refuses what it says it supports is beyond help.
    async fn ask_again(&self) -> Result<Opening, HandshakeError> {
        let call = send_discover(self.connection, self.client, "discover-again").await?;
        match call.answer().await {
            Ok(result) => self.follow(judge(Ok(result))?).await,
            Err(RequestError::Refused(error)) => Err(HandshakeError::ProbeRefused(error)),
            Err(other) => Err(other.into()),
        }
    }

    /// The server was silent for the probe limit: it may be slow or old, which no timer can tell. `initialize` goes the
    /// same way, without giving the first question up, and its answer decides.
    async fn handshake_beside(
        &self,
        discover: impl Future<Output = Result<Box<RawValue>, RequestError>>,
    ) -> Result<Opening, HandshakeError> {
        let initialize = send_initialize(self.connection, self.client).await?;
        let (initialized, discovered) = both(initialize, discover).await;
        let discovered = discovered.and_then(|answer| judge(answer).ok());
        match (initialized, discovered) {
            (Some(Ok(result)), Some(Verdict::Stateless(_))) => {
                self.handshaken(result, Era::Stateless).await
            }
            (Some(Ok(result)), _) => self.handshaken(result, Era::Handshake).await,
            (_, Some(Verdict::Stateless(result))) => Ok(self.stateless(result)),
            (Some(Err(error)), _) => Err(error.into()),
            (None, Some(verdict)) => self.follow(verdict).await,
            (None, None) => Err(RequestError::Closed(crate::Closed::Ended).into()),
        }
    }

    /// A server of the first revision answers a POST with 400, 404 or 405, and a GET with a stream whose first event is
    /// `endpoint` (2024-11-05, basic/transports).
    async fn name_first_revision(&self, error: HttpError) -> HandshakeError {
        if let (Some(400 | 404 | 405), Some(link)) = (error.status(), self.connection.http())
            && link.offers_endpoint_event().await
        {
            return HandshakeError::FirstRevisionSse;
        }
        HandshakeError::Connection(error.into())
    }
}

type Answer = Result<Box<RawValue>, RequestError>;

/// Waits for the answer to `initialize`, and for that to `discover` as far as it matters:
///
/// - a result of `initialize` ends the waiting;
/// - an error that a server without handshake gives makes the other answer decide, so it is waited for;
/// - once `discover` has given a result, `initialize` is waited for a little longer only.
async fn both(
    initialize: Call,
    discover: impl Future<Output = Answer>,
) -> (Option<Answer>, Option<Answer>) {
    let mut initialize = Box::pin(initialize.answer());
    let mut discover = std::pin::pin!(discover);
    tokio::select! {
        biased;
        discovered = discover.as_mut() => {
            let initialized = if discovered.is_ok() {
                timeout(AFTER_A_LATE_DISCOVERY, initialize).await.ok()
            } else {
                Some(initialize.await)
            };
            (initialized, Some(discovered))
        }
        initialized = initialize.as_mut() => {
            let discovered = if has_no_handshake(&initialized) {
                timeout(AFTER_A_LATE_DISCOVERY, discover).await.ok()
            } else {
                None
            };
            (Some(initialized), discovered)
        }
    }
}

fn refuses_handshake(error: &HandshakeError) -> bool {
    match error {
        HandshakeError::Refused(_) => true,
        HandshakeError::Connection(RequestError::Http(error)) => error.is_about_the_request(),
        _ => false,
    }
}

fn has_no_handshake(initialized: &Answer) -> bool {
    let Err(RequestError::Refused(error)) = initialized else { return false };
    matches!(error.code(), Some(UNSUPPORTED_PROTOCOL_VERSION | METHOD_NOT_FOUND))
}
