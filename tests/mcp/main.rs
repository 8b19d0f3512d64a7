//! The server against the real program: one JSON-RPC message a line, in and out.
// Helpers of tests are tests too: what fails there fails the test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test that cannot go on should stop, and says where"
)]

#[path = "../support/mod.rs"]
mod support;

mod shelf;
