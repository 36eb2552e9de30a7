//! Entries that their host takes for something else than tools of MCP servers, and that name one all the same: as another
//! host spells it, or with letters in another case. Texts are taken apart here for messages only: no decision rests on it.

use std::collections::HashMap;

use super::index::Index;
use super::judged_rules::{JudgedRule, JudgedRules};
use crate::name::{ServerKey, ToolId};
use crate::scheme::{HostSpelling, PROVIDER_LIMIT, is_provider_char};

/// Whom an entry names, that its host takes for something else.
pub(super) enum Named<'a> {
    Tool(&'a ToolId),
    Server(&'a ServerKey),
    /// Something of a server whose tools are not known.
    Unseen(&'a ServerKey),
    /// It begins as names of MCP tools do, and is none; perhaps of this server.
    Nobody(Option<&'a ServerKey>),
}

/// The words of every tool and server, in which spellings are alike.
pub(super) struct NamesByWords<'a> {
    tools: HashMap<String, &'a ToolId>,
    servers: HashMap<String, &'a ServerKey>,
    unseen: Vec<(String, &'a ServerKey)>,
}

impl<'a> NamesByWords<'a> {
    pub(super) fn of(index: &'a Index<'a>, list: &'a JudgedRules<'a>) -> Self {
        let mut tools = HashMap::with_capacity(list.tools.len());
        for tool in &list.tools {
            for words in spelled(tool) {
                tools.entry(words).or_insert(tool);
            }
        }
        let keys = index.servers.iter().map(|server| &server.key);
        let keys = keys.chain(list.tools.iter().map(ToolId::server)).chain(&list.unseen);
        let servers =
            keys.map(|key| (words(key), key)).filter(|(words, _)| !words.is_empty()).collect();
        let unseen = list.unseen.iter().map(|key| (words(key), key)).collect();
        Self { tools, servers, unseen }
    }

    /// Whom the entry names, if it names anybody.
    ///
    /// Rules for built-in tools stand in the same lists: `WebFetch` is not `fetch` of server `web`, and `Bash(ls)` is not
    /// `ls` of server `bash`. So words have to be parted as they are in names, and where a parenthesis follows, case counts.
    pub(super) fn named(&self, list: &JudgedRules<'_>, entry: &JudgedRule) -> Option<Named<'a>> {
        if entry.compared.is_empty() {
            return None;
        }
        let text = entry.text.trim();
        let all = words(text);
        let (marked, rest) = match all.strip_prefix("mcp ") {
            Some(rest) => (true, rest),
            None => (false, all.as_str()),
        };
        let name = if marked { words(&entry.compared) } else { String::new() };
        let without_specifier = name.strip_prefix("mcp ").unwrap_or(rest);
        let found = [rest, all.as_str(), without_specifier]
            .into_iter()
            .find_map(|text| self.tools.get(text));
        if let Some(tool) = found.filter(|tool| marked || is_so_written(text, tool)) {
            let is_own = list.language.entry_for(tool, entry).as_deref() == Some(text);
            return (!is_own).then_some(Named::Tool(tool));
        }
        let stands_for_all =
            text.strip_suffix('*').is_some_and(|text| !text.ends_with(char::is_alphanumeric));
        if marked || (stands_for_all && !text.contains('(')) {
            let server =
                [rest, without_specifier].into_iter().find_map(|text| self.servers.get(text));
            if let Some(server) = server {
                return Some(Named::Server(server));
            }
        }
        let unseen = self.unseen.iter().find(|(key, _)| goes_on(rest, key));
        match unseen {
            Some((_, server)) if marked || !text.contains('(') => Some(Named::Unseen(server)),
            _ => marked.then(|| Named::Nobody(self.beginning(rest))),
        }
    }

    /// The server whose key is the longest beginning of these words.
    fn beginning(&self, words: &str) -> Option<&'a ServerKey> {
        let begun = self.servers.iter().filter(|(key, _)| goes_on(words, key));
        begun.max_by_key(|(key, server)| (key.len(), *server)).map(|(_, server)| *server)
    }
}

/// Whether a text has these words and more.
fn goes_on(text: &str, words: &str) -> bool {
    !words.is_empty() && text.strip_prefix(words).is_some_and(|more| more.starts_with(' '))
}

/// Whether a text that has the words of a tool, and perhaps a parenthesis, is written as a host writes the tool.
fn is_so_written(text: &str, tool: &ToolId) -> bool {
    !text.contains('(') || exactly(text, tool).is_some()
}

/// The host that writes a tool so, one by its name before a form that several share. A tool's own name says nothing.
pub(super) fn exactly(text: &str, tool: &ToolId) -> Option<HostSpelling> {
    const SHARED: [HostSpelling; 3] =
        [HostSpelling::Raw, HostSpelling::Legacy, HostSpelling::Joined];
    let hosts = HostSpelling::ALL.into_iter().filter(|host| !SHARED.contains(host));
    let mut all = hosts.chain(SHARED).filter(|host| *host != HostSpelling::Bare);
    all.find(|host| host.spell(tool.server(), tool.wire()) == text)
}

/// The words of a tool's names. Hosts part the same words differently, unless they replace or drop characters, or cut.
fn spelled(tool: &ToolId) -> Vec<String> {
    let (server, wire) = (tool.server(), tool.wire());
    let parts = |parts: [&str; 2]| parts.map(words).join(" ");
    let mut spelled = vec![parts([server, wire]), parts([wire, &["mcp ", server].concat()])];
    let is_plain = |text: &str| text.chars().all(is_provider_char);
    let raw = HostSpelling::Raw;
    let added = raw.marker().len() + raw.separator().len();
    if is_plain(server) && is_plain(wire) && server.len() + wire.len() + added < PROVIDER_LIMIT - 1
    {
        return spelled;
    }
    for host in HostSpelling::ALL.into_iter().filter(|host| *host != HostSpelling::Bare) {
        let words = words(&host.spell(server, wire));
        spelled.push(words.strip_prefix("mcp ").map_or(words.clone(), str::to_owned));
    }
    spelled
}

/// The runs of letters and digits of a text, in lower case, with a blank between.
fn words(text: &str) -> String {
    let mut words = String::with_capacity(text.len());
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !words.is_empty() {
            words.push(' ');
        }
        words.extend(word.chars().flat_map(char::to_lowercase));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_alike_in_the_words_of_every_host() {
        for (server, wire) in
            [("github", "delete_repo"), ("my server", "list.files"), ("a", &"x".repeat(80))]
        {
            let tool = ToolId::parse(server, wire).unwrap();
            let spelled = spelled(&tool);
            for host in HostSpelling::ALL.into_iter().filter(|host| *host != HostSpelling::Bare) {
                let words = words(&host.spell(tool.server(), tool.wire()));
                let rest = words.strip_prefix("mcp ").unwrap_or(&words);
                assert!(spelled.iter().any(|own| own == rest), "{host:?}: {words}");
            }
        }
    }

    #[test]
    fn words_are_told_by_what_parts_them() {
        assert_eq!(words("mcp__Git-Hub__get.issue*"), "mcp git hub get issue");
        assert_eq!(words("WebFetch"), "webfetch");
        assert_eq!(words("*"), "");
    }
}
