//! The event loop of the screen. It blocks until a key, a snapshot, an answer, an event or a signal arrives,
//! handles everything that is ready, and draws once. A timer runs only while changes wait to be drawn.

use std::collections::VecDeque;
use std::io;
use std::time::Instant;

use crossterm::event::Event as TerminalEvent;
use tokio::sync::{mpsc, watch};

use refdesk_core::config::screen::SavedScreen;
use refdesk_desk::FileLine;
use refdesk_desk::engine::{Ending, Engine, Event, Request, Snapshot, Started};

use crate::common::{STORING, engine_ended};
use crate::end_signals::HANGUP;
use crate::tui::catalog::reading;
use crate::tui::draw::draw;
use crate::tui::highlight::HighlightSubject;
use crate::tui::input::{Effect, ForegroundCommand, Input};
use crate::tui::start::StartOptions;
use crate::tui::state::State;
use crate::tui::templates::preview_update::shows;
use crate::tui::terminal::Screen;
use crate::tui::update::update;
use background_question::BackgroundQuestion;
use cursor_debounce::CursorDebounce;
use frame_limiter::{FrameLimiter, Trigger};
use highlight_worker::{HighlightJob, HighlightWorker};
use keyboard::{Keyboard, TerminalInput};
use replies::Replies;
pub use session_saver::SessionSaver;
use signals::{ScreenSignals, SignalAction};

mod background_question;
mod cursor_debounce;
mod frame_limiter;
mod highlight_worker;
mod keyboard;
mod parse;
mod replies;
mod session_saver;
mod signals;
mod temp_file;
mod terminal_handoff;
mod terminal_input;

/// The outcome of a screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenExit {
    /// Why it ended.
    pub ended: ExitReason,
    /// The state to restore next time.
    pub remembered: SavedScreen,
    /// Why the screen's state could not be saved, if so.
    pub forgotten: Option<String>,
    /// Whether every change was stored; false if the disk did not respond in time.
    pub stored: bool,
}

/// Why the screen ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// The user quit.
    Quit,
    /// A signal with this number arrived.
    Signal(i32),
}

impl ExitReason {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Quit => 0,
            // Shells report this code for a program killed by a signal.
            Self::Signal(number) => u8::try_from(128 + number).unwrap_or(1),
        }
    }
}

/// Runs the screen until the user leaves it, then restores the terminal.
///
/// Needs a tokio runtime with I/O and time enabled, and stays on its thread. Fails if the terminal cannot be
/// set up or written to, or if the engine stops first.
pub async fn run((engine, events): Started, start: StartOptions) -> io::Result<ScreenExit> {
    let signals = ScreenSignals::new()?;
    let screen = Screen::enter()?;
    let editor = start.editor().map(str::to_owned);
    let saver = start.saver();
    let state = start.state(screen.size()?);
    let mut app = App {
        snapshots: engine.snapshots(),
        engine,
        events,
        screen,
        state,
        replies: Replies::default(),
        early: VecDeque::new(),
        opening: None,
        painter: None,
        suspended: false,
        changed: Some(Trigger::Change),
        frame_limiter: FrameLimiter::default(),
        rest: CursorDebounce::default(),
        asked: SentRequests::Nothing,
        reclaimed_at: None,
        editor,
        background: BackgroundQuestion::default(),
        saver,
        ended: None,
    };
    let ended = match app.run(signals).await {
        // The SIGHUP may arrive later.
        Err(error) if keyboard::is_gone(&error) => Ok(ExitReason::Signal(i32::from(HANGUP))),
        ended => ended,
    };
    let App { engine, events, screen, state, asked, saver, .. } = app;
    // The shell gets its terminal back before anything waits.
    drop((screen, events));
    let stored = match asked {
        SentRequests::Changes => engine.close(STORING).await == Ending::Closed,
        SentRequests::Nothing => true,
    };
    let forgotten = saver.finish(state.session(), STORING).await.err().map(|error| error.to_string());
    Ok(ScreenExit { ended: ended?, remembered: state.remember(), forgotten, stored })
}

struct App {
    engine: Engine,
    snapshots: watch::Receiver<Snapshot>,
    events: mpsc::Receiver<Event>,
    screen: Screen,
    state: State,
    replies: Replies,
    /// Keys pressed before the workspace was loaded.
    early: VecDeque<TerminalEvent>,
    /// The pending reason for handing over the terminal.
    opening: Option<ForegroundTask>,
    /// Started for the first text.
    painter: Option<HighlightWorker>,
    suspended: bool,
    /// Why a redraw is due, if one is.
    changed: Option<Trigger>,
    frame_limiter: FrameLimiter,
    rest: CursorDebounce,
    asked: SentRequests,
    /// When an editor last gave the terminal back.
    reclaimed_at: Option<Instant>,
    /// The editor from the user's preferences.
    editor: Option<String>,
    background: BackgroundQuestion,
    saver: SessionSaver,
    ended: Option<ExitReason>,
}

