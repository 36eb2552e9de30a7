//! The words of a tool's name, and which of them mean the same. What folds is a table, so that a finding can show it.

use std::borrow::Cow;
use std::str::Chars;

use super::wording::{push_lower, small_letters};

/// Declares words that mean the same as a table for whoever lists them, and as the function that is asked for every word.
macro_rules! same {
    ($($first:literal <- $($other:literal),+;)+) => {
        #[cfg(test)]
        const SAME: &[(&str, &[&str])] = &[$(($first, &[$($other),+])),+];

        /// The word that this one stands for, if it is another.
        fn same(word: &str) -> Option<&'static str> {
            match word {
                $($($other)|+ => Some($first),)+
                _ => None,
            }
        }
    };
}

// The first of each line is what the others fold to. The page of CS005 lists them too.
//
// Left out on purpose: `dir` and `directory` for *list* (then `list_dir` says no more than `list`), and *create*, `add`
// and `new` for each other (adding documents to an index is not creating a document; on 106 real servers it joined six
// such groups).
same! {
    "read" <- "get", "fetch", "load";
    "search" <- "find", "query", "grep";
    "list" <- "ls";
    "write" <- "put", "save", "update";
    "delete" <- "rm", "remove";
    "file" <- "content";
    "directory" <- "dir", "folder";
}

/// Words of doing, which say nothing without a word for what is done to.
const VERBS: [&str; 19] = [
    "add", "call", "check", "close", "create", "delete", "execute", "list", "open", "read", "run",
    "search", "send", "set", "start", "status", "stop", "validate", "write",
];

/// Whether a word between two others makes their order matter: `pdf_to_image` is not `image_to_pdf`.
fn orders(word: &str) -> bool {
    matches!(word, "to" | "from" | "into" | "in" | "by" | "for")
}

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
    pub(super) fn folded(&mut self, name: &str) -> impl Iterator<Item = (&str, Cow<'_, str>)> {
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
        let mut words: Vec<(Cow<'_, str>, bool)> = self
            .spans
            .iter()
            .map(|&(start, end)| &lower[start..end])
            .map(|word| (fold(word), plurals == Plurals::Kept && singular(word) != word))
            .collect();
        if !words.iter().any(|(word, _)| orders(word)) {
            words.sort_unstable();
            words.dedup();
        }
        if words.len() < 2 && words.iter().all(|(word, _)| VERBS.contains(&&**word)) {
            return;
        }
        for (at, (word, plural)) in words.into_iter().enumerate() {
            if at > 0 {
                out.push(' ');
            }
            out.push_str(&word);
            out.push_str(if plural { "s" } else { "" });
        }
    }

    /// Finds where words begin and end: at anything that is no letter or digit, where a capital follows a small letter,
    /// before the last capital of an acronym that a small letter follows, and after digits. Digits stay with the word in
    /// front of them: the `2` of `v2` says which, and as a word of its own it would be any other name's `2`.
    fn split(&mut self, name: &str) {
        self.lower.clear();
        self.spans.clear();
        let mut start = 0;
        let mut before: Option<char> = None;
        let mut rest = name.chars();
        loop {
            // A small letter begins no word inside letters, and neither do those that follow it.
            if before.is_none_or(|before| before.is_ascii_alphabetic()) {
                let run = small_letters(rest.as_str());
                self.lower.push_str(run);
                before = run.chars().next_back().or(before);
                rest = rest.as_str()[run.len()..].chars();
            }
            let Some(c) = rest.next() else { break };
            if !c.is_alphanumeric() {
                self.end_word(start);
                start = self.lower.len();
                before = None;
                continue;
            }
            if before.is_some_and(|before| begins_word(before, c, rest.clone())) {
                self.end_word(start);
                start = self.lower.len();
            }
            push_lower(c, &mut self.lower);
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

fn begins_word(before: char, c: char, mut rest: Chars<'_>) -> bool {
    if before.is_numeric() || c.is_numeric() {
        return before.is_numeric() && !c.is_numeric();
    }
    if !c.is_uppercase() || !before.is_uppercase() {
        return c.is_uppercase();
    }
    // The plural of an acronym is one word: `listURLs` is `list`, `urls`.
    match rest.next() {
        Some('s') => rest.next().is_some_and(char::is_lowercase),
        after => after.is_some_and(char::is_lowercase),
    }
}

/// The word that this one stands for: its singular, or the first of the words that mean the same.
fn fold(word: &str) -> Cow<'_, str> {
    let singular = singular(word);
    match same(&singular) {
        Some(first) => Cow::Borrowed(first),
        None => singular,
    }
}

/// A word without its plural ending. `status`, `address` and `analysis` have none.
fn singular(word: &str) -> Cow<'_, str> {
    if !word.ends_with('s') {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return Cow::Owned(format!("{stem}y"));
    }
    let hissing = ["sses", "xes", "ches", "shes"].iter().any(|end| word.ends_with(end));
    let ending = if hissing && word != "caches" { "es" } else { "s" };
    let keeps = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    match word.strip_suffix(ending) {
        // Short words that end in s are mostly acronyms (`dns`, `aws`).
        Some(stem) if !keeps && (stem.len() >= 3 || stem == "id") => Cow::Borrowed(stem),
        _ => Cow::Borrowed(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(name: &str) -> String {
        let mut meaning = String::new();
        Words::default().meaning(name, Plurals::Folded, &mut meaning);
        meaning
    }

    #[test]
    fn names_are_split_where_a_reader_would() {
        for (name, expected) in [
            ("getHTTPHeaders", "header http read"),
            ("HTTPServer", "http server"),
            ("listURLs", "list url"),
            ("list_IDs_of-things.now", "id list now of thing"),
            ("search_v2", "search v2"),
            ("listS3Buckets", "bucket list s3"),
            ("base64encode", "base64 encode"),
            ("ÜberGröße", "größe über"),
        ] {
            assert_eq!(meaning(name), expected, "{name}");
        }
    }

    #[test]
    fn plurals_fold_by_their_ending() {
        for (plural, one) in [
            ("repositories", "repository"),
            ("branches", "branch"),
            ("caches", "cache"),
            ("databases", "database"),
            ("addresses", "address"),
            ("indexes", "index"),
            ("status", "status"),
            ("analysis", "analysis"),
            ("dns", "dns"),
            ("ies", "ies"),
        ] {
            assert_eq!(singular(plural), one);
        }
    }

    #[test]
    fn every_folding_is_documented() {
        let page = crate::audit::code("CS005").map_or("", |code| code.page).replace('\n', " ");
        for (first, others) in SAME {
            let row = format!("{} → {first}", others.join(", "));
            assert!(page.contains(&row), "the page of CS005 lacks `{row}`");
        }
        let (_, ordering) = page.split_once("Where a ").unwrap();
        let (ordering, _) = ordering.split_once(" stands between words").unwrap();
        let ordering: Vec<&str> = ordering.split('`').skip(1).step_by(2).collect();
        assert_eq!(ordering, ["to", "from", "into", "in", "by", "for"]);
        assert!(ordering.into_iter().all(orders));
    }

    #[test]
    fn what_says_too_little_has_no_meaning() {
        for name in ["get", "fetch", "find_query", "__", "", "🚀", "ls", "status"] {
            assert_eq!(meaning(name), "", "{name}");
        }
    }

    #[test]
    fn order_counts_beside_a_word_that_orders() {
        assert_ne!(meaning("pdf_to_image"), meaning("image_to_pdf"));
        assert_eq!(meaning("users_list"), meaning("listUsers"));
    }
}
