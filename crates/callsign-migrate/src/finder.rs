use aho_corasick::{AhoCorasick, Input, MatchKind};
use memchr::memmem;

/// Finds where in a text a name may begin, as fast as a search can be. Most files are done with after this.
#[derive(Debug, Clone)]
pub(crate) struct Finder(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Nothing,
    /// All names begin alike, as `mcp__…` names do.
    One(Box<memmem::Finder<'static>>),
    Many(AhoCorasick),
}

impl Finder {
    /// Looks for the starts of these texts. Those that begin with another of them need no search of their own.
    pub(crate) fn new<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        texts.sort_unstable();
        texts.dedup_by(|later, kept| later.starts_with(*kept));
        let one = |text: &str| Kind::One(Box::new(memmem::Finder::new(text).into_owned()));
        Self(match &texts[..] {
            [] => Kind::Nothing,
            [text] => one(text),
            texts => match common_start(texts) {
                Some(common) => one(common),
                None => automaton(texts),
            },
        })
    }

    /// The first place from `from` on where a name may begin.
    pub(crate) fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        match &self.0 {
            Kind::Nothing => None,
            Kind::One(finder) => finder.find(rest).map(|at| from + at),
            Kind::Many(automaton) => {
                let found = automaton.find(Input::new(text).range(from..))?;
                Some(found.start())
            }
        }
    }
}

/// What all of them begin with, if that is rare enough to look for.
fn common_start<'a>(sorted: &[&'a str]) -> Option<&'a str> {
    let (first, last) = (sorted.first()?, sorted.last()?);
    let alike = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
    let common = first.get(..alike)?;
    let rare = alike >= 4 || common.bytes().any(|byte| !byte.is_ascii_alphanumeric());
    rare.then_some(common).filter(|common| !common.is_empty())
}

fn automaton(texts: &[&str]) -> Kind {
    let built = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(texts);
    match built {
        Ok(automaton) => Kind::Many(automaton),
        // Only with more texts than fit into memory; then each place is a candidate.
        Err(_) => Kind::One(Box::new(memmem::Finder::new("").into_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(names: &[&str], text: &str) -> Vec<usize> {
        let finder = Finder::new(names.iter().copied());
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(at) = finder.next(text.as_bytes(), from) {
            found.push(at);
            from = at + 1;
        }
        found
    }

    #[test]
    fn every_start_is_found() {
        assert_eq!(all(&["mcp__a__b", "mcp__a"], "mcp__a__b mcp__a"), [0, 10]);
        assert_eq!(all(&["search", "request"], "research request"), [2, 9]);
        assert_eq!(all(&["ab", "abc", "c d"], "abc d"), [0, 2]);
        assert_eq!(all(&[], "abc"), [0; 0]);
        assert_eq!(all(&["@a/x", "@b/y"], "me@b/y"), [2]);
    }
}
