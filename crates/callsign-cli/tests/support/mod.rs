//! What the tests of the command share: a place of its own for each test, and runs of the program that can't hang.
//!
//! Nothing of the machine is read or written: home, state and cache are folders of the test's own, and the environment is
//! empty but for what the system itself needs.

#![allow(dead_code, reason = "each test file is a crate of its own and uses what it needs of this")]

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest life of one run of the program. Only a hang comes near it.
const LIMIT: Duration = Duration::from_secs(60);

/// A folder of one test, and the program run in it.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = TempDir::with_prefix("callsign-test-").expect("a temporary folder");
        let sandbox = Self { folder };
        for name in ["home", "state", "cache", "work"] {
            std::fs::create_dir(sandbox.path(name)).expect("a folder");
        }
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file into the folder that the program runs in.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("work").join(name);
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// Writes `servers.json`, a configuration with these servers in this order.
    pub(crate) fn servers(&self, servers: &[(&str, Value)]) {
        let entries: Vec<String> =
            servers.iter().map(|(key, entry)| format!("    {}: {entry}", json!(key))).collect();
        let text = format!("{{\n  \"mcpServers\": {{\n{}\n  }}\n}}\n", entries.join(",\n"));
        self.write("servers.json", text);
    }

    /// A run of the program in the folder of the test.
    pub(crate) fn callsign<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Run {
        self.program(env!("CARGO_BIN_EXE_callsign"), arguments)
    }

    /// A run of any program in the folder of the test.
    pub(crate) fn program<S: AsRef<OsStr>>(
        &self,
        program: &str,
        arguments: impl IntoIterator<Item = S>,
    ) -> Run {
        let mut command = Command::new(program);
        command.args(arguments);
        self.dress(&mut command);
        Run { command, input: Vec::new() }
    }

    /// As [`Self::callsign`], with the arguments in one text and `--config servers.json` added.
    pub(crate) fn configured(&self, arguments: &str) -> Run {
        let own = ["--config", "servers.json"];
        self.callsign(arguments.split_whitespace().chain(own))
    }

    /// Gives any command the test's folders and nothing else of the environment.
    pub(crate) fn dress(&self, command: &mut Command) {
        command.env_clear().current_dir(self.path("work"));
        for name in ["PATH", "SystemRoot", "PATHEXT", "TEMP", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let folders = [
            ("HOME", "home"),
            ("USERPROFILE", "home"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CACHE_HOME", "cache"),
            ("LOCALAPPDATA", "state"),
        ];
        for (name, folder) in folders {
            command.env(name, self.path(folder));
        }
    }

    /// What a server recorded with `--record NAME`: raw lines; `None` if it was never started.
    pub(crate) fn recorded(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.path(name)).ok()
    }

    /// All files below the folders of state and cache, by content.
    pub(crate) fn remembered(&self) -> String {
        let mut text = String::new();
        for name in ["state", "cache", "home"] {
            collect(&self.path(name), &mut text);
        }
        text
    }
}

fn collect(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        text.push_str(&path.to_string_lossy());
        if path.is_dir() {
            collect(&path, text);
        } else {
            text.push_str(&String::from_utf8_lossy(&std::fs::read(&path).expect("a file")));
        }
    }
}

/// The entry of a test server with these flags.
pub(crate) fn server<S: AsRef<str>>(flags: impl IntoIterator<Item = S>) -> Value {
    let flags = flags.into_iter().map(|flag| Value::from(flag.as_ref()));
    let arguments: Vec<Value> = std::iter::once(Value::from("serve")).chain(flags).collect();
    json!({"command": callsign_testkit::server_binary(), "args": arguments})
}

/// A test server with these flags that speaks HTTP. It ends with the value.
pub(crate) struct HttpServer {
    child: Child,
    pub(crate) url: String,
}

