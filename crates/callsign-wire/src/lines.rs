//! The framing of stdio: one message a line.

use std::pin::pin;

use memchr::{memchr, memchr2};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

/// What a read gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end, stands in the buffer.
    Text,
    /// The line is longer than the limit; the stream stands somewhere inside it.
    TooLong,
    /// The stream ended.
    End,
}

/// How much is gathered before it is written at once. A message longer than that is written as it is.
const GATHERED: usize = 64 * 1024;

/// Reads the next line that is not blank into `line`, whatever was in it. A last line without a line end counts.
///
/// Dropping the future loses what was read.
pub(crate) async fn read_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
    limit: usize,
) -> std::io::Result<Line> {
    line.clear();
    // A long line now and then must not occupy its room for ever.
    line.shrink_to(GATHERED);
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(if line.is_empty() { Line::End } else { Line::Text });
        }
        let end = memchr(b'\n', available);
        let taken = end.unwrap_or(available.len());
        if line.len() + taken > limit {
            return Ok(Line::TooLong);
        }
        line.extend_from_slice(&available[..taken]);
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            if !line.trim_ascii().is_empty() {
                return Ok(Line::Text);
            }
            line.clear();
        }
    }
}

/// Reads to the end of the line in which the stream stands, keeping nothing.
pub(crate) async fn skip_line(reader: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<()> {
    loop {
        let available = reader.fill_buf().await?;
        let end = memchr(b'\n', available);
        let taken = end.map_or(available.len(), |end| end + 1);
        reader.consume(taken);
        if taken == 0 || end.is_some() {
            return Ok(());
        }
    }
}

/// Writes what is queued, one message a line, until the queue is closed or `closing` comes about; then what is queued
/// still, and the end of the stream. Messages that wait already are written together.
///
/// # Errors
/// A write failed. What was queued is lost, and the queue is closed.
pub(crate) async fn write_lines(
    mut writer: impl AsyncWrite + Unpin,
    mut queued: mpsc::Receiver<String>,
    closing: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let mut closing = pin!(closing);
    let mut gathered = Vec::new();
    loop {
        let next = tokio::select! {
            biased;
            next = queued.recv() => next,
            () = &mut closing, if !queued.is_closed() => {
                queued.close();
                continue;
            }
        };
        let Some(mut message) = next else { break };
        loop {
            let long = message.len() >= GATHERED;
            if long && gathered.is_empty() {
                writer.write_all(&framed(message)).await?;
            } else {
                append(&mut gathered, &message);
            }
            if gathered.len() >= GATHERED {
                break;
            }
            match queued.try_recv() {
                Ok(next) => message = next,
                Err(_) => break,
            }
        }
        writer.write_all(&gathered).await?;
        gathered.clear();
        gathered.shrink_to(2 * GATHERED);
        writer.flush().await?;
    }
    // The stream is closed either way; that it could not be said politely changes nothing.
    let _ = writer.shutdown().await;
    Ok(())
}

/// One message and its line end.
///
/// A line break inside the message can only be white space between its tokens (JSON strings can't hold one raw), and
/// would end the frame: it becomes a blank. Nothing else is changed.
fn framed(message: String) -> Vec<u8> {
    let mut bytes = message.into_bytes();
    unbreak(&mut bytes);
    bytes.push(b'\n');
    bytes
}

fn append(gathered: &mut Vec<u8>, message: &str) {
    let start = gathered.len();
    gathered.reserve(message.len() + 1);
    gathered.extend_from_slice(message.as_bytes());
    unbreak(&mut gathered[start..]);
    gathered.push(b'\n');
}

/// Makes line breaks blanks.
pub(crate) fn unbreak(mut bytes: &mut [u8]) {
    while let Some(place) = memchr2(b'\n', b'\r', bytes) {
        bytes[place] = b' ';
        bytes = &mut bytes[place + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line, a long one as `None`; what is behind a long one is read on.
    async fn all(text: &[u8], limit: usize) -> Vec<Option<Vec<u8>>> {
        let mut reader = tokio::io::BufReader::with_capacity(3, text);
        let (mut line, mut lines) = (Vec::new(), Vec::new());
        loop {
            match read_line(&mut reader, &mut line, limit).await.unwrap() {
                Line::Text => lines.push(Some(line.clone())),
                Line::TooLong => {
                    lines.push(None);
                    skip_line(&mut reader).await.unwrap();
                }
                Line::End => return lines,
            }
        }
    }

    #[tokio::test]
    async fn blank_lines_are_skipped_and_a_long_one_is_told_and_passed() {
        let (ab, rest) = (Some(b"ab\r".to_vec()), Some(b"cdefg".to_vec()));
        assert_eq!(all(b"ab\r\n\n  \ncdefg", 8).await, [ab, rest.clone()]);
        assert_eq!(all(b"abcdefghi\ncdefg\n", 8).await, [None, rest.clone()]);
        assert_eq!(all(b"cdefg\nabcdefghi", 8).await, [rest, None]);
        assert_eq!(all(b"abcdefgh\n", 8).await, [Some(b"abcdefgh".to_vec())]);
    }

    async fn written(messages: &[&str]) -> Vec<u8> {
        let (queue, queued) = mpsc::channel(messages.len());
        for message in messages {
            queue.send((*message).to_owned()).await.unwrap();
        }
        drop(queue);
        let mut out = Vec::new();
        write_lines(&mut out, queued, std::future::pending()).await.unwrap();
        out
    }

    #[tokio::test]
    async fn white_space_between_tokens_cannot_break_the_frame() {
        assert_eq!(written(&["{\"a\":\r\n1}", "[\n]"]).await, b"{\"a\":  1}\n[ ]\n");
    }

    #[tokio::test]
    async fn messages_of_every_length_keep_their_order() {
        let long = |fill: char| format!("\"{}\n\"", String::from(fill).repeat(GATHERED));
        let messages =
            [long('a').as_str(), "1", "2", &long('b'), &long('c'), "3"].map(str::to_owned);
        let out = written(&messages.each_ref().map(String::as_str)).await;
        let expected: String =
            messages.iter().map(|message| message.replace('\n', " ") + "\n").collect();
        assert!(out == expected.as_bytes());
    }

    #[tokio::test]
    async fn closing_writes_what_is_queued_and_takes_no_more() {
        let (queue, queued) = mpsc::channel(8);
        queue.send("1".to_owned()).await.unwrap();
        let mut out = Vec::new();
        write_lines(&mut out, queued, std::future::ready(())).await.unwrap();
        assert_eq!(out, b"1\n");
        assert!(queue.send("2".to_owned()).await.is_err());
    }
}
