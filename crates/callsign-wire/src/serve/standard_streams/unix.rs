//! Pipes and sockets on Unix. A pipe is opened a second time (Linux), a socket asked call by call not to wait; files and
//! terminals are left to Tokio's thread.

use std::fs::File;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Reader, Writer};

pub(super) fn input() -> Reader {
    reader(&io::stdin()).unwrap_or_else(|| Box::new(tokio::io::stdin()))
}

pub(super) fn output() -> Writer {
    writer(&io::stdout()).unwrap_or_else(|| Box::new(tokio::io::stdout()))
}

/// A reader of what the descriptor reads; `None` where there is none without a thread.
fn reader(stream: &impl AsFd) -> Option<Reader> {
    let own = Own::of(stream)?;
    match own.kind {
        Kind::Socket => Some(Box::new(Socket::new(own.descriptor)?)),
        #[cfg(target_os = "linux")]
        Kind::Pipe => {
            let options = tokio::net::unix::pipe::OpenOptions::new();
            Some(Box::new(options.open_receiver(own.path()).ok()?))
        }
        #[cfg(not(target_os = "linux"))]
        Kind::Pipe => None,
    }
}

/// The same for a writer.
fn writer(stream: &impl AsFd) -> Option<Writer> {
    let own = Own::of(stream)?;
    match own.kind {
        Kind::Socket => Some(Box::new(Socket::new(own.descriptor)?)),
        #[cfg(target_os = "linux")]
        Kind::Pipe => {
            let options = tokio::net::unix::pipe::OpenOptions::new();
            Some(Box::new(options.open_sender(own.path()).ok()?))
        }
        #[cfg(not(target_os = "linux"))]
        Kind::Pipe => None,
    }
}

enum Kind {
    Pipe,
    Socket,
}

/// A descriptor of our own for a stream.
struct Own {
    descriptor: OwnedFd,
    kind: Kind,
}

impl Own {
    fn of(stream: &impl AsFd) -> Option<Self> {
        let file = File::from(stream.as_fd().try_clone_to_owned().ok()?);
        let of = file.metadata().ok()?.file_type();
        let kind = match (of.is_fifo(), of.is_socket()) {
            (true, _) => Kind::Pipe,
            (_, true) => Kind::Socket,
            _ => return None,
        };
        Some(Self { descriptor: file.into(), kind })
    }

    /// Opening a pipe by this path gives a second description of it, whose flags are ours alone.
    #[cfg(target_os = "linux")]
    fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.descriptor.as_raw_fd())
    }
}

/// A socket that is asked call by call not to wait, so that its flags stay as they are.
struct Socket(AsyncFd<OwnedFd>);

impl Socket {
    fn new(descriptor: OwnedFd) -> Option<Self> {
        // SAFETY: an `OwnedFd` is open and the same descriptor as long as it lives, and it moves into the `AsyncFd`.
        unsafe { AsyncFd::register(descriptor) }.ok().map(Self)
    }
}

fn receive(from: &OwnedFd, into: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the length are those of `into`, which is borrowed until the call returns.
    let count = unsafe {
        libc::recv(from.as_raw_fd(), into.as_mut_ptr().cast(), into.len(), libc::MSG_DONTWAIT)
    };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

fn send(to: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the length are those of `bytes`, which is borrowed until the call returns.
    let count = unsafe {
        libc::send(to.as_raw_fd(), bytes.as_ptr().cast(), bytes.len(), libc::MSG_DONTWAIT)
    };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(context))?;
            let into = buffer.initialize_unfilled();
            if let Ok(read) = ready.try_io(|socket| receive(socket.get_ref(), into)) {
                return Poll::Ready(read.map(|count| buffer.advance(count)));
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(context))?;
            if let Ok(written) = ready.try_io(|socket| send(socket.get_ref(), bytes)) {
                return Poll::Ready(written);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let socket = UnixStream::from(self.0.get_ref().try_clone()?);
        Poll::Ready(socket.shutdown(Shutdown::Write))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    fn blocks(stream: &impl AsFd) -> bool {
        let descriptor = stream.as_fd().as_raw_fd();
        // SAFETY: it reads the flags of a descriptor that is borrowed.
        let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
        flags & libc::O_NONBLOCK == 0
    }

    async fn carries(mut reader: Reader, mut writer: Writer) {
        // More than any buffer of the system holds, so that both sides have to wait.
        let sent = "0123456789".repeat(400_000);
        let (written, read) = tokio::join!(
            async {
                writer.write_all(sent.as_bytes()).await?;
                writer.flush().await
            },
            async {
                let mut heard = vec![0; sent.len()];
                reader.read_exact(&mut heard).await.map(|_| heard)
            }
        );
        written.unwrap();
        assert!(read.unwrap() == sent.as_bytes());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_pipe_carries_and_keeps_its_flags() {
        let (theirs, ours) = io::pipe().unwrap();
        carries(reader(&theirs).unwrap(), writer(&ours).unwrap()).await;
        assert!(blocks(&theirs) && blocks(&ours));
        let mut last = reader(&theirs).unwrap();
        drop(ours);
        assert_eq!(last.read(&mut [0; 8]).await.unwrap(), 0, "its end is seen");
        let (theirs, ours) = io::pipe().unwrap();
        let mut last = writer(&ours).unwrap();
        drop(theirs);
        assert!(last.write_all(b"x").await.is_err(), "and that nobody reads");
    }

    #[tokio::test]
    async fn a_socket_carries_and_keeps_its_flags() {
        let (theirs, ours) = UnixStream::pair().unwrap();
        carries(reader(&theirs).unwrap(), writer(&ours).unwrap()).await;
        carries(reader(&ours).unwrap(), writer(&theirs).unwrap()).await;
        assert!(blocks(&theirs) && blocks(&ours));
        let mut last = reader(&theirs).unwrap();
        writer(&ours).unwrap().shutdown().await.unwrap();
        assert_eq!(last.read(&mut [0; 8]).await.unwrap(), 0, "its end is seen");
    }

    #[tokio::test]
    async fn what_is_neither_is_left_to_a_thread() {
        let file = File::open("/dev/null").unwrap();
        assert!(reader(&file).is_none() && writer(&file).is_none());
    }
}
