//! Rules that turn an identity into an exposed name, one scheme a file.
//!
//! ```
//! use callsign::ToolId;
//! use callsign::scheme::{Qualified, Scheme};
//!
//! let id = ToolId::parse("alpha", "request")?;
//! assert_eq!(Qualified::default().name(id.server(), id.wire()).unwrap().as_str(), "mcp__alpha__request");
//! # Ok::<(), callsign::name::EmptyName>(())
//! ```
//!
//! | scheme | name | limit | what it can't name |
//! |---|---|---|---|
//! | [`Qualified`] | `mcp__{server}__{tool}` | 64 | is an error |
//! | [`ProviderSafe`] | the same, substituted, cut and hashed where needed | 63 | nothing |
//! | [`Prefixed`] | `{server}__{tool}` | 64 or a budget | is an error |
//! | [`PrefixedSafe`] | the same where it reads one way, else cut and hashed | 48 or a budget | nothing |
//! | [`Bare`] | `{tool}` | 64 | is an error |
//! | [`Minimal`] | `{tool}`, or `{short server}_{tool}` where several servers have it | 64 | is an error |
//!
//! How other programs write a tool's name, in what they show and in their rules, is a [`HostSpelling`].
//!
//! This module is the only place that builds a spelling; a test looks for others.

mod bare;
mod error;
mod host;
mod legacy;
mod minimal;
mod prefixed;
mod prefixed_safe;
mod provider_safe;
mod qualified;
mod segments;
mod separator;

pub use bare::Bare;
pub use error::{NameError, NameProblem, Part};
pub use host::{CLAUDE_AI_CONNECTOR, HostSpelling, claude_code_plugin_key};
pub(crate) use legacy::key_vouches;
pub use legacy::{Aliases, aliases, legacy_spelling, looks_cut};
pub use minimal::Minimal;
pub use prefixed::Prefixed;
pub use prefixed_safe::{Fold, PrefixedSafe};
pub use provider_safe::{
    ProviderSafe, history_name, history_name_utf16, is_history_name, provider_name,
    provider_name_utf16,
};
pub use qualified::{Qualified, raw_name};
pub use segments::{
    boundaries, boundary_of, key_part, renderings, second_part, segment_spellings, server_part,
};
pub(crate) use segments::{compare_raw_name, has_lead, legacy_whole};
pub use separator::{Reading, other_reading};

use crate::name::{ExposedName, ServerKey, ToolId, WireName};

/// The longest function name that the large model providers all accept, in characters.
///
/// Some deployments accept only 63; [`ProviderSafe`] stays within that.
pub const PROVIDER_LIMIT: usize = 64;

/// Whether a character may stand in a name that every large model provider accepts: `[A-Za-z0-9_-]`.
#[must_use]
pub const fn is_provider_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// A rule that turns an identity into an exposed name.
///
/// A scheme says how a name is *spelled*; [`name`](Self::name) then holds the spelling against alphabet and limit, so that
/// no scheme can hand out an illegal name. It is implemented here alone, because an [`ExposedName`] is legal only as long
/// as no scheme of somebody else's can set another limit:
///
/// ```compile_fail,E0277
/// use callsign::{ServerKey, WireName, scheme::Scheme};
///
/// #[derive(Debug)]
/// struct Longer;
///
/// impl Scheme for Longer {
///     fn id(&self) -> &'static str {
///         "longer"
///     }
///     fn limit(&self) -> usize {
///         5_000
///     }
///     fn spell(&self, _: &ServerKey, wire: &WireName, out: &mut String) {
///         out.push_str(&wire.repeat(600));
///     }
/// }
/// ```
pub trait Scheme: sealed::Sealed + std::fmt::Debug + Send + Sync {
    /// The scheme's identifier, as written in configurations and on the command line.
    fn id(&self) -> &'static str;

    /// The longest name it may give, in characters.
    fn limit(&self) -> usize {
        PROVIDER_LIMIT
    }

    /// Appends the name as the scheme would write it, legal or not.
    fn spell(&self, server: &ServerKey, wire: &WireName, out: &mut String);

    /// Whether the server key is part of the spelling, so that a shorter key makes a shorter name.
    fn spells_key(&self) -> bool {
        true
    }

    /// Whether it has a legal name for every identity.
    fn is_total(&self) -> bool {
        false
    }

    /// What the scheme itself has against an identity, beside alphabet and limit.
    fn objection(&self, _server: &ServerKey, _wire: &WireName) -> Option<NameProblem> {
        None
    }

    /// Another identity that the same name would read as, if a reader split it at the scheme's separator.
    fn other_reading(&self, _server: &ServerKey, _wire: &WireName) -> Option<Reading> {
        None
    }

    /// The exposed name of an identity.
    ///
    /// # Errors
    /// [`NameError`] if the scheme has no legal name for it, with what to do about it. Never for a
    /// [total](Self::is_total) scheme.
    fn name(&self, server: &ServerKey, wire: &WireName) -> Result<ExposedName, NameError> {
        let mut text = String::with_capacity(PROVIDER_LIMIT);
        self.spell(server, wire, &mut text);
        let problem = match self.objection(server, wire) {
            None if is_legal(&text, self.limit()) => return Ok(ExposedName::from_scheme(&text)),
            Some(objection) => objection,
            None => problem(self.limit(), self.spells_key(), server, wire, &text),
        };
        Err(NameError {
            id: ToolId::new(server.clone(), wire.clone()),
            scheme: self.id(),
            spelling: text,
            problem,
        })
    }
}

