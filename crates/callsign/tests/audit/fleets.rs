//! Whole fleets, against what is known of them.

use std::collections::BTreeMap;

use callsign::audit::{Finding, Server};
use callsign::{Catalogue, ServerKey, WireName};

use crate::reader::{codes, data, findings, servers};

fn fleet(file: &str) -> Vec<Finding> {
    findings("qualified", servers(&data(file)))
}

fn counts(findings: &[Finding]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for finding in findings {
        *counts.entry(finding.code().code).or_default() += 1;
    }
    counts
}

/// The tools that findings of this code are about, as `server.tool`, one finding an entry.
fn groups(findings: &[Finding], code: &str) -> Vec<String> {
    let of_code = findings.iter().filter(|finding| finding.code().code == code);
    of_code
        .map(|finding| {
            let tools = finding.tools().iter().map(|id| format!("{}.{}", id.server(), id.wire()));
            tools.collect::<Vec<_>>().join(", ")
        })
        .collect()
}

#[test]
fn five_servers_with_21_tools() {
    let found = fleet("corpus/preflight/fleet-5x21.json");
    assert_eq!(counts(&found), BTreeMap::from([("CS001", 4), ("CS005", 1)]));
    assert_eq!(
        groups(&found, "CS001"),
        [
            "filesystem.list_directory, gdrive.list_directory",
            "filesystem.read_file, gdrive.read_file, notion-lite.read_file",
            "filesystem.search_files, github.search_files",
            "gdrive.search, notion-lite.search",
        ]
    );
    assert_eq!(
        groups(&found, "CS005"),
        ["filesystem.read_file, gdrive.read_file, github.get_file_contents, notion-lite.read_file"]
    );
}

#[test]
fn servers_with_one_bare_command_and_little_in_common_are_not_one() {
    let found = fleet("corpus/preflight/fleet-24x305.json");
    assert_eq!(counts(&found).get("CS007"), None);
    assert!(counts(&found)["CS001"] > 50);
}

/// 106 real servers with 3,269 tools; the numbers were measured independently of this code.
#[test]
fn real_servers() {
    let found = fleet("corpus/configs/fleet.json");
    let counts = counts(&found);
    let measured = BTreeMap::from([("CS001", 66), ("CS004", 13), ("CS010", 33)]);
    for (code, number) in measured {
        assert_eq!(counts[code], number, "{code}");
    }
    assert_eq!(counts.keys().copied().collect::<Vec<_>>(), ["CS001", "CS004", "CS005", "CS010"]);
    let groups_of = groups(&found, "CS001").join("\n");
    assert!(
        groups_of.contains("grafana.get_incident, pagerduty.get_incident, rootly.get_incident")
    );
    insta::assert_snapshot!("real_servers_near_duplicates", groups(&found, "CS005").join("\n"));
    insta::assert_snapshot!("real_servers_confusable", groups(&found, "CS010").join("\n"));
}

/// Inputs on which a simpler check is wrong or silent (data/corpus/preflight/README.md).
#[test]
fn edge_inputs() {
    for (file, scheme, expected) in [
        ("nostatic", "qualified", &["CS009", "CS009"][..]),
        ("empty", "qualified", &[]),
        ("dupin", "qualified", &["CS008"]),
        ("case", "qualified", &["CS010"]),
        ("unicode", "qualified", &["CS003", "CS003"]),
        ("dot", "qualified", &["CS003"]),
        ("slug", "qualified", &["CS001", "CS007", "CS010"]),
        ("slugempty", "qualified", &["CS001", "CS003", "CS003"]),
        ("aliascoll", "minimal", &["CS001"]),
        ("mcp__", "qualified", &["CS002", "CS011", "CS011"]),
        ("two_versions", "qualified", &["CS007"]),
        ("len57", "minimal", &["CS001"]),
        ("len58", "minimal", &["CS001", "CS004"]),
        ("len59", "minimal", &["CS001", "CS004"]),
    ] {
        let text = data(&format!("corpus/preflight/edge/{file}.json"));
        assert_eq!(codes(&findings(scheme, servers(&text))), expected, "{file}");
    }
}

/// Finding by finding, nothing may look through the server's whole listing again: what takes two seconds would take minutes.
#[test]
fn many_findings_of_one_server_do_not_cost_each_other_time() {
    const TOOLS: usize = 30_000;
    for (code, count) in [("CS003", TOOLS), ("CS004", TOOLS), ("CS008", TOOLS / 2)] {
        let name = |tool: usize| match code {
            "CS003" => format!("name {tool}"),
            "CS004" => format!("{}_{tool}", "x".repeat(80)),
            _ => format!("name_{}", tool / 2),
        };
        let mut catalogue = Catalogue::default();
        for tool in 0..TOOLS {
            catalogue.push_tool(if tool % 2 == 0 { "{}" } else { "1" });
            catalogue.push_named(WireName::new(name(tool)).unwrap());
        }
        let last = catalogue.position(TOOLS - 1);
        let server =
            Server { key: ServerKey::new("s").unwrap(), launch: None, catalogue: Ok(catalogue) };
        let found = findings("qualified", vec![server]);
        let of = |code: &str| found.iter().filter(|found| found.code().code == code).count();
        assert_eq!((of(code), of("CS009"), last), (count, TOOLS, 2 * TOOLS - 1));
    }
}

/// The same for names that a scheme finds in use: each finding says where the holder is advertised.
#[test]
fn many_names_in_use_do_not_cost_each_other_time() {
    const TOOLS: usize = 20_000;
    let server = |key: &str, names: &dyn Fn(&str) -> Vec<String>| {
        let mut catalogue = Catalogue::default();
        for tool in 0..TOOLS {
            for name in names(&format!("{}{tool:05}", "x".repeat(55))) {
                catalogue.push_named(WireName::new(name).unwrap());
            }
        }
        Server { key: ServerKey::new(key).unwrap(), launch: None, catalogue: Ok(catalogue) }
    };
    let servers = vec![
        server("a", &|name| vec![name.to_owned()]),
        server("b", &|name| vec![name.to_owned(), format!("a_{name}")]),
    ];
    let found = findings("minimal", servers);
    let in_use = found.iter().filter(|found| found.code().code == "CS002");
    assert!(in_use.clone().all(|found| found.places().len() == 2));
    assert_eq!(in_use.count(), TOOLS);
}
