/// One event of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its type; empty for the default, which means `message`.
    pub kind: String,
    /// Its lines of data, joined by line feeds.
    pub data: Vec<u8>,
}

/// An event is longer than the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event is longer than {0} bytes")]
pub struct EventTooLong(
    /// The limit.
    pub usize,
);

/// Reads events out of the bytes of a stream, however they are cut into pieces. Pure: bytes in, events out.
///
/// Source: WHATWG HTML, section 9.2 (server-sent events).
///
/// ```
/// use callsign_wire::http::EventReader;
/// let mut reader = EventReader::new(1000);
/// let mut events = Vec::new();
/// reader.push(b"id: 7\ndata: {\"a\":\r", &mut events).unwrap();
/// reader.push(b"\ndata: 1}\n\n: comment\n\n", &mut events).unwrap();
/// assert_eq!(events.len(), 1);
/// assert_eq!(events[0].data, b"{\"a\":\n1}");
/// assert_eq!(reader.last_id(), Some("7"));
/// ```
#[derive(Debug)]
pub struct EventReader {
    limit: usize,
    line: Vec<u8>,
    after_return: bool,
    at_start: bool,
    event: Event,
    has_data: bool,
    id: Option<String>,
    last_id: Option<String>,
    retry: Option<u64>,
}

impl EventReader {
    /// A reader for one stream whose events have at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_return: false,
            at_start: true,
            event: Event::default(),
            has_data: false,
            id: None,
            last_id: None,
            retry: None,
        }
    }

    /// The id of the last whole event that had one.
    #[must_use]
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// How long the server asks to wait before coming back, in milliseconds.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Takes the next bytes and puts the events they complete into `events`.
    ///
    /// # Errors
    /// An event is longer than the limit; the reader is of no more use then.
    pub fn push(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), EventTooLong> {
        for &byte in bytes {
            let ends_pair =
                std::mem::replace(&mut self.after_return, byte == b'\r') && byte == b'\n';
            match byte {
                _ if ends_pair => {}
                b'\r' | b'\n' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.event.data.len() > self.limit {
                return Err(EventTooLong(self.limit));
            }
        }
        Ok(())
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let is_first = std::mem::take(&mut self.at_start);
        let line = match line.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if is_first => rest,
            _ => &line,
        };
        if line.is_empty() {
            return self.end_event();
        }
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        self.field(&line[..colon], value.strip_prefix(b" ").unwrap_or(value));
        None
    }

    fn field(&mut self, name: &[u8], value: &[u8]) {
        match name {
            b"data" => {
                if self.has_data {
                    self.event.data.push(b'\n');
                }
                self.has_data = true;
                self.event.data.extend_from_slice(value);
            }
            b"event" => self.event.kind = String::from_utf8_lossy(value).into_owned(),
            b"id" if !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" => {
                let milliseconds =
                    std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = milliseconds.or(self.retry);
            }
            _ => {}
        }
    }

    fn end_event(&mut self) -> Option<Event> {
        if let Some(id) = self.id.take() {
            self.last_id = Some(id);
        }
        let event = std::mem::take(&mut self.event);
        std::mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<Event> {
        let mut reader = EventReader::new(100);
        let mut events = Vec::new();
        for piece in pieces {
            reader.push(piece, &mut events).unwrap();
        }
        events
    }

    #[test]
    fn every_cut_and_every_line_end_gives_the_same_events() {
        let text = "\u{feff}event: endpoint\ndata:a\ndata:  b\n\ndata\n\nid: x\n\n:c\nretry: 5\ndata: é\n\n";
        let whole = events(&[text.as_bytes()]);
        assert_eq!(whole.len(), 3);
        assert_eq!((whole[0].kind.as_str(), &*whole[0].data), ("endpoint", &b"a\n b"[..]));
        for ends in ["\n", "\r", "\r\n"] {
            let bytes = text.replace('\n', ends).into_bytes();
            for cut in 0..bytes.len() {
                assert_eq!(events(&[&bytes[..cut], &bytes[cut..]]), whole, "{ends:?} {cut}");
            }
        }
    }

    #[test]
    fn the_limit_holds_over_lines_and_an_unfinished_event_is_none() {
        let mut reader = EventReader::new(10);
        let mut events = Vec::new();
        assert!(reader.push(b"data:aa\ndata:aa\ndata:bbbbbb", &mut events).is_err());
        assert!(events.is_empty());
    }
}
