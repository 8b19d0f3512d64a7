//! Handles changes of picks and exclusions by a request, by a profile, or by another process.

use std::path::Path;
use std::sync::Arc;

use super::super::notice::{Actor, ChangeOrigin, Notice, Topic};
use super::super::request::OutsideChange;
use super::Worker;
use crate::{Changed, Desk, ProfileSwitch, Session, UndoResult};
use refdesk_text::{Code, Error};

impl Worker<'_> {
    /// Reads the desk again, and determines who changed picks and exclusions in the meantime.
    pub(super) fn reread(&mut self, read: fn(&mut Desk)) {
        let chosen = self.desk.choice().clone();
        read(&mut self.desk);
        if *self.desk.choice() != chosen {
            self.cause = match self.desk.chosen_by() {
                Some(who) => ChangeOrigin::Journalled(Actor::Other(Arc::from(who))),
                None => ChangeOrigin::Choice(Actor::Other(Arc::from("another process"))),
            };
        }
    }

    /// Reads picks and exclusions again, and handles a change by another process.
    pub(super) fn follow_stored_choice(&mut self) {
        let (before, chosen) = (self.desk.selection().clone(), self.desk.choice().clone());
        self.reread(Desk::reread_choice);
        if *self.desk.choice() != chosen {
            self.after_change(OutsideChange::Choice, &before);
        }
    }

    /// Handles a change of picks or exclusions by this session.
    pub(super) fn follow_choice(&mut self, session: &Session) {
        self.cause = ChangeOrigin::Choice(self.who(session));
        self.files_for = session.clone();
        self.after_own_change();
    }

    /// Handles a change by the desk, which has already completed the selection and updated the sessions' memory.
    fn after_own_change(&mut self) {
        let selection = self.desk.selection().clone();
        self.after_change(OutsideChange::Choice, &selection);
    }

    pub(super) fn change(&mut self, session: &Session, change: impl FnOnce(&mut Desk) -> Result<Changed, Error>) {
        match self.with_desk(change) {
            Ok(changed) => self.refused.extend(changed.refused),
            Err(refusal) => self.refuse(refusal),
        }
        self.follow_choice(session);
    }

    /// Reports what was undone or redone, and what was not because another process has changed it since.
    pub(super) fn retraced(
        &mut self,
        session: &Session,
        done: &str,
        verb: &str,
        outcome: Result<Option<UndoResult>, Error>,
    ) {
        let undone = match outcome {
            Ok(Some(undone)) => undone,
            Ok(None) => {
                let message = format!("there is nothing to {verb}");
                return self.refuse(Error::new(Code::NoHistory, message, "only changes made here can be undone"));
            }
            Err(refusal) => return self.refuse(refusal),
        };
        let at = |ids: &[String]| ids.iter().map(|id| format!("@{id}")).collect::<Vec<_>>().join(", ");
        let (what, retraced) = (&undone.what, &undone.retraced);
        if retraced.reverted.is_empty() {
            let message = format!("{what}: another process has changed {} since", at(&retraced.unchanged));
            self.follow_choice(session);
            return self.refuse(Error::new(Code::ChangedMeanwhile, message, "nothing was done"));
        }
        let mut text = format!("{done}: {what}");
        if !retraced.others.is_empty() {
            text.push_str(&format!("; another process has changed {} since, which stays", at(&retraced.others)));
        }
        let named = retraced.reverted.iter().chain(&retraced.others).cloned().collect();
        self.cause = ChangeOrigin::Retraced { text, named };
        self.after_own_change();
        // Before the first notice there is no difference with which to report this.
        if let ChangeOrigin::Retraced { text, .. } =
            std::mem::replace(&mut self.cause, ChangeOrigin::Choice(Actor::You))
        {
            self.send_notice(Notice::new(Actor::You, Topic::Selection, text));
        }
    }

    /// Replaces the picks with those of the profile in this file, and reports this after the resulting changes.
    pub(super) fn switch_to(&mut self, session: &Session, file: &Path, shown: &ProfileSwitch) {
        let before = self.desk.choice().picks.clone();
        let compared = self.desk.compare_profile(file);
        let has_changed = compared.as_ref().is_ok_and(|now| now != shown);
        let named = compared.map(|switch| switch.name);
        let switched = if has_changed {
            let message = "the profile changed after its differences were shown, so it was not applied";
            Err(Error::new(Code::ChangedMeanwhile, message, "review the changes again"))
        } else {
            self.with_desk(|desk| desk.switch_to(session, file))
        };
        let is_done = switched.is_ok();
        self.change(session, |_| switched);
        if is_done {
            let after = &self.desk.choice().picks;
            let added = after.iter().filter(|id| !before.contains(id)).count();
            let gone = before.iter().filter(|id| !after.contains(id)).count();
            let name = named.unwrap_or_default();
            let text = format!("Switched to {name}: +{added} \u{2212}{gone}");
            self.send_notice(Notice::new(self.who(session), Topic::Selection, text));
        }
    }
}
