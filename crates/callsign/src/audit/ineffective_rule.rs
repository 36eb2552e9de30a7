//! # What it finds
//!
//! An entry of an allow, ask or deny list that does nothing, with the reason and the spelling that would work:
//!
//! - it matches no tool: a name or key that is not there, another spelling than the one its host compares, a wildcard that
//!   the host takes literally, or a form that the host never applies;
//! - it names a server by something that is not its key: the readable name of a connector, or the id under which another
//!   front end or a plugin has the same server;
//! - it is overruled: for every tool it matches, an entry of another kind decides;
//! - it is a grant that could mean several tools, and is refused for all of them.
//!
//! So is a server's filter that leaves out all of its tools: an explicit empty list is a statement, and perhaps not the one
//! that was meant.
//!
//! An entry that may mean a tool of a server whose tools are not known is only noted: whether it matches can't be told. So
//! is a grant that matches and may mean such a server's tools as well.
//!
//! # Why it matters
//!
//! Hosts don't say that a rule matches nothing. A **deny** or **ask** entry that does nothing is a restriction that is not
//! there: the call it was written against runs. So such an entry is an error. An allow entry that does nothing costs a
//! question or a refusal, and is a warning.
//!
//! # Example
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "11111111-0000-4000-8000-000000000001": { "tools": ["send_message", "search"] }
//!   },
//!   "rules": { "deny": ["mcp__claude_ai_Gmail__send_message"] }
//! }
//! ```
//!
//! # What to do
//!
//! Write the entry that the finding shows, or take the entry out. `callsign rules explain` shows for one tool which entries
//! match it and which decide. Where a front end makes up the key of a server, give the server a key of your own.
//!
//! # How to silence it
//!
//! Take the entry out of its list. Or set `CS014` to `"info"` or `"off"` in callsign.toml.

use std::cell::OnceCell;

use super::finding::{Facts, Place, Severity, Subject};
use super::index::Index;
use super::proposal::Proposal;
use super::judged_rules::{Decided, JudgedRule, JudgedRules, Reached, RuleAct};
use super::rule_intent::{Meant, NoMatch, Owners, foreign_meaning, meaning};
use super::wording::{act_rule, quote, quoted_list, servers as servers_in_words};
use crate::name::{ServerKey, ToolId};
use crate::rules::{self, Effect};

/// A rule that does nothing, and why.
pub(super) enum IneffectiveRule<'a> {
    Entry(Ineffective<'a>),
    /// A filter that leaves nothing of its server.
    HidesAll { server: &'a ServerKey, left_out: usize },
    /// A file that its host ignores as a whole.
    Dropped { list: &'a JudgedRules<'a>, place: &'a rules::Place, why: &'a str },
}

pub(super) struct Ineffective<'a> {
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
    cause: Cause<'a>,
    meant: Meant<'a>,
}

