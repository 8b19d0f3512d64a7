//! Letting an agent call the desk: where each agent keeps its settings, which entries in them are ours, and how they come into
//! a file and out of it without a change to anything else. Nothing here asks, writes or looks at the environment; what a
//! file would hold is a function of what it holds (BEHAVIOUR §10 `connect`, `disconnect`).

mod additions;
mod client;
mod command;
mod cut;
mod entries;
mod insert;
mod plan;
mod record;
mod text;

pub use client::{Client, Moved};
pub use command::{NAME, is_ours, write_command};
pub use plan::{Connected, Disconnected, connect, disconnect};
pub use record::Record;
pub use text::Fault;

#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod table_tests;
