//! Rules as the audit sees them: what each entry reaches, told by whoever knows the host's language, and which servers
//! its text names.

use std::cmp::Reverse;
use std::fmt;

use crate::name::{ServerKey, ToolId};
use crate::rules::{Effect, Place};

/// A host's language of rules, as far as findings about rules need it.
pub trait RuleLanguage: fmt::Debug {
    /// The host, as a sentence names it.
    fn host(&self) -> &str;

    /// What the names of the server's tools begin with, in each spelling that the host compares entries with: the text up
    /// to the tool's own name. Empty where names don't begin with their server.
    fn beginnings(&self, server: &ServerKey) -> Vec<String>;

    /// What to write instead of `entry`, in its list, so that it reaches this tool and no other of the fleet; `None` if the
    /// language can't say that.
    fn entry_for(&self, tool: &ToolId, entry: &JudgedRule) -> Option<String>;

    /// The same for every tool of the server and no other of the fleet.
    fn entry_for_server(&self, server: &ServerKey, entry: &JudgedRule) -> Option<String>;
}

/// The rules that one host reads in one language, from all its files, held against the fleet.
#[derive(Debug, Clone)]
pub struct JudgedRules<'a> {
    /// How the host reads them.
    pub language: &'a dyn RuleLanguage,
    /// The tools that they were held against, in any order.
    pub tools: Vec<ToolId>,
    /// Tools that are configured as well and not offered: switched off, taken out by a filter, or not looked at.
    pub withheld: Vec<ToolId>,
    /// What the rules together say of each of those tools.
    pub decided: Vec<Decided>,
    /// Servers that the rules may be about and whose tools are not known, sorted.
    pub unseen: Vec<ServerKey>,
    /// The entries, in the order in which the host reads them.
    pub entries: Vec<JudgedRule>,
    /// Files that the host ignores as a whole, each with the place of the cause and the cause, as the end of "because ".
    pub dropped: Vec<(Place, String)>,
}

/// What rules say of one tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decided {
    /// What becomes of the tool; `None` where its host's own default applies.
    pub effect: Option<Effect>,
    /// The entry that decided, by its place in [`JudgedRules::entries`].
    pub by: Option<u32>,
}

/// One entry of a list of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedRule {
    /// The entry as it is written.
    pub text: String,
    /// The part of it that is compared with tools: without what some languages write around it. Empty where something
    /// beside the text says that it is about something else.
    pub compared: String,
    /// What it does to the tools it reaches.
    pub does: RuleAct,
    /// The list it stands in, by its path in the file: `permissions.deny`.
    pub list: String,
    /// Where it stands.
    pub place: Place,
    /// The one server that its list is about, if it is about one.
    pub server: Option<ServerKey>,
    /// What it reaches.
    pub reached: Reached,
    /// Which of [`JudgedRules::withheld`] it reaches besides.
    pub withheld: Vec<ToolId>,
    /// Whether one of them is on, so that the entry does something, and is only not looked at.
    pub is_aside: bool,
}

/// What an entry does to the tools it reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleAct {
    /// Calls run without asking.
    Allow,
    /// Calls are asked for.
    Ask,
    /// Calls are refused.
    Deny,
    /// The tool reaches the model.
    Show,
    /// The tool is kept from the model.
    Hide,
    /// The host goes by what the tool says of itself.
    Auto,
    /// A program of the user's is run at a call.
    Hook,
}

impl RuleAct {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Show => "show",
            Self::Hide => "hide",
            Self::Auto => "auto",
            Self::Hook => "hook",
        }
    }

    /// Whether it takes something away: where such an entry does nothing, a restriction is lost.
    #[must_use]
    pub fn restricts(self) -> bool {
        matches!(self, Self::Ask | Self::Deny | Self::Hide)
    }

    /// What becomes of a tool where it decides, as far as the entry alone says.
    pub(super) fn effect(self) -> Option<Effect> {
        match self {
            Self::Allow | Self::Show => Some(Effect::Allow),
            Self::Ask => Some(Effect::Ask),
            Self::Deny | Self::Hide => Some(Effect::Deny),
            Self::Auto | Self::Hook => None,
        }
    }
}

impl From<Effect> for RuleAct {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Allow => Self::Allow,
            Effect::Ask => Self::Ask,
            Effect::Deny => Self::Deny,
        }
    }
}

