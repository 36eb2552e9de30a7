//! A file being read: its text, its tree, and errors that know their place.

use std::borrow::Cow;
use std::path::Path;

use crate::error::{ConfigError, Problem};
use crate::place::{LineIndex, Place, Span};
use crate::tree::{self, Entry, Node, Value};

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Json,
    Toml,
    Yaml,
    /// Markdown with YAML at its top.
    FrontMatter,
}

impl Syntax {
    /// What people call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Toml => "TOML",
            Self::Yaml => "YAML",
            Self::FrontMatter => "Markdown",
        }
    }

    /// By the file's extension; where that says nothing, by how the text begins.
    pub(crate) fn of(file: &Path, text: &str) -> Self {
        let extension = file.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            Some("json" | "jsonc") => Self::Json,
            Some("md" | "mdc") => Self::FrontMatter,
            _ => {
                let text = text.trim_start();
                let table = text.strip_prefix('[').unwrap_or(text);
                match table.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic()) {
                    true => Self::Toml,
                    false => Self::Json,
                }
            }
        }
    }
}

/// The text and tree of one file.
#[derive(Debug)]
pub(crate) struct Document<'t> {
    pub(crate) file: &'t Path,
    pub(crate) text: &'t str,
    pub(crate) syntax: Syntax,
    pub(crate) root: Node<'t>,
    pub(crate) lines: LineIndex,
}

impl<'t> Document<'t> {
    pub(crate) fn parse(file: &'t Path, text: &'t str) -> Result<Self, ConfigError> {
        let syntax = Syntax::of(file, text);
        let whole = |problem| ConfigError::new(file, None, problem);
        if text.trim().is_empty() && syntax == Syntax::Json {
            return Err(whole(Problem::Empty));
        }
        let parsed = match syntax {
            Syntax::Json => tree::json::parse(text),
            Syntax::Toml => tree::toml::parse(text),
            Syntax::Yaml => tree::yaml::parse(text),
            Syntax::FrontMatter => tree::yaml::parse_front_matter(text),
        };
        let lines = LineIndex::new(text);
        match parsed {
            Ok(root) => Ok(Self { file, text, syntax, root, lines }),
            Err((span, problem)) => {
                Err(ConfigError::new(file, Some(lines.place(text, span)), problem))
            }
        }
    }

    pub(crate) fn place(&self, span: Span) -> Place {
        self.lines.place(self.text, span)
    }

    pub(crate) fn error(&self, span: Span, problem: Problem) -> ConfigError {
        ConfigError::new(self.file, Some(self.place(span)), problem)
    }

    pub(crate) fn path_to(&self, span: Span) -> String {
        self.root.path_to(span)
    }

    pub(crate) fn wrong_type(&self, node: &Node<'_>, expected: &'static str) -> ConfigError {
        let word = |json| match (self.syntax, json) {
            (Syntax::Toml, "an object") => "a table",
            _ => json,
        };
        let (expected, found) = (word(expected), word(node.kind()));
        self.error(node.span, Problem::WrongType { path: self.path_to(node.span), expected, found })
    }

    pub(crate) fn wrong_value(&self, span: Span, reason: impl Into<String>) -> ConfigError {
        self.error(span, Problem::WrongValue { path: self.path_to(span), reason: reason.into() })
    }

    pub(crate) fn empty_name(&self, span: Span, what: &'static str) -> ConfigError {
        self.error(span, Problem::EmptyName { what, path: self.path_to(span) })
    }

    /// Refuses a key that occurs twice in `node` or below.
    pub(crate) fn refuse_duplicates(&self, node: &Node<'_>) -> Result<(), ConfigError> {
        match node.duplicate() {
            None => Ok(()),
            Some((first, second)) => Err(self.duplicate(first, second)),
        }
    }

    /// Refuses a second `key` in the map `node`, whatever else occurs twice there.
    pub(crate) fn refuse_second(&self, node: &Node<'_>, key: &str) -> Result<(), ConfigError> {
        let mut same = node.entries().iter().filter(|entry| entry.key == key);
        match (same.next(), same.next()) {
            (Some(first), Some(second)) => Err(self.duplicate(first.key_span, second.key_span)),
            _ => Ok(()),
        }
    }

    fn duplicate(&self, first: Span, second: Span) -> ConfigError {
        let key = self.path_to(second);
        self.error(second, Problem::DuplicateKey { key, first: self.place(first) })
    }

    pub(crate) fn map<'n>(&self, node: &'n Node<'t>) -> Result<&'n [Entry<'t>], ConfigError> {
        match &node.value {
            Value::Map(entries) => Ok(entries),
            _ => Err(self.wrong_type(node, "an object")),
        }
    }

    pub(crate) fn list<'n>(&self, node: &'n Node<'t>) -> Result<&'n [Node<'t>], ConfigError> {
        match &node.value {
            Value::List(items) => Ok(items),
            _ => Err(self.wrong_type(node, "an array")),
        }
    }

    pub(crate) fn string<'n>(&self, node: &'n Node<'t>) -> Result<&'n str, ConfigError> {
        match &node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong_type(node, "a string")),
        }
    }

    pub(crate) fn flag(&self, node: &Node<'_>) -> Result<bool, ConfigError> {
        match node.value {
            Value::Bool(flag) => Ok(flag),
            _ => Err(self.wrong_type(node, "a boolean")),
        }
    }

    pub(crate) fn strings(&self, node: &Node<'t>) -> Result<Vec<String>, ConfigError> {
        let items = self.list(node)?;
        let mut strings = Vec::with_capacity(items.len());
        for item in items {
            strings.push(self.string(item)?.to_owned());
        }
        Ok(strings)
    }

    /// A value as JSON text. What is JSON in the file is given as it stands there, byte for byte, but for comments and
    /// trailing commas, which become spaces.
    pub(crate) fn json_of<'n>(&'n self, node: &'n Node<'t>) -> Cow<'n, str> {
        match self.syntax {
            Syntax::Json => tree::json::plain(self.text.get(node.span.range()).unwrap_or_default()),
            Syntax::Toml | Syntax::Yaml | Syntax::FrontMatter => {
                Cow::Owned(tree::toml::to_json(node))
            }
        }
    }
}
