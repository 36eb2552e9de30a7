//! Variables in a launch: what clients put in before they start a server.
//!
//! | written | becomes |
//! |---|---|
//! | `${VAR}`, `${env:VAR}` | the variable's value; unset is an error |
//! | `${VAR:-default}`, `${env:VAR:-default}` | its value, or the default if it is not set (a set but empty one counts) |
//! | `${workspaceFolder}`, `${workspaceFolderBasename}` | the project's folder, its name |
//! | `${userHome}` | the home folder (`HOME`, else `USERPROFILE`) |
//! | `${/}`, `${pathSeparator}` | `/` or `\` |
//! | `${input:ID}` | the value of `CALLSIGN_INPUT_ID`, since callsign can't show a client's prompt; unset is an error |
//! | `${command:…}`, `${config:…}` and other words of clients | an error: only the client knows |
//!
//! Everything else stays as it is: `$VAR`, `$(command)`, backticks and the shell's other `${…}` forms are text and never
//! reach a shell. What a variable holds is not expanded again.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Component, MAIN_SEPARATOR_STR, Path, PathBuf};

use callsign::ServerKey;
use sha2::{Digest, Sha256};

use crate::env_file;
use crate::error::shown;
use crate::launch::{Launch, hex};
use crate::secret::{Secret, secret_parts, secrets_of_address};

/// A launch with its variables put in. Everything in it may hold a secret now, so `Debug` shows nothing of it.
#[derive(Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Expanded {
    /// The program.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Environment variables, those of the environment file first; a later one of a name replaces an earlier.
    pub env: Vec<(String, Secret)>,
    /// The folder to start in, absolute: the entry's own (a relative one is taken from the project's folder), else the
    /// project's. Always set, since a server that starts where the caller happens to be is another one in every folder.
    pub cwd: Option<PathBuf>,
    /// The address.
    pub url: Option<String>,
    /// Headers.
    pub headers: Vec<(String, Secret)>,
    secrets: BTreeSet<String>,
}

impl fmt::Debug for Expanded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Expanded(***)")
    }
}

impl Expanded {
    /// Every text in it that may be a secret, in order: the values of environment, headers and expanded variables, those
    /// of telling arguments, and what an address has before `@`, after `?` or as a token in its path. Short and innocent
    /// ones are among them.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.secrets.iter().map(String::as_str)
    }

    /// SHA-256 over all of it, 64 hex digits: the same digest, the same start in the same folder with the same environment.
    /// The order of variables counts.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        // Every part goes in with its length, and every list with its number, so that no two launches run into one text.
        let mut part = |part: &[u8]| {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        };
        for text in [&self.command, &self.url] {
            part(text.as_deref().map_or("none", |_| "some").as_bytes());
            part(text.as_deref().unwrap_or_default().as_bytes());
        }
        part(self.cwd.as_ref().map(|cwd| cwd.as_os_str().as_encoded_bytes()).unwrap_or_default());
        part(&self.args.len().to_be_bytes());
        self.args.iter().for_each(|arg| part(arg.as_bytes()));
        for pairs in [&self.env, &self.headers] {
            part(&pairs.len().to_be_bytes());
            for (name, value) in pairs {
                part(name.as_bytes());
                part(value.expose().as_bytes());
            }
        }
        hex(&hash.finalize())
    }

    fn keep_secret(&mut self, value: &str) {
        if !value.is_empty() {
            self.secrets.insert(value.to_owned());
        }
    }
}

/// Why a launch can't be used. Names variables, never values.
#[derive(Debug, thiserror::Error)]
#[error("server {}: {cause} in {}; {}", shown(server), shown(field), cause.remedy())]
pub struct ExpandError {
    /// The server.
    pub server: ServerKey,
    /// The field: `args[2]`, `env.TOKEN`, `url`, …
    pub field: String,
    /// What is wrong.
    pub cause: ExpandCause,
}

/// What is wrong with a variable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandCause {
    /// The variable is not set and has no default.
    #[error("environment variable {} is not set", shown(.0))]
    Unset(String),
    /// A value that the client asks its user for.
    #[error("`${{input:{input}}}` is asked for by the client, which callsign can't do")]
    Input {
        /// The prompt's id.
        input: String,
        /// The environment variable that is read instead.
        variable: String,
    },
    /// A variable that only the client can know.
    #[error("`${{{}}}` is known to the client alone", .0.escape_debug())]
    ClientOnly(String),
    /// The environment file can't be read.
    #[error("the environment file can't be read ({0})")]
    EnvFile(std::io::Error),
}

