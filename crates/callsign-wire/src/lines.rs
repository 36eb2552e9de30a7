//! The framing of stdio: one message a line.

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

/// What a read gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end.
    Text(Vec<u8>),
    /// The line is longer than the limit; the stream stands somewhere inside it.
    TooLong,
    /// The stream ended.
    End,
}

/// Reads the next line that is not blank. A last line without a line end counts.
pub(crate) async fn read_line(
    reader: &mut (impl AsyncBufRead + Unpin),
    limit: usize,
) -> std::io::Result<Line> {
    let mut line = Vec::new();
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(if line.is_empty() { Line::End } else { Line::Text(line) });
        }
        let end = available.iter().position(|&byte| byte == b'\n');
        let taken = end.unwrap_or(available.len());
        if line.len() + taken > limit {
            return Ok(Line::TooLong);
        }
        line.extend_from_slice(&available[..taken]);
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            if !line.trim_ascii().is_empty() {
                return Ok(Line::Text(line));
            }
            line.clear();
        }
    }
}

/// Writes one message and its line end.
///
/// A line break inside the message can only be white space between its tokens (JSON strings can't hold one raw), and
/// would end the frame: it becomes a blank. Nothing else is changed.
pub(crate) async fn write_line(
    writer: &mut (impl AsyncWrite + Unpin),
    message: String,
) -> std::io::Result<()> {
    let mut bytes = message.into_bytes();
    for byte in &mut bytes {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    bytes.push(b'\n');
    writer.write_all(&bytes).await?;
    writer.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(text: &[u8], limit: usize) -> Vec<Line> {
        let mut reader = tokio::io::BufReader::with_capacity(3, text);
        let mut lines = Vec::new();
        loop {
            lines.push(read_line(&mut reader, limit).await.unwrap());
            if !matches!(lines.last(), Some(Line::Text(_))) {
                return lines;
            }
        }
    }

    #[tokio::test]
    async fn blank_lines_are_skipped_and_a_long_one_is_told() {
        let lines = all(b"ab\r\n\n  \ncdefg", 8).await;
        assert_eq!(lines, [Line::Text(b"ab\r".to_vec()), Line::Text(b"cdefg".to_vec()), Line::End]);
        assert_eq!(all(b"abcdefghi\n", 8).await, [Line::TooLong]);
        assert_eq!(all(b"abcdefgh\n", 8).await, [Line::Text(b"abcdefgh".to_vec()), Line::End]);
    }

    #[tokio::test]
    async fn white_space_between_tokens_cannot_break_the_frame() {
        let mut out = Vec::new();
        write_line(&mut out, "{\"a\":\r\n1}".to_owned()).await.unwrap();
        assert_eq!(out, b"{\"a\":  1}\n");
    }
}
