//! What is this tool called, and who answers to that name?
//!
//! Tool names of the Model Context Protocol are unique inside one server and nowhere else. This crate gives every tool of
//! every server one exposed name, keeps that name apart from the one its server knows it by, and refuses to guess.
//!
//! ```
//! use callsign::registry::{Registration, Registry};
//! use callsign::scheme::Qualified;
//! use callsign::{Catalogue, ServerKey};
//!
//! let mut search = Catalogue::default();
//! search.push_tool(r#"{"name":"search","inputSchema":{"type":"object"}}"#);
//!
//! let mut registry = Registry::new(Qualified::default());
//! registry.register(ServerKey::new("mail")?, search.clone(), Registration::default())?;
//! registry.register(ServerKey::new("notes")?, search, Registration::default())?;
//!
//! let tool = registry.resolve("mcp__notes__search")?;
//! assert_eq!((tool.server().unwrap().as_str(), tool.wire().as_str()), ("notes", "search"));
//!
//! let miss = registry.resolve("search").unwrap_err();
//! assert!(miss.to_string().contains("mcp__mail__search") && miss.to_string().contains("mcp__notes__search"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Names are made by a [`scheme`], what a server advertised is kept in a [`catalogue`], a [`registry`] says who answers to
//! a name, the [`rules`] say what people's allow, ask and deny entries want of a call, and the [`audit`] says what is wrong
//! with the names of a fleet. [`history`] mends names in stored conversations.
//!
//! It does no I/O, has no clock and no async: the same input gives the same names everywhere.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![forbid(unsafe_code)]

pub mod audit;
pub mod catalogue;
pub mod history;
pub mod name;
pub mod registry;
pub mod rules;
pub mod scheme;

pub use catalogue::{Catalogue, Tool};
pub use name::{ExposedName, ServerKey, ToolId, WireName};

/// The README's example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
