//! `callsign rules decide --jsonl`: the published vectors and the cases of hosts' own languages, through the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod support;

use serde_json::{Value, json};
use support::{Sandbox, root};

/// The text of a file of lines, and the lines read: what is asked is the text, since a value has lost the order of its keys.
fn data_lines(path: &str) -> (String, Vec<Value>) {
    let text = std::fs::read_to_string(root().join("data").join(path)).expect("the file");
    let lines = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (text, lines)
}

fn answers(input: impl AsRef<[u8]>) -> Vec<Value> {
    let run = Sandbox::new().callsign(["rules", "decide", "--jsonl"]).input(input).run().exits(0);
    run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A legacy exact entry grants nothing to a lossy key while a server of the very key that stands in it is registered:
/// crates/callsign/tests/rules/vectors.rs defines, counts and lists these lines.
fn is_stricter(vector: &Value, answer: &Value) -> bool {
    let expected = &vector["expected"];
    let grants = |of: &Value| of["detail"]["allow"].as_array().cloned().unwrap();
    let narrowed = grants(expected).into_iter().zip(grants(answer));
    let narrowed = narrowed
        .into_iter()
        .all(|(theirs, ours)| theirs == ours || (theirs == "yes" && ours == "ambiguous"));
    narrowed
        && (expected["decision"] == "allow" && answer["decision"] == "default"
            || expected["decision"] == answer["decision"])
}

#[test]
fn every_vector_is_decided_as_published() {
    let (text, vectors) = data_lines("vectors/rules.jsonl");
    let answers = answers(text);
    assert_eq!((vectors.len(), answers.len()), (4950, 4950));
    let mut stricter = 0;
    for (vector, answer) in vectors.iter().zip(&answers) {
        let expected = &vector["expected"];
        if expected["blocked"] == answer["blocked"]
            && expected["decision"] == answer["decision"]
            && expected["detail"] == answer["detail"]
        {
            continue;
        }
        assert!(is_stricter(vector, answer), "{vector} gave {answer}");
        stricter += 1;
    }
    assert!(stricter < 20, "{stricter} lines");
}

#[test]
fn every_published_case_of_a_hosts_language_is_decided_as_in_that_host() {
    let (text, cases) = data_lines("cases/dialects.jsonl");
    assert_eq!(cases.len(), 48);
    let wrong: Vec<String> = cases
        .iter()
        .zip(answers(text))
        .filter(|(case, answer)| case["decision"] != answer["decision"])
        .map(|(case, answer)| format!("{case} gave {answer}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn line(rules: &Value) -> Value {
    json!({
        "registry": [{"server": "a", "tool": "x"}],
        "rules": rules,
        "call": {"server": "a", "tool": "x"},
    })
}

#[test]
fn a_line_that_can_not_be_read_is_answered_and_the_next_is_decided() {
    let good = line(&json!({"deny": ["mcp__a"]}));
    let mut strange = good.clone();
    strange["dialect"] = json!("nobodys");
    let mut broken = good.clone();
    broken["dialect"] = json!("claude-code");
    broken["rules"] = json!({"deny": "mcp__a"});
    let mut nameless = good.clone();
    nameless["dialect"] = json!("claude-code");
    nameless["call"] = json!({"server": "", "tool": "x"});
    let input = [
        "{".to_owned(),
        // What is misspelt could be a restriction.
        line(&json!({"denny": ["mcp__a"]})).to_string(),
        line(&json!({"deny": [7]})).to_string(),
        json!({"rules": {}}).to_string(),
        strange.to_string(),
        broken.to_string(),
        nameless.to_string(),
        good.to_string(),
    ];
    let answers = answers(input.join("\n"));
    let kinds: Vec<&str> =
        answers.iter().map(|answer| answer["error"]["kind"].as_str().unwrap_or("-")).collect();
    let wanted = [
        "invalid-input",
        "invalid-rules",
        "invalid-rules",
        "invalid-input",
        "unknown-dialect",
        "invalid-rules",
        "empty-server-key",
        "-",
    ];
    assert_eq!(kinds, wanted, "{answers:#?}");
    assert!(answers[0]["error"]["message"].as_str().unwrap().starts_with("line 1, column 1:"));
    assert!(answers[1]["error"]["message"].as_str().unwrap().starts_with("line 2: "));
    assert_eq!(answers[7]["decision"], "deny");
}

#[test]
fn a_host_answers_with_the_entry_that_decides_and_the_order_of_keys_is_kept() {
    let of = |rules: &str| {
        format!(
            r#"{{"dialect":"opencode","registry":[{{"server":"a","tool":"x"}}],"rules":{{"permission":{rules}}},"call":{{"server":"a","tool":"x"}}}}"#
        )
    };
    let (last, first) = (r#"{"a_*":"allow","*":"ask"}"#, r#"{"*":"ask","a_*":"allow"}"#);
    let answers = answers([of(last), of(first)].join("\n"));
    assert_eq!((&answers[0]["decision"], &answers[0]["by"]), (&json!("ask"), &json!("*")));
    assert_eq!((&answers[1]["decision"], &answers[1]["by"]), (&json!("allow"), &json!("a_*")));
    assert_eq!(answers[0]["because"], "the last matching entry decides");
}

#[test]
fn lines_are_answered_whatever_they_hold() {
    let mut random = support::Random(0x5eed);
    let good = line(&json!({"deny": ["mcp__a__*"], "allow": ["mcp__b(x)"]})).to_string();
    let mut input = Vec::new();
    for _ in 0..500 {
        let mut line = good.clone().into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(line.len());
            line[at] = u8::try_from(random.below(256)).expect("a byte");
        }
        // So that every line is one, and none is blank.
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b'x');
        line.push(b'\n');
        input.extend(line);
    }
    let answers = answers(input);
    assert_eq!(answers.len(), 500);
    assert!(answers.iter().all(|it| it["decision"].is_string() != it["error"].is_object()));
}

/// Without a language the lists mean what they mean to Qwen Code, where what can't be read restricts nothing; a list that is
/// misspelt is an error in any language.
#[test]
fn what_can_not_be_read_is_what_it_is_to_that_host_and_a_misspelt_list_is_refused() {
    let mut plain = line(&json!({"deny": ["mcp__a__b("]}));
    let own = json!({"deny": ["mcp__a__b("]});
    let mut dialects: Vec<Value> = Vec::new();
    for dialect in ["claude-code", "qwen-code", "callsign"] {
        let mut misspelt = line(&json!({"denny": ["mcp__a__b"]}));
        misspelt["dialect"] = json!(dialect);
        dialects.push(misspelt);
    }
    plain["registry"] = json!([{"server": "a", "tool": "b"}]);
    plain["call"] = json!({"server": "a", "tool": "b"});
    let mut strict = plain.clone();
    (strict["rules"], strict["dialect"]) = (own, json!("callsign"));
    let lines = [vec![plain, strict], dialects].concat();
    let answers = answers(lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    assert_eq!(answers[0]["decision"], json!("default"));
    assert_eq!(answers[1]["decision"], json!("deny"));
    for answer in &answers[2..] {
        assert_eq!(answer["error"]["kind"], json!("invalid-rules"), "{answer}");
    }
}
