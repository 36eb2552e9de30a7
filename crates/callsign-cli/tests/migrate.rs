//! `callsign migrate`: files as people have them, moved from one spelling to another.

#![allow(clippy::expect_used, clippy::panic, reason = "a test that can't go on has failed")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::{Outcome, Sandbox, array, column};

/// A project whose prompts, rules, agents and code speak of two servers' tools.
struct Project(Sandbox);

const PROMPT: &str = "# Working on this project\r\n\r\n\
    - Look for issues with `mcp__github__search_issues`, then read them with mcp__github__get_issue.\r\n\
    - **mcp__files__read_file:** reads; never `rm`. See docs/mcp__files__read_file.md.\r\n\
    - Do not confuse it with `mcp__files__read_file_lines` or xmcp__files__read_file.\r\n";

const SETTINGS: &str = "{\n  // what runs without asking\n  \"permissions\": {\n    \"allow\": [\n      \
    \"mcp__github__get_issue\", /* one */ \"mcp__github__search_*\",\n      \"mcp__files__*\",\n    ],\n    \
    \"deny\":   [ \"mcp__github__merge_pull\" ]  // never\n  },\n}\n";

const AGENT: &str = "---\nname: triage\ndescription: \"Sorts issues with mcp__github__search_issues.\"\n\
    tools: Read, mcp__github__search_issues, mcp__github__get_issue\n---\n\nSort them.\n";

const OPENCODE: &str = "{\n\t\"permission\": {\n\t\t\"mcp__github__*\": \"ask\", // all of it\n\t\t\"mcp__files__read_file\": \"allow\"\n\t}\n}\n";

const TYPESCRIPT: &str = "const prompt = \"Use:\\nmcp__files__read_file\\n\";\n\
    await client.callTool({name: 'mcp__github__get_issue', arguments: {}});\n\
    const all = `mcp__github__${tool}`; // put together\n";

const PYTHON: &str = "TOOLS = {\"mcp__files__read_file\": read, 'mcp__github__get_issue': issue}\n\
    def mcp__files__read_file(path):\n    return tools.mcp__files__read_file(path)\n";

const README: &str = "| tool | does |\n|---|---|\n| `mcp__github__get_issue` | one issue |\n|mcp__files__read_file|a file|\n";

impl Project {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let entry = |tools: &[&str]| json!({"command": "server", "tools": tools});
        sandbox.servers(&[
            ("github", entry(&["search_issues", "get_issue", "merge_pull"])),
            ("files", entry(&["read_file"])),
        ]);
        let project = Self(sandbox);
        project.write("CLAUDE.md", PROMPT);
        project.write(".claude/settings.json", SETTINGS);
        project.write(".claude/agents/triage.md", AGENT);
        project.write("opencode.jsonc", OPENCODE);
        project.write("src/agent.ts", TYPESCRIPT);
        project.write("src/agent.py", PYTHON);
        project.write("README.md", README);
        project
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, content).expect("a file");
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path("work").join(name)
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8(fs::read(self.path(name)).expect(name)).expect("UTF-8")
    }

    fn migrate(&self, arguments: &str) -> Outcome {
        self.0.configured(&format!("migrate {arguments}")).run()
    }

    /// Every file but the configuration, by name.
    fn all(&self) -> Vec<(String, String)> {
        let mut names: Vec<String> = Vec::new();
        collect(&self.path(""), "", &mut names);
        names.sort();
        names.into_iter().map(|name| (name.clone(), self.read(&name))).collect()
    }
}

fn collect(folder: &Path, before: &str, names: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = format!("{before}{}", entry.file_name().to_string_lossy());
        match entry.path().is_dir() {
            true => collect(&entry.path(), &format!("{name}/"), names),
            false => names.push(name),
        }
    }
}

