//! Two servers, a hook and a screen at one desk at once: what each of them does the others see, at once and with the name of who
//! did it; and whichever of them is killed at whatever moment, nothing that was acknowledged is lost and nobody is held up.
#![allow(clippy::print_stderr, reason = "what is measured is printed")]

mod actors;
mod chance;
mod kills;
pub mod latency;
mod ledger;
mod rows;
mod world;
