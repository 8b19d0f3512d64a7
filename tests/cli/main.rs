//! The command line of the real program: what each command answers, what the demo and the table of configuration files come
//! to, and what bad input may not do. One binary with many modules, since each links the whole program.
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

#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod bad_input;
mod commands;
mod config;
mod conversation;
mod demo;
#[cfg(unix)]
mod hook;
#[cfg(unix)]
mod journal;
#[cfg(unix)]
mod kill;
#[cfg(unix)]
mod kill_writing;
mod knowledge;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod watch;
