//! The matchers of hooks in Factory's droid and in Crush: for which calls a program of the user's is run.
//!
//! Evidence: Factory-AI/factory a80aa7c (2026-07-24), `docs/reference/hooks-reference.mdx`; charmbracelet/crush 37f36e9
//! (2026-08-21), `internal/config/config.go`.
//!
//! | | compared with | expression |
//! |---|---|---|
//! | droid | `mcp__{server}__{tool}`, case counts | whether it may match anywhere in the name is not stated |
//! | Crush | `mcp_{server}_{tool}` | anywhere in the name; one that does not compile is skipped |
//!
//! A matcher that is absent fires for every tool.

use callsign::scheme::HostSpelling;
use regex_lite::Regex;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::Node;

/// Hooks whose matcher is an expression, whoever has them.
#[derive(Debug)]
pub(crate) struct HookMatchers {
    profile: &'static Profile,
    spelling: HostSpelling,
    pattern: fn(&str) -> Pattern,
}

/// Factory's droid.
pub(crate) static DROID_HOOK: HookMatchers = HookMatchers {
    profile: &Profile {
        id: "droid-hook",
        host: "Factory droid",
        acts: Acts::OnHooks,
        project_files: &[".factory/settings.json"],
        user_files: &[".factory/settings.json"],
        compared: Fact::Established("the name mcp__SERVER__TOOL, case counts"),
        wildcards: Fact::Established(
            "a regular expression; whether for the whole name is not stated",
        ),
        precedence: Fact::Established("all hooks that match are run"),
        empty: Fact::Established("fires for every tool"),
        unknown_entry: Fact::Unknown("what happens to an expression that does not compile"),
        evidence: &["Factory-AI/factory a80aa7c docs/reference/hooks-reference.mdx (2026-07-24)"],
    },
    spelling: HostSpelling::Raw,
    pattern: in_either_reading,
};

/// Crush.
pub(crate) static CRUSH_HOOK: HookMatchers = HookMatchers {
    profile: &Profile {
        id: "crush-hook",
        host: "Crush",
        acts: Acts::OnHooks,
        project_files: &["crush.json", ".crush.json"],
        user_files: &[".config/crush/crush.json"],
        compared: Fact::Established("the exposed name mcp_SERVER_TOOL"),
        wildcards: Fact::Established("a regular expression of Go's, anywhere in the name"),
        precedence: Fact::Established("all hooks that match are run"),
        empty: Fact::Established("fires for every tool"),
        unknown_entry: Fact::Established("an expression that does not compile is skipped"),
        evidence: &["charmbracelet/crush 37f36e9 internal/config/config.go (2026-08-21)"],
    },
    spelling: HostSpelling::Crush,
    pattern: anywhere,
};

/// Events that come with a tool.
const EVENTS: [&str; 2] = ["PreToolUse", "PostToolUse"];

impl Dialect for HookMatchers {
    fn profile(&self) -> &'static Profile {
        self.profile
    }

    fn compared(&self) -> HostSpelling {
        self.spelling
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let hooks = source.root().get("hooks");
        for event in EVENTS {
            let Some(groups) = hooks.and_then(|hooks| hooks.get(event)) else { continue };
            let list = reader.open(groups, Effect::Hook, None);
            for group in reader.document.list(groups)? {
                self.matcher(&mut reader, list, group)?;
            }
        }
        if !source.whole_file && hooks.is_none() {
            let list = reader.open(source.root(), Effect::Hook, None);
            self.matcher(&mut reader, list, source.root())?;
        }
        Ok(reader.rules)
    }

    /// A hook only runs a program; what that says is not in the file.
    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        match rules.first(&[Effect::Hook], call) {
            Some(entry) => {
                Decision::by(Verdict::Default, entry, "the hook is run, and its answer decides")
            }
            None => Decision::new(Verdict::Default, "no hook is run"),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        Some(regex_lite::escape(tool.name(self.spelling)))
    }
}

impl HookMatchers {
    fn matcher(
        &self,
        reader: &mut Reader<'_>,
        list: usize,
        group: &Node<'_>,
    ) -> Result<(), ConfigError> {
        match group.get("matcher") {
            None => reader.entry(list, "", group.span, Pattern::All),
            Some(node) => {
                let text = reader.document.string(node)?;
                reader.entry(list, text, node.span, (self.pattern)(text));
            }
        }
        Ok(())
    }
}

const NOT_UNDERSTOOD: &str = "this regular expression is not understood here";

fn in_either_reading(text: &str) -> Pattern {
    let whole = Regex::new(&format!("^(?:{text})$"));
    match (Regex::new(text), whole) {
        (Ok(part), Ok(whole)) => Pattern::Disputed(
            Box::new(Pattern::Regex(part)),
            Box::new(Pattern::Regex(whole)),
            "whether the expression may match a part of the name is not stated",
        ),
        _ => Pattern::Unknown(NOT_UNDERSTOOD.into()),
    }
}

/// Go's engine has classes that ours has not; what only it may know is not called broken.
fn anywhere(text: &str) -> Pattern {
    const ONLY_THERE: [&str; 3] = ["\\p", "\\P", "[["];
    match Regex::new(text) {
        Ok(regex) => Pattern::Regex(regex),
        Err(_) if ONLY_THERE.iter().any(|part| text.contains(part)) => {
            Pattern::Unknown(NOT_UNDERSTOOD.into())
        }
        Err(_) => Pattern::never("an expression that does not compile is skipped"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::super::testing::{reaches, verdict};
    use super::*;

    fn fires(dialect: &'static HookMatchers, matcher: &str) -> Reach {
        let rules = format!(r#"{{"matcher": {}}}"#, serde_json::Value::from(matcher));
        reaches(dialect, &rules, &["memory/store"]).remove(0)
    }

    #[test]
    fn droids_expressions_are_decided_where_both_readings_agree() {
        for matcher in ["mcp__memory__.*", "mcp__memory__store", ".*store"] {
            assert_eq!(fires(&DROID_HOOK, matcher), Reach::Matches, "{matcher}");
        }
        for matcher in ["MCP__memory__.*", "mcp_memory_store", "Bash"] {
            assert_eq!(fires(&DROID_HOOK, matcher), Reach::No, "{matcher}");
        }
        for matcher in ["memory", "mcp__memory", "("] {
            assert!(matches!(fires(&DROID_HOOK, matcher), Reach::Unknown(_)), "{matcher}");
        }
    }

    #[test]
    fn crushs_expressions_match_anywhere_or_are_skipped() {
        for matcher in ["memory", "^mcp_memory_", "store$", ""] {
            assert_eq!(fires(&CRUSH_HOOK, matcher), Reach::Matches, "{matcher}");
        }
        assert_eq!(fires(&CRUSH_HOOK, "mcp__memory"), Reach::No);
        assert!(matches!(fires(&CRUSH_HOOK, "(?=x)"), Reach::Never(_)));
        assert!(matches!(fires(&CRUSH_HOOK, "("), Reach::Never(_)));
        assert!(matches!(fires(&CRUSH_HOOK, r"\p{L}{"), Reach::Unknown(_) | Reach::Never(_)));
    }

    #[test]
    fn hooks_of_a_file_decide_nothing_themselves() {
        let rules =
            r#"{"hooks": {"PreToolUse": [{"matcher": "mcp_", "command": "x"}, {"command": "y"}]}}"#;
        assert_eq!(reaches(&CRUSH_HOOK, rules, &["a/b"]), [Reach::Matches, Reach::Matches]);
        assert_eq!(verdict(&CRUSH_HOOK, rules, &["a/b"], "a/b"), "default");
    }
}
