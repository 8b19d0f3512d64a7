//! The highlighting thread. It starts with the first text, because syntax definitions use memory. It answers
//! in pieces, the first within a frame, and processes only the latest text of each subject.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::tui::highlight::{CodePiece, HighlightSubject, Highlighter, Spans};
use crate::tui::input::Input;

/// Time until the first piece.
const FIRST: Duration = Duration::from_millis(8);

/// Time for each further piece.
const NEXT: Duration = Duration::from_millis(50);

/// Lines between two checks of the clock and the queue.
const STEP: usize = 16;

/// The maximum number of pieces queued for the screen.
const WAITING: usize = 4;

pub struct HighlightJob {
    pub subject: HighlightSubject,
    pub generation: u64,
    pub pieces: Vec<CodePiece>,
}

/// The screen's handle to the thread.
pub struct HighlightWorker {
    desk: Arc<Mailbox>,
    painted: Receiver<Input>,
}

/// The latest text of each subject.
#[derive(Default)]
struct Mailbox {
    waiting: Mutex<HighlightQueue>,
    changed: Condvar,
}

#[derive(Default)]
struct HighlightQueue {
    texts: Vec<HighlightJob>,
    over: bool,
}

impl HighlightWorker {
    /// Starts the thread; `None` if the system cannot start one, in which case texts stay plain.
    pub fn start() -> Option<Self> {
        let desk = Arc::<Mailbox>::default();
        let (answers, painted) = mpsc::channel(WAITING);
        let theirs = Arc::clone(&desk);
        let painter = thread::Builder::new().name("painter".to_owned());
        painter.spawn(move || paint(&theirs, &answers)).ok()?;
        Some(Self { desk, painted })
    }

    /// Sends a text, replacing an older one that is still waiting.
    pub fn paint(&self, text: HighlightJob) {
        let mut waiting = self.desk.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.texts.retain(|other| other.subject != text.subject);
        waiting.texts.push(text);
        self.desk.changed.notify_one();
    }

    /// Waits for a highlighted piece; forever if the thread has stopped.
    pub async fn next(&mut self) -> Input {
        match self.painted.recv().await {
            Some(painted) => painted,
            None => std::future::pending().await,
        }
    }

    pub fn next_ready(&mut self) -> Option<Input> {
        self.painted.try_recv().ok()
    }
}

impl Drop for HighlightWorker {
    fn drop(&mut self) {
        self.desk.waiting.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        self.desk.changed.notify_one();
    }
}

impl Mailbox {
    /// Waits for a text; `None` once the screen is gone.
    fn take(&self) -> Option<HighlightJob> {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |waiting: &mut HighlightQueue| waiting.texts.is_empty() && !waiting.over;
        let mut waiting = self.changed.wait_while(waiting, idle).unwrap_or_else(PoisonError::into_inner);
        if waiting.over { None } else { waiting.texts.drain(..1).next() }
    }

    /// Whether a newer text of this subject waits or the screen is gone.
    fn is_outdated(&self, subject: HighlightSubject) -> bool {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.over || waiting.texts.iter().any(|text| text.subject == subject)
    }
}

fn paint(desk: &Mailbox, answers: &Sender<Input>) {
    let mut highlighter = Highlighter::default();
    while let Some(text) = desk.take() {
        whole(desk, answers, &mut highlighter, &text);
    }
}

/// Highlights a whole text, or stops when a newer one arrives.
fn whole(desk: &Mailbox, answers: &Sender<Input>, highlighter: &mut Highlighter, text: &HighlightJob) {
    let HighlightJob { subject, generation, pieces } = text;
    let answer = |from, colours| Input::Highlighted { subject: *subject, generation: *generation, from, colours };
    let (mut from, mut colours): (usize, Vec<Spans>) = (0, Vec::new());
    let (mut began, mut most) = (Instant::now(), FIRST);
    for piece in pieces {
        let mut walk = highlighter.begin(&piece.languages);
        for (nth, line) in piece.lines.iter().enumerate() {
            colours.push(highlighter.line(&mut walk, line));
            if nth % STEP > 0 {
                continue;
            }
            if desk.is_outdated(*subject) {
                // The cache is still useful for the next text, which is nearly the same.
                return;
            }
            if began.elapsed() >= most {
                let finished = std::mem::take(&mut colours);
                let next = from + finished.len();
                if answers.blocking_send(answer(from, finished)).is_err() {
                    return;
                }
                (from, began, most) = (next, Instant::now(), NEXT);
            }
        }
        highlighter.end();
    }
    // If the screen is gone, the next `take` stops the thread.
    let _ = answers.blocking_send(answer(from, colours));
}
