//! OpenAI's Responses API: `allowed_tools` and `require_approval` of an `mcp` tool.
//!
//! Evidence: openai/openai-python e43b422 (2026-08-21), `src/openai/types/responses/tool_param.py`.
//!
//! - `allowed_tools` is a list of wire names, or `{tool_names, read_only}`. There is no wildcard. `read_only` goes by the
//!   server's own annotation.
//! - `require_approval` is `always`, `never`, or such filters under `always` and `never`.
//! - What an empty list means, which of two overlapping filters counts, and what a name does that no tool has, is not stated.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct ResponsesApi;

static PROFILE: Profile = Profile {
    id: "responses-api",
    host: "OpenAI Responses API",
    acts: Acts::OnBoth,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established("the wire name, within its server"),
    wildcards: Fact::Established(
        "none; read_only for the tools that say of themselves that they only read",
    ),
    precedence: Fact::Unknown("which of two overlapping filters counts"),
    empty: Fact::Unknown("what an empty list means"),
    unknown_entry: Fact::Unknown("what happens to a name that no tool has"),
    evidence: &[
        "openai/openai-python e43b422 src/openai/types/responses/tool_param.py (2026-08-21)",
    ],
};

const ALLOWED: &str = "allowed_tools";
const APPROVAL: &str = "require_approval";
const WORDS: [(&str, Effect); 2] = [("always", Effect::Ask), ("never", Effect::Allow)];

impl Dialect for ResponsesApi {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(tools) = source.root().get("tools") else {
            if !source.whole_file {
                mcp_tool(&mut reader, source.root())?;
            }
            return Ok(reader.rules);
        };
        for tool in reader.document.list(tools)? {
            mcp_tool(&mut reader, tool)?;
        }
        Ok(reader.rules)
    }

    fn reach(&self, _: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let is_annotation = matches!(entry.pattern, Pattern::All) && entry.text == READ_ONLY;
        match tool.read_only() {
            _ if !is_annotation => entry.pattern.reach(tool, self.compared()),
            Some(read_only) => Reach::of(read_only),
            None => Reach::Unknown("whether the tool only reads was not given".into()),
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let reached = |effect: Effect| {
            let mut entries = rules.entries.iter().filter(move |entry| entry.effect == effect);
            let unsettled =
                entries.clone().any(|entry| matches!(rules.reach(entry, call), Reach::Unknown(_)));
            (unsettled, entries.any(|entry| rules.reach(entry, call) == Reach::Matches))
        };
        let exposed = rules.filtered(call);
        let is_open = reached(Effect::Show).0 || allowed_nothing(rules, call);
        match &exposed {
            Some(decision) if decision.verdict == Verdict::Deny && !is_open => {
                return decision.clone();
            }
            Some(decision) if decision.verdict == Verdict::Deny => return Decision::default(),
            _ => {}
        }
        match (reached(Effect::Ask), reached(Effect::Allow)) {
            ((false, true), (false, false)) => {
                let entry = rules.first(&[Effect::Ask], call).unwrap_or_default();
                Decision::by(Verdict::Ask, entry, "under `always`")
            }
            ((false, false), (false, true)) => {
                let entry = rules.first(&[Effect::Allow], call).unwrap_or_default();
                Decision::by(Verdict::Allow, entry, "under `never`")
            }
            ((false, false), (false, false)) if !has_approval(rules, call) => {
                exposed.unwrap_or_else(Decision::default)
            }
            _ => Decision::new(Verdict::Default, "what counts here is not stated"),
        }
    }
}

/// What an entry for annotations is called.
const READ_ONLY: &str = "read_only";

fn has_approval(rules: &Rules, call: Tool<'_>) -> bool {
    rules.has_list(Effect::Ask, call) || rules.has_list(Effect::Allow, call)
}

/// Whether the list of allowed tools has no entry: what that means is not stated.
fn allowed_nothing(rules: &Rules, call: Tool<'_>) -> bool {
    let shows = |index: usize| {
        rules
            .lists
            .get(index)
            .is_some_and(|list| list.effect == Effect::Show && list.concerns(call))
    };
    !rules.entries.iter().any(|entry| shows(entry.list))
}

fn mcp_tool(reader: &mut Reader<'_>, tool: &Node<'_>) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(tool)?;
    let server = tool.get("server_label").map(|node| document.string(node)).transpose()?;
    if let Some(node) = tool.get(ALLOWED) {
        filter(reader, node, Effect::Show, server)?;
    }
    let Some(approval) = tool.get(APPROVAL) else { return Ok(()) };
    if let Value::Text(word) = &approval.value {
        let effect = WORDS.iter().find(|(known, _)| known == word).map(|(_, effect)| *effect);
        let list = reader.open(approval, effect.unwrap_or(Effect::Ask), server);
        let unknown = |()| Pattern::Unknown("this word is none of `always` and `never`".into());
        let pattern = effect.map_or_else(|| unknown(()), |_| Pattern::All);
        reader.entry(list, word, approval.span, pattern);
        return Ok(());
    }
    for (word, effect) in WORDS {
        if let Some(node) = approval.get(word) {
            filter(reader, node, effect, server)?;
        }
    }
    Ok(())
}

