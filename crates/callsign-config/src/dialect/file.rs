//! A file with rules: which dialects are in it, and where such files lie.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::rules::Rules;
use super::source::Source;
use super::{ALL, Dialect, Found};
use crate::discover::project_folders;
use crate::document::Document;
use crate::error::ConfigError;
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
        None => spoken_in(&document),
    };
    let source = Source { document: &document, whole_file: true };
    let mut sets = Vec::new();
    for dialect in spoken {
        sets.push(named(dialect.read(source)?, &document.root));
    }
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
    Ok(named(rules, &document.root))
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

/// The dialects whose file this is by its path; if there is none, those that recognise the content.
fn spoken_in(document: &Document<'_>) -> Vec<&'static dyn Dialect> {
    let by_path: Vec<_> =
        ALL.into_iter().filter(|dialect| has_its_name(*dialect, document.file)).collect();
    if !by_path.is_empty() {
        return by_path;
    }
    ALL.into_iter().filter(|dialect| dialect.recognises(Found(&document.root))).collect()
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
/// then those of the user. A fixed order; none twice. Only looks which files exist.
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
        let listed = files[0].parent().and_then(|parent| fs::read_dir(parent).ok());
        let entries = listed.into_iter().flatten().filter_map(Result::ok);
        files = entries.map(|entry| entry.path()).filter(|file| is_called(file, own)).collect();
        files.sort();
    }
    for file in files {
        if file.is_file() && !found.contains(&file) {
            found.push(file);
        }
    }
}

/// Keys below which nothing is a rule, wherever they stand: environments, headers, and the programs that hooks run.
const NEVER_RULES: [&str; 3] = ["env", "headers", "hooks"];

/// The text with every value that is no part of the rules overwritten.
fn masked(text: &str, root: &Node<'_>, sets: &[Rules]) -> String {
    let mut open: HashSet<Span> = HashSet::new();
    for rules in sets {
        open.extend(rules.lists.iter().map(|list| list.span));
        open.extend(rules.entries.iter().map(|entry| entry.span));
        open.extend(rules.switches.iter().map(|switch| switch.span));
        open.extend(rules.dropped.iter().map(|(_, span)| *span));
    }
    let mut hidden = Vec::new();
    hidden_texts(root, &open, false, &mut hidden);
    hidden.sort_unstable();
    let mut shown = String::with_capacity(text.len());
    let mut kept = 0;
    for hidden in hidden {
        shown.push_str(text.get(kept..hidden.start).unwrap_or_default());
        shown.extend(std::iter::repeat_n('*', hidden.end.saturating_sub(hidden.start.max(kept))));
        kept = kept.max(hidden.end);
    }
    shown.push_str(text.get(kept..).unwrap_or_default());
    shown
}

/// The spans of texts outside the open values. The tree decides and not the bytes: a table in TOML may have its parts
/// anywhere in the file.
fn hidden_texts(node: &Node<'_>, open: &HashSet<Span>, is_open: bool, hidden: &mut Vec<Span>) {
    let is_open = is_open || open.contains(&node.span);
    match &node.value {
        Value::Text(_) if !is_open => hidden.push(node.span),
        Value::List(items) => {
            items.iter().for_each(|item| hidden_texts(item, open, is_open, hidden));
        }
        Value::Map(entries) => {
            for entry in entries {
                let is_open = is_open && !NEVER_RULES.contains(&entry.key.as_ref());
                hidden_texts(&entry.node, open, is_open, hidden);
            }
        }
        _ => {}
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
        assert_eq!(
            dialects_of("x.json", r#"{"permissions": {"deny": ["mcp__a"]}}"#),
            ["claude-code"]
        );
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
}
