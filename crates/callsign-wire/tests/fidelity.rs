//! Whatever JSON goes in comes out byte for byte, and no bytes at all upset the readers.
#![allow(clippy::unwrap_used)]

#[path = "support/json.rs"]
mod json;

use callsign_wire::http::{Event, EventReader, header_value, read_header_value};
use callsign_wire::message::{
    Id, Message, nests_deeper, parse, parse_frame, splice, write_error, write_notification,
    write_request, write_result,
};
use callsign_wire::serve::{Arrival, Limits, serve_lines};
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

/// What arrives of a host's request, and what the host hears for its answer.
fn through_service(id: &str, params: &str, result: &RawValue) -> (String, String, String) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let (host, ours) = tokio::io::duplex(97);
        let (reader, writer) = tokio::io::split(ours);
        let mut service = serve_lines(reader, writer, Limits::default());
        let host = async {
            let mut host = BufReader::new(host);
            let ask = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"m\",\"params\":{params}}}\n"
            );
            host.write_all(ask.as_bytes()).await.unwrap();
            let mut line = String::new();
            host.read_line(&mut line).await.unwrap();
            line
        };
        let answer = async {
            let Some(Arrival::Request(exchange)) = service.arrivals.next().await else {
                return Default::default();
            };
            let read = (exchange.request.id.raw().to_owned(), exchange.request.params.unwrap());
            exchange.reply.finish(Ok(result)).await.unwrap();
            (read.0, read.1.get().to_owned())
        };
        let (line, (id, params)) = tokio::join!(host, answer);
        (id, params, line)
    })
}

/// Whether text nests deeper, one byte after the other.
fn deeper(text: &str, limit: usize) -> bool {
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    text.bytes().any(|byte| {
        match byte {
            _ if std::mem::take(&mut is_escaped) => {}
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b'[' | b'{' if !is_string => depth += 1,
            b']' | b'}' if !is_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > limit
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
    fn what_a_host_asks_and_hears_passes_byte_for_byte(id in prop_oneof![string(), number()], params in value(), result in value()) {
        let heard = through_service(&id, &params, &raw(&result));
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
        prop_assert_eq!(heard, (id, params, line));
    }

    #[test]
    fn a_header_says_what_was_written_into_it(text in "\\PC*|[ -~]*|=\\?base64\\?.*") {
        let header = header_value(&text);
        prop_assert!(header.bytes().all(|byte| (0x20..=0x7e).contains(&byte)));
        prop_assert_eq!(read_header_value(&header), Some(text));
        prop_assert_eq!(read_header_value(&format!(" \t{header} ")), read_header_value(&header));
    }

    #[test]
    fn depth_is_counted_as_one_byte_after_the_other_would(json in value(), odd in "[\\[\\]{}\"\\\\a]{0,40}", limit in 0_usize..6) {
        prop_assert_eq!(nests_deeper(&json, limit), deeper(&json, limit));
        prop_assert_eq!(nests_deeper(&odd, limit), deeper(&odd, limit));
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
