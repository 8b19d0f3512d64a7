//! The full screen. A key becomes an action; an action changes the state and asks the engine for something; the state is
//! drawn. What the engine answers arrives the same way as keys do.
//!
//! ```text
//! key ─► input::of_key ─► update(&mut State, Input) -> Vec<Effect> ─► run ─► engine
//! draw(&State, &mut Frame) ◄── State ◄── Snapshot and Event ◄─────────────────┘
//! ```
//!
//! - The loop: `run` blocks until something happens, takes everything that is ready, and draws once. It also holds what
//!   reads the terminal, limits frames, lends the terminal to an editor, listens to signals and highlights code.
//! - Only `terminal` touches terminal modes, and restores them on every way out.
//! - `action` is the one table of actions; keymap, bottom line, palette and help are generated from it.
//! - One folder a feature, with its state, view, update and reasons for being disabled: `catalog`, `selection`, `requests`,
//!   `hints`, `feed`, `templates`, `graph`, `agents`, `databases`, and `windows` with one file a window.
//! - Shared by them: `state`, `update` (dispatch, mouse, typing), `disabled`, `layout`, `views` (what takes the place of the panes), `status` (the lines around
//!   them), `tour`, `filter`, `filtering`, `highlight`, `theme`, `glyphs`, `widgets`.
//!
//! `update` is pure and `draw` does no I/O. Nothing here reads a file or waits for anything but the next input.

pub mod action;
mod agents;
mod budget;
mod catalog;
mod consequence;
mod counts;
mod databases;
mod disabled;
mod dock;
mod draw;
mod feed;
mod filtering;
mod fix;
mod glyphs;
mod graph;
mod highlight;
mod hints;
mod input;
pub mod key;
mod layout;
mod markdown;
mod messages;
mod own_files;
mod pane;
mod pane_view;
mod places;
mod questions;
mod requests;
mod run;
mod selection;
mod session;
mod source_state;
mod start;
mod state;
mod status;
mod templates;
mod terminal;
mod theme;
mod theme_choice;
mod tour;
mod update;
mod views;
mod whereabouts;
mod which_key;
mod widgets;
mod windows;

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use self::tests::fixture;

use crate::common::filter;

pub use pane::Pane;
pub use run::{ExitReason, ScreenExit, run};
pub use start::{StartOptions, settings};
pub use widgets::field::TextEdit;
pub use widgets::motion::Motion;
