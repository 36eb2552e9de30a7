//! Goes through documents along the tables and collects the names.

use std::ops::Range;

use super::definitions::Definitions;
use super::documents::Document;
use super::json::{self, Object};
use super::ledger::Ledger;
use super::path::Path;
use super::places::{Step, WRAPPERS};

/// How many arrays and wrappers may lie around a request: a list of batch lines, each with its request.
const WRAPPED: usize = 6;

/// Fields that are in requests and in much else.
const LISTS_OF_TOOLS: [&str; 2] = ["tools", "functions"];

/// What was found so far.
#[derive(Debug)]
pub(super) struct Walk<'t> {
    pub(super) text: &'t str,
    pub(super) ledger: Ledger<'t>,
    pub(super) definitions: Vec<Definitions>,
    /// The documents of no known shape.
    pub(super) unknown: Vec<Range<usize>>,
    is_known: bool,
}

impl<'t> Walk<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            ledger: Ledger::default(),
            definitions: Vec::new(),
            unknown: Vec::new(),
            is_known: false,
        }
    }

    /// Goes through one document.
    pub(super) fn document(&mut self, document: &Document<'t>, places: &Step) {
        self.is_known = false;
        self.root(document.raw, places, &Path::Document, WRAPPED);
        if !self.is_known {
            self.unknown.push(json::span(self.text, document.raw));
        }
    }

    /// A request, an answer, a message, a list of them, or something that wraps one.
    fn root(&mut self, raw: &'t str, places: &Step, path: &Path<'_, 't>, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if let Some(items) = json::items(raw) {
            self.is_known |= items.is_empty();
            for (index, item) in items.into_iter().enumerate() {
                self.root(item, places, &Path::Item(path, index), depth);
            }
        } else if let Some(object) = Object::read(raw) {
            if !is_configuration(&object) {
                self.is_known |= object.has("role", &[]) || is_known(&object, places);
                self.fields(&object, places, path);
            }
            for (key, value) in &object.0 {
                if WRAPPERS.iter().any(|wrapper| json::is(key, wrapper)) {
                    self.root(value, places, &Path::Key(path, key), depth);
                }
            }
        }
    }

    /// Recursion ends where the table does, however deep the document is.
    fn value(&mut self, raw: &'t str, step: &Step, path: &Path<'_, 't>) {
        if !step.name.is_empty() && raw.starts_with('"') {
            self.is_known = true;
            self.ledger.enter(self.text, raw, step.name, path);
        }
        if (!step.keys.is_empty() || !step.guards.is_empty())
            && let Some(object) = Object::read(raw)
        {
            self.fields(&object, step, path);
        }
        if let Some(inner) = &step.items {
            let items = json::items(raw).unwrap_or_default();
            if inner.is_definition && items.len() > 1 {
                let items = items.iter().map(|item| json::span(self.text, item)).collect();
                self.definitions.push(Definitions { field: path.to_string(), items });
            }
            for (index, item) in items.into_iter().enumerate() {
                self.value(item, inner, &Path::Item(path, index));
            }
        }
    }

    fn fields(&mut self, object: &Object<'t>, step: &Step, path: &Path<'_, 't>) {
        for (key, value) in &object.0 {
            for (_, inner) in step.keys.iter().filter(|(wanted, _)| json::is(key, wanted)) {
                self.value(value, inner, &Path::Key(path, key));
            }
        }
        for guard in &step.guards {
            if object.has(guard.field, &guard.values) {
                self.fields(object, &guard.step, path);
            }
        }
    }
}

/// Whether an object says which servers there are and no conversation stands beside that: what its tools are called is for
/// its owner to say.
fn is_configuration(object: &Object<'_>) -> bool {
    const CONVERSATION: [&str; 5] = ["messages", "input", "contents", "output", "role"];
    object.has("mcpServers", &[]) && !CONVERSATION.iter().any(|field| object.has(field, &[]))
}

/// Whether an object has a list or an object where a request has one, or is of a type that a table names. A list of tools is
/// no sign: much else has one, so it must hold a definition of a known form.
fn is_known(object: &Object<'_>, places: &Step) -> bool {
    let has_part = object.0.iter().any(|(key, value)| {
        value.starts_with(['[', '{'])
            && !LISTS_OF_TOOLS.iter().any(|list| json::is(key, list))
            && places.keys.iter().any(|(known, _)| json::is(key, known))
    });
    has_part || places.guards.iter().any(|guard| object.has(guard.field, &guard.values))
}
