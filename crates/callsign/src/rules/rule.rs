use std::fmt;
use std::sync::Arc;

use super::pattern::{Pattern, Unreadable};

/// What a rule wants of the tools it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Call it without asking.
    Allow,
    /// Ask a person before each call.
    Ask,
    /// Never call it.
    Deny,
}

impl Effect {
    /// All of them, the strongest first: the order in which they are asked.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// `allow`, `ask` or `deny`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Whether it takes something away: such a rule covers more spellings, and nothing makes it ambiguous.
    #[must_use]
    pub const fn restricts(self) -> bool {
        !matches!(self, Self::Allow)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Where a rule stands. Plain data: the rules don't read it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file, as it is to be shown.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One entry of an allow, ask or deny list: what it wants, its text, and what was read from it, once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    effect: Effect,
    text: Box<str>,
    pattern: Result<Pattern, Box<Unreadable>>,
    place: Option<Box<Place>>,
}

impl Rule {
    /// A rule whose pattern was read elsewhere. `text` is the entry as it was written, for messages.
    #[must_use]
    pub fn new(effect: Effect, text: &str, pattern: Result<Pattern, Unreadable>) -> Self {
        Self { effect, text: text.into(), pattern: pattern.map_err(Box::new), place: None }
    }

    /// An entry in the language of a host that takes any text and ignores what matches nothing, see [`Pattern::spelled`].
    /// `None` if it is blank: hosts drop such entries.
    #[must_use]
    pub fn spelled(effect: Effect, text: &str) -> Option<Self> {
        Some(Self::new(effect, text, Ok(Pattern::spelled(text)?)))
    }

    /// An entry in callsign's own language: one that could never match is unreadable, see [`Pattern::strict`].
    #[must_use]
    pub fn strict(effect: Effect, text: &str) -> Self {
        Self::new(effect, text, Pattern::strict(text))
    }

    /// An entry that names server and tool apart, see [`Pattern::identity`]. Its text is `server / tool`.
    #[must_use]
    pub fn identity(effect: Effect, server: &str, tool: &str) -> Self {
        Self::new(effect, &format!("{server} / {tool}"), Pattern::identity(server, tool))
    }

    /// The same rule, with where it stands.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place: Some(Box::new(place)), ..self }
    }

    /// What it wants.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The entry as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was read from it.
    ///
    /// # Errors
    /// [`Unreadable`], with what it covers all the same if it restricts.
    pub fn pattern(&self) -> Result<&Pattern, &Unreadable> {
        self.pattern.as_ref().map_err(|unreadable| &**unreadable)
    }

    /// Where it stands, if that is known.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.place.as_deref()
    }
}
