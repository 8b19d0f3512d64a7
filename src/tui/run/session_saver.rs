//! Saves the screen's state while it runs, so that a kill loses little: after a frame in which a draft
//! changed, one write at a time. Without changes nothing runs.

use std::io;
use std::time::Duration;

use tokio::task::JoinHandle;

use refdesk_core::config::screen_session::{ScreenSession, ScreenSessionFile};

pub struct SessionSaver {
    /// `None` if the session is not saved.
    file: Option<ScreenSessionFile>,
    /// The session as read or last written.
    written: ScreenSession,
    /// The write in progress, with its session.
    writing: Option<(JoinHandle<io::Result<()>>, ScreenSession)>,
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
        let (file, before, now) = (file.clone(), self.written.clone(), session.clone());
        self.writing = Some((tokio::task::spawn_blocking(move || file.update(&before, &now)), session));
    }

    /// Waits for the write in progress; forever if there is none.
    pub async fn written(&mut self) {
        match &mut self.writing {
            Some((writing, _)) => self.has_failed = !matches!(writing.await, Ok(Ok(()))),
            None => std::future::pending().await,
        }
        if let Some((_, session)) = self.writing.take().filter(|_| !self.has_failed) {
            self.written = session;
        }
    }

    /// Writes the final session after any write in progress.
    pub async fn finish(mut self, left: ScreenSession, most: Duration) -> io::Result<()> {
        if self.writing.is_some() {
            let _ = tokio::time::timeout(most, self.written()).await;
        }
        match self.file {
            Some(file) if self.has_failed || left != self.written => file.update(&self.written, &left),
            _ => Ok(()),
        }
    }
}
