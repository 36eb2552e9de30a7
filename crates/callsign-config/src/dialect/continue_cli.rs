//! Continue's CLI: `permissions.yaml` and the flags `--allow`, `--ask` and `--exclude`.
//!
//! Evidence: continuedev/continue d0a3c0b (2026-06-18), `extensions/cli/src/permissions/*`, `extensions/cli/src/tools/index.tsx`.
//!
//! - The wire name is compared, without any server, so one entry covers that name on every server.
//! - `*` and `?` anywhere; the whole name must match; case counts.
//! - The first match decides: the flags' `exclude`, `ask`, `allow`, then the file's, then the defaults. So `--allow x` beats
//!   `exclude: [x]` in the file. The last default is `*`: ask on a terminal, allow without one. The modes plan and auto
//!   replace all lists.
//! - Any unknown key, and any value that is no list, makes the loader drop the whole file with a line in a log.
//! - `Tool(argument)` in the file becomes a condition on an argument called `pattern`; flags are not read that way. A pattern
//!   whose parentheses are not balanced throws.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::glob::{Glob, Wild};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct ContinueCli;

static PROFILE: Profile = Profile {
    id: "continue-cli",
    host: "Continue CLI",
    acts: Acts::OnCalls,
    project_files: &[],
    user_files: &[".continue/permissions.yaml"],
    compared: Fact::Established("the wire name, without any server"),
    wildcards: Fact::Established("* for any run of characters and ? for one, anywhere"),
    precedence: Fact::Established(
        "the first match: the flags' exclude, ask, allow, then the file's, then the defaults",
    ),
    empty: Fact::Established("the defaults: ask on a terminal, allow without one"),
    unknown_entry: Fact::Established(
        "an unknown key or a value that is no list drops the whole file",
    ),
    evidence: &[
        "continuedev/continue d0a3c0b extensions/cli/src/permissions/precedenceResolver.ts (2026-06-18)",
        "continuedev/continue d0a3c0b extensions/cli/src/permissions/permissionsYamlLoader.ts (2026-06-18)",
    ],
};

/// In the order in which they are asked.
const LISTS: [(&str, Effect); 3] =
    [("exclude", Effect::Deny), ("ask", Effect::Ask), ("allow", Effect::Allow)];

const DROPPED: &str =
    "an unknown key, or a value that is no list, makes Continue drop the whole file";

