//! Two servers, a hook and a screen at one desk: actions of one are visible to the others immediately and with its
//! name; and whichever is killed, at any moment, nothing acknowledged is lost and no other is blocked.
#![allow(clippy::print_stderr, reason = "what is measured is printed")]

mod actors;
mod kills;
pub mod latency;
mod ledger;
mod random;
mod rows;
mod world;
