//! A parsed file, whatever its syntax: values with their spans, nothing dropped.
//!
//! ```text
//! JSON with comments ─► json.rs ─┐
//! TOML ───────────────► toml.rs ─┼─► Node ─► formats (../format), dialects (../dialect)
//! YAML, front matter ─► yaml.rs ─┘
//! ```
//!
//! A map keeps its entries in their order and keeps a key that occurs twice twice, because what a parser drops is what
//! `check` is asked to find.

pub(crate) mod json;
pub(crate) mod toml;
pub(crate) mod yaml;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::place::Span;

/// Deepest nesting that is read, objects and arrays counted together. serde_json stops at 128 too.
pub(crate) const MAX_DEPTH: usize = 128;

#[derive(Debug, Clone)]
pub(crate) struct Node<'t> {
    pub(crate) span: Span,
    pub(crate) value: Value<'t>,
}

#[derive(Debug, Clone)]
pub(crate) enum Value<'t> {
    Null,
    Bool(bool),
    /// As written.
    Number(Cow<'t, str>),
    /// TOML's dates and times, as written.
    Date(String),
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    Map(Vec<Entry<'t>>),
}

#[derive(Debug, Clone)]
pub(crate) struct Entry<'t> {
    pub(crate) key: Cow<'t, str>,
    pub(crate) key_span: Span,
    pub(crate) node: Node<'t>,
}

impl<'t> Node<'t> {
    /// What it is, with its article, for error messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::Date(_) => "a date",
            Value::Text(_) => "a string",
            Value::List(_) => "an array",
            Value::Map(_) => "an object",
        }
    }

    /// The entries of a map; nothing for any other value.
    pub(crate) fn entries(&self) -> &[Entry<'t>] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The first value under `key`, `null` counted as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&Node<'t>> {
        let entry = self.entries().iter().find(|entry| entry.key == key)?;
        Some(&entry.node).filter(|node| !matches!(node.value, Value::Null))
    }

    /// The first key that occurs twice in a map here or below, with both its places.
    pub(crate) fn duplicate(&self) -> Option<(Span, Span)> {
        match &self.value {
            Value::List(items) => items.iter().find_map(Node::duplicate),
            Value::Map(entries) => duplicate_key(entries)
                .or_else(|| entries.iter().find_map(|entry| entry.node.duplicate())),
            _ => None,
        }
    }

    /// The path from here to the key or value at `target`: `mcpServers.github.args[1]`.
    ///
    /// Worked out by looking for the span, so that reading a file without errors costs nothing for it.
    pub(crate) fn path_to(&self, target: Span) -> String {
        let mut path = String::new();
        let mut here = Some(self);
        while let Some(node) = here.take() {
            if node.span == target {
                break;
            }
            here = node.step_towards(target, &mut path);
        }
        path
    }

    /// The paths of many values at once, by their spans: the whole tree is walked through, and only once.
    pub(crate) fn paths_of(&self, wanted: &HashSet<Span>) -> HashMap<Span, String> {
        let mut found = HashMap::with_capacity(wanted.len());
        self.find_paths(wanted, &mut String::new(), &mut found);
        found
    }

    fn find_paths(
        &self,
        wanted: &HashSet<Span>,
        path: &mut String,
        found: &mut HashMap<Span, String>,
    ) {
        if wanted.contains(&self.span) && !found.contains_key(&self.span) {
            found.insert(self.span, path.clone());
        }
        let length = path.len();
        match &self.value {
            Value::Map(entries) => entries.iter().for_each(|entry| {
                push_key(path, &entry.key);
                entry.node.find_paths(wanted, path, found);
                path.truncate(length);
            }),
            Value::List(items) => items.iter().enumerate().for_each(|(index, item)| {
                path.push_str(&format!("[{index}]"));
                item.find_paths(wanted, path, found);
                path.truncate(length);
            }),
            _ => {}
        }
    }

    fn step_towards(&self, target: Span, path: &mut String) -> Option<&Node<'t>> {
        match &self.value {
            Value::Map(entries) => {
                let inside = |entry: &&Entry<'_>| {
                    entry.key_span.contains(target) || entry.node.reaches(target)
                };
                let entry = entries.iter().find(inside)?;
                push_key(path, &entry.key);
                (!entry.key_span.contains(target)).then_some(&entry.node)
            }
            Value::List(items) => {
                let (index, item) =
                    items.iter().enumerate().find(|(_, item)| item.reaches(target))?;
                path.push_str(&format!("[{index}]"));
                Some(item)
            }
            _ => None,
        }
    }

    /// Whether `target` is this value or lies within it. A TOML table's parts may stand anywhere in the file, so its own
    /// span does not decide.
    fn reaches(&self, target: Span) -> bool {
        self.span.contains(target)
            || match &self.value {
                Value::Map(entries) => entries
                    .iter()
                    .any(|entry| entry.key_span.contains(target) || entry.node.reaches(target)),
                Value::List(items) => items.iter().any(|item| item.reaches(target)),
                _ => false,
            }
    }
}

fn push_key(path: &mut String, key: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    match key.is_empty() || key.contains(['.', '[', '"', ' ']) {
        true => path.push_str(&format!("\"{key}\"")),
        false => path.push_str(key),
    }
}

/// Above this many keys a table is faster than comparing each with each.
const COMPARED_PAIRWISE: usize = 12;

fn duplicate_key(entries: &[Entry<'_>]) -> Option<(Span, Span)> {
    if entries.len() > COMPARED_PAIRWISE {
        let mut seen = HashMap::with_capacity(entries.len());
        return entries.iter().find_map(|entry| {
            let first = seen.insert(&entry.key, entry.key_span)?;
            Some((first, entry.key_span))
        });
    }
    entries.iter().enumerate().find_map(|(index, entry)| {
        let first = entries[..index].iter().find(|before| before.key == entry.key)?;
        Some((first.key_span, entry.key_span))
    })
}
