//! What a call gives when the server misbehaves during it, over both transports and in both eras.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod kit;

use std::time::Duration;

use callsign_mcp::{CallError, Caller, FetchError, Limits, Memory, Session, Stage, fetch};
use callsign_testkit::{BIG_NUMBERS, UNKNOWN_FIELDS};
use callsign_wire::Inbound;
use futures_util::StreamExt;
use kit::{Over, kit, raw, tell, unless_hung};
use serde_json::value::RawValue;

const SOON: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_millis(700);
const STDIO: &[Over] = &[Over::Stdio];
const HTTP: &[Over] = &[Over::Http];
const BOTH: &[Over] = &[Over::Stdio, Over::Http];
const ERAS: &[&str] = &["legacy", "modern"];

type Outcome = Result<Box<RawValue>, CallError>;

struct Row {
    name: &'static str,
    flags: &'static [&'static str],
    over: &'static [Over],
    eras: &'static [&'static str],
    limit: Duration,
    gives: Gives,
}

enum Gives {
    /// A result with this part.
    Result(&'static str),
    /// A failure of this kind whose sentence has this part.
    Fails(&'static str, fn(&CallError) -> bool),
}

fn row(name: &'static str, flags: &'static [&'static str]) -> Row {
    let gives = Gives::Result(r#""structuredContent":{"n":1.0}"#);
    Row { name, flags, over: BOTH, eras: ERAS, limit: SOON, gives }
}

impl Row {
    fn over(self, over: &'static [Over]) -> Self {
        Self { over, ..self }
    }

    fn eras(self, eras: &'static [&'static str]) -> Self {
        Self { eras, ..self }
    }

    fn short(self) -> Self {
        Self { limit: SHORT, ..self }
    }

    fn gives(self, part: &'static str) -> Self {
        Self { gives: Gives::Result(part), ..self }
    }

    fn fails(self, says: &'static str, kind: fn(&CallError) -> bool) -> Self {
        Self { gives: Gives::Fails(says, kind), ..self }
    }

    async fn try_with(&self, over: Over, era: &str) -> Result<(), String> {
        let flags = [&["--era", era][..], self.flags].concat();
        let kit = kit(over, &flags).await;
        let (call, message_bytes) = (self.limit, 1024 * 1024);
        let limits = Limits { call, message_bytes, ..Limits::default() };
        let session = Session::open(&kit.spec, &limits, &Memory::none()).await;
        let session = session.map_err(|error| format!("could not be opened: {error}"))?;
        let (echo, arguments) = ("echo".parse().unwrap(), raw(r#"{"n":1.0}"#));
        let outcome = unless_hung(session.call(&echo, &arguments)).await;
        session.close().await;
        self.judge(&outcome).map_err(|why| format!("{why}: {outcome:?}"))
    }

    fn judge(&self, outcome: &Outcome) -> Result<(), String> {
        match (&self.gives, outcome) {
            (Gives::Result(part), Ok(result)) if result.get().contains(part) => Ok(()),
            (Gives::Fails(says, kind), Err(error)) if kind(error) => {
                let told = error.to_string().contains(says) && !error.remedy().is_empty();
                if told { Ok(()) } else { Err(format!("does not say {says:?}: {error}")) }
            }
            _ => Err("not the right outcome".to_owned()),
        }
    }
}

fn failed(error: &CallError, is: fn(&FetchError) -> bool) -> bool {
    matches!(error, CallError::Failed(error) if is(error))
}

fn timed_out(error: &CallError) -> bool {
    failed(error, |error| matches!(error, FetchError::TimedOut { stage: Stage::Calling, .. }))
}

fn broke(error: &CallError) -> bool {
    failed(error, |error| matches!(error, FetchError::BrokenOff { stage: Stage::Calling, .. }))
}

fn ended(error: &CallError) -> bool {
    failed(error, |error| *error == FetchError::SessionEnded { stage: Stage::Calling })
}

fn unreadable(error: &CallError) -> bool {
    failed(error, |error| matches!(error, FetchError::Unreadable { stage: Stage::Calling, .. }))
}

async fn all(rows: Vec<Row>) {
    let tries = rows.iter().flat_map(|row| {
        row.over.iter().flat_map(move |&over| row.eras.iter().map(move |&era| (row, over, era)))
    });
    let outcomes = futures_util::stream::iter(tries).map(|(row, over, era)| async move {
        row.try_with(over, era).await.err().map(|why| (row.name, over, era, why))
    });
    let wrong: Vec<_> = outcomes.buffer_unordered(6).filter_map(std::future::ready).collect().await;
    tell(&wrong);
}

#[tokio::test]
async fn every_misbehaviour_during_a_call() {
    all(vec![
        row("none", &[]),
        row("slow", &["--slow", "300:call"]),
        row("exits", &["--exit-at", "call", "--exit-status", "4"])
            .over(STDIO)
            .fails("it ended during a call (exit status: 4)", |error| {
                failed(error, |error| matches!(error, FetchError::ExitedEarly { .. }))
            }),
        row("exits, from afar", &["--exit-at", "call"])
            .over(HTTP)
            .fails("the connection broke during a call", broke),
        row("never answers", &["--never-answer", "call"])
            .short()
            .fails("it did not answer the call within 0.7 s", timed_out),
        row("is refused", &["--error", r#"{"code":-32001,"message":"not today","data":[1.0]}"#])
            .fails("the server refused the call", |error| {
                matches!(error, CallError::Refused(error)
                    if error.raw().get() == r#"{"code":-32001,"message":"not today","data":[1.0]}"#)
            }),
        row("an odd result", &["--result", r#"{ "content" : [], "x":1e400, "x":"\u00e9" }"#])
            .gives(r#"{ "content" : [], "x":1e400, "x":"\u00e9" }"#),
        row("unknown fields", &["--unknown-fields"]).gives(UNKNOWN_FIELDS),
        row("big numbers", &["--big-numbers"]).gives(BIG_NUMBERS),
        row("200 announcements", &["--list-changed", "200"]),
        row("junk", &["--junk", "5"]).over(STDIO),
        row("junk in a stream", &["--junk", "5", "--reply", "sse"]).over(HTTP),
        row("logs first", &["--log-first", "20"]),
        row("a huge result", &["--huge-line", "500000:call"]).gives("xxxxxxxx"),
        row("a result beyond the limit", &["--huge-line", "1100000:call"])
            .fails("a message longer than 1048576 bytes", |error| {
                failed(error, |error| matches!(error, FetchError::MessageTooLong { .. }))
            }),
        row("cut in the middle", &["--broken-answer", "cut"])
            .over(STDIO)
            .short()
            .fails("within 0.7 s; meanwhile it wrote 1 line that is no message", timed_out),
        row("cut in the middle, from afar", &["--broken-answer", "cut"])
            .over(HTTP)
            .fails("its answer can't be read during a call", unreadable),
        row("to nobody", &["--broken-answer", "wrong-id"])
            .over(STDIO)
            .short()
            .fails("meanwhile it gave 1 answer to nothing that was asked", timed_out),
        row("to nobody, from afar", &["--broken-answer", "wrong-id"])
            .over(HTTP)
            .fails("the reply holds no answer to the request", broke),
        row("with no id", &["--broken-answer", "null-id"]).fails("can't be read", unreadable),
        row("with nothing", &["--broken-answer", "no-result"]).fails("can't be read", unreadable),
        row("with two outcomes", &["--broken-answer", "result-and-error"])
            .fails("can't be read", unreadable),
        row("in a list", &["--broken-answer", "in-a-list"]),
    ])
    .await;
}

#[tokio::test]
async fn requests_of_the_server_during_a_call_are_answered_so_that_it_goes_on() {
    let refused = r#""error\":{\"code\":-32601"#;
    all(vec![
        row("asks ping", &["--asks", "ping"]).eras(&["legacy"]).gives(r#"\"result\":{}"#),
        row("asks for roots", &["--asks", "roots"]).eras(&["legacy"]).gives(refused),
        row("asks for sampling", &["--asks", "sampling"]).eras(&["legacy"]).gives(refused),
        row("elicits", &["--asks", "elicitation"]).eras(&["legacy"]).gives(refused),
        // Without handshake the call ends with what is wanted, which is the caller's to answer.
        row("wants roots", &["--asks", "roots"])
            .eras(&["modern"])
            .gives(r#""resultType":"input_required""#),
        row("wants sampling", &["--asks", "sampling"])
            .eras(&["modern"])
            .gives(r#""requestState":"state of echo""#),
    ])
    .await;
}

#[tokio::test]
async fn http_statuses_during_a_call() {
    fn status(error: &CallError) -> bool {
        failed(error, |error| matches!(error, FetchError::Http { stage: Stage::Calling, .. }))
    }
    let mut rows = vec![
        row("404", &["--http-status", "404:call"])
            .eras(&["legacy"])
            .fails("it ended the session during a call", ended),
        row("404", &["--http-status", "404:call"])
            .eras(&["modern"])
            .fails("HTTP status 404", status),
        // What a client says after its handshake counts as well.
        row("forgets its session", &["--forget-session-after", "1"])
            .eras(&["legacy"])
            .fails("it ended the session during a call", ended),
        row("401", &["--http-status", "401:call"]).fails("HTTP status 401 during a call", status),
        row("403", &["--http-status", "403:call"]).fails("HTTP status 403 during a call", status),
        row("405", &["--http-status", "405:call"]).fails("HTTP status 405 during a call", status),
        row("429", &["--http-status", "429:call"]).fails("HTTP status 429 during a call", status),
        row("500", &["--http-status", "500:call"]).fails("HTTP status 500 during a call", status),
        row("503", &["--http-status", "503:call"]).fails("HTTP status 503 during a call", status),
    ];
    rows.iter_mut().for_each(|row| row.over = HTTP);
    all(rows).await;
}

/// Definitions, arguments and results stay as they were written, whatever is in them.
#[tokio::test]
async fn nothing_is_lost_of_what_is_not_understood() {
    let odd = r#"{ "name" : "odd", "x":1e400,"description":"\u00e9\/", "inputSchema":{"type":"object","maximum":123456789012345678901234567890,"minimum":-0}, "x":[ 1.0 ] }"#;
    let arguments =
        r#"{"z":123456789012345678901234567890, "a":1e400,"s":"\u00e9\/","n":1.0,"a":-0}"#;
    for (over, era) in [
        (Over::Stdio, "legacy"),
        (Over::Http, "legacy"),
        (Over::Stdio, "modern"),
        (Over::Http, "modern"),
    ] {
        let flags = [
            "--era",
            era,
            "--tools",
            "plain",
            "--tool-json",
            odd,
            "--unknown-fields",
            "--big-numbers",
        ];
        let kit = kit(over, &flags).await;
        let memory = tempfile::tempdir().unwrap();
        let memory = Memory::at(memory.path());
        let fetched = fetch(&kit.spec, &Limits::default(), &memory).await.unwrap();
        let tools = fetched.catalogue.tools();
        assert_eq!(tools[1].definition(), Some(odd));
        let extras = format!("{UNKNOWN_FIELDS},{BIG_NUMBERS}");
        let plain = format!(
            r#"{{"name":"plain","title":"Title of plain","description":"Answers with its server, its name and its arguments.","inputSchema":{{"type":"object","properties":{{"text":{{"type":"string",{extras}}},"count":{{"type":"integer","minimum":-9223372036854775809,"maximum":18446744073709551616}}}},{extras}}},"annotations":{{"readOnlyHint":true,{extras}}},{extras}}}"#
        );
        assert_eq!(tools[0].definition(), Some(plain.as_str()));
        assert!(fetched.catalogue.server_info().unwrap().contains(&extras));
        assert_eq!(memory.catalogue(&kit.spec).unwrap().catalogue, fetched.catalogue);
        let session = Session::open(&kit.spec, &Limits::default(), &memory).await.unwrap();
        let result = session.call(&"odd".parse().unwrap(), &raw(arguments)).await.unwrap();
        assert!(result.get().contains(&format!(r#""structuredContent":{arguments}"#)), "{result}");
        assert!(result.get().contains(&extras));
        session.close().await;
    }
}

#[tokio::test]
async fn a_call_that_is_given_up_costs_that_call_only() {
    for (over, era) in [
        (Over::Stdio, "legacy"),
        (Over::Http, "legacy"),
        (Over::Stdio, "modern"),
        (Over::Http, "modern"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join("record").display().to_string();
        let flags = ["--era", era, "--never-answer", "call", "--record", &record];
        let kit = kit(over, &flags).await;
        let limits = Limits { call: SHORT, ..Limits::default() };
        let session = Session::open(&kit.spec, &limits, &Memory::none()).await.unwrap();
        let error = session.call(&"echo".parse().unwrap(), &raw("{}")).await.unwrap_err();
        assert!(timed_out(&error), "{error:?}");
        assert_eq!(session.list().await.unwrap().catalogue.tools().len(), 1);
        session.close().await;
        let heard = std::fs::read_to_string(record).unwrap();
        // Without a handshake, leaving is what cancels over HTTP.
        let told = if (over, era) == (Over::Http, "modern") {
            "\"closed\""
        } else {
            "notifications/cancelled"
        };
        assert!(heard.contains(told), "{over:?} {era}: {heard}");
    }
}

/// A call that finds its session forgotten fails and is not sent again; the session after it is a new one.
#[tokio::test]
async fn a_session_that_the_server_forgets_is_begun_anew_once_for_all_calls() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record").display().to_string();
    let headers = folder.path().join("headers").display().to_string();
    let flags = ["--forget-session-after", "6", "--record", &record, "--record-headers", &headers];
    let kit = kit(Over::Http, &flags).await;
    let session = Session::open(&kit.spec, &Limits::default(), &Memory::none()).await.unwrap();
    let (wire, nothing) = ("echo".parse().unwrap(), raw("{}"));
    let calls = |count: usize| {
        let calls = (0..count).map(|_| session.call(&wire, &nothing));
        futures_util::future::join_all(calls)
    };
    let first = calls(8).await;
    let lost: Vec<_> = first.iter().filter_map(|outcome| outcome.as_ref().err()).collect();
    assert_eq!(first.len() - lost.len(), 5, "one of six was the end of the handshake: {first:?}");
    assert!(lost.iter().all(|error| ended(error)), "{lost:?}");
    assert!(calls(5).await.iter().all(Result::is_ok));
    // Listing finds it forgotten too, and the list after it is whole.
    let lost = session.list().await.unwrap_err();
    assert!(matches!(lost, FetchError::SessionEnded { .. }), "{lost:?}");
    assert_eq!(session.list().await.unwrap().catalogue.tools().len(), 1);
    session.close().await;
    let heard = std::fs::read_to_string(record).unwrap();
    assert_eq!(heard.matches(r#""method":"initialize""#).count(), 3);
    assert_eq!(heard.matches(r#""method":"tools/call""#).count(), 13, "none is sent twice");
    let headers = std::fs::read_to_string(headers).unwrap();
    let of_a_session = headers.matches("mcp-session-id").count();
    assert_eq!(of_a_session, headers.lines().count() - 4, "all but one probe and three handshakes");
}

/// Who wants to hear the server gets what fits, knows what did not, and its calls don't wait.
#[tokio::test]
async fn a_flood_of_announcements_is_delivered_as_far_as_it_is_read() {
    let (sender, mut heard) = tokio::sync::mpsc::channel(10);
    let caller = Caller { inbound: Inbound::Deliver(sender), ..Caller::default() };
    let spec = kit::stdio("s", &["--list-changed", "200"]);
    let session =
        Session::open_as(&caller, &spec, &Limits::default(), &Memory::none()).await.unwrap();
    session.call(&"echo".parse().unwrap(), &raw("{}")).await.unwrap();
    let seen = session.connection().seen();
    assert_eq!((seen.notifications, seen.dropped), (200, 190));
    session.close().await;
    let mut count = 0;
    while heard.try_recv().is_ok() {
        count += 1;
    }
    assert_eq!(count, 10);
}
