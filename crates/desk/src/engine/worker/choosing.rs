//! What follows when picks and exclusions change: here, under a profile, or by another process; and a write that was asked
//! for here.

use std::path::Path;
use std::sync::Arc;

use super::super::message::Event;
use super::super::notice::{Cause, Notice, Topic, Who};
use super::super::profiles::OfProfiles;
use super::Worker;
use crate::{Changed, Desk, Spot, Undone};
use refdesk_core::selection::Selection;
use refdesk_files::output::{Proposal, WriteFailure, WrittenFile};
use refdesk_text::Error;

impl Worker<'_> {
    /// Answers who wanted a file written, and notes in the feed that it was.
    pub(super) fn wrote(&mut self, proposal: &Proposal, answer: Result<Vec<WrittenFile>, WriteFailure>) {
        let written = match answer {
            Ok(written) => written,
            Err(unwritten) => return self.say(Event::Unwritten(unwritten)),
        };
        for written in written {
            if !proposal.is_unchanged() {
                let text = format!("Wrote {} ({})", written.shown, proposal.diff.summary());
                let place = Some(Spot { path: proposal.path.clone(), line: 1 });
                self.tell(Notice { place, ..Notice::new(Who::You, Topic::Template, text) });
            }
            self.say(Event::Written(written));
        }
    }

    /// Reads again, and takes note of who changed picks and exclusions meanwhile.
    pub(super) fn reread(&mut self, read: fn(&mut Desk)) {
        let chosen = self.desk.choice().clone();
        read(&mut self.desk);
        if *self.desk.choice() != chosen {
            self.cause = match self.desk.chosen_by() {
                Some(who) => Cause::Journalled(Who::Other(Arc::from(who))),
                None => Cause::Choice(Who::Other(Arc::from("another process"))),
            };
        }
    }

    /// Reads picks and exclusions again, and does what follows where another process changed them.
    pub(super) fn hear_choice(&mut self) {
        let (before, chosen) = (self.desk.selection().clone(), self.desk.choice().clone());
        self.reread(Desk::reread_choice);
        if *self.desk.choice() != chosen {
            self.follow_choice_of_others(&before);
        }
    }

    /// What follows when picks or exclusions were read again.
    pub(super) fn follow_choice_of_others(&mut self, before: &Arc<Selection>) {
        self.desk.settle();
        if let Err(refusal) = self.desk.forget_left(before) {
            self.refuse(refusal);
        }
        if **self.desk.selection() != **before {
            self.index_templates();
        }
        self.publish();
    }

    pub(in crate::engine) fn change(&mut self, change: impl FnOnce(&mut Desk) -> Result<Changed, Error>) {
        match change(&mut self.desk) {
            Ok(changed) => changed.refused.into_iter().for_each(|refusal| self.refuse(refusal)),
            Err(refusal) => self.refuse(refusal),
        }
        self.follow_choice();
    }

    /// Says what was taken back or done again, and what was not since somebody else changed it.
    pub(super) fn retraced(&mut self, done: &str, verb: &str, outcome: Result<Option<Undone>, Error>) {
        let undone = match outcome {
            Ok(Some(undone)) => undone,
            Ok(None) => {
                let message = format!("there is nothing to {verb}");
                return self.refuse(Error::new("no-history", message, "only changes made here count"));
            }
            Err(refusal) => return self.refuse(refusal),
        };
        let at = |ids: &[String]| ids.iter().map(|id| format!("@{id}")).collect::<Vec<_>>().join(", ");
        let (what, retraced) = (&undone.what, &undone.retraced);
        if retraced.back.is_empty() {
            self.follow_choice();
            let message = format!("{what}: another process has changed {} since", at(&retraced.kept));
            return self.refuse(Error::new("changed-meanwhile", message, "nothing was done"));
        }
        let mut text = format!("{done}: {what}");
        if !retraced.others.is_empty() {
            text.push_str(&format!("; another process has changed {} since, and that stays", at(&retraced.others)));
        }
        let named = retraced.back.iter().chain(&retraced.others).cloned().collect();
        self.cause = Cause::Retraced { text, named };
        self.index_templates();
        self.publish();
        // While nothing was told yet, there is no difference to tell it with.
        if let Cause::Retraced { text, .. } = std::mem::replace(&mut self.cause, Cause::Choice(Who::You)) {
            self.tell(Notice::new(Who::You, Topic::Selection, text));
        }
    }

    /// Replaces the picks by those of the profile in this file, and says so behind what changed by it.
    pub(in crate::engine) fn switch_to(&mut self, file: &Path) {
        let before = self.desk.choice().picks.clone();
        let named = self.desk.outlook_of_switching(file).map(|switch| switch.name);
        match self.desk.switch_to(file) {
            Ok(changed) => {
                changed.refused.into_iter().for_each(|refusal| self.refuse(refusal));
                self.follow_choice();
                let after = &self.desk.choice().picks;
                let added = after.iter().filter(|id| !before.contains(id)).count();
                let gone = before.iter().filter(|id| !after.contains(id)).count();
                let name = named.unwrap_or_default();
                let text = format!("Switched to {name}: +{added} \u{2212}{gone}; u takes it back");
                self.tell(Notice::new(Who::You, Topic::Selection, text));
            }
            Err(refusal) => {
                self.refuse(refusal);
                self.follow_choice();
            }
        }
    }

    pub(in crate::engine) fn answer_profiles(&self, answer: OfProfiles) {
        self.say(Event::Profiles(answer));
    }

    /// What follows when picks or exclusions changed here.
    pub(super) fn follow_choice(&mut self) {
        self.cause = Cause::Choice(Who::You);
        self.index_templates();
        self.publish();
    }
}
