//! One server entry: what is common to all clients, under whatever names they have for it.

use callsign::catalogue::{Filter, MalformedReason};
use callsign::{Catalogue, ServerKey, WireName};

use crate::document::Document;
use crate::error::ConfigError;
use crate::launch::Launch;
use crate::place::Span;
use crate::secret::{Secret, shown_address, shown_arguments};
use crate::server_entry::{EntrySpans, ServerEntry, Statics, Transport};
use crate::tree::{Entry, Node, Value};

/// How a client spells the fields of an entry; for each the first that is there counts, of filters all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys {
    pub(crate) transport: &'static [&'static str],
    pub(crate) command: &'static [&'static str],
    pub(crate) args: &'static [&'static str],
    pub(crate) env: &'static [&'static str],
    pub(crate) env_file: &'static [&'static str],
    pub(crate) cwd: &'static [&'static str],
    /// With the transport that such an address has where none is named.
    pub(crate) url: &'static [(&'static str, Transport)],
    pub(crate) headers: &'static [&'static str],
    pub(crate) disabled: &'static [&'static str],
    pub(crate) enabled: &'static [&'static str],
    pub(crate) tools: &'static [&'static str],
    pub(crate) include: &'static [&'static str],
    pub(crate) exclude: &'static [&'static str],
    pub(crate) prompts: &'static [&'static str],
    pub(crate) resources: &'static [&'static str],
    pub(crate) server_info: &'static [&'static str],
    pub(crate) instructions: &'static [&'static str],
}

/// The words that most clients use. A client with others names only those: `Keys { env: &["envs"], ..COMMON }`.
pub(crate) const COMMON: Keys = Keys {
    transport: &["type", "transport"],
    command: &["command"],
    args: &["args"],
    env: &["env"],
    env_file: &["envFile"],
    cwd: &["cwd", "workingDirectory", "working_directory"],
    url: &[("url", Transport::Http), ("serverUrl", Transport::Http), ("httpUrl", Transport::Http)],
    headers: &["headers"],
    disabled: &["disabled"],
    enabled: &["enabled"],
    tools: &["tools"],
    include: &["include", "includeTools", "enabledTools"],
    exclude: &["exclude", "excludeTools", "disabledTools"],
    prompts: &["prompts"],
    resources: &["resources"],
    server_info: &["serverInfo"],
    instructions: &["instructions"],
};

/// What clients call transports. Case and separators don't matter.
const TRANSPORTS: [(&str, Transport); 10] = [
    ("stdio", Transport::Stdio),
    ("local", Transport::Stdio),
    ("http", Transport::Http),
    ("https", Transport::Http),
    ("streamablehttp", Transport::Http),
    ("remote", Transport::Http),
    ("sse", Transport::Sse),
    ("ws", Transport::Ws),
    ("wss", Transport::Ws),
    ("websocket", Transport::Ws),
];

/// Reads entries of one file.
pub(crate) struct EntryReader<'d, 't> {
    document: &'d Document<'t>,
    keys: Keys,
    /// Spans of values that must not be shown.
    pub(crate) secrets: Vec<Span>,
}

impl<'d, 't> EntryReader<'d, 't> {
    pub(crate) fn new(document: &'d Document<'t>, keys: Keys) -> Self {
        Self { document, keys, secrets: Vec::new() }
    }

    /// Reads a map of servers. A key that occurs twice, in the map or anywhere below, is an error.
    pub(crate) fn servers(
        &mut self,
        servers: &Node<'t>,
        scope: Option<&str>,
    ) -> Result<Vec<ServerEntry>, ConfigError> {
        let entries = self.document.map(servers)?;
        self.document.refuse_duplicates(servers)?;
        let mut servers = Vec::with_capacity(entries.len());
        for entry in entries {
            servers.push(self.server(entry, scope)?);
        }
        Ok(servers)
    }

