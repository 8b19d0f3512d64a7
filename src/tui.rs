//! The full screen. A key becomes an action; the action changes the state and may send the engine a request;
//! then the state is drawn. The engine's answers arrive through the same channel as keys.
//!
//! ```text
//! key ─► input::of_key ─► update(&mut State, Input) -> Vec<Effect> ─► run ─► engine
//! draw(&State, &mut Frame) ◄── State ◄── Snapshot and Event ◄─────────────────┘
//! ```
//!
//! - The event loop: `run` blocks until something happens, handles everything that is ready, and draws once.
//!   Its module also reads the terminal, limits the frame rate, hands the terminal to an editor, listens for
//!   signals and highlights code.
//! - Only `terminal` changes terminal modes. It restores them on every exit path.
//! - `action` is the one table of actions. The keymap, the bottom line, the palette and the help are generated from it.
//! - One folder per feature, with its state, view, update and reasons for disabled actions: `catalog`, `selection`,
//!   `requests`, `hints`, `feed`, `templates`, `graph`, `agents`, `databases`, and `windows` with one file per window.
//! - Shared by the features: `state`, `update` (dispatch, mouse, typing), `disabled`, `layout`, `views`
//!   (full-screen views that replace the panes), `status` (the lines around them), `tour`, `filter`,
//!   `filtering`, `highlight`, `theme`, `glyphs`, `widgets`.
//!
//! `update` is pure and `draw` does no I/O. Nothing here reads a file or waits for anything but the next input.

pub mod action;
mod agents;
mod availability;
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
