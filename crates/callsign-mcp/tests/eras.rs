//! What a client owes a server of unknown era. The numbers are those of the statements on the two eras.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod kit;

use std::path::Path;
use std::time::Duration;

use callsign_mcp::{Era, FetchError, Launch, Limits, Memory, Note, ServerSpec, Session, fetch};
use kit::{Over, http, kit, names, raw, stdio, unless_hung};

/// What each process of a recorded server received, in the order of their last messages.
fn records(folder: &Path) -> Vec<Vec<String>> {
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort_by_key(|file| file.metadata().unwrap().modified().unwrap());
    let lines = |text: String| text.lines().map(str::to_owned).collect();
    files.iter().map(|file| lines(std::fs::read_to_string(file).unwrap())).collect()
}

fn methods(lines: &[String]) -> Vec<String> {
    let method = |line: &String| {
        let message: serde_json::Value = serde_json::from_str(line).unwrap();
        message["method"].as_str().unwrap_or("an answer").to_owned()
    };
    lines.iter().map(method).collect()
}

fn recorded(folder: &Path) -> String {
    folder.join("{pid}").display().to_string()
}

#[tokio::test]
async fn statement_1_a_silent_server_is_not_started_again_and_costs_the_probe_limit() {
    let folder = tempfile::tempdir().unwrap();
    let record = recorded(folder.path());
    let spec = stdio("s", &["--era", "silent-on-discover", "--record", &record]);
    let limits = Limits::default();
    let fetched = unless_hung(fetch(&spec, &limits, &Memory::none())).await.unwrap();
    assert_eq!((fetched.era, names(&fetched)), (Era::Handshake, vec!["echo"]));
    assert!(fetched.elapsed >= limits.probe, "it was given its time: {:?}", fetched.elapsed);
    let records = records(folder.path());
    assert_eq!(records.len(), 1, "one process");
    let expected = ["server/discover", "initialize", "notifications/initialized", "tools/list"];
    assert_eq!(methods(&records[0]), expected);
}

#[tokio::test]
async fn statement_2_a_server_that_exits_on_the_probe_is_started_once_more_and_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let memory = tempfile::tempdir().unwrap();
    let memory = Memory::at(memory.path());
    let record = recorded(folder.path());
    let spec = stdio("s", &["--era", "exits-on-discover", "--record", &record]);
    let handshake = ["initialize", "notifications/initialized", "tools/list"];
    let first = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert_eq!(first.notes, [Note::Restarted]);
    let second = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert_eq!(second.notes, []);
    let records = records(folder.path());
    assert_eq!(records.len(), 3, "two processes, then one");
    assert_eq!(methods(&records[0]), ["server/discover"]);
    assert_eq!(methods(&records[1]), handshake);
    assert_eq!(methods(&records[2]), handshake);
}

