//! Whatever a server says of a tool stands in its catalogue byte for byte, at once and remembered.
#![allow(clippy::unwrap_used)]

#[path = "../../callsign-wire/tests/support/json.rs"]
mod json;
#[path = "../../callsign-wire/tests/support/mod.rs"]
mod support;

use callsign_mcp::{Launch, Limits, Memory, ServerSpec, fetch};
use json::{string, value};
use proptest::prelude::*;
use support::{Server, json, result};

const DISCOVERED: &str = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#;

/// The text of a key that means a text: a lone surrogate does not, and a tool with such a key is named as unreadable.
fn key() -> impl Strategy<Value = String> {
    string().prop_filter("a text", |key| serde_json::from_str::<String>(key).is_ok())
}

/// A tool with members of any kind around its name, each of them once.
fn definition() -> impl Strategy<Value = String> {
    let members = prop::collection::vec((key(), value()), 0..5);
    (members, prop::option::of(value()), any::<prop::sample::Index>()).prop_map(
        |(members, schema, place)| {
            // A key of its own for each: `"x0-…"`.
            let named = members.iter().enumerate();
            let mut members: Vec<String> =
                named.map(|(n, (key, value))| format!("\"x{n}-{} : {value}", &key[1..])).collect();
            members.insert(place.index(members.len() + 1), r#" "name":"tool""#.to_owned());
            members.extend(schema.map(|schema| format!("\"inputSchema\":{schema}")));
            format!("{{ {} }}", members.join(","))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_definition_comes_into_the_catalogue_unchanged(definitions in prop::collection::vec(definition(), 1..3)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::at(folder.path());
        let list = format!("{{\"tools\":[{}]}}", definitions.join(" ,"));
        let (fetched, remembered) = runtime.block_on(async {
            let server = Server::start(move |asked| match asked.call().as_str() {
                "server/discover" => json(&result(asked, DISCOVERED)),
                _ => json(&result(asked, &list)),
            })
            .await;
            let launch = Launch::Http { url: server.url(), headers: Vec::new() };
            let spec = ServerSpec { key: "s".parse().unwrap(), launch, secrets: Vec::new() };
            let fetched = fetch(&spec, &Limits::default(), &memory).await.unwrap();
            (fetched, memory.catalogue(&spec).unwrap())
        });
        let tools = fetched.catalogue.tools();
        let got: Vec<&str> = tools.iter().map(|tool| tool.definition().unwrap()).collect();
        prop_assert_eq!(got, definitions);
        prop_assert_eq!(remembered.catalogue, fetched.catalogue);
    }
}
