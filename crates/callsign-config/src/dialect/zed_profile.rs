//! Zed: which tools a profile of its agent has: `agent.profiles`.
//!
//! Evidence: zed-industries/zed `crates/agent_settings/src/agent_profile.rs`, `crates/agent/src/tools/context_server_registry.rs`
//! (2026).
//!
//! - `context_servers.{server}.tools.{tool}` is a flag, by key and wire name, byte for byte.
//! - Where a tool has one it counts, otherwise `enable_all_context_servers`. Older releases let
//!   `enable_all_context_servers: true` override an explicit `false`.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::glob::Glob;
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct ZedProfile;

static PROFILE: Profile = Profile {
    id: "zed-profile",
    host: "Zed",
    acts: Acts::OnVisibility,
    project_files: &[".zed/settings.json"],
    user_files: &[".config/zed/settings.json"],
    compared: Fact::Established("the server's id and the wire name, as two keys, byte for byte"),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established(
        "an explicit flag, then enable_all_context_servers; in older releases the latter, where it is true, comes first",
    ),
    empty: Fact::Established("as enable_all_context_servers says"),
    unknown_entry: Fact::Established("ignored without a word"),
    evidence: &["zed-industries/zed crates/agent_settings/src/agent_profile.rs (2026)"],
};

const ENABLE_ALL: &str = "enable_all_context_servers";
const SERVERS: &str = "context_servers";

/// What tells a profile from other rules.
pub(super) const KEYS: [&str; 2] = [ENABLE_ALL, SERVERS];

/// The profile that is active where nothing else is said.
const USUAL: &str = "write";

/// Entries of a profile that is not active decide nothing.
const IDLE: i64 = -1;

impl Dialect for ZedProfile {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let agent = source.root().get("agent");
        let profiles = agent.and_then(|agent| agent.get("profiles"));
        let active = agent.and_then(|agent| agent.get("default_profile"));
        let active = active.map(|node| reader.document.string(node)).transpose()?.unwrap_or(USUAL);
        for entry in profiles.map_or(&[][..], Node::entries) {
            read_profile(&mut reader, &entry.node, entry.key == active)?;
        }
        if profiles.is_none() && !source.whole_file {
            read_profile(&mut reader, source.root(), true)?;
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        decided(rules, call)
    }
}

/// What the active profile makes of a tool.
pub(super) fn decided(rules: &Rules, call: Tool<'_>) -> Decision {
    let is_active = |(_, entry): &(usize, &RuleEntry)| entry.rank > IDLE;
    if let Some((index, entry)) = rules.highest(call).filter(is_active) {
        let because = "an explicit flag counts before enable_all_context_servers";
        return Decision::by(entry.effect.verdict(call), index, because);
    }
    match rules.lists.is_empty() {
        true => Decision::default(),
        false => {
            Decision::new(Verdict::Deny, "the profile does not enable all servers, nor this tool")
        }
    }
}

/// Reads one profile; what is not active decides nothing.
pub(super) fn read_profile(
    reader: &mut Reader<'_>,
    profile: &Node<'_>,
    is_active: bool,
) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(profile)?;
    let rank = |rank: i64| if is_active { rank } else { IDLE };
    let set = |reader: &mut Reader<'_>, effect: Effect, own: i64| {
        if let Some(entry) = reader.rules.entries.last_mut() {
            (entry.effect, entry.rank) = (effect, rank(own));
        }
    };
    if let Some(node) = profile.get(ENABLE_ALL) {
        let effect = if document.flag(node)? { Effect::Show } else { Effect::Hide };
        let list = reader.open(node, effect, None);
        let word = if effect == Effect::Show { "true" } else { "false" };
        reader.entry(list, word, node.span, Pattern::All);
        set(reader, effect, 0);
    }
    let Some(servers) = profile.get(SERVERS) else { return Ok(()) };
    for server in document.map(servers)? {
        let Some(tools) = server.node.get("tools") else { continue };
        let list = reader.open(tools, Effect::Show, None);
        for tool in document.map(tools)? {
            let effect = if document.flag(&tool.node)? { Effect::Show } else { Effect::Hide };
            let pattern = Pattern::Parts(Glob::literal(&server.key), Glob::literal(&tool.key));
            reader.entry(list, &tool.key, tool.key_span, pattern);
            set(reader, effect, 1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::verdict;
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&ZedProfile, rules, TOOLS, call)
    }

    #[test]
    fn an_explicit_flag_then_the_flag_for_all() {
        let servers = r#""context_servers": {"github": {"tools": {"get_issue": true, "create_issue": false, "*": true}}}"#;
        let all = format!(r#"{{"enable_all_context_servers": true, {servers}}}"#);
        assert_eq!(decided(&all, "github/create_issue"), "deny");
        assert_eq!(decided(&all, "docs/search"), "allow");
        let some = format!(r#"{{"enable_all_context_servers": false, {servers}}}"#);
        assert_eq!(decided(&some, "github/get_issue"), "allow");
        assert_eq!(decided(&some, "docs/search"), "deny");
        assert_eq!(decided(&format!("{{{servers}}}"), "docs/search"), "deny");
        assert_eq!(decided("{}", "docs/search"), "default");
    }

    #[test]
    fn only_the_active_profile_decides() {
        let profiles = r#""profiles": {"write": {"enable_all_context_servers": true}, "ask": {"enable_all_context_servers": false}}"#;
        assert_eq!(decided(&format!(r#"{{"agent": {{{profiles}}}}}"#), "docs/search"), "allow");
        let asks = format!(r#"{{"agent": {{"default_profile": "ask", {profiles}}}}}"#);
        assert_eq!(decided(&asks, "docs/search"), "deny");
    }
}
