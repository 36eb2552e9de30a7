//! `callsign check` where nothing is started: tools come from the lists in the configuration.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use support::{Outcome, Sandbox, array, column, repository, root};

const PREFLIGHT: &str = "data/corpus/preflight";

/// What must be said of one file of `data/corpus/preflight/edge`; the README there says why.
struct Edge {
    file: &'static str,
    status: i32,
    /// Codes with their number.
    codes: &'static [(&'static str, usize)],
    stdout: &'static [&'static str],
    stderr: &'static [&'static str],
}

const NO_SERVERS: &[&str] = &["no servers are configured and enabled: nothing to check"];
const FIRST_OF_TWO: &[&str] = &["0 of 2 servers checked", "--live --yes"];

const EDGES: &[Edge] = &[
    Edge {
        file: "nostatic",
        status: 2,
        codes: &[("CS009", 2)],
        stdout: &["checked 0 of 2 servers"],
        stderr: FIRST_OF_TWO,
    },
    Edge { file: "empty", status: 0, codes: &[], stdout: NO_SERVERS, stderr: &[] },
    Edge {
        file: "array",
        status: 2,
        codes: &[],
        stdout: &[],
        stderr: &["array.json:1:1: ", "expected an object, found an array", "help: "],
    },
    Edge {
        file: "latin1",
        status: 2,
        codes: &[],
        stdout: &[],
        stderr: &["latin1.json:1:17: ", "not UTF-8", "Latin-1", "help: "],
    },
    Edge { file: "jsonc", status: 0, codes: &[], stdout: NO_SERVERS, stderr: &[] },
    Edge {
        file: "servers",
        status: 0,
        codes: &[],
        stdout: &["checked 1 of 1 server with 1 tool"],
        stderr: &[],
    },
    Edge {
        file: "dupin",
        status: 1,
        codes: &[("CS008", 1)],
        stdout: &["server `a`", "tool `x` twice", "positions 1 and 2", "json:1:33", "json:1:38"],
        stderr: &[],
    },
    Edge {
        file: "star",
        status: 2,
        codes: &[("CS009", 2)],
        stdout: &["`*`, which allows all tools and names none", "with 0 tools"],
        stderr: FIRST_OF_TWO,
    },
    Edge {
        file: "case",
        status: 0,
        codes: &[("CS010", 1)],
        stdout: &["`Read_File` of `a`", "`read_file` of `b`"],
        stderr: &[],
    },
    Edge {
        file: "unicode",
        status: 1,
        codes: &[("CS003", 2)],
        stdout: &["U+8AAD", "U+3080", "U+66F8", "U+304F", "position 2"],
        stderr: &[],
    },
    Edge {
        file: "dot",
        status: 1,
        codes: &[("CS003", 1)],
        stdout: &["'.' (U+002E) at position 6", "at position 12"],
        stderr: &[],
    },
    Edge {
        file: "slug",
        status: 1,
        codes: &[("CS001", 1), ("CS007", 1), ("CS010", 1)],
        stdout: &["`a-b` and `a_b`"],
        stderr: &[],
    },
    Edge {
        file: "slugempty",
        status: 1,
        codes: &[("CS001", 1), ("CS003", 2)],
        stdout: &["U+65E5", "U+4E2D"],
        stderr: &[],
    },
    Edge {
        file: "aliascoll",
        status: 1,
        codes: &[("CS001", 1)],
        stdout: &["tool `x`", "servers `a` and `b`"],
        stderr: &[],
    },
    Edge {
        file: "mcp__",
        status: 1,
        codes: &[("CS002", 1), ("CS011", 2)],
        stdout: &["`mcp__a__b__c`", "tool `b__c` of server `a` and tool `c` of server `a__b`"],
        stderr: &[],
    },
    Edge {
        file: "two_versions",
        status: 0,
        codes: &[("CS007", 1)],
        stdout: &["`fs1` and `fs2`", "the same 2 tools"],
        stderr: &[],
    },
    Edge {
        file: "len57",
        status: 1,
        codes: &[("CS001", 1), ("CS004", 2)],
        stdout: &["5 + 22 + 2 + 57 = 86 > 64", "5 + 1 + 2 + 57 = 65 > 64", "no server key"],
        stderr: &[],
    },
    Edge {
        file: "len58",
        status: 1,
        codes: &[("CS001", 1), ("CS004", 2)],
        stdout: &["5 + 1 + 2 + 58 = 66 > 64"],
        stderr: &[],
    },
    Edge {
        file: "len59",
        status: 1,
        codes: &[("CS001", 1), ("CS004", 2)],
        stdout: &["5 + 1 + 2 + 59 = 67 > 64"],
        stderr: &[],
    },
];

fn check(sandbox: &Sandbox, path: &str, more: &[&str]) -> Outcome {
    let mut arguments = vec!["check".into(), repository(path)];
    arguments.extend(more.iter().map(Into::into));
    sandbox.callsign(arguments).run()
}

