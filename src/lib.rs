//! What does a coding agent know, why, and what does it cost? The three faces of refdesk; everything behind them is in `crates/`.

pub mod cli;
mod colours;
mod common;
mod editor;
mod end_signals;
pub mod plain;
pub mod runtime;
pub mod tui;

#[cfg(test)]
use tui::fixture;
