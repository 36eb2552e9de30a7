use std::path::PathBuf;
use std::time::Duration;

use callsign_wire::http::Endpoint;
use callsign_wire::lifecycle::HandshakeError;
use callsign_wire::process::{Patience, Process, Program};
use callsign_wire::{
    Bounds, ClientIdentity, Closed, Connection, Era, Inbound, Opening, RequestError, Start,
    establish,
};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use crate::environment::clean;
use crate::failure::{Evidence, FetchError, Stage, Wording, not_started};
use crate::limits::Limits;
use crate::mask::Mask;
use crate::memory::Memory;
use crate::paging::BadList;
use crate::spec::{Launch, Secret, ServerSpec};

/// A program's last words, and its status, come a moment after its output ends.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// A server that has been started or reached, and has answered.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) connection: Connection,
    pub(crate) opening: Opening,
    pub(crate) mask: Mask,
    /// Whether it ended at the first message and had to be started a second time.
    pub(crate) restarted: bool,
    process: Mutex<Option<Process>>,
}

/// Who speaks to a server, and what becomes of the server's own requests and notifications.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Name, version and capabilities that the server is told.
    pub identity: ClientIdentity,
    /// Where the server's own messages go.
    pub inbound: Inbound,
}

impl Default for Caller {
    /// callsign itself, which offers servers nothing and refuses what they ask.
    fn default() -> Self {
        let identity = ClientIdentity::new("callsign", env!("CARGO_PKG_VERSION"));
        Self { identity, inbound: Inbound::Refuse }
    }
}

/// A link that has not answered yet.
struct Link {
    connection: Connection,
    process: Option<Process>,
}

/// Why an attempt failed, before it is worded.
enum Failure {
    TimedOut,
    Handshake(HandshakeError),
}

impl Live {
    /// Starts or reaches a server and settles how to speak with it, by `deadline`.
    pub(crate) async fn open(
        spec: &ServerSpec,
        limits: &Limits,
        memory: &Memory,
        caller: &Caller,
        deadline: Instant,
    ) -> Result<Self, FetchError> {
        let mask = Mask::of(spec);
        let start = match (memory.era(spec, limits.handshake_verdict), &spec.launch) {
            (Some(Era::Handshake), _) => Start::Handshake,
            // A server that was replaced by an older one may stay silent to the question, however often it is asked.
            (Some(Era::Stateless), _) => Start::Probe(limits.start / 2),
            (None, Launch::Stdio { .. }) => Start::Probe(limits.probe),
            (None, Launch::Http { .. }) => Start::Probe(limits.probe_http),
        };
        let mut restarted = false;
        let mut attempt = Self::attempt(spec, limits, caller, start, deadline, &mask).await?;
        if let Err((Failure::Handshake(error), link)) = &attempt
            && start != Start::Handshake
            && is_gone(error)
            && link.process.is_some()
        {
            // Servers exist that end on any message before `initialize`.
            restarted = true;
            attempt =
                Self::attempt(spec, limits, caller, Start::Handshake, deadline, &mask).await?;
        }
        match attempt {
            Ok((opening, Link { connection, process })) => {
                memory.remember_era(spec, opening.next, &opening.spoken.revision);
                let process = Mutex::new(process);
                Ok(Self { connection, opening, mask, restarted, process })
            }
            Err((failure, link)) => {
                if speaks_of_the_era(&failure) {
                    memory.forget_era(spec);
                }
                Err(link.explain(failure, &mask, limits).await)
            }
        }
    }

    async fn attempt(
        spec: &ServerSpec,
        limits: &Limits,
        caller: &Caller,
        start: Start,
        deadline: Instant,
        mask: &Mask,
    ) -> Result<Result<(Opening, Link), (Failure, Link)>, FetchError> {
        let link = Link::to(spec, limits, &caller.inbound, mask)?;
        let opening = establish(&link.connection, &caller.identity, start);
        let opened = timeout_at(deadline, opening).await;
        Ok(match opened {
            Ok(Ok(opening)) => Ok((opening, link)),
            Ok(Err(error)) => Err((Failure::Handshake(error), link)),
            Err(_) => Err((Failure::TimedOut, link)),
        })
    }

    /// Words a failed request with what the server wrote.
    pub(crate) async fn explain(&self, stage: Stage, error: RequestError) -> FetchError {
        let (evidence, status) = self.gather(is_closed(&error)).await;
        Wording { mask: &self.mask, stage, evidence, status }.request(error)
    }

    /// Words a list that is no good, with what the server wrote.
    pub(crate) async fn explain_list(
        &self,
        stage: Stage,
        list: &'static str,
        bad: BadList,
    ) -> FetchError {
        let (evidence, status) = self.gather(false).await;
        Wording { mask: &self.mask, stage, evidence, status }.list(list, bad)
    }

