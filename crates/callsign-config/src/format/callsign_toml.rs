//! `callsign.toml`, callsign's own file. Unlike a client's file it is ours, so a key we don't know is an error.

use std::time::Duration;

use callsign::WireName;

use super::entry::{COMMON, EntryReader, Keys};
use super::{Claim, Contents, Format};
use crate::document::{Document, Syntax};
use crate::error::{ConfigError, Problem};
use crate::near::near;
use crate::rule_settings;
use crate::server_entry::{ServerEntry, Transport};
use crate::settings::{Placed, Settings, Severity, ToolOptions};
use crate::tree::{Entry, Node, Value};

pub(crate) struct CallsignToml;

const FILE: &str = "callsign.toml";
const SERVERS: &str = "servers";
const RULES: &str = "rules";
const TOP: [&str; 5] = ["scheme", "unambiguous", "severity", RULES, SERVERS];
const SERVER: [&str; 19] = [
    "type",
    "command",
    "args",
    "env",
    "env_file",
    "cwd",
    "url",
    "headers",
    "disabled",
    "tools",
    "include",
    "exclude",
    "prompts",
    "resources",
    "server_info",
    "serverInfo",
    "instructions",
    "options",
    "transport",
];
const OPTIONS: [&str; 3] = ["hidden", "time_limit_seconds", "description"];

const KEYS: Keys = Keys {
    env_file: &["env_file"],
    cwd: &["cwd"],
    url: &[("url", Transport::Http)],
    enabled: &[],
    include: &["include"],
    exclude: &["exclude"],
    server_info: &["server_info", "serverInfo"],
    ..COMMON
};

impl Format for CallsignToml {
    fn client(&self) -> &'static str {
        "callsign"
    }

    fn syntax(&self) -> Syntax {
        Syntax::Toml
    }

    fn looked_for(&self) -> &'static [&'static str] {
        &[SERVERS]
    }

    fn claim(&self, document: &Document<'_>) -> Option<Claim> {
        match document.file.ends_with(FILE) {
            true => Some(Claim::Name),
            false => document.root.get(SERVERS).map(|_| Claim::Content),
        }
    }

    fn read(&self, document: &Document<'_>) -> Result<Contents, ConfigError> {
        refuse_unknown(document, &document.root, &TOP)?;
        let settings = settings(document)?;
        let mut reader = EntryReader::new(document, KEYS);
        let mut servers = Vec::new();
        if let Some(node) = document.root.get(SERVERS) {
            for entry in document.map(node)? {
                refuse_unknown(document, &entry.node, &SERVER)?;
            }
            servers = reader.servers(node, None)?;
            for (server, entry) in servers.iter_mut().zip(node.entries()) {
                tool_options(document, &entry.node, server)?;
            }
        }
        Ok(Contents { servers, settings, secrets: reader.secrets })
    }

    fn project_files(&self) -> &'static [&'static str] {
        &[]
    }

    fn user_files(&self) -> &'static [&'static str] {
        &[]
    }
}

fn refuse_unknown(
    document: &Document<'_>,
    node: &Node<'_>,
    allowed: &[&'static str],
) -> Result<(), ConfigError> {
    let unknown = node.entries().iter().find(|entry| !allowed.contains(&entry.key.as_ref()));
    let Some(entry) = unknown else { return Ok(()) };
    let key = document.path_to(entry.key_span);
    let near = near(&entry.key, allowed);
    let problem = Problem::UnknownSetting { key, near, allowed: allowed.to_vec() };
    Err(document.error(entry.key_span, problem))
}

fn settings(document: &Document<'_>) -> Result<Settings, ConfigError> {
    let root = &document.root;
    let mut settings = Settings::default();
    if let Some(node) = root.get("scheme") {
        let value = document.string(node)?.to_owned();
        settings.scheme = Some(Placed { value, place: document.place(node.span) });
    }
    if let Some(node) = root.get("unambiguous") {
        settings.unambiguous = document.flag(node)?;
    }
    if let Some(node) = root.get("severity") {
        let entries = document.map(node)?.iter();
        settings.severity =
            entries.map(|entry| severity(document, entry)).collect::<Result<_, _>>()?;
    }
    if let Some(node) = root.get(RULES) {
        settings.rules = rule_settings::read(document, node)?;
    }
    Ok(settings)
}

fn severity(
    document: &Document<'_>,
    entry: &Entry<'_>,
) -> Result<(Placed<String>, Severity), ConfigError> {
    let digits = entry.key.strip_prefix("CS").unwrap_or_default();
    if digits.len() != 3 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(
            document.wrong_value(entry.key_span, "a finding's code is `CS` and three digits")
        );
    }
    let word = document.string(&entry.node)?;
    let known = Severity::ALL.iter().find(|(name, _)| *name == word);
    let (_, severity) = known.ok_or_else(|| {
        let reason = "a severity is `off`, `info`, `warning` or `error`";
        document.wrong_value(entry.node.span, reason)
    })?;
    let code = Placed { value: entry.key.to_string(), place: document.place(entry.key_span) };
    Ok((code, *severity))
}

fn tool_options(
    document: &Document<'_>,
    node: &Node<'_>,
    server: &mut ServerEntry,
) -> Result<(), ConfigError> {
    let Some(options) = node.get("options") else { return Ok(()) };
    for entry in document.map(options)? {
        server.options.push(one_tool(document, entry)?);
    }
    Ok(())
}

fn one_tool(document: &Document<'_>, entry: &Entry<'_>) -> Result<ToolOptions, ConfigError> {
    document.map(&entry.node)?;
    refuse_unknown(document, &entry.node, &OPTIONS)?;
    let wire =
        WireName::new(&entry.key).map_err(|_| document.empty_name(entry.key_span, "tool name"))?;
    let node = &entry.node;
    let hidden = node.get("hidden").map(|flag| document.flag(flag)).transpose()?;
    let time_limit =
        node.get("time_limit_seconds").map(|time| seconds(document, time)).transpose()?;
    let description = node.get("description").map(|text| document.string(text)).transpose()?;
    Ok(ToolOptions {
        wire: Placed { value: wire, place: document.place(entry.key_span) },
        hidden: hidden.unwrap_or(false),
        time_limit,
        description: description.map(str::to_owned),
    })
}

fn seconds(document: &Document<'_>, node: &Node<'_>) -> Result<Duration, ConfigError> {
    let Value::Number(number) = &node.value else {
        return Err(document.wrong_type(node, "a number of seconds"));
    };
    let seconds = number.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| document.wrong_value(node.span, "a time limit is more than 0 seconds"))
}
