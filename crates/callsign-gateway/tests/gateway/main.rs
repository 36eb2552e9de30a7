//! The gateway between raw hosts and misbehaving servers. Numbers of statements are those of the protocol's checklist.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "clippy allows it in test functions, not in what they share"
)]

mod conduct;
mod fidelity;
#[path = "../../../callsign-wire/tests/support/host.rs"]
mod host;
mod http;
#[path = "../../../callsign-wire/tests/support/json.rs"]
mod json;
mod kit;
mod stateless;
#[path = "../../../callsign-wire/tests/support/mod.rs"]
mod support;
mod tools;
