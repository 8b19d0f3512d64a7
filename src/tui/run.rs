//! The only loop of the screen: it blocks until a key, a snapshot, an event of the engine or a signal comes, takes all that
//! is ready, and draws once. No timer runs. What an input means is decided in `update`, what is on the screen in `draw`.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::Poll;

use crossterm::event::{Event as TerminalEvent, EventStream};
use futures_util::Stream;
use ratatui::layout::Size;
use tokio::sync::mpsc::error::TrySendError;

use crate::engine::{Command, Engine};

use super::draw::draw;
use super::input::{self, Effect, Input};
use super::key::Key;
use super::start::Start;
use super::state::State;
use super::terminal::Screen;
use super::update::update;
use signals::{Signals, Told};

mod signals;

/// At most so many inputs are taken before a frame is drawn, so that a flood of them still shows.
const BATCH: usize = 1024;

/// Why the screen ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The person left.
    Quit,
    /// This signal asked for it; a shell expects exit status 128 plus its number.
    Signal(i32),
}

/// Runs the screen over this engine until it is left; the terminal is then as it was found.
///
/// Needs a tokio runtime with I/O enabled, and stays on the thread it is called on. Fails when the terminal cannot be
/// taken over or written to, and when the engine ends before the screen does.
pub async fn run(engine: Engine, start: Start) -> io::Result<Ended> {
    let signals = Signals::new()?;
    let screen = Screen::enter()?;
    let state = State::new(screen.size()?, start.skin);
    let app = App { engine, screen, state, waiting: Vec::new(), suspended: false, changed: true, ended: None };
    app.run(signals).await
}

struct App {
    engine: Engine,
    screen: Screen,
    state: State,
    /// Questions that a full queue did not take: at most the newest of each kind.
    waiting: Vec<Command>,
    suspended: bool,
    /// Whether there is anything to draw.
    changed: bool,
    ended: Option<Ended>,
}

impl App {
    async fn run(mut self, mut signals: Signals) -> io::Result<Ended> {
        self.take_snapshot()?;
        self.draw()?;
        // Only now is anything read from the terminal.
        let mut terminal = EventStream::new();
        loop {
            if let Some(ended) = self.ended {
                return Ok(ended);
            }
            self.draw()?;
            let commands = self.engine.commands.clone();
            tokio::select! {
                biased;
                told = signals.next() => self.signal(told)?,
                event = poll_fn(|cx| Pin::new(&mut terminal).poll_next(cx)) => self.terminal_event(event)?,
                changed = self.engine.snapshots.changed() => {
                    changed.map_err(|_| engine_gone())?;
                    self.take_snapshot()?;
                }
                event = self.engine.events.recv() => {
                    let event = event.ok_or_else(engine_gone)?;
                    self.input(Input::Answer(event))?;
                }
                permit = commands.reserve(), if !self.waiting.is_empty() => {
                    permit.map_err(|_| engine_gone())?.send(self.waiting.remove(0));
                }
            }
            self.take_ready(&mut terminal).await?;
        }
    }

    /// Everything that has come already, without waiting.
    async fn take_ready(&mut self, terminal: &mut EventStream) -> io::Result<()> {
        for _ in 0..BATCH {
            if self.ended.is_some() || self.suspended {
                return Ok(());
            }
            // With the loop's own waker: the stream remembers the one it was last polled with.
            let ready = poll_fn(|cx| match Pin::new(&mut *terminal).poll_next(cx) {
                Poll::Ready(event) => Poll::Ready(Some(event)),
                Poll::Pending => Poll::Ready(None),
            });
            match ready.await {
                Some(event) => self.terminal_event(event)?,
                None => break,
            }
        }
        for _ in 0..BATCH {
            let Ok(event) = self.engine.events.try_recv() else { break };
            self.input(Input::Answer(event))?;
        }
        if self.engine.snapshots.has_changed().map_err(|_| engine_gone())? {
            self.take_snapshot()?;
        }
        Ok(())
    }

    fn draw(&mut self) -> io::Result<()> {
        if self.suspended || !std::mem::take(&mut self.changed) {
            return Ok(());
        }
        let state = &self.state;
        self.screen.draw(|frame| draw(state, frame))
    }

    fn take_snapshot(&mut self) -> io::Result<()> {
        let snapshot = self.engine.snapshots.borrow_and_update().clone();
        self.input(Input::Snapshot(Box::new(snapshot)))
    }

    fn terminal_event(&mut self, event: Option<io::Result<TerminalEvent>>) -> io::Result<()> {
        match event {
            Some(Ok(TerminalEvent::Key(event))) => {
                let input = Key::from_event(event).and_then(|key| input::of_key(&self.state, key));
                input.map_or(Ok(()), |input| self.input(input))
            }
            Some(Ok(TerminalEvent::Paste(text))) => self.input(Input::Paste(text)),
            Some(Ok(TerminalEvent::Resize(width, height))) => self.input(Input::Resize(Size { width, height })),
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => Err(error),
            None => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal is gone")),
        }
    }

    fn input(&mut self, input: Input) -> io::Result<()> {
        self.changed = true;
        for effect in update(&mut self.state, input) {
            match effect {
                Effect::Send(command) => self.send(command)?,
                Effect::Quit => self.ended = Some(Ended::Quit),
                Effect::Suspend => self.suspend()?,
                Effect::Redraw => self.screen.forget()?,
            }
        }
        Ok(())
    }

    /// A question waits for room, and only the newest of its kind; for anything else the person is told.
    fn send(&mut self, command: Command) -> io::Result<()> {
        let kind = std::mem::discriminant(&command);
        self.waiting.retain(|waiting| std::mem::discriminant(waiting) != kind);
        match self.engine.commands.try_send(command) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(
                question @ (Command::Look { .. } | Command::Preview { .. } | Command::Read { .. }),
            )) => {
                self.waiting.push(question);
                Ok(())
            }
            Err(TrySendError::Full(_)) => self.input(Input::Busy),
            Err(TrySendError::Closed(_)) => Err(engine_gone()),
        }
    }

    fn suspend(&mut self) -> io::Result<()> {
        #[cfg(unix)]
        {
            self.suspended = true;
            self.screen.suspend()?;
        }
        Ok(())
    }

    fn signal(&mut self, told: Told) -> io::Result<()> {
        match told {
            Told::End(signal) => self.ended = Some(Ended::Signal(signal)),
            Told::Stop => self.suspend()?,
            // Also after a SIGSTOP that nobody could see coming: the shell has had the terminal meanwhile.
            Told::Continue => {
                self.suspended = false;
                self.screen.resume()?;
                let size = self.screen.size()?;
                self.input(Input::Resize(size))?;
            }
        }
        Ok(())
    }
}

fn engine_gone() -> io::Error {
    io::Error::other("the desk's background task ended; what it said is above or in the log")
}
