//! A line `from to`, a fleet one identity a line (`server key`, tab, `wire name`), an empty line, and any text.

#![no_main]

use std::collections::BTreeSet;

use callsign::ToolId;
use callsign_migrate::{Plan, Scan, Spelling, Subject};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(at) = input.windows(2).position(|pair| pair == b"\n\n") else { return };
    let (head, text) = (&input[..at], &input[at + 2..]);
    let Ok(head) = std::str::from_utf8(head) else { return };
    let mut lines = head.split('\n');
    let Some((from, to)) = lines.next().and_then(|line| line.split_once(' ')) else { return };
    let identity = |line: &str| line.split_once('\t').and_then(|(s, w)| ToolId::parse(s, w).ok());
    let ids: BTreeSet<ToolId> = lines.filter_map(identity).take(32).collect();
    let tools: Vec<ToolId> = ids.into_iter().collect();
    let (Ok(from), Ok(to)) = (Spelling::by_id(from, &tools), Spelling::by_id(to, &tools)) else {
        return;
    };
    let there = Plan::new(&tools, &[], &from, &to);
    let scan = there.scan(text);
    only_edits_change(&scan, text);
    let new = scan.rewrite(text);
    // Keys and tools that begin or end with blanks and signs change what their neighbours look like.
    let plain = |id: &ToolId| [id.server().as_str(), id.wire()].concat().chars().all(is_plain);
    if !tools.iter().all(plain) {
        return;
    }
    assert!(there.scan(&new).edits.is_empty(), "moved twice");
    let back = Plan::new(&tools, &[], &to, &from);
    let names = scan.edits.iter().all(|edit| matches!(edit.subject, Subject::Tool(_)));
    if names && is_injective(&tools, &there, &back, &from, &to) && back.scan(text).edits.is_empty() {
        assert_eq!(back.scan(&new).rewrite(&new), text, "not what it was");
    }
});

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn only_edits_change(scan: &Scan, text: &[u8]) {
    let new = scan.rewrite(text);
    let (mut old_at, mut new_at) = (0, 0);
    for edit in &scan.edits {
        assert!(old_at <= edit.start && edit.start < edit.end && edit.end <= text.len());
        let between = &text[old_at..edit.start];
        assert!(new[new_at..].starts_with(between));
        new_at += between.len();
        assert!(new[new_at..].starts_with(edit.to.as_bytes()));
        (old_at, new_at) = (edit.end, new_at + edit.to.len());
    }
    assert_eq!(&text[old_at..], &new[new_at..]);
}

/// Whether each tool alone moves there and back, and no two share a name.
fn is_injective(tools: &[ToolId], there: &Plan, back: &Plan, from: &Spelling, to: &Spelling) -> bool {
    let goes = |plan: &Plan, old: &str, new: &str| {
        let quoted = |text: &str| ["\"", text, "\""].concat().into_bytes();
        old == new || plan.scan(&quoted(old)).rewrite(&quoted(old)) == quoted(new)
    };
    let distinct = |spelling: &Spelling| {
        tools.iter().map(|tool| spelling.spell(tool)).collect::<BTreeSet<_>>().len() == tools.len()
    };
    distinct(from)
        && distinct(to)
        && tools.iter().all(|tool| {
            let (old, new) = (from.spell(tool), to.spell(tool));
            goes(there, &old, &new) && goes(back, &new, &old)
        })
}
