//! Claude Code: which servers may run at all: `allowedMcpServers`, `deniedMcpServers`, and the approval of a project's
//! `.mcp.json`.
//!
//! Evidence: documentation code.claude.com/docs/en/managed-mcp and /settings (2026); release notes 2.1.83 to 2.1.182.
//!
//! - An entry is an object with one key: `serverName` (exact), `serverCommand` (the whole argument vector) or `serverUrl`
//!   (`*` anywhere; the host without case, the path with it; a pattern without a path fits every path).
//! - The deny list is first and final. No allow list means all, an empty one none.
//! - As soon as the allow list holds a `serverUrl`, a remote server must match an address and names stop counting; the same
//!   holds for `serverCommand` and servers that are started.
//! - A name is a label that its user chose, so none of this is a security boundary for names.

use callsign::scheme::HostSpelling;

use super::address::{AddressPattern, TextPattern};
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct ClaudeCodeManaged;

static PROFILE: Profile = Profile {
    id: "claude-code-managed",
    host: "Claude Code",
    acts: Acts::OnServers,
    project_files: &[".claude/settings.json", ".claude/settings.local.json", "managed-settings.json"],
    user_files: &[".claude/settings.json"],
    compared: Fact::Established("the server's key, its whole command, or its address"),
    wildcards: Fact::Established("* anywhere in serverUrl; nowhere else"),
    precedence: Fact::Established(
        "the deny list is final; then the allow list, in which addresses and commands put names out of force",
    ),
    empty: Fact::Established("an empty allow list allows no server; without one all are allowed"),
    unknown_entry: Fact::Established(
        "an invalid entry is dropped (before 2.1.154 the whole managed policy was)",
    ),
    evidence: &[
        "code.claude.com/docs/en/managed-mcp (2026)",
        "anthropics/claude-code 5cfc0a1 CHANGELOG.md, 2.1.83 to 2.1.182 (2026)",
    ],
};

const ALLOWED: &str = "allowedMcpServers";
const DENIED: &str = "deniedMcpServers";

/// The approval of a project's own servers: keys of `.mcp.json`. It comes after what an organisation allows.
const OF_PROJECT: [(&str, Effect); 2] =
    [("disabledMcpjsonServers", Effect::Hide), ("enabledMcpjsonServers", Effect::Show)];

impl Dialect for ClaudeCodeManaged {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let root = source.root();
        for (key, effect) in [(DENIED, Effect::Deny), (ALLOWED, Effect::Allow)] {
            let Some(node) = root.get(key) else { continue };
            let list = reader.open(node, effect, None);
            for item in reader.document.list(node)? {
                server(&mut reader, list, item, effect)?;
            }
        }
        for (key, effect) in OF_PROJECT {
            reader.texts(root, key, effect, None, |text| Pattern::Server(text.to_owned()))?;
        }
        if let Some(all) = root.get("enableAllProjectMcpServers")
            && reader.document.flag(all)?
        {
            let list = reader.open(all, Effect::Show, None);
            reader.entry(list, "true", all.span, Pattern::All);
        }
        Ok(reader.rules)
    }

    fn reach(&self, rules: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let by_name = matches!(entry.pattern, Pattern::Server(_));
        let reach = entry.pattern.reach(tool, self.compared());
        if entry.effect != Effect::Allow || !by_name || reach != Reach::Matches {
            return reach;
        }
        name_counts(rules, tool)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if let Some(entry) = rules.first(&[Effect::Deny], call) {
            return Decision::by(Verdict::Deny, entry, "the deny list is final");
        }
        let allowed = rules.first(&[Effect::Allow], call);
        if allowed.is_none() && rules.has_list(Effect::Allow, call) {
            return match undecided(rules, call) {
                true => Decision::default(),
                false => Decision::new(Verdict::Deny, "there is an allow list, and the server is not on it"),
            };
        }
        for (effect, verdict) in [(Effect::Hide, Verdict::Deny), (Effect::Show, Verdict::Allow)] {
            if let Some(entry) = rules.first(&[effect], call) {
                return Decision::by(verdict, entry, "the project's servers are approved or rejected by key");
            }
        }
        match allowed {
            Some(entry) => Decision::by(Verdict::Allow, entry, "the server is on the allow list"),
            None => Decision::default(),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        Some(tool.server().to_owned())
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        let keys = [ALLOWED, DENIED, "enabledMcpjsonServers", "disabledMcpjsonServers"];
        keys.iter().any(|key| found.0.get(key).is_some())
    }
}

/// Whether an entry of the allow list might cover the server, but what it goes by is not known.
fn undecided(rules: &Rules, call: Tool<'_>) -> bool {
    let allows = rules.entries.iter().filter(|entry| entry.effect == Effect::Allow);
    allows.into_iter().any(|entry| matches!(rules.reach(entry, call), Reach::Unknown(_)))
}

/// A name on the allow list, held against what else is on it.
fn name_counts(rules: &Rules, tool: Tool<'_>) -> Reach {
    let allows = || rules.entries.iter().filter(|entry| entry.effect == Effect::Allow);
    let goes_by = |wanted: fn(&AddressPattern) -> bool| {
        allows().any(|entry| matches!(&entry.pattern, Pattern::Address(address) if wanted(address)))
    };
    let by_url = goes_by(|address| matches!(address, AddressPattern::UrlGlob(_)));
    let by_command = goes_by(|address| matches!(address, AddressPattern::Command(..)));
    match tool.address() {
        _ if !by_url && !by_command => Reach::Matches,
        None => Reach::Unknown("whether the server is started or remote was not given".into()),
        Some(address) if address.url.is_some() => Reach::of(!by_url),
        Some(_) => Reach::of(!by_command),
    }
}

