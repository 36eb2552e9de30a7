//! Servers that don't go, crash and come back, or say secrets: nothing of them stays behind, on the machine or in a text.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic)]

mod kit;

use std::path::Path;
use std::time::Duration;

use callsign_mcp::{FetchError, Limits, Memory, Note, Session, Stage, fetch, fetch_all};
use futures_util::StreamExt;
use kit::{id_in, is_gone, names, raw, stdio, stdio_with, texts_in, unless_hung};

const SECRET: &str = "correct-horse-battery-staple";

/// What makes a server stay, one by one and all at once.
const STUBBORN: [&[&str]; 4] = [
    &["--lingers"],
    &["--ignore-sigterm"],
    &["--child-holds-stdout"],
    &["--lingers", "--ignore-sigterm", "--child-holds-stdout"],
];

#[tokio::test]
async fn whatever_makes_a_server_stay_its_whole_group_is_gone_after_a_fetch() {
    let ends: [(&[&str], bool); 7] = [
        (&["--era", "legacy"], false),
        (&["--era", "modern"], false),
        (&["--era", "exits-on-discover"], false),
        (&["--exit-at", "list"], true),
        (&["--never-answer", "list"], true),
        (&["--never-answer", "all"], true),
        (&["--huge-line", "1100000:list"], true),
    ];
    let tries =
        STUBBORN.into_iter().flat_map(|stubborn| ends.map(|(end, fails)| (stubborn, end, fails)));
    let tried = futures_util::stream::iter(tries).map(|(stubborn, end, fails)| async move {
        let folder = tempfile::tempdir().unwrap();
        let child = folder.path().join("child");
        let child_file = child.display().to_string();
        let flags = [&["--spawn-child", &child_file], stubborn, end].concat();
        let start = if fails { Duration::from_secs(3) } else { Duration::from_secs(20) };
        let limits = Limits { start, message_bytes: 1024 * 1024, ..Limits::default() };
        let outcome = unless_hung(fetch(&stdio("s", &flags), &limits, &Memory::none())).await;
        let what = format!("{stubborn:?} {end:?} {outcome:?}");
        assert_eq!(outcome.is_err(), fails, "{what}");
        assert!(is_gone(&id_in(&child).await).await, "{what}");
    });
    assert_eq!(tried.buffer_unordered(6).count().await, 28);
}

#[tokio::test]
async fn closing_and_dropping_a_session_end_the_whole_group() {
    for close in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        let child = folder.path().join("child");
        let flags = ["--ignore-sigterm", "--spawn-child", &child.display().to_string()];
        let spec = stdio("s", &flags);
        let session = Session::open(&spec, &Limits::default(), &Memory::none()).await.unwrap();
        session.call(&"echo".parse().unwrap(), &raw("{}")).await.unwrap();
        if close {
            unless_hung(session.close()).await;
        } else {
            drop(session);
        }
        assert!(is_gone(&id_in(&child).await).await, "closed: {close}");
    }
}

#[tokio::test]
async fn dropping_the_work_on_a_fleet_ends_every_group() {
    let folder = tempfile::tempdir().unwrap();
    let child = |n: usize| folder.path().join(format!("child{n}"));
    let specs: Vec<_> = (0..4)
        .map(|n| {
            let hang = ["all", "initialize", "list", "call"][n];
            let child = child(n).display().to_string();
            let flags = ["--never-answer", hang, "--ignore-sigterm", "--spawn-child", &child];
            stdio(&format!("s{n}"), &flags)
        })
        .collect();
    let (limits, memory) = (Limits::default(), Memory::none());
    {
        let nothing = |_: callsign_mcp::Progress<'_>| {};
        let mut work = Box::pin(fetch_all(&specs, &limits, &memory, &nothing));
        let all_started = async {
            for n in 0..4 {
                id_in(&child(n)).await;
            }
        };
        tokio::select! {
            _ = &mut work => panic!("three of them never end"),
            () = all_started => {}
        }
    }
    for n in 0..4 {
        assert!(is_gone(&id_in(&child(n)).await).await, "{n}");
    }
}

