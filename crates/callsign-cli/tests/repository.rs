//! What the documents say about the repository is true, and what must not be in it isn't.
//!
//! | document | compared with |
//! |---|---|
//! | ARCHITECTURE.md, table of crates | folders in `crates/` |
//! | ARCHITECTURE.md, arrows | manifests |
//! | ARCHITECTURE.md, map of the core | folders in `crates/callsign/src` |
//! | README.md, table of commands | `callsign --help` |
//! | README.md, example | documentation of the registry |
//! | paths and links in all documents | the file system |

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a repository that can't be read fails the test"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const CORE: &str = "callsign";
const CORE_DEPENDENCIES_AT_MOST: usize = 7;

/// Crates that would bring a runtime, sockets or the operating system into the core.
const NOT_IN_THE_CORE: &[&str] =
    &["async-std", "axum", "hyper", "libc", "mio", "reqwest", "rmcp", "rustls", "smol", "tokio"];

#[test]
fn the_table_of_crates_is_the_folder_of_crates() {
    let table: BTreeSet<String> = table_after(&document("ARCHITECTURE.md"), "## Crates")
        .into_iter()
        .map(|row| row[0].trim_matches('`').to_owned())
        .collect();
    assert_eq!(table, folders(&root().join("crates")));
}

#[test]
fn every_crate_says_what_it_must_not_know_and_why() {
    for row in table_after(&document("ARCHITECTURE.md"), "## Crates") {
        assert_eq!(row.len(), 4, "{row:?}");
        assert!(row.iter().all(|cell| !cell.is_empty()), "an empty cell in {row:?}");
    }
}

#[test]
fn the_arrows_are_those_of_the_manifests() {
    let stated: BTreeMap<String, BTreeSet<String>> =
        between(&document("ARCHITECTURE.md"), "arrows").lines().filter_map(arrow).collect();
    let real: BTreeMap<String, BTreeSet<String>> = members()
        .into_iter()
        .map(|member| {
            let own = member.dependencies.into_iter().filter(|name| is_ours(name)).collect();
            (member.name, own)
        })
        .collect();
    assert_eq!(stated, real);
}

#[test]
fn the_core_has_few_dependencies_and_none_that_reaches_outside() {
    let core = members().into_iter().find(|member| member.name == CORE).expect("the core crate");
    assert!(
        core.dependencies.len() <= CORE_DEPENDENCIES_AT_MOST,
        "{} has {} dependencies: {:?}",
        core.name,
        core.dependencies.len(),
        core.dependencies
    );
    for name in &core.dependencies {
        let family = name.split('-').next().unwrap_or(name);
        assert!(!NOT_IN_THE_CORE.contains(&family), "{name} in the core");
        assert!(!NOT_IN_THE_CORE.contains(&name.as_str()), "{name} in the core");
    }
}

#[test]
fn nothing_that_ships_depends_on_the_testkit() {
    for member in members().into_iter().filter(|member| member.name != "callsign-testkit") {
        assert!(!member.dependencies.contains("callsign-testkit"), "{}", member.name);
    }
}

#[test]
fn the_map_of_the_core_is_the_core() {
    let map: BTreeSet<String> = between(&document("ARCHITECTURE.md"), "core")
        .lines()
        .filter_map(|line| Some(line.trim().split_once("/ ")?.0.to_owned()))
        .collect();
    assert_eq!(map, folders(&root().join("crates/callsign/src")));
}

#[test]
fn every_module_says_what_it_is_for() {
    let silent: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|path| !says_what_it_is_for(&read(path)))
        .map(|path| relative(&path))
        .collect();
    assert!(silent.is_empty(), "no comment at the start of {silent:#?}");
}

#[test]
fn a_module_without_a_comment_is_noticed() {
    assert!(says_what_it_is_for("//! Names.\nfn a() {}"));
    assert!(says_what_it_is_for("use std::fmt;\n\n/// A name.\npub struct Name;"));
    assert!(says_what_it_is_for("use std::{\n    fmt,\n    io,\n};\n/// A name.\nstruct Name;"));
    assert!(!says_what_it_is_for("use std::fmt;\n\npub struct Name;\n/// Late.\nfn a() {}"));
    assert!(!says_what_it_is_for("// A note.\n#[derive(Debug)]\nstruct Name;"));
    assert!(!says_what_it_is_for(""));
}

