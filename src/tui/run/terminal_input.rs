//! Handles terminal input: keys, pasted text, mouse events, resizes, background reports. Input typed before
//! the workspace is loaded is queued until then.

use std::io;
use std::time::Instant;

use crossterm::event::{Event as TerminalEvent, KeyEvent};
use ratatui::layout::Size;

use crate::common::engine_ended;
use crate::tui::action::{Action, KeyContext};
use crate::tui::input::{self, Input};
use crate::tui::key::Key;
use crate::tui::run::App;
use crate::tui::run::highlight_worker::HighlightWorker;
use crate::tui::run::keyboard::{Keyboard, TerminalInput};
use crate::tui::terminal::drawable;
use crate::tui::widgets::field::TextEdit;

/// The maximum number of inputs per frame, so that the screen is updated even in a flood of input.
const BATCH: usize = 1024;

/// The maximum bytes of typed characters inserted at once. Each insertion lays out and draws the whole field,
/// so with small pieces a megabyte that the terminal types from its clipboard would take minutes.
const TYPED: usize = 64 * 1024;

impl App {
    /// Handles all input that is available now.
    pub(super) fn take_ready(&mut self, keyboard: &mut Keyboard) -> io::Result<()> {
        // Insert typed characters together: one at a time, each would cost as much as the whole text.
        let (mut typed, mut taken) = (String::new(), 0);
        while taken < BATCH && typed.len() < TYPED && !self.is_away() {
            let early = if self.is_open() { self.early.pop_front() } else { None };
            let event = match early {
                Some(event) => event,
                None => match keyboard.next_ready()? {
                    Some(TerminalInput::Event(event)) => event,
                    Some(background) => {
                        self.terminal_input(background)?;
                        continue;
                    }
                    None => break,
                },
            };
            if !self.is_open() {
                taken += 1;
                self.handle_or_keep(event)?;
                continue;
            }
            if let TerminalEvent::Key(key) = event {
                // Typed text does not affect how the next key is read, so it may wait for further text.
                match self.of_key(key) {
                    Some(Input::Type(text)) => {
                        typed.push_str(&text);
                        continue;
                    }
                    Some(Input::Act(Action::Edit(TextEdit::NewLine))) if !typed.is_empty() => {
                        typed.push('\n');
                        continue;
                    }
                    _ => {}
                }
            }
            taken += 1;
            self.typed(&mut typed)?;
            self.terminal_event(event)?;
        }
        self.typed(&mut typed)?;
        if self.is_away() {
            return Ok(());
        }
        for _ in 0..BATCH {
            let Ok(event) = self.events.try_recv() else { break };
            self.input(Input::Event(event))?;
        }
        for _ in 0..BATCH {
            let Some(answer) = self.replies.next_ready() else { break };
            self.input(answer)?;
        }
        while let Some(painted) = self.painter.as_mut().and_then(HighlightWorker::next_ready) {
            self.input(painted)?;
        }
        if self.snapshots.has_changed().map_err(|_| engine_ended())? {
            self.take_snapshot()?;
        }
        Ok(())
    }

    pub(super) fn terminal_input(&mut self, input: TerminalInput) -> io::Result<()> {
        match input {
            TerminalInput::Event(event) => self.handle_or_keep(event),
            TerminalInput::Background(report) => match self.background.take(report, Instant::now()) {
                Some(background) => self.input(Input::Background(background)),
                None => Ok(()),
            },
        }
    }

    /// Handles a terminal event, or queues it until the workspace is loaded. Keys that quit, suspend or
    /// redraw are never queued, except `q` after other keys, which is a letter after `/`.
    fn handle_or_keep(&mut self, event: TerminalEvent) -> io::Result<()> {
        let waits = match &event {
            _ if self.is_open() => false,
            TerminalEvent::Key(event) => Key::from_event(*event).is_some_and(|key| {
                let contexts = input::contexts(&self.state);
                let keymap = &self.state.keymap;
                let quits = keymap.bound(&[key], &contexts).is_some_and(|entry| entry.action == Action::Quit);
                keymap.bound(&[key], &[KeyContext::Always]).is_none() && !(quits && self.early.is_empty())
            }),
            TerminalEvent::Paste(_) | TerminalEvent::Mouse(_) => true,
            _ => false,
        };
        if !waits {
            return self.terminal_event(event);
        }
        // More than a person types on purpose.
        if self.early.len() < BATCH {
            self.early.push_back(event);
        }
        Ok(())
    }

    /// Whether keys are not for this screen, or not yet.
    pub(super) fn is_away(&self) -> bool {
        self.ended.is_some() || self.suspended || self.opening.is_some()
    }

    fn typed(&mut self, text: &mut String) -> io::Result<()> {
        let text = std::mem::take(text);
        if text.is_empty() { Ok(()) } else { self.input(Input::Type(text)) }
    }

    fn of_key(&self, event: KeyEvent) -> Option<Input> {
        Key::from_event(event).and_then(|key| input::of_key(&self.state, key))
    }

    fn terminal_event(&mut self, event: TerminalEvent) -> io::Result<()> {
        match event {
            TerminalEvent::Key(event) => self.of_key(event).map_or(Ok(()), |input| self.input(input)),
            TerminalEvent::Paste(text) => self.input(Input::Paste(text)),
            TerminalEvent::Resize(width, height) => {
                // Even if the size is the same: at sizes in between, the terminal may have altered its content.
                self.screen.forget()?;
                self.input(Input::Resize(drawable(Size { width, height })))
            }
            TerminalEvent::Mouse(event) => input::of_mouse(event).map_or(Ok(()), |input| self.input(input)),
            _ => Ok(()),
        }
    }
}