#[tokio::test]
async fn a_server_that_crashed_once_is_fetched_the_next_time() {
    for (when, stage) in [
        ("list", Some(Stage::Listing { list: "tools", page: 1 })),
        ("initialize", None),
        ("start", None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let once = folder.path().join("crashed").display().to_string();
        let memory = Memory::at(folder.path().join("memory"));
        let spec = stdio("s", &["--exit-at", when, "--exit-once", &once]);
        let first = fetch(&spec, &Limits::default(), &memory).await;
        match (stage, first) {
            (Some(stage), Err(FetchError::ExitedEarly { stage: at, .. })) => assert_eq!(stage, at),
            // It may have been the probe that it ended at, so it was tried without.
            (None, Ok(fetched)) => assert_eq!(fetched.notes, [Note::Restarted]),
            (_, other) => panic!("{when}: {other:?}"),
        }
        let second = fetch(&spec, &Limits::default(), &memory).await.unwrap();
        assert_eq!((names(&second), &second.notes[..]), (vec!["echo"], &[][..]));
    }
}

#[tokio::test]
async fn a_secret_is_masked_wherever_a_server_writes_it() {
    let folder = tempfile::tempdir().unwrap();
    let env = [("KIT_TOKEN", SECRET)];
    let word = format!("password is {SECRET}");
    let limits = Limits { start: Duration::from_secs(3), ..Limits::default() };
    let short = Limits { call: Duration::from_millis(300), ..Limits::default() };
    for ends in [
        &["--exit-at", "start"][..],
        &["--exit-at", "list"],
        &["--never-answer", "all"],
        &["--never-answer", "list"],
        &["--broken-answer", "no-result"],
        &["--exit-at", "initialize"],
    ] {
        let memory = Memory::at(folder.path());
        let flags = [&["--stderr-env", "KIT_TOKEN", "--stderr", &word], ends].concat();
        let spec = stdio_with("s", &flags, &env);
        let error = fetch(&spec, &limits, &memory).await.unwrap_err();
        let evidence = error.evidence().unwrap_or_else(|| panic!("{error:?}"));
        if ends != ["--exit-at", "start"] {
            assert!(evidence.stderr.contains("***"), "{ends:?} {error:?}");
        }
        let remedy = error.remedy();
        assert!(!format!("{error} {error:?} {error:#?} {remedy} {spec:?}").contains(SECRET));
    }
    let flags = ["--stderr-env", "KIT_TOKEN", "--never-answer", "call"];
    let spec = stdio_with("s", &flags, &env);
    let session = Session::open(&spec, &short, &Memory::at(folder.path())).await.unwrap();
    let error = session.call(&"echo".parse().unwrap(), &raw("{}")).await.unwrap_err();
    assert!(!format!("{error} {error:?} {session:?}").contains(SECRET));
    session.close().await;
    leaves_no_secret(folder.path());
}

#[tokio::test]
async fn a_catalogue_that_repeats_a_secret_is_given_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::at(folder.path());
    let words = format!("Use {SECRET} here.");
    let spec = stdio_with("s", &["--instructions", &words], &[("KIT_TOKEN", SECRET)]);
    let fetched = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert_eq!(fetched.catalogue.instructions(), Some(words.as_str()));
    let [note @ Note::NotRemembered { .. }] = &fetched.notes[..] else { panic!("{fetched:?}") };
    assert!(note.to_string().contains("repeats a secret") && !note.to_string().contains(SECRET));
    assert!(memory.catalogue(&spec).is_none());
    leaves_no_secret(folder.path());
}

fn leaves_no_secret(folder: &Path) {
    let texts = texts_in(folder);
    assert!(texts.contains(".era.json"), "something was kept: {texts}");
    assert!(!texts.contains(SECRET) && !texts.contains("KIT_TOKEN"), "{texts}");
}

/// Variables may stand in arguments, and servers print those.
#[tokio::test]
async fn a_secret_in_an_argument_is_neither_shown_nor_kept() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::at(folder.path());
    let words = format!("Started with {SECRET}.");
    let mut spec = stdio("s", &["--instructions", &words, "--stderr", &words]);
    spec.secrets = vec![callsign_mcp::Secret::new(SECRET)];
    let fetched = fetch(&spec, &Limits::default(), &memory).await.unwrap();
    assert!(matches!(&fetched.notes[..], [Note::NotRemembered { .. }]), "{:?}", fetched.notes);
    let failing = ["--stderr", &words, "--exit-at", "list", "--name", SECRET];
    let mut spec = stdio("s", &failing);
    spec.secrets = vec![callsign_mcp::Secret::new(SECRET)];
    let error = fetch(&spec, &Limits::default(), &memory).await.unwrap_err();
    assert!(error.evidence().unwrap().stderr.contains("Started with ***"), "{error:?}");
    assert!(!format!("{error:?} {spec:?}").contains(SECRET));
    assert!(!texts_in(folder.path()).contains(SECRET));
}

/// What a program wrote on its standard error explains every failure of one that ran.
#[tokio::test]
async fn every_failure_of_a_server_that_ran_comes_with_its_last_words() {
    let limits = Limits {
        start: Duration::from_secs(20),
        pages: 3,
        message_bytes: 64 * 1024,
        ..Limits::default()
    };
    type Fails = (&'static [&'static str], fn(&FetchError) -> bool);
    let fails: [Fails; 5] = [
        (&["--malformed-list", "no-tools"], |error| matches!(error, FetchError::NotAList { .. })),
        (&["--endless-cursor"], |error| matches!(error, FetchError::TooMuch { .. })),
        (&["--page-size", "1", "--repeat-cursor", "--tools", "a,b,c"], |error| {
            matches!(error, FetchError::RepeatedCursor { .. })
        }),
        (&["--huge-line", "70000:list"], |error| {
            matches!(error, FetchError::MessageTooLong { .. })
        }),
        (&["--protocol", "1999-01-01"], |error| {
            matches!(error, FetchError::NoCommonRevision { .. })
        }),
    ];
    for (flags, is_expected) in fails {
        let flags = [&["--stderr", "the disk is full", "--junk", "1"], flags].concat();
        let error = fetch(&stdio("s", &flags), &limits, &Memory::none()).await.unwrap_err();
        assert!(is_expected(&error), "{flags:?} {error:?}");
        let evidence = error.evidence().unwrap_or_else(|| panic!("{error:?}"));
        assert!(evidence.stderr.contains("the disk is full"), "{flags:?} {error:?}");
        assert!(evidence.junk_lines > 0, "{flags:?} {error:?}");
    }
}
