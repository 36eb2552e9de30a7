use std::cmp::Ordering;

/// Numbered texts in their order, each with the longest other one that it begins with, so that all texts that a given one
/// begins with are found without looking at the rest.
///
/// The texts stay where they are; every call is given the function that finds them. What tells most of them apart is kept
/// here, so that few have to be fetched.
#[derive(Debug, Clone, Default)]
pub(super) struct Nested {
    /// The numbers, sorted by their texts; equal texts in the order of their numbers.
    order: Vec<u32>,
    /// For each place in `order` the place of the longest text that its own begins with.
    within: Vec<u32>,
    /// For each place in `order` what follows after `common` bytes.
    heads: Vec<Head>,
    /// How many bytes all texts begin with alike.
    common: usize,
}

/// No text is the beginning of this one.
const NONE: u32 = u32::MAX;

/// Sixteen bytes of a text, or what there is of them and zeros; compares as the texts do, or as equal.
type Head = u128;

fn head(bytes: &[u8]) -> Head {
    let mut head = [0; 16];
    let length = bytes.len().min(16);
    head[..length].copy_from_slice(&bytes[..length]);
    Head::from_be_bytes(head)
}

impl Nested {
    pub(super) fn of<'t>(mut numbers: Vec<u32>, text: impl Fn(u32) -> &'t str) -> Self {
        numbers.sort_by(|a, b| text(*a).cmp(text(*b)).then(a.cmp(b)));
        numbers.shrink_to_fit();
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
        // The first and the last differ before any others do.
        let [first, last] = [numbers.first(), numbers.last()].map(|n| n.map_or("", |n| text(*n)));
        let common = first.bytes().zip(last.bytes()).take_while(|(a, b)| a == b).count();
        let heads =
            numbers.iter().map(|number| head(&text(*number).as_bytes()[common..])).collect();
        Self { order: numbers, within, heads, common }
    }

    /// The numbers of all texts that `whole` begins with, longest text first.
    pub(super) fn beginnings<'t>(
        &self,
        whole: &str,
        text: impl Fn(u32) -> &'t str,
    ) -> impl Iterator<Item = u32> {
        // A text that `whole` begins with is a beginning of everything that stands between the two.
        let mut place = self.count_until(whole, Ordering::is_le, &text).checked_sub(1);
        std::iter::from_fn(move || {
            let at = place?;
            place = self.within.get(at).filter(|within| **within != NONE).map(|w| *w as usize);
            Some(self.order[at])
        })
        .filter(move |number| whole.starts_with(text(*number)))
    }

    /// The numbers of all texts that are equal to this one.
    pub(super) fn equal<'t>(&self, whole: &str, text: impl Fn(u32) -> &'t str) -> &[u32] {
        let from = self.count_until(whole, Ordering::is_lt, &text);
        let rest = &self.order[from..];
        let count = rest.iter().take_while(|number| text(**number) == whole).count();
        &rest[..count]
    }

    /// How many texts come before the first whose comparison with `whole` is not as wanted. None, if `whole` does not begin as
    /// they all do, so that nothing can be its beginning.
    fn count_until<'t>(
        &self,
        whole: &str,
        wanted: impl Fn(Ordering) -> bool,
        text: impl Fn(u32) -> &'t str,
    ) -> usize {
        let Some(first) = self.order.first() else { return 0 };
        let (whole, common) = (whole.as_bytes(), &text(*first).as_bytes()[..self.common]);
        let Some(rest) = whole.strip_prefix(common) else { return 0 };
        let head = head(rest);
        let (mut from, mut until) = (0, self.order.len());
        while from < until {
            let middle = from.midpoint(until);
            let by_head = self.heads[middle].cmp(&head);
            let compared = by_head.then_with(|| text(self.order[middle]).as_bytes().cmp(whole));
            if wanted(compared) { from = middle + 1 } else { until = middle }
        }
        from
    }
}

/// What compares as equal among sorted numbers.
pub(super) fn equal(sorted: &[u32], compared: impl Fn(u32) -> Ordering) -> &[u32] {
    let from = sorted.partition_point(|number| compared(*number).is_lt());
    let count = sorted[from..].partition_point(|number| compared(*number).is_eq());
    &sorted[from..from + count]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_beginnings_are_found_and_nothing_else() {
        let ends = ["ab", "a", "", "b", "abc", "ab", "abd", "ac", "é", "abcd_", "a\0", "a\0\0"];
        let wholes =
            ["", "a", "ab", "abc", "abcd", "abz", "ad", "b", "éa", "zz", "abcd_e", "a\0\0b"];
        // What is alike may stand before what differs, and be longer than what is kept of it.
        for before in ["", "x", "mcp__", &"long".repeat(5)] {
            for between in ["", "0123456789abcde", "0123456789abcdef"] {
                let text_of = |end: &str| [before, between, end].concat();
                for odd in ["", "mcp", "zz"] {
                    let texts: Vec<String> =
                        ends.iter().map(|end| text_of(end)).chain([odd.to_owned()]).collect();
                    let count = if odd.is_empty() { ends.len() } else { texts.len() };
                    let text = |number: u32| texts[number as usize].as_str();
                    let all = || 0..u32::try_from(count).unwrap();
                    let nested = Nested::of(all().collect(), text);
                    for whole in
                        wholes.iter().map(|end| text_of(end)).chain(["mcp".into(), "m".into()])
                    {
                        let mut found: Vec<u32> = nested.beginnings(&whole, text).collect();
                        found.sort_unstable();
                        let wanted: Vec<u32> =
                            all().filter(|n| whole.starts_with(text(*n))).collect();
                        assert_eq!(found, wanted, "{whole:?}");
                        let wanted: Vec<u32> = all().filter(|n| whole == text(*n)).collect();
                        assert_eq!(nested.equal(&whole, text), wanted, "{whole:?}");
                    }
                }
            }
        }
        let apart = Nested::of(vec![0, 1, 2], |number| ["a", "b", "ba"][number as usize]);
        assert_eq!(apart.within, [NONE, NONE, 1], "what is no beginning is not looked at");
        let nothing = Nested::of(Vec::new(), |_| "");
        assert_eq!(nothing.beginnings("a", |_| "").count(), 0);
    }
}
