//! Whatever JSON goes in comes out byte for byte, and no bytes at all upset the readers.
#![allow(clippy::unwrap_used)]

#[path = "support/json.rs"]
mod json;

use callsign_wire::http::{Event, EventReader};
use callsign_wire::message::{
    Id, Message, parse, parse_frame, splice, write_error, write_notification, write_request,
    write_result,
};
use callsign_wire::{Bounds, Connection, Inbound, RequestError};
use json::{number, string, value};
use proptest::prelude::*;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// What a peer receives for one request, and what the caller gets back for its answer.
fn through_wire(
    params: &RawValue,
    result: &RawValue,
) -> (String, Result<Box<RawValue>, RequestError>) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let (ours, theirs) = tokio::io::duplex(97);
        let (reader, writer) = tokio::io::split(ours);
        let connection = Connection::over_lines(reader, writer, Inbound::Refuse, Bounds::default());
        let peer = async {
            let mut theirs = BufReader::new(theirs);
            let mut line = String::new();
            theirs.read_line(&mut line).await.unwrap();
            let answer = write_result(&Id::number(1), result) + "\n";
            theirs.write_all(answer.as_bytes()).await.unwrap();
            line
        };
        let (answer, line) = tokio::join!(connection.request("tools/call", Some(params)), peer);
        (line, answer)
    })
}

/// A piece of an event stream, whole or broken.
fn field() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(
            &[
                "\n", "\r", "\r\n", "\n\n", "data", "data:", "data: x", "event: e", "id: 7",
                "id:\0", "retry: 5", ":", "\u{feff}"
            ][..]
        )
        .prop_map(str::to_owned),
        "\\PC{0,8}",
    ]
}

/// The events of a stream, whether it was given up, and what is kept for coming back.
fn events(pieces: &[&[u8]]) -> (Vec<Event>, bool, Option<String>, Option<u64>) {
    let (mut reader, mut events) = (EventReader::new(64), Vec::new());
    let given_up = pieces.iter().any(|piece| reader.push(piece, &mut events).is_err());
    (events, given_up, reader.last_id().map(str::to_owned), reader.retry())
}

proptest! {
    #[test]
    fn arguments_and_results_pass_byte_for_byte(params in value(), result in value()) {
        let (line, answer) = through_wire(&raw(&params), &raw(&result));
        let expected = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{params}}}\n");
        prop_assert_eq!(line, expected);
        prop_assert_eq!(answer.unwrap().get().to_owned(), result);
    }

    #[test]
    fn each_kind_of_message_reads_back_as_it_was_written(payload in value(), id in prop_oneof![string(), number()], method in ".*") {
        let (payload, id) = (raw(&payload), Id::from_raw(&raw(&id)).unwrap());
        match parse(write_request(&id, &method, Some(&payload)).as_bytes()) {
            Ok(Message::Request(read)) => {
                prop_assert_eq!((read.id.raw(), &read.method), (id.raw(), &method));
                prop_assert_eq!(read.params.unwrap().get().to_owned(), payload.get().to_owned());
            }
            other => prop_assert!(false, "{:?}", other),
        }
        match parse(write_notification(&method, Some(&payload)).as_bytes()) {
            Ok(Message::Notification(read)) => prop_assert_eq!(read.params.unwrap().get().to_owned(), payload.get().to_owned()),
            other => prop_assert!(false, "{:?}", other),
        }
        match parse(write_error(&id, &payload).as_bytes()) {
            Ok(Message::Response(read)) => {
                prop_assert_eq!(read.id.unwrap().raw().to_owned(), id.raw().to_owned());
                prop_assert_eq!(read.outcome.unwrap_err().raw().get().to_owned(), payload.get().to_owned());
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn setting_a_member_touches_nothing_else(before in prop::collection::vec((string(), value()), 0..4), after in prop::collection::vec((string(), value()), 0..4), old in value(), new in value()) {
        let members = |list: &[(String, String)]| list.iter().map(|(key, value)| format!(" {key}: {value}")).collect::<Vec<_>>();
        let decodes_to_name = |key: &String| serde_json::from_str::<String>(key).map_or(true, |key| key == "name");
        prop_assume!(!before.iter().chain(&after).any(|(key, _)| decodes_to_name(key)));
        let (before, after) = (members(&before), members(&after));
        let object = |name: &str| {
            let all: Vec<String> = before.iter().cloned().chain([format!("\"name\" :{name}")]).chain(after.iter().cloned()).collect();
            format!("{{{}}}", all.join(","))
        };
        prop_assert_eq!(splice(&object(&old), "name", &new).unwrap(), object(&new));
    }

    #[test]
    fn no_bytes_upset_the_readers(bytes in prop::collection::vec(any::<u8>(), 0..200), json in value(), cut in any::<prop::sample::Index>()) {
        let _ = parse_frame(&bytes);
        let _ = splice(&String::from_utf8_lossy(&bytes), "name", "1");
        let broken = &json.as_bytes()[..cut.index(json.len())];
        let _ = parse(broken);
        let message = format!("{{\"jsonrpc\":\"2.0\",\"id\":{}}}", String::from_utf8_lossy(broken));
        let _ = parse(message.as_bytes());
        let mut events = Vec::new();
        let _ = EventReader::new(64).push(&bytes, &mut events);
    }

    #[test]
    fn a_stream_gives_the_same_events_however_it_is_cut(fields in prop::collection::vec(field(), 0..20), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let stream = fields.concat().into_bytes();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &stream[cut[0]..cut[1]]).collect();
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        let whole = events(&[&stream]);
        prop_assert_eq!(&events(&pieces), &whole);
        prop_assert_eq!(&events(&single), &whole);
        prop_assert!(whole.0.iter().all(|event| event.data.len() <= 64));
    }
}
