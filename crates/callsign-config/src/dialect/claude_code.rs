//! Claude Code: `permissions.allow`, `ask` and `deny` in its settings, and `--allowedTools` and `--disallowedTools`.
//!
//! Evidence: documentation code.claude.com/docs/en/permissions and /mcp in editions of mid to late 2026; release notes up to
//! 2.1.240 (anthropics/claude-code 5cfc0a1, 2026-08-22). The product is closed source. How keys are spelled was seen in runs
//! of 2.1.197 and 2.1.332, and that `mcp__foo` opens neither `foo_` nor `foo__bar`.
//!
//! - The exposed name is compared; a plugin's server and a claude.ai connector have keys of their own
//!   ([`claude_code_plugin_key`](callsign::scheme::claude_code_plugin_key)), which a rule with the bare key never reaches.
//! - `*` is any run of characters and the whole name must match. In deny and ask it may stand anywhere. In allow it may only
//!   follow a literal `mcp__{server}__`; other such entries are skipped with a warning at the start, and approve nothing.
//! - A rule for an MCP tool with parentheses is dropped when settings are loaded (shown in a dialog only); from
//!   `--disallowedTools` it is matched with the call's parameters.
//! - Deny, then ask, then allow: the first class with a match decides. A deny by bare name or wildcard hides the tool too.
//! - The check for misspelt names exempts names with `_` or `*`, hence every MCP rule.

use std::borrow::Cow;

use callsign::scheme::HostSpelling;

use super::cursor_cli::CursorCli;
use super::docker_agent::DockerAgent;
use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use super::{Dialect, Found};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct ClaudeCode;

static PROFILE: Profile = Profile {
    id: "claude-code",
    host: "Claude Code",
    acts: Acts::OnCalls,
    project_files: &[".claude/settings.json", ".claude/settings.local.json"],
    user_files: &[".claude/settings.json"],
    compared: Fact::Established(
        "the exposed name mcp__SERVER__TOOL; case and white space are not documented",
    ),
    wildcards: Fact::Established(
        "* for any run of characters: anywhere in deny and ask, in allow only behind a server that is written out (mcp__SERVER__get_*)",
    ),
    precedence: Fact::Established("deny, then ask, then allow; lists of all scopes are merged"),
    empty: Fact::Established("no rules"),
    unknown_entry: Fact::Established(
        "skipped; the warning about misspelt names exempts names with _ or *, so no MCP rule is ever reported",
    ),
    evidence: &[
        "code.claude.com/docs/en/permissions (2026)",
        "anthropics/claude-code 5cfc0a1 CHANGELOG.md, up to 2.1.240 (2026-08-22)",
    ],
};

const SPELLING: HostSpelling = HostSpelling::ClaudeCode;

/// The classes in the order in which they are asked.
const CLASSES: [(&str, Effect); 3] =
    [("deny", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)];

/// What the two flags are called in a bare value.
const FLAGS: [(&str, Effect); 4] = [
    ("--disallowedTools", Effect::Deny),
    ("disallowedTools", Effect::Deny),
    ("--allowedTools", Effect::Allow),
    ("allowedTools", Effect::Allow),
];

impl Dialect for ClaudeCode {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        if let Some(permissions) = source.table(&["permissions"]) {
            reader.document.map(permissions)?;
            for (list, effect) in CLASSES {
                reader.texts(permissions, list, effect, None, |text| in_settings(text, effect))?;
            }
        }
        if !source.whole_file {
            for (flag, effect) in FLAGS {
                reader.texts(source.root(), flag, effect, None, |text| on_the_line(text, effect))?;
            }
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        reach_by_name_or_server(&entry.pattern, tool)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        rules.by_class(&CLASSES.map(|(_, effect)| effect), call)
    }

    /// A name of this host is never cut, so those of a server begin with its key.
    fn beginning<'e>(&self, entry: &'e RuleEntry) -> Option<Cow<'e, str>> {
        match &entry.pattern {
            Pattern::Exact(text) => Some(text.into()),
            Pattern::Server(key) => Some([SPELLING.marker(), key].concat().into()),
            Pattern::Glob(glob) => Some(glob.beginning().into()),
            _ => None,
        }
    }

    fn decides_by_matches(&self) -> bool {
        true
    }

    fn recognises(&self, found: Found<'_>) -> bool {
        let Some(permissions) = found.0.get("permissions") else { return false };
        CLASSES.iter().any(|(list, _)| permissions.get(list).is_some())
            && found.0.get("mcpServers").is_none()
            && !CursorCli.recognises(found)
            && !DockerAgent.recognises(found)
    }
}

/// An entry without a wildcard names one tool, or a server whose key may hold anything; one that ends in the separator and
/// a star names a server.
pub(super) fn reach_by_name_or_server(pattern: &Pattern, tool: Tool<'_>) -> Reach {
    let reach = pattern.reach(tool, SPELLING);
    if reach != Reach::No {
        return reach;
    }
    match pattern {
        Pattern::Exact(text) => {
            let key = text.strip_prefix(SPELLING.marker());
            Reach::of(key.is_some_and(|key| key == tool.key(SPELLING)))
        }
        Pattern::Server(key) => {
            let within = tool.name(SPELLING).strip_prefix(SPELLING.marker());
            let within = within.and_then(|name| name.strip_prefix(key.as_str()));
            match within.is_some_and(|rest| rest.starts_with(SPELLING.separator())) {
                true => Reach::Unknown(
                    "whether a wildcard for a server also covers the names of a longer key is not documented".into(),
                ),
                false => Reach::No,
            }
        }
        _ => Reach::No,
    }
}

