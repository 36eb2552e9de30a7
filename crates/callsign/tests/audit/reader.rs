//! Reads an `mcpServers` object with static listings: names or whole definitions. For tests only; the reader of real
//! configurations is callsign-config.

use std::path::PathBuf;
use std::sync::Arc;

use callsign::audit::{Finding, Fleet, Launch, PolicyRules, Server, Unchecked, audit};
use callsign::catalogue::Filter;
use callsign::rules::{Effect, Place, Policy, Rule};
use callsign::scheme::by_id;
use callsign::{Catalogue, ServerKey, ToolId, WireName};
use serde_json::Value;

/// The servers of an `mcpServers` object in the text.
pub(crate) fn servers(text: &str) -> Vec<Server> {
    let root: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in {text}"));
    servers_of(&root)
}

pub(crate) fn servers_of(root: &Value) -> Vec<Server> {
    let entries = root["mcpServers"].as_object().expect("an mcpServers object");
    entries.iter().map(|(key, entry)| server(key, entry)).collect()
}

fn server(key: &str, entry: &Value) -> Server {
    let settings: String = ["env", "headers"]
        .iter()
        .filter_map(|field| entry.get(field))
        .map(Value::to_string)
        .collect();
    let launch = match (entry["command"].as_str(), entry["url"].as_str()) {
        (Some(command), _) => {
            let arguments = entry["args"].as_array().map_or(&[][..], Vec::as_slice);
            Some(Launch::command(command, arguments.iter().filter_map(Value::as_str), settings))
        }
        (None, Some(url)) => Some(Launch::address(url, settings)),
        (None, None) => None,
    };
    let unchecked = || Unchecked {
        reason: "it has no static list of tools".into(),
        remedy: Some("run with --live".into()),
    };
    let listed = ["tools", "prompts", "resources"].iter().any(|listing| entry[listing].is_array());
    let catalogue = if listed { Ok(catalogue(entry)) } else { Err(unchecked()) };
    let key = ServerKey::new(key).unwrap();
    let catalogue = catalogue.map(|catalogue| filtered(&key, entry, catalogue));
    Server { key, launch, catalogue }
}

/// Less what `include` and `exclude` leave out. A filter that is refused leaves out nothing.
fn filtered(key: &ServerKey, entry: &Value, mut catalogue: Catalogue) -> Catalogue {
    let list = |field: &str| -> Option<Vec<String>> {
        let texts = entry.get(field)?.as_array()?.iter();
        Some(texts.map(|text| text.as_str().unwrap().to_owned()).collect())
    };
    let filter = Filter { tools: None, include: list("include"), exclude: list("exclude") };
    let _refused = filter.apply(key, &mut catalogue);
    catalogue
}

fn catalogue(entry: &Value) -> Catalogue {
    let mut catalogue = Catalogue::default();
    if entry["serverInfo"].is_object() {
        catalogue.set_server_info(&entry["serverInfo"].to_string());
    }
    let listing = |field: &str| entry[field].as_array().cloned().unwrap_or_default();
    for item in listing("tools") {
        match name(&item) {
            Some(name) => catalogue.push_named(name),
            None => catalogue.push_tool(&item.to_string()),
        }
    }
    for item in listing("prompts") {
        match name(&item) {
            Some(name) => catalogue.push_named_prompt(name),
            None => catalogue.push_prompt(&item.to_string()).unwrap(),
        }
    }
    for item in listing("resources") {
        match name(&item) {
            Some(uri) => catalogue.push_named_resource(uri),
            None => catalogue.push_resource(&item.to_string()).unwrap(),
        }
    }
    catalogue
}

fn name(item: &Value) -> Option<WireName> {
    item.as_str().map(|name| WireName::new(name).unwrap())
}

/// What the audit says about these servers under the scheme of that identifier.
pub(crate) fn findings(scheme: &str, servers: Vec<Server>) -> Vec<Finding> {
    findings_with_rules(scheme, servers, &Value::Null)
}

/// The same of a text with an `mcpServers` object, and `rules` if it has some.
pub(crate) fn findings_of(scheme: &str, text: &str) -> Vec<Finding> {
    let root: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("{e} in {text}"));
    findings_with_rules(scheme, servers_of(&root), &root["rules"])
}

/// The same with rules about them: an object of `allow`, `ask` and `deny`.
pub(crate) fn findings_with_rules(
    scheme: &str,
    servers: Vec<Server>,
    rules: &Value,
) -> Vec<Finding> {
    let scheme = by_id(scheme, servers.iter().flat_map(Server::identities)).unwrap();
    let tools = servers.iter().flat_map(Server::identities);
    let tools = tools.map(|(key, wire)| ToolId::new(key.clone(), wire.clone())).collect();
    let unseen = servers.iter().filter(|server| server.catalogue.is_err());
    let unseen: Vec<ServerKey> = unseen.map(|server| server.key.clone()).collect();
    let rules = PolicyRules::new("callsign", Policy::compile(rules_of(rules)), tools);
    audit(&Fleet::new(&*scheme, servers).with_rules(vec![rules.judged(&unseen)]))
}

/// The rules of an object with lists `deny`, `ask` and `allow`; the list stands for the file, the position for the line.
pub(crate) fn rules_of(rules: &Value) -> Vec<Rule> {
    Effect::ALL
        .into_iter()
        .flat_map(|effect| {
            let list = rules[effect.as_str()].as_array().map_or(&[][..], Vec::as_slice);
            (1..).zip(list).filter_map(move |(line, text)| {
                let place = Place { file: Arc::from(effect.as_str()), line, column: 1 };
                Some(Rule::spelled(effect, text.as_str().unwrap())?.at(place))
            })
        })
        .collect()
}

/// The codes of the findings, in order and with repeats.
pub(crate) fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code().code).collect()
}

/// A file of the repository's data.
pub(crate) fn data(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
