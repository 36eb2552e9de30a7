//! The Streamable HTTP transport, both eras on one endpoint.
//!
//! | | legacy | modern |
//! |---|---|---|
//! | POST | needs the session `initialize` opened | stateless; standard headers must agree with the body |
//! | GET | the session's stream of announcements | 405 |
//! | DELETE | ends the session | 405 |

mod admission;
mod bare_status;
mod event_stream;
mod get;
mod headers;
mod post;
mod reply;
mod reply_form;
mod session;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get as on_get;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::behaviour::Behaviour;
use crate::server::Server;
use crate::{ServeError, announce, start, termination};
pub use bare_status::HttpStatus;
pub use reply_form::Reply;
use session::Sessions;

/// Where the endpoint is.
const PATH: &str = "/mcp";
/// How long bytes already written get to leave before the process ends.
const LAST_BYTES: Duration = Duration::from_millis(50);

/// A server that listens and has not started to answer.
pub struct HttpServer {
    listener: TcpListener,
    address: SocketAddr,
    endpoint: Arc<Endpoint>,
    stopped: watch::Receiver<Option<i32>>,
}

/// What every request needs.
pub(crate) struct Endpoint {
    server: Arc<Server>,
    sessions: Sessions,
    stop: watch::Sender<Option<i32>>,
}

impl Endpoint {
    /// Ends the server soon.
    fn stop_soon(self: &Arc<Self>, status: i32) {
        let endpoint = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(LAST_BYTES).await;
            endpoint.stop.send_replace(Some(status));
        });
    }
}

impl HttpServer {
    /// Listens on `address`; port 0 takes any free one.
    ///
    /// # Errors
    /// [`ServeError`]: the address cannot be listened on, or a file of the behaviour not be used.
    pub async fn bind(behaviour: Behaviour, address: SocketAddr) -> Result<Self, ServeError> {
        let failed = |cause| ServeError::Listen { address, cause };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let (stop, stopped) = watch::channel(None);
        let server = Arc::new(Server::new(behaviour)?);
        let endpoint = Arc::new(Endpoint { server, sessions: Sessions::default(), stop });
        Ok(Self { listener, address, endpoint, stopped })
    }

    /// The endpoint's URL.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// Serves until the behaviour ends it; gives the exit status.
    ///
    /// # Errors
    /// [`ServeError`]: the child cannot be started, or accepting fails.
    pub async fn serve(self) -> Result<i32, ServeError> {
        let Self { listener, address, endpoint, mut stopped } = self;
        let behaviour = &endpoint.server.behaviour;
        let _deaf = termination::prepare(&behaviour.ending)?;
        start::side_effects(behaviour)?;
        if let Some(file) = behaviour.catalogue.tools_file.clone() {
            tokio::spawn(announce::watch_tools_file(endpoint.server.clone(), file));
        }
        let longest_life = behaviour.ending.longest_life;
        tokio::select! {
            ended = axum::serve(listener, router(endpoint.clone())) => {
                ended.map(|()| 0).map_err(|cause| ServeError::Listen { address, cause })
            }
            stopped = stopped.wait_for(Option::is_some) => {
                Ok(stopped.ok().and_then(|status| *status).unwrap_or_default())
            }
            () = tokio::time::sleep(longest_life) => Ok(0),
        }
    }
}

/// Listens on `address`, writes the endpoint's URL on stdout as one line, and serves until the behaviour ends it; gives
/// the exit status.
///
/// # Errors
/// [`ServeError`], as [`HttpServer::bind`] and [`HttpServer::serve`].
pub async fn serve_http(behaviour: Behaviour, address: SocketAddr) -> Result<i32, ServeError> {
    if behaviour.ending.at_start && behaviour.ending.is_due() {
        return Ok(behaviour.ending.status);
    }
    let server = HttpServer::bind(behaviour, address).await?;
    let mut stdout = tokio::io::stdout();
    let line = format!("{}\n", server.url());
    stdout.write_all(line.as_bytes()).await.map_err(ServeError::Stdout)?;
    stdout.flush().await.map_err(ServeError::Stdout)?;
    server.serve().await
}

fn router(endpoint: Arc<Endpoint>) -> Router {
    let methods = on_get(get::stream).post(post::message).delete(session::end);
    Router::new().route(PATH, methods).with_state(endpoint)
}