#[test]
fn every_input_at_the_edge_gets_what_its_readme_says() {
    let sandbox = Sandbox::new();
    for edge in EDGES {
        let path = format!("{PREFLIGHT}/edge/{}.json", edge.file);
        check(&sandbox, &path, &[]).exits(edge.status).says(edge.stdout).warns(edge.stderr);
        let machine = check(&sandbox, &path, &["--format", "json"]).exits(edge.status);
        let expected: BTreeMap<&str, usize> = edge.codes.iter().copied().collect();
        let found = match machine.stdout.is_empty() {
            true => BTreeMap::new(),
            false => codes(&machine.json()),
        };
        assert_eq!(found, expected.into_iter().map(|(code, n)| (code.into(), n)).collect());
    }
}

/// A file that nobody describes would be a file that nobody tests.
#[test]
fn every_file_at_the_edge_is_in_the_table() {
    let folder = std::fs::read_dir(root().join(PREFLIGHT).join("edge")).expect("the folder");
    let files: BTreeSet<String> = folder
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let table = EDGES.iter().map(|edge| format!("{}.json", edge.file)).collect();
    assert_eq!(files, table);
}

fn codes(report: &Value) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for code in column(&report["findings"], "code") {
        *found.entry(code.to_owned()).or_default() += 1;
    }
    found
}

#[test]
fn the_alias_names_of_the_edges_are_those_of_the_script_where_it_is_right() {
    let sandbox = Sandbox::new();
    let long = |length: usize| format!("a_8e1b_{}", "a".repeat(length));
    for (file, status, expected) in [
        ("slug", 0, vec!["a_b_x".to_owned(), "a_b_x_74d4".to_owned()]),
        ("slugempty", 0, vec!["srv_x".into(), "srv_x_0b3a".into()]),
        ("aliascoll", 0, vec!["a_x_425e".into(), "b_x".into()]),
        ("len57", 0, vec![long(57), format!("b_{}", "a".repeat(57))]),
        ("len58", 1, vec![format!("b_{}", "a".repeat(58))]),
        ("len59", 1, vec![format!("b_{}", "a".repeat(59))]),
    ] {
        let path = repository(&format!("{PREFLIGHT}/edge/{file}.json"));
        let arguments = ["alias".into(), "--config".into(), path, "--format=json".into()];
        let outcome = sandbox.callsign(arguments).run().exits(status).json();
        let mut names = column(&outcome["aliases"], "name");
        names.sort_unstable();
        assert_eq!(names, expected, "{file}");
        assert_eq!(array(&outcome["errors"]).len(), usize::try_from(status).expect("0 or 1"));
    }
}

#[test]
fn the_small_fleet_has_four_collisions_and_one_near_cluster() {
    let report = check(&Sandbox::new(), FLEET, &["--format", "json"]).exits(1).json();
    assert_eq!(codes(&report), BTreeMap::from([("CS001".into(), 4), ("CS005".into(), 1)]));
    assert_eq!(
        report["summary"],
        json!({"servers": 5, "checked": 5, "tools": 21, "errors": 4, "warnings": 1})
    );
    let expected = section("exact collisions: 4");
    let found: BTreeSet<String> = array(&report["findings"])
        .iter()
        .filter(|finding| finding["code"] == "CS001")
        .map(|finding| {
            let owners = array(&finding["servers"]).iter().map(|key| key.as_str().expect("a key"));
            let tool = finding["tools"][0]["wire"].as_str().expect("a name");
            format!("{tool}  <- {}", owners.collect::<Vec<_>>().join(", "))
        })
        .collect();
    assert_eq!(found, expected);
    let near = array(&report["findings"]).last().expect("a finding");
    let mut members: Vec<String> = array(&near["tools"])
        .iter()
        .map(|tool| format!("{}.{}", tool["server"], tool["wire"]).replace('"', ""))
        .collect();
    members.sort();
    let cluster = section("semantically close: 1 (not auto-renamed, review by hand)");
    assert_eq!(cluster, BTreeSet::from([format!("[file_read]  {}", members.join(", "))]));
}

#[test]
fn the_small_fleet_has_nine_aliases() {
    let sandbox = Sandbox::new();
    let arguments = ["alias".into(), "--config".into(), repository(FLEET), "--format=json".into()];
    let map = sandbox.callsign(arguments).run().exits(0).json();
    let lines: Vec<String> = array(&map["aliases"])
        .iter()
        .map(|row| format!("{}.{} -> {}", row["server"], row["wire"], row["name"]))
        .map(|line| line.replace('"', ""))
        .collect();
    assert_eq!(lines.len(), 9);
    assert!(lines.is_sorted(), "{lines:?}");
    let expected = section("alias map (deterministic, order fixed):");
    assert_eq!(lines.into_iter().collect::<BTreeSet<_>>(), expected);
}

const FLEET: &str = "data/corpus/preflight/fleet-5x21.json";

/// The indented lines under a heading of the script's output.
fn section(heading: &str) -> BTreeSet<String> {
    let path = root().join(PREFLIGHT).join("fleet-5x21.expected.txt");
    let text = std::fs::read_to_string(path).expect("the expected output");
    text.lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .map(|line| line.trim().to_owned())
        .collect()
}

