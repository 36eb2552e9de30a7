//! Docker's MCP gateway: `--tools`, and the lists of servers in `tools.yaml`.
//!
//! Evidence: docker/mcp-gateway 2bd20fe (2026-07-23), `pkg/gateway/capabilitites.go`.
//!
//! - `--tools` takes `*`, `{tool}`, `{server}:{tool}`, `{server}:*`, and the same with a server's image; case does not
//!   count. There are no other wildcards. A bare name opens it on every server. Wire names, before any prefix.
//! - With `--tools` the file counts for nothing; an empty one falls back to it. What no entry fits is hidden.
//! - In the file a server without a list has all its tools, and one with an empty list none; names are exact and case
//!   counts.

use callsign::scheme::HostSpelling;

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach};
use super::profile::{Acts, Fact, Profile};
use super::rules::{Decision, Effect, RuleEntry, Rules};
use super::source::{Reader, Source};
use crate::error::ConfigError;
use crate::tree::{Node, Value};

#[derive(Debug)]
pub(crate) struct DockerGateway;

static PROFILE: Profile = Profile {
    id: "docker-gateway",
    host: "Docker MCP Gateway",
    acts: Acts::OnVisibility,
    project_files: &[],
    user_files: &[".docker/mcp/tools.yaml"],
    compared: Fact::Established(
        "wire name, server and image, without case; in tools.yaml the wire name, byte for byte",
    ),
    wildcards: Fact::Established("* alone and SERVER:*"),
    precedence: Fact::Established("--tools instead of the file"),
    empty: Fact::Established(
        "an empty --tools falls back to the file; an empty list there is no tool",
    ),
    unknown_entry: Fact::Established(
        "ignored without a word; a list that fits nothing hides everything",
    ),
    evidence: &[
        "docker/mcp-gateway 2bd20fe pkg/gateway/capabilitites.go isToolEnabled (2026-07-23)",
    ],
};

const FLAG: &str = "--tools";
const SPELLING: HostSpelling = HostSpelling::DockerGateway;

impl Dialect for DockerGateway {
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
        if !source.whole_file {
            reader.texts_or_commas(root, FLAG, Effect::Show, on_the_line)?;
        }
        let has_flag = !reader.rules.entries.is_empty();
        reader.rules.lists.retain(|_| has_flag);
        let file = root.get("tools.yaml").or_else(|| root.get("tools"));
        let file = file.filter(|_| !source.whole_file).unwrap_or(root);
        for server in reader.document.map(file)?.iter().filter(|server| server.key != FLAG) {
            if matches!(server.node.value, Value::List(_)) {
                servers_list(&mut reader, &server.key, &server.node, has_flag)?;
            }
        }
        Ok(reader.rules)
    }

    fn reach(&self, rules: &Rules, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let is_of_file = rules.list_of(entry).is_some_and(|list| list.server.is_some());
        let flag = match &entry.pattern {
            Pattern::Exact(flag) if !is_of_file => flag,
            pattern => return pattern.reach(tool, HostSpelling::Bare),
        };
        if same(flag, tool.wire()) || same(flag, tool.name(SPELLING)) {
            return Reach::Matches;
        }
        match flag.split_once(SPELLING.separator()) {
            Some((server, "*")) if same(server, tool.server()) => Reach::Matches,
            Some((image, wire)) if is_image(image) && (wire == "*" || same(wire, tool.wire())) => {
                Reach::Unknown("the image that the server runs was not given".into())
            }
            _ => Reach::No,
        }
    }

    fn decide(&self, rules: &Rules, _: &Fleet, call: Tool<'_>) -> Decision {
        let unsettled = |entry: &RuleEntry| matches!(rules.reach(entry, call), Reach::Unknown(_));
        match rules.filtered(call) {
            Some(decision) if decision.by.is_none() && rules.entries.iter().any(unsettled) => {
                Decision::default()
            }
            Some(decision) => decision,
            None => Decision::default(),
        }
    }

    fn spelling(&self, tool: Tool<'_>) -> Option<String> {
        let text = tool.name(SPELLING);
        // Commas divide the flag's value, and blanks around an entry do not count.
        let is_one = !text.contains(['*', ',']) && text.trim() == text;
        is_one.then(|| text.to_owned())
    }
}

