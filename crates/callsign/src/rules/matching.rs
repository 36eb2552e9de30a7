//! Does a pattern match a tool? Two answers: the narrow one that a grant needs, and the wide one for what restricts.

use super::pattern::{Covers, Pattern, Spelled, Unreadable};
use super::target::Target;

/// Whether a pattern names a tool so that it may be granted, were there no other tool.
pub(super) fn names(pattern: &Pattern, target: &Target<'_>) -> bool {
    match pattern {
        Pattern::Identity(identity) => {
            identity.server.matches(target.call.server) && identity.tool.matches(target.call.tool)
        }
        Pattern::Spelled(spelled) => spells(spelled, target, target.publishes_legacy),
    }
}

/// Whether a pattern that denies or asks covers a tool: also where a grant would not reach.
pub(super) fn covers(pattern: &Pattern, target: &Target<'_>) -> bool {
    match pattern {
        Pattern::Identity(_) => names(pattern, target),
        Pattern::Spelled(spelled) => {
            // Every legacy spelling counts, whether or not the key vouches for it.
            spells(spelled, target, true)
                || is_bare(spelled, target)
                || matches!(spelled, Spelled::Prefix(prefix) if stops_inside(prefix, target))
        }
    }
}

/// Whether an entry that can't be read may have been meant for a tool.
pub(super) fn may_cover(unreadable: &Unreadable, target: &Target<'_>) -> bool {
    match &unreadable.covers {
        Covers::Everything => true,
        Covers::Pattern(pattern) => covers(pattern, target),
        Covers::UpToParenthesis(pattern, text) => {
            covers(pattern, target) || target.raw().starts_with(&**text)
        }
    }
}

fn spells(spelled: &Spelled, target: &Target<'_>, legacy: bool) -> bool {
    match spelled {
        Spelled::Never(_) => false,
        Spelled::Exact(text) => {
            let text = &**text;
            text == target.name()
                || text == target.raw()
                || target.servers().any(|server| text == server)
                || (legacy && text == target.legacy())
                || target.exposed == Some(text)
        }
        Spelled::Prefix(prefix) => {
            begins(prefix, target, legacy)
                || target.exposed.is_some_and(|exposed| exposed.starts_with(&**prefix))
        }
    }
}

/// Under a scheme that exposes some tools by their wire names alone, a restriction of a wire name holds for every tool of that
/// name: which of them has it exposed depends on who else is registered, and a restriction must not.
fn is_bare(spelled: &Spelled, target: &Target<'_>) -> bool {
    target.bare.is_some_and(|wire| match spelled {
        Spelled::Exact(text) => **text == *wire,
        Spelled::Prefix(prefix) => wire.starts_with(&**prefix),
        Spelled::Never(_) => false,
    })
}

/// A wildcard is read by its server first: the rest only counts inside of it.
fn begins(prefix: &str, target: &Target<'_>, legacy: bool) -> bool {
    let Some(boundary) = target.boundaries.iter().find(|b| prefix.starts_with(b.as_str())) else {
        return stops_before_the_server(prefix, target, legacy);
    };
    let rest = &prefix[boundary.len()..];
    // With its hash. A name that was cut within the key has no part that is the tool's.
    let registered = target.name().strip_prefix(target.safe_boundary());
    registered.is_some_and(|tool| tool.starts_with(rest))
        || target.tools.iter().any(|tool| tool.starts_with(rest))
}

/// A prefix that ends within the key or before it, and is the beginning of a name of the tool. One that runs on into the
/// separator is not: it would be the beginning of another server's name as well.
fn stops_before_the_server(prefix: &str, target: &Target<'_>, legacy: bool) -> bool {
    target.servers().any(|server| server.starts_with(prefix))
        && (target.name().starts_with(prefix)
            || target.raw().starts_with(prefix)
            || (legacy && target.legacy_whole.starts_with(prefix)))
}

/// A prefix that stops at or inside this key's separator, or begins the tool's name, be that cut before its separator.
fn stops_inside(prefix: &str, target: &Target<'_>) -> bool {
    target.name().starts_with(prefix)
        || target.boundaries.iter().any(|boundary| boundary.starts_with(prefix))
}
