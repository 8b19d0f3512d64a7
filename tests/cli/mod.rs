//! The command line as a whole: the answers of each command, the demo, the table of configuration files, and bad input.

#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod bad_input;
mod commands;
mod config;
mod conversation;
mod db;
#[cfg(unix)]
mod db_runs;
mod demo;
mod field_templates;
#[cfg(unix)]
mod foreign;
#[cfg(unix)]
mod hook;
#[cfg(unix)]
mod index;
mod index_url;
#[cfg(unix)]
mod journal;
mod journey;
#[cfg(unix)]
mod kill_selecting;
#[cfg(unix)]
mod kill_writing;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod real_agents;
pub mod tables;
#[cfg(unix)]
mod watch;
