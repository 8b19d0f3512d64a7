//! The loop of the plain interface. It reads a line, prints the result, and reads the next line only once the engine
//! has answered everything. News is printed before the next prompt, never while the user types.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::pin::pin;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use refdesk_desk::engine::{Ending, Engine, Event, Request, Response, Snapshot, Started};

use super::state::{InputOutcome, InputOwner, Pending, PlainEffect, PlainInput, PlainStart, PlainState};
use super::{feed, update};
use crate::common::{STORING, engine_ended};
use crate::end_signals::{self, EndSignals};
use lines::TypedLine;

mod lines;

/// How long to wait for an agent to pick what was chosen for it: it does so immediately, unless it has ended.
const PICKING: Duration = Duration::from_secs(5);

/// How the plain interface ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainExit {
    /// The exit code.
    pub code: u8,
    /// Whether every change was stored; false if the disk did not respond in time.
    pub stored: bool,
}

#[derive(Debug)]
enum LoopEnd {
    /// `quit`, the end of the input, or a closed output.
    Done,
    /// A signal with this number.
    Signal(i32),
    Failed(io::Error),
}

impl From<io::Error> for LoopEnd {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe { Self::Done } else { Self::Failed(error) }
    }
}

/// Runs the plain interface on standard input and output until the user leaves it.
///
/// Needs a tokio runtime with I/O and time enabled.
///
/// # Errors
/// The output cannot be written to, or the engine stops first.
pub async fn run((engine, events): Started, start: PlainStart) -> io::Result<PlainExit> {
    let mut conversation = Conversation {
        snapshots: engine.snapshots(),
        engine,
        meanwhile: PendingInput { events, signals: EndSignals::new()? },
        state: PlainState::default(),
        has_changed: false,
    };
    let files = start.files.clone();
    conversation.state.saved = files.read(start.own_themes.clone());
    let before = conversation.state.saved.clone();
    let code = match conversation.run(start).await {
        LoopEnd::Done => 0,
        // Shells report this code for a program killed by a signal.
        LoopEnd::Signal(number) => u8::try_from(128 + number).unwrap_or(1),
        LoopEnd::Failed(error) if lines::is_gone(&error) => 128 + end_signals::HANGUP,
        LoopEnd::Failed(error) => return Err(error),
    };
    let Conversation { engine, meanwhile, has_changed, state, .. } = conversation;
    drop(meanwhile);
    if let Err(error) = files.write(&before, &state.saved) {
        // After a hangup, standard error may be closed.
        let _ = writeln!(io::stderr(), "refdesk: filters, values and theme were not saved: {error}");
    }
    let stored = !has_changed || engine.close(STORING).await == Ending::Closed;
    Ok(PlainExit { code, stored })
}

struct Conversation {
    engine: Engine,
    snapshots: watch::Receiver<Snapshot>,
    meanwhile: PendingInput,
    state: PlainState,
    /// Whether changes were requested: only these are waited for at the end.
    has_changed: bool,
}

/// What can arrive during a wait.
struct PendingInput {
    events: mpsc::Receiver<Event>,
    signals: EndSignals,
}

impl PendingInput {
    /// Waits for `awaited`. Meanwhile it receives events, because the engine blocks when their queue is full; nothing
    /// is printed for them yet.
    async fn wait_for<T>(&mut self, state: &mut PlainState, awaited: impl Future<Output = T>) -> Result<T, LoopEnd> {
        let mut awaited = pin!(awaited);
        loop {
            let event = tokio::select! {
                biased;
                signal = self.signals.next() => return Err(LoopEnd::Signal(signal)),
                value = &mut awaited => return Ok(value),
                event = self.events.recv() => event.ok_or_else(engine_ended)?,
            };
            feed::event(state, event);
        }
    }
}

impl Conversation {
    async fn run(&mut self, start: PlainStart) -> LoopEnd {
        match self.run_loop(start).await {
            Ok(never) => match never {},
            Err(ended) => ended,
        }
    }

