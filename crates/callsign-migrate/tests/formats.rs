//! A file of TOML, JSON or YAML that could be read before names were moved in it can be read after; as values of the same
//! shape, where the old names are words.

#![allow(clippy::unwrap_used, reason = "what is unwrapped is made of lists that stand here")]

use std::collections::BTreeSet;

use callsign::ToolId;
use callsign_migrate::{Plan, Spelling};
use granit_parser::{Event, Parser};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const KEYS: &[&str] = &[
    "a", "github", "a.b", "a b", "a: b", "a #b", "a[0]", "{a}", "é", "a:", "-a", "@a", "!a", "a/b",
];
const WIRES: &[&str] =
    &["get", "b", "x.y", "x/y", "get it", "é", "b:", "[b]", "x: y", "x #y", "1", "true"];

/// `NAME` is where a tool's name stands. No other key is one of the new names: what a table of TOML has under both the old and
/// the new name would be there twice.
const TOML: &[&str] = &[
    "NAME = \"deny\"\n",
    "\"NAME\" = 'NAME'\n",
    "[NAME]\n",
    "[rules.'NAME']\n",
    "[[NAME]]\n",
    "rules.NAME = 1\n",
    "table = { NAME = 1 }\n",
    "list = [\"NAME\", 'NAME', \"use NAME, then NAME.\"]\n",
    "# NAME and NAME first\n",
    "text = \"\"\"\nUse NAME first.\n- NAME\n\"\"\"\n",
    "prefix = \"NAME*\"\n",
    "\n",
];
const YAML: &[&str] = &[
    "tools: NAME\n",
    "NAME: allow\n",
    "- NAME\n",
    "- - NAME\n",
    "- NAME: deny\n",
    "- \"NAME\"\n",
    "- 'NAME'\n",
    "- [NAME, NAME, \"NAME\"]\n",
    "- {NAME: 1, x: NAME}\n",
    "- use NAME, then NAME.\n",
    "- use NAME first\n",
    "- [use NAME first, use NAME, call NAME, x]\n",
    "- !tag NAME first\n",
    "- &x NAME first\n",
    "- NAME*\n",
    "- \"use `NAME` or NAME first\"\n",
    "- call `NAME` first\n",
    "- say \"NAME\" first: NAME\n",
    "- |\n  Use NAME first.\n  - NAME\n",
    "- >\n  NAME: NAME\n",
    "- ? NAME\n  : NAME\n",
    "- x # NAME and NAME first\n",
    "- (NAME)\n",
    "- x=NAME\n",
];
const JSON: &[&str] = &[
    "\"NAME\"",
    "[\"NAME\", \"NAME\"]",
    "{\"NAME\": \"deny\"}",
    "\"use NAME, then NAME.\"",
    "\"NAME*\"",
    "\"{\\\"name\\\": \\\"NAME\\\"}\"",
    "\"`NAME`\\nNAME first\"",
    "\"Bash(NAME x)\"",
    "true",
    "1",
];

#[derive(Debug, Clone)]
struct Case {
    tools: Vec<ToolId>,
    from: &'static str,
    to: &'static str,
    words: bool,
    pieces: Vec<(Index, Index)>,
}

impl Case {
    fn text(&self, templates: &[&str], between: &str) -> String {
        let spelling = Spelling::by_id(self.from, &self.tools).unwrap();
        let piece = |(template, tool): &(Index, Index)| {
            let template = *template.get(templates);
            // Each place its own tool: many files take no key twice.
            let mut next = tool.index(self.tools.len());
            let mut text = String::new();
            for (index, part) in template.split("NAME").enumerate() {
                if index > 0 {
                    text += &spelling.spell(&self.tools[next % self.tools.len()]);
                    next += 1;
                }
                text += part;
            }
            text
        };
        self.pieces.iter().map(piece).collect::<Vec<_>>().join(between)
    }

    /// Whether nothing in the old names can have had a meaning of its own.
    fn are_words(&self) -> bool {
        let spelling = Spelling::by_id(self.from, &self.tools).unwrap();
        let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        self.tools.iter().all(|tool| spelling.spell(tool).chars().all(is_word))
    }

    /// Whether an old name has what begins a comment or ends a key in YAML: a file with that was read by luck, if at all.
    fn ends_texts(&self) -> bool {
        let spelling = Spelling::by_id(self.from, &self.tools).unwrap();
        let ends = |name: String| name.contains(" #") || name.contains(": ") || name.ends_with(':');
        self.tools.iter().any(|tool| ends(spelling.spell(tool)))
    }

