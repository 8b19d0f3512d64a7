//! The engine over a real folder: commands, answers, and what it notices when files change under it. Every wait is for a
//! snapshot or an event, bounded by a time-out that only a failure reaches.

// Helpers of tests are tests too: what fails there fails the test.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr)]

mod checkout;
mod choices;
mod commands;
mod edits;
mod embedded;
mod folders;
#[cfg(target_os = "linux")]
#[path = "../support/hostile.rs"]
mod hostile;
mod journal;
mod notices;
mod polling;
#[cfg(target_os = "linux")]
mod profiles;
mod rendering;
mod requests;
mod world;
