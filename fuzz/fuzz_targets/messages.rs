//! A line from a server: a message, several, or a reason why not; never a panic.

#![no_main]

use callsign_wire::message::{parse, parse_frame};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let frame = parse_frame(input);
    assert!(!frame.is_empty(), "nothing is lost in silence");
    if parse(input).is_ok() {
        assert!(matches!(frame[..], [Ok(_)]), "a message alone is a frame of one");
    }
});
