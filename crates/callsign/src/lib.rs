//! What is this tool called, and who answers to that name?
//!
//! Tool names of the Model Context Protocol are unique inside one server and nowhere else. This crate gives every tool of
//! every server one exposed name, keeps that name apart from the one its server knows it by, and refuses to guess.
//!
//! It does no I/O, has no clock and no async: the same input gives the same names everywhere.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]
#![forbid(unsafe_code)]

pub mod audit;
pub mod catalogue;
pub mod name;
pub mod registry;
pub mod scheme;

pub use catalogue::{Catalogue, Tool};
pub use name::{ExposedName, ServerKey, ToolId, WireName};

/// The README's example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
