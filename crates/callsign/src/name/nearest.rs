/// The candidates that someone who typed `asked` may have meant, best first, at most three.
///
/// Near means: equal but for case and separators, or within a third of the length in edits (insert, delete, replace, or
/// swap of neighbours). Ties are broken by text, so the answer does not depend on the order of the candidates.
#[must_use]
pub fn nearest<'a>(asked: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    const BEST: usize = 3;
    let mut asked_folded = Vec::new();
    fold(asked, &mut asked_folded);
    let mut allowed = (asked_folded.len() / 3).max(1);
    let mut best: Vec<(usize, &str)> = Vec::with_capacity(BEST + 1);
    let mut folded = Vec::new();
    for candidate in candidates {
        fold(candidate, &mut folded);
        let Some(distance) = edits(&asked_folded, &folded, allowed) else { continue };
        let Err(place) = best.binary_search(&(distance, candidate)) else { continue };
        best.insert(place, (distance, candidate));
        best.truncate(BEST);
        // What is farther than the last of the best can't come in any more, so it need not be measured to the end.
        if let Some((farthest, _)) = best.get(BEST - 1) {
            allowed = *farthest;
        }
    }
    best.into_iter().map(|(_, candidate)| candidate).collect()
}

fn fold(text: &str, out: &mut Vec<char>) {
    out.clear();
    for c in text.chars().filter(|c| !matches!(c, '_' | '-' | '.')) {
        if c.is_ascii() {
            out.push(c.to_ascii_lowercase());
        } else {
            out.extend(c.to_lowercase());
        }
    }
}

/// More than any distance; one more is still a number.
const FAR: usize = usize::MAX / 2;

/// The optimal string alignment distance, or `None` above `allowed`.
///
/// Only the cells within `allowed` of the diagonal are computed: whoever leaves that band has made too many edits.
fn edits(a: &[char], b: &[char], allowed: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > allowed {
        return None;
    }
    let mut before_last: Vec<usize> = vec![FAR; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let mut row = before_last.clone();
    for i in 1..=a.len() {
        let (from, to) = (i.saturating_sub(allowed).max(1), (i + allowed).min(b.len()));
        row[from - 1] = if from == 1 { i } else { FAR };
        for j in from..=to {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        if row[from - 1..=to].iter().min() > Some(&allowed) {
            return None;
        }
        if let Some(beyond) = row.get_mut(to + 1) {
            *beyond = FAR;
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Some(last[b.len()]).filter(|&distance| distance <= allowed)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{edits, nearest};

    /// The definition, cell by cell.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut cells = vec![vec![0usize; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                cells[i][j] = if i == 0 || j == 0 {
                    i.max(j)
                } else {
                    let replaced = cells[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
                    let swapped = if swapped { cells[i - 2][j - 2] + 1 } else { usize::MAX };
                    replaced.min(cells[i - 1][j] + 1).min(cells[i][j - 1] + 1).min(swapped)
                };
            }
        }
        cells[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn the_band_holds_every_distance_that_is_allowed(
            a in "[abc]{0,12}",
            b in "[abc]{0,12}",
            allowed in 0..14usize,
        ) {
            let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let expected = Some(distance(&a, &b)).filter(|&distance| distance <= allowed);
            prop_assert_eq!(edits(&a, &b, allowed), expected);
        }
    }

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
        let mut names =
            ["read_fill", "reed_file", "bead_file", "read_fine", "read_file2", "road_file"];
        let best = nearest("read_file", names);
        assert_eq!(best, ["bead_file", "read_file2", "read_fill"]);
        for _ in 0..names.len() {
            names.rotate_left(1);
            assert_eq!(nearest("read_file", names), best);
        }
        assert_eq!(nearest("read_file", ["bead_file"; 4]), ["bead_file"], "each once");
    }
}
