//! Connects agents to refdesk: where each keeps its settings, which entries in them are ours, and how to add and remove
//! these without changing anything else. Nothing here prompts, writes files or reads the environment; the new content
//! of a file is a function of the old (BEHAVIOUR §10 `connect`, `disconnect`).

mod additions;
mod client;
mod command;
mod cut;
mod entries;
mod file;
mod foreign;
mod gaps;
mod insert;
mod plan;
mod problem;
mod record;
mod server;
mod text;

pub use client::{
    Client, Hooks, McpServer, ServerCommand, SettingsPlace, SettingsPlaces, SettingsVariable, SwitchFile, SwitchPaths,
    SwitchProblem, SwitchText, Switches,
};
pub use command::{NAME, is_ours, write_command};
pub use file::{ConnectedFile, PartCommand, SettingsPart, connect_file, disconnect_file};
pub use foreign::foreign_hooks;
pub use gaps::{HookGap, HookGapKind, hook_gaps};
pub use plan::{Disconnected, foreign_hook_keys, hook_commands};
pub use problem::EntryProblem;
pub use record::{Record, Replaced};
pub use server::{ListedServer, foreign_server, listed_server};

#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod table_tests;
