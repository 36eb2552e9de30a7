//! A file with rules: which dialects are in it, and where such files lie.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use callsign::name::nearest;

use super::rules::Rules;
use super::source::Source;
use super::{ALL, Dialect, Found};
use crate::discover::project_folders;
use crate::document::Document;
use crate::error::{ConfigError, Problem};
use crate::place::{LineIndex, Place, Span};
use crate::tree::{Node, Value};

/// callsign's own file.
const OWN: &str = "callsign.toml";

/// A file that has been read for its rules.
#[derive(Debug)]
#[non_exhaustive]
pub struct RuleFile {
    /// The path, as it was given.
    pub path: PathBuf,
    /// Its rules, one set a dialect. Empty if it holds none.
    pub sets: Vec<Rules>,
    shown: String,
    lines: LineIndex,
}

impl RuleFile {
    /// The line and column of a span of this file.
    #[must_use]
    pub fn place(&self, span: Span) -> Place {
        self.lines.place(&self.shown, span)
    }

    /// The file's text for excerpts, without a byte order mark: every span of this file fits it. Every text that is no
    /// part of the rules may be a secret and is overwritten with `*`, byte for byte.
    #[must_use]
    pub fn shown_text(&self) -> &str {
        &self.shown
    }
}

/// Reads a file's rules. Touches nothing else.
///
/// # Errors
/// [`ConfigError`], if it can't be read, can't be parsed, or holds what can't be rules.
pub fn read(path: &Path, dialect: Option<&'static dyn Dialect>) -> Result<RuleFile, ConfigError> {
    parse(path, &crate::bytes_of(path, crate::MAX_SIZE)?, dialect)
}

/// Reads the rules in the bytes of a file, all dialects' that its name and content speak for, or one dialect's.
///
/// # Errors
/// [`ConfigError`], if it can't be parsed, or holds what can't be rules. Nothing is made of half a file.
pub fn parse(
    path: &Path,
    bytes: &[u8],
    dialect: Option<&'static dyn Dialect>,
) -> Result<RuleFile, ConfigError> {
    let text = crate::text_of(path, bytes)?;
    let document = Document::parse(path, text)?;
    document.refuse_duplicates(&document.root)?;
    let spoken = match dialect {
        Some(dialect) => vec![dialect],
        None => spoken_in(&document)?,
    };
    let source = Source { document: &document, whole_file: true };
    let mut sets = Vec::new();
    for dialect in spoken {
        sets.push(named(dialect.read(source)?, &document.root));
    }
    refuse_misspelt_class(&document, &sets)?;
    sets.retain(|rules| !rules.is_empty());
    let shown = masked(text, &document.root, &sets);
    Ok(RuleFile { path: path.to_owned(), sets, shown, lines: document.lines })
}

/// Rules given alone, as JSON: the value under `rules` of a `decide` line, with that dialect's own keys.
///
/// # Errors
/// [`ConfigError`] with places in the text, if it is not JSON or can't be rules.
pub fn of_value(dialect: &'static dyn Dialect, json: &str) -> Result<Rules, ConfigError> {
    let document = Document::parse(Path::new("rules.json"), json)?;
    document.refuse_duplicates(&document.root)?;
    let rules = dialect.read(Source { document: &document, whole_file: false })?;
    let rules = [named(rules, &document.root)];
    refuse_misspelt_class(&document, &rules)?;
    let [rules] = rules;
    refuse_misspelt(&document, &document.root, &KEYS, &rules)?;
    Ok(rules)
}

/// The rules with each list called after its place in the file's structure.
fn named(mut rules: Rules, root: &Node<'_>) -> Rules {
    let wanted = rules.lists.iter().map(|list| list.span).collect();
    let paths = root.paths_of(&wanted);
    for list in &mut rules.lists {
        list.name = paths.get(&list.span).cloned().unwrap_or_default();
    }
    rules
}

/// Keys under which bare rules stand in most languages.
const KEYS: [&str; 10] = [
    "allow",
    "ask",
    "deny",
    "allowedTools",
    "disallowedTools",
    "enabledTools",
    "disabledTools",
    "includeTools",
    "excludeTools",
    "permissions",
];

/// The hosts whose rules stand under `permissions`, and their lists there.
const CLASSED: [&str; 3] = ["claude-code", "qwen-code", "cursor-cli"];
const CLASSES: [&str; 3] = ["allow", "ask", "deny"];

