//! Public reports (data/cases): the findings that each must have and must not have.

use callsign::audit;
use serde_json::Value;

use crate::reader::{codes, data, findings, servers_of};

/// Reports whose finding depends on what a host or an option does to names, which the audit of a scheme alone does not
/// know: c132 (a prefix set in the configuration), c083 to c107 where a host substitutes characters.
const NEED_A_HOST: [(&str, &str); 5] =
    [("c053", "CS004"), ("c055", "CS004"), ("c082", "CS002"), ("c107", "CS002"), ("c123", "CS002")];
const NEED_AN_OPTION: [(&str, &str); 1] = [("c132", "CS002")];

fn texts<'a>(case: &'a Value, field: &str) -> Vec<&'a str> {
    case["expect"][field].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn every_report_has_the_findings_it_must() {
    let known: Vec<&str> = audit::codes().iter().map(|code| code.code).collect();
    let (mut looked_at, mut wrong) = (0, Vec::new());
    for line in data("cases/reports.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let (must, must_not) = (texts(&case, "findings"), texts(&case, "no_findings"));
        if !case["input"]["mcpServers"].is_object() || must.len() + must_not.len() == 0 {
            continue;
        }
        let id = case["id"].as_str().unwrap();
        let found = codes(&findings("qualified", servers_of(&case["input"])));
        for code in must.into_iter().filter(|code| known.contains(code)) {
            looked_at += 1;
            let elsewhere =
                NEED_A_HOST.contains(&(id, code)) || NEED_AN_OPTION.contains(&(id, code));
            // A duplicate of one server under two keys is folded into CS007.
            let folded = code == "CS001" && found.contains(&"CS007");
            if !found.contains(&code) && !elsewhere && !folded {
                wrong.push(format!("{id}: no {code} in {found:?}"));
            }
        }
        for code in must_not.into_iter().filter(|code| known.contains(code)) {
            looked_at += 1;
            if found.contains(&code) {
                wrong.push(format!("{id}: {code} must not be in {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(looked_at > 90, "only {looked_at} expectations were looked at");
}