    fn server(
        &mut self,
        entry: &Entry<'t>,
        scope: Option<&str>,
    ) -> Result<ServerEntry, ConfigError> {
        let key = ServerKey::new(&entry.key)
            .map_err(|_| self.document.empty_name(entry.key_span, "server key"))?;
        let mut server = ServerEntry {
            key,
            place: self.document.place(entry.key_span),
            scope: scope.map(str::to_owned),
            transport: Transport::Unknown,
            launch: Launch::default(),
            disabled: false,
            filter: Filter::default(),
            statics: Statics::None,
            described: Catalogue::default(),
            spans: EntrySpans { entry: entry.node.span, ..EntrySpans::default() },
            options: Vec::new(),
        };
        // Some clients write `null` for an entry that they have forgotten.
        if !matches!(entry.node.value, Value::Null) {
            self.document.map(&entry.node)?;
            self.launch(&entry.node, &mut server)?;
            self.switches_and_filter(&entry.node, &mut server)?;
            self.statics(&entry.node, &mut server)?;
        }
        Ok(server)
    }

    fn launch(&mut self, node: &Node<'t>, server: &mut ServerEntry) -> Result<(), ConfigError> {
        let keys = self.keys;
        let address = keys
            .url
            .iter()
            .find_map(|(key, transport)| node.get(key).map(|address| (address, *transport)));
        server.launch = Launch {
            command: self.text(node, keys.command)?.filter(|command| !command.is_empty()),
            args: self.arguments(node)?,
            env: self.pairs(node, keys.env)?,
            env_file: self.text(node, keys.env_file)?,
            cwd: self.text(node, keys.cwd)?,
            url: address.map(|(address, _)| self.address(address)).transpose()?.flatten(),
            headers: self.pairs(node, keys.headers)?,
        };
        let named = self.text(node, keys.transport)?.map(|word| transport_called(&word));
        let of_address = address.map_or(Transport::Http, |(_, transport)| transport);
        server.transport = settle(&mut server.launch, named, of_address);
        Ok(())
    }

    fn arguments(&mut self, node: &Node<'t>) -> Result<Vec<String>, ConfigError> {
        let Some(list) = first(node, self.keys.args) else { return Ok(Vec::new()) };
        let arguments = self.document.strings(list)?;
        let nodes = self.document.list(list)?;
        for ((shown, argument), node) in
            shown_arguments(&arguments).iter().zip(&arguments).zip(nodes)
        {
            if shown != argument {
                self.secrets.push(node.span);
            }
        }
        Ok(arguments)
    }

    fn address(&mut self, node: &Node<'t>) -> Result<Option<String>, ConfigError> {
        let address = self.document.string(node)?;
        if shown_address(address) != address {
            self.secrets.push(node.span);
        }
        Ok(Some(address.to_owned()).filter(|address| !address.is_empty()))
    }

    /// Name and value. A number or boolean counts as its text and `null` as not set, as in VS Code.
    fn pairs(
        &mut self,
        node: &Node<'t>,
        keys: &[&str],
    ) -> Result<Vec<(String, Secret)>, ConfigError> {
        let Some(map) = first(node, keys) else { return Ok(Vec::new()) };
        let mut pairs = Vec::new();
        for entry in self.document.map(map)? {
            self.secrets.push(entry.node.span);
            let value = match &entry.node.value {
                Value::Null => continue,
                Value::Number(number) => number.as_ref(),
                Value::Bool(true) => "true",
                Value::Bool(false) => "false",
                _ => self.document.string(&entry.node)?,
            };
            pairs.push((entry.key.to_string(), Secret::new(value)));
        }
        Ok(pairs)
    }

    fn switches_and_filter(
        &mut self,
        node: &Node<'t>,
        server: &mut ServerEntry,
    ) -> Result<(), ConfigError> {
        let disabled = self.flag(node, self.keys.disabled)?;
        let enabled = self.flag(node, self.keys.enabled)?;
        server.disabled = disabled == Some(true) || enabled == Some(false);
        server.filter.include =
            self.patterns(node, self.keys.include, &mut server.spans.include)?;
        server.filter.exclude =
            self.patterns(node, self.keys.exclude, &mut server.spans.exclude)?;
        Ok(())
    }

