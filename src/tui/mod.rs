//! The desk as a full screen. A key becomes an action, an action changes the state and asks something of the engine, the
//! state is drawn; what the engine says comes the same way as keys do (HOUSE, "How data goes through it").
//!
//! ```text
//! key ─► input::of_key ─► update(&mut State, Input) -> Vec<Effect> ─► run ─► engine
//! draw(&State, &mut Frame) ◄── State ◄── Snapshot and Event ◄─────────────────┘
//! ```
//!
//! - `run` is the only loop; it blocks until something happens, takes all that is ready, and draws once. Below it: what the
//!   terminal sends (`keyboard`, `parse`), at which pace is drawn, the editor that gets the terminal for a while, signals, and
//!   the painter that looks for the words of a text (`highlight/`) on a thread of its own.
//! - `terminal` alone touches terminal modes, and puts them back on every way out.
//! - `action` is the one table of what a person can do; keymap, bottom line and help are read from it.
//! - `state`, with `tree`, `totals`, `filter/`, `search`, `found`, `feed`, `recall`, `values/`, `field`, `motion`: what the screen
//!   remembers. `update/` changes it; `disabled` says what cannot be done, and `about` where a row leads.
//! - `draw`, with `layout`, `status`, `panes/`, `overlays/`, `widgets/`, `theme`, `glyphs`: how it looks.
//!
//! Nothing in this room reads a file or waits for anything but the next input.

pub mod about;
pub mod action;
mod disabled;
mod draw;
mod feed;
mod field;
mod filter;
mod found;
mod glyphs;
mod highlight;
mod input;
pub mod key;
mod layout;
mod motion;
mod overlays;
mod palette;
mod pane;
mod panes;
mod recall;
mod rules;
mod run;
mod search;
mod standing;
mod start;
mod state;
mod status;
mod terminal;
mod theme;
mod totals;
mod tree;
mod update;
mod values;
mod widgets;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

pub use field::TextEdit;
pub use motion::Motion;
pub use pane::Pane;
pub use run::{ExitReason, ScreenExit, run};
pub use start::Start;