impl Dialect for ContinueCli {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let root = source.root();
        reader.document.map(root)?;
        if source.whole_file {
            file(&mut reader, root)?;
            return Ok(reader.rules);
        }
        let flags = root.get("flags");
        for (list, effect) in LISTS {
            if let Some(flags) = flags {
                reader.texts_or_commas(flags, list, effect, on_the_line)?;
            }
            reader.texts_or_commas(root, &["--", list].concat(), effect, on_the_line)?;
        }
        for switch in ["mode", "headless"] {
            reader.switch(root, switch)?;
        }
        match root.get("yaml") {
            Some(yaml) => file(&mut reader, yaml)?,
            None => {
                for (list, effect) in LISTS {
                    reader.texts(root, list, effect, None, in_file)?;
                }
            }
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        if let Some("plan" | "auto") = rules.switch("mode") {
            return Decision::new(Verdict::Default, "this mode replaces all lists");
        }
        let effects = LISTS.map(|(_, effect)| effect);
        if let Some(entry) = rules.first(&effects, call) {
            let verdict =
                rules.entries.get(entry).map_or(Verdict::Default, |e| e.effect.verdict(call));
            return Decision::by(verdict, entry, "the first match decides, flags before the file");
        }
        let is_headless = match (rules.switch("headless"), rules.switch("mode")) {
            (Some(headless), _) => Some(headless == "true"),
            (None, Some("headless")) => Some(true),
            _ => None,
        };
        match is_headless {
            Some(true) => Decision::new(
                Verdict::Allow,
                "without a terminal the last default allows everything",
            ),
            Some(false) => Decision::new(Verdict::Ask, "on a terminal the last default asks"),
            None => Decision::default(),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.wire();
        let literal = !text.contains(['*', '?']);
        in_file(text).proposes(text, tool, self.compared()).filter(|_| literal)
    }
}

/// The three lists of a file, or none of them.
fn file(reader: &mut Reader<'_>, root: &Node<'_>) -> Result<(), ConfigError> {
    let is_list = |node: &Node<'_>| matches!(node.value, Value::List(_));
    let wrong =
        reader.document.map(root)?.iter().find(|entry| {
            !LISTS.iter().any(|(list, _)| *list == entry.key) || !is_list(&entry.node)
        });
    if let Some(entry) = wrong {
        // Flags beside the file still count, so only a file by itself is dropped as a whole.
        if reader.rules.lists.is_empty() && reader.rules.switches.is_empty() {
            reader.drop_all(DROPPED, entry.key_span);
        }
    }
    for (key, effect) in LISTS {
        let Some(node) = root.get(key).filter(|node| is_list(node)) else { continue };
        let list = reader.open(node, effect, None);
        for item in reader.document.list(node)? {
            let text = reader.document.string(item)?;
            let pattern = if wrong.is_some() { Pattern::never(DROPPED) } else { in_file(text) };
            reader.entry(list, text, item.span, pattern);
        }
    }
    Ok(())
}

fn on_the_line(text: &str) -> Pattern {
    Pattern::Glob(Glob::new(text, Wild::StarAndMark))
}

fn in_file(text: &str) -> Pattern {
    match text.split_once('(') {
        Some((_, rest)) if rest.ends_with(')') => Pattern::Unknown(
            "an argument in parentheses is compared with a parameter called `pattern` of the call".into(),
        ),
        Some(_) => Pattern::Unknown(
            "parentheses that are not balanced make the loader throw; what applies then is not established".into(),
        ),
        None => Pattern::Glob(Glob::new(text, Wild::StarAndMark)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::super::{Reach, of_value};
    use super::*;

    const TOOLS: &[&str] = &["docs/search", "web/search", "docs/read"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&ContinueCli, rules, TOOLS, call)
    }

    #[test]
    fn wire_names_without_a_server() {
        for entry in ["search", "s*", "sear?h", "*"] {
            let rules = format!(r#"{{"exclude": ["{entry}"]}}"#);
            assert_eq!(decided(&rules, "docs/search"), "deny", "{entry}");
            assert_eq!(decided(&rules, "web/search"), "deny", "{entry}");
        }
        for entry in ["docs_search", "docs__search", "Search", "sear", "mcp__docs__search"] {
            assert_eq!(
                decided(&format!(r#"{{"exclude": ["{entry}"]}}"#), "docs/search"),
                "default",
                "{entry}"
            );
        }
    }

    #[test]
    fn flags_beat_the_file_and_exclude_beats_ask_beats_allow() {
        assert_eq!(
            decided(
                r#"{"yaml": {"exclude": ["search"]}, "flags": {"allow": ["search"]}}"#,
                "docs/search"
            ),
            "allow"
        );
        assert_eq!(
            decided(r#"{"yaml": {"allow": ["search"]}, "--exclude": ["search"]}"#, "docs/search"),
            "deny"
        );
        assert_eq!(decided(r#"{"allow": ["search"], "ask": ["s*"]}"#, "docs/search"), "ask");
        assert_eq!(decided(r#"{"ask": ["search"], "exclude": ["*"]}"#, "docs/search"), "deny");
    }

    #[test]
    fn an_unknown_key_drops_the_file() {
        for yaml in
            [r#"{"exclude": ["search"], "deny": []}"#, r#"{"exclude": ["search"], "ask": "x"}"#]
        {
            assert_eq!(decided(&format!(r#"{{"yaml": {yaml}}}"#), "docs/search"), "default");
            assert_eq!(
                decided(&format!(r#"{{"yaml": {yaml}, "headless": true}}"#), "docs/search"),
                "allow"
            );
            let with_flag = format!(r#"{{"yaml": {yaml}, "flags": {{"ask": ["search"]}}}}"#);
            assert_eq!(decided(&with_flag, "docs/search"), "ask", "flags still count");
            let rules = of_value(&ContinueCli, &format!(r#"{{"yaml": {yaml}}}"#)).unwrap();
            assert!(rules.dropped.is_some() && rules.entries[0].never().is_some());
        }
    }

    #[test]
    fn the_defaults_depend_on_the_terminal_and_modes_replace_all() {
        assert_eq!(decided(r#"{"exclude": [], "headless": true}"#, "docs/read"), "allow");
        assert_eq!(decided(r#"{"exclude": [], "headless": false}"#, "docs/read"), "ask");
        assert_eq!(decided(r#"{"exclude": ["read"], "headless": true}"#, "docs/read"), "deny");
        assert_eq!(decided(r#"{"exclude": ["read"], "mode": "auto"}"#, "docs/read"), "default");
    }

    #[test]
    fn parentheses_mean_an_argument_in_the_file_and_nothing_on_the_line() {
        for entry in ["search(x)", "search(x"] {
            let reached =
                &reaches(&ContinueCli, &format!(r#"{{"exclude": ["{entry}"]}}"#), TOOLS)[0];
            assert!(matches!(reached, Reach::Unknown(_)), "{entry}");
            let reached = &reaches(
                &ContinueCli,
                &format!(r#"{{"flags": {{"exclude": ["{entry}"]}}}}"#),
                TOOLS,
            )[0];
            assert_eq!(reached, &Reach::No, "{entry}");
        }
    }
}