    /// The entries of all the lists under `keys`; `None` if there is no list, which is not the same as an empty one.
    fn patterns(
        &self,
        node: &Node<'t>,
        keys: &[&str],
        spans: &mut Vec<Span>,
    ) -> Result<Option<Vec<String>>, ConfigError> {
        let mut patterns = None;
        for list in keys.iter().filter_map(|key| node.get(key)) {
            let patterns = patterns.get_or_insert_with(Vec::new);
            patterns.extend(self.document.strings(list)?);
            spans.extend(self.document.list(list)?.iter().map(|item| item.span));
        }
        Ok(patterns)
    }

    /// Only a list of names or definitions under `tools` says which tools there are: patterns choose among them, and a
    /// list of prompts says nothing of tools.
    fn statics(&self, node: &Node<'t>, server: &mut ServerEntry) -> Result<(), ConfigError> {
        let mut catalogue = Catalogue::default();
        let tools =
            first(node, self.keys.tools).map(|node| self.document.list(node)).transpose()?;
        let said = self.prompts_and_resources(node, server, &mut catalogue)?;
        if tools.is_some() || said {
            self.server_texts(node, &mut catalogue)?;
        }
        let any = |test: fn(&str) -> bool| {
            tools.is_some_and(|tools| tools.iter().any(|tool| is_text(tool, test)))
        };
        if any(|name| name == "*") {
            server.statics = Statics::AllowAll;
        } else if any(|name| name.ends_with('*')) {
            server.filter.tools = tools.and_then(names_only);
        } else if let Some(tools) = tools {
            server.spans.tools.reserve(tools.len());
            catalogue.reserve(tools.len());
            for tool in tools {
                server.spans.tools.push(name_span(tool, "name"));
                self.tool(tool, &mut catalogue)?;
            }
            server.filter.tools = names_only(tools);
            server.statics = Statics::Listed(catalogue);
            return Ok(());
        }
        server.described = catalogue;
        Ok(())
    }

    /// Whether there was a list of either.
    fn prompts_and_resources(
        &self,
        node: &Node<'t>,
        server: &mut ServerEntry,
        catalogue: &mut Catalogue,
    ) -> Result<bool, ConfigError> {
        let prompts = self.list_not_switch(node, self.keys.prompts)?;
        let resources = self.list_not_switch(node, self.keys.resources)?;
        for prompt in prompts.unwrap_or_default() {
            server.spans.prompts.push(name_span(prompt, "name"));
            let (named, whole) = (Catalogue::push_named_prompt, Catalogue::push_prompt);
            self.listed(prompt, "prompt name", named, whole, catalogue)?;
        }
        for resource in resources.unwrap_or_default() {
            server.spans.resources.push(name_span(resource, "uri"));
            let (named, whole) = (Catalogue::push_named_resource, Catalogue::push_resource);
            self.listed(resource, "resource URI", named, whole, catalogue)?;
        }
        Ok(prompts.is_some() || resources.is_some())
    }

