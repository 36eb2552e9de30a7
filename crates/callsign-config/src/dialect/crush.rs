//! Crush: `permissions.allowed_tools`, each server's `enabled_tools` and `disabled_tools`, `options.disabled_tools`, and the
//! servers that an agent may use.
//!
//! Evidence: charmbracelet/crush 37f36e9 (2026-08-21), `internal/permission/permission.go`,
//! `internal/agent/{coordinator.go,tools/mcp-tools.go,tools/mcp/tools.go}`, `internal/config/config.go`.
//!
//! - `allowed_tools` holds exposed names `mcp_{server}_{tool}`, byte for byte, or those with `:execute` behind. No wildcard,
//!   no entry for a server. One name may be that of two tools: `a` + `b_c` and `a_b` + `c`.
//! - `enabled_tools` and `disabled_tools` hold wire names. An empty `enabled_tools` restricts nothing; `disabled_tools` is
//!   applied after it.
//! - `options.disabled_tools` and the command `permissions deny` act on built-in tools only: a name of an MCP tool there does
//!   nothing.
//! - `allowed_mcp` of an agent: none is all servers, an empty table none, and an empty list all tools of its server.

use callsign::scheme::HostSpelling;

use super::fleet::{Fleet, Tool};
use super::keys::{at, of_servers};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct Crush;

static PROFILE: Profile = Profile {
    id: "crush",
    host: "Crush",
    acts: Acts::OnBoth,
    project_files: &["crush.json", ".crush.json"],
    user_files: &[".config/crush/crush.json"],
    compared: Fact::Established(
        "the exposed name mcp_SERVER_TOOL, byte for byte; in a server's own lists the wire name",
    ),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established("allow only; disabled_tools after enabled_tools"),
    empty: Fact::Established(
        "an empty enabled_tools is all tools; without an entry a call is asked for",
    ),
    unknown_entry: Fact::Established(
        "ignored without a word; options.disabled_tools never concerns MCP tools",
    ),
    evidence: &[
        "charmbracelet/crush 37f36e9 internal/permission/permission.go (2026-08-21)",
        "charmbracelet/crush 37f36e9 internal/agent/tools/mcp/tools.go filterTools (2026-08-21)",
        "charmbracelet/crush 37f36e9 internal/agent/coordinator.go (2026-08-21)",
    ],
};

const SPELLING: HostSpelling = HostSpelling::Crush;
const ACTION: &str = ":execute";
const SERVERS: &str = "mcp";

/// What looks as if it took tools away.
const BUILT_IN_ONLY: [&[&str]; 3] =
    [&["options", "disabled_tools"], &["permissions", "deny"], &["permissions deny"]];

impl Dialect for Crush {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        if let Some(list) = at(source, &["permissions", "allowed_tools"]) {
            reader.texts_of(list, Effect::Allow, 0, exposed)?;
        }
        for (key, effect) in [("disabled_tools", Effect::Hide), ("enabled_tools", Effect::Show)] {
            for (server, list) in of_servers(source, SERVERS, key) {
                own_list(&mut reader, list, effect, server)?;
            }
        }
        for path in BUILT_IN_ONLY {
            if let Some(list) = built_in_list(source, path) {
                reader.texts_of(list, Effect::Hide, 0, |text| match is_exposed(text) {
                    true => Pattern::never("this list acts on built-in tools only"),
                    false => Pattern::Foreign,
                })?;
            }
        }
        if let Some(servers) = source.root().get("allowed_mcp").filter(|_| !source.whole_file) {
            agents_servers(&mut reader, servers)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let spelling = if entry.effect == Effect::Allow { SPELLING } else { HostSpelling::Bare };
        let reach = entry.pattern.reach(tool, spelling);
        match &entry.pattern {
            Pattern::Exact(text) if entry.effect == Effect::Allow && reach == Reach::No => {
                Reach::of(text.strip_suffix(ACTION) == Some(tool.name(SPELLING)))
            }
            _ => reach,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let filtered = rules.filtered(call);
        if filtered.as_ref().is_some_and(|decision| decision.verdict == Verdict::Deny) {
            return filtered.unwrap_or_else(Decision::default);
        }
        match rules.first(&[Effect::Allow], call) {
            Some(entry) => Decision::by(Verdict::Allow, entry, "listed"),
            None if rules.has_list(Effect::Allow, call) => {
                Decision::new(Verdict::Ask, "what is not listed is asked for")
            }
            None => filtered.unwrap_or_else(Decision::default),
        }
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        found.0.get("permissions").is_some_and(|table| table.get("allowed_tools").is_some())
            && found.0.get(SERVERS).is_some()
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(SPELLING);
        exposed(text).proposes(text, tool, SPELLING)
    }
}

/// Alone, `disabled_tools` is a server's list, so this one is looked for under its whole path only.
fn built_in_list<'d>(source: Source<'d>, path: &[&str]) -> Option<&'d Node<'d>> {
    let nested = path.iter().try_fold(source.root(), |node, key| node.get(key));
    nested.or_else(|| source.root().get(&path.join(".")).filter(|_| !source.whole_file))
}

