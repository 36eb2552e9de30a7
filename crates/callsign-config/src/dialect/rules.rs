//! Rules as they were read: lists, their entries, and the switches beside them.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use callsign::rules::{self, Policy, Pool, Unreadable};

use super::Dialect;
use super::fleet::{Fleet, Tool};
use super::pattern::{Pattern, Reach, judged};
use crate::place::Span;

/// What an entry does to what it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The call runs without asking.
    Allow,
    /// The call is asked for.
    Ask,
    /// The call is refused.
    Deny,
    /// The tool reaches the model.
    Show,
    /// The tool is kept from the model.
    Hide,
    /// The host goes by the tool's own annotations.
    Auto,
    /// The call is asked for unless the tool says of itself that it only reads.
    AskUnlessReadOnly,
    /// A program of the user's is run at the call.
    Hook,
}

impl Effect {
    /// The word for it, as it stands in output.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Show => "show",
            Self::Hide => "hide",
            Self::Auto => "auto",
            Self::AskUnlessReadOnly => "ask unless read-only",
            Self::Hook => "hook",
        }
    }

    /// Whether it takes something away, so that an entry without effect is a restriction lost.
    #[must_use]
    pub fn restricts(self) -> bool {
        matches!(self, Self::Ask | Self::AskUnlessReadOnly | Self::Deny | Self::Hide)
    }

    /// What a call of the tool comes to when an entry of it decides. Annotations are the host's to judge, and a hook decides
    /// nothing.
    pub(crate) fn verdict(self, tool: Tool<'_>) -> Verdict {
        match self {
            Self::Allow | Self::Show => Verdict::Allow,
            Self::Ask => Verdict::Ask,
            Self::Deny | Self::Hide => Verdict::Deny,
            Self::AskUnlessReadOnly => match tool.read_only() {
                Some(true) => Verdict::Allow,
                Some(false) => Verdict::Ask,
                None => Verdict::Default,
            },
            Self::Auto | Self::Hook => Verdict::Default,
        }
    }
}

/// What a host's rules make of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// It runs; or the tool is exposed.
    Allow,
    /// It is asked for.
    Ask,
    /// It is refused; or the tool is hidden.
    Deny,
    /// No entry decides; the host's own default applies.
    Default,
}

impl Verdict {
    /// `allow`, `ask`, `deny` or `default`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Default => "default",
        }
    }
}

/// A decision and what it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What becomes of the call.
    pub verdict: Verdict,
    /// The entry that decided, as an index into [`Rules::entries`]; `None` where none did.
    pub by: Option<usize>,
    /// Why, in words, without the entry's text.
    pub because: Cow<'static, str>,
    /// Entries that can't be read and were taken to cover the tool, whether or not one of them decided. Whoever acts on the
    /// decision must say so loudly.
    pub unreadable: Vec<usize>,
}

impl Decision {
    pub(crate) fn new(verdict: Verdict, because: impl Into<Cow<'static, str>>) -> Self {
        Self { verdict, by: None, because: because.into(), unreadable: Vec::new() }
    }

    pub(crate) fn by(
        verdict: Verdict,
        entry: usize,
        because: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self { by: Some(entry), ..Self::new(verdict, because) }
    }

    /// No entry decides.
    pub(crate) fn default() -> Self {
        Self::new(Verdict::Default, "no entry decides, so the host's own default applies")
    }
}

/// One list (or table) of entries.
#[derive(Debug, Clone)]
pub struct RuleList {
    /// Where it stands in the file's structure: `permissions.deny`.
    pub name: String,
    /// What its entries do.
    pub effect: Effect,
    /// The server it belongs to, where a file has a list a server.
    pub server: Option<String>,
    /// The whole list.
    pub span: Span,
    /// Whether the host doesn't know its key, so that it isn't there for it.
    pub(crate) ignored: bool,
}

/// One entry.
#[derive(Debug, Clone)]
pub struct RuleEntry {
    /// The list it stands in, as an index into [`Rules::lists`].
    pub list: usize,
    /// What it does; in most dialects that of its list.
    pub effect: Effect,
    /// Its text as written, quotes and escapes aside.
    pub text: String,
    /// Where the text stands.
    pub span: Span,
    /// Its rank where a host sorts by one: the highest counts. 0 elsewhere.
    pub rank: i64,
    pub(crate) pattern: Pattern,
}

impl RuleEntry {
    /// Whether it speaks of MCP tools at all; rules for built-in tools stand in the same lists and are not judged.
    #[must_use]
    pub fn concerns_mcp(&self) -> bool {
        !matches!(self.pattern, Pattern::Foreign | Pattern::Elsewhere)
    }

    /// Whether something beside its text says that it is about something else.
    pub(crate) fn is_elsewhere(&self) -> bool {
        matches!(self.pattern, Pattern::Elsewhere)
    }