fn server(reader: &mut Reader<'_>, list: usize, item: &Node<'_>, effect: Effect) -> Result<(), ConfigError> {
    let document = reader.document;
    let [entry] = document.map(item)? else {
        let why = "an entry has exactly one of serverName, serverCommand and serverUrl; others are dropped";
        reader.entry(list, "", item.span, Pattern::never(why));
        return Ok(());
    };
    let (text, pattern) = match entry.key.as_ref() {
        "serverName" => {
            let name = document.string(&entry.node)?;
            (name.to_owned(), by_name(name, effect))
        }
        "serverUrl" => {
            let url = document.string(&entry.node)?;
            (url.to_owned(), expanded(url).unwrap_or_else(|| Pattern::Address(AddressPattern::UrlGlob(url.to_owned()))))
        }
        "serverCommand" => {
            let words = document.strings(&entry.node)?;
            (words.join(" "), by_command(&words))
        }
        _ => (entry.key.to_string(), Pattern::never("no such kind of entry; it is dropped")),
    };
    reader.entry(list, &text, entry.node.span, pattern);
    Ok(())
}

fn by_name(name: &str, effect: Effect) -> Pattern {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    match effect == Effect::Allow && !name.chars().all(plain) {
        true => Pattern::never("an allowed name may hold letters, digits, `-` and `_` only"),
        false if name.is_empty() => Pattern::never("the name is empty"),
        false => Pattern::Server(name.to_owned()),
    }
}

fn by_command(words: &[String]) -> Pattern {
    let Some((program, arguments)) = words.split_first() else {
        return Pattern::never("the command is empty");
    };
    let exact = |text: &String| TextPattern::Exact(text.clone());
    let arguments = arguments.iter().map(exact).collect();
    words.iter().find_map(|word| expanded(word)).unwrap_or_else(|| {
        Pattern::Address(AddressPattern::Command(exact(program), Some(arguments)))
    })
}

/// Variables are put in from the user's environment, which is not part of the file.
fn expanded(text: &str) -> Option<Pattern> {
    text.contains("${").then(|| Pattern::Unknown("it depends on the environment of the user".into()))
}

#[cfg(test)]
mod tests {
    use callsign::ToolId;

    use super::super::testing::{reaches, verdict};
    use super::super::{Address, of_value};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue"];

    fn decided(rules: &str) -> &'static str {
        verdict(&ClaudeCodeManaged, rules, TOOLS, "github/get_issue")
    }

    fn decided_at(rules: &str, address: Address) -> &'static str {
        let id = ToolId::parse("github", "get_issue").unwrap();
        let mut fleet = Fleet::new([id.clone()]);
        fleet.set_address(id.server(), address);
        let call = fleet.find(&id).unwrap();
        of_value(&ClaudeCodeManaged, rules).unwrap().decide(&fleet, call).verdict.as_str()
    }

    #[test]
    fn names() {
        assert_eq!(decided(r#"{"allowedMcpServers": [{"serverName": "github"}]}"#), "allow");
        assert_eq!(decided(r#"{"allowedMcpServers": [{"serverName": "git*"}]}"#), "deny");
        assert_eq!(decided(r#"{"deniedMcpServers": []}"#), "default");
        let both = r#"{"allowedMcpServers": [{"serverName": "github"}], "deniedMcpServers": [{"serverName": "github"}]}"#;
        assert_eq!(decided(both), "deny");
        let rules = r#"{"allowedMcpServers": [{"serverName": "a b"}], "deniedMcpServers": [{"serverName": "a b"}]}"#;
        let reached = reaches(&ClaudeCodeManaged, rules, &["a b/x"]);
        assert_eq!(reached[0], Reach::Matches, "any text may be denied");
        assert!(matches!(reached[1], Reach::Never(_)));
    }

    #[test]
    fn an_address_puts_names_out_of_force_for_its_kind_of_server() {
        let url = |url: &str| Address { url: Some(url.into()), command: vec![] };
        let started = || Address { command: vec!["npx".into(), "-y".into()], url: None };
        let rules = r#"{"allowedMcpServers": [{"serverName": "github"}, {"serverUrl": "https://*.example.com/*"}]}"#;
        assert_eq!(decided_at(rules, url("https://mcp.example.com/x")), "allow");
        assert_eq!(decided_at(rules, url("https://example.org")), "deny");
        assert_eq!(decided_at(rules, started()), "allow");
        assert_eq!(decided(rules), "default", "nothing is known of the server");
        let rules = r#"{"allowedMcpServers": [{"serverName": "github"}, {"serverCommand": ["npx", "-y", "x"]}]}"#;
        assert_eq!(decided_at(rules, started()), "deny");
        assert_eq!(decided_at(rules, url("https://example.org")), "allow");
        let rules = r#"{"allowedMcpServers": [{"serverCommand": ["npx", "-y"]}]}"#;
        assert_eq!(decided_at(rules, started()), "allow");
    }

    #[test]
    fn a_projects_servers_are_approved_by_key() {
        assert_eq!(decided(r#"{"enabledMcpjsonServers": ["github"]}"#), "allow");
        assert_eq!(decided(r#"{"disabledMcpjsonServers": ["github"], "enableAllProjectMcpServers": true}"#), "deny");
        assert_eq!(decided(r#"{"enableAllProjectMcpServers": true}"#), "allow");
        let managed = r#"{"allowedMcpServers": [], "enabledMcpjsonServers": ["github"]}"#;
        assert_eq!(decided(managed), "deny");
    }
}
