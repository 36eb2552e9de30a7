//! What the author of an entry that matches nothing may have meant. Texts are taken apart here for messages and proposals
//! only: no decision rests on it.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::fleet::Server;
use super::foreign_entry::{Named, NamesByWords, exactly};
use super::index::Index;
use super::judged_rules::{Beginnings, JudgedRule, JudgedRules, Naming, RuleLanguage};
use crate::catalogue::Catalogue;
use crate::name::{ServerKey, ToolId, nearest};
use crate::scheme::HostSpelling;

/// Why an entry that could match matches none of the known tools.
pub(super) enum NoMatch<'a> {
    NoTools(&'a ServerKey),
    NoSuchTool {
        server: &'a ServerKey,
        rest: &'a str,
    },
    OtherCase(&'a ServerKey),
    /// It names a tool whose server has another key.
    OtherKey {
        written: Option<&'a str>,
        tool: &'a str,
    },
    /// A tool's own name, where whole names are compared.
    OwnName,
    /// A tool's name as another host writes it.
    OtherSpelling {
        of: HostSpelling,
        tool: &'a str,
    },
    /// A tool's words, parted or written as no host does.
    SpelledOtherwise(&'a ToolId),
    /// The words of a server's key, as its host does not write them.
    ServerOtherwise(&'a ServerKey),
    NoSuchServer(&'a str),
    NoSpelling,
}

/// What the author may have had in mind, best first.
#[derive(Default)]
pub(super) struct Meant<'a> {
    pub(super) tools: Vec<&'a ToolId>,
    pub(super) servers: Vec<&'a ServerKey>,
    /// Servers whose tools may be meant; which of them, the entry does not say.
    pub(super) near: Vec<&'a ServerKey>,
}

/// What texts are held against: who has a tool of which wire name, and what names begin with.
pub(super) struct Owners<'a> {
    by_wire: HashMap<&'a str, Vec<&'a ToolId>>,
    /// The length of the longest wire name, in bytes.
    longest: usize,
    beginnings: Beginnings<'a>,
    by_words: OnceCell<NamesByWords<'a>>,
}

impl<'a> Owners<'a> {
    pub(super) fn of(index: &'a Index<'a>, list: &'a JudgedRules<'a>) -> Self {
        let mut owners = HashMap::<&str, Vec<&ToolId>>::with_capacity(list.tools.len());
        for tool in &list.tools {
            owners.entry(tool.wire()).or_default().push(tool);
        }
        owners.values_mut().for_each(|tools| tools.sort_unstable());
        let keys = index.servers.iter().map(|server| &server.key);
        let mut keys: Vec<&ServerKey> =
            keys.chain(list.withheld.iter().map(ToolId::server)).collect();
        keys.sort_unstable();
        keys.dedup();
        let keys = keys.into_iter();
        Self {
            longest: owners.keys().map(|wire| wire.len()).max().unwrap_or_default(),
            by_wire: owners,
            beginnings: Beginnings::of(list.language, keys),
            by_words: OnceCell::new(),
        }
    }

    /// The longest wire name that the text ends in, as a whole word of it, and who has it.
    fn named_last(&self, text: &'a str) -> Option<(&'a str, &[&'a ToolId])> {
        // An entry may be as long as its file, and no more of it than a name can be one.
        let first = text.len().saturating_sub(self.longest);
        let starts = text.char_indices().filter(|(at, _)| *at >= first).filter(|(at, _)| {
            let before = text.get(..*at).and_then(|head| head.chars().next_back());
            before.is_none_or(|c| !c.is_alphanumeric())
        });
        starts
            .map(|(at, _)| text.get(at..).unwrap_or_default())
            .find_map(|tail| self.by_wire.get(tail).map(|tools| (tail, tools.as_slice())))
    }
}

/// What the author may have meant, and so why nothing matches.
pub(super) fn meaning<'a>(
    index: &'a Index<'a>,
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
    owners: &Owners<'a>,
) -> (NoMatch<'a>, Meant<'a>) {
    if let Some(own) = &entry.server {
        return of_server(list, own, &entry.compared, entry);
    }
    match entry.naming(&owners.beginnings) {
        Naming::Server { server, rest, same_case: true } => of_server(list, server, rest, entry),
        Naming::Server { server, rest, same_case: false } => {
            let (_, meant) = of_server(list, server, rest, entry);
            (NoMatch::OtherCase(server), meant)
        }
        Naming::StopsBefore if entry.is_beginning() || entry.compared == "*" => {
            // It was meant for every server there is.
            let mut servers: Vec<&ServerKey> = list.tools.iter().map(ToolId::server).collect();
            servers.sort_unstable();
            servers.dedup();
            (NoMatch::NoSpelling, Meant { servers, ..Meant::default() })
        }
        Naming::StopsBefore | Naming::Nothing => of_nobody(index, list, entry, owners),
    }
}

/// The same for an entry that its host takes for something else; nothing, if it is that. The servers come where its tools
/// are not known.
pub(super) fn foreign_meaning<'a>(
    index: &'a Index<'a>,
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
    owners: &Owners<'a>,
) -> Option<Result<(NoMatch<'a>, Meant<'a>), Vec<&'a ServerKey>>> {
    let by_words = owners.by_words.get_or_init(|| NamesByWords::of(index, list));
    Some(Ok(match by_words.named(list, entry) {
        Some(Named::Tool(id)) => {
            let meant = Meant { tools: vec![id], ..Meant::default() };
            match exactly(entry.text.trim(), id) {
                Some(of) => (NoMatch::OtherSpelling { of, tool: id.wire() }, meant),
                None => (NoMatch::SpelledOtherwise(id), meant),
            }
        }
        Some(Named::Server(server)) => {
            let meant = Meant { servers: vec![server], ..Meant::default() };
            (NoMatch::ServerOtherwise(server), meant)
        }
        Some(Named::Unseen(server)) => return Some(Err(vec![server])),
        Some(Named::Nobody(near)) => {
            let near = near.into_iter().collect();
            (NoMatch::NoSpelling, Meant { near, ..Meant::default() })
        }
        // It may look like a built-in tool of that name; a tool of that name is there, and is not what it means.
        None => match meaning(index, list, entry, owners) {
            own @ (NoMatch::OwnName, _) => own,
            _ => return None,
        },
    }))
}

