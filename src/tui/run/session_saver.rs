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
    /// The session whose write failed; the next draft that differs from it is written again.
    failed: Option<ScreenSession>,
}

impl SessionSaver {
    pub fn new(file: Option<ScreenSessionFile>, written: ScreenSession) -> Self {
        Self { file, written, writing: None, failed: None }
    }

    /// Writes the session if a draft changed and no write is in progress.
    pub fn keep(&mut self, session: impl FnOnce() -> ScreenSession) {
        let (Some(file), None) = (&self.file, &self.writing) else { return };
        let session = session();
        if !session.has_other_drafts(self.failed.as_ref().unwrap_or(&self.written)) {
            return;
        }
        let (file, before, now) = (file.clone(), self.written.clone(), session.clone());
        self.writing = Some((tokio::task::spawn_blocking(move || file.update(&before, &now)), session));
    }

    /// Waits for the write in progress; forever if there is none. Returns why it failed, unless the one before it failed, too.
    pub async fn written(&mut self) -> Option<String> {
        let ended = match &mut self.writing {
            Some((writing, _)) => writing.await,
            None => std::future::pending().await,
        };
        let (_, session) = self.writing.take()?;
        let problem = match ended {
            Ok(Ok(())) => {
                (self.written, self.failed) = (session, None);
                return None;
            }
            Ok(Err(error)) => error.to_string(),
            Err(panicked) => panicked.to_string(),
        };
        self.failed.replace(session).is_none().then_some(problem)
    }

    /// Writes the final session after any write in progress.
    pub async fn finish(mut self, left: ScreenSession, most: Duration) -> io::Result<()> {
        if self.writing.is_some() {
            let _ = tokio::time::timeout(most, self.written()).await;
        }
        // Even without changes since the last write: another screen may have replaced what this one wrote.
        self.file.map_or(Ok(()), |file| file.update(&self.written, &left))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_that_another_screen_replaced_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = ScreenSessionFile::new(&folder.path().join("state"), folder.path().join("a").as_path()).unwrap();
        let left = ScreenSession { prompt: "mine".to_owned(), ..ScreenSession::default() };
        file.write(&ScreenSession::default()).unwrap();
        let saver = SessionSaver::new(Some(file.clone()), left.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(saver.finish(left, Duration::ZERO)).unwrap();
        assert_eq!(file.read().0.prompt, "mine");
    }
}
