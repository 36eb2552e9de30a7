//! The audit: every page's example, every finding's fixtures, whole fleets, attacks. Public reports are in `cases.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't read its data has to fail"
)]

#[path = "audit/attacks.rs"]
mod attacks;
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
