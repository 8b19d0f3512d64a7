//! Taking one's own changes back and doing them again. Each is a change like any other, made under the lock on what is
//! stored at that moment; what other processes changed since stays theirs.

use super::change::Done;
use super::{Desk, Session};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{History, Retraced};
use refdesk_text::Error;

/// A change taken back, or done again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// What it was, in words: `pick of @a`.
    pub what: String,
    /// What went back, and what somebody else has changed since.
    pub retraced: Retraced,
    /// Who left the selection with it.
    pub left: Vec<SourceId>,
}

impl Desk {
    /// Takes this desk's last change back; `None` where there is none.
    ///
    /// # Errors
    /// Where the desk cannot be stored; nothing was changed then.
    pub fn undo(&mut self, session: &Session) -> Result<Option<Undone>, Error> {
        let what = self.history.undo_words();
        self.retrace(session, "undone", what, History::undo)
    }

    /// Does what was taken back last again; `None` where there is none.
    ///
    /// # Errors
    /// As [`Desk::undo`].
    pub fn redo(&mut self, session: &Session) -> Result<Option<Undone>, Error> {
        let what = self.history.redo_words();
        self.retrace(session, "done again", what, History::redo)
    }

    /// What undo and redo would do, in words.
    pub fn undoable(&self) -> (Option<String>, Option<String>) {
        (self.history.undo_words(), self.history.redo_words())
    }

    fn retrace(
        &mut self,
        session: &Session,
        done: &str,
        what: Option<String>,
        step: fn(&mut History, &mut refdesk_core::selection::Choice) -> Option<Retraced>,
    ) -> Result<Option<Undone>, Error> {
        let Some(what) = what else { return Ok(None) };
        let (mut history, known) = (self.history.clone(), self.choice.clone());
        let Done { answer: retraced, left, .. } = self.store_change(session, &format!("{done}: {what}"), |choice| {
            history.note_others(&known, choice);
            step(&mut history, choice)
        })?;
        self.history = history;
        Ok(retraced.map(|retraced| Undone { what, retraced, left }))
    }
}