#[tokio::test]
async fn statement_3_a_late_answer_to_discover_ends_in_one_era_that_serves_calls() {
    // Discover is answered before initialize, though after it was sent; then long after.
    for (flags, next) in [
        (&["--slow", "1200:discover", "--slow", "1200:initialize"][..], Era::Stateless),
        (&["--slow", "1200:discover"], Era::Handshake),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::at(folder.path().join("memory"));
        let records_in = folder.path().join("records");
        std::fs::create_dir(&records_in).unwrap();
        let record = recorded(&records_in);
        let flags = [&["--era", "dual", "--record", &record], flags].concat();
        let spec = stdio("s", &flags);
        let session = Session::open(&spec, &Limits::default(), &memory).await.unwrap();
        assert_eq!(session.opening().spoken.era, Era::Handshake);
        // The answer that came late must not change what is spoken.
        tokio::time::sleep(Duration::from_millis(800)).await;
        let result = session.call(&"echo".parse().unwrap(), &raw(r#"{"n":1}"#)).await.unwrap();
        assert!(result.get().contains(r#""structuredContent":{"n":1}"#));
        session.close().await;
        assert_eq!(memory.era(&spec, Duration::MAX), Some(next));
        let records = records(&records_in);
        assert_eq!(records.len(), 1);
        let expected = ["server/discover", "initialize", "notifications/initialized", "tools/call"];
        assert_eq!(methods(&records[0]), expected);
        assert!(!records[0][3].contains("_meta"), "the handshake era alone: {}", records[0][3]);
    }
}

#[tokio::test]
async fn statement_4_a_refused_revision_that_is_offered_after_all_is_asked_for_once_more() {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("lines").display().to_string();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixture/server.py").to_owned();
    let args = vec![script, "discover=again".to_owned(), format!("record={record}")];
    let launch = Launch::Stdio { command: "python3".to_owned(), args, env: vec![], cwd: None };
    let spec = ServerSpec { key: "s".parse().unwrap(), launch, secrets: Vec::new() };
    let fetched = fetch(&spec, &Limits::default(), &Memory::none()).await.unwrap();
    assert_eq!((fetched.era, names(&fetched)), (Era::Stateless, vec!["request"]));
    let expected = ["server/discover", "server/discover", "tools/list"];
    assert_eq!(methods(&records(folder.path())[0]), expected, "and never initialize");
}

#[tokio::test]
async fn statement_5_failures_of_authorization_and_of_the_server_store_no_verdict() {
    for status in ["401", "403", "429", "500", "502", "503"] {
        for requests in ["all", "discover"] {
            let folder = tempfile::tempdir().unwrap();
            let record = folder.path().join("record").display().to_string();
            let memory = Memory::at(folder.path().join("memory"));
            let flag = format!("{status}:{requests}");
            let flags = ["--era", "dual", "--http-status", &flag, "--record", &record];
            let kit = http("s", &flags).await;
            let limits = Limits::default();
            let work = fetch(&kit.spec, &limits, &memory);
            let error = unless_hung(work).await.unwrap_err();
            let told =
                matches!(&error, FetchError::Http { status: at, .. } if at.to_string() == status);
            assert!(told && !error.remedy().is_empty(), "{error:?}");
            assert_eq!(memory.era(&kit.spec, Duration::MAX), None);
            let asked = std::fs::read_to_string(record).unwrap();
            assert_eq!(asked.lines().count(), 1, "nothing more was tried: {asked}");
        }
    }
}

/// One entry, and a server behind it that is what the words in the file say when it starts.
fn changing(file: &Path) -> ServerSpec {
    let launch = Launch::Stdio {
        command: "sh".to_owned(),
        args: vec![
            "-c".to_owned(),
            r#"exec "$0" serve --era $(cat "$1")"#.to_owned(),
            callsign_testkit::server_binary().display().to_string(),
            file.display().to_string(),
        ],
        env: vec![],
        cwd: None,
    };
    ServerSpec { key: "s".parse().unwrap(), launch, secrets: Vec::new() }
}

#[tokio::test]
async fn statement_6_a_handshake_verdict_past_its_limit_is_found_out_anew() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::at(folder.path().join("memory"));
    let era = folder.path().join("era");
    let spec = changing(&era);
    std::fs::write(&era, "legacy").unwrap();
    let old = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    std::fs::write(&era, "dual").unwrap();
    let believed = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    let past = Limits { handshake_verdict: Duration::ZERO, ..Limits::default() };
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let anew = fetch(&spec, &past, &memory).await.unwrap();
    assert_eq!((old.era, believed.era, anew.era), (Era::Handshake, Era::Handshake, Era::Stateless));
    assert_eq!(memory.era(&spec, Duration::MAX), Some(Era::Stateless));
}

fn address_of(spec: &ServerSpec) -> String {
    let Launch::Http { url, .. } = &spec.launch else { panic!() };
    url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned()
}

#[tokio::test]
async fn a_stateless_verdict_that_no_longer_holds_costs_one_question() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::at(folder.path());
    let (modern, flags) = (kit(Over::Http, &["--era", "modern"]).await, ["--era", "legacy"]);
    fetch(&modern.spec, &Limits::default(), &memory).await.unwrap();
    assert_eq!(memory.era(&modern.spec, Duration::MAX), Some(Era::Stateless));
    let (spec, address) = (modern.spec.clone(), address_of(&modern.spec));
    drop(modern);
    // The same address, and an older server behind it.
    let _old = kit::http_at("s", &flags, &address).await;
    let fetched = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert_eq!(fetched.era, Era::Handshake);
    assert_eq!(memory.era(&spec, Duration::MAX), Some(Era::Handshake));
}

#[tokio::test]
async fn a_handshake_verdict_that_no_longer_holds_costs_one_question() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::at(folder.path().join("memory"));
    let (era, record) = (folder.path().join("era"), folder.path().join("record"));
    let spec = changing(&era);
    std::fs::write(&era, "legacy").unwrap();
    assert_eq!(fetch(&spec, &Limits::default(), &memory).await.unwrap().era, Era::Handshake);
    std::fs::write(&era, format!("modern --record {}", record.display())).unwrap();
    let fetched = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert_eq!((fetched.era, &fetched.notes[..]), (Era::Stateless, &[][..]));
    assert_eq!(memory.era(&spec, Duration::MAX), Some(Era::Stateless));
    let lines: Vec<String> =
        std::fs::read_to_string(record).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(methods(&lines), ["initialize", "server/discover", "tools/list"]);
    // And from afar.
    let memory = Memory::at(folder.path().join("another"));
    let old = kit(Over::Http, &["--era", "legacy"]).await;
    fetch(&old.spec, &Limits::default(), &memory).await.unwrap();
    let (spec, address) = (old.spec.clone(), address_of(&old.spec));
    drop(old);
    let _modern = kit::http_at("s", &["--era", "modern"], &address).await;
    assert_eq!(fetch(&spec, &Limits::default(), &memory).await.unwrap().era, Era::Stateless);
    assert_eq!(memory.era(&spec, Duration::MAX), Some(Era::Stateless));
}

#[tokio::test]
async fn a_failing_network_and_a_slow_server_cost_no_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::at(folder.path().join("memory"));
    let remote = kit(Over::Http, &["--era", "legacy"]).await;
    let remote_spec = remote.spec.clone();
    fetch(&remote_spec, &Limits::default(), &memory).await.unwrap();
    drop(remote);
    let gone = fetch(&remote_spec, &Limits::default(), &memory).await.unwrap_err();
    // The system may still take the connection and then reset it.
    let is_gone = matches!(gone, FetchError::Unreachable { .. } | FetchError::BrokenOff { .. });
    assert!(is_gone, "{gone:?}");
    assert_eq!(memory.era(&remote_spec, Duration::MAX), Some(Era::Handshake));

    let era = folder.path().join("era");
    let spec = changing(&era);
    std::fs::write(&era, "legacy").unwrap();
    fetch(&spec, &Limits::default(), &memory).await.unwrap();
    std::fs::write(&era, "legacy --never-answer all").unwrap();
    let limits = Limits { start: Duration::from_millis(500), ..Limits::default() };
    let slow = fetch(&spec, &limits, &memory).await.unwrap_err();
    assert!(matches!(slow, FetchError::TimedOut { .. }), "{slow:?}");
    assert_eq!(memory.era(&spec, Duration::MAX), Some(Era::Handshake));
}

#[tokio::test]
async fn a_stateless_verdict_does_not_lock_out_an_older_server_that_is_silent() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::at(folder.path().join("memory"));
    let era = folder.path().join("era");
    let spec = changing(&era);
    std::fs::write(&era, "modern").unwrap();
    fetch(&spec, &Limits::default(), &memory).await.unwrap();
    std::fs::write(&era, "silent-on-discover").unwrap();
    let limits = Limits { start: Duration::from_secs(6), ..Limits::default() };
    assert_eq!(fetch(&spec, &limits, &memory).await.unwrap().era, Era::Handshake);
    assert_eq!(memory.era(&spec, Duration::MAX), Some(Era::Handshake));
}