    async fn run_loop(&mut self, start: PlainStart) -> Result<std::convert::Infallible, LoopEnd> {
        self.open().await?;
        let first = update::begin(&mut self.state, start);
        self.execute(first).await?;
        let mut typed = lines::read()?;
        loop {
            let before = update::before_line(&mut self.state);
            self.execute(before).await?;
            let line = self.meanwhile.wait_for(&mut self.state, typed.recv()).await?;
            // The workspace may have been reread in the meantime, because of a change on disk.
            self.take_whole_snapshot().await?;
            let input = match line.ok_or(LoopEnd::Done)?? {
                TypedLine::Text(text) => PlainInput::Line(text),
                TypedLine::TooLong => PlainInput::TooLong,
            };
            let turn = update::update(&mut self.state, input);
            self.execute(turn).await?;
        }
    }

    /// Waits until the workspace is loaded and its selection complete.
    async fn open(&mut self) -> Result<(), LoopEnd> {
        self.wait_until(|snapshot| snapshot.generation > 0).await?;
        let reading = update::reading(&self.snapshots.borrow());
        print(&reading.lines)?;
        self.settle().await
    }

    /// After a choice for an agent: waits until it has picked the sources, so that what follows is printed.
    async fn wait_for_picks(&mut self) -> Result<(), LoopEnd> {
        let Some(Pending::Reply(change)) = self.state.pending.clone() else { return Ok(()) };
        let picked = self.wait_until(|snapshot| change.is_picked_in(&snapshot.selection));
        tokio::time::timeout(PICKING, picked).await.unwrap_or(Ok(()))
    }

    /// Waits until every document is read, so that no consequence is missing, and takes the snapshot.
    async fn settle(&mut self) -> Result<(), LoopEnd> {
        self.ask(Request::Index).await?;
        self.take_whole_snapshot().await
    }

    /// Takes the snapshot, after waiting until every document is read.
    async fn take_whole_snapshot(&mut self) -> Result<(), LoopEnd> {
        self.wait_until(|snapshot| snapshot.loading.is_none()).await?;
        self.take_snapshot();
        Ok(())
    }

    async fn wait_until(&mut self, is_reached: impl FnMut(&Snapshot) -> bool) -> Result<(), LoopEnd> {
        let reached = self.meanwhile.wait_for(&mut self.state, self.snapshots.wait_for(is_reached)).await?;
        reached.map(drop).map_err(|_| engine_ended().into())
    }

    /// Prints the lines, performs the effects, and handles what follows from their answers.
    async fn execute(&mut self, turn: InputOutcome) -> Result<(), LoopEnd> {
        let mut turns = VecDeque::from([turn]);
        while let Some(InputOutcome { lines, effects }) = turns.pop_front() {
            print(&lines)?;
            for effect in effects {
                let request = match effect {
                    PlainEffect::Quit => return Err(LoopEnd::Done),
                    PlainEffect::Ask(request) => request,
                };
                let settles = request.is_change() || request == Request::Reload;
                self.has_changed |= request.is_change();
                let mut response = self.ask(request.clone()).await?;
                // A person can search again later, a script cannot.
                if self.state.input_owner == InputOwner::Script && lacks_index(&response) {
                    self.wait_until(|snapshot| !snapshot.is_indexing).await?;
                    self.take_whole_snapshot().await?;
                    response = self.ask(request).await?;
                }
                if matches!(&response, Response::Done(refusals) if refusals.is_empty()) {
                    self.wait_for_picks().await?;
                }
                if settles {
                    self.settle().await?;
                }
                while let Ok(event) = self.meanwhile.events.try_recv() {
                    feed::event(&mut self.state, event);
                }
                turns.push_back(update::update(&mut self.state, PlainInput::Answer(response)));
            }
        }
        Ok(())
    }

    async fn ask(&mut self, request: Request) -> Result<Response, LoopEnd> {
        let answer = self.engine.ask(self.engine.session(), request);
        let answer = self.meanwhile.wait_for(&mut self.state, answer).await?;
        answer.ok_or_else(|| engine_ended().into())
    }

    fn take_snapshot(&mut self) {
        self.state.snapshot = self.snapshots.borrow_and_update().clone();
    }
}

/// Whether a search found no index, or an incomplete one.
fn lacks_index(response: &Response) -> bool {
    match response {
        Response::Found(Ok(answer)) => answer.partial.is_some(),
        Response::Found(Err(_)) => true,
        _ => false,
    }
}

fn print(lines: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
    written.map_err(|error| {
        let is_gone = lines::is_gone(&error) || error.kind() == io::ErrorKind::BrokenPipe;
        if is_gone { error } else { io::Error::other(format!("standard output cannot be written: {error}")) }
    })
}
