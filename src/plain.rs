//! The plain interface, for screen readers and terminals that cannot move their cursor: the features of the full screen
//! as numbered lists, questions and commands. It reads and prints plain lines, and also works with pipes.
//!
//! ```text
//! line ─► command ─► update(&mut PlainState, PlainInput) -> InputOutcome (lines, effects) ─► run ─► engine
//! ```
//!
//! `run` reads a line only once everything before it is answered, so that a script gets the same answers as a person.
//! `update` is pure. Every line is printed by `InputOutcome::print`, which escapes external text.

mod agents;
mod catalog;
mod choice;
mod command;
mod databases;
mod feed;
mod fix;
mod graph;
mod jump;
mod lists;
mod problems;
mod profiles;
mod prompts;
mod requests;
mod run;
mod saved;
mod search;
mod selection;
mod source;
mod state;
mod templates;
mod trust;
mod update;
mod values;
mod words;

#[cfg(test)]
mod tests;

pub use command::{COMMANDS, PlainCommand};
pub use run::{PlainExit, run};
pub use state::{InputOwner, PlainStart};
