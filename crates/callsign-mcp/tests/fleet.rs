//! Many servers at once: what each costs the others, and that each answers for itself.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod kit;

use std::sync::Mutex;
use std::time::Duration;

use callsign_mcp::{FetchError, Launch, Limits, Memory, Progress, ServerSpec, Session, fetch_all};
use futures_util::future::join_all;
use kit::{http, names, raw, stdio, unless_hung};

/// Each waits for all the others to have been started before it answers anything.
#[tokio::test]
async fn twelve_servers_run_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"touch "$1/$2"
while [ "$(ls "$1" | wc -l)" -lt 12 ]; do sleep 0.05; done
exec "$0" serve --era modern"#;
    let spec = |n: usize| {
        let binary = callsign_testkit::server_binary().display().to_string();
        let args = ["-c", script, &binary, &folder.path().display().to_string(), &n.to_string()];
        let args = args.map(str::to_owned).to_vec();
        let launch = Launch::Stdio { command: "sh".to_owned(), args, env: vec![], cwd: None };
        ServerSpec { key: format!("s{n}").parse().unwrap(), launch, secrets: Vec::new() }
    };
    let specs: Vec<ServerSpec> = (0..12).map(spec).collect();
    let limits = Limits { probe: Duration::from_secs(20), ..Limits::default() };
    let memory = Memory::none();
    let outcomes = unless_hung(fetch_all(&specs, &limits, &memory, &|_| {})).await;
    for (key, outcome) in &outcomes {
        assert!(outcome.is_ok(), "{key} {outcome:?}");
    }
    assert_eq!(outcomes.len(), 12);
}

#[tokio::test]
async fn servers_that_hang_or_fail_delay_no_other() {
    let hanging: [&[&str]; 4] = [
        &["--never-answer", "all"],
        &["--never-answer", "list"],
        &["--never-answer", "all", "--ignore-sigterm"],
        &["--endless-cursor", "--slow", "100"],
    ];
    let failing: [&[&str]; 3] =
        [&["--exit-at", "start"], &["--exit-at", "list"], &["--malformed-list", "no-tools"]];
    let good: [&[&str]; 5] = [
        &[],
        &["--era", "modern"],
        &["--era", "exits-on-discover"],
        &["--junk", "50"],
        &["--list-changed", "200"],
    ];
    let of = |kind: &str, all: &[&[&str]]| -> Vec<ServerSpec> {
        let entry = |(n, flags): (usize, &&[&str])| stdio(&format!("{kind}{n}"), flags);
        all.iter().enumerate().map(entry).collect()
    };
    // The good ones last, where waiting for others would show.
    let specs = [of("hanging", &hanging), of("failing", &failing), of("good", &good)].concat();
    let limits = Limits { start: Duration::from_secs(10), ..Limits::default() };
    let told = Mutex::new(Vec::new());
    let memory = Memory::none();
    let tell = |progress: Progress<'_>| {
        if let Progress::Ready { server, .. } | Progress::Failed { server } = progress {
            told.lock().unwrap().push(server.to_string());
        }
    };
    let outcomes = unless_hung(fetch_all(&specs, &limits, &memory, &tell)).await;
    let told = told.into_inner().unwrap();
    let (others, hung) = told.split_at(failing.len() + good.len());
    assert!(hung.iter().all(|key| key.starts_with("hanging")), "they come last: {told:?}");
    assert!(!others.iter().any(|key| key.starts_with("hanging")), "{told:?}");
    for (key, outcome) in &outcomes {
        match key.as_str().trim_end_matches(|c: char| c.is_ascii_digit()) {
            "good" => assert!(outcome.is_ok(), "{key} {outcome:?}"),
            "failing" => assert!(outcome.is_err(), "{key} {outcome:?}"),
            _ => assert!(matches!(outcome, Err(FetchError::TimedOut { .. })), "{key} {outcome:?}"),
        }
    }
    let order: Vec<&str> = outcomes.iter().map(|(key, _)| key.as_str()).collect();
    let asked: Vec<&str> = specs.iter().map(|spec| spec.key.as_str()).collect();
    assert_eq!(order, asked);
}