#[test]
fn the_same_bytes_give_the_same_bytes() {
    let sandbox = Sandbox::new();
    for format in ["human", "json"] {
        let run = || check(&sandbox, FLEET, &["--format", format]).exits(1).stdout;
        let first = run();
        assert!((0..9).all(|_| run() == first), "{format}");
    }
}

/// Server key, entry without tools, tools.
type Fleet = Vec<(String, Vec<String>)>;

#[test]
fn the_order_of_servers_and_keys_changes_nothing() {
    let sandbox = Sandbox::new();
    let text = std::fs::read_to_string(repository(FLEET)).expect("the fleet");
    let fleet: Value = serde_json::from_str(&text).expect("JSON");
    let mut fleet: Fleet = fleet["mcpServers"]
        .as_object()
        .expect("servers")
        .iter()
        .map(|(key, entry)| {
            let tools = array(&entry["tools"]).iter();
            (key.clone(), tools.map(|tool| tool.as_str().expect("a name").to_owned()).collect())
        })
        .collect();
    let mut outputs = BTreeSet::new();
    for round in 0..10 {
        let pivot = round % fleet.len();
        fleet.rotate_left(pivot);
        fleet.swap(0, (round * 3) % 5);
        sandbox.write("servers.json", written(&fleet, round % 2 == 0));
        outputs.insert((
            without_places(sandbox.configured("check --format json").run().exits(1).json()),
            sandbox.configured("alias --format human").run().exits(0).stdout,
        ));
    }
    assert_eq!(outputs.len(), 1, "{outputs:#?}");
}

fn written(fleet: &Fleet, tools_first: bool) -> String {
    let entries: Vec<String> = fleet
        .iter()
        .map(|(key, tools)| match tools_first {
            true => format!(r#""{key}": {{"tools": {}, "command": "npx"}}"#, json!(tools)),
            false => format!(r#""{key}": {{"command": "npx", "tools": {}}}"#, json!(tools)),
        })
        .collect();
    let (servers, other) =
        (format!("\"mcpServers\": {{{}}}", entries.join(", ")), "\"theme\": \"dark\"");
    if tools_first { format!("{{{servers}, {other}}}") } else { format!("{{{other}, {servers}}}") }
}

fn without_places(mut report: Value) -> String {
    for finding in report["findings"].as_array_mut().expect("findings") {
        let location = finding["location"].take();
        assert!(location["line"].is_u64() && location["column"].is_u64(), "{location}");
    }
    report.to_string()
}

/// Counted here again, by other means than the audit's.
#[test]
fn the_large_fleet_has_its_duplicates_and_its_long_names() {
    let path = "data/corpus/configs/fleet.json";
    let text = std::fs::read_to_string(repository(path)).expect("the fleet");
    let fleet: Value = serde_json::from_str(&text).expect("JSON");
    let mut owners = BTreeMap::<String, BTreeSet<String>>::new();
    let mut long = BTreeSet::new();
    for (server, entry) in fleet["mcpServers"].as_object().expect("servers") {
        for tool in array(&entry["tools"]).iter().filter_map(Value::as_str) {
            owners.entry(tool.to_owned()).or_default().insert(server.clone());
            if "mcp__".len() + server.len() + "__".len() + tool.len() > 64 {
                long.insert((server.clone(), tool.to_owned()));
            }
        }
    }
    owners.retain(|_, owners| owners.len() > 1);
    assert_eq!((owners.len(), long.len()), (66, 13));

    let report = check(&Sandbox::new(), path, &["--format", "json"]).exits(1).json();
    assert_eq!(report["summary"]["servers"], 106);
    assert_eq!(report["summary"]["tools"], 3269);
    let of = |code: &str| -> Vec<&Value> {
        array(&report["findings"]).iter().filter(|finding| finding["code"] == code).collect()
    };
    let found: BTreeMap<String, BTreeSet<String>> = of("CS001")
        .into_iter()
        .map(|finding| {
            let servers = column(&finding["tools"], "server").into_iter().map(Into::into);
            (finding["tools"][0]["wire"].as_str().expect("a name").to_owned(), servers.collect())
        })
        .collect();
    assert_eq!(found, owners);
    let found: BTreeSet<(String, String)> = of("CS004")
        .into_iter()
        .map(|finding| {
            let tool = &finding["tools"][0];
            let text = |field: &str| tool[field].as_str().expect("a text").to_owned();
            (text("server"), text("wire"))
        })
        .collect();
    assert_eq!(found, long);
}

#[test]
fn the_json_has_its_keys_in_order() {
    let outcome = check(&Sandbox::new(), FLEET, &["--format", "json"]).exits(1);
    let text = &outcome.stdout;
    assert!(text.ends_with("}\n") && !text.contains('\u{1b}'));
    for keys in [
        vec!["{\n  \"version\"", "\n  \"scheme\"", "\n  \"servers\"", "\n  \"tools\""],
        vec!["\n  \"findings\"", "\n  \"summary\""],
        vec!["\"key\"", "\"status\"", "\"tools\"", "\"reason\"", "\"milliseconds\""],
        vec!["\"code\"", "\"name\"", "\"severity\"", "\"message\"", "\"servers\": [", "\"tools\""],
        vec!["\"location\"", "\"file\"", "\"line\"", "\"column\"", "\"help\""],
        vec!["\n    \"servers\": 5", "\"checked\"", "\"tools\": 21", "\"errors\"", "\"warnings\""],
    ] {
        let first = text.find(keys[0]).unwrap_or_else(|| panic!("no {}", keys[0]));
        let places: Option<Vec<usize>> = keys.iter().map(|key| text[first..].find(key)).collect();
        assert!(places.as_ref().is_some_and(|places| places.is_sorted()), "{keys:?} {places:?}");
    }
}

#[test]
fn the_arrays_of_the_json_are_sorted() {
    let sandbox = Sandbox::new();
    let tools = |names: &[&str]| json!({"command": "x", "tools": names});
    sandbox.servers(&[
        ("z", tools(&["second", "first", "a b"])),
        ("a", tools(&["second", "a b", "first"])),
        ("m", json!({"command": "y"})),
    ]);
    let report = sandbox.configured("check --format json").run().exits(1).json();
    assert_eq!(column(&report["servers"], "key"), ["a", "m", "z"]);
    let tools: Vec<String> = array(&report["tools"])
        .iter()
        .map(|tool| format!("{}.{}", tool["server"], tool["wire"]).replace('"', ""))
        .collect();
    // Of one server in the order it advertises.
    assert_eq!(tools, ["a.second", "a.a b", "a.first", "z.second", "z.first", "z.a b"]);
    assert_eq!(report["tools"][1]["name"], Value::Null, "a name that can't be made");
    assert_eq!(report["tools"][0]["name"], "mcp__a__second");
    let codes = column(&report["findings"], "code");
    assert_eq!(codes, ["CS003", "CS003", "CS007", "CS009"]);
    let unchecked = &report["servers"][1];
    assert_eq!(
        unchecked,
        &json!({"key": "m", "status": "unchecked", "tools": 0, "milliseconds": null,
                "reason": "the configuration does not list its tools"})
    );
    let errors = column(&report["findings"], "severity").iter().filter(|s| **s == "error").count();
    assert_eq!(report["summary"]["errors"], errors);
    assert_eq!(report["summary"]["checked"], 2);
}

fn snapshot(name: &str, sandbox: &Sandbox, arguments: &str) {
    let outcome = sandbox.configured(arguments).run();
    let status = outcome.status.expect("a status");
    let text = format!("{}--- stderr\n{}--- exit {status}\n", outcome.stdout, outcome.stderr);
    insta::assert_snapshot!(name, text);
}

#[test]
fn a_collision_is_shown_in_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "servers.json",
        "{\n  \"mcpServers\": {\n    \"alpha\": { \"command\": \"a\", \"tools\": [\"request\"] },\n    \
         \"beta\": { \"command\": \"b\", \"tools\": [\"request\", \"answer\"] }\n  }\n}\n",
    );
    snapshot("collision", &sandbox, "check --color never");
    snapshot("collision_json", &sandbox, "check --format json");
}

