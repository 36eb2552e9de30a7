//! Tool names in files people wrote, moved from one spelling to another by identity.
//!
//! ```text
//! tools ─┐
//! from  ─┼─► Plan ──► Scan of a text: edits, and what is left with its reason
//! to    ─┘     │
//! paths ───────┴────► Survey of files ──► diff, or staged and written
//! ```
//!
//! A name is found by looking for the spellings of known tools, never by taking a text apart. Only whole names are moved;
//! what two tools could be meant by, what has no good name in the new spelling and what may be part of something longer is
//! left and said. Bytes outside the edits stay as they are, whatever encoding they are in.
//!
//! ```
//! use callsign::ToolId;
//! use callsign_migrate::{Plan, Spelling};
//!
//! let tools = [ToolId::parse("github", "search")?, ToolId::parse("files", "search")?];
//! let spelling = |id| Spelling::by_id(id, &tools);
//! let plan = Plan::new(&tools, &[], &spelling("qualified")?, &spelling("gemini-cli")?);
//! let text = b"allow: [mcp__github__search, mcp__github__*], not xmcp__github__search";
//! let scan = plan.scan(text);
//! assert_eq!(
//!     scan.rewrite(text),
//!     b"allow: [mcp_github_search, mcp_github_*], not xmcp__github__search"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod claimant;
mod diff;
mod edge;
mod finder;
mod names;
mod pass;
mod pattern;
mod place;
mod plan;
mod reason;
mod scan;
mod set_apart;
mod spelling;
mod survey;
mod unquoted;
mod write;

pub use claimant::Claimant;
pub use diff::unified;
pub use place::{Place, Places};
pub use plan::Plan;
pub use reason::Reason;
pub use scan::{Edit, Left, Scan, Subject};
pub use spelling::{Spelling, UnknownSpelling};
pub use survey::{Skip, Skipped, Survey, SurveyError, Surveyed, Where};
pub use write::{Staged, WriteError, Written};
