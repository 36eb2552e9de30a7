//! Standard input and output as streams that a runtime waits for.
//!
//! Programs are started with pipes or sockets as standard streams, and the system can wait for these together with all
//! others. What else they may be (a file, a terminal) is read and written by a thread of its own.

use tokio::io::{AsyncRead, AsyncWrite};

/// Standard input. Nobody else may read it.
pub(crate) fn input() -> Box<dyn AsyncRead + Unpin + Send> {
    #[cfg(unix)]
    if let Some(stream) = unix::input() {
        return stream;
    }
    Box::new(tokio::io::stdin())
}

/// Standard output. Nobody else may write it.
pub(crate) fn output() -> Box<dyn AsyncWrite + Unpin + Send> {
    #[cfg(unix)]
    if let Some(stream) = unix::output() {
        return stream;
    }
    Box::new(tokio::io::stdout())
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, BorrowedFd};
    use std::os::unix::fs::FileTypeExt;

    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::net::UnixStream;
    use tokio::net::unix::pipe;

    pub(super) fn input() -> Option<Box<dyn AsyncRead + Unpin + Send>> {
        let file = copy(io::stdin().as_fd())?;
        if is_socket(&file) {
            return Some(Box::new(socket(file)?));
        }
        Some(Box::new(pipe::Receiver::from_file(file).ok()?))
    }

    pub(super) fn output() -> Option<Box<dyn AsyncWrite + Unpin + Send>> {
        let file = copy(io::stdout().as_fd())?;
        if is_socket(&file) {
            return Some(Box::new(socket(file)?));
        }
        Some(Box::new(pipe::Sender::from_file(file).ok()?))
    }

    fn copy(stream: BorrowedFd<'_>) -> Option<File> {
        stream.try_clone_to_owned().ok().map(File::from)
    }

    fn is_socket(file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| metadata.file_type().is_socket())
    }

    fn socket(file: File) -> Option<UnixStream> {
        let socket = std::os::unix::net::UnixStream::from(std::os::fd::OwnedFd::from(file));
        // Of another family it would have no such address.
        socket.local_addr().ok()?;
        socket.set_nonblocking(true).ok()?;
        UnixStream::from_std(socket).ok()
    }
}
