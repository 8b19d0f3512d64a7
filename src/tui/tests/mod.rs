//! Tests of the screen as a whole: keys in the keymap's own notation go in, cells or effects come out. No engine, no
//! terminal, no file.

mod keys;
mod laws;
mod screens;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use crate::engine::Command;

use super::draw::draw;
use super::input::{self, Effect, Input};
use super::key::Key;
use super::state::State;
use super::update::update;

/// Presses these keys, written as in the keymap and separated by blanks; `"text"` types its characters. Returns what was
/// asked of the world.
fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (nth, part) in keys.split('"').enumerate() {
        if nth % 2 == 1 {
            for c in part.chars() {
                let typed = input::of_key(state, Key::char(c));
                effects.extend(typed.map(|typed| update(state, typed)).unwrap_or_default());
            }
            continue;
        }
        for key in part.split_whitespace() {
            let key: Key = key.parse().unwrap_or_else(|no_key| panic!("{no_key}"));
            let meant = input::of_key(state, key);
            effects.extend(meant.map(|meant| update(state, meant)).unwrap_or_default());
        }
    }
    effects
}

/// What was asked of the engine, but for the documents that follow the cursor.
fn commands(effects: &[Effect]) -> Vec<Command> {
    let sent = effects.iter().filter_map(|effect| match effect {
        Effect::Send(Command::Read { .. }) => None,
        Effect::Send(command) => Some(command.clone()),
        _ => None,
    });
    sent.collect()
}

/// The screen as text, without blanks at the ends of lines.
fn screen(state: &State) -> String {
    let buffer = cells(state);
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(super::widgets::cells::width(symbol).max(1)).unwrap();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The cells of the screen.
fn cells(state: &State) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(state.size.width, state.size.height)).unwrap();
    terminal.draw(|frame| draw(state, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// Answers as the engine would.
fn answer(state: &mut State, event: crate::engine::Event) -> Vec<Effect> {
    update(state, Input::Answer(event))
}
