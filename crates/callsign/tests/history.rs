//! Stored requests and conversations, as providers define them, and what is made of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't go on has failed"
)]

use std::collections::BTreeMap;
use std::path::Path;

use callsign::history::{Change, HistoryError, Provider, Remark, Repair, fix};
use callsign::scheme::{history_name, legacy_spelling, provider_name};

#[path = "history/any.rs"]
mod any;

fn fixtures() -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/history");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|e| e == "json" || e == "jsonl"))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

/// In the fixtures, `"mcp__fix.me__…"` is a name wherever it stands as a whole string, and `mcp__keep.me__…` never is.
fn expected(stored: &str) -> (String, usize) {
    let mut pieces = stored.split("\"mcp__fix.me__");
    let (mut text, mut count) = (pieces.next().unwrap().to_owned(), 0);
    for piece in pieces {
        let (tool, rest) = piece.split_once('"').unwrap();
        text += &format!("\"{}\"{rest}", provider_name(&format!("mcp__fix.me__{tool}")));
        count += 1;
    }
    (text, count)
}

fn remarks(repair: &Repair<'_>) -> Vec<&'static str> {
    repair.notes.iter().map(|note| note.remark.kind()).collect()
}

#[test]
fn in_every_fixture_exactly_the_names_change() {
    let fixtures = fixtures();
    let mut total = 0;
    for (file, stored) in &fixtures {
        let (expected, count) = expected(stored);
        let repair = fix(stored, None).unwrap();
        assert_eq!(repair.apply(), expected, "{file}");
        assert_eq!(repair.edits.len(), count, "{file}");
        assert!(count > 0 && expected.matches("fix.me").count() == 0, "{file}");
        let known = repair.notes.iter().all(|note| note.remark != Remark::UnknownShape);
        assert!(known, "{file}: {:?}", repair.notes);
        total += count;
    }
    assert!(fixtures.len() >= 10 && total >= 44, "{} fixtures, {total} names", fixtures.len());
    println!("{} fixtures, {total} names", fixtures.len());
}

#[test]
fn what_was_fixed_stays() {
    for (file, stored) in &fixtures() {
        let once = fix(stored, None).unwrap().apply().into_owned();
        let again = fix(&once, None).unwrap();
        assert!(again.is_empty(), "{file}: {:?}", again.edits);
    }
}

#[test]
fn a_provider_given_is_the_only_one_looked_for() {
    let fixtures = fixtures();
    for (file, provider) in [
        ("openai_chat.json", Provider::OpenAi),
        ("openai_responses.json", Provider::OpenAi),
        ("anthropic.json", Provider::Anthropic),
        ("gemini.json", Provider::Gemini),
        ("gemini_python.json", Provider::Gemini),
    ] {
        let stored = &fixtures[file];
        assert_eq!(fix(stored, Some(provider)).unwrap().apply(), expected(stored).0, "{file}");
        for other in Provider::ALL.into_iter().filter(|other| *other != provider) {
            let repair = fix(stored, Some(other)).unwrap();
            assert!(repair.edits.len() < expected(stored).1, "{file} as {other}");
        }
    }
    let gemini_as_openai = fix(&fixtures["gemini.json"], Some(Provider::OpenAi)).unwrap();
    assert!(gemini_as_openai.is_empty());
    let left = gemini_as_openai.notes.iter().filter(|note| note.remark.kind() == "elsewhere");
    assert_eq!(left.map(|note| note.times).sum::<usize>(), 4, "each place is told of");
}

#[test]
fn every_edit_says_where() {
    let stored = &fixtures()["openai_chat.json"];
    let repair = fix(stored, None).unwrap();
    let fields: Vec<&str> = repair.edits.iter().map(|edit| edit.place.field.as_str()).collect();
    assert_eq!(
        fields,
        [
            "messages[2].tool_calls[0].function.name",
            "messages[2].tool_calls[2].custom.name",
            "messages[3].name",
            "messages[4].function_call.name",
            "messages[5].name",
            "tools[0].function.name",
            "tools[2].custom.name",
            "functions[0].name",
            "function_call.name",
            "tool_choice.function.name",
        ]
    );
    for edit in &repair.edits {
        let Change::Renamed { old, new } = &edit.change else { panic!("{edit:?}") };
        let line = stored.lines().nth(edit.place.line - 1).unwrap();
        let from_column: String = line.chars().skip(edit.place.column - 1).collect();
        assert!(from_column.starts_with(old.as_str()), "{edit:?} in {line}");
        assert_eq!((&stored[edit.span.clone()], new), (old.as_str(), &history_name(old)));
    }
}

#[test]
fn escapes_resolve_and_both_of_two_keys_count() {
    let stored = "{\"m\\u0065ssages\":[{\"role\":\"tool\",\"name\":\"mcp__a\\u002eb__c\",\"name\":\"mcp__a.b__c\",\"x\":\"\\u002e\"}]}";
    let repair = fix(stored, None).unwrap();
    let new = history_name("mcp__a.b__c");
    let fixed = stored.replace("mcp__a\\u002eb__c", &new).replace("mcp__a.b__c", &new);
    assert_eq!(repair.apply(), fixed);
    assert_eq!(remarks(&repair), [""; 0], "one name, spelled twice");
}

#[test]
fn half_a_surrogate_pair_is_made_legal_as_well() {
    let stored = r#"{"\ud800":1,"tools":[{"name":"mcp__s__a\ud800b","input_schema":{}},{"name":"\ud800","input_schema":{}}]}"#;
    let repair = fix(stored, None).unwrap();
    assert_eq!(repair.apply(), stored.replacen(r"mcp__s__a\ud800b", "mcp__s__a_b_07cjc45", 1));
    assert_eq!(remarks(&repair), ["refused"]);
}

#[test]
fn names_that_were_cut_stay_and_are_told_of() {
    let raw = format!("mcp__{}__{}", "k".repeat(40), "t".repeat(40));
    let cut = legacy_spelling(&raw);
    let stored = format!(
        r#"{{"messages":[{{"role":"assistant","tool_calls":[{{"function":{{"name":"{cut}"}}}},{{"function":{{"name":"{cut}"}}}}]}}]}}"#
    );
    let repair = fix(&stored, None).unwrap();
    assert!(repair.is_empty());
    let [note] = &repair.notes[..] else { panic!("{:?}", repair.notes) };
    assert_eq!((note.times, &note.remark), (2, &Remark::Cut { name: cut }));
    assert_eq!(note.place.field, "messages[0].tool_calls[0].function.name");
    assert_eq!(note.place.column, stored.find("mcp__").unwrap() + 1);
}

#[test]
fn illegal_names_of_others_stay_and_are_told_of() {
    let stored = r#"{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"get.weather"}},{"function":{"name":"fine"}},{"function":{"name":""}}]}],"tools":[{"name":"a b","input_schema":{}}]}"#;
    let repair = fix(stored, None).unwrap();
    assert!(repair.is_empty());
    assert_eq!(remarks(&repair), ["refused"; 3]);
    let said: Vec<String> = repair.notes.iter().map(|note| note.remark.to_string()).collect();
    assert!(
        said[0].contains("`get.weather`") && said[0].contains("OpenAI would refuse"),
        "{said:?}"
    );
    assert!(said[2].contains("`a b`") && said[2].contains("Anthropic would refuse"), "{said:?}");

    let gemini = r#"{"contents":[{"parts":[{"functionCall":{"name":"get.weather"}},{"functionCall":{"name":"1st"}}]}]}"#;
    let repair = fix(gemini, None).unwrap();
    assert_eq!(repair.notes.len(), 1, "a dot is fine there: {:?}", repair.notes);
    assert_eq!(repair.notes[0].remark.name(), Some("1st"));
}

/// A provider of a place that several share is not said to refuse what the other takes.
#[test]
fn what_one_of_two_possible_providers_takes_is_not_refused() {
    let name = "x".repeat(100);
    let shared =
        format!(r#"{{"tools":[{{"type":"custom","name":"{name}","input_schema":{{}}}}]}}"#);
    assert_eq!(remarks(&fix(&shared, None).unwrap()), [""; 0]);
    assert_eq!(remarks(&fix(&shared, Some(Provider::OpenAi)).unwrap()), ["refused"]);
}

#[test]
fn two_names_that_become_one_are_told_of() {
    let (first, other) = ("mcp__foo.bar__evil", history_name("mcp__foo.bar__evil"));
    let stored = format!(
        r#"{{"messages":[{{"role":"assistant","content":[{{"type":"tool_use","name":"{other}"}},{{"type":"tool_use","name":"{first}"}}]}}]}}"#
    );
    let repair = fix(&stored, None).unwrap();
    assert_eq!(repair.edits.len(), 1);
    assert_eq!(remarks(&repair), ["merged"]);
    let note = &repair.notes[0];
    assert_eq!(note.place.field, "messages[0].content[1].name");
    assert!(note.remark.to_string().contains("stands here as well"), "{}", note.remark);
}

/// Two names of data/vectors/normalize.jsonl, group hash53, with one hash.
#[test]
fn twins_of_the_hash_are_told_of_and_their_definitions_stay() {
    let (first, other) = ("mcp__foo.bar__e;v'i l@e)v;i$", "mcp__foo.bar__e[v i&l#e+v@i+");
    let name = "mcp__foo_bar__e_v_i_l_e_v_i__0oswl4o";
    let stored = format!(
        r#"{{"tools":[{{"name":"{first}","input_schema":{{}},"description":"1"}},{{"name":"{other}","input_schema":{{}},"description":"2"}}]}}"#
    );
    let repair = fix(&stored, None).unwrap();
    assert_eq!(repair.apply(), stored.replace(first, name).replace(other, name));
    assert_eq!(remarks(&repair), ["defined-twice", "merged"]);
    let said = repair.notes[1].remark.to_string();
    assert!(
        said.contains(first) && said.contains(other) && said.contains("two names before"),
        "{said}"
    );
    assert!(fix(&repair.apply(), None).unwrap().is_empty(), "nothing is taken out of what differs");
}

/// Cases c043 and c048 of data/cases/reports.jsonl: a snapshot and the live server both gave definitions.
#[test]
fn a_definition_that_says_the_same_twice_stands_once() {
    let one = r#"{"name":"mcp__search__web","input_schema":{"type":"object"}}"#;
    let other = r#"{"name":"mcp__atlassian__getPage","input_schema":{}}"#;
    let stored =
        format!("{{\"tools\":[ {one} ,\n  {other},\n  {one},{one} , {other} ],\"messages\":[]}}");
    let repair = fix(&stored, None).unwrap();
    assert_eq!(repair.apply(), format!("{{\"tools\":[ {one} ,\n  {other} ],\"messages\":[]}}"));
    let removed: Vec<(&str, &str)> = repair
        .edits
        .iter()
        .map(|edit| match &edit.change {
            Change::Removed { name } => (edit.place.field.as_str(), name.as_str()),
            renamed @ Change::Renamed { .. } => panic!("{renamed:?}"),
        })
        .collect();
    assert_eq!(
        removed,
        [
            ("tools[2]", "mcp__search__web"),
            ("tools[3]", "mcp__search__web"),
            ("tools[4]", "mcp__atlassian__getPage")
        ]
    );
    assert_eq!(repair.edits[0].place.line, 3);
    assert!(fix(&repair.apply(), None).unwrap().is_empty());
}

/// `mcp__a_b__c_0pdctjb` is what `mcp__a.b__c` becomes, and may be another tool's name all the same.
#[test]
fn definitions_that_only_a_change_of_name_makes_equal_stay_and_are_told_of() {
    let (old, new) = ("mcp__a.b__c", history_name("mcp__a.b__c"));
    let definition = |name: &str| {
        format!(r#"{{"type":"function","function":{{"name":"{name}","parameters":{{}}}}}}"#)
    };
    for (first, second) in [(old, new.as_str()), (new.as_str(), old)] {
        let call = r#"{"role":"assistant","tool_calls":[{"function":{"name":"NAME"}}]}"#;
        let stored = format!(
            r#"{{"tools":[{},{}],"messages":[{}]}}"#,
            definition(first),
            definition(second),
            call.replace("NAME", old)
        );
        let repair = fix(&stored, None).unwrap();
        let fixed = stored.replace(&call.replace("NAME", old), &call.replace("NAME", &new));
        assert_eq!(repair.apply(), fixed, "only the call is renamed");
        let told = repair.notes.iter().find(|note| note.remark.kind() == "maybe-twice").unwrap();
        assert_eq!(told.remark, Remark::MaybeTwice { name: old.to_owned(), legal: new.clone() });
        assert_eq!(told.place.field, format!("tools[{}]", usize::from(second == old)));
        let again = fix(&fixed, None).unwrap();
        assert!(again.is_empty(), "{:?}", again.edits);
        assert_eq!(remarks(&again), ["maybe-twice"]);
    }
    let thrice =
        format!(r#"{{"tools":[{},{},{}]}}"#, definition(old), definition(old), definition(&new));
    let repair = fix(&thrice, None).unwrap();
    assert_eq!(
        repair.apply(),
        format!(r#"{{"tools":[{},{}]}}"#, definition(old), definition(&new)),
        "what is stored twice with one name goes"
    );
    assert_eq!(remarks(&repair), ["maybe-twice"]);
}

/// Twins of the hash that say the same: both names stay, since afterwards nobody could tell that they were two.
#[test]
fn definitions_of_two_old_names_that_would_be_one_stay() {
    let (first, other) = ("mcp__foo.bar__e;v'i l@e)v;i$", "mcp__foo.bar__e[v i&l#e+v@i+");
    let stored = format!(
        r#"{{"tools":[{{"name":"{first}","input_schema":{{}}}},{{"name":"{other}","input_schema":{{}}}}]}}"#
    );
    let repair = fix(&stored, None).unwrap();
    assert!(repair.is_empty(), "{:?}", repair.edits);
    assert_eq!(remarks(&repair), ["maybe-twice"; 2]);
}

/// Much else than a request has a list of tools.
#[test]
fn a_list_of_tools_alone_is_no_request() {
    for stored in [
        r#"{"mcpServers":{"a":{}},"tools":[{"name":"mcp__a.b__c"},{"name":"mcp__a.b__c"}]}"#,
        r#"{"mcpServers":{"a":{}},"tools":[{"name":"mcp__a.b__c","input_schema":{}}]}"#,
        r#"{"jsonrpc":"2.0","result":{"tools":[{"name":"mcp__a.b__c","inputSchema":{}}]}}"#,
        r#"{"functions":[{"name":"mcp__a.b__c","runtime":"x"}]}"#,
    ] {
        let repair = fix(stored, None).unwrap();
        assert_eq!(repair.apply(), stored);
        assert_eq!(remarks(&repair), ["unknown-shape", "elsewhere"], "{stored}");
    }
    for stored in [
        r#"{"tools":[{"name":"mcp__a.b__c","input_schema":{}}]}"#,
        r#"{"messages":[],"tools":[{"name":"mcp__a.b__c"}]}"#,
        r#"{"mcpServers":{},"messages":[],"tools":[{"type":"custom","name":"mcp__a.b__c"}]}"#,
        r#"{"functions":[{"name":"mcp__a.b__c","parameters":{}}]}"#,
        r#"{"mcpServers":{},"history":{"tools":[{"name":"mcp__a.b__c","input_schema":{}}]}}"#,
    ] {
        assert_eq!(fix(stored, None).unwrap().edits.len(), 1, "{stored}");
    }
}

#[test]
fn definitions_of_one_name_that_differ_stay_and_are_told_of() {
    let stored = r#"{"tools":[{"functionDeclarations":[{"name":"a","description":"1"},{"name":"a","description":"2"},{"name":"b"}]},{"googleSearch":{}},{"googleSearch":{}}]}"#;
    let repair = fix(stored, None).unwrap();
    assert!(repair.is_empty());
    assert_eq!(remarks(&repair), ["defined-twice"]);
    assert_eq!(repair.notes[0].place.field, "tools[0].functionDeclarations[1]");
}

/// Case c056: the definition and the stored call are renamed alike.
#[test]
fn definition_call_and_result_stay_one() {
    let long = "mcp__azure-subscription-management__resource_health_list_service_events";
    let stored = format!(
        r#"{{"tools":[{{"type":"function","function":{{"name":"{long}"}}}}],"messages":[{{"role":"assistant","tool_calls":[{{"id":"1","function":{{"name":"{long}"}}}}]}},{{"role":"tool","tool_call_id":"1","name":"{long}"}}]}}"#
    );
    assert_eq!(long.len(), 71);
    assert_eq!(fix(&stored, None).unwrap().apply(), stored.replace(long, &provider_name(long)));
}

#[test]
fn unknown_shapes_stay_and_are_told_of_once() {
    let stored = "{\"x\":{\"name\":\"mcp__a.b__c\"}}\n7\n\"mcp__a.b__c d\"\n";
    let repair = fix(stored, None).unwrap();
    assert_eq!(repair.apply(), stored);
    assert_eq!(remarks(&repair), ["unknown-shape", "elsewhere"]);
    assert_eq!((repair.documents, repair.notes[0].times), (3, 3));
    assert_eq!((repair.notes[1].place.line, repair.notes[1].place.column), (1, 15));
    for known in ["[]", r#"{"messages":[]}"#, r#"{"role":"user","content":"x"}"#] {
        assert_eq!(remarks(&fix(known, None).unwrap()), [""; 0], "{known}");
    }
}

#[test]
fn what_is_no_json_has_a_place() {
    let NotJson { line, column, lines, .. } = broken("{\"é\":\n  [1, é]}");
    assert_eq!((line, column, lines), (2, 7, false));
    let NotJson { line, column, lines, .. } = broken("{}\n\n  {\"messages\":[é]}\n{}");
    assert_eq!((line, column, lines), (3, 16, true));
    let NotJson { line, column, .. } = broken("\u{feff}{\"a\":}");
    assert_eq!((line, column), (1, 6));
    assert!(!broken("{\"messages\":[").lines, "one document that was cut off");
    assert!(!broken("{\n \"a\": {}\n \"b\": 1\n}").lines, "one document with a comma missing");
    assert!(broken("{\"a\":1\n{\"a\":1}\n").lines, "the first of several lines is broken");
    assert!(fix("{\"a\":1e}", None).unwrap_err().remedy().contains("one on each line"));
}

struct NotJson {
    line: usize,
    column: usize,
    lines: bool,
}

fn broken(text: &str) -> NotJson {
    let HistoryError::NotJson { line, column, lines, what } = fix(text, None).unwrap_err();
    assert!(!what.is_empty() && !what.contains(" at line "), "{what}");
    NotJson { line, column, lines }
}

#[test]
fn blank_text_holds_nothing() {
    for text in ["", " \r\n\t", "\u{feff}"] {
        let repair = fix(text, None).unwrap();
        assert_eq!((repair.documents, repair.apply().as_ref()), (0, text));
    }
}

#[test]
fn a_byte_order_mark_and_line_ends_stay() {
    let line = r#"{"role":"tool","name":"mcp__a.b__c"}"#;
    let stored = format!("\u{feff}{line}\r\n \r\n{line}\r\n");
    let repair = fix(&stored, None).unwrap();
    assert_eq!(repair.apply(), stored.replace("mcp__a.b__c", &history_name("mcp__a.b__c")));
    let places: Vec<_> = repair.edits.iter().map(|e| (e.place.line, e.place.column)).collect();
    assert_eq!(places, [(1, 24), (3, 24)]);
}

#[test]
fn depth_costs_neither_the_stack_nor_time_beyond_the_size() {
    let deep = 200_000;
    for (open, close) in
        [("[", "]"), (r#"{"messages":"#, "}"), (r#"{"body":"#, "}"), (r#"{"content":["#, "]}")]
    {
        let text = format!("{}1{}", open.repeat(deep), close.repeat(deep));
        assert!(fix(&text, None).unwrap().is_empty());
        assert!(fix(&open.repeat(deep), None).is_err());
        let inside = format!(
            r#"{{"messages":[{{"role":"user","content":{text}}}],"tools":[{{"name":"mcp__a.b__c","input_schema":{text}}}]}}"#
        );
        assert_eq!(fix(&inside, None).unwrap().edits.len(), 1);
    }
}
