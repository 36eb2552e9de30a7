//! Random fleets and rules that come close to each other: keys of which one is the beginning, a substitution or a continuation
//! of another, names at the lengths where they are cut, names that imitate a hash, and texts cut out of all their spellings.

use callsign::rules::{Disabled, Pool};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::oracle::{Tool, legacy, name, normalise, raw};

/// What keys and names are put together from.
const PIECES: &[&str] = &[
    "a",
    "foo",
    "bar",
    "get",
    "_",
    "__",
    "___",
    ".",
    ":",
    "-",
    "é",
    "e\u{301}",
    "🚀",
    "日本",
    " ",
    "(",
    ")",
    "*",
    "/",
    "A",
    "\n",
    "mcp",
    "0",
    "kkkkkkkkkkkkkkkk",
    "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
];

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => words_of_pieces(),
        // A key vouches for a cut name up to 21 and at 23; names are cut beyond 63.
        1 => (20..25usize, select(&["", "_", "."][..])).prop_map(|(n, end)| "k".repeat(n) + end),
        1 => words_of_pieces().prop_map(|text| text + "*"),
        1 => (40..66usize, select(&["", "_", ":"][..])).prop_map(|(n, end)| "t".repeat(n) + end),
    ]
}

fn words_of_pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), 1..4).prop_map(|pieces| pieces.concat())
}

/// A text near another one.
fn near(text: &str, how: usize) -> String {
    match how {
        0 => format!("{text}_"),
        1 => format!("{text}__x"),
        2 => text.replace(['.', ':', '/', ' '], "_"),
        3 => text.replace('_', ":"),
        4 => text.replace('_', "."),
        5 => text.chars().take(text.chars().count() / 2 + 1).collect(),
        6 => text.to_ascii_uppercase(),
        7 => format!("_{text}"),
        _ => text.to_owned(),
    }
}

/// A registry in its order: a few servers, most of them near the first, with a few tools each, most of them near each other.
pub(crate) fn registries() -> impl Strategy<Value = Vec<Tool>> {
    let server = (words(), 0..12usize);
    let tool = (any::<Index>(), words(), 0..12usize);
    (prop::collection::vec(server, 1..5), prop::collection::vec(tool, 1..8)).prop_map(
        |(servers, tools)| {
            let first = servers[0].0.clone();
            let keys: Vec<String> = servers
                .into_iter()
                .enumerate()
                .map(|(at, (own, how))| if at == 0 || how > 8 { own } else { near(&first, how) })
                .collect();
            let mut registry: Vec<Tool> = Vec::new();
            for (at, own, how) in tools {
                let server = keys[at.index(keys.len())].clone();
                let tool = match registry.last() {
                    Some(last) if how == 8 => forged(last).unwrap_or(own),
                    Some(last) if how < 8 => near(&last.tool, how),
                    _ => own,
                };
                registry.push(Tool { server, tool });
            }
            let mut seen = std::collections::HashSet::new();
            registry.retain(|tool| seen.insert(tool.clone()));
            registry
        },
    )
}

/// A wire name that, under the right key, is another tool's name with its hash.
fn forged(tool: &Tool) -> Option<String> {
    let name = name(tool);
    let (_, rest) = name.strip_prefix("mcp__")?.split_once("__")?;
    (!rest.is_empty()).then(|| rest.to_owned())
}

/// A rule text that has something to do with the registry, most of the time.
pub(crate) fn texts(registry: &[Tool]) -> impl Strategy<Value = String> + use<> {
    let registry = registry.to_vec();
    let spelling = (any::<Index>(), 0..12usize, 0..3usize, 0..3usize);
    (spelling, 0..10usize, any::<Index>(), words(), 0..16usize).prop_map(
        move |((at, form, s, t), cut, length, word, wrapping)| {
            let tool = &registry[at.index(registry.len())];
            let (server, wire) = (segment(&tool.server, s), segment(&tool.tool, t));
            let whole = match form {
                0 => raw(tool),
                1 => name(tool),
                2 => legacy(&raw(tool)),
                3 => format!("mcp__{server}"),
                4 => format!("mcp__{server}__"),
                5 => format!("mcp__{server}__{wire}"),
                6 => format!("mcp__{server}_{wire}"),
                7 => format!("mcp__{word}__{wire}"),
                8 => format!("mcp__{server}__{word}"),
                9 => normalise(&word),
                10 => wire,
                _ => word,
            };
            let count = whole.chars().count();
            let text: String = match cut {
                0..=2 => whole,
                3 | 4 => whole + "*",
                5..=7 => whole.chars().take(length.index(count + 1)).collect::<String>() + "*",
                8 => whole.chars().take(length.index(count + 1)).collect(),
                _ => whole + "_*",
            };
            match wrapping {
                0 => format!("{text}()"),
                1 => format!("{text} ( )"),
                2 => format!("{text}(x)"),
                3 => format!("{text}("),
                4 => format!("\t {text}\n"),
                _ => text,
            }
        },
    )
}

fn segment(text: &str, how: usize) -> String {
    let keep =
        |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-' || (c == '.' && how == 2);
    let spelled = |c: char| if keep(c) { c.to_string() } else { "_".repeat(c.len_utf16()) };
    if how == 0 { text.to_owned() } else { text.chars().map(spelled).collect() }
}

/// A registry and rules about it.
pub(crate) fn cases(rules: usize) -> impl Strategy<Value = (Vec<Tool>, Vec<String>)> {
    registries().prop_flat_map(move |registry| {
        let texts = prop::collection::vec(texts(&registry), 1..rules);
        (Just(registry), texts)
    })
}

pub(crate) fn pool(registry: &[Tool]) -> Pool {
    Pool::without(registry.iter().map(Tool::call), Disabled::default())
}

impl Tool {
    pub(crate) fn call(&self) -> callsign::rules::Call<'_> {
        (self.server.as_str(), self.tool.as_str()).into()
    }
}
