//! Windsurf: a team's whitelist of servers, and `disabledTools` in `mcp_config.json`.
//!
//! Evidence: documentation docs.windsurf.com/plugins/cascade/mcp (2026).
//!
//! - A server's id must be its key in `mcp_config.json`; case counts. The first entry switches the list on, and every server
//!   that is not there is blocked.
//! - Command and each argument are regular expressions for the whole text (`^(?:…)$`), and the numbers of arguments must
//!   agree. An entry without a configuration stands for what the store has under that id.
//! - Tools are switched off in the application. That `disabledTools` of a server in the file does it is not documented.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::address::{AddressPattern, TextPattern};
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::{Entry, Node};

#[derive(Debug)]
pub(crate) struct Windsurf;

static PROFILE: Profile = Profile {
    id: "windsurf",
    host: "Windsurf",
    acts: Acts::OnServers,
    project_files: &[],
    user_files: &[".codeium/windsurf/mcp_config.json"],
    compared: Fact::Established(
        "the server's key together with its command and arguments; case counts",
    ),
    wildcards: Fact::Established(
        "regular expressions for the whole text, in command and arguments",
    ),
    precedence: Fact::Established("what is not listed is blocked"),
    empty: Fact::Established("without an entry the list is off"),
    unknown_entry: Fact::Unknown("what happens to an id that no server has"),
    evidence: &["docs.windsurf.com/plugins/cascade/mcp (2026)"],
};

/// What the list is called where rules stand alone; in the application it has no file.
const LIST: &str = "whitelist";

impl Dialect for Windsurf {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let unknown = |_: &str| {
            Pattern::Unknown(
                "whether `disabledTools` in this file does anything is not documented".into(),
            )
        };
        let servers = source.root().get("mcpServers").map_or(&[][..], Node::entries);
        for server in servers {
            reader.texts(
                &server.node,
                "disabledTools",
                Effect::Hide,
                Some(&server.key),
                unknown,
            )?;
        }
        if source.whole_file {
            return Ok(reader.rules);
        }
        reader.texts(source.root(), "disabledTools", Effect::Hide, None, unknown)?;
        let Some(listed) = source.root().get(LIST) else { return Ok(reader.rules) };
        if !reader.document.map(listed)?.is_empty() {
            reader.open(listed, Effect::Show, None);
        }
        for server in listed.entries() {
            let list = reader.open(&server.node, Effect::Show, Some(&server.key));
            let pattern = identity(&mut reader, server)?;
            reader.entry(list, &server.key, server.key_span, pattern);
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        for (index, entry) in
            rules.entries.iter().enumerate().filter(|(_, e)| e.effect == Effect::Show)
        {
            match rules.reach(entry, call) {
                Reach::Matches => {
                    return Decision::by(Verdict::Allow, index, "listed with this command");
                }
                Reach::Unknown(what) => return Decision::by(Verdict::Default, index, what),
                Reach::No | Reach::Never(_) | Reach::Ambiguous(_) => {}
            }
        }
        match rules.has_list(Effect::Show, call) {
            true => Decision::new(Verdict::Deny, "the list is on, and the server is not in it"),
            false => Decision::default(),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        Some(tool.server().to_owned())
    }
}

fn identity(reader: &mut Reader<'_>, server: &Entry<'_>) -> Result<Pattern, ConfigError> {
    const BROKEN: &str = "a regular expression does not compile, and fits nothing";
    let document = reader.document;
    document.map(&server.node)?;
    let Some(command) = server.node.get("command") else {
        return Ok(Pattern::Unknown("what the store has under this id was not given".into()));
    };
    let arguments = match server.node.get("args") {
        Some(arguments) => document.strings(arguments)?,
        None => Vec::new(),
    };
    let arguments: Option<Vec<_>> = arguments.iter().map(|text| TextPattern::regex(text)).collect();
    Ok(match (TextPattern::regex(document.string(command)?), arguments) {
        (Some(program), Some(arguments)) => {
            Pattern::Address(AddressPattern::Command(program, Some(arguments)))
        }
        _ => Pattern::never(BROKEN),
    })
}

#[cfg(test)]
mod tests {
    use callsign::ToolId;

    use super::super::testing::{reaches, verdict};
    use super::super::{Address, of_value};
    use super::*;

    fn decided(list: &str, command: Option<&[&str]>) -> &'static str {
        let id = ToolId::parse("docs", "search").unwrap();
        let mut fleet = Fleet::new([id.clone()]);
        if let Some(command) = command {
            let command = command.iter().map(|word| (*word).to_owned()).collect();
            fleet.set_address(id.server(), Address { command, url: None });
        }
        let rules = of_value(&Windsurf, &format!(r#"{{"whitelist": {list}}}"#)).unwrap();
        rules.decide(&fleet, fleet.find(&id).unwrap()).verdict.as_str()
    }

    #[test]
    fn one_entry_switches_the_list_on() {
        let npx = Some(&["npx", "-y", "docs-server"][..]);
        assert_eq!(decided("{}", npx), "default");
        assert_eq!(decided(r#"{"other": {}}"#, npx), "deny");
        assert_eq!(
            decided(r#"{"Docs": {"command": "npx", "args": ["-y", ".*"]}}"#, npx),
            "deny",
            "case counts"
        );
        assert_eq!(
            decided(r#"{"docs": {}}"#, npx),
            "default",
            "what the store has is not known here"
        );
    }

    #[test]
    fn whole_texts_and_as_many_arguments() {
        let npx = Some(&["npx", "-y", "docs-server"][..]);
        assert_eq!(
            decided(r#"{"docs": {"command": "npx", "args": ["-y", "docs-.*"]}}"#, npx),
            "allow"
        );
        assert_eq!(
            decided(r#"{"docs": {"command": "np", "args": ["-y", "docs-.*"]}}"#, npx),
            "deny"
        );
        assert_eq!(decided(r#"{"docs": {"command": "npx", "args": ["-y"]}}"#, npx), "deny");
        assert_eq!(decided(r#"{"docs": {"command": "npx", "args": ["-y", "docs"]}}"#, npx), "deny");
        assert_eq!(decided(r#"{"docs": {"command": "(", "args": []}}"#, npx), "deny");
        assert_eq!(decided(r#"{"docs": {"command": "npx"}}"#, None), "default");
    }

    #[test]
    fn disabled_tools_are_not_documented() {
        let rules = r#"{"mcpServers": {"docs": {"disabledTools": ["search"]}}}"#;
        assert!(matches!(reaches(&Windsurf, rules, &["docs/search"])[0], Reach::Unknown(_)));
        assert_eq!(verdict(&Windsurf, rules, &["docs/search"], "docs/search"), "default");
    }
}
