//! State that a host of the stateless era brings back: bound to the request it belongs to, and proof against a change of a
//! single byte.
//!
//! Sealed with a key of this process, so it is worth nothing after a restart: whoever then sends it again is told so.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How long sealed state is taken back.
pub(crate) const VALID: Duration = Duration::from_secs(60 * 60);

/// The form of what is sealed.
const MARK: &str = "callsign1.";

/// What state belongs to: the same request, of the same caller.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) principal: Option<&'a str>,
    pub(crate) method: &'a str,
    /// The name or URI that the host asked for.
    pub(crate) target: &'a str,
}

/// What a host brings back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// The server's own state, as raw JSON.
    Servers(String),
    /// A request that waits here, by its number.
    Parked(u64),
}

/// State that is not taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadState {
    #[error("`requestState` is not what this gateway gave, or not for this request")]
    Forged,
    #[error("`requestState` is too old, or from before a restart; begin anew")]
    Expired,
}

/// Seals state and opens it again.
pub(crate) struct Sealer([u8; 32]);

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sealer")
    }
}

impl Sealer {
    /// With a fresh key. Where the system has no randomness, state is not sealed and so never taken back.
    pub(crate) fn new() -> Option<Self> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok().map(|()| Self(key))
    }

    /// The text that a host is given, as raw JSON.
    pub(crate) fn seal(&self, state: &State, binding: &Binding<'_>) -> String {
        self.seal_until(state, binding, now() + VALID.as_secs())
    }

    fn seal_until(&self, state: &State, binding: &Binding<'_>, until: u64) -> String {
        let inner = match state {
            State::Servers(raw) => format!("s{raw}"),
            State::Parked(number) => format!("p{number}"),
        };
        let code = hex(&self.code(&inner, until, binding));
        crate::params::quoted(&format!("{MARK}{until}.{code}.{inner}"))
    }

    /// What was sealed.
    ///
    /// # Errors
    /// Anything about it, or about the request, is another than it was.
    pub(crate) fn open(&self, sealed: &str, binding: &Binding<'_>) -> Result<State, BadState> {
        let text = crate::params::text(sealed).ok_or(BadState::Forged)?;
        let rest = text.strip_prefix(MARK).ok_or(BadState::Forged)?;
        let (until, rest) = rest.split_once('.').ok_or(BadState::Forged)?;
        let (code, inner) = rest.split_once('.').ok_or(BadState::Forged)?;
        let until: u64 = until.parse().map_err(|_| BadState::Forged)?;
        if !is_same(&hex(&self.code(inner, until, binding)), code) {
            return Err(BadState::Forged);
        }
        if until < now() {
            return Err(BadState::Expired);
        }
        match inner.split_at_checked(1) {
            Some(("s", raw)) => Ok(State::Servers(raw.to_owned())),
            Some(("p", number)) => number.parse().map(State::Parked).map_err(|_| BadState::Forged),
            _ => Err(BadState::Forged),
        }
    }

    fn code(&self, inner: &str, until: u64, binding: &Binding<'_>) -> [u8; 32] {
        // A key of any length is taken, so this is always one.
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else { return [0; 32] };
        let until = until.to_string();
        let principal = binding.principal.map_or_else(|| "-".to_owned(), |name| format!("+{name}"));
        for part in [&principal, binding.method, binding.target, &until, inner] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }
}

/// Compares in a time that does not depend on where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let differ = one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b));
    one.len() == other.len() && differ == 0
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINDING: Binding<'_> =
        Binding { principal: Some("a"), method: "tools/call", target: "s__t" };

    /// Statement 28.
    #[test]
    fn a_changed_byte_another_tool_another_caller_or_age_is_refused() {
        let sealer = Sealer::new().unwrap();
        let state = State::Servers("\"x\\u0061\"".to_owned());
        let sealed = sealer.seal(&state, &BINDING);
        assert_eq!(sealer.open(&sealed, &BINDING), Ok(state.clone()));
        for at in 1..sealed.len() - 1 {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] = if bytes[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(bytes).unwrap();
            assert!(sealer.open(&changed, &BINDING).is_err(), "{changed}");
        }
        for other in [
            Binding { principal: None, ..BINDING },
            Binding { principal: Some("b"), ..BINDING },
            Binding { method: "prompts/get", ..BINDING },
            Binding { target: "s__u", ..BINDING },
        ] {
            assert_eq!(sealer.open(&sealed, &other), Err(BadState::Forged));
        }
        let old = sealer.seal_until(&state, &BINDING, now() - 1);
        assert_eq!(sealer.open(&old, &BINDING), Err(BadState::Expired));
        assert!(Sealer::new().unwrap().open(&sealed, &BINDING).is_err(), "another key");
        let parked = sealer.seal(&State::Parked(7), &BINDING);
        assert_eq!(sealer.open(&parked, &BINDING), Ok(State::Parked(7)));
    }
}
