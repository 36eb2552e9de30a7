//! Which of the known words somebody may have meant.

/// The candidates nearest to `written`, at most two: equal but for case and separators, or a few edits away.
pub(crate) fn near(written: &str, candidates: &[&'static str]) -> Vec<&'static str> {
    let folded = fold(written);
    let mut found: Vec<(usize, &'static str)> = candidates
        .iter()
        .map(|candidate| (edits(&folded, &fold(candidate)), *candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len() / 4).max(1))
        .collect();
    found.sort_unstable();
    found.into_iter().take(2).map(|(_, candidate)| candidate).collect()
}

/// Lower case without separators; cut, since a word this long is near none of ours.
fn fold(text: &str) -> Vec<char> {
    let letters = text.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' '));
    letters.flat_map(char::to_lowercase).take(64).collect()
}

/// The Levenshtein distance.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn typos_and_other_spellings_are_near_and_other_words_are_not() {
        let known = ["mcpServers", "servers", "include", "exclude"];
        assert_eq!(near("mcp_servers", &known), ["mcpServers"]);
        assert_eq!(near("mcpServer", &known), ["mcpServers"]);
        assert_eq!(near("includ", &known), ["include"]);
        assert!(near("editor", &known).is_empty());
    }
}
