use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::task::JoinHandle;

use crate::bounds::KEPT_STDERR as KEPT;

/// The end of a text stream that is read as it comes, so that its writer never blocks.
///
/// What was cut off at the front takes its whole line with it: half a line could be half a secret, which no mask
/// recognises.
#[derive(Debug)]
pub struct Tail {
    kept: Arc<Mutex<Kept>>,
    reading: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    cut: bool,
}

impl Tail {
    /// Begins to read `stream`, in a task of its own that ends with it or when the tail is dropped.
    pub fn of(mut stream: impl AsyncRead + Unpin + Send + 'static) -> Self {
        let kept = Arc::<Mutex<Kept>>::default();
        let filled = Arc::clone(&kept);
        let reading = tokio::spawn(async move {
            let mut buffer = vec![0; 4096];
            while let Ok(count @ 1..) = stream.read(&mut buffer).await {
                filled.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
            }
        });
        Self { kept, reading }
    }

    /// The text kept so far: whole lines, what is not UTF-8 replaced. It is raw: mask and escape before showing it.
    #[must_use]
    pub fn text(&self) -> String {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// The text after the stream ended, waiting for that at most `limit`: a program's last words come after its exit.
    pub async fn settled(&mut self, limit: Duration) -> String {
        if !self.reading.is_finished() {
            let _ = tokio::time::timeout(limit, &mut self.reading).await;
        }
        self.text()
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.reading.abort();
    }
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        if let Some(over) = self.bytes.len().checked_sub(KEPT + 1) {
            self.bytes.drain(..=over);
            self.cut = true;
        }
    }

    fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        match text.split_once('\n') {
            Some((_, whole)) if self.cut => whole.to_owned(),
            None if self.cut => String::new(),
            _ => text.into_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_is_kept_in_whole_lines() {
        let text = (0..5000).map(|n| format!("line {n}\n")).collect::<String>();
        let mut tail = Tail::of(std::io::Cursor::new(text.clone().into_bytes()));
        let kept = tail.settled(Duration::from_secs(5)).await;
        assert!(kept.len() > KEPT - 20 && kept.len() <= KEPT);
        assert!(kept.starts_with("line ") && text.ends_with(&kept));
    }

    #[tokio::test]
    async fn half_a_line_is_never_given() {
        let mut tail = Tail::of(std::io::Cursor::new(vec![b'x'; KEPT + 1]));
        assert_eq!(tail.settled(Duration::from_secs(5)).await, "");
        let mut whole = Tail::of(std::io::Cursor::new(vec![b'x'; KEPT]));
        assert_eq!(whole.settled(Duration::from_secs(5)).await.len(), KEPT);
    }
}
