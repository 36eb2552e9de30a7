//! Which of the known words somebody may have meant.

/// The candidates nearest to `written`, at most two, best first and then in their order: equal but for case and
/// separators, a few edits away, or one the beginning of the other.
pub(crate) fn near(written: &str, candidates: &[&'static str]) -> Vec<&'static str> {
    let written = fold(written);
    let mut found: Vec<(usize, &'static str)> = candidates
        .iter()
        .filter_map(|candidate| Some((distance(&written, &fold(candidate))?, *candidate)))
        .collect();
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(2).map(|(_, candidate)| candidate).collect()
}

/// Lower case without separators; cut, since a word this long is near none of ours.
fn fold(text: &str) -> Vec<char> {
    let letters = text.chars().filter(|c| !matches!(c, '_' | '-' | '.' | ' '));
    letters.flat_map(char::to_lowercase).take(64).collect()
}

fn distance(written: &[char], candidate: &[char]) -> Option<usize> {
    let edits = edits(written, candidate);
    let longer = candidate.len() >= 3 && written.starts_with(candidate);
    let shorter = written.len() >= 4 && candidate.starts_with(written);
    (longer || shorter || edits <= (candidate.len() / 3).max(1)).then_some(edits)
}

/// Optimal string alignment: insert, delete, replace, or swap neighbours.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = last.clone();
    for i in 1..=a.len() {
        row[0] = i;
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[b.len()]
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
        assert_eq!(near("sevrers", &known)[0], "servers");
        assert_eq!(near("exclude_tools", &known), ["exclude"]);
        assert!(near("mcp", &known).is_empty(), "other clients' key");
        assert!(near("editor", &known).is_empty());
    }
}
