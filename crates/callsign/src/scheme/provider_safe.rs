use super::Scheme;
use crate::name::{ServerKey, WireName};

/// `mcp__{server}__{tool}`, normalised: a legal name is returned byte for byte, any other gets its characters substituted,
/// a cut at 55 and a hash of the whole text, so that every identity has a name.
///
/// Interoperates with the names Qwen Code 0.24.4 gives; the steps are those of [`provider_name`]. The hash has 32 bits
/// and no key, so twins exist and can be made on purpose: the registry refuses the second and names both.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProviderSafe;

/// The longest provider-safe name, in UTF-16 units; one model provider family accepts no more.
const LIMIT: usize = 63;
/// What the names of MCP tools in a stored conversation begin with.
const MARK: &str = "mcp__";
/// How much of the substituted text stays in front of the suffix.
const KEPT: usize = 55;

impl Scheme for ProviderSafe {
    fn id(&self) -> &'static str {
        "provider-safe"
    }

    fn limit(&self) -> usize {
        LIMIT
    }

    fn is_total(&self) -> bool {
        true
    }

    fn spell(&self, server: &ServerKey, wire: &WireName, out: &mut String) {
        let start = out.len();
        for part in ["mcp__", server, "__", wire] {
            out.push_str(part);
        }
        if !is_legal(&out[start..]) {
            let name = normalised(out[start..].encode_utf16());
            out.truncate(start);
            out.push_str(&name);
        }
    }
}

/// The provider-safe form of any text: at most 63 characters of `A-Z a-z 0-9 _ -`, beginning with a letter.
///
/// Text is counted in UTF-16 units. A legal text is returned unchanged. Otherwise every other unit becomes `_`, `tool_`
/// goes in front if the first is no letter, the first 55 are kept, and `_` and seven base-36 digits of a 32-bit hash of
/// the original text follow. Total and idempotent.
#[must_use]
pub fn provider_name(text: &str) -> String {
    if is_legal(text) { text.to_owned() } else { normalised(text.encode_utf16()) }
}

/// [`provider_name`] of text that need not be valid Unicode, given as UTF-16 units.
#[must_use]
pub fn provider_name_utf16(units: &[u16]) -> String {
    match String::from_utf16(units) {
        Ok(text) => provider_name(&text),
        Err(_) => normalised(units.iter().copied()),
    }
}

/// The provider-safe form of a tool name in a stored conversation: only names that begin with `mcp__` are normalised.
///
/// Names that an older algorithm cut are legal and stay as they are.
#[must_use]
pub fn history_name(text: &str) -> String {
    if is_history_name(text) { provider_name(text) } else { text.to_owned() }
}

/// [`history_name`] of text that need not be valid Unicode, given as UTF-16 units; `None` if it is left alone.
#[must_use]
pub fn history_name_utf16(units: &[u16]) -> Option<String> {
    let is_ours = MARK.encode_utf16().eq(units.iter().copied().take(MARK.len()));
    is_ours.then(|| provider_name_utf16(units))
}

/// Whether a tool name in a stored conversation is one that [`history_name`] normalises.
#[must_use]
pub fn is_history_name(text: &str) -> bool {
    text.starts_with(MARK)
}

fn is_legal(text: &str) -> bool {
    text.len() <= LIMIT
        && text.bytes().all(|byte| super::is_provider_char(char::from(byte)))
        && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
}

fn normalised(units: impl Iterator<Item = u16> + Clone) -> String {
    let substituted = units.clone().map(|unit| match u8::try_from(unit).map(char::from) {
        Ok(c) if super::is_provider_char(c) => c,
        _ => '_',
    });
    let begins_with_letter =
        substituted.clone().next().is_some_and(|first| first.is_ascii_alphabetic());
    let mut name = String::with_capacity(LIMIT);
    if !begins_with_letter {
        name.push_str("tool_");
    }
    name.extend(substituted.take(KEPT - name.len()));
    push_hash(hash(units), &mut name);
    name
}

/// The shape of 32-bit FNV-1a, but a whole UTF-16 unit is xor-ed at once.
fn hash(units: impl Iterator<Item = u16>) -> u32 {
    units.fold(2_166_136_261, |hash, unit| (hash ^ u32::from(unit)).wrapping_mul(16_777_619))
}

/// Appends `_` and the hash in base 36, lower case, padded to seven digits (36⁷ > 2³²).
fn push_hash(hash: u32, name: &mut String) {
    let mut digits = [b'0'; 7];
    let mut rest = hash;
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % 36) as usize];
        rest /= 36;
    }
    name.push('_');
    name.extend(digits.map(char::from));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idempotent_total_and_within_the_limit() {
        for text in ["", "1", "a\n", "日本", "🚀🚀", &"x".repeat(64), "mcp__a__b", "_"] {
            let once = provider_name(text);
            assert!(is_legal(&once), "{text:?} gave {once}");
            assert_eq!(provider_name(&once), once);
        }
    }

    #[test]
    fn lone_surrogates_count_one_unit_each() {
        assert!(provider_name_utf16(&[0xD800]).starts_with("tool___"));
        assert_eq!(provider_name_utf16(&[0x61]), "a");
    }
}
