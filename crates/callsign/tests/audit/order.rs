//! The same fleet gives the same findings, whatever the order it is given in.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::reader::{data, findings, servers, servers_of};

#[test]
fn the_order_of_servers_changes_no_byte() {
    let text = data("corpus/preflight/fleet-24x305.json");
    let forward: Vec<String> =
        findings("qualified", servers(&text)).iter().map(|f| format!("{f:?}")).collect();
    for turn in 1..24 {
        let mut turned = servers(&text);
        turned.rotate_left(turn);
        turned.swap(0, turn / 2);
        let turned: Vec<String> =
            findings("qualified", turned).iter().map(|f| format!("{f:?}")).collect();
        assert_eq!(forward, turned);
    }
}

/// Names over an alphabet that meets every finding: separators, capitals, synonyms, illegal and invisible characters.
fn name() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "get", "read", "File", "files", "_", "__", "-", ".", "a", "B", "7", "é", "\n", "\u{ad}",
        "URLs",
    ]);
    prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat())
}

fn fleet() -> impl Strategy<Value = Vec<(String, Vec<String>)>> {
    let server = (name(), prop::collection::vec(name(), 0..5));
    prop::collection::vec(server, 0..6)
}

fn config(fleet: &[(String, Vec<String>)]) -> Value {
    let entries = fleet.iter().map(|(key, tools)| (key.clone(), json!({ "tools": tools })));
    json!({ "mcpServers": Value::Object(entries.collect()) })
}

/// As many cases as `PROPTEST_CASES` asks for, else 300.
fn proptest_config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => config,
        None => ProptestConfig { cases: 300, ..config },
    }
}

proptest! {
    #![proptest_config(proptest_config())]

    #[test]
    fn any_fleet_is_audited_alike_in_any_order_under_every_scheme(fleet in fleet()) {
        let config = config(&fleet);
        for scheme in callsign::scheme::IDS {
            let mut reversed = servers_of(&config);
            reversed.reverse();
            let forward = findings(scheme, servers_of(&config));
            prop_assert_eq!(&forward, &findings(scheme, reversed));
            for finding in &forward {
                prop_assert!(!finding.places().is_empty());
                prop_assert!(!finding.message().contains(|c: char| c.is_control()));
            }
        }
    }

    #[test]
    fn the_advertised_order_of_tools_changes_positions_only(fleet in fleet()) {
        let turned: Vec<(String, Vec<String>)> = fleet
            .iter()
            .map(|(key, tools)| (key.clone(), tools.iter().rev().cloned().collect()))
            .collect();
        let said = |fleet: &[(String, Vec<String>)]| -> Vec<String> {
            let found = findings("qualified", servers_of(&config(fleet)));
            let said = found.iter().filter(|f| f.code().code != "CS008");
            said.map(ToString::to_string).collect()
        };
        prop_assert_eq!(said(&fleet), said(&turned));
    }
}