#[test]
fn a_clean_configuration_is_said_to_be_clean() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("alpha", json!({"command": "a", "tools": ["request"]}))]);
    snapshot("clean", &sandbox, "check --color never");
}

/// Nobody is told that all is well where it was not looked at.
#[test]
fn all_is_well_only_if_all_was_looked_at() {
    let well = "every tool has one name";
    let sandbox = Sandbox::new();
    let toml = |more: &str| format!("{more}\n[servers.a]\ntools = ['t']\n");
    sandbox.write("callsign.toml", toml(""));
    sandbox.callsign(["check"]).run().exits(0).says(&[well]);
    sandbox.write("callsign.toml", toml("severity = { CS001 = 'off' }"));
    let off = sandbox.callsign(["check"]).run().exits(0).never_says(well);
    off.says(&["nothing found; switched off: CS001"]);
}

/// An environment file that never ends, or never begins, is none.
#[cfg(unix)]
#[test]
fn an_environment_file_that_is_no_file_is_not_waited_for() {
    let sandbox = Sandbox::new();
    let fifo = sandbox.path("work").join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().expect("mkfifo").success());
    for file in ["fifo", "/dev/zero"] {
        sandbox.servers(&[("a", json!({"command": "x", "envFile": file}))]);
        sandbox.configured("check").run().exits(2).warns(&["0 of 1 server checked"]);
        let live = sandbox.configured("check --live --yes").run().exits(2);
        live.says(&["the environment file can't be read (it is not a regular file)"]);
    }
}

#[test]
fn a_server_without_a_list_is_named() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("alpha", json!({"command": "a", "tools": ["request"]})),
        ("beta", json!({"command": "b"})),
    ]);
    snapshot("unchecked", &sandbox, "check --color never");
}

