//! Gemini CLI: the lists of `settings.json` that become policies: `tools.exclude`, `tools.allowed`, `tools.core`,
//! `tools.confirmationRequired`, `mcp.allowed` and `mcp.excluded`.
//!
//! Evidence: google-gemini/gemini-cli 5411f11 (2026-08-21), `packages/core/src/policy/config.ts`,
//! `packages/core/src/tools/{tool-registry,mcp-client-manager}.ts`; issues #28361 and #29199.
//!
//! - Each list has a fixed priority: `mcp.excluded`, `tools.exclude`, `tools.confirmationRequired`, `tools.allowed`,
//!   `tools.core`, `mcp.allowed`, from the highest down.
//! - `tools.exclude` also hides every tool whose exposed or *unqualified* name is the text: `search` of every server.
//! - `tools.allowed` drops the arguments of `name(args)` and allows the whole tool.
//! - `tools.core` denies everything that is not listed above it in rank, hence all MCP tools, trusted ones too.
//! - Keys in `mcp.allowed` and `mcp.excluded` also decide which servers are connected to. An empty `mcp.allowed` restricts
//!   nothing there.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::gemini_policy::{policy_pattern, reach_by_policy};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct GeminiSettings;

static PROFILE: Profile = Profile {
    id: "gemini-settings",
    host: "Gemini CLI",
    acts: Acts::OnBoth,
    project_files: &[".gemini/settings.json"],
    user_files: &[".gemini/settings.json"],
    compared: Fact::Established(
        "the exposed name mcp_SERVER_TOOL; tools.exclude with the wire name too, mcp.* with the key",
    ),
    wildcards: Fact::Established("*, mcp_* and mcp_SERVER_* only, as in policies"),
    precedence: Fact::Established("fixed priorities, a list at a time: mcp.excluded is the highest, mcp.allowed the lowest"),
    empty: Fact::Established("an empty mcp.allowed restricts nothing"),
    unknown_entry: Fact::Established("ignored without a word; the arguments of tools.allowed are dropped"),
    evidence: &[
        "google-gemini/gemini-cli 5411f11 packages/core/src/policy/config.ts mapToolsToRules (2026-08-21)",
        "google-gemini/gemini-cli 5411f11 packages/core/src/tools/tool-registry.ts (2026-08-21)",
        "google-gemini/gemini-cli #28361, #29199",
    ],
};

const SPELLING: HostSpelling = HostSpelling::GeminiCli;

/// Table, list, effect and priority in thousandths.
const LISTS: [(&str, &str, Effect, i64); 5] = [
    ("mcp", "excluded", Effect::Deny, 4900),
    ("tools", "exclude", Effect::Hide, 4400),
    ("tools", "confirmationRequired", Effect::Ask, 4350),
    ("tools", "allowed", Effect::Allow, 4300),
    ("mcp", "allowed", Effect::Show, 4100),
];

/// The deny for everything that `tools.core` brings.
const CORE: i64 = 4240;

impl Dialect for GeminiSettings {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (table, key, effect, rank) in LISTS {
            let Some(list) = list_at(source, table, key) else { continue };
            let is_server = table == "mcp";
            let pattern = |text: &str| match is_server {
                true => by_key(text, effect),
                false => policy_pattern(without_arguments(text, effect)),
            };
            reader.texts_of(list, effect, rank, pattern)?;
        }
        if let Some(core) = list_at(source, "tools", "core") {
            tools_core(&mut reader, core)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let named = entry.text == tool.wire() || entry.text == tool.name(SPELLING);
        match entry.effect {
            Effect::Hide if named => Reach::Matches,
            Effect::Deny if entry.rank == CORE => Reach::Matches,
            // Connecting goes by the key as it is.
            Effect::Deny | Effect::Show => entry.pattern.reach(tool, HostSpelling::Bare),
            _ => reach_by_policy(&entry.pattern, tool),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if let Some(decision) = not_connected(rules, call) {
            return decision;
        }
        match rules.highest(call) {
            // Connecting goes by the key, and the allow that comes with it by the exposed name.
            Some((_, entry)) if entry.effect == Effect::Show && is_sanitised(call) => Decision::default(),
            Some((index, entry)) => {
                Decision::by(entry.effect.verdict(call), index, "the list with the highest priority decides")
            }
            None => Decision::default(),
        }
    }
}

/// A list under its table, or, where rules stand alone, under both names with a dot.
fn list_at<'d>(source: Source<'d>, table: &str, key: &str) -> Option<&'d Node<'d>> {
    let dotted = || source.root().get(&[table, ".", key].concat()).filter(|_| !source.whole_file);
    source.root().get(table).and_then(|table| table.get(key)).or_else(dotted)
}

fn by_key(text: &str, effect: Effect) -> Pattern {
    match (text, effect) {
        ("*", Effect::Deny) => Pattern::All,
        ("*", _) => Pattern::Unknown("which servers are connected to under `*` is not established".into()),
        (key, _) => Pattern::Server(key.to_owned()),
    }
}

