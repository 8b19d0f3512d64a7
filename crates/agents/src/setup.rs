//! Connects agents to refdesk: where each keeps its settings, which entries in them are ours, and how to add and remove
//! these without changing anything else. Nothing here prompts, writes files or reads the environment; the new content
//! of a file is a function of the old (BEHAVIOUR §10 `connect`, `disconnect`).

mod additions;
mod client;
mod command;
mod cut;
mod entries;
mod file;
mod gaps;
mod hook_settings;
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
pub use command::{NAME, is_ours, is_own_call, write_command};
pub use file::{ConnectedFile, PartCommand, SettingsPart, connect_file, disconnect_file};
pub use gaps::{HookGap, HookGapKind};
pub use hook_settings::HookSettings;
pub use plan::Disconnected;
pub use problem::EntryProblem;
pub use record::{Record, Replaced};
pub use server::{ListedServer, foreign_server, listed_server};

#[cfg(test)]
mod law_tests;
#[cfg(test)]
mod table_tests;
