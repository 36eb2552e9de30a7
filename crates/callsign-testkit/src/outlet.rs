//! Where the server's messages go: stdout, or the answer to one HTTP request.

use tokio::sync::mpsc;

/// One thing to put on the wire, or the order to stop.
#[derive(Debug)]
pub(crate) enum Emit {
    /// The answer to a request.
    Answer(String),
    /// A notification or a request of the server.
    Aside(String),
    /// Text that is no message.
    Junk(String),
    /// End the process with this status, after all that was emitted before.
    Stop(i32),
}

/// The sending side of a transport. A transport that is gone swallows what it is sent, as a closed pipe does.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    queue: mpsc::UnboundedSender<Emit>,
}

impl Outlet {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Emit>) {
        let (queue, emitted) = mpsc::unbounded_channel();
        (Self { queue }, emitted)
    }

    pub(crate) fn answer(&self, message: String) {
        self.send(Emit::Answer(message));
    }

    pub(crate) fn aside(&self, message: String) {
        self.send(Emit::Aside(message));
    }

    pub(crate) fn junk(&self, text: String) {
        self.send(Emit::Junk(text));
    }

    pub(crate) fn stop(&self, status: i32) {
        self.send(Emit::Stop(status));
    }

    /// Whether the reader has gone.
    pub(crate) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    fn send(&self, emit: Emit) {
        // A closed queue means the client has left; there is nobody to tell.
        let _ = self.queue.send(emit);
    }
}
