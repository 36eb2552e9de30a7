//! `[rules]` of callsign.toml: who may be called, by server key and wire name as two fields, so that nothing is split.

use callsign::ToolId;
use callsign::rules::{
    Cause, Covers, Disabled, Effect, Field, Identity, Pattern, Place as RulePlace, Rule, Unreadable,
};
use callsign::scheme::HostSpelling;

use crate::document::Document;
use crate::error::{ConfigError, Problem};
use crate::near::near;
use crate::place::Span;
use crate::settings::Placed;
use crate::tree::{Entry, Node, Value};

/// Rules of a `callsign.toml`, each parsed once and with its place.
///
/// A rule that can't be read is here all the same: one that denies or asks covers what it may have been meant for, one that
/// allows grants nothing ([`Unreadable`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RuleSettings {
    /// What happens to a call that no rule decides; the host's own default, if it is not set.
    pub default: Option<Placed<Effect>>,
    /// The rules: deny, then ask, then allow, each in the file's order.
    pub rules: Vec<PlacedRule>,
    /// Tools that are off: denied before any rule is asked.
    pub disabled: Vec<Placed<DisabledTool>>,
    /// The lists that are there, also empty ones.
    pub(crate) lists: Vec<(Effect, Span)>,
    pub(crate) disabled_list: Option<Span>,
}

/// A rule and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedRule {
    /// The rule, with its [place](Rule::place).
    pub rule: Rule,
    /// The whole entry.
    pub span: Span,
}

/// An entry of `disabled`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DisabledTool {
    /// A name in any spelling that is the whole of it, as [`Disabled`] reads it.
    Name(String),
    /// Server and wire name.
    Identity(Identity),
}

impl RuleSettings {
    /// The rules alone, for [`Policy::compile`](callsign::rules::Policy::compile).
    #[must_use]
    pub fn compiled(&self) -> callsign::rules::Policy {
        let rules = self.rules.iter().map(|placed| placed.rule.clone());
        callsign::rules::Policy::compile(rules.collect())
    }

    /// Whether a tool is off. Who registers tools or offers them to a model asks this first; nothing here does it for them.
    #[must_use]
    pub fn is_disabled(&self, tool: &ToolId) -> bool {
        self.names_of_disabled().covers(tool)
            || self.disabled.iter().any(|entry| match &entry.value {
                DisabledTool::Identity(id) => {
                    id.server.matches(tool.server()) && id.tool.matches(tool.wire())
                }
                DisabledTool::Name(_) => false,
            })
    }

    /// The names among [`disabled`](Self::disabled).
    #[must_use]
    pub fn names_of_disabled(&self) -> Disabled {
        Disabled::of(self.disabled.iter().filter_map(|entry| match &entry.value {
            DisabledTool::Name(name) => Some(name.as_str()),
            DisabledTool::Identity(_) => None,
        }))
    }

    /// Whether the file says nothing about rules.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.default.is_none() && self.lists.is_empty() && self.disabled_list.is_none()
    }
}

const TABLE: [&str; 5] = ["default", "allow", "ask", "deny", "disabled"];
const FIELDS: [&str; 2] = ["server", "tool"];

/// Reads the table.
///
/// # Errors
/// A key that is not known, a list that is none, a default that is no effect. Single rules that can't be read are no errors.
pub(crate) fn read(document: &Document<'_>, table: &Node<'_>) -> Result<RuleSettings, ConfigError> {
    refuse_unknown(document, document.map(table)?, &TABLE)?;
    let mut settings = RuleSettings::default();
    if let Some(node) = table.get("default") {
        let value = effect_of(document, node)?;
        settings.default = Some(Placed { value, place: document.place(node.span) });
    }
    for effect in Effect::ALL {
        let Some(node) = table.get(effect.as_str()) else { continue };
        settings.lists.push((effect, node.span));
        for item in document.list(node)? {
            let rule = rule(document, effect, item)?.at(place(document, item.span));
            settings.rules.push(PlacedRule { rule, span: item.span });
        }
    }
    if let Some(node) = table.get("disabled") {
        settings.disabled_list = Some(node.span);
        for item in document.list(node)? {
            let value = disabled(document, item)?;
            settings.disabled.push(Placed { value, place: document.place(item.span) });
        }
    }
    Ok(settings)
}