/// `name(args)` allows the whole tool. A command of the shell is another matter.
fn without_arguments(text: &str, effect: Effect) -> &str {
    match text.split_once('(') {
        Some((name, _)) if effect == Effect::Allow && !name.starts_with("run_shell") => name,
        _ => text,
    }
}

/// The list itself denies; what it says of MCP tools is not established.
fn tools_core(reader: &mut Reader<'_>, core: &Node<'_>) -> Result<(), ConfigError> {
    let is_empty = reader.document.list(core)?.is_empty();
    let list = reader.open(core, Effect::Deny, None);
    let pattern = match is_empty {
        true => Pattern::Unknown("what an empty `tools.core` does is not established".into()),
        false => Pattern::All,
    };
    reader.entry(list, "tools.core", core.span, pattern);
    if let Some(entry) = reader.rules.entries.last_mut() {
        entry.rank = if is_empty { 0 } else { CORE };
    }
    Ok(())
}

fn is_sanitised(call: Tool<'_>) -> bool {
    reach_by_policy(&Pattern::Server(call.server().to_owned()), call) != Reach::Matches
}

/// Servers outside a list that has entries are not connected to, and have no tools.
fn not_connected(rules: &Rules, call: Tool<'_>) -> Option<Decision> {
    let mut allowed = rules.entries.iter().filter(|entry| entry.effect == Effect::Show).peekable();
    allowed.peek()?;
    let connected = allowed.any(|entry| !matches!(rules.reach(entry, call), Reach::No));
    (!connected).then(|| Decision::new(Verdict::Deny, "the server is not among `mcp.allowed`"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/search", "docs/search", "docs/read"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&GeminiSettings, rules, TOOLS, call)
    }

    #[test]
    fn exclude_hides_by_the_unqualified_name_everywhere() {
        let rules = r#"{"tools": {"exclude": ["search"]}}"#;
        assert_eq!(decided(rules, "github/search"), "deny");
        assert_eq!(decided(rules, "docs/search"), "deny");
        assert_eq!(decided(rules, "docs/read"), "default");
        assert_eq!(decided(r#"{"tools.exclude": ["mcp_docs_*"]}"#, "docs/read"), "deny");
    }

    #[test]
    fn core_shuts_off_all_mcp_tools_but_those_ranked_higher() {
        assert_eq!(decided(r#"{"tools.core": ["read_file"]}"#, "docs/read"), "deny");
        let rules = r#"{"tools.core": ["read_file"], "tools.allowed": ["mcp_docs_read"]}"#;
        assert_eq!(decided(rules, "docs/read"), "allow");
        assert_eq!(decided(r#"{"tools.core": ["read_file"], "mcp.allowed": ["docs"]}"#, "docs/read"), "deny");
        assert_eq!(decided(r#"{"tools.core": []}"#, "docs/read"), "default");
    }

    #[test]
    fn fixed_priorities() {
        let rules = r#"{"tools.confirmationRequired": ["mcp_docs_read"], "tools.allowed": ["mcp_docs_read"]}"#;
        assert_eq!(decided(rules, "docs/read"), "ask");
        let rules = r#"{"tools.exclude": ["mcp_docs_read"], "tools.confirmationRequired": ["mcp_docs_read"]}"#;
        assert_eq!(decided(rules, "docs/read"), "deny");
        assert_eq!(decided(r#"{"tools.allowed": ["mcp_docs_read"], "mcp.excluded": ["docs"]}"#, "docs/read"), "deny");
    }

    #[test]
    fn servers_by_key() {
        assert_eq!(decided(r#"{"mcp.allowed": ["docs"]}"#, "docs/read"), "allow");
        assert_eq!(decided(r#"{"mcp.allowed": ["Docs"]}"#, "docs/read"), "deny", "case counts");
        assert_eq!(decided(r#"{"mcp.allowed": []}"#, "docs/read"), "default");
        let sanitised = verdict(&GeminiSettings, r#"{"mcp.allowed": ["a b"]}"#, &["a b/x"], "a b/x");
        assert_eq!(sanitised, "default", "connected to, and not allowed by a rule that misses");
        assert_eq!(decided(r#"{"mcp": {"excluded": ["*"]}}"#, "docs/read"), "deny");
        assert_eq!(decided(r#"{"mcp.allowed": ["*"]}"#, "docs/read"), "default", "not established");
    }

    #[test]
    fn allowed_and_confirmation_take_no_wildcard_in_a_name() {
        for list in ["tools.allowed", "tools.confirmationRequired"] {
            let rules = format!(r#"{{"{list}": ["mcp_docs_r*"]}}"#);
            assert!(matches!(reaches(&GeminiSettings, &rules, TOOLS)[0], Reach::Never(_)));
        }
    }
}
