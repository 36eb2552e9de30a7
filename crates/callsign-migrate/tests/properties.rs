//! What holds for any fleet, any two spellings and any text.

#![allow(clippy::unwrap_used, reason = "what is unwrapped is made of lists that stand here")]

use std::collections::BTreeSet;

use callsign::{ServerKey, ToolId};
use callsign_migrate::{Edit, Plan, Scan, Spelling, Subject};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const KEYS: &[&str] = &[
    "a", "b", "a_", "_a", "a__b", "a.b", "a b", "a-b", "A", "mcp", "mcp_a", "git", "git_lab", "é",
    "tool",
];
const WIRES: &[&str] = &[
    "b",
    "c",
    "b__c",
    "_b",
    "b_",
    "get_a",
    "get_b",
    "search",
    "a.b",
    "x/y",
    "b c",
    "é",
    "search_mcp_a",
    "a_rather_long_name_that_does_not_fit_where_hosts_cut_or_hash_their_names",
    "mcp__a__b",
];
const GLUE: &[&str] = &[
    " ", " ", " ", "\n", "\r\n", ".", ". ", ",", ", ", ":", ": ", "\"", "'", "`", "*", "**", "/",
    "-", "--", "->", "_", "x", "é", "使", "\\n", "\\", "(", ")", "{", "}", "[", "]", "@", "$", "<",
    ">", "</", "#", "tools: ", "- ", "\t", "?", "|", "mcp__", "Mcp(", "\u{301}", "* ", "9",
    "\u{feff}",
];

#[derive(Debug, Clone)]
struct Case {
    tools: Vec<ToolId>,
    unknown: Vec<ServerKey>,
    from: &'static str,
    to: &'static str,
    words: bool,
    pieces: Vec<(u8, Index, Index)>,
}

impl Case {
    fn plan(&self, from: &str, to: &str) -> Plan {
        let spelling = |id| Spelling::by_id(id, &self.tools).unwrap();
        let plan = Plan::new(&self.tools, &self.unknown, &spelling(from), &spelling(to));
        if self.words { plan.with_words() } else { plan }
    }

    fn there(&self) -> Plan {
        self.plan(self.from, self.to)
    }

    fn back(&self) -> Plan {
        self.plan(self.to, self.from)
    }

    /// Names of the fleet, whole and in part, between all kinds of neighbours.
    fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (kind, which, how) in &self.pieces {
            let id = if kind % 5 == 1 { self.to } else { self.from };
            let name = match self.tools.is_empty() {
                true => String::new(),
                false => Spelling::by_id(id, &self.tools).unwrap().spell(which.get(&self.tools)),
            };
            match kind % 8 {
                0..=2 => text.extend(name.bytes()),
                3 => text.extend(name.bytes().take(how.index(name.len() + 1)).chain(*b"*")),
                4 => text.extend(name.bytes().take(how.index(name.len() + 1))),
                5 => text.extend(["\"", &name, "\""].concat().bytes()),
                _ => {}
            }
            text.extend(how.get(GLUE).bytes());
        }
        text
    }
}

fn cases() -> impl Strategy<Value = Case> {
    let tool =
        (select(KEYS), select(WIRES)).prop_map(|(key, wire)| ToolId::parse(key, wire).unwrap());
    let key = select(KEYS).prop_map(|key| ServerKey::new(key).unwrap());
    (
        proptest::collection::vec(tool, 0..8),
        proptest::collection::vec(key, 0..2),
        select(Spelling::ids()),
        select(Spelling::ids()),
        proptest::bool::weighted(0.2),
        proptest::collection::vec(any::<(u8, Index, Index)>(), 0..24),
    )
        .prop_map(|(tools, unknown, from, to, words, pieces)| Case {
            unknown: if pieces.len() % 4 == 0 { unknown } else { Vec::new() },
            tools: tools.into_iter().collect::<BTreeSet<_>>().into_iter().collect(),
            from,
            to,
            words,
            pieces,
        })
}

/// In order, without overlap, inside the text, within a line, and never empty.
fn assert_sound(scan: &Scan, text: &[u8]) {
    let mut end = 0;
    for edit in &scan.edits {
        assert!(end <= edit.start && edit.start < edit.end && edit.end <= text.len(), "{edit:?}");
        assert!(
            !text[edit.start..edit.end].contains(&b'\n') && !edit.to.contains('\n'),
            "{edit:?}"
        );
        assert_ne!(&text[edit.start..edit.end], edit.to.as_bytes(), "an edit that changes nothing");
        end = edit.end;
    }
    for pair in scan.left.windows(2) {
        assert!(pair[0].end <= pair[1].start, "{pair:?}");
    }
    assert!(scan.left.iter().all(|left| left.start < left.end && left.end <= text.len()));
}

