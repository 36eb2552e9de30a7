//! FastMCP: the visibility of components, `enable` and `disable`.
//!
//! Evidence: FastMCP 743ddff (2026-08-21), `docs/servers/visibility.mdx`.
//!
//! - A call has criteria: names, keys, tags, version, components. What is given together must all fit; of several tags one
//!   must. There are no wildcards.
//! - The *last* call that fits a component counts. `only=True` hides everything else, and so undoes earlier calls.
//! - A key ends in `@`; one without never fits, which is warned about. A rule that fits nothing is silent.
//!
//! The calls are code and have no file. Here they are a list, `{"calls": [{"disable": {"names": ["x"]}}]}`, in the order of
//! the program.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::Pattern;
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, Rules, Verdict};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::place::Span;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct FastMcp;

static PROFILE: Profile = Profile {
    id: "fastmcp",
    host: "FastMCP",
    acts: Acts::OnVisibility,
    project_files: &[],
    user_files: &[],
    compared: Fact::Established("the component's name, or its key, which ends in @"),
    wildcards: Fact::Established("none"),
    precedence: Fact::Established("the last call that fits; only=True hides everything else"),
    empty: Fact::Established("nothing changes"),
    unknown_entry: Fact::Established("ignored without a word; a key without @ is warned about"),
    evidence: &["FastMCP 743ddff docs/servers/visibility.mdx (2026-08-21)"],
};

const CALLS: [(&str, Effect); 2] = [("enable", Effect::Show), ("disable", Effect::Hide)];

/// Criteria that are not names; what they say of a tool is not known here.
const OTHER_CRITERIA: [&str; 2] = ["tags", "version"];

/// The key of a tool is this, its name, `@`, and its version, if it has one.
const TOOL_KEY: &str = "tool:";

impl Dialect for FastMcp {
    fn profile(&self) -> &'static Profile {
        &PROFILE
    }

    fn compared(&self) -> HostSpelling {
        HostSpelling::Bare
    }

    fn read(&'static self, source: Source<'_>) -> Result<Rules, ConfigError> {
        let mut reader = Reader::new(self, source);
        let Some(calls) = source.root().get("calls") else { return Ok(reader.rules) };
        for (index, call) in reader.document.list(calls)?.iter().enumerate() {
            for (name, effect) in CALLS {
                if let Some(criteria) = call.get(name) {
                    read_call(&mut reader, criteria, effect, index)?;
                }
            }
        }
        Ok(reader.rules)
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let Some((index, entry)) = rules.highest(call) else { return Decision::default() };
        let undecided = rules.entries.iter().any(|later| {
            later.rank > entry.rank && matches!(rules.reach(later, call), super::Reach::Unknown(_))
        });
        match undecided {
            true => Decision::new(Verdict::Default, "a later call goes by what is not known here"),
            false => {
                Decision::by(entry.effect.verdict(call), index, "the last call that fits counts")
            }
        }
    }
}

fn read_call(
    reader: &mut Reader<'_>,
    criteria: &Node<'_>,
    effect: Effect,
    index: usize,
) -> Result<(), ConfigError> {
    let document = reader.document;
    document.map(criteria)?;
    let list = reader.open(criteria, effect, None);
    let rank = i64::try_from(index).unwrap_or(i64::MAX / 2) * 2;
    let is_only = match criteria.get("only") {
        Some(flag) => effect == Effect::Show && document.flag(flag)?,
        None => false,
    };
    if is_only {
        push(reader, (list, Effect::Hide, rank), "only", criteria.span, Pattern::All);
    }
    let own = (list, effect, rank + 1);
    let (names, keys) = (texts(reader, criteria, "names")?, texts(reader, criteria, "keys")?);
    let is_narrowed = OTHER_CRITERIA.iter().any(|other| criteria.get(other).is_some());
    let concerns_tools = match criteria.get("components") {
        Some(components) => {
            document.strings(components)?.iter().any(|kind| kind == "tool" || kind == "tools")
        }
        None => true,
    };
    let pattern = |pattern: Pattern| match (
        concerns_tools,
        is_narrowed || (!names.is_empty() && !keys.is_empty()),
    ) {
        (false, _) => Pattern::Elsewhere,
        (true, true) if !matches!(pattern, Pattern::Never(_)) => {
            Pattern::Unknown("it goes by tags, versions, or names and keys together".into())
        }
        _ => pattern,
    };
    for (text, span) in &names {
        push(reader, own, text, *span, pattern(Pattern::Exact(text.clone())));
    }
    for (text, span) in &keys {
        push(reader, own, text, *span, pattern(key(text)));
    }
    if names.is_empty() && keys.is_empty() {
        push(reader, own, "", criteria.span, pattern(Pattern::All));
    }
    Ok(())
}

