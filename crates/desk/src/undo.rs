//! Undoes and redoes the changes made here. Each is a change like any other, made under the lock on the choice stored
//! at that moment; later changes by other processes stay.

use super::change::Done;
use super::{Desk, Session};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{History, Retraced};
use refdesk_text::Error;

/// A change that was undone or redone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// Its description: `pick of @a`.
    pub what: String,
    /// What was reverted, and what other processes changed since.
    pub retraced: Retraced,
    /// Sources that left the selection.
    pub left: Vec<SourceId>,
}

impl Desk {
    /// Undoes this desk's last change; `None` if there is none.
    ///
    /// # Errors
    /// The desk cannot be stored; then nothing was changed.
    pub fn undo(&mut self, session: &Session) -> Result<Option<Undone>, Error> {
        let what = self.history.undo_words();
        self.retrace(session, "undone", what, History::undo)
    }

    /// Redoes what was undone last; `None` if there is none.
    ///
    /// # Errors
    /// As [`Desk::undo`].
    pub fn redo(&mut self, session: &Session) -> Result<Option<Undone>, Error> {
        let what = self.history.redo_words();
        self.retrace(session, "redone", what, History::redo)
    }

    /// Descriptions of what undo and redo would do.
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
