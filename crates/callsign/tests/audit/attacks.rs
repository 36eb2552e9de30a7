//! Attacks and hard negatives (data/corpus/attacks): what each must be reported as, and what it must not.

use callsign::audit;
use serde_json::Value;

use crate::reader::{codes, data, findings, servers};

fn texts<'a>(case: &'a Value, field: &str) -> Vec<&'a str> {
    case[field].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Look-alike characters and single edits are not compared yet.
const LOOK_ALIKES: [&str; 4] = [
    "lookalike-capital-i.json",
    "lookalike-missing-letter.json",
    "lookalike-transposed.json",
    "key-cyrillic.json",
];

#[test]
fn attacks_are_reported_and_hard_negatives_are_not() {
    let known: Vec<&str> = audit::codes().iter().map(|code| code.code).collect();
    let (mut looked_at, mut wrong) = (0, Vec::new());
    for line in data("corpus/attacks/index.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        // Of a drift the state after it is audited; the drift itself is for the lock.
        let file = case["file"].as_str().or(case["after"].as_str()).unwrap();
        let text = data(&format!("corpus/attacks/{file}"));
        let found = codes(&findings("qualified", servers(text.trim_start_matches('\u{feff}'))));
        for code in texts(&case, "findings") {
            let later = code == "CS010" && LOOK_ALIKES.contains(&file);
            let missing = known.contains(&code) && !found.contains(&code);
            looked_at += usize::from(known.contains(&code));
            if missing != later {
                wrong.push(format!("{file}: {code} in {found:?}, later: {later}"));
            }
        }
        for code in texts(&case, "no_findings") {
            looked_at += usize::from(known.contains(&code));
            if found.contains(&code) {
                wrong.push(format!("{file}: {code} must not be in {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(looked_at > 100, "only {looked_at} expectations were looked at");
}
