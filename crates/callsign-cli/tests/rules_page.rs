//! docs/rules.md: its example is run, and its table is that of the languages. With `UPDATE_DOCS` set, both are written.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use callsign_config::dialect;
use support::{Sandbox, root};

fn page() -> String {
    std::fs::read_to_string(root().join("docs/rules.md")).expect("docs/rules.md")
}

/// What stands between `<!-- name -->` and `<!-- /name -->`, less a fence around it.
fn part(page: &str, name: &str) -> String {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let rest = page.split_once(&begin).unwrap_or_else(|| panic!("no part {name}")).1;
    rest.split_once(&end).unwrap().0.to_owned()
}

fn unfenced(part: &str) -> String {
    let lines: Vec<&str> = part.lines().filter(|line| !line.starts_with("```")).collect();
    lines.join("\n") + "\n"
}

#[track_caller]
fn must_be(name: &str, wanted: &str) {
    let page = page();
    let there = part(&page, name);
    if std::env::var_os("UPDATE_DOCS").is_some() && there != wanted {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
        let page = page.replace(&format!("{begin}{there}{end}"), &format!("{begin}{wanted}{end}"));
        std::fs::write(root().join("docs/rules.md"), page).unwrap();
        return;
    }
    let differing = there.lines().zip(wanted.lines()).find(|(there, wanted)| there != wanted);
    assert!(
        there == wanted,
        "run this test with UPDATE_DOCS=1; {name} differs first in {differing:?}"
    );
}

#[test]
fn the_example_prints_what_the_page_says() {
    let page = page();
    let sandbox = Sandbox::new();
    sandbox.write(".mcp.json", unfenced(&part(&page, "servers")));
    sandbox.write("opencode.json", unfenced(&part(&page, "permissions")));
    let run = sandbox.callsign(["rules", "check", "--color", "never"]).run().exits(1);
    must_be("output", &format!("```text\n{}```\n", run.stdout));
}

#[test]
fn the_table_has_every_language_with_its_facts() {
    let cell = |text: &str| {
        text.replace('|', "\\|").replace('*', "\\*").replace('<', "&lt;").replace('_', "\\_")
    };
    let mut table = String::from(
        "| language | host | compared | wildcards | precedence | empty list | unknown entry |\n|---|---|---|---|---|---|---|\n",
    );
    for profile in dialect::ALL.iter().map(|dialect| dialect.profile()) {
        let facts = [
            profile.compared,
            profile.wildcards,
            profile.precedence,
            profile.empty,
            profile.unknown_entry,
        ];
        let facts = facts.map(|fact| cell(&fact.words())).join(" | ");
        table.push_str(&format!("| `{}` | {} | {facts} |\n", profile.id, profile.host));
    }
    must_be("languages", &table);
}