/// Acceptance test 16: two servers with a tool of one name, a hundred calls at once, none goes astray.
#[tokio::test]
async fn t16_a_hundred_calls_at_once_reach_the_server_they_are_meant_for() {
    for era in ["legacy", "modern"] {
        let folder = tempfile::tempdir().unwrap();
        let record = |key: &str| folder.path().join(key);
        let flags = |key: &'static str| {
            let record = record(key).display().to_string();
            ["--name", key, "--era", era, "--tools", "request", "--progress", "1", "--record"]
                .map(str::to_owned)
                .into_iter()
                .chain([record])
                .collect::<Vec<_>>()
        };
        let flags = [flags("alpha"), flags("beta")];
        let flags =
            flags.each_ref().map(|flags| flags.iter().map(String::as_str).collect::<Vec<_>>());
        let alpha = stdio("alpha", &flags[0]);
        let beta = http("beta", &flags[1]).await;
        let (limits, memory) = (Limits::default(), Memory::none());
        let alpha = Session::open(&alpha, &limits, &memory).await.unwrap();
        let beta = Session::open(&beta.spec, &limits, &memory).await.unwrap();
        let wire = "request".parse().unwrap();
        let calls = (0..100).map(|n| {
            // In no regular order.
            let (key, session) = if n * 7 % 13 < 6 { ("alpha", &alpha) } else { ("beta", &beta) };
            let wire = &wire;
            async move {
                let arguments = raw(&format!(r#"{{"n":{n}}}"#));
                let result = session.call(wire, &arguments).await.unwrap();
                let expected = format!(r#""text":"{key}:request {{\"n\":{n}}}""#);
                assert!(result.get().contains(&expected), "{expected} {result}");
                assert!(result.get().contains(&format!(r#""structuredContent":{{"n":{n}}}"#)));
                key
            }
        });
        let answered = join_all(calls).await;
        alpha.close().await;
        beta.close().await;
        for key in ["alpha", "beta"] {
            let lines = std::fs::read_to_string(record(key)).unwrap();
            let called: Vec<serde_json::Value> = lines
                .lines()
                .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
                .filter(|message| message["method"] == "tools/call")
                .collect();
            assert_eq!(called.len(), answered.iter().filter(|of| **of == key).count());
            assert!(called.iter().all(|call| call["params"]["name"] == "request"));
            assert!(!lines.contains("mcp__"));
        }
    }
}

/// Acceptance test 41: who is not asked for is neither started nor contacted.
#[tokio::test]
async fn t41_servers_that_are_not_given_are_never_started_or_contacted() {
    let folder = tempfile::tempdir().unwrap();
    let recorded = |key: &str| {
        let record = folder.path().join(key).display().to_string();
        stdio(key, &["--record", &record])
    };
    let record = folder.path().join("remote").display().to_string();
    let remote = http("remote", &["--record", &record]).await;
    let fleet = ["one", "two", "three", "four"].map(recorded);
    let chosen = [fleet[1].clone(), fleet[3].clone()];
    let outcomes = fetch_all(&chosen, &Limits::default(), &Memory::none(), &|_| {}).await;
    for (_, outcome) in &outcomes {
        assert_eq!(names(outcome.as_ref().unwrap()), ["echo"]);
    }
    assert!(folder.path().join("two").exists() && folder.path().join("four").exists());
    assert!(!folder.path().join("one").exists() && !folder.path().join("three").exists());
    // The server by HTTP runs, and has heard nothing.
    assert_eq!(std::fs::read_to_string(&record).unwrap(), "");
    assert!(fetch_all(&[], &Limits::default(), &Memory::none(), &|_| {}).await.is_empty());
    drop(remote);
}