#[test]
fn many_findings_are_a_list_without_excerpts() {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..12).map(|number| format!("tool.{number}")).collect();
    let entry = |command: &str| json!({"command": command, "tools": names[..].to_vec()});
    sandbox.servers(&[("alpha", entry("a")), ("beta", entry("b"))]);
    let brief = sandbox.configured("check").run().exits(1);
    assert!(!brief.stdout.contains("^^^"), "{brief}");
    brief.says(&[
        "error[CS001]: duplicate-tool, 12 findings\n  servers.json:3:38   tool `tool.0` is",
        "error[CS003]: invalid-name, 24 findings\n",
        "\n36 errors\n",
        "callsign check -v shows each in its file",
    ]);
    sandbox.configured("check -v").run().exits(1).says(&["^^^", "= help: "]);
    let quiet = sandbox.configured("check -q").run().exits(1).says(&["36 errors"]);
    assert!(!quiet.stdout.contains("callsign "), "hints: {quiet}");
}

#[test]
fn the_status_follows_the_failing_severity() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("alpha", json!({"command": "a", "tools": ["read_file"]})),
        ("beta", json!({"command": "b", "tools": ["readFile"]})),
    ]);
    sandbox.configured("check").run().exits(0).says(&["warning[CS010]"]);
    sandbox.configured("check --fail-on warning").run().exits(1);
    sandbox.configured("check --fail-on info").run().exits(1);
}

#[test]
fn an_unchecked_server_fails_a_strict_check() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("alpha", json!({"command": "a", "tools": ["request"]})),
        ("beta", json!({"command": "b"})),
    ]);
    sandbox.configured("check").run().exits(0).says(&["warning[CS009]"]);
    sandbox.configured("check --strict").run().exits(1).says(&["error[CS009]"]);
}

#[test]
fn the_configuration_sets_severities() {
    let sandbox = Sandbox::new();
    let with = |severity: &str| {
        let servers = "[servers.alpha]\ncommand = 'a'\ntools = ['x']\n\
                       [servers.beta]\ncommand = 'b'\ntools = ['x']\n";
        sandbox.write("callsign.toml", format!("[severity]\nCS001 = '{severity}'\n{servers}"));
        // Found without being named.
        sandbox.callsign(["check"]).run()
    };
    with("error").exits(1).says(&["error[CS001]"]);
    with("warning").exits(0).says(&["warning[CS001]"]);
    with("info").exits(0).says(&["CS001", "1 note"]);
    let off = with("off").exits(0);
    assert!(!off.stdout.contains("[CS001]"), "{off}");
    with("loud").exits(2).warns(&["callsign.toml:2:9", "`severity.CS001`", "`warning`"]);
}

#[test]
fn a_scheme_of_the_configuration_is_used_and_an_argument_wins() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "callsign.toml",
        "scheme = 'prefixed'\n[servers.alpha]\ncommand = 'a'\ntools = ['x']\n",
    );
    sandbox.callsign(["list"]).run().exits(0).says(&["alpha__x", "`prefixed`"]);
    sandbox.callsign(["list", "--scheme", "bare"]).run().exits(0).says(&["`bare`"]);
    sandbox.write("callsign.toml", "scheme = 'nice'\n[servers.alpha]\ncommand = 'a'\n");
    sandbox.callsign(["check"]).run().exits(2).warns(&[
        "callsign.toml:1:10",
        "`nice`",
        "qualified",
    ]);
}

#[test]
fn only_the_servers_asked_for_are_checked() {
    let sandbox = Sandbox::new();
    let entry = json!({"command": "a", "tools": ["x"]});
    sandbox.servers(&[("alpha", entry.clone()), ("beta", json!({"command": "b", "tools": ["x"]}))]);
    sandbox.configured("check").run().exits(1);
    sandbox.configured("check --only alpha").run().exits(0).says(&["checked 1 of 1 server"]);
    sandbox.configured("check --only alpha,beta").run().exits(1);
    sandbox.configured("check --only alpah").run().exits(2).warns(&[
        "--only alpah",
        "no such server",
        "alpha, beta",
    ]);
}

#[test]
fn a_disabled_server_is_no_part_of_the_check() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("alpha", json!({"command": "a", "tools": ["x"]})),
        ("beta", json!({"command": "b", "tools": ["x"], "disabled": true})),
    ]);
    let outcome = sandbox.configured("check").run().exits(0).says(&["checked 1 of 1 server"]);
    assert!(!outcome.stdout.contains("beta"), "{outcome}");
    sandbox.configured("check --only beta").run().exits(2).warns(&[
        "--only beta",
        "disabled",
        "servers.json:4:5",
    ]);
}

#[test]
fn a_filter_names_tools_that_exist() {
    let sandbox = Sandbox::new();
    let alpha = json!({"command": "a", "tools": ["read", "write"]});
    let beta = |filter: Value| {
        let mut entry = json!({"command": "b", "tools": [{"name": "read"}, {"name": "search"}]});
        entry
            .as_object_mut()
            .expect("an object")
            .append(filter.clone().as_object_mut().expect("{}"));
        entry
    };
    let with = |filter: Value, arguments: &str| {
        sandbox.servers(&[("alpha", alpha.clone()), ("beta", beta(filter))]);
        sandbox.configured(arguments).run()
    };
    with(json!({}), "check").exits(1);
    with(json!({"exclude": ["read"]}), "check").exits(0).says(&["with 3 tools"]);
    with(json!({"include": ["search"]}), "check").exits(0).says(&["with 3 tools"]);
    with(json!({"include": []}), "check").exits(0).says(&["checked 2 of 2 servers with 2 tools"]);
    with(json!({"include": ["serach"]}), "check").exits(2).warns(&[
        "servers.json:4:",
        "serach",
        "`search`",
        "help: ",
    ]);
}

