//! The audit: every page's example, every finding's fixtures, whole fleets, and public reports.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't read its data has to fail"
)]

#[path = "audit/cases.rs"]
mod cases;
#[path = "audit/fixtures.rs"]
mod fixtures;
#[path = "audit/fleets.rs"]
mod fleets;
#[path = "audit/order.rs"]
mod order;
#[path = "audit/pages.rs"]
mod pages;
#[path = "audit/reader.rs"]
mod reader;
#[path = "audit/schemes.rs"]
mod schemes;
