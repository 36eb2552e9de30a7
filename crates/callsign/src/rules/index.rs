use std::cmp::Reverse;

use super::nested::{Nested, equal};
use super::pattern::{Covers, Identity, Part, Pattern, Spelled, Unreadable};
use super::rule::Rule;
use super::target::Target;

/// Finds the rules that may have something to do with a tool, in time that does not grow with those that have not.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// Whole texts.
    exact: Nested,
    /// Texts with a wildcard, by what stands before it.
    prefixes: Nested,
    /// Pairs of one server, sorted by it, those of whole wire names first, and by the wire name.
    pairs: Vec<u32>,
    /// Pairs of several servers, by the beginning of their keys.
    wide_pairs: Nested,
    /// Restrictions that can't be read and may have been meant for anything, or for more than one pattern says.
    always: Vec<u32>,
}

impl Index {
    pub(super) fn of(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        let (mut exact, mut prefixes, mut wide_pairs) = (Vec::new(), Vec::new(), Vec::new());
        for (number, rule) in (0u32..).zip(rules) {
            match (found_by(rule), rule.pattern()) {
                (Some(Pattern::Spelled(spelled)), _) => match spelled {
                    Spelled::Exact(_) => exact.push(number),
                    Spelled::Prefix(_) => prefixes.push(number),
                    Spelled::Never(_) => {}
                },
                (Some(Pattern::Identity(identity)), _) => match identity.server {
                    Part::Exact(_) => index.pairs.push(number),
                    Part::Prefix(_) => wide_pairs.push(number),
                },
                (None, Err(_)) if rule.effect().restricts() => index.always.push(number),
                (None, _) => {}
            }
        }
        index.exact = Nested::of(exact, |number| spelled(rules, number));
        index.pairs.sort_by_key(|number| (pair(rules, *number), *number));
        index.prefixes = Nested::of(prefixes, |number| spelled(rules, number));
        index.wide_pairs = Nested::of(wide_pairs, |number| pair(rules, number).0);
        index
    }

    /// The numbers of the rules that may match, deny before ask before allow, in their order within each, none twice.
    pub(super) fn candidates(&self, rules: &[Rule], target: &Target<'_>) -> Vec<u32> {
        let mut found = self.always.clone();
        for name in target.whole_names() {
            found.extend(self.exact.equal(name, |number| spelled(rules, number)));
        }
        target.each_spelling(|whole| {
            found.extend(self.prefixes.beginnings(whole, |number| spelled(rules, number)));
        });
        let (server, tool) = (target.call.server, target.call.tool);
        let whole = (server, false, tool);
        found.extend(equal(&self.pairs, |number| pair(rules, number).cmp(&whole)));
        let wide = (server, true);
        found.extend(equal(&self.pairs, |number| {
            let (server, is_wide, _) = pair(rules, number);
            (server, is_wide).cmp(&wide)
        }));
        found.extend(self.wide_pairs.beginnings(server, |number| pair(rules, number).0));
        found.sort_unstable_by_key(|number| (Reverse(rules[*number as usize].effect()), *number));
        found.dedup();
        found
    }
}

/// The pattern that says all of what a rule has to do with, read or unread. `None` if there is no such pattern, or if the rule
/// can't have an effect.
fn found_by(rule: &Rule) -> Option<&Pattern> {
    match rule.pattern() {
        Ok(pattern) => Some(pattern),
        Err(Unreadable { covers: Covers::Pattern(pattern), .. }) if rule.effect().restricts() => {
            Some(pattern)
        }
        Err(_) => None,
    }
}

/// The text that a spelled rule is found by.
fn spelled(rules: &[Rule], number: u32) -> &str {
    match found_by(&rules[number as usize]) {
        Some(Pattern::Spelled(Spelled::Exact(text) | Spelled::Prefix(text))) => text,
        _ => "",
    }
}

/// Server, whether the wire name is a wildcard, and wire name, of a rule of two fields.
fn pair(rules: &[Rule], number: u32) -> (&str, bool, &str) {
    let Some(Pattern::Identity(Identity { server, tool })) = found_by(&rules[number as usize])
    else {
        return ("", false, "");
    };
    (server.text(), matches!(tool, Part::Prefix(_)), tool.text())
}