#[test]
fn the_place_of_a_filter_entry_is_its_own() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "servers.json",
        r#"{"mcpServers": {"a": {"command": "x",
  "include": ["one",
      "tow"], "tools": [{"name": "one"}, {"name": "two"}]}}}"#,
    );
    sandbox.configured("check").run().exits(2).warns(&["servers.json:3:7: ", "`tow`", "`two`"]);
}

#[test]
fn the_same_server_in_two_files_is_one_and_another_is_refused() {
    let sandbox = Sandbox::new();
    let one = r#"{"mcpServers": {"a": {"command": "x", "tools": ["t"]}}}"#;
    sandbox.write("one.json", one);
    sandbox.write("two.json", one);
    sandbox
        .callsign(["check", "one.json", "two.json"])
        .run()
        .exits(0)
        .says(&["checked 1 of 1 server"]);
    sandbox.write("two.json", r#"{"mcpServers": {"a": {"command": "y", "tools": ["t"]}}}"#);
    sandbox.callsign(["check", "one.json", "two.json"]).run().exits(2).warns(&[
        "`a` is defined twice",
        "one.json:1:17",
        "two.json:1:17",
        "help: ",
    ]);
}

/// A server without an `exclude` is not the same server.
#[test]
fn two_entries_that_filter_differently_are_refused() {
    let sandbox = Sandbox::new();
    let entry = |rest: &str| {
        format!(r#"{{"mcpServers": {{"a": {{"command": "x", "tools": ["t", "u"]{rest}}}}}}}"#)
    };
    sandbox.write("one.json", entry(""));
    for rest in [r#", "exclude": ["u"]"#, r#", "include": ["u"]"#, r#", "prompts": ["p"]"#] {
        sandbox.write("two.json", entry(rest));
        let both = sandbox.callsign(["check", "one.json", "two.json"]).run().exits(2);
        both.warns(&["`a` is defined twice"]);
    }
    let toml = "[servers.a]\ncommand = 'x'\ntools = ['t', 'u']\n";
    sandbox.write("callsign.toml", format!("{toml}[servers.a.options.t]\nhidden = true\n"));
    sandbox.callsign(["check", "one.json", "callsign.toml"]).run().exits(2).warns(&["twice"]);
    sandbox.write("callsign.toml", toml);
    sandbox.callsign(["check", "one.json", "callsign.toml"]).run().exits(0);
}

/// Which servers are meant is decided before what can't be told apart.
#[test]
fn entries_that_are_not_meant_do_not_conflict() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "one.json",
        r#"{"mcpServers": {"a": {"command": "x", "tools": ["t"]}, "b": {"tools": ["u"]}}}"#,
    );
    let off = r#"{"mcpServers": {"a": {"command": "y", "disabled": true}}}"#;
    sandbox.write("two.json", r#"{"mcpServers": {"a": {"command": "y", "tools": ["t"]}}}"#);
    let both = ["check", "one.json", "two.json"];
    sandbox.callsign(both).run().exits(2).warns(&["twice"]);
    sandbox.callsign(both.into_iter().chain(["--only", "b"])).run().exits(0);
    sandbox.write("two.json", off);
    sandbox.callsign(both).run().exits(0).says(&["checked 2 of 2 servers"]);
    sandbox.callsign(both.into_iter().chain(["--only", "a"])).run().exits(0);
}

#[test]
fn a_key_may_have_a_comma() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("a,b", json!({"tools": ["t"]})),
        ("a", json!({"tools": ["u"]})),
        ("c", json!({"tools": ["v"]})),
    ]);
    let keys = |only: &str| {
        let arguments = ["check", "--config", "servers.json", "--format", "json", "--only", only];
        // A comma is in no name, which is a finding of its own.
        let report = sandbox.callsign(arguments).run().json();
        column(&report["servers"], "key").join(" ")
    };
    assert_eq!(keys("a,b"), "a,b");
    assert_eq!(keys("a,c"), "a c");
}

