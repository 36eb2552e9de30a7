//! Factory's droid: an organisation's `mcpPolicy`.
//!
//! Evidence: Factory-AI/factory a80aa7c (2026-07-24), `docs/cli/configuration/mcp.mdx`.
//!
//! - It counts only with `enabled: true`. Entries of `allowlist` are held against the host of a server's address, or its
//!   command; the key does not count.
//! - Enabled with an empty list, it blocks every server.

use callsign::scheme::HostSpelling;

use super::fleet::{Address, Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct DroidPolicy;

static PROFILE: Profile = Profile {
    id: "droid-policy",
    host: "Factory droid",
    acts: Acts::OnServers,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established("the host of the server's address, or its command; not its key"),
    wildcards: Fact::Unknown("whether there are any"),
    precedence: Fact::Established("with enabled: true, what is not listed is blocked"),
    empty: Fact::Established("every server is blocked"),
    unknown_entry: Fact::Unknown("what happens to an entry that fits no server"),
    evidence: &["Factory-AI/factory a80aa7c docs/cli/configuration/mcp.mdx (2026-07-24)"],
};

const POLICY: &str = "mcpPolicy";
const ENABLED: &str = "enabled";

impl Dialect for DroidPolicy {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(policy) = source.table(&[POLICY]) else { return Ok(reader.rules) };
        reader.document.map(policy)?;
        reader.switch(policy, ENABLED)?;
        reader.texts(policy, "allowlist", Effect::Show, None, |text| match text.contains('*') {
            true => Pattern::Unknown("whether there are wildcards is not stated".into()),
            false => Pattern::Exact(text.to_owned()),
        })?;
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        match (&entry.pattern, tool.address()) {
            (Pattern::Exact(_), None) => {
                Reach::Unknown("how the server is started or reached was not given".into())
            }
            (Pattern::Exact(text), Some(address)) => Reach::of(is_of(address, text)),
            (pattern, _) => pattern.reach(tool, HostSpelling::Bare),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if rules.switch(ENABLED) != Some("true") {
            return Decision::new(Verdict::Default, "the policy is not enabled");
        }
        let unsettled = |entry: &RuleEntry| matches!(rules.reach(entry, call), Reach::Unknown(_));
        match rules.first(&[Effect::Show], call) {
            Some(entry) => Decision::by(Verdict::Allow, entry, "its host or command is listed"),
            None if rules.entries.iter().any(unsettled) => Decision::default(),
            None if rules.lists.is_empty() => Decision::default(),
            None => Decision::new(Verdict::Deny, "its host or command is not listed"),
        }
    }

    fn spelling(&self, _: Tool<'_>) -> Option<String> {
        None
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        found.0.get(POLICY).is_some()
    }
}

fn is_of(address: &Address, text: &str) -> bool {
    let host = address.url.as_deref().and_then(|url| {
        let after = url.split_once("://").map_or(url, |(_, after)| after);
        let authority = after.split(['/', '?', '#']).next()?;
        Some(authority.rsplit_once('@').map_or(authority, |(_, host)| host))
    });
    let host_alone = host.map(|host| host.rsplit_once(':').map_or(host, |(name, _)| name));
    let is_host = |host: Option<&str>| host.is_some_and(|host| host.eq_ignore_ascii_case(text));
    is_host(host) || is_host(host_alone) || address.command.first().is_some_and(|own| own == text)
}

#[cfg(test)]
mod tests {
    use callsign::ToolId;

    use super::super::of_value;
    use super::*;

    fn decided(policy: &str, command: &[&str], url: Option<&str>) -> &'static str {
        let id = ToolId::parse("docs", "search").unwrap();
        let mut fleet = Fleet::new([id.clone()]);
        if !command.is_empty() || url.is_some() {
            let command = command.iter().map(|word| (*word).to_owned()).collect();
            fleet.set_address(id.server(), Address { command, url: url.map(str::to_owned) });
        }
        let rules = of_value(&DroidPolicy, &format!(r#"{{"mcpPolicy": {policy}}}"#)).unwrap();
        rules.decide(&fleet, fleet.find(&id).unwrap()).verdict.as_str()
    }

    #[test]
    fn hosts_and_commands_and_not_keys() {
        let list = r#"{"enabled": true, "allowlist": ["mcp.example.com", "npx", "docs"]}"#;
        assert_eq!(decided(list, &[], Some("https://mcp.example.com:8443/x?y")), "allow");
        assert_eq!(decided(list, &["npx", "-y", "x"], None), "allow");
        assert_eq!(decided(list, &["uvx"], None), "deny", "the key does not count");
        assert_eq!(decided(list, &[], Some("https://evil.org/mcp.example.com")), "deny");
        assert_eq!(decided(list, &[], Some("https://mcp.example.com@evil.org/")), "deny");
        assert_eq!(decided(list, &[], None), "default");
    }

    #[test]
    fn only_when_enabled_and_an_empty_list_blocks_all() {
        assert_eq!(decided(r#"{"enabled": true, "allowlist": []}"#, &["npx"], None), "deny");
        assert_eq!(decided(r#"{"enabled": false, "allowlist": []}"#, &["npx"], None), "default");
        assert_eq!(decided(r#"{"allowlist": []}"#, &["npx"], None), "default");
        assert_eq!(decided(r#"{"enabled": true, "allowlist": ["*"]}"#, &["npx"], None), "default");
    }
}
