//! What is moved and what is left, spelling by spelling.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

use callsign::{ServerKey, ToolId};
use callsign_migrate::{Plan, Reason, Scan, Spelling, unified};

fn tools(tools: &[(&str, &str)]) -> Vec<ToolId> {
    tools.iter().map(|(server, wire)| ToolId::parse(server, wire).expect("an identity")).collect()
}

fn plan(fleet: &[(&str, &str)], from: &str, to: &str) -> Plan {
    let tools = tools(fleet);
    let spelling = |id| Spelling::by_id(id, &tools).expect("a spelling");
    Plan::new(&tools, &[], &spelling(from), &spelling(to))
}

fn moved(plan: &Plan, text: &str) -> String {
    String::from_utf8(plan.scan(text.as_bytes()).rewrite(text.as_bytes())).expect("UTF-8")
}

/// What is left, as `text: reason`.
fn left(plan: &Plan, text: &str) -> Vec<String> {
    let Scan { left, .. } = plan.scan(text.as_bytes());
    left.iter().map(|l| format!("{}: {}", &text[l.start..l.end], l.reason.kind())).collect()
}

const FLEET: &[(&str, &str)] = &[
    ("github", "search"),
    ("github", "get_issue"),
    ("github", "get_me"),
    ("files", "search"),
    ("files", "read_file"),
];

#[test]
fn names_move_between_spellings_and_back() {
    for (spelling, expected) in [
        ("provider-safe", "use mcp__github__get_issue, then mcp__files__read_file."),
        ("prefixed", "use github__get_issue, then files__read_file."),
        ("claude-code", "use mcp__github__get_issue, then mcp__files__read_file."),
        ("gemini-cli", "use mcp_github_get_issue, then mcp_files_read_file."),
        ("opencode", "use github_get_issue, then files_read_file."),
        ("goose", "use github__get_issue, then files__read_file."),
        ("crush", "use mcp_github_get_issue, then mcp_files_read_file."),
        ("roo-code", "use mcp--github--get_issue, then mcp--files--read_file."),
        ("zed", "use mcp:github:get_issue, then mcp:files:read_file."),
        ("amazon-q", "use @github/get_issue, then @files/read_file."),
        ("cursor", "use github:get_issue, then files:read_file."),
        ("cursor-cli", "use Mcp(github:get_issue), then Mcp(files:read_file)."),
        ("copilot-cli", "use github-get_issue, then files-read_file."),
        ("librechat", "use get_issue_mcp_github, then read_file_mcp_files."),
    ] {
        let text = "use mcp__github__get_issue, then mcp__files__read_file.";
        let there = plan(FLEET, "qualified", spelling);
        assert_eq!(moved(&there, text), expected, "{spelling}");
        assert_eq!(moved(&there, expected), expected, "{spelling} is moved twice");
        assert_eq!(moved(&plan(FLEET, spelling, "qualified"), expected), text, "{spelling}");
    }
}

#[test]
fn the_longest_name_wins_and_parts_of_words_are_not_names() {
    let fleet = [("a", "b"), ("a", "b_c"), ("a", "b.c")];
    let plan = plan(&fleet, "raw", "roo-code");
    assert_eq!(
        moved(&plan, "mcp__a__b_c mcp__a__b mcp__a__b_d"),
        "mcp--a--b_c mcp--a--b mcp__a__b_d"
    );
    assert_eq!(
        moved(&plan, "mcp__a__b.d mcp__a__b. mcp__a__bc"),
        "mcp__a__b.d mcp--a--b. mcp__a__bc"
    );
    assert_eq!(
        left(&plan, "mcp__a__b.d x/mcp__a__b xmcp__a__b"),
        ["mcp__a__b: neighbour", "mcp__a__b: neighbour"]
    );
    // Two tools would be `mcp--a--bc`, so this one is none of them.
    assert_eq!(left(&plan, "mcp__a__b.c"), Vec::<String>::new());
    assert_eq!(moved(&plan, "mcp__a__b.c"), "mcp--a--bc");
}

#[test]
fn what_two_tools_are_called_is_left_with_both() {
    let fleet = [("a", "b__c"), ("a__b", "c"), ("a", "d")];
    let plan = plan(&fleet, "qualified", "opencode");
    let text = "mcp__a__b__c and mcp__a__d";
    assert_eq!(moved(&plan, text), "mcp__a__b__c and a_d");
    let scan = plan.scan(text.as_bytes());
    let claimants: Vec<String> =
        scan.left[0].reason.claimants().iter().map(ToString::to_string).collect();
    assert_eq!(claimants, ["`b__c` of server `a`", "`c` of server `a__b`"]);
}

#[test]
fn a_tool_that_reads_like_a_whole_server_is_left() {
    let fleet = [("a", "b"), ("a__b", "c")];
    let plan = plan(&fleet, "qualified", "roo-code");
    assert_eq!(left(&plan, "mcp__a__b"), ["mcp__a__b: ambiguous"]);
    assert_eq!(moved(&plan, "mcp__a__b__c"), "mcp--a__b--c");
}

