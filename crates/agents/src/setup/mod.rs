//! Connects agents to refdesk: where each keeps its settings, which entries in them are ours, and how to add and remove
//! these without changing anything else. Nothing here asks, writes or reads the environment; the new content of a file
//! is a function of the old (BEHAVIOUR §10 `connect`, `disconnect`).

mod additions;
mod client;
mod command;
mod cut;
mod entries;
mod insert;
mod plan;
mod record;
mod text;

pub use client::{Client, SettingsVariable};
pub use command::{NAME, is_ours, write_command};
pub use plan::{Connected, Disconnected, connect, disconnect};
pub use record::Record;

#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod table_tests;