/// Refuses `{"permissions": {"den": […]}}`: the host would go on without a word, and a restriction would be lost.
fn refuse_misspelt_class(document: &Document<'_>, sets: &[Rules]) -> Result<(), ConfigError> {
    let classed = sets.iter().find(|rules| CLASSED.contains(&rules.dialect.profile().id));
    match (classed, document.root.get("permissions")) {
        (Some(rules), Some(table)) => refuse_misspelt(document, table, &CLASSES, rules),
        _ => Ok(()),
    }
}

/// Refuses a key that nothing was read from and that is nearly one of these.
fn refuse_misspelt(
    document: &Document<'_>,
    table: &Node<'_>,
    known: &[&'static str],
    rules: &Rules,
) -> Result<(), ConfigError> {
    let read: Vec<Span> = (rules.lists.iter().map(|list| list.span))
        .chain(rules.entries.iter().map(|entry| entry.span))
        .chain(rules.switches.iter().map(|switch| switch.span))
        .chain(rules.dropped.iter().map(|(_, span)| *span))
        .collect();
    for entry in table.entries().iter().filter(|entry| !known.contains(&entry.key.as_ref())) {
        let (key, value) = (entry.key_span, entry.node.span);
        let touches =
            |span: &Span| span.contains(value) || value.contains(*span) || key.contains(*span);
        let near = nearest(&entry.key, known.iter().copied());
        let Some(meant) = near.first().and_then(|near| known.iter().find(|word| *word == near))
        else {
            continue;
        };
        if !read.iter().any(touches) {
            let (near, allowed) = (vec![*meant], known.to_vec());
            let problem = Problem::UnknownSetting { key: document.path_to(key), near, allowed };
            return Err(document.error(key, problem));
        }
    }
    Ok(())
}

/// The dialects whose file this is by its path, from wherever that is seen; if there is none, those that recognise the
/// content.
///
/// # Errors
/// Those that recognise it are several hosts', which mean different things by the same text.
fn spoken_in(document: &Document<'_>) -> Result<Vec<&'static dyn Dialect>, ConfigError> {
    let path = std::path::absolute(document.file);
    let path = path.as_deref().unwrap_or(document.file);
    let by_path: Vec<_> = ALL.into_iter().filter(|dialect| has_its_name(*dialect, path)).collect();
    if !by_path.is_empty() {
        return Ok(by_path);
    }
    let recognised: Vec<_> =
        ALL.into_iter().filter(|dialect| dialect.recognises(Found(&document.root))).collect();
    let hosts: HashSet<&str> = recognised.iter().map(|dialect| dialect.profile().host).collect();
    match hosts.len() {
        0 | 1 => Ok(recognised),
        _ => {
            let languages = recognised.iter().map(|dialect| dialect.profile().id).collect();
            let problem = Problem::SeveralLanguages { languages };
            Err(ConfigError::new(document.file, None, problem))
        }
    }
}

fn has_its_name(dialect: &dyn Dialect, file: &Path) -> bool {
    let profile = dialect.profile();
    profile.project_files.iter().chain(profile.user_files).any(|own| is_called(file, own))
}

/// Whether the last components of a path are these; the last of them may hold one `*`.
fn is_called(file: &Path, own: &str) -> bool {
    let Some((before, after)) = own.split_once('*') else { return file.ends_with(own) };
    let (folder, before) = before.rsplit_once('/').unwrap_or(("", before));
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let fits = name.len() >= before.len() + after.len()
        && name.starts_with(before)
        && name.ends_with(after);
    fits && file.parent().is_some_and(|parent| parent.ends_with(folder))
}

/// The files with rules that apply in the folder `start`: those of its project, from `start` upwards to the project's root,
/// then those of the user. A fixed order; none twice. Only looks what there is; what can't be looked at, or is no file,
/// is among them, so that whoever reads them is told.
#[must_use]
pub fn rule_files(start: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in project_folders(start, home) {
        for own in ALL.iter().flat_map(|dialect| dialect.profile().project_files) {
            // Of callsign's own files the nearest counts, as everywhere.
            let shadowed = *own == OWN && found.iter().any(|file: &PathBuf| file.ends_with(OWN));
            if !shadowed {
                existing(folder, own, &mut found);
            }
        }
    }
    if let Some(home) = home {
        for dialect in ALL {
            dialect.profile().user_files.iter().for_each(|own| existing(home, own, &mut found));
        }
    }
    found
}

fn existing(folder: &Path, own: &str, found: &mut Vec<PathBuf>) {
    let mut files = vec![folder.join(own)];
    if own.contains('*') {
        let around = files[0].parent().unwrap_or(folder).to_owned();
        files = listed(&around);
        files.retain(|file| is_called(file, own) || *file == around);
        files.sort();
    }
    for file in files {
        if is_there(&file) && !found.contains(&file) {
            found.push(file);
        }
    }
}

/// Whether something stands there, be it a link to nothing. What can't be told counts as there.
fn is_there(file: &Path) -> bool {
    fs::symlink_metadata(file).map_or_else(|error| !is_absent(&error), |_| true)
}

/// What a folder holds; the folder itself, if that can't be told.
fn listed(folder: &Path) -> Vec<PathBuf> {
    match fs::read_dir(folder) {
        Ok(entries) => entries
            .map(|entry| entry.map_or_else(|_| folder.to_owned(), |entry| entry.path()))
            .collect(),
        Err(error) if is_absent(&error) => Vec::new(),
        Err(_) => vec![folder.to_owned()],
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Keys below which nothing is a rule, wherever they stand: environments, headers, and the programs that hooks run.
const NEVER_RULES: [&str; 3] = ["env", "headers", "hooks"];

/// What is shown of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// It stands between the values: shown if it is a sign of the syntax. Comments are not.
    IfSyntax,
    Yes,
    /// Nothing but line ends.
    No,
}

/// The text with all overwritten that is no part of the rules: values, comments, and what stands below front matter.
fn masked(text: &str, root: &Node<'_>, sets: &[Rules]) -> String {
    let mut open: HashSet<Span> = HashSet::new();
    for rules in sets {
        open.extend(rules.lists.iter().map(|list| list.span));
        open.extend(rules.entries.iter().map(|entry| entry.span));
        open.extend(rules.switches.iter().map(|switch| switch.span));
        open.extend(rules.dropped.iter().map(|(_, span)| *span));
    }
    let mut shown = vec![Shown::IfSyntax; text.len()];
    mark(text, root, &open, false, &mut shown);
    let bytes = text.bytes().zip(&shown).map(|(byte, shown)| match (shown, byte) {
        (Shown::Yes, byte) | (_, byte @ (b'\n' | b'\r')) => byte,
        (Shown::IfSyntax, byte) if SYNTAX.contains(&byte) => byte,
        _ => b'*',
    });
    // Spans lie on characters, so none is cut.
    String::from_utf8(bytes.collect()).unwrap_or_else(|_| "*".repeat(text.len()))
}

/// What may stand between keys and values.
const SYNTAX: &[u8] = b" \t{}[],:=.-|>\"'";

/// Says of each key and value whether it is shown. The tree decides and not the bytes: a table in TOML may have its parts
/// anywhere in the file.
fn mark(text: &str, node: &Node<'_>, open: &HashSet<Span>, is_open: bool, shown: &mut [Shown]) {
    let is_open = is_open || open.contains(&node.span);
    let mut set = |span: Span, what| {
        if let Some(bytes) = shown.get_mut(span.range()) {
            bytes.fill(what);
        }
    };
    match &node.value {
        Value::Text(_) | Value::Number(_) | Value::Date(_) if !is_open => set(node.span, Shown::No),
        Value::List(items) => items.iter().for_each(|item| mark(text, item, open, is_open, shown)),
        Value::Map(entries) => {
            // A table of TOML is where its header is.
            let written = text.get(node.span.range()).unwrap_or_default();
            if written.starts_with('[') && written.ends_with(']') && !written.contains('\n') {
                set(node.span, Shown::Yes);
            }
            for entry in entries {
                // A key without a place of its own has that of its table.
                if !entry.key_span.contains(node.span) {
                    set(entry.key_span, Shown::Yes);
                }
            }
            for entry in entries {
                let is_open = is_open && !NEVER_RULES.contains(&entry.key.as_ref());
                mark(text, &entry.node, open, is_open, shown);
            }
        }
        _ => set(node.span, Shown::Yes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialects_of(path: &str, text: &str) -> Vec<&'static str> {
        let file = parse(Path::new(path), text.as_bytes(), None).unwrap();
        file.sets.iter().map(|rules| rules.dialect.profile().id).collect()
    }

    #[test]
    fn one_file_may_hold_several_dialects() {
        let text = r#"{"permissions": {"deny": ["mcp__a"]}, "deniedMcpServers": [],
                       "hooks": {"PreToolUse": [{"matcher": "mcp__a__.*"}]}}"#;
        let all = ["claude-code", "claude-code-managed", "claude-code-hook"];
        assert_eq!(dialects_of("p/.claude/settings.json", text), all);
        assert_eq!(dialects_of("p/.claude/settings.json", "{}"), [""; 0]);
    }

    #[test]
    fn content_speaks_where_the_name_does_not() {
        assert_eq!(dialects_of("x.json", r#"{"mcpAllowlist": ["a:b"]}"#), ["cursor"]);
        let policy = "[[rule]]\ntoolName = \"mcp_*\"\ndecision = \"deny\"\npriority = 1\n";
        assert_eq!(dialects_of("x.toml", policy), ["gemini-policy"]);
        assert_eq!(
            dialects_of("x.json", r#"{"permissions": {"allow": ["Mcp(a:b)"]}}"#),
            ["cursor-cli"]
        );
    }

    #[test]
    fn front_matter_keeps_its_places() {
        let text = "---\nname: reader\ntools: Read, mcp__docs__search\n---\nRead the docs.\n";
        let file = parse(Path::new(".claude/agents/reader.md"), text.as_bytes(), None).unwrap();
        let entry = &file.sets[0].entries[1];
        assert_eq!(
            (entry.text.as_str(), file.place(entry.span).to_string()),
            ("mcp__docs__search", "3:14".into())
        );
    }

    #[test]
    fn broken_files_are_errors_with_a_place() {
        for (path, text, place) in [
            (".claude/settings.json", "{\"permissions\": {\"deny\": \"mcp__a\"}}", "1:26"),
            (".claude/settings.json", "{\"permissions\": {\"deny\": [1]}}", "1:27"),
            (".claude/settings.json", "{\"permissions\": {\"deny\": [], \"deny\": []}}", "1:30"),
            (".codex/config.toml", "[mcp_servers.a]\nenabled_tools = \"x\"\n", "2:17"),
            (".claude/agents/a.md", "---\ntools: [\n---\n", "2:8"),
        ] {
            let error = parse(Path::new(path), text.as_bytes(), None).unwrap_err();
            let line = error.place().map(|place| place.to_string());
            // The parser of YAML may point behind the opening bracket.
            let near = line.as_deref().is_some_and(|line| line == place || path.ends_with(".md"));
            assert!(near, "{path}: {error}");
            assert!(!error.remedy().is_empty());
        }
    }

    #[test]
    fn what_is_no_rule_is_not_shown() {
        let text = r#"{"env": {"X": "s3cret"}, "permissions": {"deny": ["mcp__a"]}}"#;
        let file = parse(Path::new(".claude/settings.json"), text.as_bytes(), None).unwrap();
        assert!(!file.shown_text().contains("s3cret") && file.shown_text().contains("mcp__a"));
        assert_eq!(file.shown_text().len(), text.len());
        let text = "[rules]\n[[rules.deny]]\nserver = 'a'\n[servers.a]\ncommand = 's3cret'\n";
        let file = parse(Path::new("callsign.toml"), text.as_bytes(), None).unwrap();
        assert!(!file.shown_text().contains("s3cret") && file.shown_text().contains("'a'"));
        let text =
            r#"{"hooks": {"PreToolUse": [{"matcher": "m.*", "hooks": [{"command": "s3cret"}]}]}}"#;
        let file = parse(Path::new(".claude/settings.json"), text.as_bytes(), None).unwrap();
        assert!(!file.shown_text().contains("s3cret") && file.shown_text().contains("m.*"));
    }

    #[test]
    fn names_with_a_star() {
        assert!(is_called(Path::new("/home/x/.claude/agents/a.md"), ".claude/agents/*.md"));
        assert!(!is_called(Path::new(".claude/agents/b/a.md"), ".claude/agents/*.md"));
        assert!(is_called(Path::new(".github/agents/x.agent.md"), ".github/agents/*.agent.md"));
        assert!(!is_called(Path::new("agents/.md"), ".github/agents/*.agent.md"));
    }

    #[test]
    fn rule_files_are_found_for_project_and_user() {
        let root = std::env::temp_dir().join(format!("callsign-rule-files-{}", std::process::id()));
        let files = [
            "p/.git/x",
            "p/.claude/settings.json",
            "p/.claude/agents/b.md",
            "p/.claude/agents/a.md",
            "p/.claude/agents/a.txt",
            "p/sub/opencode.json",
            "p/callsign.toml",
            "p/sub/callsign.toml",
            ".codex/config.toml",
            ".gemini/policies/x.toml",
        ];
        for file in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "{}").unwrap();
        }
        let found = rule_files(&root.join("p/sub"), Some(&root));
        let relative =
            |file: &PathBuf| file.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let found: Vec<String> = found.iter().map(relative).collect();
        assert_eq!(
            found,
            [
                "p/sub/callsign.toml",
                "p/sub/opencode.json",
                "p/.claude/settings.json",
                "p/.claude/agents/a.md",
                "p/.claude/agents/b.md",
                ".codex/config.toml",
                ".gemini/policies/x.toml"
            ]
        );
        let _ = fs::remove_dir_all(&root);
    }

    #[test]
    fn what_several_hosts_write_alike_is_not_guessed() {
        let text = br#"{"permissions": {"deny": ["mcp__a"]}}"#;
        let error = parse(Path::new("x.json"), text, None).unwrap_err();
        assert!(matches!(error.problem(), Problem::SeveralLanguages { .. }), "{error}");
        assert!(error.remedy().contains("--host: claude-code or qwen-code"), "{}", error.remedy());
        let qwen = super::super::by_id("qwen-code");
        assert_eq!(parse(Path::new("x.json"), text, qwen).unwrap().sets.len(), 1);
    }

    #[test]
    fn secrets_that_are_no_texts_are_not_shown() {
        let text = r#"{"env":{"PIN":123456789},/* sk-live-124 */"permissions":{"deny":["mcp__a", // tok3n
            "mcp__b"]},"n":-7.5e3}"#;
        let file = parse(Path::new(".claude/settings.json"), text.as_bytes(), None).unwrap();
        let shown = file.shown_text();
        for secret in ["123", "sk", "live", "124", "tok", "7.5"] {
            assert!(!shown.contains(secret), "{secret}: {shown}");
        }
        assert!(shown.contains(r#"{"env":{"PIN":*********},"#), "{shown}");
        assert!(shown.contains(r#""permissions":{"deny":["mcp__a", "#), "{shown}");
        assert_eq!((shown.len(), shown.lines().count()), (text.len(), 2));
        let text = "# s3cret é\n[rules]\ndeny = ['mcp__a'] # s3cret\n[servers.a]\nport = 4711 # s3cret\nsince = 1979-05-27\ncommand = \"\"\"\nx4711\ny\"\"\"\n";
        let file = parse(Path::new("callsign.toml"), text.as_bytes(), None).unwrap();
        let shown = file.shown_text();
        assert!(
            !shown.contains("s3cret") && !shown.contains("4711") && !shown.contains("1979"),
            "{shown}"
        );
        assert!(shown.contains("deny = ['mcp__a'] "), "{shown}");
        assert_eq!((shown.len(), shown.lines().count()), (text.len(), text.lines().count()));
        let text = "---\ntools: Read, mcp__a # s3cret\n---\nThe s3cret is 4711.\n";
        let file = parse(Path::new(".claude/agents/a.md"), text.as_bytes(), None).unwrap();
        let shown = file.shown_text();
        assert!(shown.contains("tools: Read, mcp__a") && !shown.contains("s3cret"), "{shown}");
        assert!(!shown.contains("4711"), "{shown}");
    }

    #[test]
    fn a_list_that_is_misspelt_is_refused() {
        for text in [r#"{"permissions": {"den": ["mcp__a"]}}"#, r#"{"permissions": {"Deny": []}}"#]
        {
            for path in [".claude/settings.json", ".qwen/settings.json"] {
                let error = parse(Path::new(path), text.as_bytes(), None).unwrap_err();
                assert!(matches!(error.problem(), Problem::UnknownSetting { .. }), "{error}");
                assert_eq!((error.place().unwrap().column, &*error.remedy()), (18, "write `deny`"));
            }
        }
        let other = r#"{"permissions": {"defaultMode": "plan", "additionalDirectories": []}}"#;
        assert!(parse(Path::new(".claude/settings.json"), other.as_bytes(), None).is_ok());
        for dialect in ["claude-code", "qwen-code", "cursor-cli", "crush", "kiro-3"] {
            let dialect = super::super::by_id(dialect).unwrap();
            let error = of_value(dialect, r#"{"denny": ["mcp__a"]}"#).unwrap_err();
            assert_eq!(error.remedy(), "write `deny`");
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_can_not_be_looked_at_is_found_and_an_error() {
        let root = std::env::temp_dir().join(format!("callsign-odd-rules-{}", std::process::id()));
        fs::create_dir_all(root.join("p/.git")).unwrap();
        fs::create_dir_all(root.join("p/opencode.json")).unwrap();
        fs::create_dir_all(root.join("p/.claude/agents")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("p/.claude/settings.json")).unwrap();
        std::os::unix::fs::symlink("nowhere", root.join("p/.claude/agents/a.md")).unwrap();
        let found = rule_files(&root.join("p"), None);
        let names = [".claude/settings.json", ".claude/agents/a.md", "opencode.json"];
        assert_eq!(found, names.map(|name| root.join("p").join(name)));
        for file in found {
            let error = read(&file, None).unwrap_err();
            assert!(matches!(error.problem(), Problem::Unreadable(_)), "{error}");
        }
        let _ = fs::remove_dir_all(&root);
    }
}