fn is_exposed(text: &str) -> bool {
    text.starts_with(SPELLING.marker())
}

fn exposed(text: &str) -> Pattern {
    match is_exposed(text) {
        true if text.contains('*') => Pattern::never("there are no wildcards"),
        true => Pattern::Exact(text.to_owned()),
        false => Pattern::Foreign,
    }
}

fn own_list(
    reader: &mut Reader<'_>,
    list: &Node<'_>,
    effect: Effect,
    server: Option<&str>,
) -> Result<(), ConfigError> {
    let document = reader.document;
    let items = document.list(list)?;
    if items.is_empty() && effect == Effect::Show {
        return Ok(());
    }
    let index = reader.open(list, effect, server);
    for item in items {
        let text = document.string(item)?;
        reader.entry(index, text, item.span, Pattern::Exact(text.to_owned()));
    }
    Ok(())
}

fn agents_servers(reader: &mut Reader<'_>, servers: &Node<'_>) -> Result<(), ConfigError> {
    let document = reader.document;
    // The table itself is a list: one without entries leaves nothing.
    reader.open(servers, Effect::Show, None);
    for server in document.map(servers)? {
        let list = reader.open(&server.node, Effect::Show, Some(&server.key));
        let tools = document.list(&server.node)?;
        if tools.is_empty() {
            reader.entry(list, &server.key, server.key_span, Pattern::All);
        }
        for tool in tools {
            let text = document.string(tool)?;
            reader.entry(list, text, tool.span, Pattern::Exact(text.to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "a/b_c", "a_b/c"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Crush, rules, TOOLS, call)
    }

    #[test]
    fn allowed_tools_are_exposed_names() {
        for entry in ["mcp_github_get_issue", "mcp_github_get_issue:execute"] {
            let rules = format!(r#"{{"permissions.allowed_tools": ["{entry}"]}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "allow", "{entry}");
            assert_eq!(decided(&rules, "github/create_issue"), "ask", "{entry}");
        }
        for entry in [
            "mcp_github_*",
            "mcp_github",
            "get_issue",
            "mcp_github_get_issue:read",
            "mcp__github__get_issue",
        ] {
            let rules = format!(r#"{{"permissions": {{"allowed_tools": ["{entry}"]}}}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "ask", "{entry}");
        }
        let one = r#"{"allowed_tools": ["mcp_a_b_c"]}"#;
        assert_eq!((decided(one, "a/b_c"), decided(one, "a_b/c")), ("allow", "allow"));
    }

    #[test]
    fn a_servers_lists_are_wire_names_and_an_empty_one_is_all() {
        assert_eq!(decided(r#"{"mcp.github.enabled_tools": []}"#, "github/get_issue"), "default");
        let rules = r#"{"mcp.github.enabled_tools": ["get_issue"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "allow");
        assert_eq!(decided(rules, "github/create_issue"), "deny");
        assert_eq!(decided(rules, "a/b_c"), "default");
        let both = r#"{"mcp": {"github": {"enabled_tools": ["get_issue"], "disabled_tools": ["get_issue"]}}}"#;
        assert_eq!(decided(both, "github/get_issue"), "deny");
        let approved = r#"{"mcp.github.disabled_tools": ["get_issue"], "permissions.allowed_tools": ["mcp_github_get_issue"]}"#;
        assert_eq!(decided(approved, "github/get_issue"), "deny");
        assert_eq!(
            decided(
                r#"{"mcp.github.disabled_tools": ["mcp_github_get_issue"]}"#,
                "github/get_issue"
            ),
            "default"
        );
    }

    #[test]
    fn what_acts_on_built_in_tools_does_nothing() {
        for key in ["options.disabled_tools", "permissions deny", "permissions.deny"] {
            let rules = format!(r#"{{"{key}": ["mcp_github_get_issue", "bash"]}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "default", "{key}");
            assert!(matches!(reaches(&Crush, &rules, TOOLS)[..], [Reach::Never(_), Reach::No]));
        }
    }

    #[test]
    fn an_agents_servers() {
        assert_eq!(decided(r#"{"allowed_mcp": {}}"#, "github/get_issue"), "deny");
        assert_eq!(decided(r#"{"allowed_mcp": null}"#, "github/get_issue"), "default");
        assert_eq!(decided(r#"{"allowed_mcp": {"github": []}}"#, "github/get_issue"), "allow");
        assert_eq!(decided(r#"{"allowed_mcp": {"github": []}}"#, "a/b_c"), "deny");
        assert_eq!(
            decided(r#"{"allowed_mcp": {"github": ["get_issue"]}}"#, "github/create_issue"),
            "deny"
        );
    }
}
