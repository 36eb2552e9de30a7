//! Lists that repeat, never end, or hold what no list may hold.

mod support;

use std::collections::BTreeSet;
use std::fs;

use callsign_testkit::{BIG_NUMBERS, MALFORMED_LISTS, MALFORMED_TOOLS, UNKNOWN_FIELDS};
use support::{CALL, INITIALIZE, INITIALIZED, LIST, Server, json};

type Page = (Vec<String>, Option<String>);

fn page(names: &[&str], next: Option<&str>) -> Page {
    (names.iter().map(|name| (*name).to_owned()).collect(), next.map(Into::into))
}

#[test]
fn a_name_is_listed_twice() {
    let cases: [(&[&str], &[&[&str]]); 4] = [
        (&["--duplicate", "a"], &[&["a", "b", "c", "a"]]),
        (&["--duplicate", "a", "--page-size", "2"], &[&["a", "b", "a"], &["c"]]),
        (&["--duplicate-next-page", "a", "--page-size", "2"], &[&["a", "b"], &["c", "a"]]),
        (&["--duplicate-next-page", "c", "--page-size", "2"], &[&["a", "b"], &["c"], &["c"]]),
    ];
    for (flags, expected) in cases {
        let mut server = Server::initialized(&[&["--tools", "a,b,c"], flags].concat());
        let mut cursor = None;
        let mut pages = Vec::new();
        loop {
            let (names, next) = server.names(cursor.as_deref());
            pages.push(names);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages, expected, "{flags:?}");
    }
}

#[test]
fn the_second_definition_differs() {
    let mut server = Server::initialized(&["--duplicate", "echo"]);
    let list = json(&server.ask(LIST));
    let descriptions: BTreeSet<_> =
        [0, 1].map(|place| list["result"]["tools"][place]["description"].to_string()).into();
    assert_eq!(descriptions.len(), 2);
}

#[test]
fn an_empty_cursor_is_a_cursor() {
    let mut server = Server::initialized(&["--tools", "a,b", "--page-size", "1", "--empty-cursor"]);
    assert_eq!(server.names(None), page(&["a"], Some("")));
    assert_eq!(server.names(Some("")), page(&["b"], None));
}

#[test]
fn cursors_never_end() {
    let mut server = Server::initialized(&["--endless-cursor"]);
    let (mut seen, mut cursor) = (BTreeSet::new(), None);
    for number in 0..500 {
        let (names, next) = server.names(cursor.as_deref());
        let expected = if number == 0 { "echo".into() } else { format!("endless_{number}") };
        assert_eq!(names, [expected]);
        cursor = next;
        assert!(seen.insert(cursor.clone().expect("a further page")), "cursors must differ");
    }
    let called = server.ask(&CALL.replace("echo", "endless_9000"));
    assert!(called.contains("testkit:endless_9000"), "{called}");
}

#[test]
fn cursors_repeat() {
    let mut server =
        Server::initialized(&["--repeat-cursor", "--tools", "a,b", "--page-size", "1"]);
    assert_eq!(server.names(None), page(&["a"], Some("again")));
    for _ in 0..3 {
        assert_eq!(server.names(Some("again")), page(&["b"], Some("again")));
    }
}

#[test]
fn every_malformed_tool_stands_among_good_ones() {
    assert!(MALFORMED_TOOLS.len() > 20);
    for malformed in MALFORMED_TOOLS {
        let mut server =
            Server::initialized(&["--tools", "good,better", "--malformed", malformed.kind]);
        let list = server.ask(LIST);
        let (before, after) = list.split_once(malformed.json).expect(malformed.kind);
        assert!(before.contains(r#""name":"good""#), "{}", malformed.kind);
        assert!(after.starts_with(r#",{"name":"better""#), "{}", malformed.kind);
    }
}

#[test]
fn malformed_tools_add_up() {
    let kinds = ["no-name", "null-tool", "empty-name"];
    let flags: Vec<&str> = kinds.iter().flat_map(|kind| ["--malformed", kind]).collect();
    let mut server = Server::initialized(&[&["--tools", "a,b"], &flags[..]].concat());
    assert_eq!(server.names(None), page(&["a", "?", "?", "", "b"], None));
}

#[test]
fn every_malformed_list_is_sent_as_it_is() {
    for (kind, result) in MALFORMED_LISTS {
        let mut server = Server::initialized(&["--malformed-list", kind]);
        let list = server.ask(LIST);
        assert!(list.contains(&format!(r#""result":{result}}}"#)), "{kind}: {list}");
    }
}

#[test]
fn unknown_fields_and_big_numbers_are_everywhere() {
    for (flag, text) in [("--unknown-fields", UNKNOWN_FIELDS), ("--big-numbers", BIG_NUMBERS)] {
        let mut server = Server::start(&[flag]);
        // Capabilities, server info, result, message; property, schema, annotations, tool, result, message; …
        for (request, places) in [(INITIALIZE, 4), (LIST, 6), (CALL, 3)] {
            let answer = server.ask(request);
            assert_eq!(answer.matches(text).count(), places, "{flag}: {answer}");
        }
    }
    let mut server = Server::initialized(&["--big-numbers"]);
    assert!(server.ask(LIST).contains(r#""maximum":18446744073709551616"#));
}

#[test]
fn a_file_of_names_changes_the_list_and_announces_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("names");
    fs::write(&file, "one\ntwo\n").expect("written");
    let mut server = Server::initialized(&["--tools-file", file.to_str().expect("utf-8")]);
    assert_eq!(server.names(None), page(&["one", "two"], None));
    fs::write(folder.path().join("next"), "two\nthree\n").expect("written");
    fs::rename(folder.path().join("next"), &file).expect("replaced");
    assert!(server.line().contains("notifications/tools/list_changed"));
    assert_eq!(server.names(None), page(&["two", "three"], None));
    assert!(server.ask(&CALL.replace("echo", "one")).contains("unknown tool"));
}

#[test]
fn announcements_come_all_at_once() {
    let mut server = Server::start(&["--list-changed", "200"]);
    server.ask(INITIALIZE);
    assert!(server.is_silent());
    server.send(INITIALIZED);
    for _ in 0..200 {
        assert!(server.line().contains("notifications/tools/list_changed"));
    }
    assert!(server.is_silent());
}

#[test]
fn announcements_come_after_the_first_list_only() {
    let mut server = Server::initialized(&["--list-changed", "3:list"]);
    assert!(server.is_silent());
    server.ask(LIST);
    for _ in 0..3 {
        assert!(server.line().contains("notifications/tools/list_changed"));
    }
    server.ask(LIST);
    assert!(server.is_silent());
}