fn push(
    reader: &mut Reader<'_>,
    (list, effect, rank): (usize, Effect, i64),
    text: &str,
    span: Span,
    pattern: Pattern,
) {
    reader.entry(list, text, span, pattern);
    if let Some(entry) = reader.rules.entries.last_mut() {
        (entry.effect, entry.rank) = (effect, rank);
    }
}

fn texts(
    reader: &Reader<'_>,
    criteria: &Node<'_>,
    key: &str,
) -> Result<Vec<(String, Span)>, ConfigError> {
    let Some(node) = criteria.get(key) else { return Ok(Vec::new()) };
    if let Value::Text(text) = &node.value {
        return Ok(vec![(text.to_string(), node.span)]);
    }
    let items = reader.document.list(node)?.iter();
    items.map(|item| Ok((reader.document.string(item)?.to_owned(), item.span))).collect()
}

fn key(text: &str) -> Pattern {
    match text.split_once('@') {
        None => Pattern::never("a key ends in `@`; without it none fits"),
        Some((component, version)) => match (component.strip_prefix(TOOL_KEY), version) {
            (Some(name), "") => Pattern::Exact(name.to_owned()),
            (Some(_), _) => Pattern::Unknown("which version the tool has was not given".into()),
            (None, _) => Pattern::Elsewhere,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reach;
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["docs/search", "docs/read"];

    fn decided(calls: &str, call: &str) -> &'static str {
        verdict(&FastMcp, &format!(r#"{{"calls": [{calls}]}}"#), TOOLS, call)
    }

    #[test]
    fn the_last_call_that_fits_counts() {
        let (on, off) =
            (r#"{"enable": {"names": ["search"]}}"#, r#"{"disable": {"names": ["search"]}}"#);
        assert_eq!(decided(&format!("{on}, {off}"), "docs/search"), "deny");
        assert_eq!(decided(&format!("{off}, {on}"), "docs/search"), "allow");
        assert_eq!(decided(&format!("{off}, {on}"), "docs/read"), "default");
        assert_eq!(
            decided(r#"{"disable": {"names": ["sea*"]}}"#, "docs/search"),
            "default",
            "no wildcards"
        );
        assert_eq!(decided(r#"{"disable": {"components": ["prompt"]}}"#, "docs/search"), "default");
        assert_eq!(decided(r#"{"disable": {"components": ["tool"]}}"#, "docs/search"), "deny");
    }

    #[test]
    fn only_hides_everything_else_and_later_calls_still_count() {
        let only = r#"{"enable": {"names": ["search"], "only": true}}"#;
        let earlier = r#"{"enable": {"names": ["read"]}}"#;
        assert_eq!(decided(&format!("{earlier}, {only}"), "docs/read"), "deny");
        assert_eq!(decided(&format!("{earlier}, {only}"), "docs/search"), "allow");
        assert_eq!(decided(&format!("{only}, {earlier}"), "docs/read"), "allow");
    }

    #[test]
    fn a_key_without_its_at_sign_never_fits() {
        assert_eq!(decided(r#"{"disable": {"keys": ["tool:search@"]}}"#, "docs/search"), "deny");
        let reached = reaches(
            &FastMcp,
            r#"{"calls": [{"disable": {"keys": ["tool:search", "tool:search@2", "prompt:x@"]}}]}"#,
            TOOLS,
        );
        assert!(
            matches!(reached[..], [Reach::Never(_), Reach::Unknown(_), Reach::No]),
            "{reached:?}"
        );
    }

    #[test]
    fn tags_are_not_known_here() {
        let off = r#"{"disable": {"names": ["search"]}}"#;
        assert_eq!(
            decided(&format!(r#"{off}, {{"enable": {{"tags": ["public"]}}}}"#), "docs/search"),
            "default"
        );
        assert_eq!(
            decided(&format!(r#"{{"enable": {{"tags": ["public"]}}}}, {off}"#), "docs/search"),
            "deny"
        );
    }
}
