//! Where rules are read from: a host's file, or the bare `rules` value of a `decide` line.

use super::Dialect;
use super::pattern::Pattern;
use super::rules::{Effect, RuleEntry, RuleList, Rules, Switch};
use crate::document::Document;
use crate::error::ConfigError;
use crate::place::Span;
use crate::tree::{Node, Value};

/// What a dialect reads: a tree of values with their places, and whether it is a whole file.
#[derive(Debug, Clone, Copy)]
pub struct Source<'d> {
    pub(crate) document: &'d Document<'d>,
    /// Whether it is a host's whole file, in which the rules stand somewhere; otherwise it is the rules alone.
    pub(crate) whole_file: bool,
}

impl<'d> Source<'d> {
    pub(crate) fn root(self) -> &'d Node<'d> {
        &self.document.root
    }

    /// The table at `path` in a file. In a bare value that table is the value, or still stands in it under its path.
    pub(crate) fn table(self, path: &[&str]) -> Option<&'d Node<'d>> {
        let mut here = Some(self.root());
        for key in path {
            here = here.and_then(|node| node.get(key));
        }
        here.or_else(|| (!self.whole_file).then(|| self.root()))
    }

    /// Each server's table under `path` in a file, with its key. In a bare value the fields may stand at the top, without a
    /// server: then they are those of whatever server is called.
    pub(crate) fn server_tables(self, path: &str) -> Vec<(Option<&'d str>, &'d Node<'d>)> {
        let servers = self.root().get(path).map_or(&[][..], Node::entries);
        let mut tables: Vec<_> =
            servers.iter().map(|server| (Some(server.key.as_ref()), &server.node)).collect();
        if !self.whole_file && servers.is_empty() {
            tables.push((None, self.root()));
        }
        tables
    }
}

/// Builds [`Rules`] while a dialect walks a [`Source`].
pub(crate) struct Reader<'d> {
    pub(crate) document: &'d Document<'d>,
    pub(crate) rules: Rules,
}

impl<'d> Reader<'d> {
    pub(crate) fn new(dialect: &'static dyn Dialect, source: Source<'d>) -> Self {
        Self { document: source.document, rules: Rules::new(dialect) }
    }

    /// Begins a list and says its index. Its name follows when everything is read.
    pub(crate) fn open(&mut self, node: &Node<'_>, effect: Effect, server: Option<&str>) -> usize {
        let (name, server) = (String::new(), server.map(str::to_owned));
        self.rules.lists.push(RuleList { name, effect, server, span: node.span, ignored: false });
        self.rules.lists.len() - 1
    }

    /// Adds an entry to a list, with the list's effect.
    pub(crate) fn entry(&mut self, list: usize, text: &str, span: Span, pattern: Pattern) {
        let effect = self.rules.lists.get(list).map_or(Effect::Allow, |list| list.effect);
        let text = text.to_owned();
        self.rules.entries.push(RuleEntry { list, effect, text, span, rank: 0, pattern });
    }

    /// Reads a list of texts, all of one rank.
    pub(crate) fn texts_of(
        &mut self,
        node: &Node<'d>,
        effect: Effect,
        rank: i64,
        pattern: impl Fn(&str) -> Pattern,
    ) -> Result<(), ConfigError> {
        let items = self.document.list(node)?;
        let list = self.open(node, effect, None);
        for item in items {
            let text = self.document.string(item)?;
            self.entry(list, text, item.span, pattern(text));
            if let Some(entry) = self.rules.entries.last_mut() {
                entry.rank = rank;
            }
        }
        Ok(())
    }

    /// Reads the list of texts under `key` of `table`, if it is there.
    pub(crate) fn texts(
        &mut self,
        table: &Node<'d>,
        key: &str,
        effect: Effect,
        server: Option<&str>,
        pattern: impl Fn(&str) -> Pattern,
    ) -> Result<(), ConfigError> {
        let Some(node) = table.get(key) else { return Ok(()) };
        let items = self.document.list(node)?;
        let list = self.open(node, effect, server);
        for item in items {
            let text = self.document.string(item)?;
            self.entry(list, text, item.span, pattern(text));
        }
        Ok(())
    }

    /// Reads a list of texts, or one text divided by commas; blanks around an entry do not count.
    pub(crate) fn texts_or_commas(
        &mut self,
        table: &Node<'d>,
        key: &str,
        effect: Effect,
        pattern: impl Fn(&str) -> Pattern,
    ) -> Result<(), ConfigError> {
        let Some(node) = table.get(key) else { return Ok(()) };
        let Value::Text(text) = &node.value else {
            return self.texts(table, key, effect, None, |text| pattern(text.trim()));
        };
        let list = self.open(node, effect, None);
        for (piece, span) in self.pieces(node, text, &[',']) {
            self.entry(list, piece, span, pattern(piece));
        }
        Ok(())
    }

    /// The parts of a text between dividers, trimmed, blank ones dropped, each with its place where the file has it as it
    /// is; else with the place of the whole.
    pub(crate) fn pieces<'t>(
        &self,
        node: &Node<'_>,
        text: &'t str,
        dividers: &[char],
    ) -> Vec<(&'t str, Span)> {
        let written = self.document.text.get(node.span.range()).unwrap_or_default();
        // Quotes aside; a text with escapes is not found.
        let verbatim = written.find(text).map(|at| node.span.start + at);
        let mut from = 0;
        let placed = text.split_inclusive(dividers).filter_map(|part| {
            let at = from + part.len() - part.trim_start().len();
            from += part.len();
            let piece = part.strip_suffix(dividers).unwrap_or(part).trim();
            let span = verbatim.map(|start| Span::new(start + at, start + at + piece.len()));
            (!piece.is_empty()).then(|| (piece, span.unwrap_or(node.span)))
        });
        placed.collect()
    }

    /// Reads lists under keys that the host does not know, and that somebody may have taken for its own: their entries do
    /// nothing.
    pub(crate) fn ignored(
        &mut self,
        table: &Node<'d>,
        keys: &[(&str, Effect)],
        server: Option<&str>,
        why: &'static str,
    ) {
        for (key, effect) in keys {
            let Some(node) = table.get(key) else { continue };
            let Value::List(items) = &node.value else { continue };
            let list = self.open(node, *effect, server);
            if let Some(list) = self.rules.lists.last_mut() {
                list.ignored = true;
            }
            for item in items {
                if let Value::Text(text) = &item.value {
                    self.entry(list, text, item.span, Pattern::never(why));
                }
            }
        }
    }

    /// Reads the switch under `key` of `table`, if it is there: a boolean or a text.
    pub(crate) fn switch(&mut self, table: &Node<'d>, key: &str) -> Result<(), ConfigError> {
        let Some(node) = table.get(key) else { return Ok(()) };
        let value = match &node.value {
            Value::Bool(flag) => flag.to_string(),
            Value::Text(text) => text.to_string(),
            _ => return Err(self.document.wrong_type(node, "a boolean or a string")),
        };
        self.rules.switches.push(Switch { name: key.to_owned(), value, span: node.span });
        Ok(())
    }

    /// The host ignores everything here because of what stands at `span`.
    pub(crate) fn drop_all(&mut self, why: impl Into<String>, span: Span) {
        self.rules.dropped.get_or_insert((why.into(), span));
    }
}