#[test]
fn a_project_moves_there_and_back() {
    let project = Project::new();
    let before = project.all();
    let moved = project.migrate("--from qualified --to opencode --hidden --write .").exits(0);
    moved
        .says(&[".claude/settings.json: 4 names", "CLAUDE.md: 3 names", "src/agent.py: 3 names"])
        .warns(&[
            "19 names in 7 files moved from qualified to opencode",
            "`mcp__files__read_file`: it may be part of something longer",
            "`mcp__github__`: a name is put together here",
            "`mcp__files__read_file_lines`: server `files` has no such tool",
        ]);
    for (file, words) in [
        (
            "CLAUDE.md",
            &[
                "`github_search_issues`, then read them with github_get_issue.\r\n",
                "**files_read_file:** reads",
                "See docs/mcp__files__read_file.md.\r\n",
                "xmcp__files__read_file.\r\n",
            ][..],
        ),
        (
            ".claude/settings.json",
            &[
                "      \"github_get_issue\", /* one */ \"github_search_*\",\n      \"files_*\",\n    ],",
                "\"deny\":   [ \"github_merge_pull\" ]  // never",
            ],
        ),
        (
            ".claude/agents/triage.md",
            &[
                "tools: Read, github_search_issues, github_get_issue\n",
                "with github_search_issues.\"\n",
            ],
        ),
        (
            "opencode.jsonc",
            &["\t\t\"github_*\": \"ask\", // all of it\n\t\t\"files_read_file\": \"allow\"\n"],
        ),
        (
            "src/agent.ts",
            &["Use:\\nfiles_read_file\\n", "'github_get_issue'", "`mcp__github__${tool}`"],
        ),
        (
            "src/agent.py",
            &[
                "{\"files_read_file\": read, 'github_get_issue': issue}",
                "def files_read_file(path)",
                "tools.mcp__files__read_file(path)",
            ],
        ),
        ("README.md", &["| `github_get_issue` |", "|files_read_file|"]),
    ] {
        let text = project.read(file);
        for word in words {
            assert!(text.contains(word), "no {word:?} in {file}:\n{text}");
        }
    }
    project.migrate("--from qualified --to opencode --hidden --check .").exits(0);
    project.migrate("--from opencode --to qualified --hidden --write .").exits(0);
    assert_eq!(project.all(), before);
}

#[test]
fn the_diff_is_one_that_git_applies() {
    let project = Project::new();
    project
        .write("odd name é.md", "mcp__files__read_file\n\n\n\n\n\n\n\n\n\n\nmcp__files__read_file");
    let before = project.all();
    let diff = project.migrate("--from qualified --to roo-code --hidden .").exits(0);
    assert_eq!(project.all(), before, "a diff changes nothing");
    diff.never_says("\u{1b}").says(&[
        "--- a/.claude/agents/triage.md\n+++ b/.claude/agents/triage.md\n@@ -1,",
        "-tools: Read, mcp__github__search_issues, mcp__github__get_issue\n+description: \"Sorts issues with mcp--github--search_issues.\"\n+tools: Read, mcp--github--search_issues",
        "\\ No newline at end of file",
    ]);
    let diff = project.migrate("--from qualified --to roo-code --hidden .").stdout;
    project.migrate("--from qualified --to roo-code --hidden --write .").exits(0);
    let written = project.all();
    for (name, text) in &before {
        project.write(name, text);
    }
    let mut git = Command::new("git");
    git.args(["apply", "--whitespace=nowarn", "-"]).current_dir(project.path(""));
    git.stdin(Stdio::piped()).env("GIT_CEILING_DIRECTORIES", project.0.path(""));
    let mut child = git.spawn().expect("git runs");
    let mut input = child.stdin.take().expect("stdin");
    std::io::Write::write_all(&mut input, diff.as_bytes()).expect("git reads");
    drop(input);
    assert!(child.wait().expect("git ends").success(), "{diff}");
    assert_eq!(project.all(), written);
}

#[test]
fn a_check_writes_nothing_and_fails_if_something_would_change() {
    let project = Project::new();
    let before = project.all();
    project
        .migrate("--from qualified --to opencode --check README.md")
        .exits(1)
        .says(&["+|files_read_file|"]);
    assert_eq!(project.all(), before);
    project.migrate("--from opencode --to qualified --check README.md").exits(0);
    project
        .migrate("--from qualified --to opencode --check --write README.md")
        .exits(2)
        .warns(&["cannot be used with"]);
    project
        .migrate("--from qualified --to opencode --backup README.md")
        .exits(2)
        .warns(&["--write"]);
}