/// A list of names, or names and annotations.
fn filter(
    reader: &mut Reader<'_>,
    node: &Node<'_>,
    effect: Effect,
    server: Option<&str>,
) -> Result<(), ConfigError> {
    let document = reader.document;
    let list = reader.open(node, effect, server);
    let (names, read_only) = (node.get("tool_names"), node.get(READ_ONLY));
    let items = match (&node.value, names) {
        (Value::List(items), _) => &items[..],
        (_, Some(names)) => document.list(names)?,
        (_, None) => &[],
    };
    let both = read_only.is_some() && names.is_some();
    for item in items {
        let text = document.string(item)?;
        let pattern = match both {
            true => Pattern::Unknown(
                "how `tool_names` and `read_only` go together is not stated".into(),
            ),
            false => Pattern::Exact(text.to_owned()),
        };
        reader.entry(list, text, item.span, pattern);
    }
    if let Some(flag) = read_only.filter(|_| !both) {
        let pattern = match document.flag(flag)? {
            true => Pattern::All,
            false => Pattern::Unknown("what `read_only: false` means is not stated".into()),
        };
        reader.entry(list, READ_ONLY, flag.span, pattern);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use callsign::ToolId;

    use super::super::of_value;
    use super::super::testing::verdict;
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&ResponsesApi, rules, TOOLS, call)
    }

    #[test]
    fn allowed_tools_are_wire_names() {
        for list in [r#"["get_issue"]"#, r#"{"tool_names": ["get_issue"]}"#] {
            let rules = format!(r#"{{"allowed_tools": {list}}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "allow");
            assert_eq!(decided(&rules, "github/create_issue"), "deny");
        }
        assert_eq!(decided(r#"{"allowed_tools": ["get_*"]}"#, "github/get_issue"), "deny");
        assert_eq!(
            decided(r#"{"allowed_tools": []}"#, "github/get_issue"),
            "default",
            "not stated"
        );
        let labelled =
            r#"{"tools": [{"type": "mcp", "server_label": "docs", "allowed_tools": ["x"]}]}"#;
        assert_eq!(decided(labelled, "docs/search"), "deny");
        assert_eq!(decided(labelled, "github/get_issue"), "default");
    }

    #[test]
    fn approvals() {
        assert_eq!(decided(r#"{"require_approval": "always"}"#, "docs/search"), "ask");
        assert_eq!(decided(r#"{"require_approval": "never"}"#, "docs/search"), "allow");
        let rules = r#"{"require_approval": {"always": {"tool_names": ["create_issue", "search"]}, "never": {"tool_names": ["get_issue", "search"]}}}"#;
        assert_eq!(decided(rules, "github/create_issue"), "ask");
        assert_eq!(decided(rules, "github/get_issue"), "allow");
        assert_eq!(decided(rules, "docs/search"), "default", "both, which is not stated");
        let one = r#"{"require_approval": {"never": {"tool_names": ["get_issue"]}}}"#;
        assert_eq!(decided(one, "docs/search"), "default", "neither, which is not stated");
        let hidden = r#"{"require_approval": "never", "allowed_tools": ["get_issue"]}"#;
        assert_eq!(decided(hidden, "docs/search"), "deny");
    }

    #[test]
    fn a_tool_may_be_called_as_the_annotation() {
        let rules = r#"{"allowed_tools": ["read_only"]}"#;
        assert_eq!(verdict(&ResponsesApi, rules, &["a/read_only", "a/b"], "a/read_only"), "allow");
        assert_eq!(verdict(&ResponsesApi, rules, &["a/read_only", "a/b"], "a/b"), "deny");
    }

    #[test]
    fn read_only_goes_by_the_annotation() {
        let id = ToolId::parse("docs", "search").unwrap();
        let decided = |read_only: Option<bool>| {
            let mut fleet = Fleet::new([id.clone()]);
            if let Some(read_only) = read_only {
                fleet.set_read_only(&id, read_only);
            }
            let rules =
                of_value(&ResponsesApi, r#"{"allowed_tools": {"read_only": true}}"#).unwrap();
            rules.decide(&fleet, fleet.find(&id).unwrap()).verdict.as_str()
        };
        assert_eq!(
            (decided(Some(true)), decided(Some(false)), decided(None)),
            ("allow", "deny", "default")
        );
    }
}