    /// What is wrong with an entry of callsign's own that can't be read. One that denies or asks covers what it may have been
    /// meant for all the same.
    #[must_use]
    pub fn unreadable(&self) -> Option<&Unreadable> {
        match &self.pattern {
            Pattern::Judged(policy) => policy.rules().first().and_then(|rule| rule.pattern().err()),
            _ => None,
        }
    }

    /// The rule that the core judges, if it judges this entry.
    pub(crate) fn judged(&self) -> Option<&rules::Rule> {
        match &self.pattern {
            Pattern::Judged(policy) => policy.rules().first(),
            _ => None,
        }
    }

    /// Why it can't match any tool, if that can be told without one.
    #[must_use]
    pub fn never(&self) -> Option<&str> {
        match &self.pattern {
            Pattern::Never(why) => Some(why),
            _ => None,
        }
    }
}

/// A switch beside the lists: `useMcp`, `mode`, `default`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Switch {
    /// Its name in the file, with the tables it stands in.
    pub name: String,
    /// Its value, as text: `true`, `auto`.
    pub value: String,
    /// Where the value stands.
    pub span: Span,
}

/// The rules of one dialect in one file.
#[derive(Debug)]
pub struct Rules {
    /// Whose language they are.
    pub dialect: &'static dyn Dialect,
    /// The lists, in the file's order. One without entries is a list too.
    pub lists: Vec<RuleList>,
    /// All entries, in the order in which the host looks at them.
    pub entries: Vec<RuleEntry>,
    /// The switches beside them.
    pub switches: Vec<Switch>,
    /// Why the host ignores all of it, and where the cause stands.
    pub dropped: Option<(String, Span)>,
    /// All entries that are decided by identity, made when a decision is asked for.
    policy: OnceLock<Policy>,
    /// The tools of the fleet with this mark that are not off.
    pool: OnceLock<(Arc<()>, Pool)>,
    hides: OnceLock<bool>,
}

/// Why a bare name is reported although it may be a built-in tool's.
const BARE: &str = "a bare name is that of a built-in tool here, and no MCP tool's";

impl Rules {
    pub(crate) fn new(dialect: &'static dyn Dialect) -> Self {
        Self {
            dialect,
            lists: vec![],
            entries: vec![],
            switches: vec![],
            dropped: None,
            policy: OnceLock::new(),
            pool: OnceLock::new(),
            hides: OnceLock::new(),
        }
    }

