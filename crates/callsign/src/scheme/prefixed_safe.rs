use sha2::{Digest, Sha256};

use super::{PROVIDER_LIMIT, Scheme, is_provider_char};
use crate::name::{ServerKey, WireName};

/// `{server}__{tool}` where that is legal, fits and reads one way; else substituted, cut and hashed. The default of the
/// gateway: hosts add a prefix of their own, and no tool may be lost.
///
/// A name is *plain* exactly when it is made of `A-Z a-z 0-9 _ -`, is within the budget, gives the identity back when split
/// at its first `__`, is not changed by the host's fold, and does not end in the suffix form. Any other name is folded, cut
/// to `budget - 10` and gets the suffix: `_`, one decimal digit, eight base-32 digits, from SHA-256 of the length-prefixed
/// key and wire name. So no plain name equals a hashed one, and neither a neighbour nor a forger can take another's name;
/// what is left is a 43-bit accident between two hashed names, which the registry refuses.
///
/// A pure function of identity, budget and fold.
#[derive(Debug, Clone, Copy)]
pub struct PrefixedSafe {
    budget: usize,
    fold: Fold,
}

/// What a host does to two names that are both legal, so that they arrive as one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fold {
    /// Nothing.
    #[default]
    None,
    /// `-` becomes `_`.
    Hyphens,
    /// Names are compared without case.
    Case,
    /// Both.
    HyphensAndCase,
}

/// Length of the suffix: `_`, one digit, eight digits.
const SUFFIX: usize = 10;
/// Base 32 without the look-alikes i, l, o and u.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

impl Default for PrefixedSafe {
    /// 48 characters: what `mcp__callsign__` in front leaves of the strictest known limit, 63. No fold.
    fn default() -> Self {
        Self { budget: 48, fold: Fold::None }
    }
}

impl PrefixedSafe {
    /// The least budget: the suffix and one character in front of it.
    pub const LEAST_BUDGET: usize = SUFFIX + 1;

    /// A scheme for a host that leaves `budget` characters (at most 64) and folds names so; `None` if the budget is below
    /// [`LEAST_BUDGET`](Self::LEAST_BUDGET).
    #[must_use]
    pub fn new(budget: usize, fold: Fold) -> Option<Self> {
        (budget >= Self::LEAST_BUDGET).then(|| Self { budget: budget.min(PROVIDER_LIMIT), fold })
    }
}

impl Scheme for PrefixedSafe {
    fn id(&self) -> &'static str {
        "prefixed-safe"
    }

    fn limit(&self) -> usize {
        self.budget
    }

    fn is_total(&self) -> bool {
        true
    }

    fn spell(&self, server: &ServerKey, wire: &WireName, out: &mut String) {
        if self.is_plain(server, wire) {
            for part in [&**server, "__", wire] {
                out.push_str(part);
            }
            return;
        }
        let characters = server.chars().chain("__".chars()).chain(wire.chars());
        out.extend(characters.take(self.budget - SUFFIX).map(|c| self.fold.apply(c)));
        push_suffix(server, wire, out);
    }
}

impl PrefixedSafe {
    fn is_plain(&self, server: &str, wire: &str) -> bool {
        let stays = |c: char| is_provider_char(c) && self.fold.apply(c) == c;
        server.len() + 2 + wire.len() <= self.budget
            && server.chars().all(stays)
            && wire.chars().all(stays)
            && !server.contains("__")
            && !server.ends_with('_')
            && !ends_in_suffix(server, wire)
    }
}

impl Fold {
    /// The character as it is after substitution and the host's fold.
    fn apply(self, c: char) -> char {
        match c {
            '-' if matches!(self, Self::Hyphens | Self::HyphensAndCase) => '_',
            c if !is_provider_char(c) => '_',
            c if matches!(self, Self::Case | Self::HyphensAndCase) => c.to_ascii_lowercase(),
            c => c,
        }
    }
}