#[test]
fn a_spelling_that_does_not_exist_is_answered_with_one_that_does() {
    let project = Project::new();
    for (asked, near) in
        [("qualifed", "qualified"), ("gemini", "gemini-cli"), ("open-code", "opencode")]
    {
        let outcome = project.migrate(&format!("--from {asked} --to bare README.md")).exits(2);
        outcome.warns(&[asked, "a similar value exists", near]);
    }
    project
        .migrate("--from bare --to qualified nowhere.md")
        .exits(2)
        .warns(&["nowhere.md", "help: "]);
}

#[test]
fn folders_are_walked_as_ripgrep_walks_them() {
    let project = Project::new();
    fs::create_dir(project.path(".git")).expect("a folder");
    project.write(".gitignore", "ignored/\n*.log\n");
    for name in
        ["ignored/a.md", "b.log", ".hidden.md", "c.md", "d/.ignore", "d/e.md", "f.md.orig", "f.md"]
    {
        project.write(name, "mcp__files__read_file\n");
    }
    project.write("d/.ignore", "e.md\n");
    project.write("binary", "\0mcp__files__read_file\n");
    project.write("late-binary", [&b"mcp__files__read_file\n".repeat(9000)[..], b"\0"].concat());
    project.write("utf16.txt", b"\xff\xfem\0c\0p\0");
    let found = |arguments: &str| -> Vec<String> {
        let document = project
            .migrate(&format!("--from qualified --to opencode --format json {arguments}"))
            .json();
        column(&document["files"], "file").into_iter().map(|name| name.replace('\\', "/")).collect()
    };
    let usual = [
        "CLAUDE.md",
        "README.md",
        "c.md",
        "f.md",
        "opencode.jsonc",
        "src/agent.py",
        "src/agent.ts",
    ];
    assert_eq!(found("."), usual);
    assert_eq!(
        found("c.md b.log ignored/a.md .hidden.md c.md ./c.md"),
        [".hidden.md", "b.log", "c.md", "ignored/a.md"]
    );
    assert_eq!(found("src ."), usual.map(str::to_owned), "each file once");
    for past in [".git/COMMIT_EDITMSG", ".git/logs/HEAD", "d/.hg/last-message.txt"] {
        project.write(past, "use mcp__files__read_file\n");
    }
    let hidden = found("--hidden .");
    assert!(hidden.contains(&".claude/settings.json".to_owned()));
    let is_past = |name: &String| name.contains(".git/") || name.contains(".hg/");
    assert!(!hidden.iter().any(is_past), "what a repository keeps of the past: {hidden:?}");
    let asked =
        project.migrate("--from qualified --to opencode binary utf16.txt late-binary").exits(0);
    asked.warns(&[
        "binary: it is a binary file",
        "utf16.txt: it is in UTF-16",
        "late-binary: it is a binary file",
    ]);
}

#[test]
fn what_is_ambiguous_or_can_not_be_written_is_left_with_the_reason() {
    let sandbox = Sandbox::new();
    let entry = |tools: &[&str]| json!({"command": "server", "tools": tools});
    sandbox.servers(&[
        ("a", entry(&["b__c", "search"])),
        ("a__b", entry(&["c"])),
        ("docs", entry(&["search", "get.page", "only"])),
    ]);
    let project = Project(sandbox);
    project.write("p.md", "`mcp__a__b__c`, `search`, `@docs/get.page`, `only`; research only.\n");
    let document = |from, to| {
        project.migrate(&format!("--from {from} --to {to} --format json p.md")).exits(0).json()
    };
    let both = document("qualified", "opencode");
    let left = &both["files"][0]["left"][0];
    assert_eq!(left["reason"], "ambiguous");
    assert_eq!(
        left["claimants"],
        json!([{"server": "a", "wire": "b__c"}, {"server": "a__b", "wire": "c"}])
    );
    assert_eq!(left["location"], json!({"file": "p.md", "line": 1, "column": 2}));
    let bare = document("bare", "qualified");
    let file = &bare["files"][0];
    assert_eq!(column(&file["left"], "text"), ["search"]);
    assert_eq!(column(&file["edits"], "new"), ["mcp__docs__only"]);
    assert_eq!(bare["summary"]["words"], 2, "{bare}");
    let illegal = document("amazon-q", "qualified");
    assert_eq!(illegal["files"][0]["left"][0]["reason"], "unwritable");
    project
        .migrate("--from amazon-q --to qualified p.md")
        .exits(0)
        .warns(&["'.' (U+002E) at position 4 of the tool name"]);
}