#[test]
fn new_names_that_are_illegal_or_shared_are_refused() {
    let fleet = [("a b", "c"), ("a_b", "c"), ("a", "x.y")];
    let to_opencode = plan(&fleet, "raw", "opencode");
    assert_eq!(
        left(&to_opencode, "mcp__a b__c mcp__a_b__c"),
        ["mcp__a b__c: shared", "mcp__a_b__c: shared"]
    );
    let to_qualified = plan(&fleet, "amazon-q", "qualified");
    assert_eq!(
        left(&to_qualified, "\"@a/x.y\" \"@a b/c\""),
        ["@a/x.y: unwritable", "@a b/c: unwritable"]
    );
    assert_eq!(moved(&to_qualified, "\"@a_b/c\""), "\"mcp__a_b__c\"");
}

#[test]
fn a_new_name_that_is_another_tools_old_one_is_refused() {
    let fleet = [("a", "b"), ("s", "a_b")];
    let plan = plan(&fleet, "bare", "opencode");
    assert_eq!(left(&plan, "`b` `a_b`"), ["b: taken"]);
    assert_eq!(moved(&plan, "`b` `a_b`"), "`b` `s_a_b`");
}

#[test]
fn names_without_a_server_count_only_where_they_are_set_apart() {
    let fleet = [("github", "search"), ("files", "read_file")];
    let back = plan(&fleet, "qualified", "bare");
    let there = plan(&fleet, "bare", "qualified");
    let text = "Call `search` or \"read_file\". To search, research.";
    let new = "Call `mcp__github__search` or \"mcp__files__read_file\". To search, research.";
    assert_eq!(moved(&there, text), new);
    assert_eq!(there.scan(text.as_bytes()).words, 1);
    assert_eq!(moved(&back, new), text);
    assert_eq!(left(&back, "then mcp__github__search it"), ["mcp__github__search: word"]);
    assert_eq!(
        moved(&there.with_words(), "search and research"),
        "mcp__github__search and research"
    );
    assert_eq!(moved(&back.with_words(), "then mcp__github__search it"), "then search it");
}

#[test]
fn a_bare_name_of_two_servers_is_left() {
    let plan = plan(FLEET, "bare", "qualified");
    assert_eq!(left(&plan, "`search`, `get_me`, to search"), ["search: ambiguous"]);
    assert_eq!(moved(&plan, "`get_me`"), "`mcp__github__get_me`");
}

#[test]
fn patterns_move_where_they_cover_the_same_tools() {
    for (to, text, expected) in [
        ("roo-code", "mcp__github__*", "mcp--github--*"),
        ("roo-code", "mcp__github", "mcp--github"),
        ("roo-code", "\"mcp__github__get_*\"", "\"mcp--github--get_*\""),
        ("roo-code", "mcp__*", "mcp--*"),
        ("roo-code", "the prefix mcp__github__ is", "the prefix mcp--github-- is"),
        ("roo-code", "^mcp__github__.*$", "^mcp--github--.*$"),
        ("opencode", "mcp__github__*", "github_*"),
        ("amazon-q", "`mcp__github`", "`@github`"),
        ("cursor-cli", "'mcp__github__*'", "'Mcp(github:*)'"),
        ("provider-safe", "mcp__github__* mcp__github mcp__*", "mcp__github__* mcp__github mcp__*"),
    ] {
        let plan = plan(FLEET, "qualified", to);
        assert_eq!(moved(&plan, text), expected, "{to}");
        assert_eq!(left(&plan, text), Vec::<String>::new(), "{to}");
        assert_eq!(moved(&plan, expected), expected, "{to}: moved twice");
    }
    for (from, text, expected) in [
        ("opencode", "\"github_*\": \"ask\"", "\"mcp__github__*\": \"ask\""),
        ("cursor-cli", "\"Mcp(github:get_*)\"", "\"mcp__github__get_*\""),
        ("roo-code", "mcp--github", "mcp__github"),
    ] {
        assert_eq!(moved(&plan(FLEET, from, "qualified"), text), expected, "{from}");
    }
}

#[test]
fn patterns_that_can_not_be_moved_exactly_are_left() {
    let plan = plan(FLEET, "qualified", "opencode");
    for (text, expected) in [
        ("mcp__github", "mcp__github: no-server-name"),
        ("mcp__*", "mcp__*: covers-several"),
        ("mcp__*__search", "mcp__*__search: form"),
        ("mcp__github__*_me", "mcp__github__*: form"),
        ("mcp__github__put_*", "mcp__github__put_*: covers-nothing"),
        ("mcp__github__delete_me", "mcp__github__delete_me: unknown-tool"),
        ("`mcp__github__${tool}`", "mcp__github__: template"),
    ] {
        assert_eq!(left(&plan, text), [expected], "{text}");
        assert_eq!(moved(&plan, text), text);
    }
}

