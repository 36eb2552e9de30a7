//! Programs and their groups, from start to end.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use std::os::unix::process::ExitStatusExt;

use callsign_wire::process::{Patience, Process, Program, StartError};
use callsign_wire::{Bounds, Closed, Connection, Inbound};
use tokio::io::{AsyncBufReadExt, BufReader};

const PATIENCE: Patience =
    Patience { leave: Duration::from_millis(200), terminate: Duration::from_millis(200) };

fn shell(script: &str) -> Program {
    Program {
        command: "sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into()), ("ONLY".into(), "this".into())],
        directory: None,
    }
}

/// Starts a script whose first line of output is the id of a process below it.
async fn start(script: &str) -> (Process, BufReader<tokio::process::ChildStdout>, String) {
    let (process, (_stdin, stdout)) = Process::start(&shell(script)).unwrap();
    let mut stdout = BufReader::new(stdout);
    let mut id = String::new();
    stdout.read_line(&mut id).await.unwrap();
    (process, stdout, id.trim().to_owned())
}

async fn is_gone(id: &str) -> bool {
    // A bound on hanging, not a measure.
    for _ in 0..1500 {
        let output =
            std::process::Command::new("ps").args(["-o", "stat=", "-p", id]).output().unwrap();
        let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        if state.is_empty() || state.starts_with('Z') {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test]
async fn the_environment_is_exactly_what_was_given() {
    let (_process, mut stdout, _) =
        start("echo; env | grep -v '^PWD=\\|^_=\\|^SHLVL='; exit 7").await;
    let mut variables = Vec::new();
    let mut line = String::new();
    while stdout.read_line(&mut line).await.unwrap() > 0 {
        variables.push(std::mem::take(&mut line).trim().to_owned());
    }
    variables.sort();
    assert_eq!(variables, ["ONLY=this", "PATH=/usr/bin:/bin"]);
}

#[tokio::test]
async fn how_a_program_ended_and_its_last_words_are_known() {
    let (mut process, _stdout, _) = start("echo; echo last words >&2; exit 7").await;
    assert_eq!(process.exited(Duration::from_secs(5)).await.unwrap().code(), Some(7));
    assert_eq!(process.stderr_mut().settled(Duration::from_secs(5)).await, "last words\n");
}

#[tokio::test]
async fn what_a_launcher_leaves_behind_is_ended_too() {
    let (process, _stdout, below) = start("sleep 600 & echo $!").await;
    process.end(PATIENCE).await;
    assert!(is_gone(&below).await);
}

/// The leader's id stays reserved while it is not collected, so the group can be ended whoever asked how it ended.
#[tokio::test]
async fn what_a_launcher_leaves_behind_is_ended_though_its_end_has_been_seen() {
    for end in [true, false] {
        let (mut process, _stdout, below) = start("sleep 600 & echo $!; exit 3").await;
        assert_eq!(process.exited(Duration::from_secs(30)).await.unwrap().code(), Some(3));
        assert_eq!(process.exited(Duration::ZERO).await.unwrap().code(), Some(3), "and again");
        if end {
            assert_eq!(process.end(PATIENCE).await.unwrap().code(), Some(3));
        } else {
            drop(process);
        }
        assert!(is_gone(&below).await, "{end}");
    }
}

#[tokio::test]
async fn who_ignores_every_request_to_leave_is_killed_in_the_end() {
    let deaf = "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $!; while :; do sleep 1; done";
    let (process, _stdout, below) = start(deaf).await;
    let status = process.end(PATIENCE).await.unwrap();
    assert_eq!(status.signal(), Some(9), "nothing else ended it");
    assert!(is_gone(&below).await);
}

#[tokio::test]
async fn dropping_a_process_kills_its_group() {
    let (process, _stdout, below) = start("sleep 600 & echo $!; wait").await;
    drop(process);
    assert!(is_gone(&below).await);
}

#[tokio::test]
async fn what_can_not_be_started_says_why() {
    let mut program = shell("");
    program.command = "no-such-program-9f2".into();
    assert!(
        matches!(Process::start(&program), Err(StartError::NotFound(name)) if name == "no-such-program-9f2")
    );
    program.command = "/".into();
    assert!(matches!(Process::start(&program), Err(StartError::Refused { .. })));
    program.directory = Some("/no/such/directory".into());
    assert!(matches!(Process::start(&program), Err(StartError::NoDirectory(_))));
}

#[tokio::test]
async fn the_end_of_a_program_ends_its_connection() {
    let (_process, (stdin, stdout)) = Process::start(&shell("read line; exit 0")).unwrap();
    let connection = Connection::over_lines(stdout, stdin, Inbound::Refuse, Bounds::default());
    let (answer, reason) = tokio::join!(connection.request("x", None), connection.ended());
    assert!(answer.is_err());
    assert_eq!(reason, Closed::Ended);
    assert_eq!(connection.closed(), Some(Closed::Ended));
}