/// The list in a configuration says what the servers call their tools; a prompt says what a person calls them.
#[test]
fn names_without_a_server_stay_in_the_file_they_come_from() {
    let project = Project::new();
    project.write("p.md", "`read_file`\n");
    let moved = project.migrate("--from bare --to qualified --write servers.json p.md").exits(0);
    moved.warns(&["servers.json: it says what the servers call their tools"]);
    assert_eq!(project.read("p.md"), "`mcp__files__read_file`\n");
    assert!(project.read("servers.json").contains("\"read_file\""));
}

#[test]
fn a_server_whose_tools_are_not_known_stops_guessing() {
    let sandbox = Sandbox::new();
    sandbox.servers(&[
        ("files", json!({"command": "server", "tools": ["read_file"]})),
        ("other", json!({"command": "server"})),
    ]);
    let project = Project(sandbox);
    project.write("p.md", "`read_file` mcp__files__read_file\n");
    project
        .migrate("--from bare --to qualified p.md")
        .exits(2)
        .warns(&["the tools of `other` are not known", "--live"]);
    project
        .migrate("--from bare --to qualified --only files p.md")
        .exits(2)
        .warns(&["the tools of `other` are not known", "--live"]);
    let moved = project.migrate("--from qualified --to opencode p.md").exits(0);
    moved.says(&["files_read_file"]).warns(&["names of server `other` are not looked for"]);
}

#[test]
fn a_backup_is_kept_and_never_replaced() {
    let project = Project::new();
    let written =
        project.migrate("--from qualified --to opencode --write --backup README.md").exits(0);
    written.says(&["README.md: 2 names, before in README.md.orig"]);
    assert_eq!(project.read("README.md.orig"), README);
    let before = project.all();
    let refused = project
        .migrate("--from opencode --to qualified --write --backup README.md opencode.jsonc")
        .exits(2);
    refused.warns(&["README.md.orig already", "help: ", "nothing was written"]);
    assert_eq!(project.all(), before);
}

#[test]
fn nothing_is_written_if_one_file_can_not_be() {
    let project = Project::new();
    let file = project.path("src/agent.py");
    let mut permissions = fs::metadata(&file).expect("a file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions).expect("permissions");
    let before = project.all();
    let refused =
        project.migrate("--from qualified --to opencode --write . --format json").exits(2);
    let document = refused.json();
    let status = |name: &str| {
        let files = array(&document["files"]).iter();
        files
            .clone()
            .find(|file| file["file"].as_str().is_some_and(|f| f.replace('\\', "/") == name))
            .map(|file| file["status"].clone())
    };
    assert_eq!(status("src/agent.py"), Some(Value::from("failed")));
    assert_eq!(status("README.md"), Some(Value::from("would-change")));
    let refused = project.migrate("--from qualified --to opencode --write .").exits(2);
    refused.warns(&["agent.py: it is read-only", "help: ", "nothing was written"]);
    assert_eq!(project.all(), before, "no file is changed and none is left behind");
}

#[cfg(unix)]
#[test]
fn permissions_stay_and_links_stay_links() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let project = Project::new();
    let outside = Sandbox::new();
    let elsewhere = outside.write("outside.md", "mcp__files__read_file\n");
    symlink(&elsewhere, project.path("src/link.md")).expect("a link");
    symlink(elsewhere.parent().expect("a folder"), project.path("src/linked")).expect("a link");
    symlink("README.md", project.path("AGENTS.md")).expect("a link");
    let script = project.path("src/agent.py");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o754)).expect("permissions");
    project.migrate("--from qualified --to opencode --write src").exits(0);
    assert_eq!(fs::metadata(&script).expect("a file").permissions().mode() & 0o7777, 0o754);
    assert_eq!(fs::read_to_string(&elsewhere).expect("a file"), "mcp__files__read_file\n");
    // One that is named is written through, as every editor does.
    project.migrate("--from qualified --to opencode --write AGENTS.md").exits(0);
    assert!(fs::symlink_metadata(project.path("AGENTS.md")).expect("a link").is_symlink());
    assert!(project.read("README.md").contains("files_read_file"));
}

