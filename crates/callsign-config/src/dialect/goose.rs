//! Goose: `permission.yaml`, and `available_tools` and the mode in `config.yaml`.
//!
//! Evidence: block/goose `crates/goose/src/config/permission.rs` (0865f95), `crates/goose/src/permission/permission_inspector.rs`
//! (05ee410), `crates/goose/src/agents/extension.rs` (01cad15).
//!
//! - `available_tools` holds an extension's wire names, byte for byte; empty or absent, all are there.
//! - `user.never_allow`, `always_allow` and `ask_before` hold exposed names `{extension}__{tool}`, byte for byte. There is no
//!   wildcard and no entry for an extension. Asked in that order: never, always, ask.
//! - In the mode `auto` every call runs and `never_allow` is not consulted. In `approve` and `smart_approve` the lists are;
//!   then a tool that says of itself that it only reads runs unasked; then it is asked for, or a model decides (smart).
//! - A file that can't be read at the start stops the program; later it counts as never.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::keys::{at, of_servers};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;

#[derive(Debug)]
pub(crate) struct Goose;

static PROFILE: Profile = Profile {
    id: "goose",
    host: "Goose",
    acts: Acts::OnBoth,
    project_files: &[],
    user_files: &[".config/goose/permission.yaml", ".config/goose/config.yaml"],
    compared: Fact::Established(
        "the exposed name EXTENSION__TOOL; in available_tools the wire name within its extension",
    ),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established(
        "never_allow, then always_allow, then ask_before; none of them in the mode auto",
    ),
    empty: Fact::Established(
        "an empty available_tools is all tools; without an entry a call is asked for",
    ),
    unknown_entry: Fact::Established(
        "ignored without a word; a file that can't be read stops the program",
    ),
    evidence: &[
        "block/goose 05ee410 crates/goose/src/permission/permission_inspector.rs",
        "block/goose 0865f95 crates/goose/src/config/permission.rs",
        "block/goose 01cad15 crates/goose/src/agents/extension.rs",
    ],
};

const SPELLING: HostSpelling = HostSpelling::Goose;

/// In the order in which they are asked.
const LISTS: [(&str, Effect); 3] =
    [("never_allow", Effect::Deny), ("always_allow", Effect::Allow), ("ask_before", Effect::Ask)];

const MODES: [&str; 2] = ["GOOSE_MODE", "mode"];

impl Dialect for Goose {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        SPELLING
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        for (server, list) in of_servers(source, "extensions", "available_tools") {
            if reader.document.list(list)?.is_empty() {
                continue;
            }
            let list_index = reader.open(list, Effect::Show, server);
            for item in reader.document.list(list)? {
                let text = reader.document.string(item)?;
                reader.entry(list_index, text, item.span, Pattern::Exact(text.to_owned()));
            }
        }
        if let Some(user) = at(source, &["user"]).or_else(|| source.table(&["user"])) {
            reader.document.map(user)?;
            for (key, effect) in LISTS {
                reader.texts(user, key, effect, None, exposed)?;
            }
        }
        for mode in MODES {
            reader.switch(source.root(), mode)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let is_filter = entry.effect == Effect::Show;
        entry.pattern.reach(tool, if is_filter { HostSpelling::Bare } else { SPELLING })
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let filtered = rules.filtered(call);
        if filtered.as_ref().is_some_and(|decision| decision.verdict == Verdict::Deny) {
            return filtered.unwrap_or_else(Decision::default);
        }
        let mode = MODES.iter().find_map(|mode| rules.switch(mode));
        if mode == Some("auto") {
            return Decision::new(
                Verdict::Allow,
                "in the mode auto every call runs, and no list is consulted",
            );
        }
        let decision = rules.by_class(&LISTS.map(|(_, effect)| effect), call);
        match (mode, call.read_only()) {
            _ if decision.by.is_some() => decision,
            (Some("approve" | "smart_approve"), Some(true)) => {
                Decision::new(Verdict::Allow, "the tool says of itself that it only reads")
            }
            (Some("approve"), _) => Decision::new(Verdict::Ask, "what no list names is asked for"),
            (Some("smart_approve"), _) => Decision::new(Verdict::Default, "a model decides"),
            _ => filtered.unwrap_or(decision),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(SPELLING);
        exposed(text).proposes(text, tool, SPELLING)
    }
}

fn exposed(text: &str) -> Pattern {
    match text.contains(SPELLING.separator()) {
        true if text.contains('*') => Pattern::never("there are no wildcards"),
        true => Pattern::Exact(text.to_owned()),
        false => Pattern::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use callsign::ToolId;

    use super::super::of_value;
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&Goose, rules, TOOLS, call)
    }

    #[test]
    fn never_then_always_then_ask() {
        let name = "github__get_issue";
        let rules = |mode: &str| {
            format!(
                r#"{{"user": {{"never_allow": ["{name}"], "always_allow": ["{name}"]}}, "mode": "{mode}"}}"#
            )
        };
        assert_eq!(decided(&rules("approve"), "github/get_issue"), "deny");
        assert_eq!(decided(&rules("smart_approve"), "github/get_issue"), "deny");
        assert_eq!(decided(&rules("auto"), "github/get_issue"), "allow", "not consulted");
        let both = r#"{"user": {"always_allow": ["docs__search"], "ask_before": ["docs__search", "github__get_issue"]}}"#;
        assert_eq!(decided(both, "docs/search"), "allow");
        assert_eq!(decided(both, "github/get_issue"), "ask");
        assert_eq!(decided(both, "github/create_issue"), "default");
    }

    #[test]
    fn neither_wildcards_nor_extensions_nor_wire_names() {
        for text in ["github__*", "github", "get_issue", "github__get", "mcp__github__get_issue"] {
            let rules = format!(r#"{{"user": {{"always_allow": ["{text}"]}}, "mode": "approve"}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "ask", "{text}");
        }
        assert!(matches!(
            reaches(&Goose, r#"{"user": {"never_allow": ["github__*"]}}"#, TOOLS)[0],
            Reach::Never(_)
        ));
    }

    #[test]
    fn a_tool_that_says_it_only_reads_runs_unasked() {
        let id = ToolId::parse("docs", "search").unwrap();
        let decided = |mode: &str, read_only: bool| {
            let mut fleet = Fleet::new([id.clone()]);
            fleet.set_read_only(&id, read_only);
            let rules =
                of_value(&Goose, &format!(r#"{{"user": {{}}, "mode": "{mode}"}}"#)).unwrap();
            rules.decide(&fleet, fleet.find(&id).unwrap()).verdict.as_str()
        };
        assert_eq!((decided("approve", true), decided("approve", false)), ("allow", "ask"));
        assert_eq!(
            (decided("smart_approve", true), decided("smart_approve", false)),
            ("allow", "default")
        );
    }

    #[test]
    fn available_tools_are_wire_names_and_an_empty_list_is_all() {
        let rules = r#"{"extensions": {"github": {"available_tools": ["get_issue"]}, "docs": {"available_tools": []}}}"#;
        assert_eq!(decided(rules, "github/get_issue"), "allow");
        assert_eq!(decided(rules, "github/create_issue"), "deny");
        assert_eq!(decided(rules, "docs/search"), "default");
        assert_eq!(
            decided(r#"{"available_tools": ["github__get_issue"]}"#, "github/get_issue"),
            "deny"
        );
        let auto = r#"{"available_tools": ["search"], "mode": "auto"}"#;
        assert_eq!(decided(auto, "docs/search"), "allow");
        assert_eq!(decided(auto, "github/get_issue"), "deny", "what is not there can't be called");
    }
}
