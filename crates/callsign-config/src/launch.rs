//! How a server is started or reached, as it is written: nothing is expanded here (that is `expand.rs`).

use std::borrow::Cow;
use std::fmt;

use crate::consent;
use crate::error::escaped;
use crate::secret::{Secret, shown_address, shown_arguments};

/// What an entry says about starting or reaching its server, variables unexpanded.
///
/// `Debug` shows neither environment values nor headers, nor what looks like a secret in arguments and addresses.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// The program.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables set for it, in order.
    pub env: Vec<(String, Secret)>,
    /// A file of more environment variables.
    pub env_file: Option<String>,
    /// The folder it starts in.
    pub cwd: Option<String>,
    /// The address of a remote server.
    pub url: Option<String>,
    /// Headers sent with every request, in order.
    pub headers: Vec<(String, Secret)>,
}

impl Launch {
    /// Whether another folder to start in could make it another program: the command or an argument is a relative path, or
    /// the command runs what the folder says (`npm start`, `make`, `python -m`). In doubt it could.
    #[must_use]
    pub fn depends_on_folder(&self) -> bool {
        let Some(command) = &self.command else { return false };
        let name = command.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
        let name = name.strip_suffix(".exe").or(name.strip_suffix(".cmd")).unwrap_or(&name);
        let fetches = PACKAGE_RUNNERS.contains(&name);
        let is_bare = !command.contains(['/', '\\']);
        !is_bare && !is_absolute(command)
            || SCRIPT_RUNNERS.contains(&name)
            || self.args.iter().any(|argument| is_of_folder(argument, fetches))
    }

    /// One line for people: the command with its arguments, or the address, with `***` for what looks like a secret and
    /// escapes for what can't be seen or would steer a terminal.
    #[must_use]
    pub fn shown(&self) -> String {
        let command = self.command.iter().map(|command| command.as_str().into());
        let words = command.chain(shown_arguments(&self.args));
        one_line(words.chain(self.url.iter().map(|url| shown_address(url))))
    }

    /// As [`shown`](Self::shown), for somebody who has to decide whether this may run. Hidden is only what can be nothing
    /// but a value: no script, no path and nothing that a shell would take for more than one word.
    #[must_use]
    pub fn shown_for_consent(&self) -> String {
        let program = self.command.as_deref().unwrap_or_default();
        let command = self.command.iter().map(|command| command.as_str().into());
        let words = command.chain(consent::arguments(program, &self.args));
        one_line(words.chain(self.url.iter().map(|url| shown_address(url))))
    }
}

fn one_line<'a>(words: impl Iterator<Item = Cow<'a, str>>) -> String {
    let quoted = words.map(|word| match word.is_empty() || word.contains(char::is_whitespace) {
        true => format!("\"{}\"", escaped(&word)),
        false => escaped(&word),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// They run what the folder's own files say.
const SCRIPT_RUNNERS: [&str; 22] = [
    "bundle", "cargo", "composer", "dotnet", "go", "gradle", "gradlew", "hatch", "just", "make",
    "mvn", "npm", "nx", "pdm", "pipenv", "pnpm", "poetry", "rake", "rye", "task", "turbo", "yarn",
];

/// They fetch what they run by its name, which may have `/` in it.
const PACKAGE_RUNNERS: [&str; 6] = ["bunx", "docker", "npx", "pipx", "podman", "uvx"];

/// How files end that are run or read.
const FILE_ENDINGS: [&str; 15] = [
    ".cjs", ".env", ".exe", ".jar", ".js", ".json", ".mjs", ".php", ".pl", ".py", ".rb", ".sh",
    ".toml", ".ts", ".yaml",
];

/// Whether an argument may mean something else in another folder.
fn is_of_folder(argument: &str, is_package: bool) -> bool {
    if argument == "-m"
        || argument.contains("${workspaceFolder")
        || argument.contains("--directory")
    {
        return true;
    }
    let value = match argument.strip_prefix('-') {
        Some(option) => option.split_once('=').map_or("", |(_, value)| value),
        None => argument,
    };
    let is_path = value.contains(['/', '\\']) && !is_package && !value.starts_with('@');
    let looks_relative = matches!(value, "." | "..")
        || ["./", "../", ".\\", "..\\"].iter().any(|start| value.starts_with(start))
        || FILE_ENDINGS.iter().any(|ending| value.ends_with(ending))
        || value.contains(char::is_whitespace)
        || is_path;
    looks_relative && !is_absolute(value) && !value.contains("://")
}

/// By the rules of any system: a file may be written on one and checked on another.
fn is_absolute(path: &str) -> bool {
    let mut characters = path.chars();
    match (characters.next(), characters.next(), characters.next()) {
        (Some('/' | '\\' | '~'), ..) => true,
        (Some(drive), Some(':'), Some('/' | '\\')) => drive.is_ascii_alphabetic(),
        _ => path.starts_with("${userHome}") || path.starts_with("${HOME}"),
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("launch", &self.shown())
            .field("env", &self.env)
            .field("env_file", &self.env_file)
            .field("cwd", &self.cwd)
            .field("headers", &self.headers)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(command: &str, args: &[&str], token: &str) -> Launch {
        Launch {
            command: Some(command.into()),
            args: args.iter().map(ToString::to_string).collect(),
            env: vec![("TOKEN".into(), Secret::new(token))],
            ..Launch::default()
        }
    }

    #[test]
    fn some_programs_are_others_in_another_folder() {
        for (command, args) in [
            ("npm", &["start"][..]),
            ("C:\\node\\npm.cmd", &["run", "mcp"]),
            ("./server", &[]),
            ("bin\\server.exe", &[]),
            ("python3", &["server.py"]),
            ("python3", &["-m", "server"]),
            ("node", &["."]),
            ("node", &["build/index"]),
            ("uvx", &["--from", "./pkg", "server"]),
            ("npx", &["server", "--config=../x"]),
            ("x", &["${workspaceFolder}"]),
            ("sh", &["-c", "exec server"]),
        ] {
            assert!(launch(command, args, "").depends_on_folder(), "{command} {args:?}");
        }
        for (command, args) in [
            ("npx", &["-y", "@scope/server"][..]),
            ("docker", &["run", "-i", "registry/image"]),
            ("/usr/bin/server", &["--stdio"]),
            ("python3", &["/srv/server.py"]),
            ("node", &["C:\\srv\\server.js"]),
            ("npx", &["mcp-remote", "https://h.example/mcp"]),
        ] {
            assert!(!launch(command, args, "").depends_on_folder(), "{command} {args:?}");
        }
        let remote = Launch { url: Some("https://h.example/./x".into()), ..Launch::default() };
        assert!(!remote.depends_on_folder());
    }

    #[test]
    fn what_is_shown_to_people_cannot_steer_their_terminal() {
        let launch = launch("C:\\x.exe", &["a b", "", "\u{1b}[2K\u{202e}x", "it's"], "1");
        assert_eq!(launch.shown(), r#"C:\x.exe "a b" "" \u{1b}[2K\u{202e}x it's"#);
    }

    #[test]
    fn debug_shows_no_secret() {
        let mut launch = launch("npx", &["--token", "s3cret", "--key=s3cret"], "s3cret");
        launch.url = Some("https://u:s3cret@h/p?s3cret".into());
        launch.headers = vec![("X".into(), Secret::new("s3cret"))];
        let debug = format!("{launch:?} {launch:#?}");
        assert!(!debug.contains("s3cret"), "{debug}");
    }
}
