//! The command line as a whole: the answers of each command, the demo, the table of configuration files, and bad input.

mod ask;
mod bad_input;
mod commands;
mod config;
mod conversation;
mod db;
mod db_runs;
mod demo;
mod field_templates;
mod foreign;
mod hook;
mod index;
mod index_url;
mod journal;
mod journey;
mod kill_selecting;
mod kill_writing;
#[cfg(target_os = "linux")]
mod limits;
mod no_room;
mod real_agents;
pub mod tables;
mod watch;