fn in_settings(text: &str, effect: Effect) -> Pattern {
    if text.starts_with(SPELLING.marker()) && text.contains('(') {
        return Pattern::never(
            "a rule for an MCP tool with parentheses is dropped when the settings are loaded",
        );
    }
    pattern(text, effect)
}

fn on_the_line(text: &str, effect: Effect) -> Pattern {
    match text.starts_with(SPELLING.marker()) && text.contains('(') {
        true if effect == Effect::Deny => {
            Pattern::Unknown("it depends on the parameters of the call".into())
        }
        true => Pattern::never("only a deny may be limited to parameters"),
        false => pattern(text, effect),
    }
}

fn pattern(text: &str, effect: Effect) -> Pattern {
    let literal = text.split('*').next().unwrap_or_default();
    let marker = SPELLING.marker();
    let may_be_mcp = literal.starts_with(marker)
        || text.contains('*') && !text.contains('(') && marker.starts_with(literal);
    if !may_be_mcp {
        return Pattern::Foreign;
    }
    if let Some(key) = whole_server(text) {
        return Pattern::Server(key.to_owned());
    }
    let after_server = literal.strip_prefix(marker).is_some_and(|rest| {
        rest.find(SPELLING.separator()).is_some_and(|separator| separator > 0)
    });
    match text.contains('*') {
        false => Pattern::Exact(text.to_owned()),
        true if effect == Effect::Allow && !after_server => Pattern::never(
            "in allow a wildcard may only follow a literal server; others are skipped and approve nothing",
        ),
        true => Pattern::Glob(Glob::new(text, Wild::Star)),
    }
}

/// The key in the two long spellings of a whole server: with a star after the separator. The short one has no mark of its
/// own, so it is looked for when a tool is at hand.
pub(super) fn whole_server(text: &str) -> Option<&str> {
    let key = text.strip_prefix(SPELLING.marker())?.strip_suffix('*')?;
    let key = key.strip_suffix(SPELLING.separator())?;
    Some(key).filter(|key| !key.is_empty() && !key.contains('*'))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "plugin_p_github/get_issue"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&ClaudeCode, rules, TOOLS, call)
    }

    #[test]
    fn three_spellings_of_a_whole_server() {
        for text in ["mcp__github", "mcp__github__*"] {
            let rules = format!(r#"{{"allow": ["{text}"]}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "allow", "{text}");
            assert_eq!(decided(&rules, "plugin_p_github/get_issue"), "default", "{text}");
        }
    }

    #[test]
    fn wildcards_anywhere_in_deny_and_ask() {
        for text in ["*", "mcp__*", "mcp__*__get_issue", "m*", "mcp__git*"] {
            assert_eq!(decided(&format!(r#"{{"deny": ["{text}"]}}"#), "github/get_issue"), "deny");
            assert_eq!(decided(&format!(r#"{{"ask": ["{text}"]}}"#), "github/get_issue"), "ask");
            let allow = format!(r#"{{"allow": ["{text}"]}}"#);
            assert_eq!(decided(&allow, "github/get_issue"), "default", "{text}");
        }
        assert_eq!(decided(r#"{"allow": ["mcp__github__get_*"]}"#, "github/get_issue"), "allow");
        assert_eq!(decided(r#"{"deny": ["mcp__*__get"]}"#, "github/get_issue"), "default", "whole name");
    }

    #[test]
    fn specificity_does_not_matter() {
        let rules = r#"{"ask": ["mcp__*"], "allow": ["mcp__github__get_issue"]}"#;
        assert_eq!(decided(rules, "github/get_issue"), "ask");
    }

    #[test]
    fn parentheses_work_only_in_a_deny_on_the_line() {
        let tools = &["github/get_issue"];
        let never = |rules| matches!(reaches(&ClaudeCode, rules, tools)[0], Reach::Never(_));
        assert!(never(r#"{"deny": ["mcp__github__get_issue(repo:x)"]}"#));
        assert!(never(r#"{"--allowedTools": ["mcp__github__get_issue(repo:x)"]}"#));
        let line = reaches(&ClaudeCode, r#"{"--disallowedTools": ["mcp__github__get_issue(a:b)"]}"#, tools);
        assert!(matches!(line[0], Reach::Unknown(_)));
        assert_eq!(decided(r#"{"--disallowedTools": ["mcp__github"]}"#, "github/get_issue"), "deny");
    }

    #[test]
    fn rules_for_built_in_tools_are_not_judged() {
        for text in ["Bash(rm *)", "Read", "Bash*"] {
            let rules = format!(r#"{{"deny": ["{text}"]}}"#);
            assert_eq!(reaches(&ClaudeCode, &rules, TOOLS)[0], Reach::No, "{text}");
        }
    }

    #[test]
    fn whether_a_servers_wildcard_is_text_is_unknown_and_decides_nothing() {
        let tools = &["foo__bar/x", "foo/x"];
        let rules = r#"{"allow": ["mcp__foo__*"]}"#;
        assert_eq!(verdict(&ClaudeCode, rules, tools, "foo__bar/x"), "default");
        assert!(matches!(reaches(&ClaudeCode, rules, tools)[0], Reach::Unknown(_)));
        assert_eq!(verdict(&ClaudeCode, rules, tools, "foo/x"), "allow");
    }
}
