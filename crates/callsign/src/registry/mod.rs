//! Exposed name → identity and definition, for a set of servers.
//!
//! ```
//! use callsign::registry::{Registration, Registry};
//! use callsign::scheme::Qualified;
//! use callsign::{Catalogue, ServerKey};
//!
//! let mut registry = Registry::new(Qualified::default());
//! for server in ["alpha", "beta"] {
//!     let mut catalogue = Catalogue::default();
//!     catalogue.push_tool(r#"{"name":"request","inputSchema":{"type":"object"}}"#);
//!     registry.register(ServerKey::new(server)?, catalogue, Registration::default())?;
//! }
//!
//! let snapshot = registry.snapshot();
//! let tool = snapshot.resolve("mcp__beta__request")?;
//! assert_eq!(tool.server().unwrap().as_str(), "beta");
//! assert_eq!(tool.wire().as_str(), "request", "what the server is sent");
//! assert!(snapshot.resolve("request").unwrap_err().to_string().contains("mcp__alpha__request"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Every change is complete or leaves the registry as it was. Nobody wins a name by coming first or last: a name that two
//! identities want is an error that names both.

mod change;
mod error;
mod fleet;
mod local;
mod miss;
mod plan;
mod registration;
#[expect(clippy::module_inception, reason = "the folder holds the concept, the file its type")]
mod registry;
mod shared;
mod snapshot;

pub use change::{ChangeSet, ChangedTool};
pub use error::{
    Claimant, Duplicate, LocalError, Missing, MissingCause, NotRegistered, RegisterError,
    UnknownOption,
};
pub use fleet::{FleetError, Load, LoadError, LoadedFleet};
pub use local::OnTaken;
pub use miss::{Miss, Spelling};
pub use registration::{Admission, Registration, ToolOptions, Unreadable};
pub use registry::{Registry, ReplaceError};
pub use shared::SharedRegistry;
pub use snapshot::{Entry, Snapshot};
