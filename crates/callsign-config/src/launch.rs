//! How a server is started or reached, as it is written: nothing is expanded here (that is `expand.rs`).

use std::borrow::Cow;
use std::fmt;

use sha2::{Digest, Sha256};

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

/// What makes two launches the same server: the command with its arguments, or the address, as written.
///
/// Compare and hash it to find one server under two keys (CS007). Environment and headers are no part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Target<'a> {
    /// A program and its arguments.
    Command(&'a str, &'a [String]),
    /// An address.
    Url(&'a str),
}

impl Launch {
    /// What is launched or reached; `None` if the entry says neither or both.
    #[must_use]
    pub fn target(&self) -> Option<Target<'_>> {
        match (&self.command, &self.url) {
            (Some(command), None) => Some(Target::Command(command, &self.args)),
            (None, Some(url)) => Some(Target::Url(url)),
            _ => None,
        }
    }

    /// Whether both name one [target](Self::target).
    #[must_use]
    pub fn same_target(&self, other: &Self) -> bool {
        self.target().is_some() && self.target() == other.target()
    }

    /// Whether environment (with its file), headers and folder are equal too; says nothing about their values.
    #[must_use]
    pub fn same_surroundings(&self, other: &Self) -> bool {
        (&self.env, &self.env_file, &self.headers, &self.cwd)
            == (&other.env, &other.env_file, &other.headers, &other.cwd)
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

impl Target<'_> {
    /// SHA-256 over the target's parts, each preceded by its length: 64 hex digits that give nothing away.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        let mut add = |part: &str| {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        };
        match self {
            Target::Command(command, args) => {
                add("command");
                add(command);
                args.iter().for_each(|arg| add(arg));
            }
            Target::Url(url) => {
                add("url");
                add(url);
            }
        }
        hex(&hash.finalize())
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
    fn the_same_server_is_known_by_command_and_arguments_whatever_its_environment() {
        let (a, b) = (launch("npx", &["-y", "x"], "1"), launch("npx", &["-y", "x"], "2"));
        assert!(a.same_target(&b) && !a.same_surroundings(&b));
        assert!(!a.same_target(&launch("npx", &["-y x"], "1")));
        assert!(!Launch::default().same_target(&Launch::default()), "no target equals nothing");
        let fingerprints = [&a, &b].map(|l| l.target().unwrap().fingerprint());
        assert_eq!(fingerprints[0], fingerprints[1]);
        let other = launch("npx", &["-y x"], "1");
        assert_ne!(fingerprints[0], other.target().unwrap().fingerprint());
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
