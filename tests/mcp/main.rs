//! The server of the real program, as a client on standard input and output sees it: what each tool answers and refuses, what a
//! session survives, who is asked, and how it ends. One binary with many modules, since each links the whole program.
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

mod asking;
mod beginning;
mod ends;
mod errors;
mod hostile;
mod listing;
mod revisions;
mod sharing;
mod shelf;
mod tools;
#[cfg(unix)]
mod trusting;
mod world;
mod writing;