impl HttpServer {
    pub(crate) fn start(flags: &[&str]) -> Self {
        let mut child = Command::new(callsign_testkit::server_binary())
            .args(["serve", "--http", "127.0.0.1:0", "--longest-life", "120"])
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut url = String::new();
        BufReader::new(child.stdout.take().expect("stdout")).read_line(&mut url).expect("a line");
        Self { child, url: url.trim().to_owned() }
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until `done` gives something, and fails if it does not for a long time.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, mut done: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = done() {
            return value;
        }
        assert!(begun.elapsed() < LIMIT / 4, "waited for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// One run of the program, before it starts.
pub(crate) struct Run {
    command: Command,
    input: Vec<u8>,
}

impl Run {
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn input(mut self, text: impl AsRef<[u8]>) -> Self {
        text.as_ref().clone_into(&mut self.input);
        self
    }

    pub(crate) fn here(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Outcome {
        self.start().end()
    }

    pub(crate) fn start(mut self) -> Running {
        let shown = format!("{:?}", self.command.get_args().collect::<Vec<_>>());
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("stdin");
        let input = self.input;
        // A program that does not read its input closes it; that is its right.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
        let stdout = reading(child.stdout.take().expect("stdout"));
        let stderr = reading(child.stderr.take().expect("stderr"));
        Running { child, stdout, stderr, shown, begun: Instant::now() }
    }
}

fn reading(mut stream: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("output can be read");
        bytes
    })
}

/// One run of the program, under way.
pub(crate) struct Running {
    child: Child,
    stdout: JoinHandle<Vec<u8>>,
    stderr: JoinHandle<Vec<u8>>,
    shown: String,
    begun: Instant,
}

impl Running {
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the end of the program, and of everything that holds its output.
    pub(crate) fn end(mut self) -> Outcome {
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if self.begun.elapsed() > LIMIT {
                let _ = self.child.kill();
                panic!("callsign {} did not end", self.shown);
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let text = |thread: JoinHandle<Vec<u8>>| {
            String::from_utf8(thread.join().expect("a reader")).expect("output is UTF-8")
        };
        Outcome {
            status: status.code(),
            elapsed: self.begun.elapsed(),
            stdout: text(self.stdout),
            stderr: text(self.stderr),
            shown: self.shown,
        }
    }
}

/// What a run of the program gave.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// `None` if a signal ended it.
    pub(crate) status: Option<i32>,
    pub(crate) elapsed: Duration,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    shown: String,
}

impl Outcome {
    /// Fails unless the program ended with this status.
    #[track_caller]
    pub(crate) fn exits(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "{self}");
        self
    }

    /// Fails unless standard output holds each of these.
    #[track_caller]
    pub(crate) fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stdout.contains(word), "no {word:?} on stdout of {self}");
        }
        self
    }

    /// Fails unless standard error holds each of these.
    #[track_caller]
    pub(crate) fn warns(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "no {word:?} on stderr of {self}");
        }
        self
    }

    /// Fails if there is anything on standard error.
    #[track_caller]
    pub(crate) fn stays_silent(self) -> Self {
        assert_eq!(self.stderr, "", "{self}");
        self
    }

    /// Fails if standard output or standard error hold this.
    #[track_caller]
    pub(crate) fn never_says(self, word: &str) -> Self {
        let both = [&self.stdout, &self.stderr];
        assert!(!both.iter().any(|text| text.contains(word)), "{word:?} in {self}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { status, stdout, stderr, shown, .. } = self;
        write!(f, "callsign {shown}: {status:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n---")
    }
}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("the crate is in crates/").to_owned()
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> OsString {
    root().join(path).into_os_string()
}

/// The entries of a JSON array.
#[track_caller]
pub(crate) fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("not an array: {value}"))
}

/// The texts of a field of every entry of a JSON array.
#[track_caller]
pub(crate) fn column<'a>(rows: &'a Value, field: &str) -> Vec<&'a str> {
    array(rows).iter().map(|row| row[field].as_str().unwrap_or_default()).collect()
}

/// The same numbers every time (xorshift64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `limit`, which is not 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("a number below a usize")
    }
}
