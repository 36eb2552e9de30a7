use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use super::unread::Unread;
use crate::serve::Limits;

/// How long to wait before the next connection where the system has no room for one.
const NO_ROOM: Duration = Duration::from_millis(100);

/// Accepts connections and answers them by `router` until `stop` comes about. Then no more are accepted, and those that
/// are open are closed as soon as nothing is under way on them; what is left after `patience` is cut off. Gives how many
/// were.
///
/// Streams that never end by themselves must be ended meanwhile: see [`HttpService::close`](super::HttpService::close).
pub async fn accept(
    listener: TcpListener,
    router: Router,
    limits: &Limits,
    stop: impl Future<Output = ()>,
    patience: Duration,
) -> usize {
    let stopping = watch::Sender::new(false);
    let mut connections = JoinSet::new();
    let builder = builder(limits);
    let room = Arc::new(Semaphore::new(limits.connections.clamp(1, Semaphore::MAX_PERMITS)));
    let accepting = async {
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return };
            let stream = accepted(&listener).await;
            while connections.try_join_next().is_some() {}
            let connection = builder.serve_connection(
                TokioIo::new(Unread::new(stream, limits.unread)),
                TowerToHyperService::new(router.clone()),
            );
            let mut stopped = stopping.subscribe();
            connections.spawn(async move {
                let _place = place;
                let stopped = async { drop(stopped.wait_for(|stopped| *stopped).await) };
                let mut connection = pin!(connection);
                let ended = tokio::select! {
                    ended = connection.as_mut() => ended,
                    () = stopped => {
                        connection.as_mut().graceful_shutdown();
                        connection.await
                    }
                };
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection of a host ended");
                }
            });
        }
    };
    tokio::select! {
        () = stop => {}
        () = accepting => {}
    }
    drop(listener);
    stopping.send_replace(true);
    let _ =
        tokio::time::timeout(patience, async { while connections.join_next().await.is_some() {} })
            .await;
    let left = connections.len();
    connections.shutdown().await;
    left
}

fn builder(limits: &Limits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_header_size(limits.head_bytes);
    builder
}

async fn accepted(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Small messages are not to wait for each other; where that can't be had, they do.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                tokio::time::sleep(NO_ROOM).await;
            }
        }
    }
}