/// A check that could check nothing is no pass, whatever the reason.
#[test]
fn servers_of_other_projects_are_not_checked_in_silence() {
    let sandbox = Sandbox::new();
    let work = std::fs::canonicalize(sandbox.path("work")).expect("a path");
    for folder in ["project", "project/deep", "other"] {
        std::fs::create_dir(work.join(folder)).expect("a folder");
    }
    let project = work.join("project").to_string_lossy().into_owned();
    let servers = json!({"a": {"tools": ["t"]}});
    let only_scoped = json!({"projects": {&project: {"mcpServers": servers}}});
    let file = sandbox.write("x.claude.json", only_scoped.to_string());
    let run = |here: &str, more: &str| {
        let file = file.to_string_lossy().into_owned();
        let arguments = ["check".to_owned(), "--config".to_owned(), file];
        let more = more.split_whitespace().map(str::to_owned);
        sandbox.callsign(arguments.into_iter().chain(more)).here(&work.join(here)).run()
    };
    run("other", "").exits(2).warns(&["belongs to another project", "help: run it in", "project"]);
    run("project", "").exits(0).says(&["checked 1 of 1 server"]);
    run("project/deep", "").exits(0).says(&["checked 1 of 1 server"]);

    let mixed = json!({
        "mcpServers": {"b": {"tools": ["u"]}},
        "projects": {&project: {"mcpServers": servers}},
    });
    std::fs::write(&file, mixed.to_string()).expect("a file");
    run("other", "").exits(0).says(&["checked 1 of 1 server"]);
    run("other", "--only a").exits(2).warns(&["--only a: that server belongs to another project"]);
    run("project", "--only a").exits(0).says(&["checked 1 of 1 server"]);

    // The nearest project's own entry hides the others of its key.
    let deep = work.join("project/deep").to_string_lossy().into_owned();
    let shadowing = json!({
        "mcpServers": {"a": {"command": "x", "tools": ["general"]}},
        "projects": {
            &project: {"mcpServers": {"a": {"command": "y", "tools": ["middle"]}}},
            deep: {"mcpServers": {"a": {"command": "z", "tools": ["near"]}}},
        },
    });
    std::fs::write(&file, shadowing.to_string()).expect("a file");
    for (here, wire) in [("other", "general"), ("project", "middle"), ("project/deep", "near")] {
        let report = run(here, "--format json").exits(0).json();
        assert_eq!(column(&report["tools"], "wire"), [wire]);
    }
}

/// An entry that lists prompts says nothing of tools: it is not checked, and its prompts are.
#[test]
fn prompts_are_no_list_of_tools() {
    let sandbox = Sandbox::new();
    let entry = json!({"command": "x", "prompts": ["review", "review"]});
    sandbox.servers(&[("a", entry.clone())]);
    sandbox.configured("check").run().exits(2).warns(&["0 of 1 server checked"]);
    sandbox.servers(&[("a", entry), ("b", json!({"tools": ["t"]}))]);
    let report = sandbox.configured("check --format json").run().json();
    assert_eq!(column(&report["servers"], "status"), ["unchecked", "static"]);
    assert_eq!(column(&report["findings"], "code"), ["CS008", "CS009"], "{report:#}");
    assert_eq!(column(&report["findings"], "kind"), ["prompt", "server"]);
    assert_eq!(report["findings"][0]["location"]["line"], 3);
    assert!(report["findings"][0]["location"]["column"].as_u64() > Some(20), "not at the prompt");
}

/// `npm start` is another server in another folder.
#[test]
fn one_command_in_two_folders_is_two_servers() {
    let sandbox = Sandbox::new();
    let entry = |command: &str, cwd: &str| {
        let tools = ["send", "list"];
        json!({"command": command, "args": ["start"], "cwd": cwd, "tools": tools})
    };
    let codes = |first: Value, second: Value| {
        sandbox.servers(&[("mail", first), ("crm", second)]);
        let report = sandbox.configured("check --format json").run().json();
        column(&report["findings"], "code").join(" ")
    };
    assert_eq!(codes(entry("npm", "/srv/mail"), entry("npm", "/srv/crm")), "CS001 CS001");
    assert_eq!(codes(entry("./x", "mail"), entry("./x", "crm")), "CS001 CS001");
    assert_eq!(codes(entry("npm", "/srv/mail"), entry("npm", "/srv/mail")), "CS007");
    assert_eq!(codes(entry("npx", "/srv/mail"), entry("npx", "/srv/crm")), "CS007");
    for project in ["one", "two"] {
        let folder = sandbox.path("work").join(project);
        std::fs::create_dir(folder).expect("a folder");
        let servers =
            json!({"mcpServers": {"s": {"command": "npm", "args": ["start"], "tools": ["t"]}}});
        sandbox.write(&format!("{project}/.mcp.json"), servers.to_string());
    }
    let both = sandbox.callsign(["check", "one/.mcp.json", "two/.mcp.json"]).run();
    both.exits(2).warns(&["`s` is defined twice"]);
}

#[test]
fn what_can_not_be_read_is_said_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox
        .callsign(["check"])
        .run()
        .exits(2)
        .warns(&["no MCP configuration was found", "--config"]);
    sandbox.callsign(["check", "absent.json"]).run().exits(2).warns(&["absent.json", "help: "]);
    sandbox.callsign(["check", "."]).run().exits(2).warns(&["help: "]);
    sandbox.write("cut.json", "{\"mcpServers\": {\n  \"a\": {\"command\": ");
    sandbox.callsign(["check", "cut.json"]).run().exits(2).warns(&["cut.json:2:", "help: "]);
    sandbox.write("twice.json", "{\"mcpServers\": {\n \"a\": {\"command\": \"x\"},\n \"a\": {}}}");
    let twice = sandbox.callsign(["check", "twice.json"]).run().exits(2);
    twice.warns(&["twice.json:3:2", "`mcpServers.a`", "first at 2:2"]);
}