    /// A list; a boolean in its place is some client's switch and says nothing about what there is.
    fn list_not_switch<'n>(
        &self,
        node: &'n Node<'t>,
        keys: &[&str],
    ) -> Result<Option<&'n [Node<'t>]>, ConfigError> {
        match first(node, keys) {
            None | Some(Node { value: Value::Bool(_), .. }) => Ok(None),
            Some(list) => self.document.list(list).map(Some),
        }
    }

    fn tool(&self, tool: &Node<'t>, catalogue: &mut Catalogue) -> Result<(), ConfigError> {
        match &tool.value {
            Value::Text(name) => {
                let name = WireName::new(name)
                    .map_err(|_| self.document.empty_name(tool.span, "tool name"))?;
                catalogue.push_named(name);
            }
            Value::Map(_) => catalogue.push_tool(&self.document.json_of(tool)),
            _ => return Err(self.document.wrong_type(tool, "a tool's name or definition")),
        }
        Ok(())
    }

    fn listed(
        &self,
        item: &Node<'t>,
        what: &'static str,
        push_name: fn(&mut Catalogue, WireName),
        push_definition: fn(&mut Catalogue, &str) -> Result<(), MalformedReason>,
        catalogue: &mut Catalogue,
    ) -> Result<(), ConfigError> {
        match &item.value {
            Value::Text(name) => {
                let name =
                    WireName::new(name).map_err(|_| self.document.empty_name(item.span, what))?;
                push_name(catalogue, name);
                Ok(())
            }
            Value::Map(_) => push_definition(catalogue, &self.document.json_of(item))
                .map_err(|reason| self.document.wrong_value(item.span, reason.to_string())),
            _ => Err(self.document.wrong_type(item, "a name or a definition")),
        }
    }

    fn server_texts(&self, node: &Node<'t>, catalogue: &mut Catalogue) -> Result<(), ConfigError> {
        if let Some(info) = first(node, self.keys.server_info) {
            self.document.map(info)?;
            catalogue.set_server_info(&self.document.json_of(info));
        }
        if let Some(instructions) = first(node, self.keys.instructions) {
            catalogue.set_instructions(self.document.string(instructions)?);
        }
        Ok(())
    }

    fn text(&self, node: &Node<'t>, keys: &[&str]) -> Result<Option<String>, ConfigError> {
        first(node, keys).map(|node| self.document.string(node).map(str::to_owned)).transpose()
    }

    fn flag(&self, node: &Node<'t>, keys: &[&str]) -> Result<Option<bool>, ConfigError> {
        first(node, keys).map(|node| self.document.flag(node)).transpose()
    }
}

fn first<'n, 't>(node: &'n Node<'t>, keys: &[&str]) -> Option<&'n Node<'t>> {
    keys.iter().find_map(|key| node.get(key))
}

fn is_text(node: &Node<'_>, test: impl Fn(&str) -> bool) -> bool {
    matches!(&node.value, Value::Text(text) if test(text))
}

/// Where the name of a static item stands: itself if it is a name, else its naming field, else all of it.
fn name_span(item: &Node<'_>, field: &str) -> Span {
    match item.get(field) {
        Some(name @ Node { value: Value::Text(_), .. }) => name.span,
        _ => item.span,
    }
}

/// The list as a filter over wire names, unless it has definitions: those describe the server and choose nothing.
fn names_only(tools: &[Node<'_>]) -> Option<Vec<String>> {
    let mut names = Vec::with_capacity(tools.len());
    for tool in tools {
        let Value::Text(name) = &tool.value else { return None };
        names.push(String::from(&**name));
    }
    Some(names)
}

fn transport_called(word: &str) -> Transport {
    let folded: String = word
        .chars()
        .filter(|c| !matches!(c, '-' | '_' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let known = TRANSPORTS.iter().find(|(name, _)| *name == folded);
    known.map_or(Transport::Unknown, |(_, transport)| *transport)
}

/// Which transport it is, given what is named. A named transport decides between command and address, and what it does
/// not use is dropped, as clients do; where it fits neither, nothing can be said.
fn settle(launch: &mut Launch, named: Option<Transport>, of_address: Transport) -> Transport {
    let web_socket = launch
        .url
        .as_ref()
        .is_some_and(|url| url.starts_with("ws://") || url.starts_with("wss://"));
    match (launch.command.is_some(), launch.url.is_some(), named) {
        (false, false, _) => Transport::Unknown,
        (true, true, None) => Transport::Ambiguous,
        (true, _, Some(Transport::Stdio)) => {
            launch.url = None;
            Transport::Stdio
        }
        (true, false, None) => Transport::Stdio,
        (true, false, Some(_)) | (false, true, Some(Transport::Stdio)) => Transport::Unknown,
        (_, true, Some(remote)) => {
            launch.command = None;
            remote
        }
        (false, true, None) if web_socket => Transport::Ws,
        (false, true, None) => of_address,
    }
}