enum ForegroundTask {
    Place(FileLine),
    /// An editor for a text, with the cursor on this line.
    Text(String, usize),
    Command(ForegroundCommand),
    /// The shell, until it resumes this program.
    Shell,
}

/// Whether changes were requested, which have to be waited for at exit.
enum SentRequests {
    Nothing,
    Changes,
}

impl App {
    async fn run(&mut self, mut signals: ScreenSignals) -> io::Result<ExitReason> {
        self.take_snapshot()?;
        self.draw()?;
        // The terminal is not read before this point.
        let mut keyboard = Keyboard::new()?;
        if self.state.theme_choice.depends_on_background() {
            self.ask_background()?;
        }
        loop {
            if self.opening.is_some() || self.ended.is_some() {
                self.await_answer(&mut keyboard).await;
            }
            match self.opening.take() {
                Some(ForegroundTask::Place(spot)) => self.edit(&spot, &mut signals).await?,
                Some(ForegroundTask::Text(text, line)) => self.edit_text(&text, line, &mut signals).await?,
                Some(ForegroundTask::Shell) => self.suspend()?,
                Some(ForegroundTask::Command(command)) => self.hand_over_to_command(&command, &mut signals).await?,
                None => {}
            }
            if let Some(ended) = self.ended {
                return Ok(ended);
            }
            let mut due = self.draw()?;
            // The cursor's move is drawn first.
            if let Some(rest) = self.rest.due().filter(|_| due.is_none()) {
                if rest <= Instant::now() {
                    self.input(Input::Rest)?;
                    continue;
                }
                due = Some(rest);
            }
            let early = self.is_open() && !self.early.is_empty();
            tokio::select! {
                biased;
                action = signals.next() => {
                    // Keys typed before the signal still count. If the terminal is gone, the hangup ends the screen.
                    if !self.suspended && self.take_ready(&mut keyboard).is_err() && self.ended.is_none() {
                        self.ended = Some(ExitReason::Signal(i32::from(HANGUP)));
                    }
                    self.signal(action)?;
                }
                // Handled below, before later input.
                () = std::future::ready(()), if early => {}
                event = keyboard.next() => self.terminal_input(event?)?,
                result = self.handle_engine() => result?,
                () = at(due) => {}
            }
            self.take_ready(&mut keyboard)?;
        }
    }

