use super::judged_rules::JudgedRules;
use crate::catalogue::Catalogue;
use crate::name::{ServerKey, WireName};
use crate::scheme::Scheme;

/// What is audited: the enabled servers of a configuration, the scheme that names their tools, and the rules about them.
#[derive(Debug, Clone)]
pub struct Fleet<'a> {
    scheme: &'a dyn Scheme,
    servers: Vec<Server>,
    rules: Vec<JudgedRules<'a>>,
}

impl<'a> Fleet<'a> {
    /// A fleet of these servers, in any order. Disabled servers have no place in it.
    ///
    /// Keys are expected to be unique, as they are in a configuration that was read without complaint; of two servers
    /// under one key both are audited.
    #[must_use]
    pub fn new(scheme: &'a dyn Scheme, mut servers: Vec<Server>) -> Self {
        servers.sort_by(|a, b| a.key.cmp(&b.key).then_with(|| a.launch.cmp(&b.launch)));
        Self { scheme, servers, rules: Vec::new() }
    }

    /// The same fleet with the rules that hosts apply to it.
    #[must_use]
    pub fn with_rules(self, rules: Vec<JudgedRules<'a>>) -> Self {
        Self { rules, ..self }
    }

    /// The scheme that names the tools.
    #[must_use]
    pub fn scheme(&self) -> &'a dyn Scheme {
        self.scheme
    }

    /// The servers, sorted by key.
    #[must_use]
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// The rules, a list for each language they are written in.
    #[must_use]
    pub fn rules(&self) -> &[JudgedRules<'a>] {
        &self.rules
    }
}

/// One configured server and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Its key in the configuration.
    pub key: ServerKey,
    /// How it is started or reached; `None` where the configuration does not say (a static list of tools).
    pub launch: Option<Launch>,
    /// What it advertised, or why that is not known.
    pub catalogue: Result<Catalogue, Unchecked>,
}

impl Server {
    /// The identities of its tools, as [`by_id`](crate::scheme::by_id) and [`Minimal::over`](crate::scheme::Minimal::over)
    /// want them.
    pub fn identities(&self) -> impl Iterator<Item = (&ServerKey, &WireName)> {
        let tools = self.catalogue.as_ref().map_or(&[][..], Catalogue::tools);
        tools.iter().map(|tool| (&self.key, tool.wire()))
    }
}

/// Why a server's catalogue is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// The reason, as the end of "server `x` was not checked: ".
    pub reason: String,
    /// What the user can do about it.
    pub remedy: Option<String>,
}

/// How a server is started or reached. Both texts are only compared, never shown: they may hold secrets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Launch {
    /// What is started or reached: equal texts are one program with one set of arguments, or one address.
    pub endpoint: String,
    /// What it is given besides: environment or headers, as one text (or a digest of it).
    pub settings: String,
}

/// Programs that run other programs: alone, without the name of a package or script, they say nothing about the server.
const RUNNERS: [&str; 15] = [
    "bun", "bunx", "cmd", "deno", "docker", "node", "npx", "pipx", "pnpm", "podman", "python",
    "python3", "uv", "uvx", "yarn",
];

/// Stands between command and arguments. No argument can contain it: the operating system ends arguments with it.
const BETWEEN: char = '\0';

impl Launch {
    /// A program that is started.
    pub fn command<'t>(
        command: &str,
        arguments: impl IntoIterator<Item = &'t str>,
        settings: impl Into<String>,
    ) -> Self {
        let mut endpoint = command.to_owned();
        for argument in arguments {
            endpoint.push(BETWEEN);
            endpoint.push_str(argument);
        }
        Self { endpoint, settings: settings.into() }
    }

    /// A server that is reached at an address.
    pub fn address(address: impl Into<String>, settings: impl Into<String>) -> Self {
        Self { endpoint: address.into(), settings: settings.into() }
    }

    /// The endpoint, if it says which server is meant: `npx` without a package does not.
    pub(super) fn telling_endpoint(&self) -> Option<&str> {
        let mut words = self.endpoint.split(BETWEEN);
        let program = words.next().unwrap_or_default();
        let program = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let program =
            program.strip_suffix(".exe").or(program.strip_suffix(".cmd")).unwrap_or(program);
        let bare_runner = RUNNERS.contains(&program) && words.all(|word| word.starts_with('-'));
        (!bare_runner && !self.endpoint.is_empty()).then_some(&self.endpoint)
    }
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Launch { .. }")
    }
}

#[cfg(test)]
mod tests {
    use super::Launch;

    #[test]
    fn a_runner_without_a_package_tells_nothing() {
        let tells = |command: &str, arguments: &[&str]| {
            let launch = Launch::command(command, arguments.iter().copied(), "");
            launch.telling_endpoint().is_some()
        };
        assert!(!tells("npx", &[]) && !tells("npx", &["-y"]) && !tells("/usr/bin/python3", &[]));
        assert!(!tells("C:\\node\\npx.cmd", &[]) && !tells("", &[]));
        assert!(tells("npx", &["-y", "pkg"]) && tells("my-server", &[]) && tells("x", &["-y"]));
    }

    #[test]
    fn arguments_do_not_run_together_and_nothing_of_them_is_shown() {
        let launch = |arguments: &[&str]| Launch::command("x", arguments.iter().copied(), "secret");
        assert_ne!(launch(&["a", "b"]), launch(&["a b"]));
        assert!(!format!("{:?}", launch(&["token"])).contains("token"));
    }
}
