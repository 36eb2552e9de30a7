//! Many servers at once: what each costs the others, and that each answers for itself.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod kit;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use callsign_mcp::{FetchError, Limits, Memory, Progress, ServerSpec, Session, fetch, fetch_all};
use futures_util::future::join_all;
use kit::{http, names, raw, stdio};

/// A busy machine starts a dozen processes later than one: what the measure leaves to the system. It is far below the
/// 5.5 s that waiting for twelve servers one after the other would add.
const SCHEDULING: Duration = Duration::from_millis(700);

#[tokio::test]
async fn twelve_slow_servers_cost_what_the_slowest_costs_alone() {
    let specs: Vec<ServerSpec> =
        (0..12).map(|n| stdio(&format!("s{n}"), &["--era", "modern", "--slow", "500"])).collect();
    let limits = Limits { probe: Duration::from_secs(20), ..Limits::default() };
    let memory = Memory::none();
    // The program is built and read into memory before time is taken.
    fetch(&specs[0], &limits, &memory).await.unwrap();
    let mut measured = Vec::new();
    // Other work on the machine only ever adds time, so one good measure of three is enough.
    for _ in 0..3 {
        let begin = Instant::now();
        fetch(&specs[0], &limits, &memory).await.unwrap();
        let alone = begin.elapsed();
        let begin = Instant::now();
        let outcomes = fetch_all(&specs, &limits, &memory, &|_| {}).await;
        let whole = begin.elapsed();
        assert!(outcomes.iter().all(|(_, outcome)| outcome.is_ok()));
        assert!(alone >= Duration::from_secs(1), "two answers, each late by 500 ms");
        if whole < alone.mul_f64(1.1) + SCHEDULING {
            return;
        }
        measured.push((alone, whole));
    }
    panic!("alone, and twelve: {measured:?}");
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
    let limits = Limits { start: Duration::from_secs(8), ..Limits::default() };
    let ready = Mutex::new(BTreeMap::new());
    let begin = Instant::now();
    let outcomes = fetch_all(&specs, &limits, &Memory::none(), &|progress| {
        if let Progress::Ready { server, .. } | Progress::Failed { server } = progress {
            ready.lock().unwrap().insert(server.to_string(), begin.elapsed());
        }
    })
    .await;
    assert!(begin.elapsed() < limits.start + Duration::from_secs(3), "{:?}", begin.elapsed());
    let ready = ready.into_inner().unwrap();
    for (key, outcome) in &outcomes {
        let (took, key) = (ready[key.as_str()], key.as_str());
        match key.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "good" => {
                assert!(outcome.is_ok() && took < Duration::from_secs(6), "{key} {took:?}");
            }
            "failing" => {
                assert!(outcome.is_err() && took < Duration::from_secs(6), "{key} {took:?}");
            }
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
