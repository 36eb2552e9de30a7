//! Many MCP servers behind one endpoint: nothing lost, nothing misrouted, nobody held back.
//!
//! ```text
//! host ─► callsign_wire::serve ─► stack ─► directory: whose is it? ─► policy ─► upstream ─► server
//!                                   ▲                                              │
//!                                   └──── result, progress, questions of the server┘
//! ```
//!
//! `stack.rs` holds the whole way of a message and is the place to begin reading. Everything that is passed on is passed on
//! as the text that arrived: a call changes the tool's name, the message's id and the progress token, and nothing else.

mod carry;
mod directory;
mod downstream;
mod errand;
mod fleet;
mod gateway;
mod health;
mod input;
mod limits;
mod listening;
mod metrics;
mod params;
mod parking;
mod policy;
mod refusal;
mod room;
mod round_trip;
mod seal;
mod settings;
mod stack;
mod translate;
mod upstream;

pub use directory::StartReport;
pub use gateway::Gateway;
pub use limits::Limits;
pub use policy::{AllowAll, Judgement, Policy};
pub use refusal::Outage;
pub use room::{known_hosts, scheme_for_host};
pub use settings::{ServerSettings, Settings, ToolSettings};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
