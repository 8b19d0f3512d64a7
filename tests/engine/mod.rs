//! The engine on a real folder: requests, answers, and file changes. Every wait is for a snapshot or an event, with a
//! timeout that only a failure reaches.
#![allow(clippy::print_stderr, reason = "what is measured is printed")]

mod checkout;
mod commands;
mod databases;
mod edits;
mod embedded;
mod folders;
mod foreign;
mod journal;
mod notices;
#[cfg(target_os = "linux")]
mod polling;
#[cfg(target_os = "linux")]
mod profiles;
#[cfg(target_os = "linux")]
mod rendering;
mod requests;
mod selection;
#[cfg(target_os = "linux")]
mod watch_limits;
mod world;
