//! Claude Code: the `matcher` of a hook.
//!
//! Evidence: documentation code.claude.com/docs/en/hooks (2026); release notes 2.1.191 (comma lists never fired before) and
//! 2.1.195 (a hyphen made the text an expression before).
//!
//! - `*`, an empty matcher and none fire for every tool.
//! - Letters, digits, `_`, `-`, spaces, `,` and `|` alone are exact names, divided by `|` or `,`. So `mcp__memory` fires for
//!   nothing.
//! - Any other character makes it a JavaScript regular expression that may match anywhere in the name.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::js_regex::js_regex;
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::Node;

#[derive(Debug)]
pub(crate) struct ClaudeCodeHook;

static PROFILE: Profile = Profile {
    id: "claude-code-hook",
    host: "Claude Code",
    acts: Acts::OnHooks,
    project_files: &[".claude/settings.json", ".claude/settings.local.json"],
    user_files: &[".claude/settings.json"],
    compared: Fact::Established("the exposed name mcp__SERVER__TOOL"),
    wildcards: Fact::Established(
        "* alone; a JavaScript regular expression as soon as there is any character besides letters, digits, _ - , | and spaces",
    ),
    precedence: Fact::Established("all hooks that match are run"),
    empty: Fact::Established("fires for every tool"),
    unknown_entry: Fact::Established("fires for nothing, without a word"),
    evidence: &[
        "code.claude.com/docs/en/hooks (2026)",
        "anthropics/claude-code 5cfc0a1 CHANGELOG.md, 2.1.191 and 2.1.195 (2026)",
    ],
};

/// Events whose matcher is held against a tool's name.
const EVENTS: [&str; 4] = ["PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionRequest"];

impl Dialect for ClaudeCodeHook {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::ClaudeCode
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let hooks = source.root().get("hooks");
        for event in EVENTS {
            let Some(groups) = hooks.and_then(|hooks| hooks.get(event)) else { continue };
            let list = reader.open(groups, Effect::Hook, None);
            for group in reader.document.list(groups)? {
                matcher(&mut reader, list, group)?;
            }
        }
        if !source.whole_file && hooks.is_none() {
            let list = reader.open(source.root(), Effect::Hook, None);
            matcher(&mut reader, list, source.root())?;
        }
        Ok(reader.rules)
    }

    /// A hook only runs a program; what that says is not in the file.
    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        match rules.first(&[Effect::Hook], call) {
            Some(entry) => Decision::by(Verdict::Default, entry, "the hook is run, and its answer decides"),
            None => Decision::new(Verdict::Default, "no hook is run"),
        }
    }
}

fn matcher(reader: &mut Reader<'_>, list: usize, group: &Node<'_>) -> Result<(), ConfigError> {
    match group.get("matcher") {
        None => reader.entry(list, "", group.span, Pattern::All),
        Some(node) => {
            let text = reader.document.string(node)?;
            if is_names(text) && text.contains(['|', ',']) {
                return names(reader, list, node, text);
            }
            reader.entry(list, text, node.span, pattern(text));
        }
    }
    Ok(())
}

/// Each name of a list is an entry of its own, so that a dead one among living ones is found.
fn names(reader: &mut Reader<'_>, list: usize, node: &Node<'_>, text: &str) -> Result<(), ConfigError> {
    for (name, span) in reader.pieces(node, text, &['|', ',']) {
        reader.entry(list, name, span, pattern(name));
    }
    Ok(())
}

fn is_names(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_-, |".contains(c))
}

fn pattern(text: &str) -> Pattern {
    if text.is_empty() || text == "*" {
        return Pattern::All;
    }
    let marker = HostSpelling::ClaudeCode.marker();
    match is_names(text) {
        true if text.starts_with(marker) => Pattern::Exact(text.to_owned()),
        true => Pattern::Foreign,
        false => js_regex(text),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::super::testing::reaches;
    use super::*;

    fn fires(matcher: &str) -> Vec<Reach> {
        let rules = format!(r#"{{"matcher": {}}}"#, serde_json::Value::from(matcher));
        reaches(&ClaudeCodeHook, &rules, &["memory/store"])
    }

    #[test]
    fn names_are_exact_and_anything_else_is_an_expression() {
        for matcher in ["", "*", "mcp__memory__store", "mcp__memory__.*", "store$", "mcp__.*__store"] {
            assert_eq!(fires(matcher)[0], Reach::Matches, "{matcher}");
        }
        for matcher in ["mcp__memory", "mcp__memory__stor", "^memory", "Bash(git *)"] {
            assert_eq!(fires(matcher)[0], Reach::No, "{matcher}");
        }
        assert_eq!(fires("Read|mcp__memory__store")[1], Reach::Matches);
        assert_eq!(fires("Read, mcp__memory__store")[1], Reach::Matches);
    }

    #[test]
    fn an_expression_that_means_something_else_here_is_unknown() {
        for matcher in ["mcp__(?!memory).*", r"(a)\1", r"\Astore", "mcp__[^]"] {
            assert!(matches!(fires(matcher)[0], Reach::Unknown(_)), "{matcher}");
        }
    }

    #[test]
    fn hooks_of_a_file() {
        let rules = r#"{"hooks": {"PreToolUse": [{"matcher": "mcp__memory__.*", "hooks": []}, {"hooks": []}],
                        "SessionStart": [{"matcher": "startup"}]}}"#;
        assert_eq!(reaches(&ClaudeCodeHook, rules, &["memory/x"]), [Reach::Matches, Reach::Matches]);
    }
}
