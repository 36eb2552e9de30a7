//! May a grant be given, with all the others there are? A text that another tool or server could have been meant by grants
//! nothing to either.

use super::pattern::{Pattern, Spelled};
use super::pool::{Claim, Pool};
use super::target::{Call, Target};
use crate::scheme;

/// Why a grant that names a tool is refused: a fact about the pool, from which explanations find the claimants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clash<'a> {
    /// Another tool has this provider-safe name.
    Name(&'a str),
    /// Another tool is rendered or exposed so, or another server is spelled so.
    Text(&'a str),
    /// The text is lossy, and read as it stands it belongs to the server of this key.
    Legacy(&'a str),
    /// The prefix is the beginning of several servers' names, or of another one's.
    Servers(&'a str),
    /// Names of other tools begin with this prefix.
    Prefix(&'a str),
    /// A server whose tools are not known may have one of this name.
    Unknown(&'a str),
    /// Names of the tools of a server that are not known may begin with this prefix.
    UnknownPrefix(&'a str),
}

/// What speaks against a grant by a pattern that [names](super::matching::names) the tool.
pub(super) fn clash<'a>(
    pattern: &'a Pattern,
    target: &Target<'_>,
    pool: &'a Pool,
) -> Option<Clash<'a>> {
    match pattern {
        // Nothing is spelled, so nothing can be spelled alike.
        Pattern::Identity(_) | Pattern::Spelled(Spelled::Never(_)) => None,
        Pattern::Spelled(Spelled::Exact(text)) => exact(text, target, pool),
        Pattern::Spelled(Spelled::Prefix(prefix)) => wildcard(prefix, target, pool),
    }
}

fn exact<'a>(text: &'a str, target: &Target<'_>, pool: &'a Pool) -> Option<Clash<'a>> {
    let (me, servers) = (target.call, &pool.servers);
    if is_another(pool.names.exposed.others_named(text, false, me, servers)) {
        return Some(Clash::Text(text));
    }
    let renderings = &pool.names.renderings;
    if text == target.name() {
        if is_another(renderings.others_named(text, true, me, servers)) {
            return Some(Clash::Name(text));
        }
        return pool.perhaps_named(text, target).next().map(|_| Clash::Unknown(text));
    }
    if text == target.raw() {
        return None;
    }
    let is_own_server = text == scheme::server_part(&target.boundaries[0]);
    if is_another(renderings.others_named(text, false, me, servers))
        || (!is_own_server && pool.is_server(text, target))
    {
        return Some(Clash::Text(text));
    }
    if let Some(key) = super::legacy::owner_of_lossy(text, target, pool) {
        return Some(Clash::Legacy(key));
    }
    let may_be_a_tool = !is_own_server && pool.perhaps_named(text, target).next().is_some();
    may_be_a_tool.then_some(Clash::Unknown(text))
}

fn wildcard<'a>(prefix: &'a str, target: &Target<'_>, pool: &Pool) -> Option<Clash<'a>> {
    // A name may end in a `*` of its own; an entry that spells it out is then no wildcard first of all.
    let is_all_of = |name: &str| name.strip_suffix('*') == Some(prefix);
    let own_server = scheme::server_part(&target.boundaries[0]);
    if is_all_of(target.raw()) {
        return None;
    }
    if is_all_of(own_server) {
        let is_taken = is_another(pool.names.renderings.others_named(
            own_server,
            false,
            target.call,
            &pool.servers,
        ));
        return is_taken.then_some(Clash::Prefix(prefix));
    }
    let claims = pool.claims(prefix, target);
    match by_server(prefix, &claims, target) {
        Some(true) => return None,
        Some(false) => return Some(Clash::Servers(prefix)),
        None => {}
    }
    // A coarse grant (`mcp__foo*`) means whatever begins so.
    if target.raw().starts_with(prefix) {
        return None;
    }
    let (me, servers) = (target.call, &pool.servers);
    let renderings = &pool.names.renderings;
    let is_taken = renderings.begins_foreign(prefix, me.server, servers)
        || pool.names.exposed.begins_foreign(prefix, me.server, servers)
        || (claims.is_empty() && is_another(renderings.others_beginning(prefix, me, servers)))
        || target.renderings.iter().any(|own| {
            own.starts_with(prefix) && is_another(renderings.others_named(own, false, me, servers))
        });
    if is_taken {
        return Some(Clash::Prefix(prefix));
    }
    pool.perhaps_beginning(prefix, target).next().map(|_| Clash::UnknownPrefix(prefix))
}

/// What the servers alone decide: that the prefix is the called one's, that it is not, or nothing.
fn by_server(prefix: &str, claims: &[Claim<'_>], target: &Target<'_>) -> Option<bool> {
    let mine = target.call.server;
    if let Some(whole) = claims.iter().find(|claim| claim.is_raw && claim.boundary == prefix) {
        return Some(whole.key == mine);
    }
    // Separators in different places: the text reads as one server's or as another's.
    let mut stems = claims.iter().map(|claim| claim.boundary.trim_end_matches('_'));
    if let Some(first) = stems.next()
        && stems.any(|stem| stem != first)
    {
        return Some(false);
    }
    let written = scheme::second_part(prefix);
    if claims.iter().any(|claim| claim.key == written) {
        return (written != mine).then_some(false);
    }
    claims.iter().any(|claim| claim.key != mine).then_some(false)
}

/// Whether there is any. A tool has a name but once, so this looks at few.
fn is_another<'a>(mut others: impl Iterator<Item = Call<'a>>) -> bool {
    others.next().is_some()
}
