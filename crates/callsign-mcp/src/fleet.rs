use callsign::ServerKey;
use futures_util::future::join_all;

use crate::failure::FetchError;
use crate::fetch::{Fetched, list};
use crate::limits::Limits;
use crate::memory::Memory;
use crate::spec::ServerSpec;

/// How far the servers of a fleet are. Each server gives `Started`, then one of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// It is being started or reached.
    Started {
        /// Which.
        server: &'a ServerKey,
    },
    /// Its catalogue is complete.
    Ready {
        /// Which.
        server: &'a ServerKey,
        /// How many tools it advertises, unreadable ones counted.
        tools: usize,
    },
    /// It has no complete catalogue.
    Failed {
        /// Which.
        server: &'a ServerKey,
    },
}

/// Fetches the catalogues of exactly these servers, all at once, each with its own limits; the outcomes are in the
/// order of `specs`, whatever the order of arrival.
///
/// A slow or failing server delays no other: the whole takes as long as the slowest one. Servers that are done are
/// ended while others still work. Everything runs within this future, so dropping it (on Ctrl-C, say) ends every
/// server's whole process group at once.
pub async fn fetch_all(
    specs: &[ServerSpec],
    limits: &Limits,
    memory: &Memory,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> Vec<(ServerKey, Result<Fetched, FetchError>)> {
    join_all(specs.iter().map(|spec| Box::pin(one(spec, limits, memory, progress)))).await
}

async fn one(
    spec: &ServerSpec,
    limits: &Limits,
    memory: &Memory,
    progress: &(dyn Fn(Progress<'_>) + Sync),
) -> (ServerKey, Result<Fetched, FetchError>) {
    let server = &spec.key;
    progress(Progress::Started { server });
    let (outcome, live) = match list(spec, limits, memory).await {
        Ok((outcome, live)) => (outcome, Some(live)),
        Err(error) => (Err(error), None),
    };
    progress(match &outcome {
        Ok(fetched) => Progress::Ready { server, tools: fetched.catalogue.advertised() },
        Err(_) => Progress::Failed { server },
    });
    if let Some(live) = live {
        live.close(limits.patience()).await;
    }
    (server.clone(), outcome)
}