/// Whether `{server}__{wire}` ends as a hashed name does. What a fold would make end so is not asked about: a name that the
/// fold changes is not plain.
fn ends_in_suffix(server: &str, wire: &str) -> bool {
    let mut last = wire.bytes().rev().chain(*b"__").chain(server.bytes().rev());
    let base32 = last.by_ref().take(8).filter(|b| ALPHABET.contains(b)).count();
    base32 == 8 && last.next().is_some_and(|b| b.is_ascii_digit()) && last.next() == Some(b'_')
}

fn push_suffix(server: &str, wire: &str, out: &mut String) {
    let mut hash = Sha256::new();
    hash.update((server.len() as u64).to_be_bytes());
    hash.update(server);
    hash.update((wire.len() as u64).to_be_bytes());
    hash.update(wire);
    let hash = hash.finalize();
    out.push('_');
    out.push(char::from(b'0' + hash[8] % 10));
    let bits = hash.iter().take(5).fold(0u64, |bits, byte| bits << 8 | u64::from(*byte));
    for digit in (0..8).rev() {
        out.push(char::from(ALPHABET[(bits >> (digit * 5) & 31) as usize]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(scheme: PrefixedSafe, server: &str, wire: &str) -> String {
        let (server, wire) = (ServerKey::new(server).unwrap(), WireName::new(wire).unwrap());
        scheme.name(&server, &wire).unwrap().to_string()
    }

    #[test]
    fn plain_exactly_when_it_reads_one_way() {
        let plain = |server: &str, wire: &str| {
            name(PrefixedSafe::default(), server, wire) == format!("{server}__{wire}")
        };
        assert!(plain("foo", "bar__baz") && plain("foo", "_x") && plain("a-b", "C_d"));
        assert!(!plain("foo__bar", "baz") && !plain("foo_", "x") && !plain("foo", "a.b"));
        assert!(plain("k", &"t".repeat(45)) && !plain("k", &"t".repeat(46)));
    }

    #[test]
    fn a_forged_suffix_is_hashed_again() {
        let hashed = name(PrefixedSafe::default(), "foo", "a.b");
        let (server, wire) = hashed.split_at(hashed.find("__").unwrap());
        let forged = name(PrefixedSafe::default(), server, &wire[2..]);
        assert_ne!(forged, hashed);
        assert_eq!(forged.len(), hashed.len() + SUFFIX);
    }

    #[test]
    fn what_only_a_fold_makes_end_in_a_suffix_is_plain_without_the_fold() {
        let plain = |fold: Fold, wire: &str| {
            name(PrefixedSafe::new(48, fold).unwrap(), "s", wire) == format!("s__{wire}")
        };
        for (wire, fold) in [("x-3abcdefgh", Fold::Hyphens), ("x_3ABCDEFGH", Fold::Case)] {
            assert!(plain(Fold::None, wire) && !plain(fold, wire), "{wire}");
        }
        assert!(!plain(Fold::None, "x_3abcdefgh") && plain(Fold::None, "x_3abcdefgi"));
    }

    #[test]
    fn what_a_fold_changes_is_hashed_and_stays_apart() {
        let folds = |fold| PrefixedSafe::new(48, fold).unwrap();
        assert_eq!(name(folds(Fold::Hyphens), "a_b", "x"), "a_b__x");
        assert!(name(folds(Fold::Hyphens), "a-b", "x").starts_with("a_b__x_"));
        assert!(name(folds(Fold::Case), "a", "Get").starts_with("a__get_"));
        assert!(PrefixedSafe::new(10, Fold::None).is_none());
    }

    #[test]
    fn the_suffix_of_an_identity_is_fixed() {
        // Names end up in rules and prompts: another suffix would be another name.
        assert_eq!(name(PrefixedSafe::default(), "foo.bar", "x"), "foo_bar__x_81fqjaeyw");
    }
}