#[test]
fn json_says_what_moved_where() {
    let project = Project::new();
    let document = project
        .migrate("--from qualified --to roo-code --format json opencode.jsonc")
        .exits(0)
        .stays_silent()
        .json();
    assert_eq!(
        document,
        json!({
        "version": 1, "from": "qualified", "to": "roo-code",
        "files": [{
            "file": "opencode.jsonc", "status": "would-change", "error": null, "backup": null,
            "edits": [
                {"location": {"file": "opencode.jsonc", "line": 3, "column": 4}, "old": "mcp__github__*",
                 "new": "mcp--github--*", "kind": "server", "server": "github", "wire": null},
                {"location": {"file": "opencode.jsonc", "line": 4, "column": 4}, "old": "mcp__files__read_file",
                 "new": "mcp--files--read_file", "kind": "tool", "server": "files", "wire": "read_file"}],
            "left": []}],
        "skipped": [], "unchecked": [],
        "summary": {"searched": 1, "changing": 1, "written": 0, "edits": 2, "left": 0, "words": 0}})
    );
}

#[test]
fn colours_come_where_they_are_asked_for_and_the_output_is_always_the_same() {
    let project = Project::new();
    for number in 0..300 {
        project.write(&format!("many/{}/{number}.md", number % 7), "a\nmcp__files__read_file\n");
    }
    let run = || project.migrate("--from qualified --to opencode .").exits(0).stdout;
    let first = run();
    assert!(first.matches("+files_read_file\n").count() >= 300, "{first}");
    assert!((0..4).all(|_| run() == first));
    let colored =
        project.migrate("--from qualified --to opencode --color always README.md").exits(0);
    colored.says(&["\u{1b}[31m-|mcp__files__read_file", "\u{1b}[32m+|files_read_file"]);
}

/// What is chosen says what is moved, and not whom a text may mean.
#[test]
fn what_is_ambiguous_stays_so_whatever_is_chosen() {
    let text = "`mcp__a__b__c` `mcp__a__b__*` `mcp__gh__x` `mcp__a__y`\n";
    let of = |other: Value| {
        let sandbox = Sandbox::new();
        sandbox.servers(&[
            ("a", json!({"command": "a", "tools": ["b__c", "y"]})),
            ("a__b", other),
            ("gh", json!({"command": "gh", "tools": ["x"]})),
        ]);
        let project = Project(sandbox);
        project.write("p.md", text);
        project
    };
    let on = json!({"command": "b", "tools": ["c", "d"]});
    let off = json!({"command": "b", "tools": ["c", "d"], "disabled": true});
    let filtered = json!({"command": "b", "tools": ["c", "d"], "exclude": ["c"]});
    for other in [on, off, filtered, json!({"command": "b"})] {
        let run = of(other.clone()).migrate("--from qualified --to opencode --only a p.md");
        let run = run.exits(0).warns(&["left: `mcp__a__b__c`", "left: `mcp__a__b__*`"]);
        run.says(&["+`mcp__a__b__c` `mcp__a__b__*` `mcp__gh__x` `a_y`"]);
        of(other).migrate("--from qualified --to opencode p.md").exits(0).says(&["`gh_x` `a_y`"]);
    }
}

#[test]
fn a_name_that_several_servers_have_is_no_chosen_servers_alone() {
    let sandbox = Sandbox::new();
    let entry = || json!({"command": "x", "tools": ["search"]});
    sandbox.servers(&[("a", entry()), ("b", entry()), ("c", entry())]);
    let project = Project(sandbox);
    project.write("p.md", "`search`\n");
    let run = project.migrate("--from bare --to qualified --only a p.md").exits(0);
    run.warns(&["left: `search`", "`search` of server `b`"]);
}
