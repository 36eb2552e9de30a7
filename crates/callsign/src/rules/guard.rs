//! May a grant be given, with all the others there are? A text that another tool or server could have been meant by grants
//! nothing to either.

use super::pattern::{Pattern, Spelled};
use super::pool::{Claims, Pool};
use super::target::Target;
use crate::scheme;

/// Why a grant that names a tool is refused. Each is a fact about the pool; [`Pool`] finds the claimants to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clash<'a> {
    /// Another tool goes by exactly this text.
    Name(&'a str),
    /// Another tool is spelled so, or another server.
    Text(&'a str),
    /// The text is lossy, and read as it stands it belongs to the server of this key.
    Legacy(&'a str),
    /// Servers whose names begin this prefix, and no reason to prefer the called one.
    Servers(&'a str),
    /// Tools of which a name begins with this prefix.
    Prefix(&'a str),
}

/// What speaks against a grant by a pattern that [names](super::matching::names) the tool.
pub(super) fn clash<'a>(
    pattern: &'a Pattern,
    target: &'a Target<'_>,
    pool: &Pool,
) -> Option<Clash<'a>> {
    match pattern {
        Pattern::Identity(_) | Pattern::Spelled(Spelled::Never(_)) => None,
        Pattern::Spelled(Spelled::Exact(text)) => exact(text, target, pool),
        Pattern::Spelled(Spelled::Prefix(prefix)) => wildcard(prefix, target, pool),
    }
}

fn exact<'a>(text: &'a str, target: &'a Target<'_>, pool: &Pool) -> Option<Clash<'a>> {
    if text == target.name() {
        return pool.is_named(text, target).then_some(Clash::Name(text));
    }
    if text == target.raw() {
        return None;
    }
    if pool.is_rendered(text, target) {
        return Some(Clash::Text(text));
    }
    let own_server = scheme::server_part(&target.boundaries[0]);
    if text != own_server && pool.is_server(text, target) {
        return Some(Clash::Text(text));
    }
    super::legacy::owner_of_lossy(text, target, pool).map(Clash::Legacy)
}

fn wildcard<'a>(prefix: &'a str, target: &Target<'_>, pool: &Pool) -> Option<Clash<'a>> {
    let claims = pool.claims(prefix, target);
    match by_server(prefix, &claims, target) {
        Some(true) => return None,
        Some(false) => return Some(Clash::Servers(prefix)),
        None => {}
    }
    if target.raw().starts_with(prefix) {
        return None;
    }
    let by_others = if claims.is_empty() { pool.begins_any(prefix, target) } else { false };
    let shared = || {
        let own = target.renderings.iter().filter(|own| own.starts_with(prefix));
        own.into_iter().any(|own| pool.is_rendered(own, target))
    };
    let taken = by_others || pool.begins_foreign(prefix, target) || shared();
    taken.then_some(Clash::Prefix(prefix))
}

/// What the servers alone decide: whether the prefix is the called one's, or nothing.
fn by_server(prefix: &str, claims: &Claims, target: &Target<'_>) -> Option<bool> {
    let mine = target.call.server;
    if let Some(whole) = claims.iter().find(|claim| claim.is_raw && claim.boundary == prefix) {
        return Some(whole.key == mine);
    }
    let mut stems = claims.iter().map(|claim| claim.boundary.trim_end_matches('_'));
    if let Some(first) = stems.next()
        && stems.any(|stem| stem != first)
    {
        return Some(false);
    }
    let part = scheme::second_part(prefix);
    if claims.iter().any(|claim| claim.key == part) {
        return (part != mine).then_some(false);
    }
    claims.iter().any(|claim| claim.key != mine).then_some(false)
}
