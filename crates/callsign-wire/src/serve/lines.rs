use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::reply::Way;
use super::session::Outlet;
use super::{Arrival, Arrivals, Carrier, Context, Ending, Exchange, Limits, Reply, Session};
use super::{refusal, stateless};
use crate::lifecycle::Era;
use crate::lines::{Line, read_line, skip_line, write_lines};
use crate::message::{Message, Request, parse_frame};

/// One host over two streams.
#[derive(Debug)]
pub struct LineService {
    /// What it sends. Its last item is [`Arrival::Ended`], unless we ended the session ourselves.
    pub arrivals: Arrivals,
    /// The one session there is.
    pub session: Session,
    writing: JoinHandle<()>,
}

impl LineService {
    /// Ends the session and waits until everything that was sent is written, at most `limit`. Gives whether it was.
    pub async fn finish(self, limit: Duration) -> bool {
        self.session.end();
        tokio::time::timeout(limit, self.writing).await.is_ok()
    }
}

/// Serves one host over two streams, one message a line. Must be called within a Tokio runtime: two tasks move the
/// lines.
///
/// The end of `reader` ends what arrives and nothing else: what is under way may still be answered, for programs are
/// often fed from a file.
///
/// ```
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
/// # runtime.block_on(async {
/// use callsign_wire::serve::{Arrival, Limits, serve_lines};
/// use std::time::Duration;
///
/// let (mut host, ours) = tokio::io::duplex(4096);
/// let (reader, writer) = tokio::io::split(ours);
/// let mut service = serve_lines(reader, writer, Limits::default());
///
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
/// host.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ask\",\"params\":{\"n\":1e999}}\n").await.unwrap();
/// let Some(Arrival::Request(exchange)) = service.arrivals.next().await else { panic!() };
/// let params = exchange.request.params.unwrap();
/// exchange.reply.finish(Ok(&params)).await.unwrap();
/// assert!(service.finish(Duration::from_secs(1)).await);
///
/// let mut said = String::new();
/// host.shutdown().await.unwrap();
/// host.read_to_string(&mut said).await.unwrap();
/// assert_eq!(said, "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":{\"n\":1e999}}\n");
/// # });
/// ```
pub fn serve_lines(
    reader: impl AsyncRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Unpin + Send + 'static,
    limits: Limits,
) -> LineService {
    let (queue, queued) = mpsc::channel(limits.written.max(1));
    let (arrived, arrivals) = Arrivals::channel(limits.arrivals);
    let session = Session::new(Carrier::Lines, None, Outlet::Lines(queue.clone()), &limits);
    let (failed, failure) = oneshot::channel();
    let writing = tokio::spawn(write(writer, queued, session.clone(), failed));
    let reading = Reading { queue, arrived, session: session.clone(), limits };
    tokio::spawn(async move { reading.run(reader, failure).await });
    LineService { arrivals, session, writing }
}

async fn write(
    writer: impl AsyncWrite + Unpin,
    queued: mpsc::Receiver<String>,
    session: Session,
    failed: oneshot::Sender<String>,
) {
    if let Err(error) = write_lines(writer, queued, session.over()).await {
        // Where nothing is read any more either, nobody waits for it.
        let _ = failed.send(error.to_string());
        session.end();
    }
}

/// Takes the host's lines.
struct Reading {
    queue: mpsc::Sender<String>,
    arrived: mpsc::Sender<Arrival>,
    session: Session,
    limits: Limits,
}

/// Nobody takes what arrives.
struct NotTaken;

impl Reading {
    async fn run(&self, reader: impl AsyncRead + Unpin, failure: oneshot::Receiver<String>) {
        let ending = tokio::select! {
            biased;
            Ok(reason) = failure => Ok(Ending::Unwritable(reason)),
            () = self.session.over() => return,
            ending = self.lines(reader) => ending,
        };
        if let Ok(ending) = ending {
            // Who takes nothing any more needs not be told.
            let _ = self.arrived.send(Arrival::Ended(self.session.clone(), ending)).await;
        }
    }

    async fn lines(&self, reader: impl AsyncRead + Unpin) -> Result<Ending, NotTaken> {
        let mut reader = BufReader::with_capacity(64 * 1024, reader);
        let mut line = Vec::new();
        loop {
            match read_line(&mut reader, &mut line, self.limits.message_bytes).await {
                Ok(Line::Text) => self.frame(&line).await?,
                Ok(Line::TooLong) => {
                    self.say(refusal::of_too_long(self.limits.message_bytes)).await;
                    if let Err(error) = skip_line(&mut reader).await {
                        return Ok(Ending::Unreadable(error.to_string()));
                    }
                }
                Ok(Line::End) => return Ok(Ending::ByHost),
                Err(error) => return Ok(Ending::Unreadable(error.to_string())),
            }
        }
    }

    async fn frame(&self, text: &[u8]) -> Result<(), NotTaken> {
        for message in parse_frame(text) {
            let arrival = match message {
                Ok(Message::Request(request)) => match self.request(request).await {
                    Some(exchange) => Arrival::Request(exchange),
                    None => continue,
                },
                Ok(Message::Notification(message)) => {
                    Arrival::Notification(message, self.context(Era::Handshake))
                }
                Ok(Message::Response(message)) => {
                    Arrival::Response(message, self.context(Era::Handshake))
                }
                Err(reason) => {
                    tracing::debug!(%reason, "a line of the host is no message");
                    if let Some(refusal) = refusal::of_malformed(text, &reason) {
                        self.say(refusal).await;
                    }
                    continue;
                }
            };
            self.arrived.send(arrival).await.map_err(|_| NotTaken)?;
        }
        Ok(())
    }

    async fn request(&self, request: Request) -> Option<Exchange> {
        let era = match stateless::era(&request) {
            Ok(era) => era,
            Err(error) => {
                self.say(refusal::under(Some(&request.id), &error)).await;
                return None;
            }
        };
        let Some(place) = self.session.place().await else {
            let error = refusal::of_crowded(self.limits.in_flight);
            self.say(refusal::under(Some(&request.id), &error)).await;
            return None;
        };
        let way = Way::Lines(self.queue.clone());
        let reply = Reply::new(request.id.clone(), self.session.clone(), way, place);
        Some(Exchange { request, context: self.context(era), reply })
    }

    fn context(&self, era: Era) -> Context {
        Context { session: self.session.clone(), era, headers: None }
    }

    /// Waits for room: a host that reads nothing is not read from either.
    async fn say(&self, message: String) {
        // A host that no longer reads is noticed by the writer.
        let _ = self.queue.send(message).await;
    }
}
