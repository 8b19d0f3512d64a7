//! What does a coding agent know, why, and what does it cost? The two faces of refdesk; everything behind them is in `crates/`.

pub mod cli;
mod colours;
mod common;
mod editor;
pub mod tui;
