use std::fmt;
use std::path::PathBuf;

use callsign::ServerKey;

use crate::mask::Mask;

/// One server to use: its key and how it is started or reached. Everything in it is final; no `${VAR}` is left.
///
/// ```
/// use callsign_mcp::{Launch, Secret, ServerSpec};
/// let spec = ServerSpec {
///     key: "s".parse().unwrap(),
///     launch: Launch::Stdio {
///         command: "/opt/swordfish/run".to_owned(), args: vec![], env: vec![], cwd: None,
///     },
///     secrets: vec![Secret::new("swordfish")],
/// };
/// assert!(!format!("{spec:?}").contains("swordfish"));
/// ```
#[derive(Clone)]
pub struct ServerSpec {
    /// The user's name for it.
    pub key: ServerKey,
    /// How it is started or reached.
    pub launch: Launch,
    /// Further texts that must never be shown or stored, beside the values of its environment and headers: what variables
    /// put into its arguments or its address. Those shorter than four characters, and words that are in every text
    /// (`true`, `8080`), are not looked for.
    pub secrets: Vec<Secret>,
}

impl fmt::Debug for ServerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mask = Mask::of(self);
        let mut shown = self.launch.clone();
        match &mut shown {
            Launch::Stdio { command, cwd, .. } => {
                *command = mask.line(command);
                *cwd = cwd.take().map(|cwd| mask.line(&cwd.to_string_lossy()).into());
            }
            Launch::Http { url, .. } => *url = mask.line(&origin(url)),
        }
        f.debug_struct("ServerSpec")
            .field("key", &self.key)
            .field("launch", &shown)
            .finish_non_exhaustive()
    }
}

/// How a server is started or reached.
///
/// Anything in it may hold a secret once variables are expanded, so `Debug` shows the program or the host and the names of
/// what is set, and counts arguments.
///
/// ```
/// use callsign_mcp::Launch;
/// let url = "https://user:hunter2@mcp.example:8080/u/hunter2/mcp?key=hunter2".to_owned();
/// let launch = Launch::Http { url, headers: vec![] };
/// assert_eq!(format!("{launch:?}"), r#"Http { url: "https://mcp.example:8080/…", headers: [] }"#);
/// ```
#[derive(Clone)]
pub enum Launch {
    /// A program that speaks over its standard streams.
    Stdio {
        /// The program's path, or its name to be looked up in `PATH`.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// What its entry adds to the [clean environment](crate::environment).
        env: Vec<(String, Secret)>,
        /// The directory it starts in; `None` for the current one.
        cwd: Option<PathBuf>,
    },
    /// A server reached by Streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// Headers of every request.
        headers: Vec<(String, Secret)>,
    },
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio { command, args, env, cwd } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", &format_args!("{} of them", args.len()))
                .field("env", env)
                .field("cwd", cwd)
                .finish(),
            Self::Http { url, headers } => {
                f.debug_struct("Http").field("url", &origin(url)).field("headers", headers).finish()
            }
        }
    }
}

/// Scheme, host and port of an address: user, path and query may be secret.
fn origin(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return "…".to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}/…")
}

/// A text that is never printed: `Debug` and `Display` give `***`.
///
/// ```
/// let token = callsign_mcp::Secret::new("hunter2");
/// assert_eq!(format!("{token} {token:?}"), "*** ***");
/// assert_eq!(token.expose(), "hunter2");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

impl Secret {
    /// Takes the text.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// The text itself, for sending it where it belongs.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