fn of_server<'a>(
    list: &'a JudgedRules<'a>,
    server: &'a ServerKey,
    rest: &'a str,
    entry: &JudgedRule,
) -> (NoMatch<'a>, Meant<'a>) {
    let tools: Vec<&ToolId> = list.all().filter(|tool| tool.server() == server).collect();
    if tools.is_empty() {
        return (NoMatch::NoTools(server), Meant::default());
    }
    if rest.is_empty() {
        let meant = Meant { servers: vec![server], ..Meant::default() };
        return (NoMatch::NoSuchTool { server, rest }, meant);
    }
    let tools = if entry.has_wildcard() { Vec::new() } else { near_tools(rest, &tools) };
    (NoMatch::NoSuchTool { server, rest }, Meant { tools, ..Meant::default() })
}

/// The tools of one server that somebody who wrote `text` may have meant: the one it ends in, else those it is near to.
fn near_tools<'a>(text: &str, tools: &[&'a ToolId]) -> Vec<&'a ToolId> {
    let ends_in = |tool: &&&ToolId| {
        let head = text.strip_suffix(tool.wire().as_str());
        head.is_some_and(|head| !head.ends_with(char::is_alphanumeric))
    };
    if let Some(last) = tools.iter().filter(ends_in).max_by_key(|tool| tool.wire().len()) {
        return vec![last];
    }
    let near = nearest(text, tools.iter().map(|tool| tool.wire().as_str()));
    let of_name = |wire: &str| tools.iter().find(|tool| tool.wire().as_str() == wire).copied();
    near.into_iter().filter_map(of_name).collect()
}

