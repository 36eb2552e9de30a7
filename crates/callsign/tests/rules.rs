//! Rules: what was executed elsewhere, and what holds for every registry, rule and call.
//!
//! Each property runs on 256 inputs, or on as many as the variable `PROPTEST_CASES` says; `scripts/fuzz` runs many more.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

#[path = "rules/entries.rs"]
mod entries;
#[path = "rules/fleets.rs"]
mod fleets;
#[path = "rules/oracle.rs"]
mod oracle;
#[path = "rules/properties.rs"]
mod properties;
#[path = "rules/registries.rs"]
mod registries;
#[path = "rules/vectors.rs"]
mod vectors;
