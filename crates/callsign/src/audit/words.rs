//! The words of a tool's name, and which of them mean the same. What folds is a table, so that a finding can show it.

/// Words that mean the same; the first column is what the others fold to.
///
/// Left out on purpose, each tried on real catalogues: `dir` for *list* (then `list_dir` is not `list_directory`),
/// `update` for *write* (`update_issue` changes what is there, `write_issue` replaces it or makes it), `create`, `add` and
/// `new` for each other (one makes, the other puts into).
const SAME: [(&str, &[&str]); 6] = [
    ("read", &["get", "fetch", "load"]),
    ("search", &["find", "query", "grep"]),
    ("list", &["ls"]),
    ("write", &["put", "save"]),
    ("delete", &["rm", "remove"]),
    ("file", &["content"]),
];

/// A second table for things: `dir` is a directory.
const SAME_THING: [(&str, &[&str]); 1] = [("directory", &["dir", "folder"])];

/// Words of doing, which say nothing without a word for what is done to.
const VERBS: [&str; 20] = [
    "add", "call", "check", "close", "create", "delete", "execute", "list", "open", "read", "run",
    "search", "send", "set", "start", "status", "stop", "update", "validate", "write",
];

/// Words between two others that make their order matter: `pdf_to_image` is not `image_to_pdf`.
const ORDERING: [&str; 6] = ["to", "from", "into", "in", "by", "for"];

/// Whether a plural is told from its singular.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Plurals {
    Folded,
    Kept,
}

/// Splits names into folded words; keeps its buffers between names.
#[derive(Default)]
pub(super) struct Words {
    lower: String,
    spans: Vec<(usize, usize)>,
}

impl Words {
    /// The name's words that stand for another word, each with that word. Plurals of one word are no such case.
    pub(super) fn folded(&mut self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        self.split(name);
        let lower = &self.lower;
        let words = self.spans.iter().map(|&(start, end)| &lower[start..end]);
        words.map(|word| (word, fold(word))).filter(|(word, folded)| singular(word) != *folded)
    }

    /// Appends what a name means: its folded words, each once and sorted (in their order where that matters), joined by
    /// spaces. Nothing for a name that says too little to be compared: no word, or a verb alone.
    pub(super) fn meaning(&mut self, name: &str, plurals: Plurals, out: &mut String) {
        self.split(name);
        let lower = &self.lower;
        let mut words: Vec<(&str, bool)> = self
            .spans
            .iter()
            .map(|&(start, end)| &lower[start..end])
            .map(|word| (fold(word), plurals == Plurals::Kept && singular(word) != word))
            .collect();
        if !words.iter().any(|(word, _)| ORDERING.contains(word)) {
            words.sort_unstable();
            words.dedup();
        }
        if words.len() < 2 && words.iter().all(|(word, _)| VERBS.contains(word)) {
            return;
        }
        for (at, (word, plural)) in words.into_iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            out.push_str(word);
            out.push_str(if plural { "s" } else { "" });
        }
    }

    /// Finds where words begin and end: at anything that is no letter or digit, where a capital follows a small letter,
    /// before the last capital of an acronym that a small letter follows, and between letters and digits.
    fn split(&mut self, name: &str) {
        self.lower.clear();
        self.spans.clear();
        let mut start = 0;
        let mut before: Option<char> = None;
        let mut rest = name.chars().peekable();
        while let Some(c) = rest.next() {
            let after = rest.peek().copied();
            if !c.is_alphanumeric() {
                self.end_word(start);
                start = self.lower.len();
                before = None;
                continue;
            }
            if before.is_some_and(|before| begins_word(before, c, after, rest.clone().nth(1))) {
                self.end_word(start);
                start = self.lower.len();
            }
            self.lower.extend(c.to_lowercase());
            before = Some(c);
        }
        self.end_word(start);
    }

    fn end_word(&mut self, start: usize) {
        if self.lower.len() > start {
            self.spans.push((start, self.lower.len()));
        }
    }
}

fn begins_word(before: char, c: char, after: Option<char>, after_next: Option<char>) -> bool {
    if before.is_numeric() != c.is_numeric() {
        return true;
    }
    if !c.is_uppercase() {
        return false;
    }
    // The plural of an acronym is one word: `listURLs` is `list`, `urls`.
    let plural = after == Some('s') && !after_next.is_some_and(char::is_lowercase);
    !before.is_uppercase() || (after.is_some_and(char::is_lowercase) && !plural)
}

fn fold(word: &str) -> &str {
    let word = singular(word);
    let tables = SAME.iter().chain(&SAME_THING);
    tables.clone().find(|(_, others)| others.contains(&word)).map_or(word, |(first, _)| first)
}

/// A word without its plural `s`: the simple rule only, so that a singular is always a part of the word and a reader can
/// check it. `status`, `address` and `analysis` keep theirs.
fn singular(word: &str) -> &str {
    let keeps = ["ss", "us", "is", "ies"].iter().any(|end| word.ends_with(end));
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && !keeps => stem,
        _ if word == "directories" => "directory",
        _ => word,
    }
}
