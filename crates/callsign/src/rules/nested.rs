/// Numbered texts in their order, each with the longest other one that it begins with, so that all texts that a given one
/// begins with are found without looking at the rest.
///
/// The texts stay where they are; every call is given the function that finds them.
#[derive(Debug, Clone, Default)]
pub(super) struct Nested {
    /// The numbers, sorted by their texts; equal texts in the order of their numbers.
    order: Vec<u32>,
    /// For each place in `order` the place of the longest text that its own begins with.
    within: Vec<u32>,
}

/// No text is the beginning of this one.
const NONE: u32 = u32::MAX;

impl Nested {
    pub(super) fn of<'t>(mut numbers: Vec<u32>, text: impl Fn(u32) -> &'t str) -> Self {
        numbers.sort_by(|a, b| text(*a).cmp(text(*b)).then(a.cmp(b)));
        let mut within = Vec::with_capacity(numbers.len());
        let mut open: Vec<u32> = Vec::new();
        for (at, number) in (0u32..).zip(&numbers) {
            let begins = |place: u32| text(*number).starts_with(text(numbers[place as usize]));
            while open.last().is_some_and(|&place| !begins(place)) {
                open.pop();
            }
            within.push(open.last().copied().unwrap_or(NONE));
            open.push(at);
        }
        numbers.shrink_to_fit();
        Self { order: numbers, within }
    }

    /// The numbers of all texts that `whole` begins with, longest text first.
    pub(super) fn beginnings<'t>(
        &self,
        whole: &str,
        text: impl Fn(u32) -> &'t str,
    ) -> impl Iterator<Item = u32> {
        // A text that `whole` begins with is a beginning of everything that stands between the two.
        let after = self.order.partition_point(|number| text(*number) <= whole);
        let mut place = after.checked_sub(1);
        std::iter::from_fn(move || {
            let at = place?;
            place = self.within.get(at).filter(|within| **within != NONE).map(|w| *w as usize);
            Some(self.order[at])
        })
        .filter(move |number| whole.starts_with(text(*number)))
    }

    /// The numbers of all texts that are equal to this one.
    pub(super) fn equal<'t>(&self, whole: &str, text: impl Fn(u32) -> &'t str) -> &[u32] {
        equal(&self.order, |number| text(number).cmp(whole))
    }
}

/// What compares as equal among sorted numbers.
pub(super) fn equal(sorted: &[u32], compared: impl Fn(u32) -> std::cmp::Ordering) -> &[u32] {
    let from = sorted.partition_point(|number| compared(*number).is_lt());
    let count = sorted[from..].partition_point(|number| compared(*number).is_eq());
    &sorted[from..from + count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_beginnings_are_found_and_nothing_else() {
        let texts = ["ab", "a", "", "b", "abc", "ab", "abd", "ac", "é", "abcd_"];
        let text = |number: u32| texts[number as usize];
        let nested = Nested::of((0..10).collect(), text);
        for whole in ["", "a", "ab", "abc", "abcd", "abz", "ad", "b", "éa", "zz", "abcd_e"] {
            let mut found: Vec<u32> = nested.beginnings(whole, text).collect();
            found.sort_unstable();
            let wanted: Vec<u32> = (0..10).filter(|n| whole.starts_with(text(*n))).collect();
            assert_eq!(found, wanted, "{whole:?}");
            let wanted: Vec<u32> = (0..10).filter(|n| whole == text(*n)).collect();
            assert_eq!(nested.equal(whole, text), wanted, "{whole:?}");
        }
    }
}