/// What an entry reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reached {
    /// These tools, by their places in [`JudgedRules::tools`], ascending. Empty if no known tool is meant.
    Tools(Vec<u32>),
    /// As `Tools`, for a grant that is refused for all of them because other tools could be meant too.
    Refused {
        /// What it would reach.
        tools: Vec<u32>,
        /// The tools that could be meant one by one, sorted.
        claimants: Vec<ToolId>,
        /// The servers that could be meant by their keys, sorted.
        servers: Vec<ServerKey>,
    },
    /// It can be read, and its host never applies it to any tool of any server. Why, as the end of "matches no tool: ".
    Never(String),
    /// It can't be read. Why, as the end of "can't be read: ".
    Unreadable(String),
    /// How the host reads it is not established. What is not, as the end of "unknown: ".
    Unknown(String),
    /// The file that it stands in is ignored as a whole.
    Dropped,
    /// It is about something else than tools of MCP servers: a command of the shell, a tool that the host has built in.
    Foreign,
}

/// What the text of an entry says of servers. Read for messages only: no decision rests on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming<'a> {
    /// It names this server, perhaps with letters in another case, and `rest` follows.
    Server { server: &'a ServerKey, rest: &'a str, same_case: bool },
    /// It ends before any server is named whole.
    StopsBefore,
    /// It says nothing of servers, or names none of these.
    Nothing,
}

/// What ends an entry's plain text.
const WILDCARDS: [char; 2] = ['*', '?'];

impl JudgedRule {
    /// What stands before the first wildcard.
    pub(super) fn literal(&self) -> &str {
        self.compared.split(WILDCARDS).next().unwrap_or_default()
    }

    pub(super) fn has_wildcard(&self) -> bool {
        self.compared.contains(WILDCARDS)
    }

    /// Whether its only wildcard is one `*` at its end, and something stands before it: a beginning of names.
    pub(super) fn is_beginning(&self) -> bool {
        let rest = self.compared.strip_suffix('*').unwrap_or_default();
        !rest.is_empty() && !rest.contains(WILDCARDS)
    }

    /// Whether it gives server and tool apart, as callsign's own entries do, and the key is only a beginning of keys.
    pub(super) fn key_is_open(&self) -> bool {
        let key = self.compared.split_once(" / ").and_then(|(key, _)| key.strip_suffix('*'));
        key.is_some_and(|key| !key.is_empty() && !key.contains(WILDCARDS))
    }

    /// Whether, behind whatever it says of servers, it says nothing of their tools.
    pub(super) fn covers_whole_servers(&self) -> bool {
        match self.key_is_open() {
            true => self.compared.ends_with(" / *"),
            false => self.is_beginning(),
        }
    }

    /// Whom its text names; of several servers the one whose key is spelled longest.
    pub(super) fn naming<'a>(&'a self, beginnings: &Beginnings<'a>) -> Naming<'a> {
        let literal = self.literal();
        match beginnings.named(literal, true) {
            Naming::Nothing => beginnings.named(literal, false),
            named => named,
        }
    }
}

/// What the names of each server's tools begin with, spelled once for all entries of a language.
pub(super) struct Beginnings<'a>(Vec<(&'a ServerKey, String)>);

impl<'a> Beginnings<'a> {
    pub(super) fn of(
        language: &dyn RuleLanguage,
        servers: impl Iterator<Item = &'a ServerKey>,
    ) -> Self {
        let spelled = |key| language.beginnings(key).into_iter().map(move |text| (key, text));
        Self(servers.flat_map(spelled).collect())
    }
}

