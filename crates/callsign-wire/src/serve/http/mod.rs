//! Hosts over Streamable HTTP, of both eras at one address.
//!
//! ```text
//! accept ─► head: Host, Origin (403) ─► token (401) ─► POST ─► Accept, Content-Type, size ─► message
//!                                                      GET ──► the session's own stream        │
//!                                                      DELETE ► the session's end              ▼
//!    handshake era: the session (400, 404), 202 for what wants no answer ◄── body names no revision
//!    stateless era: headers against body (400 −32020), `_meta` (−32602, −32022, −32601) ◄── it does
//! ```
//!
//! An answer is JSON where it is the first thing to say, else an event stream. Where nothing is said for
//! [`Limits::silence`], the stream begins with a comment. In the handshake era a host that closes such a stream cancels
//! nothing; in the stateless era it cancels the request ([`Reply::abandoned`](super::Reply::abandoned)). Streams can't
//! be resumed, so events have no ids.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use std::time::Duration;
//! use callsign_wire::serve::{Limits, http::{Access, HttpService, accept}};
//!
//! let limits = Limits::default();
//! let (service, mut arrivals) = HttpService::new(Access::loopback(), limits.clone());
//! let router = service.router(axum::Router::new());
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
//! let stop = async { let _ = tokio::signal::ctrl_c().await; };
//! tokio::spawn(async move { while let Some(arrival) = arrivals.next().await { drop(arrival) } });
//! accept(listener, router, &limits, stop, Duration::from_secs(10)).await;
//! # Ok(())
//! # }
//! ```
//!
//! Sources: specification 2025-03-26 to 2026-07-28, basic/transports (Streamable HTTP).

mod access;
mod body;
mod events;
mod get;
mod head;
mod kept;
mod listen;
mod post;
mod refused;
mod sessions;
mod standard;
mod unread;

pub use access::{Access, TokenError};
pub use listen::accept;

pub(super) use events::Piece;
pub(super) use kept::Kept;

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::any;
use tokio::sync::mpsc;

use self::refused::Refused;
use self::sessions::Sessions;
use super::{Arrival, Arrivals, Carrier, Limits, PrincipalId, Session, session::Outlet};

/// Where hosts reach the protocol, with or without a slash behind it.
pub const PATH: &str = "/mcp";

/// One address under which hosts are served; a clone is the same one.
#[derive(Clone)]
pub struct HttpService(Arc<Shared>);

impl std::fmt::Debug for HttpService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sessions = self.0.sessions.count();
        f.debug_struct("HttpService").field("sessions", &sessions).finish_non_exhaustive()
    }
}

struct Shared {
    access: Access,
    limits: Limits,
    sessions: Sessions,
    /// One of each principal, in the order of the tokens; one of nobody where there are none.
    stateless: Vec<Session>,
    arrived: Mutex<Option<mpsc::Sender<Arrival>>>,
}

impl HttpService {
    /// A service and what arrives at it. Must be called within a Tokio runtime: a task ends idle sessions.
    #[must_use]
    pub fn new(access: Access, limits: Limits) -> (Self, Arrivals) {
        let (arrived, arrivals) = Arrivals::channel(limits.arrivals);
        let principals: Vec<Option<PrincipalId>> = match access.principals() {
            [] => vec![None],
            principals => principals.iter().cloned().map(Some).collect(),
        };
        let stateless = principals
            .into_iter()
            .map(|principal| Session::new(Carrier::HttpStateless, principal, Outlet::None, &limits))
            .collect();
        let service = Self(Arc::new(Shared {
            access,
            sessions: Sessions::new(limits.sessions),
            limits,
            stateless,
            arrived: Mutex::new(Some(arrived)),
        }));
        tokio::spawn(sessions::end_idle(Arc::downgrade(&service.0), service.0.limits.idle));
        (service, arrivals)
    }

    /// The routes: [`PATH`], and `beside` it others that need no token. `Host` and `Origin` are checked for all.
    pub fn router(&self, beside: Router) -> Router {
        let service = self.clone();
        let answer = any(move |request: Request| {
            let service = service.clone();
            async move { service.answer(request).await }
        });
        let guard = self.clone();
        beside.route(PATH, answer.clone()).route(&format!("{PATH}/"), answer).layer(from_fn(
            move |request: Request, next: Next| {
                let refused = guard.0.access.refuses(request.uri(), request.headers());
                async move {
                    match refused {
                        Some(refused) => refused.into_response(),
                        None => next.run(request).await,
                    }
                }
            },
        ))
    }

    /// Routes that ask for a token as [`PATH`] does, where tokens are asked for.
    pub fn private(&self, router: Router) -> Router {
        let service = self.clone();
        router.layer(from_fn(move |request: Request, next: Next| {
            let known = service.0.access.principal(request.headers()).map(drop);
            async move {
                match known {
                    Ok(()) => next.run(request).await,
                    Err(refused) => refused.into_response(),
                }
            }
        }))
    }

    /// How many sessions with an id there are.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.0.sessions.count()
    }

    /// Ends what arrives: later requests get status 503, and the sessions' own streams end. What is under way goes on
    /// and may still be answered. Comes before the end of [`accept`], which waits for open streams.
    pub fn close(&self) {
        self.0.arrived.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.0.sessions.end_streams();
    }

    async fn answer(&self, request: Request) -> Response {
        let (head, body) = request.into_parts();
        let answered = async {
            let caller = self.0.access.principal(&head.headers)?;
            match head.method {
                Method::POST => post::answer(&self.0, caller, &head.headers, body).await,
                Method::GET => get::stream(&self.0, &caller, &head.headers),
                Method::DELETE => get::end(&self.0, &caller, &head.headers).await,
                _ => Err(Refused::method()),
            }
        };
        answered.await.unwrap_or_else(Refused::into_response)
    }
}

impl Shared {
    /// The way in; closed once nothing is taken any more.
    fn arrived(&self) -> Result<mpsc::Sender<Arrival>, Refused> {
        let arrived = self.arrived.lock().unwrap_or_else(PoisonError::into_inner).clone();
        arrived.ok_or_else(Refused::closing)
    }

    async fn bring(&self, arrival: Arrival) -> Result<(), Refused> {
        self.arrived()?.send(arrival).await.map_err(|_| Refused::closing())
    }
}

/// A response without a body.
fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