    fn moved(&self, text: &str) -> String {
        let spelling = |id| Spelling::by_id(id, &self.tools).unwrap();
        let plan = Plan::new(&self.tools, &[], &spelling(self.from), &spelling(self.to));
        let plan = if self.words { plan.with_words() } else { plan };
        String::from_utf8(plan.scan(text.as_bytes()).rewrite(text.as_bytes())).unwrap()
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let tool =
        (select(KEYS), select(WIRES)).prop_map(|(key, wire)| ToolId::parse(key, wire).unwrap());
    (
        proptest::collection::vec(tool, 1..6),
        select(Spelling::ids()),
        select(Spelling::ids()),
        proptest::bool::weighted(0.2),
        proptest::collection::vec(any::<(Index, Index)>(), 1..5),
    )
        .prop_map(|(tools, from, to, words, pieces)| Case {
            tools: tools.into_iter().collect::<BTreeSet<_>>().into_iter().collect(),
            from,
            to,
            words,
            pieces,
        })
}

/// What there is in a text of YAML, without what it says.
fn yaml(text: &str) -> Option<Vec<std::mem::Discriminant<Event<'_>>>> {
    let events = Parser::new_from_str(text);
    events.map(|event| event.ok().map(|(event, _)| std::mem::discriminant(&event))).collect()
}

fn toml(text: &str) -> Option<usize> {
    fn size(item: &toml_edit::Item) -> usize {
        match item {
            toml_edit::Item::Table(table) => {
                1 + table.iter().map(|(_, item)| size(item)).sum::<usize>()
            }
            toml_edit::Item::ArrayOfTables(tables) => 1 + tables.len(),
            _ => 1,
        }
    }
    text.parse::<toml_edit::Document<String>>().ok().map(|document| size(document.as_item()))
}

fn json(text: &str) -> Option<Vec<std::mem::Discriminant<serde_json::Value>>> {
    let values: Vec<serde_json::Value> = serde_json::from_str(text).ok()?;
    Some(values.iter().map(std::mem::discriminant).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, max_global_rejects: 1 << 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn toml_stays_toml(case in cases()) {
        let text = case.text(TOML, "");
        let before = toml(&text);
        prop_assume!(before.is_some() && !case.ends_texts());
        let new = case.moved(&text);
        let after = toml(&new);
        prop_assert!(after.is_some() && (after == before || !case.are_words()), "{} -> {}\n{text}\n{new}", case.from, case.to);
    }

    #[test]
    fn yaml_stays_yaml(case in cases()) {
        let text = case.text(YAML, "");
        let before = yaml(&text);
        prop_assume!(before.is_some() && !case.ends_texts());
        let new = case.moved(&text);
        let after = yaml(&new);
        prop_assert!(after.is_some() && (after == before || !case.are_words()), "{} -> {}\n{text}\n{new}", case.from, case.to);
    }

    #[test]
    fn json_stays_json(case in cases()) {
        let text = format!("[{}]", case.text(JSON, ", "));
        let before = json(&text);
        prop_assume!(before.is_some() && !case.ends_texts());
        let new = case.moved(&text);
        let after = json(&new);
        prop_assert!(after.is_some() && (after == before || !case.are_words()), "{} -> {}\n{text}\n{new}", case.from, case.to);
    }
}

#[test]
fn unquoted_names_that_would_break_the_file_stay_and_are_told_of() {
    let tools = [ToolId::parse("github", "get").unwrap()];
    let spelling = |id| Spelling::by_id(id, &tools).unwrap();
    for (to, text, expected) in [
        ("amazon-q", "tools: github_get\n", "tools: github_get\n"),
        ("amazon-q", "tools: \"github_get\"\n", "tools: \"@github/get\"\n"),
        ("amazon-q", "github_get = \"deny\"\n", "github_get = \"deny\"\n"),
        ("cursor-cli", "github_get = \"deny\"\n", "github_get = \"deny\"\n"),
        ("cursor-cli", "'github_get' = \"deny\"\n", "'Mcp(github:get)' = \"deny\"\n"),
        ("goose", "github_get = \"deny\"\n", "github__get = \"deny\"\n"),
    ] {
        let plan = Plan::new(&tools, &[], &spelling("opencode"), &spelling(to));
        let scan = plan.scan(text.as_bytes());
        assert_eq!(String::from_utf8(scan.rewrite(text.as_bytes())).unwrap(), expected, "{to}");
        let reasons: Vec<_> = scan.left.iter().map(|left| left.reason.kind()).collect();
        assert_eq!(
            reasons,
            if text == expected { vec!["unquoted"] } else { vec![] },
            "{to}: {text}"
        );
    }
}
