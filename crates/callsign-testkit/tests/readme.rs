//! The README names every flag and every kind, and no other.

use std::collections::BTreeSet;
use std::process::Command;

use callsign_testkit::{MALFORMED_LISTS, MALFORMED_TOOLS};

const README: &str = include_str!("../README.md");

/// Every `--flag` in a text.
fn flags(text: &str) -> BTreeSet<String> {
    let words = text.split(|it: char| !(it.is_ascii_lowercase() || it == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 3).map(Into::into).collect()
}

#[test]
fn the_flags_are_those_of_the_program() {
    let help = Command::new(env!("CARGO_BIN_EXE_callsign-testkit"))
        .args(["serve", "--help"])
        .output()
        .expect("it runs");
    let mut expected = flags(&String::from_utf8_lossy(&help.stdout));
    expected.remove("--help");
    assert!(expected.len() > 40);
    assert_eq!(flags(README), expected);
}

#[test]
fn the_kinds_are_those_of_the_tables() {
    let (_, kinds) = README.split_once("Kinds of malformed tools: ").expect("the paragraph");
    let (tools, lists) = kinds.split_once("Of lists: ").expect("the second sentence");
    let (lists, _) = lists.split_once("In Rust").expect("the third sentence");
    let named =
        |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(named(tools), MALFORMED_TOOLS.iter().map(|it| it.kind).collect::<Vec<_>>());
    assert_eq!(named(lists), MALFORMED_LISTS.iter().map(|(kind, _)| *kind).collect::<Vec<_>>());
}
