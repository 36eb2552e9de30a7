//! Servers over stdio, from their start to their end.
#![cfg(unix)]
// Helper functions of a test file are tests as well.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;
use std::time::Duration;

use callsign::catalogue::MalformedReason;
use callsign_mcp::{
    CallError, Era, FetchError, Fetched, Launch, Limits, Memory, Note, Progress, Secret,
    ServerSpec, Session, Stage, fetch, fetch_all,
};

mod kit;

use kit::unless_hung;

fn server(key: &str, options: &[&str]) -> ServerSpec {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixture/server.py");
    let args = std::iter::once(script).chain(options.iter().copied()).map(str::to_owned).collect();
    let env = vec![("FIXTURE_VALUE".to_owned(), Secret::new("hunter2hunter2"))];
    let command = "python3".to_owned();
    ServerSpec {
        key: key.parse().unwrap(),
        launch: Launch::Stdio { command, args, env, cwd: None },
        secrets: Vec::new(),
    }
}

/// Only who is meant to be silent is, however busy the machine.
async fn fetched(options: &[&str]) -> Result<Fetched, FetchError> {
    let is_silent =
        options.iter().any(|option| matches!(*option, "discover=silent" | "discover=late"));
    let probe = if is_silent { Limits::default().probe } else { Duration::from_secs(20) };
    let limits = Limits { probe, ..Limits::default() };
    fetch(&server("s", options), &limits, &Memory::none()).await
}

fn names(fetched: &Fetched) -> Vec<&str> {
    fetched.catalogue.tools().iter().map(|tool| tool.wire().as_str()).collect()
}

