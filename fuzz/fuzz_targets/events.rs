//! The bytes of an event stream, however they are cut: never a panic, never more than the limit, and the same events.

#![no_main]

use callsign_wire::http::{Event, EventReader, EventTooLong};
use libfuzzer_sys::fuzz_target;

const LIMIT: usize = 64;

fuzz_target!(|input: &[u8]| {
    // The first byte says where the rest is cut.
    let Some((&first, stream)) = input.split_first() else { return };
    let whole = read(&[stream]);
    let (head, tail) = stream.split_at(stream.len().min(usize::from(first)));
    assert_eq!(read(&[head, tail]), whole, "a cut changes nothing");
    let bytes: Vec<&[u8]> = stream.chunks(1).collect();
    assert_eq!(read(&bytes), whole, "nor do many");
    for event in &whole.0 {
        assert!(event.data.len() <= LIMIT);
    }
});

/// The events, whether the stream was given up, and what is kept of it for coming back.
fn read(pieces: &[&[u8]]) -> (Vec<Event>, Result<(), EventTooLong>, Option<String>, Option<u64>) {
    let mut reader = EventReader::new(LIMIT);
    let mut events = Vec::new();
    let outcome = pieces.iter().try_for_each(|piece| reader.push(piece, &mut events));
    (events, outcome, reader.last_id().map(str::to_owned), reader.retry())
}
