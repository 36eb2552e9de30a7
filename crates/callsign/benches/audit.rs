//! How the audit's time grows: 10 thousand, 100 thousand and a million tools, 100 on each server, with near-duplicates,
//! duplicates and look-alikes among them as real catalogues have; and how it grows with the findings of one server.
//!
//! Each step is ten times the one before. An audit that compared names in pairs would take a hundred times as long.

use std::path::PathBuf;

use callsign::audit::{Fleet, Server, audit};
use callsign::scheme::Qualified;
use callsign::{Catalogue, ServerKey, WireName};

fn main() {
    divan::main();
}

const VERBS: [&str; 10] =
    ["get", "fetch", "list", "create", "update", "delete", "search", "find", "export", "archive"];

/// A name of three words. One in fifty is common to many servers; the others have a number of their server, so that the
/// share of duplicates does not grow with the fleet.
fn name(server: usize, tool: usize) -> String {
    let verb = VERBS[(server + tool) % VERBS.len()];
    match tool % 50 {
        0 => format!("{verb}_shared_item"),
        1 => format!("{verb}RecordOf{server}"),
        _ => format!("{verb}_item{server}_part{tool}"),
    }
}

fn servers(count: usize) -> Vec<Server> {
    (0..count)
        .filter_map(|server| {
            let mut catalogue = Catalogue::default();
            for tool in 0..100 {
                catalogue.push_named(WireName::new(name(server, tool)).ok()?);
            }
            let key = ServerKey::new(format!("server-{server}")).ok()?;
            Some(Server { key, launch: None, catalogue: Ok(catalogue) })
        })
        .collect()
}

#[divan::bench(args = [10_000, 100_000, 1_000_000], sample_count = 5, sample_size = 1)]
fn tools(bencher: divan::Bencher<'_, '_>, count: usize) {
    let scheme = Qualified::default();
    let fleet = Fleet::new(&scheme, servers(count / 100));
    bencher.counter(divan::counter::ItemsCount::new(count)).bench_local(|| audit(&fleet));
}

/// One server, every tool of which is a finding, and every tool with an unreadable one in front, which is one too.
#[divan::bench(args = [10_000, 100_000], sample_count = 5, sample_size = 1)]
fn findings_of_one_server(bencher: divan::Bencher<'_, '_>, count: usize) {
    let mut catalogue = Catalogue::default();
    for name in (0..count).filter_map(|tool| WireName::new(format!("tool {tool}")).ok()) {
        catalogue.push_tool("{}");
        catalogue.push_named(name);
    }
    let server =
        ServerKey::new("s").map(|key| Server { key, launch: None, catalogue: Ok(catalogue) });
    let scheme = Qualified::default();
    let fleet = Fleet::new(&scheme, server.into_iter().collect());
    bencher.counter(divan::counter::ItemsCount::new(2 * count)).bench_local(|| audit(&fleet));
}

/// 106 real servers with 3,269 tools, and 24 with 305.
#[divan::bench(args = ["configs/fleet.json", "preflight/fleet-24x305.json"])]
fn fleet(bencher: divan::Bencher<'_, '_>, file: &str) {
    let scheme = Qualified::default();
    let fleet = Fleet::new(&scheme, read(file).unwrap_or_default());
    bencher.bench_local(|| audit(&fleet));
}

/// The names of a configuration with static lists; nothing if the file is not there.
fn read(file: &str) -> Option<Vec<Server>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/corpus").join(file);
    let root: serde_json::Value = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let entries = root["mcpServers"].as_object()?;
    let server = |(key, entry): (&String, &serde_json::Value)| {
        let mut catalogue = Catalogue::default();
        for name in entry["tools"].as_array()?.iter().filter_map(serde_json::Value::as_str) {
            catalogue.push_named(WireName::new(name).ok()?);
        }
        Some(Server { key: ServerKey::new(key).ok()?, launch: None, catalogue: Ok(catalogue) })
    };
    Some(entries.iter().filter_map(server).collect())
}
