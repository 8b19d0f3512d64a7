//! Saves the screen's state while it runs, so that a kill loses little: after a frame in which a draft
//! changed, one write at a time. Without changes nothing runs.

use std::io;
use std::time::Duration;

use tokio::task::JoinHandle;

use refdesk_core::config::screen_session::{ScreenSession, ScreenSessionFile};

pub struct SessionSaver {
    /// `None` if the session is not saved.
    file: Option<ScreenSessionFile>,
    written: ScreenSession,
    writing: Option<JoinHandle<io::Result<()>>>,
    /// The last write failed; the final write tries again and reports why.
    has_failed: bool,
}

impl SessionSaver {
    pub fn new(file: Option<ScreenSessionFile>, written: ScreenSession) -> Self {
        Self { file, written, writing: None, has_failed: false }
    }

    /// Writes the session if a draft changed and no write is in progress.
    pub fn keep(&mut self, session: impl FnOnce() -> ScreenSession) {
        let (Some(file), None, false) = (&self.file, &self.writing, self.has_failed) else { return };
        let session = session();
        if !session.has_other_drafts(&self.written) {
            return;
        }
        let (file, written) = (file.clone(), session.clone());
        self.written = session;
        self.writing = Some(tokio::task::spawn_blocking(move || file.write(&written)));
    }

    /// Waits for the write in progress; forever if there is none.
    pub async fn written(&mut self) {
        match &mut self.writing {
            Some(writing) => self.has_failed = !matches!(writing.await, Ok(Ok(()))),
            None => std::future::pending().await,
        }
        self.writing = None;
    }

    /// Writes the final session after any write in progress.
    pub async fn finish(mut self, left: ScreenSession, most: Duration) -> io::Result<()> {
        if self.writing.is_some() {
            let _ = tokio::time::timeout(most, self.written()).await;
        }
        match self.file {
            Some(file) if self.has_failed || left != self.written => file.write(&left),
            _ => Ok(()),
        }
    }
}
