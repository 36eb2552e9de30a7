//! Rules that people wrote about tools, decided by identity.
//!
//! ```
//! use callsign::rules::{Effect, Policy, Pool, Rule, Verdict};
//!
//! let pool = Pool::of([("foo_bar", "get"), ("foo:bar", "get"), ("mail", "send")]);
//! let rules = [
//!     (Effect::Allow, "mcp__foo_bar__*"),
//!     (Effect::Deny, "mcp__mail"),
//! ];
//! let policy = Policy::compile(rules.iter().filter_map(|(e, text)| Rule::spelled(*e, text)).collect());
//!
//! assert_eq!(policy.decide(&pool, ("foo_bar", "get")).verdict, Verdict::Allow);
//! assert_eq!(policy.decide(&pool, ("foo:bar", "get")).verdict, Verdict::Default, "the grant is another server's");
//! assert_eq!(policy.decide(&pool, ("mail", "send")).verdict, Verdict::Deny);
//! ```

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

pub use decide::Verdict;
pub use disabled::Disabled;
pub use explain::{Answer, Claimant, Explanation, Why};
pub use pattern::{Cause, Covers, Field, Identity, Never, Part, Pattern, Spelled, Unreadable};
pub use policy::{Decision, Policy, is_blocked};
pub use pool::Pool;
pub use rule::{Effect, Place, Rule};
pub use target::Call;

pub(crate) use pool::Listing;