#[test]
fn the_configuration_of_a_project_is_found() {
    let entry = |tool: &str| {
        format!(r#"{{"mcpServers": {{"a": {{"command": "x", "tools": ["{tool}"]}}}}}}"#)
    };
    for (file, text) in [
        (".mcp.json", entry("t")),
        (".cursor/mcp.json", entry("t")),
        (".vscode/mcp.json", r#"{"servers": {"a": {"command": "x", "tools": ["t"]}}}"#.into()),
        ("callsign.toml", "[servers.a]\ncommand = 'x'\ntools = ['t']\n".into()),
    ] {
        let sandbox = Sandbox::new();
        let inner = sandbox.path("work/src/deep");
        std::fs::create_dir_all(&inner).expect("folders");
        let folder = std::path::Path::new(file).parent().expect("a folder");
        std::fs::create_dir_all(sandbox.path("work").join(folder)).expect("a folder");
        sandbox.write(file, text);
        sandbox.callsign(["list"]).run().exits(0).says(&["mcp__a__t"]);
        if file == "callsign.toml" {
            sandbox.callsign(["list"]).here(&inner).run().exits(0).says(&["mcp__a__t"]);
        }
    }
}

#[test]
fn a_limit_that_is_none_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[("a", json!({"command": "x", "tools": ["t"]}))]);
    for limit in ["0", "-1", "soon", "1e99", "NaN", "inf"] {
        let check = format!("check --timeout={limit}");
        sandbox.configured(&check).run().exits(2).warns(&["--timeout", "SECONDS"]);
    }
    sandbox.configured("check --timeout 0.5").run().exits(0);
}

/// Machines write files of one line, and editors on Windows end lines with two characters.
#[test]
fn a_line_is_shown_if_it_can_be() {
    let sandbox = Sandbox::new();
    let long = "l".repeat(5000);
    let text = |between: &str| {
        format!(
            "{{\"mcpServers\": {{{between}\"a\": {{\"command\": \"x\", \"tools\": [\"a b\"]}}{between}}}}}"
        )
    };
    sandbox.write("servers.json", text("\r\n"));
    let windows = sandbox.configured("check").run().exits(1).says(&["servers.json:2:33", "^^^^^"]);
    assert!(!windows.stdout.contains('\r'), "{windows}");
    sandbox.write("servers.json", text(&format!("/* {long} */")));
    let machine = sandbox.configured("check").run().exits(1).says(&["servers.json:1:"]);
    assert!(!machine.stdout.contains("^^^") && !machine.stdout.contains("lll"), "{machine}");
}

/// Damaged files give a result or an error with a place; never a crash, and never half a document.
#[test]
fn no_damage_to_a_file_is_a_crash() {
    let sandbox = Sandbox::new();
    let whole = std::fs::read(repository(FLEET)).expect("the fleet");
    let mut random = support::Random(0x5eed);
    for round in 0..150 {
        let mut bytes = whole.clone();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = *b"{}[]\",:\\ \0\xff*".get(random.below(13)).unwrap_or(&0),
                2 => drop(bytes.drain(at..(at + random.below(40)).min(bytes.len()))),
                _ => bytes.extend_from_within(at..),
            }
        }
        sandbox.write("servers.json", &bytes);
        let outcome = sandbox.configured("check --format json").run();
        match outcome.status {
            Some(0 | 1) => assert!(outcome.json()["summary"].is_object(), "{round}: {outcome}"),
            Some(2) => assert!(outcome.stderr.contains("servers"), "{round}: {outcome}"),
            _ => panic!("{round}: {outcome}"),
        }
    }
}

/// What a filter leaves out keeps its place in the file, and so does what comes after it.
#[test]
fn a_finding_behind_a_filter_points_at_its_own_tool() {
    let sandbox = Sandbox::new();
    let text = r#"{"mcpServers": {"a": {"tools": ["x", "bad y", "z"], "exclude": ["x"]}}}"#;
    sandbox.write("m.json", text);
    let report = sandbox.callsign(["check", "m.json", "--format", "json"]).run().exits(1).json();
    let column = text.find("\"bad y\"").expect("the tool") + 1;
    assert_eq!(report["findings"][0]["location"]["column"], column);
}

/// A team's callsign.toml that only sets severities says nothing about servers: the clients' files are what is checked.
#[test]
fn settings_without_servers_apply_to_the_clients_files() {
    let sandbox = Sandbox::new();
    let servers = r#"{"mcpServers": {"a": {"tools": ["x"]}, "b": {"tools": ["x"]}}}"#;
    sandbox.write(".mcp.json", servers);
    sandbox.write("callsign.toml", "[severity]\nCS001 = \"warning\"\n");
    let outcome = sandbox.callsign(["check"]).run().exits(0);
    outcome.says(&["warning[CS001]", ".mcp.json", "1 warning"]);
    sandbox.callsign(["check", "--fail-on", "warning"]).run().exits(1);
}
