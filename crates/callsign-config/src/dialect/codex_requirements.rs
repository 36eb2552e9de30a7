//! Codex CLI: the servers that an administrator's `requirements.toml` lets run.
//!
//! Evidence: openai/codex, `codex-rs/config/src/mcp_requirements.rs` (2bae9d5, 2026).
//!
//! - A server is listed by its key, with an identity: its command or its address. Once there is the table, a server that is
//!   not listed, or has another identity, is disabled; an empty table disables all, plugins' servers too.
//! - Identities are compared exactly, by prefix, or by a regular expression anchored at both ends; numbers of arguments must
//!   agree. An expression that doesn't compile makes the file invalid.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::address::{AddressPattern, TextPattern};
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::{Entry, Node, Value};

#[derive(Debug)]
pub(crate) struct CodexRequirements;

static PROFILE: Profile = Profile {
    id: "codex-requirements",
    host: "Codex CLI",
    acts: Acts::OnServers,
    project_files: &["requirements.toml"],
    user_files: &[".codex/requirements.toml"],
    compared: Fact::Established("the server's key together with its command or address"),
    wildcards: Fact::Established("identities exactly, by prefix, or by a regular expression for the whole text"),
    precedence: Fact::Established("what is not listed is disabled"),
    empty: Fact::Established("an empty table disables every server"),
    unknown_entry: Fact::Established("an expression that does not compile is refused"),
    evidence: &["openai/codex 2bae9d5 codex-rs/config/src/mcp_requirements.rs (2026)"],
};

impl Dialect for CodexRequirements {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(servers) = source.root().get("mcp_servers") else { return Ok(reader.rules) };
        // A list a server: what an entry asks of an identity is asked of that key alone.
        reader.open(servers, Effect::Show, None);
        for server in reader.document.map(servers)? {
            let list = reader.open(&server.node, Effect::Show, Some(&server.key));
            let pattern = identity(&mut reader, server)?;
            reader.entry(list, &server.key, server.key_span, pattern);
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        for (index, entry) in rules.entries.iter().enumerate() {
            match rules.reach(entry, call) {
                Reach::Matches => return Decision::by(Verdict::Allow, index, "listed with this identity"),
                Reach::Unknown(what) => return Decision::by(Verdict::Default, index, what),
                Reach::No | Reach::Never(_) | Reach::Ambiguous(_) => {}
            }
        }
        match rules.lists.is_empty() {
            true => Decision::default(),
            false => Decision::new(Verdict::Deny, "not listed with this identity, and so disabled"),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        Some(tool.server().to_owned())
    }
}

/// The identity stands in the server's table or in one of its own there.
fn identity(reader: &mut Reader<'_>, server: &Entry<'_>) -> Result<Pattern, ConfigError> {
    let document = reader.document;
    document.map(&server.node)?;
    let table = server.node.get("identity").unwrap_or(&server.node);
    let pattern = match (table.get("command"), table.get("url")) {
        (Some(command), None) => command_of(reader, command, table.get("args"))?,
        (None, Some(url)) => text(reader, url)?.map(AddressPattern::Url),
        _ => return Ok(Pattern::never("an identity is a `command` or a `url`")),
    };
    Ok(match pattern {
        Some(address) => Pattern::Address(address),
        None => Pattern::never("the regular expression does not compile, and the file is refused"),
    })
}

fn command_of(
    reader: &mut Reader<'_>,
    command: &Node<'_>,
    arguments: Option<&Node<'_>>,
) -> Result<Option<AddressPattern>, ConfigError> {
    let Some(program) = text(reader, command)? else { return Ok(None) };
    let Some(arguments) = arguments else { return Ok(Some(AddressPattern::Command(program, None))) };
    let mut wanted = Vec::new();
    for argument in reader.document.list(arguments)? {
        match text(reader, argument)? {
            Some(argument) => wanted.push(argument),
            None => return Ok(None),
        }
    }
    Ok(Some(AddressPattern::Command(program, Some(wanted))))
}

/// A text, or a table with how it is compared. `None`, if the host would refuse the file because of it.
fn text(reader: &mut Reader<'_>, node: &Node<'_>) -> Result<Option<TextPattern>, ConfigError> {
    let document = reader.document;
    if let Value::Text(exact) = &node.value {
        return Ok(Some(TextPattern::Exact(exact.to_string())));
    }
    let kinds = ["exact", "prefix", "regex"].map(|kind| node.get(kind));
    let [exact, prefix, regex] = kinds;
    let pattern = match (exact, prefix, regex) {
        (Some(exact), None, None) => Some(TextPattern::Exact(document.string(exact)?.to_owned())),
        (None, Some(prefix), None) => Some(TextPattern::Prefix(document.string(prefix)?.to_owned())),
        (None, None, Some(regex)) => {
            let pattern = TextPattern::regex(document.string(regex)?);
            if pattern.is_none() {
                reader.drop_all("a regular expression does not compile, and the file is refused", regex.span);
            }
            pattern
        }
        _ => return Err(document.wrong_type(node, "a string, or one of `exact`, `prefix` and `regex`")),
    };
    Ok(pattern)
}

#[cfg(test)]
mod tests {
    use callsign::ToolId;

    use super::super::{Address, of_value};
    use super::*;

    fn decided(rules: &str, command: Option<&[&str]>) -> &'static str {
        let id = ToolId::parse("docs", "search").unwrap();
        let mut fleet = Fleet::new([id.clone()]);
        if let Some(command) = command {
            let command = command.iter().map(|word| (*word).to_owned()).collect();
            fleet.set_address(id.server(), Address { command, url: None });
        }
        let call = fleet.find(&id).unwrap();
        of_value(&CodexRequirements, rules).unwrap().decide(&fleet, call).verdict.as_str()
    }

    #[test]
    fn what_is_not_listed_with_its_identity_is_disabled() {
        let npx = Some(&["npx", "-y", "docs"][..]);
        assert_eq!(decided(r#"{"mcp_servers": {}}"#, npx), "deny");
        assert_eq!(decided(r#"{"mcp_servers": {"docs": {"command": "npx"}}}"#, npx), "allow");
        assert_eq!(decided(r#"{"mcp_servers": {"docs": {"identity": {"command": "node"}}}}"#, npx), "deny");
        assert_eq!(decided(r#"{"mcp_servers": {"other": {"command": "npx"}}}"#, npx), "deny");
        assert_eq!(decided(r#"{"mcp_servers": {"docs": {"command": "npx"}}}"#, None), "default");
        assert_eq!(decided("{}", npx), "default");
    }

    #[test]
    fn matchers() {
        let with = |args: &str| format!(r#"{{"mcp_servers": {{"docs": {{"command": "npx", "args": {args}}}}}}}"#);
        let npx = Some(&["npx", "-y", "docs"][..]);
        assert_eq!(decided(&with(r#"["-y", {"prefix": "do"}]"#), npx), "allow");
        assert_eq!(decided(&with(r#"["-y", {"regex": "do|cs"}]"#), npx), "deny", "anchored");
        assert_eq!(decided(&with(r#"["-y"]"#), npx), "deny", "numbers of arguments agree");
        assert_eq!(decided(&with(r#"[{"regex": "("}]"#), npx), "default", "the file is refused");
    }
}