enum Cause<'a> {
    Unreadable(&'a str),
    Never(&'a str),
    /// How its host reads it is not established.
    Unknown(&'a str),
    Refused { tools: &'a [ToolId], servers: &'a [ServerKey] },
    /// The host decides otherwise for every tool that it matches.
    Overruled { decided: Decided, by: Option<&'a JudgedRule> },
    NoMatch(NoMatch<'a>),
    /// It may mean a tool of these servers.
    Untold(Vec<&'a ServerKey>),
    /// It grants something, and may mean a tool of these servers as well.
    Further(Vec<&'a ServerKey>),
    /// It matches these alone, which are switched off or taken out by a filter.
    Withheld(&'a [ToolId]),
}

pub(super) const SEVERITY: Severity = Severity::Error;

/// How many names the sentences show.
const SHOWN: usize = 3;

impl Facts for IneffectiveRule<'_> {
    fn severity(&self, default: Severity) -> Severity {
        match self {
            Self::Entry(entry) => entry.severity(default),
            Self::HidesAll { .. } => Severity::Warning,
            Self::Dropped { list, place, .. } => {
                let of_file = list.entries.iter().filter(|entry| entry.place.file == place.file);
                match of_file.clone().next().is_none() || of_file.clone().any(|e| e.does.restricts()) {
                    true => default,
                    false => Severity::Warning,
                }
            }
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Entry(entry) => entry.message(),
            Self::HidesAll { server, left_out: 1 } => {
                format!("the filter of server {} leaves out its only tool", quote(server))
            }
            Self::HidesAll { server, left_out } => {
                format!("the filter of server {} leaves out all of its {left_out} tools", quote(server))
            }
            Self::Dropped { list, why, .. } => {
                format!("{} ignores every rule of this file, because {why}", list.language.host())
            }
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Entry(entry) => Some(entry.help()),
            Self::HidesAll { .. } => {
                Some("an empty list is none at all: take the list out, or name the tools that are meant".into())
            }
            Self::Dropped { .. } => Some("mend this place: until then no rule of the file is in force".into()),
        }
    }

    fn subject(&self) -> Subject {
        match self {
            Self::Entry(entry) => entry.subject(),
            Self::HidesAll { server, .. } => Subject::servers([*server]),
            Self::Dropped { place, .. } => {
                Subject::rule(vec![Place::Rule((*place).clone())], [], [])
            }
        }
    }
}

impl Ineffective<'_> {
    fn severity(&self, default: Severity) -> Severity {
        match &self.cause {
            Cause::Untold(_) | Cause::Further(_) | Cause::Unknown(_) => Severity::Info,
            // Nothing is lost while the tool is not there.
            Cause::Withheld(_) => Severity::Warning,
            Cause::Overruled { decided, by } => {
                let is_lost = decided.effect < self.entry.does.effect();
                // Exceptions for every tool there is leave it in force for tools that are added later.
                let has_exceptions = self.entry.has_wildcard()
                    && by.is_some_and(|exception| !exception.has_wildcard());
                if is_lost && !has_exceptions { default } else { Severity::Warning }
            }
            _ if self.entry.does.restricts() => default,
            _ => Severity::Warning,
        }
    }

    fn message(&self) -> String {
        let rule = act_rule(self.entry);
        match &self.cause {
            Cause::Unreadable(why) => format!("{rule} can't be read: {why}"),
            Cause::Never(why) => format!("{rule} matches no tool: {why}"),
            Cause::Unknown(what) => format!("what {rule} matches can't be told; unknown: {what}"),
            Cause::Refused { tools, servers } => {
                format!("{rule} is refused as ambiguous: it may mean {}", claimed(tools, servers))
            }
            Cause::Overruled { by: Some(by), .. } => {
                format!("{rule} does nothing: {} decides for every tool that it matches", act_rule(by))
            }
            Cause::Overruled { decided, by: None } => {
                let decided = decided.effect.map_or("by its own default", word);
                let host = self.list.language.host();
                format!("{rule} does nothing: {host} decides {decided} for every tool that it matches")
            }
            Cause::NoMatch(no_match) => format!("{rule} matches no tool: {}", self.why(no_match)),
            Cause::Untold(unseen) => {
                let keys: Vec<&str> = unseen.iter().map(|key| key.as_str()).collect();
                let servers = servers_in_words(&keys);
                format!("{rule} matches no known tool, and the tools of {servers} are not known")
            }
            Cause::Further(unseen) => {
                let keys: Vec<&str> = unseen.iter().map(|key| key.as_str()).collect();
                let servers = servers_in_words(&keys);
                format!("whether {rule} also means tools of {servers} can't be told: they are not known")
            }
            Cause::Withheld(tools) => {
                let is = if tools.len() == 1 { "which is" } else { "which are" };
                format!(
                    "{rule} matches only {}, {is} switched off or left out by a filter",
                    identities(tools, "and")
                )
            }
        }
    }

    fn help(&self) -> String {
        let proposal = match &self.cause {
            Cause::Untold(_) | Cause::Unknown(_) | Cause::Overruled { .. } => Proposal::None,
            _ => self.proposal(),
        };
        match &self.cause {
            Cause::Untold(_) | Cause::Further(_) => "ask the servers with --live, or list their tools in the configuration".into(),
            Cause::Withheld(_) => "nothing to do if that is meant; else switch the server on or mend its filter".into(),
            Cause::Unknown(_) => "try it in the host itself, or write a form that is known".into(),
            Cause::Overruled { decided, .. } => match decided.effect < self.entry.does.effect() {
                true => "the restriction is not in force: take the other entry back, or narrow it".into(),
                false => "take one of the two out, so that the list says what happens".into(),
            },
            _ if proposal != Proposal::None => proposal.in_words("write "),
            Cause::NoMatch(NoMatch::NoSuchServer(_)) => self.servers_there_are(),
            Cause::NoMatch(_) if !self.meant.near.is_empty() => self.servers_there_are(),
            _ => "correct the entry, or take it out: it only looks like a rule".into(),
        }
    }

    fn subject(&self) -> Subject {
        let own = Place::Rule(self.entry.place.clone());
        let other = match &self.cause {
            Cause::Overruled { by: Some(by), .. } => Some(Place::Rule(by.place.clone())),
            _ => None,
        };
        let reached = self.list.reached(self.entry);
        let (claimants, claiming) = match &self.cause {
            Cause::Refused { tools, servers } => (*tools, *servers),
            _ => Default::default(),
        };
        let unseen = match &self.cause {
            Cause::Untold(unseen) | Cause::Further(unseen) => unseen.as_slice(),
            _ => &[],
        };
        let tools = self.meant.tools.iter().copied().take(SHOWN).chain(claimants).chain(reached);
        let servers = self.meant.servers.iter().chain(&self.meant.near).take(SHOWN);
        let servers = servers.chain(unseen).copied().chain(claiming);
        Subject::rule(std::iter::once(own).chain(other).collect(), tools, servers)
    }
    fn why(&self, no_match: &NoMatch<'_>) -> String {
        let host = self.list.language.host();
        match no_match {
            NoMatch::NoTools(server) => format!("server {} has no tools", quote(server)),
            NoMatch::NoSuchTool { server, rest } if self.entry.has_wildcard() => match rest {
                &"" => format!("no tool of server {} is spelled so", quote(server)),
                rest => format!("server {} has no tool that begins with {}", quote(server), quote(rest)),
            },
            NoMatch::NoSuchTool { server, rest: "" } => {
                format!("{host} does not take {} for all tools of server {}", quote(&self.entry.compared), quote(server))
            }
            NoMatch::NoSuchTool { server, rest } => {
                format!("server {} has no tool {}", quote(server), quote(rest))
            }
            NoMatch::OtherCase(server) => {
                format!("the key of the server is {}, and capital letters count", quote(server))
            }
            NoMatch::OtherKey { written, tool } => {
                let key = written.map_or_else(
                    || "no server has the key that it names".to_owned(),
                    |written| format!("no server has the key {}", quote(written)),
                );
                format!("{key}; {} is a tool of {}", quote(tool), self.owners())
            }
            NoMatch::OwnName => format!(
                "{host} compares whole names, and {} is only what {} calls its tool",
                quote(&self.entry.compared),
                self.owners()
            ),
            NoMatch::OtherSpelling { of, tool } => format!(
                "it is the `{}` spelling of {}, a tool of {}, and not what {host} compares",
                of.id(),
                quote(tool),
                self.owners()
            ),
            NoMatch::SpelledOtherwise(tool) => format!(
                "it seems to mean {} of server {}, and {host} does not spell it so",
                quote(tool.wire()),
                quote(tool.server())
            ),
            NoMatch::ServerOtherwise(server) => {
                format!("it seems to mean server {}, and {host} does not name it so", quote(server))
            }
            NoMatch::NoSuchServer(written) => format!("no server {} is configured", quote(written)),
            NoMatch::NoSpelling => format!("{host} spells no tool of the configured servers so"),
        }
    }

    fn owners(&self) -> String {
        let mut keys: Vec<&str> =
            self.meant.tools.iter().map(|tool| tool.server().as_str()).collect();
        keys.sort_unstable();
        keys.dedup();
        servers_in_words(&keys)
    }

    /// What to write instead, for everything that may be meant.
    fn proposal(&self) -> Proposal {
        let (language, entry) = (self.list.language, self.entry);
        let of_tools = self.meant.tools.iter().map(|tool| language.entry_for(tool, entry));
        let of_servers =
            self.meant.servers.iter().map(|key| language.entry_for_server(key, entry));
        Proposal::of(entry, of_tools.chain(of_servers))
    }

    fn servers_there_are(&self) -> String {
        if !self.meant.near.is_empty() {
            let near: Vec<&str> = self.meant.near.iter().map(|key| key.as_str()).collect();
            let verb = if near.len() == 1 { "is" } else { "are" };
            return format!("perhaps {} {verb} meant", servers_in_words(&near));
        }
        let mut keys: Vec<&str> = self.list.all().map(|tool| tool.server().as_str()).collect();
        keys.extend(self.list.unseen.iter().map(ServerKey::as_str));
        keys.sort_unstable();
        keys.dedup();
        match keys.len() {
            0 => "no server is configured".into(),
            1..=6 => format!("configured are {}", quoted_list(&keys)),
            more => format!("`callsign servers` lists the {more} that are configured"),
        }
    }
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "`allow`",
        Effect::Ask => "`ask`",
        Effect::Deny => "`deny`",
    }
}

fn identities(tools: &[ToolId], joined_by: &str) -> String {
    let shown = tools.iter().take(SHOWN).map(|id| format!("{} of {}", quote(id.wire()), quote(id.server())));
    let list = shown.collect::<Vec<_>>().join(&format!(" {joined_by} "));
    match tools.len().saturating_sub(SHOWN) {
        0 => list,
        more => format!("{list} ({more} more)"),
    }
}

fn claimed(tools: &[ToolId], servers: &[ServerKey]) -> String {
    let tools_shown = tools.iter().map(|id| format!("{} of {}", quote(id.wire()), quote(id.server())));
    let servers_shown = servers.iter().map(|key| format!("server {}", quote(key)));
    let list = tools_shown.chain(servers_shown).take(SHOWN).collect::<Vec<_>>().join(" or ");
    match (tools.len() + servers.len()).saturating_sub(SHOWN) {
        0 => list,
        more => format!("{list} ({more} more)"),
    }
}

pub(super) fn search<'a>(index: &'a Index<'a>) -> Vec<IneffectiveRule<'a>> {
    let hide_all = index.servers.iter().filter_map(|server| {
        let left_out = server.catalogue.as_ref().ok().filter(|it| it.tools().is_empty())?.left_out();
        (left_out > 0).then_some(IneffectiveRule::HidesAll { server: &server.key, left_out })
    });
    let entries = index.rules.iter().flat_map(|list| ineffective(index, list));
    hide_all.chain(entries).collect()
}

fn ineffective<'a>(index: &'a Index<'a>, list: &'a JudgedRules<'a>) -> Vec<IneffectiveRule<'a>> {
    let dropped = list.dropped.iter();
    let mut found: Vec<_> =
        dropped.map(|(place, why)| IneffectiveRule::Dropped { list, place, why }).collect();
    let owners = OnceCell::new();
    for entry in &list.entries {
        if let Some((cause, meant)) = cause(index, list, entry, &owners) {
            found.push(IneffectiveRule::Entry(Ineffective { list, entry, cause, meant }));
        }
        let further = list.perhaps_further(entry);
        if !further.is_empty() {
            let (cause, meant) = (Cause::Further(further), Meant::default());
            found.push(IneffectiveRule::Entry(Ineffective { list, entry, cause, meant }));
        }
    }
    found
}

/// Why the entry does nothing, and what its author may have meant; nothing if it does something.
fn cause<'a>(
    index: &'a Index<'a>,
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
    owners: &OnceCell<Owners<'a>>,
) -> Option<(Cause<'a>, Meant<'a>)> {
    let owners = || owners.get_or_init(|| Owners::of(index, list));
    let meaning = || meaning(index, list, entry, owners());
    Some(match &entry.reached {
        Reached::Dropped => return None,
        Reached::Foreign => match foreign_meaning(index, list, entry, owners())? {
            Ok((no_match, meant)) => (Cause::NoMatch(no_match), meant),
            Err(unseen) => (Cause::Untold(unseen), Meant::default()),
        },
        Reached::Tools(tools) if !tools.is_empty() => {
            (overruled(list, entry, tools)?, Meant::default())
        }
        Reached::Refused { claimants, servers, .. } => {
            // What the text does not reach can't be meant by it, whoever else claims it.
            let meant = Meant { tools: list.reached(entry).collect(), ..Meant::default() };
            (Cause::Refused { tools: claimants, servers }, meant)
        }
        Reached::Unreadable(why) => (Cause::Unreadable(why), meaning().1),
        Reached::Never(why) => (Cause::Never(why), meaning().1),
        Reached::Unknown(what) => (Cause::Unknown(what), Meant::default()),
        Reached::Tools(_) if entry.is_aside => return None,
        Reached::Tools(_) if !entry.withheld.is_empty() => {
            (Cause::Withheld(&entry.withheld), Meant::default())
        }
        Reached::Tools(_) => {
            let (no_match, meant) = meaning();
            match list.perhaps_of(entry) {
                unseen if unseen.is_empty() => (Cause::NoMatch(no_match), meant),
                unseen => (Cause::Untold(unseen), meant),
            }
        }
    })
}

/// Whether something else decides for every tool that the entry reaches.
fn overruled<'a>(
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
    tools: &[u32],
) -> Option<Cause<'a>> {
    let effect = entry.does.effect()?;
    // A lone star is what holds where nothing else does: exceptions to it are its purpose.
    if entry.compared == "*" {
        return None;
    }
    let mut first = None;
    for &at in tools {
        let decided = *list.decided.get(at as usize)?;
        let by = decided.by.and_then(|by| list.entries.get(by as usize));
        let is_itself = by.is_some_and(|by| std::ptr::eq(by, entry));
        // What may be seen may still have to be asked for.
        let is_kept_shown = entry.does == RuleAct::Show && by.is_none_or(|by| by.does != RuleAct::Hide);
        if decided.effect == Some(effect) || is_itself || is_kept_shown {
            return None;
        }
        first.get_or_insert((decided, by));
    }
    let (decided, by) = first?;
    Some(Cause::Overruled { decided, by })
}