#[test]
fn a_pattern_that_reaches_a_neighbour_is_left() {
    let fleet = [("foo", "x"), ("foo__bar", "y"), ("git", "x"), ("git_lab", "x")];
    let from_qualified = plan(&fleet, "qualified", "roo-code");
    assert_eq!(left(&from_qualified, "mcp__foo__*"), ["mcp__foo__*: covers-several"]);
    assert_eq!(moved(&from_qualified, "mcp__foo__bar__*"), "mcp--foo__bar--*");
    // `git_*` would also cover git_lab's tools.
    let to_opencode = plan(&fleet, "qualified", "opencode");
    assert_eq!(left(&to_opencode, "mcp__git__*"), ["mcp__git__*: no-pattern"]);
}

#[test]
fn what_may_belong_to_a_server_that_is_not_known_is_left() {
    let tools = tools(&[("a", "b__c"), ("a", "d")]);
    let spelling = |id| Spelling::by_id(id, &tools).expect("a spelling");
    let unknown = [ServerKey::new("a__b").expect("a key")];
    let plan = Plan::new(&tools, &unknown, &spelling("qualified"), &spelling("roo-code"));
    assert_eq!(left(&plan, "mcp__a__b__c"), ["mcp__a__b__c: ambiguous"]);
    assert_eq!(left(&plan, "mcp__a__*"), ["mcp__a__*: covers-several"]);
    assert_eq!(left(&plan, "mcp__a__b__other"), Vec::<String>::new());
    assert_eq!(moved(&plan, "mcp__a__d"), "mcp--a--d");
}

#[test]
fn names_that_are_too_long_move_to_where_they_fit() {
    let wire = "a".repeat(60);
    let plan = plan(&[("server", &wire)], "qualified", "provider-safe");
    let old = format!("mcp__server__{wire}");
    let new = moved(&plan, &old);
    assert!(new.len() == 63 && new.starts_with("mcp__server__aaa"), "{new}");
    assert_eq!(left(&plan, &new), Vec::<String>::new(), "and are not taken for a tool nobody has");
}

#[test]
fn every_byte_around_an_edit_stays() {
    let plan = plan(FLEET, "qualified", "opencode");
    let text = b"\xef\xbb\xbf// \xff\xfe mcp__github__get_me\r\n\tmcp__github__get_me \xe9\r\n\0";
    let new = plan.scan(text).rewrite(text);
    assert_eq!(new, b"\xef\xbb\xbf// \xff\xfe github_get_me\r\n\tgithub_get_me \xe9\r\n\0");
}

#[test]
fn the_diff_shows_lines_around_changes_and_joins_what_is_near() {
    let plan = plan(FLEET, "qualified", "opencode");
    let lines: Vec<String> = (1..=20)
        .map(|number| match number {
            2 | 3 | 20 => format!("{number} mcp__github__get_me"),
            _ => number.to_string(),
        })
        .collect();
    let text = lines.join("\n");
    let diff = unified("./a b.md".as_ref(), text.as_bytes(), &plan.scan(text.as_bytes()));
    let expected = "--- a/a b.md\t\n+++ b/a b.md\t\n@@ -1,6 +1,6 @@\n 1\n-2 mcp__github__get_me\n\
        -3 mcp__github__get_me\n+2 github_get_me\n+3 github_get_me\n 4\n 5\n 6\n\
        @@ -17,4 +17,4 @@\n 17\n 18\n 19\n-20 mcp__github__get_me\n\\ No newline at end of file\n\
        +20 github_get_me\n\\ No newline at end of file\n";
    assert_eq!(String::from_utf8_lossy(&diff), expected);
    assert!(unified("a".as_ref(), b"nothing", &plan.scan(b"nothing")).is_empty());
}

#[test]
fn reasons_say_what_would_happen() {
    let plan = plan(&[("a", "x.y")], "raw", "qualified");
    let scan = plan.scan(b"'mcp__a__x.y'");
    let Reason::Unwritable { spelling, .. } = &*scan.left[0].reason else {
        panic!("{:?}", scan.left);
    };
    assert_eq!(spelling, "mcp__a__x.y");
    let said = scan.left[0].reason.to_string();
    assert!(said.contains("`x.y` of server `a`") && said.contains("U+002E"), "{said}");
}

/// Each of many words in one line is judged by what stands next to it, not by the whole line.
#[test]
fn a_long_line_of_words_takes_time_in_proportion() {
    let plan = plan(&[("github", "search")], "bare", "qualified");
    for filler in ["1", " ", "-", "x"] {
        let text = [filler.repeat(200_000), " search".repeat(100_000)].concat();
        let begun = std::time::Instant::now();
        let scan = plan.scan(text.as_bytes());
        assert!(begun.elapsed().as_secs() < 20, "{filler:?}: {:?}", begun.elapsed());
        assert_eq!(scan.words + scan.edits.len(), 100_000);
    }
    assert_eq!(
        moved(&plan, "2. search\n  - search\n"),
        "2. mcp__github__search\n  - mcp__github__search\n"
    );
}