/// Two places that build a spelling would disagree one day.
#[test]
fn only_schemes_build_a_spelling() {
    let schemes = root().join("crates/callsign/src/scheme");
    let mut builders = Vec::new();
    for path in sources().into_iter().filter(|path| !path.starts_with(&schemes)) {
        for (number, line) in without_tests(&read(&path)).lines().enumerate() {
            if builds_a_spelling(line) {
                builders.push(format!("{}:{}: {line}", relative(&path).display(), number + 1));
            }
        }
    }
    assert!(builders.is_empty(), "a name is spelled outside the schemes:\n{}", builders.join("\n"));
}

#[test]
fn a_second_spelling_is_noticed() {
    assert!(builds_a_spelling(r#"format!("mcp__{server}__{tool}")"#));
    assert!(builds_a_spelling(r#"    let name = format!("{}__{}", server, tool);"#));
    assert!(builds_a_spelling(r#"["mcp__", server, "__", tool].concat()"#));
    assert!(builds_a_spelling(r#"name.strip_prefix("mcp__")"#));
    assert!(builds_a_spelling(r#"[server, "__", tool].concat()"#));
    assert!(builds_a_spelling(r#"server.to_owned() + "__" + tool"#));
    assert!(!builds_a_spelling("/// `mcp__{server}__{tool}`"));
    assert!(!builds_a_spelling(r#""load the server under a key without `__`""#));
    let source = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    const A: &str = \"mcp__a__b\";\n}\n";
    assert_eq!(without_tests(source), "fn a() {}\n\n");
}

/// What is promised is numbered (crates/callsign/tests/acceptance.rs), and a test begins with its number.
#[test]
fn every_numbered_promise_has_a_test() {
    let tests = files(&root().join("crates"))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let numbers: BTreeSet<u32> = tests
        .flat_map(|path| read(&path).lines().filter_map(number_of_test).collect::<Vec<_>>())
        .collect();
    let missing: Vec<u32> = (1..=42).filter(|number| !numbers.contains(number)).collect();
    assert!(missing.is_empty(), "no test has the numbers {missing:?}");
}

#[test]
fn the_readme_has_every_command_and_no_other() {
    let help = Command::new(env!("CARGO_BIN_EXE_callsign"))
        .arg("--help")
        .output()
        .expect("callsign --help runs");
    let help = String::from_utf8(help.stdout).expect("help is UTF-8");
    let mut offered = commands(&help);
    assert!(offered.remove("help"), "no list of commands in:\n{help}");
    let listed: BTreeSet<String> = table_after(&document("README.md"), "## Commands")
        .into_iter()
        .map(|row| row[0].trim_matches('`').trim_start_matches("callsign ").to_owned())
        .collect();
    assert_eq!(listed, offered);
}

#[test]
fn a_command_is_found_in_the_help() {
    let help = "Usage: callsign <COMMAND>\n\nCommands:\n  demo   Shows it\n  check  Reports\n         findings\n\nOptions:\n  -q\n";
    assert_eq!(commands(help), BTreeSet::from(["demo".to_owned(), "check".to_owned()]));
    assert_eq!(commands("Options:\n  -q\n"), BTreeSet::new());
}

/// So that the README's example is one that is compiled and run.
#[test]
fn the_example_of_the_readme_is_a_documentation_test() {
    let readme = document("README.md");
    let example = between(&readme, "library").trim();
    let example = example.strip_prefix("```rust\n").and_then(|rest| rest.strip_suffix("\n```"));
    let example = example.expect("one block of Rust");
    let documentation: Vec<String> = document("crates/callsign/src/registry/mod.rs")
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned())
        .collect();
    assert!(documentation.join("\n").contains(&format!("```\n{example}\n")), "{example}");
}

#[test]
fn paths_in_documents_exist() {
    let mut absent = Vec::new();
    for path in documents() {
        let text = read(&path);
        let folder = path.parent().expect("a document is in a folder");
        let links = links(&text).into_iter().map(|link| folder.join(link));
        let names = paths_in_backticks(&text).into_iter().map(|name| root().join(name));
        for target in links.chain(names).filter(|target| !target.exists()) {
            absent.push(format!("{}: {}", relative(&path).display(), relative(&target).display()));
        }
    }
    assert!(absent.is_empty(), "named, and not there: {absent:#?}");
}

/// A file of the repository is the same wherever it was made.
#[test]
fn no_file_names_a_machine() {
    let mut found = Vec::new();
    for path in files(&root()) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        for (number, line) in text.lines().enumerate() {
            if let Some(sign) = sign_of_a_machine(line) {
                found.push(format!("{}:{}: {sign}", relative(&path).display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_machine_is_noticed() {
    let home = ["/ro", "ot/x"].concat();
    assert!(sign_of_a_machine(&format!("cd {home}")).is_some());
    assert!(sign_of_a_machine(&format!("path = \"{home}\"")).is_some());
    assert!(sign_of_a_machine(&format!("$HOME{home}")).is_none());
    assert!(sign_of_a_machine("the root of a tree/root/leaf").is_none());
}

/// Lock files that name a registry would install from it whatever npm, pip or cargo are set up for.
#[test]
fn lock_files_name_no_registry_but_crates_io() {
    let npm = document("tests/real-servers/package-lock.json");
    assert!(!npm.contains("\"resolved\""), "package-lock.json names where packages come from");
    for list in ["tests/real-servers/requirements.txt", "scripts/tools.txt"] {
        let text = document(list);
        let address = text.lines().find(|line| line.starts_with("-") || line.contains(" @ "));
        assert_eq!(address, None, "{list}");
        assert!(text.contains("--hash=sha256:"), "{list} has no hashes");
    }
    let cargo = document("Cargo.lock");
    let elsewhere = cargo
        .lines()
        .filter(|line| line.starts_with("source = "))
        .find(|line| !line.contains("registry+https://github.com/rust-lang/crates.io-index"));
    assert_eq!(elsewhere, None, "Cargo.lock");
}

struct Member {
    name: String,
    /// Normal dependencies of all platforms.
    dependencies: BTreeSet<String>,
}

/// The workspace's crates as cargo reads their manifests.
fn members() -> Vec<Member> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    array(&metadata["packages"]).iter().map(member).collect()
}

fn member(package: &Value) -> Member {
    let dependencies = array(&package["dependencies"])
        .iter()
        .filter(|dependency| dependency["kind"].is_null())
        .map(|dependency| text(&dependency["name"]))
        .collect();
    Member { name: text(&package["name"]), dependencies }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn is_ours(name: &str) -> bool {
    name == CORE || name.starts_with("callsign-")
}

/// `A -> B, C` or `A -> (nothing)`.
fn arrow(line: &str) -> Option<(String, BTreeSet<String>)> {
    let (from, to) = line.split_once("->")?;
    let to = to.split(',').map(str::trim).filter(|name| *name != "(nothing)");
    Some((from.trim().to_owned(), to.map(str::to_owned).collect()))
}

fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).expect("the crate is in crates/").to_owned()
}

fn relative(path: &Path) -> PathBuf {
    path.strip_prefix(root()).unwrap_or(path).to_owned()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn document(name: &str) -> String {
    read(&root().join(name))
}

/// The rows of the first table after a heading, as trimmed cells, without the table's own heading.
fn table_after(document: &str, heading: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> = document
        .lines()
        .skip_while(|line| *line != heading)
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect();
    assert!(!rows.is_empty(), "no table after {heading:?}");
    rows
}

/// What stands between `<!-- name -->` and `<!-- /name -->`.
fn between<'a>(document: &'a str, name: &str) -> &'a str {
    document
        .split_once(&format!("<!-- {name} -->"))
        .and_then(|(_, rest)| rest.split_once(&format!("<!-- /{name} -->")))
        .unwrap_or_else(|| panic!("no marks for {name}"))
        .0
}

/// The names under `Commands:` in the help of clap.
fn commands(help: &str) -> BTreeSet<String> {
    help.lines()
        .skip_while(|line| line.trim() != "Commands:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

/// Whether documentation stands before the first item that is neither `use` nor `mod`.
fn says_what_it_is_for(source: &str) -> bool {
    let mut inside_use = false;
    for line in source.lines().map(str::trim) {
        if inside_use {
            inside_use = !line.ends_with(';');
        } else if line.starts_with("//!") || line.starts_with("///") {
            return true;
        } else if is_use_or_mod(line) {
            inside_use = !line.ends_with(';');
        } else if !line.is_empty() && !line.starts_with("//") && !line.starts_with('#') {
            return false;
        }
    }
    false
}

fn is_use_or_mod(line: &str) -> bool {
    let item = match line.strip_prefix("pub") {
        Some(rest) => rest.split_once(' ').map_or(rest, |(_, item)| item),
        None => line,
    };
    item.starts_with("use ") || item.starts_with("mod ")
}

/// Whether a line of code has the parts of which a name is put together, or taken apart. Comments and messages may show the
/// form.
fn builds_a_spelling(line: &str) -> bool {
    const SIGNS: [&str; 5] = ["\"mcp__", "\"__", "__\"", "}__", "__{"];
    !line.trim_start().starts_with("//") && SIGNS.iter().any(|sign| line.contains(sign))
}

/// The number in `fn t07_...`.
fn number_of_test(line: &str) -> Option<u32> {
    let (_, name) = line.trim_start().split_once("fn t")?;
    name.split_once('_')?.0.parse().ok()
}

/// A source file up to its tests, which stand at its end.
fn without_tests(source: &str) -> &str {
    source.split("#[cfg(test)]\nmod ").next().unwrap_or(source)
}

/// Targets of links that are neither addresses nor places in the same document.
fn links(text: &str) -> Vec<&str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://") && !target.starts_with('#'))
        .map(|target| target.split('#').next().unwrap_or(target))
        .collect()
}

/// Paths between backticks that begin at a folder of the repository and name one thing.
fn paths_in_backticks(text: &str) -> Vec<&str> {
    const FOLDERS: &[&str] = &["crates/", "data/", "docs/", "scripts/", "tests/", ".github/"];
    text.split('`')
        .skip(1)
        .step_by(2)
        .filter(|name| FOLDERS.iter().any(|folder| name.starts_with(folder)))
        .filter(|name| !name.contains(['*', '<', '{', ' ', '\n']))
        .collect()
}

/// A path of somebody's machine, or the host of somebody's registry.
fn sign_of_a_machine(line: &str) -> Option<&'static str> {
    // In halves, so that this file doesn't contain what it looks for.
    const SIGNS: &[(&str, &str, &str)] = &[
        ("/ro", "ot/", "a home folder"),
        ("/wo", "rk/", "a work folder"),
        ("/home/ru", "nner/", "a home folder"),
        ("artifact", "ory", "a registry"),
        ("pypi-pro", "xy", "a registry"),
        ("npm-pro", "xy", "a registry"),
    ];
    SIGNS
        .iter()
        .find(|(first, second, _)| has_at_a_start(line, &[*first, *second].concat()))
        .map(|sign| sign.2)
}

/// Whether `sign` stands in the line and, where it is a path, begins it.
fn has_at_a_start(line: &str, sign: &str) -> bool {
    line.match_indices(sign).any(|(position, _)| {
        let before = line[..position].chars().next_back();
        !sign.starts_with('/')
            || !before.is_some_and(|c| c.is_alphanumeric() || "_-.}/".contains(c))
    })
}

fn folders(parent: &Path) -> BTreeSet<String> {
    entries(parent)
        .into_iter()
        .filter(|path| path.is_dir())
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect()
}

/// Every file below a folder, without what is built, installed or git's own.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (folders, mut found): (Vec<_>, Vec<_>) =
        entries(folder).into_iter().partition(|path| path.is_dir());
    for below in folders.iter().filter(|path| is_kept(path)) {
        found.extend(files(below));
    }
    found.retain(|path| !path.ends_with(".git")); // a file in a linked work tree
    found
}

fn is_kept(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let made = ["node_modules", "__pycache__"].contains(&name) || name.starts_with("target");
    !made && (!name.starts_with('.') || [".ci", ".github"].contains(&name))
}

/// The sources of all crates, tests beside them included, integration tests not.
fn sources() -> Vec<PathBuf> {
    let crates = entries(&root().join("crates"));
    let found: Vec<PathBuf> = crates
        .iter()
        .flat_map(|path| files(&path.join("src")))
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    assert!(!found.is_empty(), "no sources");
    found
}

fn documents() -> Vec<PathBuf> {
    files(&root())
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}
