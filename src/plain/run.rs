//! The loop of the plain interface: it reads a line, says what follows, and reads the next line only when the engine has
//! answered everything. What happens meanwhile is said before the next prompt, never in the middle of typing.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use refdesk_desk::engine::{Ending, Engine, Event, Request, Response, Snapshot, Started};

use super::state::{PlainEffect, PlainInput, PlainStart, PlainState, Turn, Typist};
use super::update;
use crate::end_signals::{self, EndSignals};
use lines::TypedLine;

mod lines;

/// How long to wait for the last changes to be stored.
const STORING: Duration = Duration::from_secs(2);

/// How the plain interface ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainExit {
    /// The exit code.
    pub code: u8,
    /// Whether every change was stored; false if the disk did not answer in time.
    pub stored: bool,
}

/// Why the loop ends early.
#[derive(Debug)]
enum Ended {
    /// By `quit`, the end of the input, or because nobody reads the output.
    Done,
    /// By a signal of this number.
    Signal(i32),
    /// Something failed.
    Failed(io::Error),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Done } else { Self::Failed(error) }
    }
}

/// Runs the plain interface on standard input and output until it is left.
///
/// Needs a tokio runtime with I/O and time enabled.
///
/// # Errors
/// The output cannot be written, or the engine ends first.
pub async fn run((engine, events): Started, start: PlainStart) -> io::Result<PlainExit> {
    let mut conversation = Conversation {
        snapshots: engine.snapshots(),
        engine,
        events,
        signals: EndSignals::new()?,
        state: PlainState::default(),
        start,
        has_changed: false,
    };
    let code = match conversation.run().await {
        Ended::Done => 0,
        // As shells report a program that a signal ended.
        Ended::Signal(number) => u8::try_from(128 + number).unwrap_or(1),
        Ended::Failed(error) if lines::is_gone(&error) => 128 + end_signals::HANGUP,
        Ended::Failed(error) => return Err(error),
    };
    let Conversation { engine, events, has_changed, .. } = conversation;
    drop(events);
    let stored = !has_changed || engine.close(STORING).await == Ending::Closed;
    Ok(PlainExit { code, stored })
}

struct Conversation {
    engine: Engine,
    snapshots: watch::Receiver<Snapshot>,
    events: mpsc::Receiver<Event>,
    signals: EndSignals,
    state: PlainState,
    start: PlainStart,
    /// Whether changes were requested: only these are waited for at the end.
    has_changed: bool,
}

/// What arrived while a line was awaited.
#[allow(clippy::large_enum_variant, reason = "each is made once and never kept")]
enum Arrival {
    Line(Option<TypedLine>),
    Snapshot,
    Event(Option<Event>),
}

impl Conversation {
    async fn run(&mut self) -> Ended {
        match self.talk().await {
            Ok(never) => match never {},
            Err(ended) => ended,
        }
    }

    async fn talk(&mut self) -> Result<std::convert::Infallible, Ended> {
        self.open().await?;
        let typist = if io::stdin().is_terminal() { Typist::Person } else { Typist::Script };
        let first = update::begin(&mut self.state, std::mem::take(&mut self.start), typist);
        self.carry_out(first).await?;
        let mut typed = lines::read()?;
        loop {
            let before = update::before_line(&mut self.state);
            self.carry_out(before).await?;
            let line = loop {
                let arrived = tokio::select! {
                    biased;
                    signal = self.signals.next() => return Err(Ended::Signal(signal)),
                    line = typed.recv() => Arrival::Line(line),
                    event = self.events.recv() => Arrival::Event(event),
                    changed = self.snapshots.changed() => {
                        changed.map_err(|_| engine_ended())?;
                        Arrival::Snapshot
                    }
                };
                match arrived {
                    Arrival::Line(line) => break line.ok_or(Ended::Done)?,
                    Arrival::Event(event) => self.hear(event.ok_or_else(engine_ended)?),
                    Arrival::Snapshot => self.take_snapshot(),
                }
            };
            self.take_snapshot();
            let input = match line {
                TypedLine::Text(text) => PlainInput::Line(text),
                TypedLine::TooLong => PlainInput::TooLong,
            };
            let turn = update::update(&mut self.state, input);
            self.carry_out(turn).await?;
        }
    }

    /// Waits until the workspace is open and its selection complete.
    async fn open(&mut self) -> Result<(), Ended> {
        while self.snapshots.borrow_and_update().generation == 0 {
            tokio::select! {
                biased;
                signal = self.signals.next() => return Err(Ended::Signal(signal)),
                event = self.events.recv() => {
                    let event = event.ok_or_else(engine_ended)?;
                    self.hear(event);
                }
                changed = self.snapshots.changed() => changed.map_err(|_| engine_ended())?,
            }
        }
        let reading = update::reading(&self.snapshots.borrow());
        say(&reading.lines)?;
        self.settle().await
    }

    /// Waits until every document is read, so that no consequence is missing in what is said, and takes the snapshot.
    async fn settle(&mut self) -> Result<(), Ended> {
        self.ask(Request::Index).await?;
        while self.snapshots.borrow_and_update().loading.is_some() {
            tokio::select! {
                biased;
                signal = self.signals.next() => return Err(Ended::Signal(signal)),
                event = self.events.recv() => {
                    let event = event.ok_or_else(engine_ended)?;
                    self.hear(event);
                }
                changed = self.snapshots.changed() => changed.map_err(|_| engine_ended())?,
            }
        }
        self.take_snapshot();
        Ok(())
    }

    /// Says the lines and carries out the effects, and what follows from their answers.
    async fn carry_out(&mut self, turn: Turn) -> Result<(), Ended> {
        let mut turns = VecDeque::from([turn]);
        while let Some(Turn { lines, effects }) = turns.pop_front() {
            say(&lines)?;
            for effect in effects {
                let request = match effect {
                    PlainEffect::Quit => return Err(Ended::Done),
                    PlainEffect::Ask(request) => request,
                };
                let settles = request.is_change() || request == Request::Reload;
                self.has_changed |= request.is_change();
                let response = self.ask(request).await?;
                if settles {
                    self.settle().await?;
                }
                while let Ok(event) = self.events.try_recv() {
                    self.hear(event);
                }
                turns.push_back(update::update(&mut self.state, PlainInput::Answer(response)));
            }
        }
        Ok(())
    }

    /// The engine's answer. Events are taken meanwhile, because the engine waits for room in their queue.
    async fn ask(&mut self, request: Request) -> Result<Response, Ended> {
        let mut answer = std::pin::pin!(self.engine.ask(self.engine.session(), request));
        loop {
            let event = tokio::select! {
                biased;
                signal = self.signals.next() => return Err(Ended::Signal(signal)),
                answer = &mut answer => return answer.ok_or_else(|| engine_ended().into()),
                event = self.events.recv() => event.ok_or_else(engine_ended)?,
            };
            self.hear(event);
        }
    }

    /// Takes an event, which says nothing by itself: news are said before the next prompt.
    fn hear(&mut self, event: Event) {
        update::update(&mut self.state, PlainInput::Event(event));
    }

    fn take_snapshot(&mut self) {
        let snapshot = self.snapshots.borrow_and_update().clone();
        update::update(&mut self.state, PlainInput::Snapshot(Box::new(snapshot)));
    }
}

fn say(lines: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn engine_ended() -> io::Error {
    io::Error::other("refdesk's background task ended; its message is above or in the log")
}
