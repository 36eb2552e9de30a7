//! Starts or reaches MCP servers, fetches their catalogues completely, remembers them, and calls tools.
//!
//! ```no_run
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! use callsign_mcp::{Launch, Limits, Memory, ServerSpec, Session, fetch_all};
//!
//! let spec = ServerSpec {
//!     key: "files".parse().unwrap(),
//!     launch: Launch::Stdio {
//!         command: "npx".into(),
//!         args: vec!["-y".into(), "@modelcontextprotocol/server-everything".into()],
//!         env: vec![],
//!         cwd: None,
//!     },
//!     secrets: vec![],
//! };
//! let (limits, memory) = (Limits::default(), Memory::none());
//! for (server, outcome) in fetch_all(&[spec.clone()], &limits, &memory, &|_| {}).await {
//!     match outcome {
//!         Ok(fetched) => println!("{server}: {} tools", fetched.catalogue.tools().len()),
//!         Err(error) => println!("{server}: {error}; {}", error.remedy()),
//!     }
//! }
//!
//! let session = Session::open(&spec, &limits, &memory).await.unwrap();
//! let arguments = serde_json::value::to_raw_value(&serde_json::json!({"message": "hello"})).unwrap();
//! let result = session.call(&"echo".parse().unwrap(), &arguments).await.unwrap();
//! println!("{}", result.get());
//! session.close().await;
//! # });
//! ```
//!
//! Which servers are used is the caller's decision, made before: a function here starts or contacts exactly the servers
//! it is given.

pub mod environment;
mod failure;
mod fetch;
mod fleet;
pub mod header_params;
mod limits;
mod listed;
mod live;
mod mask;
pub mod memory;
mod note;
mod paging;
mod session;
mod spec;

pub use callsign_wire::Era;
pub use failure::{Evidence, FetchError, Stage};
pub use fetch::{Fetched, fetch};
pub use fleet::{Progress, fetch_all};
pub use limits::Limits;
pub use live::Caller;
pub use memory::{Memory, Remembered};
pub use note::Note;
pub use session::{CallError, Sent, Session};
pub use spec::{Launch, Secret, ServerSpec};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