fn servers_list(
    reader: &mut Reader<'_>,
    server: &str,
    node: &Node<'_>,
    has_flag: bool,
) -> Result<(), ConfigError> {
    // With the flag the list is read all the same, so that its dead entries can be told of.
    let list = reader.open(node, Effect::Show, Some(server));
    for item in reader.document.list(node)? {
        let text = reader.document.string(item)?;
        let pattern = match has_flag {
            true => Pattern::never("with `--tools` the lists of the file count for nothing"),
            false => Pattern::Exact(text.to_owned()),
        };
        reader.entry(list, text, item.span, pattern);
    }
    Ok(())
}

fn on_the_line(text: &str) -> Pattern {
    let wire = text.rsplit_once(SPELLING.separator()).map_or(text, |(_, wire)| wire);
    match text {
        "*" => Pattern::All,
        _ if text.contains('*') && (wire != "*" || text.matches('*').count() > 1) => {
            Pattern::never("the only wildcards are `*` alone and `SERVER:*`")
        }
        _ => Pattern::Exact(text.to_owned()),
    }
}

/// Whether two texts are one but for case.
fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || !(one.is_ascii() && other.is_ascii()) && one.to_lowercase() == other.to_lowercase()
}

/// A server's key has no slash.
fn is_image(text: &str) -> bool {
    text.contains('/')
}

#[cfg(test)]
mod tests {
    use super::super::testing::{reaches, verdict};
    use super::*;

    const TOOLS: &[&str] = &["github/get_issue", "github/create_issue", "docs/search"];

    fn decided(rules: &str, call: &str) -> &'static str {
        verdict(&DockerGateway, rules, TOOLS, call)
    }

    #[test]
    fn the_forms_of_an_entry() {
        for entry in
            ["*", "get_issue", "GET_issue", "github:get_issue", "GitHub:*", "docs:x,get_issue"]
        {
            let rules = format!(r#"{{"--tools": "{entry}"}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "allow", "{entry}");
        }
        for entry in [
            "get_*",
            "github:get_*",
            "*:get_issue",
            "github",
            "docs:get_issue",
            "github__get_issue",
        ] {
            let rules = format!(r#"{{"--tools": ["{entry}"]}}"#);
            assert_eq!(decided(&rules, "github/get_issue"), "deny", "{entry}");
        }
        let never =
            reaches(&DockerGateway, r#"{"--tools": ["get_*", "*:get_issue", "a:*:*"]}"#, TOOLS);
        assert!(never.iter().all(|reach| matches!(reach, Reach::Never(_))), "{never:?}");
    }

    #[test]
    fn an_image_is_not_known_here() {
        let rules = |entry: &str| format!(r#"{{"--tools": ["{entry}"]}}"#);
        assert_eq!(decided(&rules("mcp/github:*"), "github/get_issue"), "default");
        assert_eq!(decided(&rules("mcp/github:get_issue"), "github/create_issue"), "deny");
    }

    #[test]
    fn the_file_counts_where_there_is_no_flag() {
        let file = r#""github": ["get_issue"], "docs": []"#;
        assert_eq!(decided(&format!("{{{file}}}"), "github/get_issue"), "allow");
        assert_eq!(decided(&format!("{{{file}}}"), "github/create_issue"), "deny");
        assert_eq!(decided(&format!("{{{file}}}"), "docs/search"), "deny", "an empty list");
        assert_eq!(
            decided(r#"{"github": ["Get_issue"]}"#, "github/get_issue"),
            "deny",
            "case counts there"
        );
        assert_eq!(decided(r#"{"github": []}"#, "docs/search"), "default", "all of its tools");
        assert_eq!(verdict(&DockerGateway, r#"{"--tools": ["É"]}"#, &["a/é"], "a/é"), "allow");
        let nested = format!(r#"{{"tools.yaml": {{{file}}}, "--tools": []}}"#);
        assert_eq!(decided(&nested, "github/create_issue"), "deny", "an empty flag falls back");
        let flag = format!(r#"{{"tools.yaml": {{{file}}}, "--tools": ["search"]}}"#);
        assert_eq!(decided(&flag, "docs/search"), "allow");
        assert_eq!(decided(&flag, "github/get_issue"), "deny");
    }
}
