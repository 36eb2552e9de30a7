//! Two streams that carry one message a line, and the two tasks that move them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::mpsc::{self, error::TrySendError};
use tokio::task::AbortHandle;

use crate::bounds::{Bounds, WRITE_QUEUE};
use crate::lines::{Line, read_line, write_lines};
use crate::router::{Closed, Router, Source};

/// Answers may still stand in the pipe of a peer that no longer reads.
const AFTER_A_FAILED_WRITE: Duration = Duration::from_millis(250);

/// The writing end. Messages go through a queue, so that a send that is given up never leaves half a line behind.
#[derive(Debug)]
pub(crate) struct LineLink {
    queue: Mutex<Option<mpsc::Sender<String>>>,
    reading: AbortHandle,
    writing: AbortHandle,
}

impl LineLink {
    pub(crate) fn open(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        router: Arc<Router>,
        bounds: Bounds,
    ) -> Self {
        let (queue, queued) = mpsc::channel(WRITE_QUEUE);
        let replies = queue.downgrade();
        let writing = tokio::spawn(write(writer, queued, Arc::clone(&router))).abort_handle();
        let reading = tokio::spawn(read(reader, replies, router, bounds)).abort_handle();
        Self { queue: Mutex::new(Some(queue)), reading, writing }
    }

    pub(crate) async fn send(&self, message: String) -> Result<(), Closed> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let queue = queue.ok_or(Closed::ByUs)?;
        match queue.try_send(message) {
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(_)) => Err(Closed::Ended),
            Err(TrySendError::Full(message)) => {
                queue.send(message).await.map_err(|_| Closed::Ended)
            }
        }
    }

    /// Lets the writer finish what is queued and close the stream.
    pub(crate) fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl Drop for LineLink {
    fn drop(&mut self) {
        self.reading.abort();
        self.writing.abort();
    }
}

async fn write(
    writer: impl AsyncWrite + Unpin,
    queued: mpsc::Receiver<String>,
    router: Arc<Router>,
) {
    if let Err(error) = write_lines(writer, queued, std::future::pending()).await {
        tokio::time::sleep(AFTER_A_FAILED_WRITE).await;
        router.close(Closed::Write(error.to_string()));
    }
}

async fn read(
    reader: impl AsyncRead + Unpin,
    replies: mpsc::WeakSender<String>,
    router: Arc<Router>,
    bounds: Bounds,
) {
    let mut reader = BufReader::with_capacity(64 * 1024, reader);
    let mut line = Vec::new();
    loop {
        match read_line(&mut reader, &mut line, bounds.message_bytes).await {
            Ok(Line::Text) => {}
            Ok(Line::End) => return router.close(Closed::Ended),
            Ok(Line::TooLong) => return router.close(Closed::LineTooLong(bounds.message_bytes)),
            Err(error) => return router.close(Closed::Read(error.to_string())),
        }
        for reply in router.frame(&line, Source::Lines) {
            let Some(queue) = replies.upgrade() else { continue };
            // Not waited for: a peer that floods us with requests and reads no answers must not stop our reading.
            if queue.try_send(reply).is_err() {
                tracing::debug!("an answer to the server was dropped: it does not read");
            }
        }
    }
}
