//! Changes picks and exclusions. Each change locks the stored choice and starts from its current content, so that
//! changes of other processes are not lost (BEHAVIOUR §4, §9, §10).

mod pick;

use std::collections::HashSet;
use std::sync::Arc;

pub use pick::{PickStatus, Picked, Picker};

use super::Desk;
use crate::Session;
use crate::session::{NewPicks, StoredSelection, advice};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{Choice, Role, Selection, StepName};
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error, Fix};

/// The result of an unpick, an exclusion, an inclusion or a clear.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Ids whose pick or exclusion changed, in the order requested.
    pub changed: Vec<String>,
    /// Sources that left the selection as a result.
    pub released: Vec<SourceId>,
    /// Sources that entered it because their exclusions belonged to a removed pick.
    pub entered: Vec<SourceId>,
    /// Why other ids were refused.
    pub refused: Vec<Error>,
}

/// A change that was applied.
pub(super) struct AppliedChange<T> {
    /// What the change function returned.
    pub answer: T,
    /// The selection before.
    pub before: Arc<Selection>,
    /// Sources that left the selection.
    pub left: Vec<SourceId>,
}

impl Desk {
    /// Removes picks, everything only they pulled in, and the exclusions made for them. Refuses a source that is
    /// selected only because others mention it, and names its parents.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn unpick(&mut self, session: &Session, ids: &[String]) -> Result<Changed, Error> {
        let ids = &*self.catalog_ids(ids);
        let mut answer = self.change_each(session, ids, Choice::unpick)?;
        for id in ids.iter().filter(|id| !answer.changed.contains(id)) {
            if let Some(member) = self.selection.member(id) {
                let (code, why) = match member.role {
                    Role::AutoRoot => (Code::IsAuto, "selected because it is auto".to_owned()),
                    _ => (Code::IsTransitive, format!("pulled in by {}", mention_list(&member.parents.to_vec()))),
                };
                let message = format!("'{id}' is not picked; it is {why}");
                answer.refused.push(Error::new(code, message, Fix::Exclude(id.clone())));
            }
        }
        answer.refused.extend(self.unknown_ids(without(ids, &answer.changed)));
        Ok(answer)
    }

    /// Excludes sources from being pulled in, and removes their picks, even those of sources that are not in the catalog
    /// any more.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn exclude(&mut self, session: &Session, ids: &[String]) -> Result<Changed, Error> {
        let is_known = |id: &String| {
            self.catalog.get(id).is_some() || self.choice.picks.contains(id) || self.choice.exclusions.contains(id)
        };
        let (known, unknown): (Vec<String>, Vec<String>) = self.catalog_ids(ids).into_iter().partition(is_known);
        let mut answer = self.change_each(session, &known, Choice::exclude)?;
        answer.refused = self.unknown_ids(&unknown).into_iter().collect();
        Ok(answer)
    }

    /// Lifts exclusions, even of sources that are not in the catalog any more.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn include(&mut self, session: &Session, ids: &[String]) -> Result<Changed, Error> {
        let ids = &*self.catalog_ids(ids);
        let known = self.requested.clone();
        let mut answer = self.change_each(session, ids, Choice::include)?;
        answer.refused = self.unknown_ids(without(ids, &answer.changed)).into_iter().collect();
        // Like a pick, it is trust in what it brings.
        let included: Vec<SourceId> = answer.changed.iter().map(|id| id.as_str().into()).collect();
        answer.refused.extend(self.trust_picked(&included, &known).err());
        Ok(answer)
    }

    /// Removes every pick; with `exclusions`, also lifts every exclusion.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn clear(&mut self, session: &Session, exclusions: bool) -> Result<Changed, Error> {
        let clear = |choice: &mut Choice| {
            let mut changed = choice.retain_picks(&[]);
            if exclusions {
                changed.append(&mut choice.exclusions);
            }
            changed
        };
        // Undo shows a clear as such, not as an unpick.
        let name = |changed: &Vec<String>| match exclusions {
            true => "clearing the selection".to_owned(),
            false => format!("clearing of {}", counted(changed.len(), "pick")),
        };
        let done = self.change_as(session, NewPicks::Person(&[]), clear, |changed| Some(name(changed)))?;
        Ok(self.followed(done))
    }

    fn change_each(
        &mut self,
        session: &Session,
        ids: &[String],
        each: fn(&mut Choice, &str) -> bool,
    ) -> Result<Changed, Error> {
        let done = self.change(session, NewPicks::Person(&[]), |choice| {
            ids.iter().filter(|id| each(choice, id)).cloned().collect()
        })?;
        Ok(self.followed(done))
    }

    /// The result for a change of these ids, which themselves count as neither released nor entered.
    fn followed(&self, done: AppliedChange<Vec<String>>) -> Changed {
        let AppliedChange { answer: changed, before, mut left } = done;
        let own: HashSet<&str> = changed.iter().map(String::as_str).collect();
        left.retain(|id| !own.contains(id.as_str()));
        let members = self.selection.members().iter().map(|member| &member.id);
        let is_new = |id: &&SourceId| !before.contains(id.as_str()) && !own.contains(id.as_str());
        let entered = members.filter(is_new).cloned().collect();
        Changed { released: left, entered, changed, refused: Vec::new() }
    }

    /// Changes the stored choice and updates everything that depends on it.
    fn change<T>(
        &mut self,
        session: &Session,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<AppliedChange<T>, Error> {
        self.change_as(session, new, change, |_| None)
    }

    /// Like [`Self::change`], with an explicit name for undo.
    fn change_as<T>(
        &mut self,
        session: &Session,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
        name: impl FnOnce(&T) -> Option<String>,
    ) -> Result<AppliedChange<T>, Error> {
        let known = self.choice.clone();
        let AppliedChange { answer: (answer, stored, changed), before, left } =
            self.store_change(session, "", new, |choice| {
                let stored = choice.clone();
                (change(choice), stored, choice.clone())
            })?;
        // Note what other processes stored since this one last read the choice.
        self.note_stored(&known, &stored);
        self.history.note_as(name(&answer).as_deref().map(StepName::from), stored, changed);
        Ok(AppliedChange { answer, before, left })
    }

    /// Changes the stored choice without adding to the undo history; `reason` is for the journal.
    pub(super) fn store_change<T>(
        &mut self,
        session: &Session,
        reason: &str,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<AppliedChange<T>, Error> {
        // The result compares the selection before and after, so both must be complete.
        self.settle();
        if self.profile.is_some() {
            return self.change_unstored(session, reason, new, change);
        }
        self.finish_interrupted()?;
        // If the stored choice cannot be read, a long-running desk continues with the one in memory.
        let choice = if self.options.is_long_running { self.choice.clone() } else { self.preselected() };
        let initial =
            StoredSelection { unconfirmed: self.unconfirmed_of(&choice), choice, ..StoredSelection::default() };
        let mut stored_before = Choice::default();
        let change = |choice: &mut Choice| {
            stored_before.clone_from(choice);
            change(choice)
        };
        let done = self.store.change(session, &initial, new, change).map_err(|error| not_stored(&error))?;
        self.note_choice(session, &stored_before, &done.value, reason);
        self.is_choice_stored |= stored_before != done.value;
        if self.options.is_long_running {
            // A long-running desk leaves a damaged file alone until the next change, which sets it aside.
            self.stored.clear();
        }
        self.set_aside.extend(done.diagnostics);
        if stored_before != self.choice {
            // Another process stored a choice that this one has not read yet: compare with the selection it results in.
            self.choose(stored_before);
        }
        self.adopt_unconfirmed(done.unconfirmed);
        let before = self.choose(done.value);
        let left = self.forget_left(&before)?;
        Ok(AppliedChange { answer: done.answer, before, left })
    }

    /// The same under a profile, where the choice is not stored.
    fn change_unstored<T>(
        &mut self,
        session: &Session,
        reason: &str,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<AppliedChange<T>, Error> {
        let mut choice = self.choice.clone();
        let answer = change(&mut choice);
        let mut unconfirmed = self.unconfirmed.clone();
        new.mark(&mut unconfirmed, &self.choice.picks, &choice.picks);
        self.adopt_unconfirmed(unconfirmed);
        self.note_choice(session, &self.choice, &choice, reason);
        let before = self.choose(choice);
        let left = self.forget_left(&before)?;
        Ok(AppliedChange { answer, before, left })
    }

    /// Adopts a choice and completes its selection; returns the previous selection.
    fn choose(&mut self, choice: Choice) -> Arc<Selection> {
        self.choice = choice;
        let before = self.selection.clone();
        self.select();
        self.settle();
        before
    }

    /// Returns the sources that left the selection since `before`, and clears them from the memory of every session, so
    /// that they are sent again if they return.
    ///
    /// # Errors
    /// A session's memory cannot be stored.
    pub(crate) fn forget_left(&self, before: &Selection) -> Result<Vec<SourceId>, Error> {
        let members = before.members().iter().map(|member| &member.id);
        let left: Vec<SourceId> = members.filter(|id| !self.selection.contains(id.as_str())).cloned().collect();
        self.store.forget(&left).map_err(|error| not_stored(&error))?;
        Ok(left)
    }

    /// Maps ids to those in the catalog, without duplicates: agents see `@id` and may write it.
    pub(crate) fn catalog_ids(&self, ids: &[String]) -> Vec<String> {
        let mut seen = HashSet::new();
        let ids = ids.iter().map(|id| self.catalog.canonical_id(id));
        ids.filter(|id| seen.insert(*id)).map(ToOwned::to_owned).collect()
    }
}

/// The ids that were not changed.
fn without<'i>(ids: &'i [String], changed: &'i [String]) -> impl Iterator<Item = &'i String> {
    ids.iter().filter(|id| !changed.contains(id))
}

pub(super) fn not_stored(error: &std::io::Error) -> Error {
    Error::new(Code::NotStored, format!("the picks and exclusions could not be saved: {error}"), advice(error))
}

/// `@a, @b`.
pub(crate) fn mention_list(ids: &[SourceId]) -> String {
    ids.iter().map(|id| format!("@{id}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    #[test]
    fn a_change_is_compared_with_the_stored_choice() {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap();
        let context = WorkspaceContext { workspace: path.clone(), current: path, ..WorkspaceContext::default() };
        let sources = ["a", "b", "c", "d"].map(|id| {
            let next = if id == "a" { "c" } else { "d" };
            let text = if id < "c" { format!("See {next}.") } else { "The end.".to_owned() };
            serde_json::json!({"id": id, "name": id, "type": "inline", "content": text})
        });
        let written = serde_json::json!({"sources": sources}).to_string();
        write_atomic(&context.workspace.join("references.json"), written.as_bytes()).unwrap();
        let open = || Desk::open(Options { is_long_running: true, ..Options::new(context.clone()) });
        let (mut one, mut other) = (open(), open());
        let ids = |ids: &[SourceId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let session = Session::of_client("a test");
        let named = |id: &str| [id.to_owned()];

        let picked = one.pick(&session, &named("a"), &[]).unwrap();
        assert_eq!((ids(&picked.picked), ids(&picked.pulled_in)), (vec!["a".to_owned()], vec!["c".to_owned()]));
        // Another process has cleared the choice, which this one has not read yet.
        other.clear(&session, false).unwrap();
        let picked = one.pick(&session, &named("a"), &[]).unwrap();
        assert_eq!((ids(&picked.picked), ids(&picked.pulled_in)), (vec!["a".to_owned()], vec!["c".to_owned()]));
        // Another process picked a source whose document this one has not read. This pick does not count what that
        // source pulls in.
        let picked = other.pick(&session, &named("b"), &[]).unwrap();
        assert_eq!(ids(&picked.pulled_in), ["d"]);
        one.clear(&session, false).unwrap();
        assert_eq!(one.undoable().0, Some("clearing of 2 picks".into()));
        other.pick(&session, &named("b"), &[]).unwrap();
        let picked = one.pick(&session, &named("a"), &[]).unwrap();
        assert_eq!(ids(&picked.pulled_in), ["c"]);
        let cleared = other.clear(&session, false).unwrap();
        assert_eq!(
            (cleared.changed, ids(&cleared.released)),
            (vec!["b".to_owned(), "a".to_owned()], vec!["c".to_owned(), "d".to_owned()])
        );
    }
}
