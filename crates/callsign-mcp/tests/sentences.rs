//! Whatever a configuration or a server writes: what is said of it is one line that moves no cursor and hides nothing.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use callsign_mcp::{CallError, Evidence, FetchError, Note, Session, Stage, fetch};
use callsign_mcp::{Launch, Limits, Memory, Secret, ServerSpec};
use callsign_wire::message::{RpcError, SpliceError};
use callsign_wire::text::printable;
use proptest::prelude::*;

/// Text in which control and format characters are frequent.
fn text() -> impl Strategy<Value = String> {
    let hostile =
        ['\u{1b}', '\r', '\n', '\0', '\u{7f}', '\u{9b}', '\u{202e}', '\u{200b}', '\u{e0041}', '"'];
    let character = prop_oneof![any::<char>(), prop::sample::select(hostile.to_vec())];
    prop::collection::vec(character, 0..12).prop_map(String::from_iter)
}

fn fetch_errors(text: &str, stage: Stage, limit: usize) -> Vec<FetchError> {
    let list = "tools";
    let evidence = Box::new(Evidence { junk: vec![text.to_owned()], ..Evidence::default() });
    let own = || text.to_owned();
    let with = || evidence.clone();
    vec![
        FetchError::NotFound { command: own() },
        FetchError::NoDirectory { path: own() },
        FetchError::NotStarted { command: own(), reason: own() },
        FetchError::ExitedEarly { stage, status: Some(own()), evidence: with() },
        FetchError::TimedOut { stage, limit: Duration::from_secs(1), evidence: with() },
        FetchError::Refused { stage, code: Some(1), message: own(), evidence: with() },
        FetchError::NoCommonRevision { offered: own(), evidence: with() },
        FetchError::FirstRevisionSse,
        FetchError::Invalid { reason: own() },
        FetchError::Unreachable { reason: own() },
        FetchError::Http { stage, status: 401, body: own(), challenge: Some(own()) },
        FetchError::Redirected { location: own() },
        FetchError::NotMcp { reason: own() },
        FetchError::BrokenOff { stage, reason: own(), evidence: with() },
        FetchError::SessionEnded { stage },
        FetchError::RepeatedCursor { list, page: limit, evidence: with() },
        FetchError::TooMuch { list, what: "pages", limit, evidence: with() },
        FetchError::MessageTooLong { limit, evidence: with() },
        FetchError::Unreadable { stage, reason: own(), evidence: with() },
        FetchError::NotAList { list, reason: own(), evidence: with() },
    ]
}

fn notes(text: &str) -> Vec<Note> {
    let own = || text.to_owned();
    let mut notes = vec![
        Note::Junk { lines: 1, excerpts: vec![own()] },
        Note::Restarted,
        Note::NoTools,
        Note::ListFailed { list: "prompts", reason: own() },
        Note::Unreadable { list: "prompts", position: 0, reason: own() },
        Note::NotRemembered { reason: own() },
    ];
    if let Ok(tool) = text.parse::<callsign::WireName>() {
        notes.push(Note::NoSchema { tool: tool.clone(), reason: "r" });
        notes.push(Note::BadHeaderParameter { tool, reason: own() });
    }
    notes
}

fn call_errors(text: &str) -> Vec<CallError> {
    let error = serde_json::json!({"code": 1, "message": text}).to_string();
    let error = serde_json::value::RawValue::from_string(error).unwrap();
    vec![
        CallError::Refused(RpcError::from_raw(error)),
        CallError::BadParameters(SpliceError::NotAnObject(text.to_owned())),
        CallError::BadParameters(SpliceError::Twice(text.to_owned())),
    ]
}

proptest! {
    #[test]
    fn every_sentence_is_plain(text in text(), page in 1..4_usize) {
        let stage = Stage::Listing { list: "tools", page };
        let errors = fetch_errors(&text, stage, page).into_iter();
        let failed = errors.clone().map(|error| CallError::Failed(Box::new(error)));
        let errors: Vec<String> = errors.flat_map(|error| [error.to_string(), error.remedy()]).collect();
        let calls = failed.chain(call_errors(&text)).flat_map(|error| [error.to_string(), error.remedy()]);
        let notes = notes(&text).into_iter().map(|note| note.to_string());
        for sentence in errors.into_iter().chain(calls).chain(notes) {
            prop_assert_eq!(printable(&sentence, usize::MAX), sentence);
        }
    }
}

/// What an entry names may hold anything, a secret among it.
#[tokio::test]
async fn what_can_not_be_started_shows_no_secret_and_no_escape() {
    let launch = |command: &str, cwd: Option<&str>| Launch::Stdio {
        command: command.to_owned(),
        args: Vec::new(),
        env: Vec::new(),
        cwd: cwd.map(Into::into),
    };
    let launches = [
        launch("no-such-program-swordfish\u{1b}[2J", None),
        launch("sh", Some("/no/such/swordfish\u{1b}[2J")),
        launch("/swordfish\u{1b}[2J/..\0", None),
        Launch::Http { url: "swordfish\u{1b}[2J".to_owned(), headers: Vec::new() },
        Launch::Http {
            url: "http://127.0.0.1:1/".to_owned(),
            headers: vec![("swordfish\u{1b}[2J".to_owned(), Secret::new("x"))],
        },
    ];
    for launch in launches {
        let secrets = vec![Secret::new("swordfish")];
        let spec = ServerSpec { key: "s".parse().unwrap(), launch, secrets };
        let error = fetch(&spec, &Limits::default(), &Memory::none()).await.unwrap_err();
        let shown = format!("{error} {error:?} {}", error.remedy());
        assert!(!shown.contains("swordfish") && !shown.contains('\u{1b}'), "{shown:?}");
        let session = Session::open(&spec, &Limits::default(), &Memory::none()).await;
        assert_eq!(session.unwrap_err(), error);
    }
}
