//! Server keys and wire names, ordinary and hostile.

use std::collections::{BTreeMap, BTreeSet};

use callsign::ToolId;
use proptest::prelude::*;

/// Wire names by server key.
pub(crate) type Fleet = BTreeMap<String, BTreeSet<String>>;

/// Any non-empty text that a naming scheme may trip over.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let pieces = vec![
        "a",
        "b",
        "B",
        "ab",
        "_",
        "__",
        "___",
        "-",
        "--",
        ".",
        "/",
        " ",
        "\n",
        "\0",
        "mcp__",
        "é",
        "日本",
        "🚀",
        "ａ",
        "1",
        "srv",
        "_3abcdefgh",
        "-3ABCDEFGH",
        "_81fqjaeyw",
        "_0zik0zj",
        "tool_",
    ];
    prop_oneof![
        6 => prop::collection::vec(prop::sample::select(pieces), 1..5).prop_map(|pieces| pieces.concat()),
        2 => "[ab]{0,2}[_-]{1,2}[0-9][0-9a-hjkmnp-tv-zA-HJKMNP-TV-Z]{8}",
        2 => "[a-z_]{20,70}",
        1 => "[ab]{55,59}",
        1 => "\\PC{1,40}",
    ]
}

/// Texts so few and so alike that they meet in one name all the time.
fn small_text() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "b", "a_", "_b", "a__b", "b__c", "c", "a-b", "a_b", "A", "x", "a_x", "b_x", "a.b",
    ])
    .prop_map(str::to_owned)
}

/// Identities of both kinds, with no repetition.
pub(crate) fn identities() -> impl Strategy<Value = Vec<ToolId>> {
    let pair = prop_oneof![(text(), text()), (small_text(), small_text()), (small_text(), text())];
    prop::collection::btree_set(pair, 1..24).prop_map(|pairs| {
        pairs.iter().map(|(server, wire)| ToolId::parse(server, wire).unwrap()).collect()
    })
}

/// A fleet of up to eight servers, some without tools.
pub(crate) fn fleets() -> impl Strategy<Value = Fleet> {
    let part = || prop_oneof![3 => small_text(), 1 => text()];
    prop::collection::btree_map(part(), prop::collection::btree_set(part(), 0..8), 1..8)
}

/// A fleet of up to four servers whose names often meet: all its orders can be tried.
pub(crate) fn small_fleets() -> impl Strategy<Value = Fleet> {
    let part = || prop_oneof![12 => small_text(), 1 => text()];
    prop::collection::btree_map(part(), prop::collection::btree_set(part(), 0..4), 1..5)
}
