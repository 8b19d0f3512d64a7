//! Two servers, a hook and a screen on one desk: the actions of one appear to the others immediately and with its name.
//! Whichever is killed, at any moment, no acknowledged action is lost and no other process is blocked.
#![allow(clippy::print_stderr, reason = "what is measured is printed")]

mod actors;
mod kills;
pub mod latency;
mod ledger;
mod random;
mod rows;
mod world;
