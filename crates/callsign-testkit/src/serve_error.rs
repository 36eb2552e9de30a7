//! Why a server could not be served, apart from what it was told to do.

use crate::FlagError;

/// A server that cannot do what it was asked to.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A file of the behaviour.
    #[error(transparent)]
    Flag(#[from] FlagError),
    /// stdout failed; mostly the client has gone.
    #[error("cannot write to stdout: {0}")]
    Stdout(std::io::Error),
    /// The child of the behaviour could not be started, or SIGTERM not be taken over.
    #[error("cannot {what}: {cause}")]
    Process {
        /// What was tried.
        what: &'static str,
        /// Why it failed.
        cause: std::io::Error,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// Why not.
        cause: std::io::Error,
    },
}
