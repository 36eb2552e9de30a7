//! What people's allow, ask and deny entries say of a call, decided by identity.
//!
//! ```
//! use callsign::rules::{Effect, Policy, Pool, Rule, Verdict};
//!
//! let pool = Pool::of([("foo_bar", "get"), ("foo:bar", "get"), ("mail", "send")]);
//! let written = [(Effect::Allow, "mcp__foo_bar__*"), (Effect::Deny, "mcp__mail")];
//! let rules = written.iter().filter_map(|(effect, text)| Rule::spelled(*effect, text));
//! let policy = Policy::compile(rules.collect());
//!
//! let verdict = |server, tool| policy.decide(&pool, (server, tool)).verdict;
//! assert_eq!(verdict("foo_bar", "get"), Verdict::Allow);
//! assert_eq!(verdict("foo:bar", "get"), Verdict::Default, "the grant is another server's");
//! assert_eq!(verdict("mail", "send"), Verdict::Deny);
//! ```
//!
//! Names in such entries were cut, substituted, or given other prefixes; one text may have been a name of several tools. So an
//! entry is never taken apart into a server and a tool. It is held against what the *called* tool may be spelled as, and a
//! grant also against what every other registered tool may be spelled as:
//!
//! - **A grant never reaches further than it was written for.** One that another tool or server could be meant by grants
//!   nothing, and the [explanation](Policy::explain) names everyone who could be meant.
//! - **A restriction is never lost.** It covers every spelling of the tool, and no other registration changes that.
//! - Deny goes before ask, ask before allow. If no rule decides, the verdict is [`Default`](Verdict::Default): what then
//!   happens is the host's affair.
//! - The [pool](Pool) of tools is that of one [snapshot](crate::registry::Snapshot::pool), so a server that comes or goes counts
//!   at the next decision.
//!
//! # Spellings
//!
//! A text, trimmed, names a tool by its raw name `mcp__{server}__{tool}`, by its [provider-safe](crate::scheme::ProviderSafe)
//! name, by its [legacy spelling](crate::scheme::legacy_spelling), or by the name that its registry exposes it by; it names a
//! whole server as `mcp__{server}`. A final `*` is a wildcard, every other one stands for itself. What is read, and what can
//! never match, is told at [`Pattern::spelled`]; callsign's own language, in which that is a mistake, at [`Pattern::strict`], and
//! its pairs of server and tool, which need no spelling, at [`Pattern::identity`].
//!
//! A grant may use a legacy spelling that was cut only if the key alone still tells its server apart. A restriction may use
//! any, and one with a wildcard also covers a tool whose name it begins in the middle of the separator (`mcp__foo_*` denies all
//! of `foo`, and grants nothing).
//!
//! # Where this is stricter
//!
//! Decisions are those of Qwen Code (`data/vectors/README.md` says how they were executed), except that
//!
//! - an exact grant in the legacy spelling of a key that loses something in it (`mcp__foo_bar__a.b` for `foo:bar`) is refused
//!   while a server of the very key that stands there (`foo_bar`) is registered, whatever tools that has;
//! - two identities with one name are both judged, but no registry holds two tools of one exposed name;
//! - under a scheme that exposes tools by their wire names, a restriction of a wire name covers every tool of that name, and a
//!   grant of a text that another tool is exposed by is refused;
//! - an entry of callsign's own language that can't be read, or could never match, fails closed: if it grants, it grants nothing;
//!   if it restricts, it covers all that it may have been meant for, and [`Decision::failed_closed`] says so.
//!
//! Prefixes that stop before any server (`m*`, `mcp__*`) match every tool here as there. A bare `*` matches none.

mod decide;
mod disabled;
mod explain;
mod guard;
mod index;
mod legacy;
mod matching;
mod names;
mod nested;
mod pattern;
mod policy;
mod pool;
mod rule;
mod target;
mod wording;

pub use decide::Verdict;
pub use disabled::Disabled;
pub use explain::{Answer, Claimant, Explanation, Why};
pub use pattern::{Cause, Covers, Field, Identity, Never, Part, Pattern, Spelled, Unreadable};
pub use policy::{Decision, Policy, is_blocked};
pub use pool::Pool;
pub use rule::{Effect, Place, Rule};
pub use target::Call;

pub(crate) use pool::Listing;