#[tokio::test]
async fn a_server_of_the_handshake_era_is_listed_to_its_last_page() {
    let fetched = fetched(&["pages=3"]).await.unwrap();
    assert_eq!(names(&fetched), ["request", "tool1", "tool2"]);
    assert_eq!(
        (fetched.pages, fetched.era, fetched.protocol.as_str()),
        (3, Era::Handshake, "2025-06-18")
    );
    let catalogue = &fetched.catalogue;
    assert_eq!(
        catalogue.tools()[0].definition(),
        Some(r#"{"name":"request","x":1e999,"inputSchema":{"type":"object"}}"#)
    );
    assert_eq!(catalogue.server_info(), Some(r#"{"name":"fixture","version":"1","x":1e999}"#));
    assert_eq!(catalogue.instructions(), Some("old"));
    assert_eq!(catalogue.prompts().len(), 1);
    assert!(matches!(&fetched.notes[..], [Note::Unreadable { list: "prompts", position: 1, .. }]));
}

#[tokio::test]
async fn a_server_of_the_stateless_era_gets_no_handshake_and_its_meta_in_every_request() {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("lines");
    let option = format!("record={}", record.display());
    let fetched = fetched(&["discover=answer", "pages=2", &option]).await.unwrap();
    assert_eq!((fetched.era, fetched.protocol.as_str()), (Era::Stateless, "2026-07-28"));
    assert_eq!(fetched.catalogue.server_info(), Some(r#"{"name":"fixture","version":"2"}"#));
    let lines = std::fs::read_to_string(record).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(
        lines
            .iter()
            .all(|line| line.contains(r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#))
    );
    assert!(lines[2].contains(r#""cursor":"1""#));
}

#[tokio::test]
async fn a_silent_old_server_costs_the_probe_limit_and_no_second_start() {
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("lines");
    let option = format!("record={}", record.display());
    let fetched = fetched(&["discover=silent", &option]).await.unwrap();
    assert_eq!((fetched.era, names(&fetched).len()), (Era::Handshake, 1));
    let lines = std::fs::read_to_string(record).unwrap();
    assert_eq!(
        lines.matches("\"initialize\"").count() - lines.matches("\"id\":\"initialize\"").count(),
        1
    );
    assert!(lines.find("server/discover") < lines.find("\"method\":\"initialize\""));
}

#[tokio::test]
async fn a_server_that_ends_at_the_probe_is_started_once_more_and_remembered() {
    let directory = tempfile::tempdir().unwrap();
    let (record, memory) = (directory.path().join("lines"), Memory::at(directory.path().join("m")));
    let spec = server("s", &["discover=exit", &format!("record={}", record.display())]);
    let first = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert!(first.notes.contains(&Note::Restarted));
    let second = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert!(!second.notes.contains(&Note::Restarted));
    assert_eq!(std::fs::read_to_string(&record).unwrap().matches("server/discover").count(), 1);
    assert_eq!(memory.catalogue(&spec).unwrap().catalogue, second.catalogue);
}

#[tokio::test]
async fn an_answer_to_discover_after_initialize_ends_in_one_era() {
    let directory = tempfile::tempdir().unwrap();
    let memory = Memory::at(directory.path());
    let spec = server("s", &["discover=late"]);
    let both = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert_eq!(both.era, Era::Handshake, "the answer to initialize decides this connection");
    assert_eq!(
        memory.era(&spec, Duration::MAX),
        Some(Era::Stateless),
        "the next one is asked first"
    );
    let modern = fetched(&["discover=late", "initialize=refuse"]).await.unwrap();
    assert_eq!(modern.era, Era::Stateless);
}

#[tokio::test]
async fn noise_before_the_first_answer_is_no_trouble() {
    let fetched = fetched(&["junk=40", "initialize=log-first", "discover=null-id"]).await.unwrap();
    assert_eq!(fetched.junk_lines, 40);
    assert!(fetched.notes.iter().any(|note| matches!(
        note, Note::Junk { lines: 40, excerpts } if excerpts[0] == "junk 0"
    )));
}

#[tokio::test]
async fn requests_of_the_server_are_answered_at_once() {
    assert_eq!(names(&fetched(&["initialize=ask-first"]).await.unwrap()), ["request"]);
}

#[tokio::test]
async fn one_malformed_tool_costs_that_tool_only() {
    let tools =
        r#"tools=[{"name":"a"},{"description":"no name"},7,{"name":"b","inputSchema":null}]"#;
    let fetched = fetched(&[tools]).await.unwrap();
    assert_eq!(names(&fetched), ["a", "b"]);
    let malformed: Vec<usize> = fetched.catalogue.malformed().iter().map(|m| m.position).collect();
    assert_eq!(malformed, [1, 2]);
}

#[tokio::test]
async fn a_list_in_a_circle_and_one_without_an_end_are_errors() {
    let circle = fetched(&["cursor=repeat"]).await.unwrap_err();
    assert!(matches!(circle, FetchError::RepeatedCursor { list: "tools", page: 2, .. }));
    let limits = Limits { pages: 5, ..Limits::default() };
    let endless = fetch(&server("s", &["pages=1000"]), &limits, &Memory::none()).await.unwrap_err();
    assert!(matches!(endless, FetchError::TooMuch { list: "tools", what: "pages", limit: 5, .. }));
    let limits = Limits { entries: 2, ..Limits::default() };
    let many = fetch(&server("s", &["pages=4"]), &limits, &Memory::none()).await.unwrap_err();
    assert!(matches!(many, FetchError::TooMuch { list: "tools", what: "entries", limit: 2, .. }));
    let limits = Limits { bytes: 100, ..Limits::default() };
    let large = fetch(&server("s", &["pages=4"]), &limits, &Memory::none()).await.unwrap_err();
    assert!(matches!(large, FetchError::TooMuch { list: "tools", what: "bytes", limit: 100, .. }));
    let limits = Limits { message_bytes: 80, ..Limits::default() };
    let long = fetch(&server("s", &[]), &limits, &Memory::none()).await.unwrap_err();
    assert!(matches!(long, FetchError::MessageTooLong { limit: 80, .. }));
}

#[tokio::test]
async fn an_early_end_shows_status_and_stderr_without_secrets() {
    let error = fetched(&["exit=list"]).await.unwrap_err();
    let FetchError::ExitedEarly { stage, status, evidence } = &error else { panic!("{error:?}") };
    assert_eq!(*stage, Stage::Listing { list: "tools", page: 1 });
    assert_eq!(status.as_deref(), Some("exit status: 3"));
    assert!(evidence.stderr.contains("cannot reach the database with password ***"));
    assert!(evidence.stderr.contains("SECRET=***"));
    assert!(!format!("{error:?}{error}").contains("hunter2"));
    let start = fetched(&["exit=start"]).await.unwrap_err();
    assert!(matches!(start, FetchError::ExitedEarly { stage: Stage::Opening, .. }), "{start:?}");
}

#[tokio::test]
async fn the_environment_is_clean() {
    // Cargo gives tests variables that no server must see.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    let error = fetched(&["exit=list"]).await.unwrap_err();
    let stderr = &error.evidence().unwrap().stderr;
    let line = stderr.lines().find_map(|line| line.strip_prefix("environment: ")).unwrap();
    assert!(line.split(',').any(|name| name == "FIXTURE_VALUE"));
    assert!(line.split(',').any(|name| name == "PATH"));
    assert!(!line.contains("CARGO"), "{line}");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let mut spec = server("s", &[]);
    let Launch::Stdio { command, .. } = &mut spec.launch else { panic!() };
    "no-such-program-9f2".clone_into(command);
    let error = fetch(&spec, &Limits::default(), &Memory::none()).await.unwrap_err();
    assert_eq!(error, FetchError::NotFound { command: "no-such-program-9f2".to_owned() });
    let Launch::Stdio { cwd, .. } = &mut spec.launch else { panic!() };
    *cwd = Some("/no/such/directory".into());
    let error = fetch(&spec, &Limits::default(), &Memory::none()).await.unwrap_err();
    assert!(matches!(error, FetchError::NoDirectory { .. }));
}

#[tokio::test]
async fn a_hanging_server_costs_its_limit_and_leaves_nobody_behind() {
    let directory = tempfile::tempdir().unwrap();
    let child = directory.path().join("child");
    let limits = Limits { start: Duration::from_millis(1500), ..Limits::default() };
    let options = [
        "discover=silent",
        "initialize=silent",
        "term=stay",
        "stdin-eof=stay",
        &format!("child={}", child.display()),
    ];
    let memory = Memory::none();
    let error = unless_hung(fetch(&server("s", &options), &limits, &memory)).await.unwrap_err();
    assert!(matches!(error, FetchError::TimedOut { stage: Stage::Opening, .. }), "{error:?}");
    assert!(is_gone(&child).await);
}

#[tokio::test]
async fn an_empty_cursor_is_followed_and_means_none_where_it_leads_nowhere() {
    for era in ["discover=answer", "discover=refuse"] {
        let fetched = fetched(&[era, "cursor=empty", "pages=2"]).await.unwrap();
        assert_eq!((names(&fetched), fetched.pages), (vec!["request", "tool1"], 2));
    }
    let fetched = fetched(&["cursor=none"]).await.unwrap();
    assert_eq!((names(&fetched), fetched.pages), (vec!["request"], 1));
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_said_at_once() {
    let error = fetched(&["answer=no-result"]).await.unwrap_err();
    let FetchError::Unreadable { stage, evidence, .. } = error else { panic!("{error:?}") };
    assert_eq!(stage, Stage::Listing { list: "tools", page: 1 });
    assert!(evidence.junk[0].contains("jsonrpc"));
    // A piece of a message may be a log as well, so it ends nothing; the failure shows it.
    let limits = Limits { start: Duration::from_millis(1500), ..Limits::default() };
    let cut = fetch(&server("s", &["answer=cut"]), &limits, &Memory::none()).await.unwrap_err();
    assert!(cut.evidence().unwrap().junk[0].starts_with("{\"jsonrpc\""), "{cut:?}");
}

#[tokio::test]
async fn a_tool_too_deep_for_readers_costs_that_tool_only() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let option =
        format!(r#"tools=[{{"name":"a"}},{{"name":"deep","inputSchema":{deep}}},{{"name":"b"}}]"#);
    let fetched = fetched(&[&option]).await.unwrap();
    assert_eq!(names(&fetched), ["a", "b"]);
    let malformed = &fetched.catalogue.malformed()[0];
    assert_eq!((malformed.position, malformed.name.as_deref()), (1, Some("deep")));
    assert_eq!(malformed.reason, MalformedReason::TooDeep { limit: 127 });
}

#[tokio::test]
async fn a_list_that_never_comes_is_told_by_its_stage_and_prompts_that_never_come_cost_only_themselves()
 {
    let limits = Limits { start: Duration::from_millis(1500), ..Limits::default() };
    let fetch = |option: &'static str| async move {
        fetch(&server("s", &[option]), &limits, &Memory::none()).await
    };
    let error = fetch("list=silent").await.unwrap_err();
    let stage = Stage::Listing { list: "tools", page: 1 };
    assert!(matches!(&error, FetchError::TimedOut { stage: at, .. } if *at == stage), "{error:?}");
    assert_eq!(error.to_string(), "its list of tools was not complete after 1.5 s (page 1)");
    let fetched = fetch("prompts=silent").await.unwrap();
    assert_eq!(names(&fetched), ["request"]);
    assert!(matches!(&fetched.notes[..], [Note::ListFailed { list: "prompts", .. }]));
}

#[tokio::test]
async fn a_flood_on_standard_error_blocks_nobody() {
    assert_eq!(names(&fetched(&["stderr=3000000"]).await.unwrap()), ["request"]);
}

#[tokio::test]
async fn dropping_ends_the_whole_group() {
    let directory = tempfile::tempdir().unwrap();
    let child = directory.path().join("child");
    let spec = server("s", &["initialize=silent", &format!("child={}", child.display())]);
    let (limits, memory) = (Limits::default(), Memory::none());
    let work = fetch(&spec, &limits, &memory);
    assert!(tokio::time::timeout(Duration::from_secs(1), work).await.is_err());
    assert!(child.exists() && is_gone(&child).await);
}

/// Whether the process whose id is in the file is no more (or a zombie that nobody has collected yet).
async fn is_gone(file: &Path) -> bool {
    let id = std::fs::read_to_string(file).unwrap();
    for _ in 0..1500 {
        let output =
            std::process::Command::new("ps").args(["-o", "stat=", "-p", &id]).output().unwrap();
        let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if state.is_empty() || state.starts_with('Z') {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test]
async fn all_start_at_once_and_outcomes_keep_their_order() {
    let specs: Vec<ServerSpec> = ["0.9", "0.1", "1.2", "0", "1.2"]
        .iter()
        .enumerate()
        .map(|(n, delay)| {
            let stay = if n == 3 { "stdin-eof=stay" } else { "term=leave" };
            server(&format!("s{n}"), &[&format!("delay={delay}"), stay])
        })
        .collect();
    let told = std::sync::Mutex::new(Vec::new());
    let outcomes = fetch_all(&specs, &Limits::default(), &Memory::none(), &|progress| {
        told.lock().unwrap().push(match progress {
            Progress::Started { server } => format!("started {server}"),
            Progress::Ready { server, tools } => format!("ready {server} {tools}"),
            other => format!("{other:?}"),
        });
    })
    .await;
    assert!(outcomes.iter().all(|(_, outcome)| outcome.is_ok()), "{outcomes:?}");
    let keys: Vec<&str> = outcomes.iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["s0", "s1", "s2", "s3", "s4"]);
    let told = told.into_inner().unwrap();
    assert_eq!(&told[..5], ["started s0", "started s1", "started s2", "started s3", "started s4"]);
    assert_eq!(told.len(), 10);
}

/// The exposed name is the caller's, the wire name the server's: the server must have received the latter.
#[tokio::test]
async fn the_server_receives_the_wire_name_while_the_caller_uses_the_exposed_one() {
    let exposed = "mcp__alpha__request";
    let wire = "request".parse().unwrap();
    for options in [&["discover=answer"][..], &[]] {
        let spec = server("alpha", options);
        let session = Session::open(&spec, &Limits::default(), &Memory::none()).await.unwrap();
        let params = format!(
            r#"{{ "x" : 1e999, "name" : "{exposed}", "arguments":{{"a":  "é\u00e9","n":123456789012345678901234567890 }} }}"#
        );
        let result = session.call_with(&wire, &params).await.unwrap();
        session.close().await;
        let echo: serde_json::Value = serde_json::from_str(result.get()).unwrap();
        let received = echo["line"].as_str().unwrap();
        assert!(received.contains(r#""name" : "request""#), "{received}");
        assert!(!received.contains(exposed), "{received}");
        assert!(
            received
                .contains(r#""arguments":{"a":  "é\u00e9","n":123456789012345678901234567890 }"#)
        );
        assert!(received.contains(r#"{ "x" : 1e999,"#));
    }
}

#[tokio::test]
async fn a_call_has_a_limit_and_the_session_survives_it() {
    let limits = Limits { call: Duration::from_millis(300), ..Limits::default() };
    let directory = tempfile::tempdir().unwrap();
    let record = directory.path().join("lines");
    let spec = server("s", &[&format!("record={}", record.display())]);
    let session = Session::open(&spec, &limits, &Memory::none()).await.unwrap();
    let nothing = serde_json::value::RawValue::from_string("{}".to_owned()).unwrap();
    let error = session.call(&"hang".parse().unwrap(), &nothing).await.unwrap_err();
    assert!(
        matches!(error, CallError::Failed(error) if matches!(*error, FetchError::TimedOut { stage: Stage::Calling, .. }))
    );
    session.call(&"quick".parse().unwrap(), &nothing).await.unwrap();
    session.close().await;
    let lines = std::fs::read_to_string(record).unwrap();
    let cancelled = lines.lines().find(|line| line.contains("notifications/cancelled")).unwrap();
    assert!(cancelled.contains(r#""requestId":1"#), "{cancelled}");
}