/// Its text begins like the names of no server.
fn of_nobody<'a>(
    index: &'a Index<'a>,
    list: &'a JudgedRules<'a>,
    entry: &'a JudgedRule,
    owners: &Owners<'a>,
) -> (NoMatch<'a>, Meant<'a>) {
    let form = NameForm::of(list.language);
    if let Some((tool, of_all)) = owners.named_last(&entry.compared) {
        let spelled = of_all.iter().find_map(|id| Some((*id, exactly(&entry.compared, id)?)));
        if let Some((id, of)) = spelled {
            let meant = Meant { tools: vec![id], ..Meant::default() };
            return (NoMatch::OtherSpelling { of, tool }, meant);
        }
        let written = form.as_ref().and_then(|form| form.key_before(&entry.compared, tool));
        let akin = akin(index, written.unwrap_or_default());
        let likely: Vec<&ToolId> =
            of_all.iter().filter(|id| akin.contains(&id.server())).copied().collect();
        let tools = if likely.is_empty() { of_all.to_vec() } else { likely };
        let no_match = match tool == entry.compared {
            true => NoMatch::OwnName,
            false => NoMatch::OtherKey { written, tool },
        };
        return (no_match, Meant { tools, ..Meant::default() });
    }
    let written = form.as_ref().and_then(|form| form.key_in(entry.literal()));
    let near = akin(index, written.unwrap_or(entry.literal()));
    let (no_match, is_whole) = match (written, &form) {
        (Some(written), Some(form)) => {
            (NoMatch::NoSuchServer(written), form.is_whole(entry.literal(), written))
        }
        _ => (NoMatch::NoSpelling, false),
    };
    // An entry for a whole server says more than one for some of its tools.
    let meant = match is_whole {
        true => Meant { servers: near, ..Meant::default() },
        false => Meant { near, ..Meant::default() },
    };
    (no_match, meant)
}

/// What stands before and after a server's key in the names that a language compares.
struct NameForm {
    before: String,
    after: String,
}

impl NameForm {
    fn of(language: &dyn RuleLanguage) -> Option<Self> {
        let key = ServerKey::new("KEY").ok()?;
        let beginnings = language.beginnings(&key);
        let (before, after) = beginnings.first()?.split_once(key.as_str())?;
        Some(Self { before: before.to_owned(), after: after.to_owned() })
    }

    /// Whether a text that has no key of ours can be said to have one at all: where a name is `{key}_{tool}`, every text
    /// with an underscore would.
    fn tells(&self) -> bool {
        !self.before.is_empty() || self.after != "_"
    }

    /// What stands in the place of the key in a text that ends in the name of a tool.
    fn key_before<'t>(&self, text: &'t str, tool: &str) -> Option<&'t str> {
        let key = text.strip_suffix(tool)?.strip_suffix(&self.after)?.strip_prefix(&self.before)?;
        Some(key).filter(|key| !key.is_empty())
    }

    /// Whether a text has nothing behind the key.
    fn is_whole(&self, text: &str, key: &str) -> bool {
        let behind = text.strip_prefix(&self.before).and_then(|rest| rest.strip_prefix(key));
        behind.is_some_and(|behind| behind.is_empty() || behind == self.after)
    }

    /// What stands in the place of the key in the beginning of a name.
    fn key_in<'t>(&self, text: &'t str) -> Option<&'t str> {
        let rest = text.strip_prefix(&self.before).filter(|_| self.tells())?;
        let key = match self.after.is_empty() {
            true => rest,
            false => rest.split(&self.after).next()?,
        };
        Some(key).filter(|key| !key.is_empty())
    }
}

/// Words that say nothing about which server is meant.
const EMPTY_WORDS: [&str; 5] = ["mcp", "claude", "plugin", "server", "tools"];

/// How many words of a text are looked for: no key has more, and an entry may be as long as its file.
const MOST_WORDS: usize = 32;

/// Servers that somebody who wrote `text` for a key may have meant: whose key is near it, or whose key, address or announced
/// name has one of its words. At most three.
fn akin<'a>(index: &'a Index<'a>, text: &str) -> Vec<&'a ServerKey> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() >= 3 && !EMPTY_WORDS.contains(word))
        .take(MOST_WORDS)
        .collect();
    let keys = index.servers.iter().map(|server| server.key.as_str());
    // Names this short are all near each other.
    let near = if text.len() < 3 { Vec::new() } else { nearest(&text, keys) };
    let has_word = |server: &&Server| {
        let endpoint = server.launch.as_ref().map(|launch| launch.endpoint.as_str());
        let announced = server.catalogue.as_ref().ok().and_then(Catalogue::server_info);
        let known_by = [Some(server.key.as_str()), endpoint, announced].into_iter().flatten();
        let known_by: Vec<String> = known_by.map(str::to_lowercase).collect();
        let has = |word: &&str| known_by.iter().any(|text| text.contains(*word));
        words.iter().any(has)
    };
    let is_near = |server: &&Server| near.contains(&server.key.as_str());
    let akin = index.servers.iter().filter(|server| is_near(server) || has_word(server));
    akin.map(|server| &server.key).take(3).collect()
}
