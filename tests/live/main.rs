//! Two servers, a hook and a screen at one desk at once: what each of them does the others see, at once and with the name of who
//! did it; and whichever of them is killed at whatever moment, nothing that was acknowledged is lost and nobody is held up.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    clippy::print_stderr,
    reason = "a test that cannot go on should stop, and says where; and what is measured is printed"
)]

#[path = "../support/pty.rs"]
#[allow(dead_code, reason = "another binary uses the rest of it")]
mod pty;
#[path = "../support/mod.rs"]
mod support;

mod actors;
mod chance;
mod kills;
mod latency;
mod ledger;
mod rows;
mod world;
