//! The command line as a whole: the answers of each command, the demo, the table of configuration files, and bad input.

#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod bad_input;
mod commands;
mod config;
mod conversation;
mod demo;
#[cfg(unix)]
mod foreign;
#[cfg(unix)]
mod hook;
#[cfg(unix)]
mod journal;
#[cfg(unix)]
mod kill;
#[cfg(unix)]
mod kill_writing;
mod knowledge;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(unix)]
mod watch;
