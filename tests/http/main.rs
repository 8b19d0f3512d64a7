//! The desk over HTTP as its clients see it: raw HTTP/1.1 over sockets, with a real process wherever its limits are those that
//! are written. Who may call, what a body may be, how many at once, sessions, and how it ends.
#![cfg(unix)]
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

mod bodies;
mod calls;
mod client;
mod crowd;
mod ending;
mod gate;
mod names;
mod server;
mod slow;
