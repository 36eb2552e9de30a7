//! Amp: `amp.mcpPermissions`, which servers may run.
//!
//! Evidence: the Amp manual, ampcode.com/manual (2026 edition). The product is closed source.
//!
//! - An entry has `matches`, an address or a command with its arguments, and an action: allow or reject. `*` is any run of
//!   characters. It matches servers and not tools.
//! - The first match counts; what nothing matches is allowed.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::address::{AddressPattern, TextPattern};
use super::fleet::{Fleet, Tool};
use super::keys::at;
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct AmpServers;

static PROFILE: Profile = Profile {
    id: "amp-servers",
    host: "Amp",
    acts: Acts::OnServers,
    project_files: &[".amp/settings.json", ".vscode/settings.json"],
    user_files: &[".config/amp/settings.json"],
    compared: Fact::Established("the server's address, or its command and arguments"),
    wildcards: Fact::Established("* for any run of characters"),
    precedence: Fact::Established("the first match; what nothing matches is allowed"),
    empty: Fact::Established("every server is allowed"),
    unknown_entry: Fact::Unknown("what happens to an entry that fits no server"),
    evidence: &["ampcode.com/manual (2026)"],
};

const ARGUMENTS: &str = "how arguments are compared is not documented";

const ACTIONS: [(&str, Effect); 2] = [("allow", Effect::Allow), ("reject", Effect::Deny)];

impl Dialect for AmpServers {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let dotted = source.root().get("amp.mcpPermissions");
        let Some(node) = dotted.or_else(|| at(source, &["amp", "mcpPermissions"])) else {
            return Ok(reader.rules);
        };
        let list = reader.open(node, Effect::Deny, None);
        for rule in reader.document.list(node)? {
            read_rule(&mut reader, list, rule)?;
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        for (index, entry) in rules.entries.iter().enumerate() {
            match rules.reach(entry, call) {
                Reach::Matches => {
                    return Decision::by(
                        entry.effect.verdict(call),
                        index,
                        "the first match counts",
                    );
                }
                Reach::Unknown(what) => return Decision::by(Verdict::Default, index, what),
                Reach::No | Reach::Never(_) | Reach::Ambiguous(_) => {}
            }
        }
        match rules.lists.is_empty() {
            true => Decision::default(),
            false => Decision::new(Verdict::Allow, "what nothing matches is allowed"),
        }
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }
}

fn read_rule(reader: &mut Reader<'_>, list: usize, rule: &Node<'_>) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(rule)?;
    let matches = rule.get("matches");
    let of = |key: &str| {
        let node = matches.and_then(|matches| matches.get(key))?;
        Some(document.string(node).map(|text| (text.to_owned(), node.span)))
    };
    let has_arguments = matches.is_some_and(|matches| matches.get("args").is_some());
    let (text, span, pattern) = match (of("url").transpose()?, of("command").transpose()?) {
        (Some((url, span)), None) => {
            let pattern = Pattern::Address(AddressPattern::Url(any_run(&url)));
            (url, span, pattern)
        }
        (None, Some((command, span))) => {
            let pattern = Pattern::Address(AddressPattern::Command(any_run(&command), None));
            let pattern = match has_arguments {
                true => Pattern::Disputed(Box::new(pattern), Box::new(Pattern::Foreign), ARGUMENTS),
                false => pattern,
            };
            (command, span, pattern)
        }
        _ => {
            let why = "what an entry matches is a `url` or a `command`";
            (String::new(), rule.span, Pattern::Unknown(why.into()))
        }
    };
    let action = rule.get("action").map(|node| document.string(node)).transpose()?;
    let effect = ACTIONS.iter().find(|(word, _)| Some(*word) == action).map(|(_, effect)| *effect);
    let unknown = || Pattern::Unknown("what an entry with another action does".into());
    reader.entry(list, &text, span, effect.map_or_else(unknown, |_| pattern));
    if let Some(entry) = reader.rules.entries.last_mut() {
        entry.effect = effect.unwrap_or(Effect::Deny);
    }
    Ok(())
}

/// `*` for any run of characters, everything else as it is.
fn any_run(text: &str) -> TextPattern {
    let pieces: Vec<String> = text.split('*').map(regex_lite::escape).collect();
    let expression = ["(?s)", &pieces.join(".*")].concat();
    TextPattern::regex(&expression).unwrap_or_else(|| TextPattern::Exact(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use callsign::ToolId;

    use super::super::{Address, of_value};
    use super::*;

    fn decided(list: &str, command: &[&str], url: Option<&str>) -> &'static str {
        let id = ToolId::parse("docs", "search").unwrap();
        let mut fleet = Fleet::new([id.clone()]);
        let command = command.iter().map(|word| (*word).to_owned()).collect();
        fleet.set_address(id.server(), Address { command, url: url.map(str::to_owned) });
        let rules = of_value(&AmpServers, &format!(r#"{{"amp.mcpPermissions": {list}}}"#)).unwrap();
        rules.decide(&fleet, fleet.find(&id).unwrap()).verdict.as_str()
    }

    #[test]
    fn the_first_match_counts_and_no_match_is_allowed() {
        let url = Some("https://mcp.example.com/x");
        let rules = r#"[{"matches": {"url": "https://*.example.com/*"}, "action": "allow"}, {"matches": {"url": "*"}, "action": "reject"}]"#;
        assert_eq!(decided(rules, &[], url), "allow");
        assert_eq!(decided(rules, &[], Some("https://example.org/")), "deny");
        assert_eq!(decided(rules, &["npx"], None), "allow", "nothing matches");
        assert_eq!(decided("[]", &[], url), "allow");
    }

    #[test]
    fn commands_and_arguments() {
        let npx = &["npx", "-y", "docs"][..];
        assert_eq!(
            decided(r#"[{"matches": {"command": "np*"}, "action": "reject"}]"#, npx, None),
            "deny"
        );
        assert_eq!(
            decided(r#"[{"matches": {"command": "n.x"}, "action": "reject"}]"#, npx, None),
            "allow"
        );
        let arguments =
            r#"[{"matches": {"command": "npx", "args": "*docs*"}, "action": "reject"}]"#;
        assert_eq!(
            decided(arguments, npx, None),
            "default",
            "how they are compared is not documented"
        );
        assert_eq!(decided(arguments, &["uvx"], None), "allow");
        assert_eq!(
            decided(r#"[{"matches": {"command": "npx"}, "action": "ask"}]"#, npx, None),
            "default"
        );
    }
}