/// The new text's bytes outside the edits, found without the code that made them.
fn assert_outside_is_unchanged(scan: &Scan, text: &[u8], new: &[u8]) {
    let (mut old_at, mut new_at) = (0, 0);
    for Edit { start, end, to, .. } in &scan.edits {
        let between = &text[old_at..*start];
        assert_eq!(&new[new_at..new_at + between.len()], between);
        new_at += between.len();
        assert_eq!(&new[new_at..new_at + to.len()], to.as_bytes());
        (old_at, new_at) = (*end, new_at + to.len());
    }
    assert_eq!(&text[old_at..], &new[new_at..]);
}

/// Every tool has one good name on either side, and no name is one on both sides of different tools.
fn are_injective(case: &Case, there: &Plan, back: &Plan) -> bool {
    let spelling = |id| Spelling::by_id(id, &case.tools).unwrap();
    let (from, to) = (spelling(case.from), spelling(case.to));
    let distinct = |texts: Vec<String>| texts.iter().collect::<BTreeSet<_>>().len() == texts.len();
    let names = |spelling: &Spelling| case.tools.iter().map(|tool| spelling.spell(tool)).collect();
    // Each name alone moves there and, alone, back.
    let alone = |tool: &ToolId| {
        let (old, new) = (from.spell(tool), to.spell(tool));
        let quoted = |text: &str| format!("\"{text}\"").into_bytes();
        let goes = |plan: &Plan, a: &str, b: &str| {
            a == b || plan.scan(&quoted(a)).rewrite(&quoted(a)) == quoted(b)
        };
        goes(there, &old, &new) && goes(back, &new, &old)
    };
    distinct(names(&from)) && distinct(names(&to)) && case.tools.iter().all(alone)
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 1 << 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_are_sound_and_change_nothing_else(case in cases()) {
        let (plan, text) = (case.there(), case.text());
        let scan = plan.scan(&text);
        assert_sound(&scan, &text);
        assert_outside_is_unchanged(&scan, &text, &scan.rewrite(&text));
        prop_assert!(scan.is_empty() || plan.concerns(&text));
    }

    #[test]
    fn to_move_twice_is_to_move_once(case in cases()) {
        let (plan, text) = (case.there(), case.text());
        let new = plan.scan(&text).rewrite(&text);
        let again = plan.scan(&new);
        prop_assert!(again.edits.is_empty(), "{} -> {}: {:?}\n{}\n{}", case.from, case.to, again.edits,
            String::from_utf8_lossy(&text), String::from_utf8_lossy(&new));
    }

    #[test]
    fn there_and_back_gives_the_text_again(case in cases()) {
        let (text, there, back) = (case.text(), case.there(), case.back());
        let scan = there.scan(&text);
        // Patterns may become patterns of another form; names are what is promised.
        let only_names = scan.edits.iter().all(|edit| matches!(edit.subject, Subject::Tool(_)));
        prop_assume!(only_names && are_injective(&case, &there, &back));
        // What is spelled the new way already would be moved back with the rest.
        let before = back.scan(&text);
        prop_assume!(before.edits.is_empty());
        let new = scan.rewrite(&text);
        // What stood where nothing quotes it may be allowed there in one of the two spellings only.
        let returned = back.scan(&new);
        prop_assume!(returned.left.iter().all(|left| left.reason.kind() != "unquoted"));
        let again = returned.rewrite(&new);
        prop_assert!(again == text, "{} -> {}\n{}\n{}\n{}", case.from, case.to, String::from_utf8_lossy(&text),
            String::from_utf8_lossy(&new), String::from_utf8_lossy(&again));
    }

    #[test]
    fn any_bytes_are_a_text(bytes in proptest::collection::vec(any::<u8>(), 0..200), case in cases()) {
        let mut text = case.text();
        let middle = text.len() / 2;
        text.splice(middle..middle, bytes);
        let plan = case.there();
        let scan = plan.scan(&text);
        assert_sound(&scan, &text);
        let new = scan.rewrite(&text);
        prop_assert!(plan.scan(&new).edits.is_empty(), "{:?}\n{:?}", text.escape_ascii().to_string(), plan.scan(&new).edits);
    }
}