    /// Words the passing of a time limit with what the server wrote.
    pub(crate) async fn timed_out(&self, stage: Stage, limit: Duration) -> FetchError {
        let (evidence, status) = self.gather(false).await;
        Wording { mask: &self.mask, stage, evidence, status }.timed_out(limit)
    }

    async fn gather(&self, ended: bool) -> (Box<Evidence>, Option<String>) {
        gather(&self.connection, self.process.lock().await.as_mut(), &self.mask, ended).await
    }

    /// Ends the server: politely at first, for certain in the end.
    pub(crate) async fn close(self, patience: Patience) {
        self.end(patience).await;
    }

    /// The same, where others may still hold it.
    pub(crate) async fn end(&self, patience: Patience) {
        let process = self.process.lock().await.take();
        Link { connection: self.connection.clone(), process }.close(patience).await;
    }
}

impl Link {
    fn to(
        spec: &ServerSpec,
        limits: &Limits,
        inbound: &Inbound,
        mask: &Mask,
    ) -> Result<Self, FetchError> {
        let bounds = Bounds { message_bytes: limits.message_bytes };
        match &spec.launch {
            Launch::Stdio { command, args, env, cwd } => {
                let program = program(command, args, env, cwd.as_ref());
                let (process, (stdin, stdout)) =
                    Process::start(&program).map_err(|error| not_started(error, mask))?;
                let connection = Connection::over_lines(stdout, stdin, inbound.clone(), bounds);
                Ok(Self { connection, process: Some(process) })
            }
            Launch::Http { url, headers } => {
                let headers =
                    headers.iter().map(|(name, value)| (name.clone(), value.expose().to_owned()));
                let endpoint = Endpoint { url: url.clone(), headers: headers.collect() };
                let connection = Connection::over_http(&endpoint, inbound.clone(), bounds)
                    .map_err(|error| FetchError::Invalid {
                        reason: mask.line(&error.to_string()),
                    })?;
                Ok(Self { connection, process: None })
            }
        }
    }

    async fn explain(mut self, failure: Failure, mask: &Mask, limits: &Limits) -> FetchError {
        let ended = matches!(&failure, Failure::Handshake(error) if is_gone(error));
        let (evidence, status) = gather(&self.connection, self.process.as_mut(), mask, ended).await;
        let wording = Wording { mask, stage: Stage::Opening, evidence, status };
        let error = match failure {
            Failure::TimedOut => wording.timed_out(limits.start),
            Failure::Handshake(error) => wording.handshake(error),
        };
        self.close(limits.patience()).await;
        error
    }

    async fn close(self, patience: Patience) {
        self.connection.close().await;
        if let Some(process) = self.process {
            process.end(patience).await;
        }
    }
}

fn program(
    command: &str,
    args: &[String],
    env: &[(String, Secret)],
    cwd: Option<&PathBuf>,
) -> Program {
    Program {
        command: command.into(),
        arguments: args.iter().map(Into::into).collect(),
        environment: clean(std::env::vars_os(), env),
        directory: cwd.cloned(),
    }
}

fn is_gone(error: &HandshakeError) -> bool {
    matches!(error, HandshakeError::Connection(error) if is_closed(error))
}

/// Whether a failure may mean that the server is no longer spoken to in the right way. That the network fails, or that
/// the server is too slow, busy or wants credentials, says nothing about that.
fn speaks_of_the_era(failure: &Failure) -> bool {
    match failure {
        Failure::TimedOut => false,
        Failure::Handshake(HandshakeError::Connection(error)) => match error {
            RequestError::Http(error) => error.is_about_the_request(),
            RequestError::Closed(closed) => *closed == Closed::Ended,
            _ => true,
        },
        Failure::Handshake(_) => true,
    }
}

fn is_closed(error: &RequestError) -> bool {
    matches!(error, RequestError::Closed(_))
}

/// What the server wrote, and how it ended if it did.
async fn gather(
    connection: &Connection,
    process: Option<&mut Process>,
    mask: &Mask,
    ended: bool,
) -> (Box<Evidence>, Option<String>) {
    let seen = connection.seen();
    let junk = seen.junk_excerpts.iter().map(|line| mask.apply(line)).collect();
    let mut evidence =
        Evidence { stderr: String::new(), junk_lines: seen.junk, junk, strays: seen.strays };
    let mut status = None;
    if let Some(process) = process {
        if ended {
            status = process.exited(LAST_WORDS).await.map(|status| status.to_string());
        }
        let wait = if status.is_some() { LAST_WORDS } else { Duration::ZERO };
        evidence.stderr = mask.apply(&process.stderr_mut().settled(wait).await);
    }
    (Box::new(evidence), status)
}
