use super::guard::{self, Clash};
use super::matching;
use super::pool::Pool;
use super::rule::{Effect, Rule};
use super::target::Target;

/// What the rules say of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The tool is off; no rule is asked.
    Disabled,
    /// A rule forbids it.
    Deny,
    /// A rule wants a person to be asked.
    Ask,
    /// A rule grants it.
    Allow,
    /// No rule decides: it is as if there were none.
    Default,
}

impl Verdict {
    /// `disabled`, `deny`, `ask`, `allow` or `default`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
            Self::Default => "default",
        }
    }
}

impl From<Effect> for Verdict {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Allow => Self::Allow,
            Effect::Ask => Self::Ask,
            Effect::Deny => Self::Deny,
        }
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

/// What one rule says of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Say<'a> {
    /// It has nothing to do with the tool.
    No,
    /// It matches, and nothing speaks against that.
    Yes,
    /// It would grant the tool, but could be meant for another one.
    Ambiguous(Clash<'a>),
    /// It can't be read, restricts, and may have been meant for the tool.
    FailsClosed,
}

/// The whole of what a rule says of a call; everything faster must give the same.
pub(super) fn say<'a>(rule: &'a Rule, target: &'a Target<'_>, pool: &'a Pool) -> Say<'a> {
    let restricts = rule.effect().restricts();
    match rule.pattern() {
        Err(unreadable) if restricts && matching::may_cover(unreadable, target) => Say::FailsClosed,
        Err(_) => Say::No,
        Ok(pattern) if restricts && matching::covers(pattern, target) => Say::Yes,
        Ok(pattern) if !restricts && matching::names(pattern, target) => {
            guard::clash(pattern, target, pool).map_or(Say::Yes, Say::Ambiguous)
        }
        Ok(_) => Say::No,
    }
}
