//! Undoes and redoes the changes made by this desk. Each is an ordinary change, made under the lock to the currently
//! stored choice; later changes by other processes stay.

use std::time::{Duration, SystemTime};

use super::change::AppliedChange;
use super::{Desk, Session};
use crate::session::NewPicks;
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{Choice, History, StepName, UndoOutcome};
use refdesk_text::Error;

/// The result of undoing or redoing a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoResult {
    /// The step.
    pub what: StepName,
    /// What was reverted, and what was not because other processes have changed it since.
    pub retraced: UndoOutcome,
    /// Sources that left the selection.
    pub left: Vec<SourceId>,
}

/// An answer given here whose picks another process stores.
#[derive(Debug, Clone)]
pub(super) struct LocalAnswer {
    who: String,
    ids: Vec<String>,
    at: SystemTime,
}

/// How long the requester has to store the picks. Later picks of the same sources count as changes by others.
const ANSWER_TIME: Duration = Duration::from_secs(60);

impl Desk {
    /// Undoes this desk's last change; `None` if there is none.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed in that case.
    pub fn undo(&mut self, session: &Session) -> Result<Option<UndoResult>, Error> {
        let what = self.history.undo_name();
        self.retrace(session, "undone", what, History::undo)
    }

    /// Redoes the change that was undone last; `None` if there is none.
    ///
    /// # Errors
    /// As for [`Desk::undo`].
    pub fn redo(&mut self, session: &Session) -> Result<Option<UndoResult>, Error> {
        let what = self.history.redo_name();
        self.retrace(session, "redone", what, History::redo)
    }

    /// Records an answer given here, so that the picks the requester makes from it can be undone here.
    pub(crate) fn expect_answer(&mut self, who: &str, ids: &[String]) {
        let new: Vec<String> = ids.iter().filter(|id| !self.choice.picks.contains(id)).cloned().collect();
        if !new.is_empty() {
            self.answers.push(LocalAnswer { who: who.to_owned(), ids: new, at: (self.options.clock)() });
        }
    }

    /// Records what was stored since `known`: picks from an answer given here as a step, everything else as changes by
    /// others.
    pub(super) fn note_stored(&mut self, known: &Choice, stored: &Choice) {
        let is_new = |id: &String| stored.picks.contains(id) && !known.picks.contains(id);
        let now = (self.options.clock)();
        let mut steps = Vec::new();
        self.answers.retain(|answer| {
            // If the clock was set back, the age is unknown.
            if now.duration_since(answer.at).is_ok_and(|age| age > ANSWER_TIME) {
                return false;
            }
            let made: Vec<String> = answer.ids.iter().filter(|id| is_new(id)).cloned().collect();
            let is_made = !made.is_empty();
            if is_made {
                steps.push((format!("answer to {}", answer.who), made));
            }
            !is_made
        });
        let mut before = stored.clone();
        before.picks.retain(|id| !steps.iter().any(|(_, made)| made.contains(id)));
        self.history.note_others(known, &before);
        for (name, made) in steps {
            let mut after = before.clone();
            after.picks =
                stored.picks.iter().filter(|id| before.picks.contains(id) || made.contains(id)).cloned().collect();
            self.history.note_as(Some(name.as_str().into()), std::mem::replace(&mut before, after.clone()), after);
        }
    }

    /// The steps that undo and redo would apply to.
    pub(crate) fn undoable(&self) -> (Option<StepName>, Option<StepName>) {
        (self.history.undo_name(), self.history.redo_name())
    }

    fn retrace(
        &mut self,
        session: &Session,
        done: &str,
        what: Option<StepName>,
        step: fn(&mut History, &mut Choice) -> Option<UndoOutcome>,
    ) -> Result<Option<UndoResult>, Error> {
        let Some(what) = what else { return Ok(None) };
        let (mut history, known) = (self.history.clone(), self.choice.clone());
        let earlier = self.earlier_unconfirmed.clone();
        let AppliedChange { answer: retraced, left, .. } =
            self.store_change(session, &format!("{done}: {what}"), NewPicks::Restored(&earlier), |choice| {
                history.note_others(&known, choice);
                step(&mut history, choice)
            })?;
        self.history = history;
        Ok(retraced.map(|retraced| UndoResult { what, retraced, left }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;

    static NOW: AtomicU64 = AtomicU64::new(1_000);

    fn clock() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(NOW.load(Ordering::Relaxed))
    }

    #[test]
    fn a_pick_long_after_an_answer_counts_as_foreign() {
        let folder = tempfile::tempdir().unwrap();
        let context = WorkspaceContext { workspace: folder.path().to_path_buf(), ..WorkspaceContext::default() };
        let mut desk = Desk::open(Options { clock, ..Options::new(context) });
        let with =
            |picks: &[&str]| Choice { picks: picks.iter().map(|id| (*id).to_owned()).collect(), ..Choice::default() };
        for (seconds, expected) in [(ANSWER_TIME.as_secs() + 1, None), (1, Some("answer to codex".into()))] {
            desk.expect_answer("codex", &["a".to_owned()]);
            NOW.fetch_add(seconds, Ordering::Relaxed);
            desk.note_stored(&with(&["x"]), &with(&["x", "a", "b"]));
            assert_eq!((desk.undoable().0, desk.answers.len()), (expected, 0), "after {seconds} s");
        }
    }
}