impl JudgedRules<'_> {
    /// The servers that are known to be unknown and of which the entry may name a tool.
    pub(super) fn perhaps_of<'s>(&'s self, entry: &'s JudgedRule) -> Vec<&'s ServerKey> {
        let may_be = |server: &&ServerKey| match &entry.server {
            Some(own) => own == *server,
            None => self.may_name(entry, server),
        };
        self.unseen.iter().filter(may_be).collect()
    }

    /// As [`perhaps_of`](Self::perhaps_of), for a grant that reaches tools or is refused: servers that it may mean as well.
    /// One that covers servers of any key says so itself.
    pub(super) fn perhaps_further<'s>(&'s self, entry: &'s JudgedRule) -> Vec<&'s ServerKey> {
        let is_grant = matches!(entry.does, RuleAct::Allow | RuleAct::Show | RuleAct::Auto);
        let reaches = match &entry.reached {
            Reached::Tools(tools) => !tools.is_empty(),
            Reached::Refused { .. } => true,
            _ => false,
        };
        match is_grant && reaches && !self.is_for_any_key(entry) {
            true => self.perhaps_of(entry),
            false => Vec::new(),
        }
    }

    /// Whether the entry ends before the place where keys differ, so that it covers a server of any key.
    pub(super) fn is_for_any_key(&self, entry: &JudgedRule) -> bool {
        // Two keys that have no letter in common begin alike only as far as nothing of a key is spelled.
        entry.has_wildcard()
            && ["0", "zz"].into_iter().filter_map(|key| ServerKey::new(key).ok()).all(|key| {
                let beginnings = self.language.beginnings(&key);
                beginnings.iter().any(|beginning| beginning.starts_with(entry.literal()))
            })
    }

    fn may_name(&self, entry: &JudgedRule, server: &ServerKey) -> bool {
        let (literal, open) = (entry.literal(), entry.has_wildcard());
        self.language.beginnings(server).iter().any(|beginning| {
            let begun = begun(literal, beginning, false);
            match begun {
                Begun::Whole(_) | Begun::SeparatorMissing(_) => true,
                Begun::StopsBefore => open,
                Begun::Not => beginning.is_empty(),
            }
        })
    }

    /// The tools that an entry reaches, refused or not, offered or not.
    pub(super) fn reached<'s>(&'s self, entry: &'s JudgedRule) -> impl Iterator<Item = &'s ToolId> {
        let offered = entry.reached.tools().iter().filter_map(|&at| self.tools.get(at as usize));
        offered.chain(&entry.withheld)
    }

    /// Every tool that is known, offered or not.
    pub(super) fn all(&self) -> impl Iterator<Item = &ToolId> {
        self.tools.iter().chain(&self.withheld)
    }
}

impl Reached {
    fn tools(&self) -> &[u32] {
        match self {
            Self::Tools(tools) | Self::Refused { tools, .. } => tools,
            _ => &[],
        }
    }
}

/// How much of a key is spelled, how much of what parts it from the tool is missing, and whether it is written as it is.
type Fit = (usize, Reverse<usize>, bool);

impl<'a> Beginnings<'a> {
    fn named(&self, literal: &'a str, same_case: bool) -> Naming<'a> {
        // How well it fits, the server, and what follows its key.
        let mut best: Option<(Fit, &ServerKey, &str)> = None;
        let mut stops = false;
        for (server, beginning) in &self.0 {
            let (length, missing, rest) = match begun(literal, beginning, same_case) {
                Begun::Whole(rest) => (beginning.len(), 0, rest),
                Begun::SeparatorMissing(missing) => (literal.len(), missing, ""),
                Begun::StopsBefore => {
                    stops = true;
                    continue;
                }
                Begun::Not => continue,
            };
            // Of keys that are spelled alike it is the one that is written as it is.
            let rank = (length, Reverse(missing), literal.contains(server.as_str()));
            if best.as_ref().is_none_or(|(other, ..)| *other < rank) {
                best = Some((rank, server, rest));
            }
        }
        match best {
            Some((_, server, rest)) => Naming::Server { server, rest, same_case },
            None if stops => Naming::StopsBefore,
            None => Naming::Nothing,
        }
    }
}

/// How a text and the beginning of a server's names begin alike.
enum Begun<'a> {
    Whole(&'a str),
    /// Only this much of what parts key and tool is missing, in bytes.
    SeparatorMissing(usize),
    StopsBefore,
    Not,
}

fn begun<'a>(literal: &'a str, beginning: &str, same_case: bool) -> Begun<'a> {
    let alike = |a: &str, b: &str| if same_case { a == b } else { a.eq_ignore_ascii_case(b) };
    if beginning.is_empty() {
        return Begun::Not;
    }
    if let Some((head, rest)) = literal.split_at_checked(beginning.len())
        && alike(head, beginning)
    {
        return Begun::Whole(rest);
    }
    match beginning.split_at_checked(literal.len()) {
        Some((head, missing)) if alike(head, literal) => {
            match missing.contains(char::is_alphanumeric) {
                true => Begun::StopsBefore,
                false => Begun::SeparatorMissing(missing.len()),
            }
        }
        _ => Begun::Not,
    }
}
