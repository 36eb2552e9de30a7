use std::time::Duration;

use callsign::{Catalogue, Tool};
use callsign_wire::{Era, METHOD_NOT_FOUND, RequestError};
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use crate::failure::FetchError;
use crate::header_params::HeaderParams;
use crate::limits::Limits;
use crate::listed::{Listed, declares};
use crate::live::{Caller, Live};
use crate::memory::Memory;
use crate::note::Note;
use crate::paging::{Incomplete, Paging};
use crate::spec::ServerSpec;

/// How long prompts and resources may take once the tools are there: they are extras.
const EXTRAS: Duration = Duration::from_secs(5);

/// A complete catalogue and how it came about.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// Everything the server advertised.
    pub catalogue: Catalogue,
    /// Its resource templates, raw, in its order.
    pub templates: Vec<Box<RawValue>>,
    /// The revision it speaks.
    pub protocol: String,
    /// The lifecycle it follows.
    pub era: Era,
    /// From its start to its complete list.
    pub elapsed: Duration,
    /// How many pages its list of tools has.
    pub pages: usize,
    /// Lines or events it sent that are no messages.
    pub junk_lines: usize,
    /// What else is worth knowing.
    pub notes: Vec<Note>,
}

/// Starts or reaches one server, fetches everything it advertises, and ends it.
///
/// Nobody else is started or contacted. The tools are complete: to the last page, and what can't be read is named in the
/// catalogue. Prompts and resources are fetched where the server declares them; that they fail is a [`Note`]. Dropping
/// the future kills the server's whole process group.
///
/// # Errors
/// Why there is no complete list of tools. The server has been ended then, too.
pub async fn fetch(
    spec: &ServerSpec,
    limits: &Limits,
    memory: &Memory,
) -> Result<Fetched, FetchError> {
    let (fetched, live) = list(spec, limits, memory).await?;
    live.close(limits.patience()).await;
    fetched
}

/// The outcome, and the server still running: it is ended after the outcome has been told.
pub(crate) async fn list(
    spec: &ServerSpec,
    limits: &Limits,
    memory: &Memory,
) -> Result<(Result<Fetched, FetchError>, Live), FetchError> {
    let begin = Instant::now();
    let deadline = begin + limits.start;
    let live = Box::pin(Live::open(spec, limits, memory, &Caller::default(), deadline)).await?;
    let fetched = Box::pin(list_live(&live, spec, limits, memory, begin)).await;
    Ok((fetched, live))
}

/// Lists a server that runs already, and remembers what it says; the time counts from `begin`.
pub(crate) async fn list_live(
    live: &Live,
    spec: &ServerSpec,
    limits: &Limits,
    memory: &Memory,
    begin: Instant,
) -> Result<Fetched, FetchError> {
    let (mut fetched, listed) = collect(live, limits, begin, begin + limits.start).await?;
    if let Err(reason) = memory.remember_catalogue(spec, &fetched, &listed, &live.mask) {
        fetched.notes.push(Note::NotRemembered { reason });
    }
    Ok(fetched)
}

async fn collect(
    live: &Live,
    limits: &Limits,
    begin: Instant,
    deadline: Instant,
) -> Result<(Fetched, Listed), FetchError> {
    let mut notes = Vec::new();
    let mut listed = Listed::of(&live.opening);
    let pages = tools(live, limits, deadline, &mut listed, &mut notes).await?;
    extras(live, limits, deadline, &mut listed, &mut notes).await;
    let elapsed = begin.elapsed();
    let (catalogue, unreadable) = listed.catalogue();
    notes.extend(unreadable.into_iter().map(|(list, position, reason)| Note::Unreadable {
        list,
        position,
        reason,
    }));
    if live.connection.is_http() && live.opening.spoken.era == Era::Stateless {
        notes.extend(bad_header_params(&catalogue));
    }
    notes.extend(catalogue.tools().iter().filter_map(|tool| {
        let reason = tool.schema_problem()?;
        Some(Note::NoSchema { tool: tool.wire().clone(), reason })
    }));
    let seen = live.connection.seen();
    if seen.junk > 0 {
        let excerpts = seen.junk_excerpts.iter().map(|line| live.mask.line(line)).collect();
        notes.push(Note::Junk { lines: seen.junk, excerpts });
    }
    if live.restarted {
        notes.push(Note::Restarted);
    }
    let spoken = &live.opening.spoken;
    let (protocol, era) = (spoken.revision.clone(), spoken.era);
    let (junk_lines, templates) = (seen.junk, listed.templates.clone());
    Ok((Fetched { catalogue, templates, protocol, era, elapsed, pages, junk_lines, notes }, listed))
}

/// Fetches the tools; gives the number of pages.
async fn tools(
    live: &Live,
    limits: &Limits,
    deadline: Instant,
    listed: &mut Listed,
    notes: &mut Vec<Note>,
) -> Result<usize, FetchError> {
    let connection = live.connection.clone();
    let mut paging = Paging::new(&connection, limits, "tools");
    let outcome = timeout_at(deadline, paging.complete()).await;
    match outcome {
        Ok(Ok(entries)) => {
            listed.tools = entries;
            Ok(paging.page)
        }
        Ok(Err(Incomplete::Content(bad))) => {
            Err(live.explain_list(paging.stage(), "tools", bad).await)
        }
        Ok(Err(Incomplete::Request(error))) => {
            if is_unknown_method(&error) && !declares(&live.opening, "tools") {
                notes.push(Note::NoTools);
                return Ok(0);
            }
            Err(live.explain(paging.stage(), error).await)
        }
        Err(_) => Err(live.timed_out(paging.stage(), limits.start).await),
    }
}

fn bad_header_params(catalogue: &Catalogue) -> Vec<Note> {
    let bad = |tool: &Tool| {
        let reason = HeaderParams::of(tool.definition()?).err()?.to_string();
        Some(Note::BadHeaderParameter { tool: tool.wire().clone(), reason })
    };
    catalogue.tools().iter().filter_map(bad).collect()
}

fn is_unknown_method(error: &RequestError) -> bool {
    matches!(error, RequestError::Refused(error) if error.code() == Some(METHOD_NOT_FOUND))
}

/// Fetches prompts and resources where the server declares them.
async fn extras(
    live: &Live,
    limits: &Limits,
    deadline: Instant,
    listed: &mut Listed,
    notes: &mut Vec<Note>,
) {
    let begin = Instant::now();
    let deadline = deadline.min(begin + EXTRAS);
    for (list, capability, target) in [
        ("prompts", "prompts", &mut listed.prompts),
        ("resources", "resources", &mut listed.resources),
        ("resources/templates", "resources", &mut listed.templates),
    ] {
        if !declares(&live.opening, capability) {
            continue;
        }
        let connection = live.connection.clone();
        let mut paging = Paging::new(&connection, limits, list);
        let reason = match timeout_at(deadline, paging.complete()).await {
            Ok(Ok(entries)) => {
                *target = entries;
                continue;
            }
            Ok(Err(Incomplete::Content(bad))) => {
                live.explain_list(paging.stage(), list, bad).await.to_string()
            }
            // Templates have no capability of their own.
            Ok(Err(Incomplete::Request(error)))
                if list != capability && is_unknown_method(&error) =>
            {
                continue;
            }
            Ok(Err(Incomplete::Request(error))) => live.mask.line(&error.to_string()),
            Err(_) => format!("no answer in {:.1} s", begin.elapsed().as_secs_f64()),
        };
        notes.push(Note::ListFailed { list, reason });
    }
}