    /// Waits for the engine and handles one of its messages, or waits until a slow terminal has accepted the
    /// last frame.
    async fn handle_engine(&mut self) -> io::Result<()> {
        let painted = async {
            match &mut self.painter {
                Some(painter) => painter.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            changed = self.snapshots.changed() => {
                changed.map_err(|_| engine_ended())?;
                self.take_snapshot()
            }
            event = self.events.recv() => {
                let event = event.ok_or_else(engine_ended)?;
                self.input(Input::Event(event))
            }
            answer = self.replies.next() => self.input(answer),
            painted = painted => self.input(painted),
            problem = self.saver.written() => {
                if let Some(why) = problem {
                    self.state.messages.arrived(format!("What was typed here is not saved for the next time: {why}"));
                    self.changed = self.changed.max(Some(Trigger::Change));
                }
                self.keep_session();
                Ok(())
            }
            written = self.screen.proceed(), if self.screen.is_blocked() => written
        }
    }

    /// Draws pending changes, or returns the time at which they may be drawn.
    fn draw(&mut self) -> io::Result<Option<Instant>> {
        let Some(cause) = self.changed.filter(|_| !self.suspended && !self.screen.is_blocked()) else {
            return Ok(None);
        };
        let now = Instant::now();
        let is_incomplete = self.state.lacks_document() || (cause == Trigger::Rest && self.state.lacks_preview());
        let due = self.frame_limiter.due(cause, is_incomplete, now).filter(|due| *due > now);
        if due.is_none() {
            self.changed = None;
            let state = &self.state;
            self.screen.draw(|frame| draw(state, frame))?;
            self.frame_limiter.drew(cause, Instant::now());
            self.keep_session();
        }
        Ok(due)
    }

    /// Until the workspace is loaded, the session is still the one from disk.
    fn keep_session(&mut self) {
        if self.is_open() {
            self.saver.keep(|| self.state.session());
        }
    }

    fn take_snapshot(&mut self) -> io::Result<()> {
        let snapshot = self.snapshots.borrow_and_update().clone();
        self.input(Input::Snapshot(Box::new(snapshot)))
    }

    /// Whether the workspace is loaded. Before that, keys would act on an empty catalog and be lost.
    fn is_open(&self) -> bool {
        self.state.snapshot.generation > 0
    }

    /// Asks the terminal whether its background is light or dark, and subscribes to changes.
    fn ask_background(&mut self) -> io::Result<()> {
        self.background.ask(Instant::now());
        self.screen.ask_background()
    }

    /// Waits for the terminal's answer, so that no other program receives it.
    async fn await_answer(&mut self, keyboard: &mut Keyboard) {
        while let Some(until) = self.background.awaited_until(Instant::now()) {
            match tokio::time::timeout_at(until.into(), keyboard.next()).await {
                Ok(Ok(TerminalInput::Background(report))) => drop(self.background.take(report, Instant::now())),
                // Keys pressed now have no recipient.
                Ok(Ok(TerminalInput::Event(_))) => {}
                Ok(Err(_)) | Err(_) => return,
            }
        }
    }

    fn input(&mut self, input: Input) -> io::Result<()> {
        let cause = match input {
            Input::Snapshot(_)
            | Input::Event(_)
            | Input::Answer { .. }
            | Input::Resize(_)
            | Input::Background(_)
            | Input::Highlighted { .. } => Trigger::Change,
            Input::Rest => Trigger::Rest,
            _ => Trigger::Person,
        };
        let is_seen = match &input {
            Input::Highlighted { subject: HighlightSubject::Preview, generation, from, colours } => {
                shows(&self.state, *generation, *from, colours)
            }
            Input::Highlighted { colours, .. } => colours.iter().any(|spans| !spans.is_empty()),
            Input::Background(background) => self.state.theme_choice.background != Some(*background),
            _ => true,
        };
        if is_seen {
            self.changed = self.changed.max(Some(cause));
        }
        let effects = update(&mut self.state, input);
        self.rest.follow(reading::has_left_document(&self.state), cause, Instant::now());
        for effect in effects {
            match effect {
                Effect::Ask(request) => self.ask(request)?,
                Effect::Quit => self.ended = Some(ExitReason::Quit),
                Effect::Suspend => self.opening = Some(ForegroundTask::Shell),
                Effect::Redraw => self.screen.forget()?,
                Effect::AskBackground => self.ask_background()?,
                Effect::Mouse(mouse) => self.screen.set_mouse(mouse)?,
                Effect::RunInForeground(command) => self.opening = Some(ForegroundTask::Command(command)),
                Effect::Edit(spot) => self.opening = Some(ForegroundTask::Place(spot)),
                Effect::EditText { text, line } => self.opening = Some(ForegroundTask::Text(text, line)),
                Effect::Highlight { subject, generation, pieces } => {
                    if self.painter.is_none() {
                        self.painter = HighlightWorker::start();
                    }
                    if let Some(painter) = &self.painter {
                        painter.paint(HighlightJob { subject, generation, pieces });
                    }
                }
                Effect::Copy(text) => self.screen.copy(&text)?,
            }
        }
        Ok(())
    }

    /// Sends a request. If the queue is full, a request that may wait is queued; any other is reported to the user.
    fn ask(&mut self, request: Request) -> io::Result<()> {
        if request.is_change() {
            if !request.may_wait() && self.engine.is_full() {
                return self.input(Input::Busy);
            }
            self.asked = SentRequests::Changes;
        }
        self.replies.cancel_obsolete(&self.state.questions);
        let question = self.state.questions.number(&request);
        self.replies.add(question, self.engine.ask(self.engine.session(), request));
        Ok(())
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.suspended = true;
        self.screen.suspend()
    }

    fn signal(&mut self, action: SignalAction) -> io::Result<()> {
        match action {
            SignalAction::End(signal) if self.is_from_editor_key(signal) => {}
            SignalAction::End(signal) => self.ended = Some(ExitReason::Signal(signal)),
            SignalAction::Stop => self.opening = Some(ForegroundTask::Shell),
            // Also after a SIGSTOP, which cannot be caught: the shell used the terminal in the meantime.
            SignalAction::Continue => {
                self.suspended = false;
                self.screen.resume()?;
                let size = self.screen.size()?;
                self.input(Input::Resize(size))?;
            }
        }
        Ok(())
    }
}

/// Waits until this time, or forever if there is none.
async fn at(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due.into()).await,
        None => std::future::pending().await,
    }
}