fn refuse_unknown(
    document: &Document<'_>,
    entries: &[Entry<'_>],
    allowed: &[&'static str],
) -> Result<(), ConfigError> {
    let unknown = entries.iter().find(|entry| !allowed.contains(&entry.key.as_ref()));
    let Some(entry) = unknown else { return Ok(()) };
    let key = document.path_to(entry.key_span);
    let near = near(&entry.key, allowed);
    let problem = Problem::UnknownSetting { key, near, allowed: allowed.to_vec() };
    Err(document.error(entry.key_span, problem))
}

fn effect_of(document: &Document<'_>, node: &Node<'_>) -> Result<Effect, ConfigError> {
    let word = document.string(node)?;
    let known = Effect::ALL.into_iter().find(|effect| effect.as_str() == word);
    known.ok_or_else(|| document.wrong_value(node.span, "it is `allow`, `ask` or `deny`"))
}

fn place(document: &Document<'_>, span: Span) -> RulePlace {
    let place = document.place(span);
    let counted = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let file = document.file.to_string_lossy().into();
    RulePlace { file, line: counted(place.line), column: counted(place.column) }
}

fn rule(document: &Document<'_>, effect: Effect, item: &Node<'_>) -> Result<Rule, ConfigError> {
    match &item.value {
        Value::Text(text) => Ok(Rule::strict(effect, text)),
        Value::Map(fields) => {
            refuse_unknown(document, fields, &FIELDS)?;
            let [server, tool] = FIELDS.map(|field| field_of(item, field));
            Ok(Rule::new(effect, &words(server, tool), identity(server, tool)))
        }
        _ => {
            let cause = Cause::NotARule { found: item.kind().to_owned() };
            // In parentheses: what stands there in words is not what stands there.
            let text = format!("({})", item.kind());
            Ok(Rule::new(effect, &text, Err(Unreadable::whole(cause))))
        }
    }
}

/// A field as it stands: absent, a text, or something else.
#[derive(Debug, Clone, Copy)]
enum FieldValue<'n> {
    Absent,
    Text(&'n str),
    Other(&'static str),
}

fn field_of<'n>(item: &'n Node<'_>, field: &str) -> FieldValue<'n> {
    match item.get(field).map(|node| (&node.value, node)) {
        None => FieldValue::Absent,
        Some((Value::Text(text), _)) => FieldValue::Text(text),
        Some((_, node)) => FieldValue::Other(node.kind()),
    }
}

/// The entry in messages: `server / tool`.
fn words(server: FieldValue<'_>, tool: FieldValue<'_>) -> String {
    let word = |field: FieldValue<'_>, absent: &str| match field {
        FieldValue::Absent => absent.to_owned(),
        FieldValue::Text(text) => text.to_owned(),
        FieldValue::Other(kind) => format!("({kind})"),
    };
    format!("{} / {}", word(server, "(no server)"), word(tool, "*"))
}

/// Without `tool` it is the whole server. A field that is no text could have meant anything.
fn identity(server: FieldValue<'_>, tool: FieldValue<'_>) -> Result<Pattern, Unreadable> {
    let readable = |field: FieldValue<'_>| match field {
        FieldValue::Text(text) => Pattern::identity(text, "*").is_ok(),
        _ => false,
    };
    match (server, tool) {
        (FieldValue::Other(found), FieldValue::Text(tool)) => Err(unreadable(found, "*", tool)),
        (FieldValue::Other(found), _) => Err(unreadable(found, "*", "*")),
        (FieldValue::Text(server), FieldValue::Other(found))
            if readable(FieldValue::Text(server)) =>
        {
            Err(unreadable(found, server, "*"))
        }
        (_, FieldValue::Other(found)) => Err(unreadable(found, "*", "*")),
        (FieldValue::Text(server), FieldValue::Text(tool)) => Pattern::identity(server, tool),
        (FieldValue::Text(server), FieldValue::Absent) => Pattern::identity(server, "*"),
        (FieldValue::Absent, FieldValue::Text(tool)) => Pattern::identity("", tool),
        (FieldValue::Absent, FieldValue::Absent) => {
            Err(Unreadable::whole(Cause::EmptyField(Field::Server)))
        }
    }
}

/// Covers what the readable field says, or everything.
fn unreadable(found: &str, server: &str, tool: &str) -> Unreadable {
    let cause = Cause::NotARule { found: found.to_owned() };
    match Pattern::identity(server, tool) {
        Ok(pattern) => Unreadable { cause, covers: Covers::Pattern(pattern) },
        Err(_) => Unreadable::whole(cause),
    }
}

/// The length of names that were cut, in which the separator may be what was cut away.
const CUT: usize = 63;

/// Whether a text can be the whole name of a tool: a key and a wire name behind the mark that such names have.
fn is_whole_name(text: &str) -> bool {
    let spelling = HostSpelling::QwenCode;
    let Some(name) = text.strip_prefix(spelling.marker()) else { return false };
    let is_divided = name
        .match_indices(|_: char| true)
        .skip(1)
        .filter_map(|(at, _)| name[at..].strip_prefix(spelling.separator()))
        .any(|wire| !wire.is_empty());
    let is_plain = text.trim() == text && !text.contains('(') && !text.ends_with('*');
    is_plain && (is_divided || text.chars().count() >= CUT)
}

/// A list that takes tools away may not hold what it can't take away, so here every mistake is an error.
fn disabled(document: &Document<'_>, item: &Node<'_>) -> Result<DisabledTool, ConfigError> {
    match &item.value {
        Value::Text(text) if text.trim().is_empty() => Err(document.empty_name(item.span, "tool name")),
        Value::Text(text) if !is_whole_name(text) => Err(document.wrong_value(
            item.span,
            "a name in this list is a whole one, `mcp__server__tool`; write `{ server = …, tool = … }` for anything else",
        )),
        Value::Text(text) => Ok(DisabledTool::Name(text.to_string())),
        Value::Map(fields) => {
            refuse_unknown(document, fields, &FIELDS)?;
            let [server, tool] = FIELDS.map(|field| field_of(item, field));
            match identity(server, tool) {
                Ok(Pattern::Identity(identity)) => Ok(DisabledTool::Identity(identity)),
                Ok(Pattern::Spelled(_)) => Err(document.wrong_type(item, "a string or an object")),
                Err(unreadable) => Err(document.wrong_value(item.span, unreadable.to_string())),
            }
        }
        _ => Err(document.wrong_type(item, "a string or an object")),
    }
}
