//! The tables of all providers, merged into one tree, so that a text is gone through once for all of them.

use std::sync::LazyLock;

use super::provider::{Provider, Providers};
use super::{anthropic, gemini, openai};

/// Where one kind of object keeps names. A path is keys divided by dots; `[]` goes into each item of an array,
/// `{field=a|b}` goes on only where the object's field has one of these values, `{field}` only where it has the field.
pub(super) struct Table {
    /// Where such objects stand in a document; empty: the document itself.
    pub(super) inside: &'static [&'static str],
    /// Paths to strings that are names of tools.
    pub(super) names: &'static [&'static str],
    /// Paths to the definitions among them, of which a provider takes one for each name.
    pub(super) definitions: &'static [&'static str],
}

const TABLES: [(Provider, &Table); 8] = [
    (Provider::OpenAi, &openai::CHAT),
    (Provider::OpenAi, &openai::CHAT_REQUEST),
    (Provider::OpenAi, &openai::RESPONSES),
    (Provider::OpenAi, &openai::RESPONSES_REQUEST),
    (Provider::Anthropic, &anthropic::BLOCKS),
    (Provider::Anthropic, &anthropic::REQUEST),
    (Provider::Gemini, &gemini::PARTS),
    (Provider::Gemini, &gemini::REQUEST),
];

/// Keys under which logs, batch files and transcripts keep a request, an answer or a message.
pub(super) const WRAPPERS: [&str; 17] = [
    "body",
    "config",
    "conversation",
    "data",
    "entries",
    "history",
    "item",
    "items",
    "message",
    "params",
    "payload",
    "request",
    "requests",
    "response",
    "result",
    "session",
    "turns",
];

/// What may lie at one point of a document.
#[derive(Debug, Default)]
pub(super) struct Step {
    pub(super) keys: Vec<(&'static str, Step)>,
    pub(super) items: Option<Box<Step>>,
    pub(super) guards: Vec<Guard>,
    /// For which providers a string here is a name.
    pub(super) name: Providers,
    /// Whether an object here is the definition of a tool.
    pub(super) is_definition: bool,
}

/// What holds only for an object whose field has one of the values; without values, one that has the field.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) field: &'static str,
    pub(super) values: Vec<&'static str>,
    pub(super) step: Step,
}

/// The places of one provider, or of all.
pub(super) fn of(provider: Option<Provider>) -> &'static Step {
    static ALL: LazyLock<Step> = LazyLock::new(|| merged(|_| true));
    static OPENAI: LazyLock<Step> = LazyLock::new(|| merged(|of| of == Provider::OpenAi));
    static ANTHROPIC: LazyLock<Step> = LazyLock::new(|| merged(|of| of == Provider::Anthropic));
    static GEMINI: LazyLock<Step> = LazyLock::new(|| merged(|of| of == Provider::Gemini));
    match provider {
        None => &ALL,
        Some(Provider::OpenAi) => &OPENAI,
        Some(Provider::Anthropic) => &ANTHROPIC,
        Some(Provider::Gemini) => &GEMINI,
    }
}

fn merged(wanted: impl Fn(Provider) -> bool) -> Step {
    let mut root = Step::default();
    for (provider, table) in TABLES.into_iter().filter(|(provider, _)| wanted(*provider)) {
        for inside in table.inside {
            for path in table.names {
                root.at(inside).at(path).name.insert(provider);
            }
            for path in table.definitions {
                root.at(inside).at(path).is_definition = true;
            }
        }
    }
    root
}

impl Step {
    /// The step at the end of a path, made where there is none yet.
    fn at(&mut self, path: &'static str) -> &mut Self {
        if let Some(rest) = path.strip_prefix("[]") {
            return self.items.get_or_insert_default().at(rest);
        }
        if let Some((condition, rest)) = path.strip_prefix('{').and_then(|p| p.split_once('}')) {
            return self.guarded(condition).at(rest);
        }
        let path = path.strip_prefix('.').unwrap_or(path);
        if path.is_empty() {
            return self;
        }
        let (key, rest) = path.split_at(path.find(['.', '[', '{']).unwrap_or(path.len()));
        if key.is_empty() {
            return self.at(rest);
        }
        at_key(&mut self.keys, key).at(rest)
    }

    fn guarded(&mut self, condition: &'static str) -> &mut Self {
        let (field, values) = condition.split_once('=').unwrap_or((condition, ""));
        let values: Vec<&str> = values.split('|').filter(|value| !value.is_empty()).collect();
        let index = self.guards.iter().position(|g| g.field == field && g.values == values);
        let index = index.unwrap_or_else(|| {
            self.guards.push(Guard { field, values, step: Self::default() });
            self.guards.len() - 1
        });
        &mut self.guards[index].step
    }
}

fn at_key<'a>(keys: &'a mut Vec<(&'static str, Step)>, key: &'static str) -> &'a mut Step {
    let index = keys.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
        keys.push((key, Step::default()));
        keys.len() - 1
    });
    &mut keys[index].1
}
