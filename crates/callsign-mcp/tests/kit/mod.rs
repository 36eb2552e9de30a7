//! The misbehaving server, as an entry to be started over stdio or as a process reached by HTTP.
#![allow(dead_code, unreachable_pub)]

use std::fmt::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use callsign_mcp::{Fetched, Launch, Secret, ServerSpec};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// Work that takes longer than this hangs. No measure: how long something takes depends on what else the machine does.
const HANG: Duration = Duration::from_secs(60);

/// What the work gives, if it ends at all.
pub async fn unless_hung<T>(work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(HANG, work).await {
        Ok(outcome) => outcome,
        Err(_) => panic!("it hangs"),
    }
}

/// A server and how it is reached. One reached by HTTP ends with this.
pub struct Kit {
    pub spec: ServerSpec,
    _process: Option<Child>,
}

fn arguments(flags: &[&str]) -> Vec<String> {
    std::iter::once("serve").chain(flags.iter().copied()).map(str::to_owned).collect()
}

/// An entry whose program is the test server with these flags.
pub fn stdio(key: &str, flags: &[&str]) -> ServerSpec {
    stdio_with(key, flags, &[])
}

/// The same with variables in its environment.
pub fn stdio_with(key: &str, flags: &[&str], env: &[(&str, &str)]) -> ServerSpec {
    let command = callsign_testkit::server_binary().to_str().unwrap().to_owned();
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), Secret::new(*value))).collect();
    let launch = Launch::Stdio { command, args: arguments(flags), env, cwd: None };
    ServerSpec { key: key.parse().unwrap(), launch, secrets: Vec::new() }
}

/// A running test server with these flags, reached by HTTP.
pub async fn http(key: &str, flags: &[&str]) -> Kit {
    http_at(key, flags, "127.0.0.1:0").await
}

/// The same at this address. One that was in use a moment ago may take a few tries.
pub async fn http_at(key: &str, flags: &[&str], address: &str) -> Kit {
    for _ in 0..50 {
        if let Some(kit) = try_http(key, flags, address).await {
            return kit;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no server at {address}");
}

async fn try_http(key: &str, flags: &[&str], address: &str) -> Option<Kit> {
    let mut process = Command::new(callsign_testkit::server_binary())
        .args(arguments(flags))
        .args(["--http", address])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).await.unwrap();
    if url.is_empty() {
        return None;
    }
    let launch = Launch::Http { url: url.trim().to_owned(), headers: Vec::new() };
    Some(Kit {
        spec: ServerSpec { key: key.parse().unwrap(), launch, secrets: Vec::new() },
        _process: Some(process),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    Stdio,
    Http,
}

/// A server over either transport.
pub async fn kit(over: Over, flags: &[&str]) -> Kit {
    match over {
        Over::Stdio => Kit { spec: stdio("s", flags), _process: None },
        Over::Http => http("s", flags).await,
    }
}

/// Fails with every row that went wrong: its name, how it was tried, and why.
pub fn tell(wrong: &[(&str, Over, &str, String)]) {
    let mut report = String::new();
    for (name, over, era, why) in wrong {
        writeln!(report, "\n- {name} ({over:?}, {era}): {why}").unwrap();
    }
    assert!(wrong.is_empty(), "{} went wrong:{report}", wrong.len());
}

pub fn names(fetched: &Fetched) -> Vec<&str> {
    fetched.catalogue.tools().iter().map(|tool| tool.wire().as_str()).collect()
}

pub fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// Every text in a folder and those below it.
pub fn texts_in(folder: &Path) -> String {
    let mut texts = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        texts += &path.display().to_string();
        texts += &if path.is_dir() {
            texts_in(&path)
        } else {
            String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned()
        };
    }
    texts
}

/// The process id in a file, once it is there.
pub async fn id_in(file: &Path) -> String {
    for _ in 0..1500 {
        if let Ok(id) = std::fs::read_to_string(file) {
            return id;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("no process wrote {}", file.display());
}

/// Whether the process with this id is no more (or a zombie that nobody has collected yet), waiting for that for half a minute.
#[cfg(unix)]
pub async fn is_gone(id: &str) -> bool {
    for _ in 0..1500 {
        let listed = std::process::Command::new("ps").args(["-o", "stat=", "-p", id]).output();
        let state = String::from_utf8_lossy(&listed.unwrap().stdout).trim().to_owned();
        if state.is_empty() || state.starts_with('Z') {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}