    /// Whether the file says nothing in this dialect.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty() && self.switches.is_empty() && self.dropped.is_none()
    }

    /// The list of an entry.
    #[must_use]
    pub fn list_of(&self, entry: &RuleEntry) -> Option<&RuleList> {
        self.lists.get(entry.list)
    }

    /// What an entry does to one tool, the server its list belongs to included.
    #[must_use]
    pub fn reach(&self, entry: &RuleEntry, tool: Tool<'_>) -> Reach {
        let server = self.list_of(entry).and_then(|list| list.server.as_deref());
        if server.is_some_and(|server| server != tool.server()) {
            // An entry that can't match anything can't match elsewhere either.
            return entry.never().map_or(Reach::No, |why| Reach::Never(why.to_owned().into()));
        }
        let bare = || {
            matches!(entry.pattern, Pattern::Foreign)
                && (entry.text == tool.wire() || entry.text == tool.server())
        };
        if let Pattern::Judged(policy) = &entry.pattern {
            return judged(policy, &self.pool(tool.fleet()), tool);
        }
        match self.dialect.reach(self, entry, tool) {
            Reach::No if !entry.concerns_mcp() && bare() => Reach::Never(BARE.into()),
            reach => reach,
        }
    }

    /// The tools that grants are judged among: all but those that an entry takes away.
    pub(crate) fn pool<'a>(&'a self, fleet: &'a Fleet) -> Cow<'a, Pool> {
        let is_hiding = |entry: &RuleEntry| entry.effect == Effect::Hide;
        if !self.hides.get_or_init(|| self.entries.iter().any(is_hiding)) {
            return Cow::Borrowed(fleet.pool());
        }
        let is_off = |tool: Tool<'_>| self.first(&[Effect::Hide], tool).is_some();
        let (mark, pool) =
            self.pool.get_or_init(|| (Arc::clone(fleet.mark()), fleet.pool_without(is_off)));
        match Arc::ptr_eq(mark, fleet.mark()) {
            true => Cow::Borrowed(pool),
            false => Cow::Owned(fleet.pool_without(is_off)),
        }
    }

    /// What becomes of a call in that host.
    ///
    /// A file that the host ignores decides nothing.
    #[must_use]
    pub fn decide(&self, fleet: &Fleet, call: Tool<'_>) -> Decision {
        match &self.dropped {
            Some((why, _)) => Decision::new(Verdict::Default, why.clone()),
            None => self.dialect.decide(self, fleet, call),
        }
    }

    /// The first entry with one of these effects that covers the tool.
    pub(crate) fn first(&self, effects: &[Effect], tool: Tool<'_>) -> Option<usize> {
        let of_them = |(_, entry): &(usize, &RuleEntry)| effects.contains(&entry.effect);
        let mut entries = self.entries.iter().enumerate().filter(of_them);
        entries.find(|(_, entry)| self.reach(entry, tool) == Reach::Matches).map(|(index, _)| index)
    }

    /// The entry of the highest rank that covers the tool, the first among equals.
    pub(crate) fn highest(&self, tool: Tool<'_>) -> Option<(usize, &RuleEntry)> {
        let mut found: Option<(usize, &RuleEntry)> = None;
        for (index, entry) in self.entries.iter().enumerate() {
            let higher = found.is_none_or(|(_, best)| entry.rank > best.rank);
            if higher && self.reach(entry, tool) == Reach::Matches {
                found = Some((index, entry));
            }
        }
        found
    }

    /// The strictest effect first, each in the order given; then the host's default.
    pub(crate) fn by_class(&self, classes: &[Effect], tool: Tool<'_>) -> Decision {
        for class in classes {
            if let Some(entry) = self.first(&[*class], tool) {
                let because = format!("the first class with a match decides: {}", class.as_str());
                return Decision::by(class.verdict(tool), entry, because);
            }
        }
        Decision::default()
    }

    /// What the core makes of the entries that are decided by identity.
    pub(crate) fn by_identity(&self, call: Tool<'_>) -> Decision {
        let judged = || {
            self.entries.iter().enumerate().filter_map(|(index, entry)| match &entry.pattern {
                Pattern::Judged(policy) => policy.rules().first().map(|rule| (index, rule)),
                _ => None,
            })
        };
        let policy = self
            .policy
            .get_or_init(|| Policy::compile(judged().map(|(_, rule)| rule.clone()).collect()));
        let decision = policy.decide(&self.pool(call.fleet()), call.id());
        let entry_of = |rule: usize| judged().nth(rule).map(|(index, _)| index);
        match (decision.by.and_then(entry_of), decision.verdict) {
            (Some(entry), verdict) => {
                let unreadable: Vec<usize> =
                    decision.failed_closed.iter().copied().filter_map(entry_of).collect();
                let because = match unreadable.contains(&entry) {
                    false => "deny, then ask, then allow: the first class with a match decides",
                    true => "an entry that can't be read covers what it may have been meant for",
                };
                Decision { unreadable, ..Decision::by(verdict_of(verdict), entry, because) }
            }
            (None, _) if !decision.ambiguous.is_empty() => Decision::new(
                Verdict::Default,
                "a grant could be meant for another tool as well, so it grants nothing",
            ),
            (None, _) => Decision::default(),
        }
    }

    /// The value of a switch.
    pub(crate) fn switch(&self, name: &str) -> Option<&str> {
        self.switches.iter().find(|switch| switch.name == name).map(|switch| switch.value.as_str())
    }

    /// A filter in two lists, the second applied after the first and never widening it: hidden if listed there, or if there
    /// is a first list without the tool.
    pub(crate) fn filtered(&self, tool: Tool<'_>) -> Option<Decision> {
        if let Some(entry) = self.first(&[Effect::Hide], tool) {
            return Some(Decision::by(Verdict::Deny, entry, "excluded, whatever is included"));
        }
        if !self.has_list(Effect::Show, tool) {
            return None;
        }
        Some(match self.first(&[Effect::Show], tool) {
            Some(entry) => Decision::by(Verdict::Allow, entry, "included"),
            None => Decision::new(Verdict::Deny, "not among the included tools"),
        })
    }

    /// Whether there is a list that can show or hide tools of the server, by effect.
    pub(crate) fn has_list(&self, effect: Effect, tool: Tool<'_>) -> bool {
        let counts =
            |list: &RuleList| list.effect == effect && !list.ignored && list.concerns(tool);
        self.lists.iter().any(counts)
    }
}

impl RuleList {
    /// Whether it says anything about the tools of that server.
    pub(crate) fn concerns(&self, tool: Tool<'_>) -> bool {
        self.server.as_deref().is_none_or(|server| server == tool.server())
    }
}

fn verdict_of(verdict: rules::Verdict) -> Verdict {
    match verdict {
        rules::Verdict::Disabled | rules::Verdict::Deny => Verdict::Deny,
        rules::Verdict::Ask => Verdict::Ask,
        rules::Verdict::Allow => Verdict::Allow,
        rules::Verdict::Default => Verdict::Default,
    }
}