mod sealed {
    /// What only this crate can implement.
    pub trait Sealed {}

    impl Sealed for super::Bare {}
    impl Sealed for super::Minimal {}
    impl Sealed for super::Prefixed {}
    impl Sealed for super::PrefixedSafe {}
    impl Sealed for super::ProviderSafe {}
    impl Sealed for super::Qualified {}
}

/// Every scheme's identifier, in the order in which documents list them.
pub const IDS: [&str; 6] =
    ["qualified", "provider-safe", "prefixed", "prefixed-safe", "bare", "minimal"];

/// The scheme of that identifier with its defaults. `fleet` is everything that is to be named with it; only
/// [`Minimal`] looks at it.
#[must_use]
pub fn by_id<'a>(
    id: &str,
    fleet: impl IntoIterator<Item = (&'a ServerKey, &'a WireName)>,
) -> Option<Box<dyn Scheme>> {
    Some(match id {
        "qualified" => Box::new(Qualified::default()),
        "provider-safe" => Box::new(ProviderSafe),
        "prefixed" => Box::new(Prefixed::default()),
        "prefixed-safe" => Box::new(PrefixedSafe::default()),
        "bare" => Box::new(Bare),
        "minimal" => Box::new(Minimal::over(fleet)),
        _ => return None,
    })
}

/// The exposed name of a local (non-MCP) tool: its own name, if that is one a provider accepts.
///
/// # Errors
/// The first thing that is wrong with it.
pub(crate) fn local_name(name: &WireName) -> Result<ExposedName, NameProblem> {
    if is_legal(name, PROVIDER_LIMIT) {
        return Ok(ExposedName::from_scheme(name));
    }
    Err(match first_illegal(name, Part::WireName) {
        Some(illegal) => illegal,
        None => NameProblem::TooLong {
            length: name.chars().count(),
            limit: PROVIDER_LIMIT,
            longest_key: None,
            spells_key: false,
        },
    })
}

fn is_legal(text: &str, limit: usize) -> bool {
    !text.is_empty()
        && text.len() <= limit
        && text.bytes().all(|byte| is_provider_char(char::from(byte)))
}

/// What is wrong with a spelling that is not legal. The parts are looked at before the whole: a character belongs to the
/// key or to the wire name, and that is what the reader can change.
fn problem(
    limit: usize,
    spells_key: bool,
    server: &ServerKey,
    wire: &WireName,
    text: &str,
) -> NameProblem {
    let illegal_key = || first_illegal(server, Part::ServerKey).filter(|_| spells_key);
    if let Some(illegal) = illegal_key().or_else(|| first_illegal(wire, Part::WireName)) {
        return illegal;
    }
    let length = text.chars().count();
    let rest = length.saturating_sub(server.chars().count());
    let longest_key = limit.checked_sub(rest).filter(|&fits| fits > 0 && spells_key);
    NameProblem::TooLong { length, limit, longest_key, spells_key }
}

fn first_illegal(text: &str, part: Part) -> Option<NameProblem> {
    let (index, character) = text.chars().enumerate().find(|(_, c)| !is_provider_char(*c))?;
    Some(NameProblem::IllegalCharacter { part, position: index + 1, character })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(server: &str, wire: &str) -> ToolId {
        ToolId::parse(server, wire).unwrap()
    }

    #[test]
    fn t09_each_illegal_character_is_named_with_position_and_code_point() {
        for (wire, position, code_point) in [
            ("a b", 2, "U+0020"),
            ("a.b", 2, "U+002E"),
            ("a/b", 2, "U+002F"),
            (":ab", 1, "U+003A"),
            ("ab\n", 3, "U+000A"),
            ("a\0", 2, "U+0000"),
            ("読む", 1, "U+8AAD"),
            ("é🚀", 1, "U+00E9"),
            ("ab🚀", 3, "U+1F680"),
            ("ａ", 1, "U+FF41"),
        ] {
            let id = id("s", wire);
            let error = Qualified::default().name(id.server(), id.wire()).unwrap_err();
            let NameProblem::IllegalCharacter { part, position: at, .. } = error.problem else {
                panic!("{error}");
            };
            assert_eq!((part, at), (Part::WireName, position), "{wire:?}");
            assert!(error.to_string().contains(code_point), "{error}");
            assert!(!error.to_string().contains(['\n', '\0']), "control characters are escaped");
        }
    }

    #[test]
    fn every_identifier_builds_its_scheme() {
        for identifier in IDS {
            assert_eq!(by_id(identifier, []).unwrap().id(), identifier);
        }
        assert!(by_id("nato", []).is_none());
    }

    #[test]
    fn every_scheme_leaves_what_its_buffer_holds() {
        for identifier in IDS {
            let scheme = by_id(identifier, []).unwrap();
            for id in [id("s", "t"), id("🚀", "a b"), id(&"k".repeat(80), "_")] {
                let (mut alone, mut behind) = (String::new(), "é ".to_owned());
                scheme.spell(id.server(), id.wire(), &mut alone);
                scheme.spell(id.server(), id.wire(), &mut behind);
                assert_eq!(behind, format!("é {alone}"), "{identifier}");
            }
        }
    }

    #[test]
    fn total_schemes_name_everything() {
        for identifier in IDS {
            let scheme = by_id(identifier, []).unwrap();
            let hard = [id("🚀", "\n"), id(&"k".repeat(300), &"é".repeat(300)), id("_", "_")];
            for id in hard {
                assert!(!scheme.is_total() || scheme.name(id.server(), id.wire()).is_ok(), "{id}");
            }
        }
    }
}
