/// The candidates that someone who typed `asked` may have meant, best first, at most three.
///
/// Near means: equal but for case and separators, or within a third of the length in edits (insert, delete, replace, or
/// swap of neighbours). Ties are broken by text, so the answer does not depend on the order of the candidates.
pub(crate) fn nearest<'a>(
    asked: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    let asked_folded = fold(asked);
    let allowed = (asked_folded.len() / 3).max(1);
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| {
            edits(&asked_folded, &fold(candidate), allowed).map(|distance| (distance, candidate))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found.truncate(3);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

fn fold(text: &str) -> Vec<char> {
    text.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect()
}

/// The optimal string alignment distance, or `None` above `allowed`.
fn edits(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let mut before_last: Vec<usize> = vec![0; b.len() + 1];
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
        if row.iter().min() > Some(&allowed) {
            return None;
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Some(last[b.len()]).filter(|&distance| distance <= allowed)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_typos_and_other_separators_and_nothing_far_away() {
        let names = ["read_file", "write_file", "list_directory"];
        assert_eq!(nearest("raed_file", names), ["read_file"]);
        assert_eq!(nearest("readFile", names)[0], "read_file");
        assert!(nearest("search", names).is_empty());
    }

    #[test]
    fn the_order_of_candidates_does_not_matter() {
        assert_eq!(nearest("ab", ["ac", "aa"]), nearest("ab", ["aa", "ac"]));
    }
}