impl ExpandCause {
    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Unset(name) => {
                let name = name.escape_debug();
                format!("set it, or write `${{{name}:-default}}`")
            }
            Self::Input { variable, .. } => format!("set the environment variable `{variable}`"),
            Self::ClientOnly(_) => "write the value, or `${env:NAME}`".into(),
            Self::EnvFile(_) => "create it, or take `envFile` out".into(),
        }
    }
}

/// Variables that are on every machine and no secret on any: to hide them would make messages unreadable.
const PUBLIC: [&str; 14] = [
    "APPDATA",
    "COMPUTERNAME",
    "HOME",
    "HOSTNAME",
    "LANG",
    "LOCALAPPDATA",
    "LOGNAME",
    "PATH",
    "PWD",
    "SHELL",
    "TMPDIR",
    "USER",
    "USERNAME",
    "USERPROFILE",
];

/// Words before a colon that clients give a meaning of their own.
const CLIENT_WORDS: [&str; 8] = [
    "command",
    "config",
    "prompt",
    "secrets",
    "file",
    "extensionInstallFolder",
    "workspaceFolder",
    "inputs",
];

/// Puts the variables into a launch. `variable` gives an environment variable's value; `project` is the project's folder.
///
/// # Errors
/// The first variable that has no value, with server and field; or an environment file that can't be read.
pub(crate) fn expand(
    server: &ServerKey,
    launch: &Launch,
    project: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Expanded, ExpandError> {
    let project = &absolute(project);
    let mut expansion = Expansion { server, project, variable, out: Expanded::default() };
    expansion.run(launch)?;
    Ok(expansion.out)
}

/// The folder that a launch starts in, absolute.
///
/// # Errors
/// If a variable in it has no value.
pub(crate) fn folder(
    server: &ServerKey,
    launch: &Launch,
    project: &Path,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<PathBuf, ExpandError> {
    let project = &absolute(project);
    Expansion { server, project, variable, out: Expanded::default() }.folder(launch)
}

/// A relative folder would mean another one to a server that is started elsewhere. Where `..` is left over, which only the
/// file system can resolve, it does.
fn absolute(project: &Path) -> PathBuf {
    let absolute = std::path::absolute(project).unwrap_or_else(|_| project.to_owned());
    if absolute.components().any(|part| part == Component::ParentDir) {
        return std::fs::canonicalize(&absolute).unwrap_or(absolute);
    }
    absolute
}

struct Expansion<'a> {
    server: &'a ServerKey,
    project: &'a Path,
    variable: &'a dyn Fn(&str) -> Option<String>,
    out: Expanded,
}

impl Expansion<'_> {
    fn run(&mut self, launch: &Launch) -> Result<(), ExpandError> {
        self.out.command = self.optional(launch.command.as_deref(), "command")?;
        for (index, arg) in launch.args.iter().enumerate() {
            let arg = self.text(arg, || format!("args[{index}]"))?;
            self.out.args.push(arg);
        }
        if let Some(file) = self.optional(launch.env_file.as_deref(), "envFile")? {
            self.out.env = env_file::read(&self.project.join(file))
                .map_err(|error| self.error("envFile".into(), ExpandCause::EnvFile(error)))?;
        }
        let env = self.pairs(&launch.env, "env")?;
        self.out.env.extend(env);
        self.out.headers = self.pairs(&launch.headers, "headers")?;
        self.out.cwd = Some(self.folder(launch)?);
        self.out.url = self.optional(launch.url.as_deref(), "url")?;
        let pairs = [self.out.env.as_slice(), self.out.headers.as_slice()].concat();
        pairs.iter().for_each(|(_, value)| self.out.keep_secret(value.expose()));
        let hidden = [
            secret_parts(&self.out.args),
            self.out.url.iter().flat_map(|url| secrets_of_address(url)).collect(),
        ];
        let hidden: Vec<String> = hidden.concat().into_iter().map(str::to_owned).collect();
        hidden.iter().for_each(|value| self.out.keep_secret(value));
        Ok(())
    }

    fn folder(&mut self, launch: &Launch) -> Result<PathBuf, ExpandError> {
        let cwd = self.optional(launch.cwd.as_deref().filter(|cwd| !cwd.is_empty()), "cwd")?;
        Ok(cwd.map_or_else(|| self.project.to_owned(), |cwd| absolute(&self.project.join(cwd))))
    }

    fn optional(&mut self, text: Option<&str>, field: &str) -> Result<Option<String>, ExpandError> {
        text.map(|text| self.text(text, || field.to_owned())).transpose()
    }

    fn pairs(
        &mut self,
        pairs: &[(String, Secret)],
        field: &str,
    ) -> Result<Vec<(String, Secret)>, ExpandError> {
        let mut out = Vec::with_capacity(pairs.len());
        for (name, value) in pairs {
            let value = self.text(value.expose(), || format!("{field}.{name}"))?;
            out.push((name.clone(), Secret::new(value)));
        }
        Ok(out)
    }

    fn text(&mut self, text: &str, field: impl Fn() -> String) -> Result<String, ExpandError> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            // Looking for the brace only where a reference begins keeps this linear.
            let inner = begins_reference(after).then(|| after.split_once('}'));
            match inner {
                Some(Some((inner, behind))) => {
                    let value = self.reference(inner);
                    out.push_str(&value.map_err(|cause| self.error(field(), cause))?);
                    rest = behind;
                }
                Some(None) => {
                    out.push_str("${");
                    rest = after;
                    break;
                }
                None => {
                    out.push_str("${");
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        Ok(out)
    }

    fn error(&self, field: String, cause: ExpandCause) -> ExpandError {
        ExpandError { server: self.server.clone(), field, cause }
    }

    /// The value of what stands between `${` and `}`, where [`begins_reference`] has found a form that clients know.
    fn reference(&mut self, inner: &str) -> Result<String, ExpandCause> {
        match inner {
            "/" | "pathSeparator" => return Ok(MAIN_SEPARATOR_STR.into()),
            "workspaceFolder" => return Ok(self.project.to_string_lossy().into_owned()),
            "workspaceFolderBasename" => {
                let name = self.project.file_name().unwrap_or_default();
                return Ok(name.to_string_lossy().into_owned());
            }
            "userHome" => return self.home(),
            _ => {}
        }
        let (name, default) = match inner.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inner, None),
        };
        match name.split_once(':') {
            None => self.value(name, default),
            Some(("env", name)) => self.value(name, default),
            Some(("input", id)) => self.input(id),
            Some(_) => Err(ExpandCause::ClientOnly(inner.into())),
        }
    }

    fn value(&mut self, name: &str, default: Option<&str>) -> Result<String, ExpandCause> {
        match ((self.variable)(name), default) {
            (Some(value), _) => {
                if !PUBLIC.contains(&name) {
                    self.out.keep_secret(&value);
                }
                Ok(value)
            }
            (None, Some(default)) => Ok(default.into()),
            (None, None) => Err(ExpandCause::Unset(name.into())),
        }
    }

    fn home(&self) -> Result<String, ExpandCause> {
        let home = (self.variable)("HOME").or_else(|| (self.variable)("USERPROFILE"));
        home.ok_or_else(|| ExpandCause::Unset("HOME".into()))
    }

    fn input(&mut self, id: &str) -> Result<String, ExpandCause> {
        let spelled: String = id
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
            .collect();
        let variable = format!("CALLSIGN_INPUT_{spelled}");
        self.value(&variable, None).map_err(|_| ExpandCause::Input { input: id.into(), variable })
    }
}

/// Whether what follows `${` begins a form that clients know: a variable's name and then the end, a default, or what a
/// client's own word is about. Anything else is text.
fn begins_reference(after: &str) -> bool {
    let name = after.bytes().take_while(|&b| b == b'_' || b.is_ascii_alphanumeric()).count();
    let (name, rest) = after.split_at(name);
    let word = || name == "env" || name == "input" || CLIENT_WORDS.contains(&name);
    match name.bytes().next() {
        None => rest.starts_with("/}"),
        Some(first) if first.is_ascii_digit() => false,
        Some(_) => {
            rest.starts_with('}') || rest.starts_with(":-") || rest.starts_with(':') && word()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Option<String> {
        match name {
            "SET" => Some("value-of-set".into()),
            "EMPTY" => Some(String::new()),
            "TRICK" => Some("${SET} $(touch x)".into()),
            "HOME" => Some("/home/user".into()),
            "CALLSIGN_INPUT_GH_TOKEN" => Some("typed-in".into()),
            _ => None,
        }
    }

    fn expanded(text: &str) -> Result<String, ExpandError> {
        let launch = Launch { url: Some(text.into()), ..Launch::default() };
        let key = ServerKey::new("s").unwrap();
        Ok(expand(&key, &launch, &project(), &variable)?.url.unwrap())
    }

    fn project() -> PathBuf {
        std::path::absolute("srv/project").unwrap()
    }

    #[test]
    fn the_forms_of_clients_are_expanded_and_a_shell_s_are_not() {
        let cases = [
            ("a${SET}b${env:SET}", "avalue-of-setbvalue-of-set"),
            ("${NONE:-d:e-f}|${SET:-d}|${EMPTY:-d}|${NONE:-}", "d:e-f|value-of-set||"),
            ("${env:NONE:-d}", "d"),
            (
                "${workspaceFolder}|${workspaceFolderBasename}|${userHome}",
                &format!("{}|project|/home/user", project().display()),
            ),
            ("${/}", MAIN_SEPARATOR_STR),
            ("${input:gh-token}", "typed-in"),
            ("$SET $(touch x) `touch x` ${SET", "$SET $(touch x) `touch x` ${SET"),
            ("${SET:=x} ${!SET} ${} ${1} ${a b}", "${SET:=x} ${!SET} ${} ${1} ${a b}"),
            ("${$(touch x)} ${x${SET}", "${$(touch x)} ${xvalue-of-set"),
            ("${TRICK}", "${SET} $(touch x)"),
            ("http://h:$PORT/é", "http://h:$PORT/é"),
        ];
        for (text, expected) in cases {
            assert_eq!(expanded(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_has_no_value_is_an_error_that_names_it() {
        let message = |text: &str| expanded(text).unwrap_err().to_string();
        insta::assert_snapshot!(message("${NONE}"), @"server `s`: environment variable `NONE` is not set in `url`; set it, or write `${NONE:-default}`");
        insta::assert_snapshot!(message("x${input:api-key}"), @"server `s`: `${input:api-key}` is asked for by the client, which callsign can't do in `url`; set the environment variable `CALLSIGN_INPUT_API_KEY`");
        insta::assert_snapshot!(message("${command:pick}"), @"server `s`: `${command:pick}` is known to the client alone in `url`; write the value, or `${env:NAME}`");
    }

    #[test]
    fn a_long_text_of_half_references_takes_no_long_time() {
        for part in ["${", "${a:-", "${env:", "${1:-", "${a b", "$"] {
            let text = part.repeat(200_000);
            assert_eq!(expanded(&text).unwrap(), text);
        }
        let closed = format!("{}}}", "${a b".repeat(200_000));
        assert_eq!(expanded(&closed).unwrap(), closed);
    }

    #[test]
    fn an_error_never_holds_the_value_of_another_variable() {
        let launch = Launch {
            env: vec![("A".into(), Secret::new("pw-${SET}-${NONE}"))],
            ..Launch::default()
        };
        let key = ServerKey::new("s").unwrap();
        let error = expand(&key, &launch, Path::new("."), &variable).unwrap_err();
        assert_eq!(error.field, "env.A");
        let said = format!("{error} {error:?}");
        assert!(!said.contains("value-of-set") && !said.contains("pw-"), "{said}");
    }

    #[test]
    fn every_secret_of_a_launch_is_known() {
        let launch = Launch {
            command: Some("x".into()),
            args: [
                "--db=${SET}",
                "${env:TRICK}",
                "--key",
                "k1",
                "--header",
                "X-Own: h1",
                "KEY=k2",
                "https://u:p@h/?a=q1",
                "${HOME}",
                "free",
            ]
            .map(String::from)
            .into(),
            env: vec![("T".into(), Secret::new("long-secret"))],
            ..Launch::default()
        };
        let key = ServerKey::new("s").unwrap();
        let expanded = expand(&key, &launch, Path::new("."), &variable).unwrap();
        let secrets: Vec<&str> = expanded.secrets().collect();
        for secret in
            ["long-secret", "value-of-set", "${SET} $(touch x)", "k1", "h1", "k2", "u", "p", "q1"]
        {
            assert!(secrets.contains(&secret), "{secret} in {secrets:?}");
        }
        assert!(!secrets.contains(&"free") && !secrets.contains(&"/home/user"), "{secrets:?}");
        assert_eq!(format!("{expanded:?}"), "Expanded(***)");
        let launch = Launch {
            url: Some("https://h/a/b7e23ec29af22b0b4e41da31e868d572/mcp".into()),
            ..Launch::default()
        };
        let expanded = expand(&key, &launch, Path::new("."), &variable).unwrap();
        assert_eq!(expanded.secrets().collect::<Vec<_>>(), ["b7e23ec29af22b0b4e41da31e868d572"]);
    }

    #[test]
    fn a_server_starts_in_the_same_folder_whoever_starts_it_from_wherever() {
        let key = ServerKey::new("s").unwrap();
        let of = |cwd: Option<&str>, project: &str| {
            let launch = Launch { cwd: cwd.map(Into::into), ..Launch::default() };
            let folder = folder(&key, &launch, Path::new(project), &variable).unwrap();
            let expanded = expand(&key, &launch, Path::new(project), &variable).unwrap();
            assert_eq!(expanded.cwd.as_ref(), Some(&folder));
            folder
        };
        let here = std::env::current_dir().unwrap();
        assert_eq!(of(None, "."), here);
        assert_eq!(of(None, "src"), here.join("src"));
        assert_eq!(of(Some(""), "src"), here.join("src"));
        assert_eq!(of(Some("a"), "src"), here.join("src/a"));
        assert_eq!(of(Some("${userHome}"), "src"), std::path::absolute("/home/user").unwrap());
        assert_eq!(of(None, "src/../src"), std::fs::canonicalize("src").unwrap());
    }

    #[test]
    fn every_part_of_a_launch_counts_in_its_digest() {
        let pair = |name: &str, value: &str| vec![(name.to_owned(), Secret::new(value))];
        let text = |text: &str| Some(text.to_owned());
        let launches = [
            Expanded::default(),
            Expanded { command: text(""), ..Expanded::default() },
            Expanded { url: text(""), ..Expanded::default() },
            Expanded { command: text("a"), ..Expanded::default() },
            Expanded { args: vec!["ab".into()], ..Expanded::default() },
            Expanded { args: vec!["a".into(), "b".into()], ..Expanded::default() },
            Expanded { env: pair("a", "b"), ..Expanded::default() },
            Expanded { env: pair("a", "c"), ..Expanded::default() },
            Expanded { headers: pair("a", "b"), ..Expanded::default() },
            Expanded { cwd: Some("a".into()), ..Expanded::default() },
        ];
        let digests: BTreeSet<String> = launches.iter().map(Expanded::digest).collect();
        assert_eq!(digests.len(), launches.len());
        assert!(digests.iter().all(|digest| digest.len() == 64));
    }

    #[test]
    fn an_environment_file_comes_first_and_a_missing_one_is_an_error() {
        let folder = std::env::temp_dir().join(format!("callsign-env-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(".env"), "A=from-file\nB=kept").unwrap();
        let mut launch = Launch {
            env: vec![("A".into(), Secret::new("from-entry"))],
            env_file: Some("${workspaceFolder}/.env".into()),
            ..Launch::default()
        };
        let key = ServerKey::new("s").unwrap();
        let env = expand(&key, &launch, &folder, &variable).unwrap().env;
        let env: Vec<_> = env.iter().map(|(n, v)| format!("{n}={}", v.expose())).collect();
        assert_eq!(env, ["A=from-file", "B=kept", "A=from-entry"]);
        launch.env_file = Some("missing.env".into());
        let error = expand(&key, &launch, &folder, &variable).unwrap_err();
        assert!(matches!(error.cause, ExpandCause::EnvFile(_)), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
