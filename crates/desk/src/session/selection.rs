//! The desk's stored selection, `selection.json` or `desks/NAME/selection.json` (BEHAVIOUR §9).

use std::collections::{BTreeSet, HashSet};
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Session;
use super::foreign::{ForeignFileAction, limited};
use super::store::{StateContent, Store, aside};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::Choice;
use refdesk_files::path::name_of;
use refdesk_files::{Durability, Folder, narrow_hard_link};
use refdesk_text::report::Diagnostic;

/// A stored selection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSelection {
    /// Picks and exclusions.
    #[serde(flatten)]
    pub choice: Choice,
    /// The client that stored it, for the feeds of others; missing in files edited by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The session's name, safe as a file name; missing in files edited by a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The picks that no person made here.
    #[serde(flatten)]
    pub unconfirmed: UnconfirmedPicks,
}

/// Picks that no person made here, so that they release nothing that waits for trust (BEHAVIOUR §9).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnconfirmedPicks {
    /// From a file that this user's refdesk did not write, or from a profile of the workspace.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub taken_over: BTreeSet<String>,
    /// Made by agents.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub by_agents: BTreeSet<String>,
}

impl UnconfirmedPicks {
    /// Whether this pick is one of them.
    pub fn contains(&self, id: &str) -> bool {
        self.taken_over.contains(id) || self.by_agents.contains(id)
    }

    /// Removes those that are no longer picks.
    pub(crate) fn retain(&mut self, picks: &[String]) {
        if *self != Self::default() {
            let picks: HashSet<&String> = picks.iter().collect();
            self.taken_over.retain(|id| picks.contains(id));
            self.by_agents.retain(|id| picks.contains(id));
        }
    }

    /// Adds those of `others` that satisfy `is_added`.
    pub(crate) fn extend(&mut self, others: &Self, is_added: impl Fn(&String) -> bool) {
        self.taken_over.extend(others.taken_over.iter().filter(|id| is_added(id)).cloned());
        self.by_agents.extend(others.by_agents.iter().filter(|id| is_added(id)).cloned());
    }
}

/// Who makes the new picks of a change.
#[derive(Clone, Copy)]
pub enum NewPicks<'a> {
    /// A person makes these, even if they were picked before.
    Person(&'a [SourceId]),
    /// An agent.
    Agent,
    /// The workspace.
    Workspace,
    /// No matter who made them before: these are the ones that no person made.
    Restored(&'a UnconfirmedPicks),
}

impl NewPicks<'_> {
    /// Updates which picks no person made, after a change of the picks.
    pub(crate) fn mark(self, unconfirmed: &mut UnconfirmedPicks, before: &[String], after: &[String]) {
        let before: HashSet<&String> = before.iter().collect();
        let new = after.iter().filter(|id| !before.contains(id)).cloned();
        match self {
            Self::Person(ids) => {
                for id in ids {
                    unconfirmed.taken_over.remove(id.as_str());
                    unconfirmed.by_agents.remove(id.as_str());
                }
            }
            Self::Agent => unconfirmed.by_agents.extend(new),
            Self::Workspace => unconfirmed.taken_over.extend(new),
            Self::Restored(earlier) => {
                let new: HashSet<String> = new.collect();
                unconfirmed.extend(earlier, |id| new.contains(id));
            }
        }
        unconfirmed.retain(after);
    }
}

/// The outcome of a change under the lock.
#[derive(Debug)]
pub struct Change<T> {
    /// What the change function returned.
    pub answer: T,
    /// The value now stored.
    pub value: Choice,
    /// Its picks that no person made here.
    pub unconfirmed: UnconfirmedPicks,
    /// A report if a damaged file was moved aside.
    pub diagnostics: Vec<Diagnostic>,
}

impl Store {
    /// The stored selection; `None` if there is none. A damaged file is moved aside and reported.
    pub fn choice(&self) -> (Option<StoredSelection>, Vec<Diagnostic>) {
        let (found, diagnostics) = self.read_or_set_aside(&self.selection);
        (found.map(|found| self.trusted_part(found)), diagnostics)
    }

    /// The stored selection; `None` if there is none. For long-running processes that read often: a damaged file is
    /// left in place, since another process may be writing it, and is returned as an error.
    ///
    /// # Errors
    /// The file is damaged or cannot be read; the reason as a diagnostic.
    pub fn look(&self) -> Result<Option<StoredSelection>, Box<Diagnostic>> {
        let file = &self.selection;
        self.check_inside(file).map_err(|error| Box::new(self.unread(&error)))?;
        let found = self.read(file).map_err(|problem| {
            Box::new(self.report(file, &problem, "the last selection that could be read applies until it is fixed"))
        });
        Ok(found?.map(|found| self.trusted_part(found)))
    }

    /// The trusted part of a stored selection; for a foreign one, only picks and exclusions.
    fn trusted_part(&self, found: StateContent<StoredSelection>) -> StoredSelection {
        let file = self.shown(&self.selection);
        if found.is_own {
            self.foreign.settle(&file);
            return found.value;
        }
        let (choice, is_cut) = limited(found.value.choice);
        if is_cut || self.sealer.can_have_key() {
            self.foreign.note(file, ForeignFileAction::Choice { is_cut, aside: None });
        }
        let mut unconfirmed = UnconfirmedPicks::default();
        if self.sealer.can_have_key() {
            unconfirmed.taken_over.extend(choice.picks.iter().cloned());
        }
        StoredSelection { choice, unconfirmed, ..StoredSelection::default() }
    }

    /// Changes the stored selection, starting from `initial` if there is none; writes only if it differs. A foreign
    /// file is moved aside, and the part kept from it is written as ours.
    ///
    /// # Errors
    /// The file system's error with the path. Nothing is changed in that case.
    pub fn change<T>(
        &self,
        session: &Session,
        initial: &StoredSelection,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> io::Result<Change<T>> {
        self.check_inside(&self.selection)?;
        let _lock = self.lock()?;
        let can_seal = self.sealer.key_or_new().is_ok();
        let (stored, diagnostics) = self.read_locked::<StoredSelection>(&self.selection)?;
        let is_foreign = can_seal && stored.as_ref().is_some_and(|found| !found.is_own);
        let mut unconfirmed = UnconfirmedPicks::default();
        let (stored, is_cut) = match stored {
            Some(found) if !found.is_own => {
                let (choice, is_cut) = limited(found.value.choice);
                unconfirmed.taken_over.extend(choice.picks.iter().filter(|_| is_foreign).cloned());
                (Some(choice), is_cut)
            }
            Some(found) => {
                unconfirmed = found.value.unconfirmed;
                (Some(found.value.choice), false)
            }
            None => {
                unconfirmed.clone_from(&initial.unconfirmed);
                (None, false)
            }
        };
        let known = unconfirmed.clone();
        let mut value = stored.clone().unwrap_or_else(|| initial.choice.clone());
        let before = value.picks.clone();
        let answer = change(&mut value);
        new.mark(&mut unconfirmed, &before, &value.picks);
        if is_foreign {
            self.copy_aside(&self.selection, is_cut)?;
        }
        if is_foreign || stored.as_ref() != Some(&value) || known != unconfirmed {
            let (by, session) = (Some(session.who.clone()), Some(session.name()));
            let unconfirmed = unconfirmed.clone();
            self.write_choice(&StoredSelection { choice: value.clone(), by, session, unconfirmed })?;
        }
        Ok(Change { answer, value, unconfirmed, diagnostics })
    }

    /// A selection does not require a seal, so it is written without one if there is no key.
    fn write_choice(&self, stored: &StoredSelection) -> io::Result<()> {
        if self.sealer.key_or_new().is_ok() {
            return self.write(&self.selection, stored);
        }
        let mut bytes = serde_json::to_vec_pretty(stored)?;
        bytes.push(b'\n');
        self.put(&self.selection, &bytes, Durability::SurvivesCrash)
    }

    /// Copies a foreign file aside; the caller holds the lock. The original stays in place until it is replaced, so
    /// that the part kept from it always exists.
    fn copy_aside(&self, file: &Path, is_cut: bool) -> io::Result<()> {
        let aside = aside(file, "foreign", self.clock);
        let (folder, name) = Folder::of(&self.workspace, file)?;
        let copy = name_of(&aside);
        folder.stage_hard_link(name)?.replace(copy)?;
        narrow_hard_link(&folder.open(copy)?);
        self.foreign.note(self.shown(file), ForeignFileAction::Choice { is_cut, aside: Some(self.shown(&aside)) });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::store::tests::assert_private;
    use super::super::store::tests::{session, store};
    use super::*;
    use refdesk_files::write_atomic;

    #[test]
    fn a_change_is_stored_and_git_ignores_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let initial = StoredSelection {
            choice: Choice { picks: vec!["pre".into()], ..Choice::default() },
            ..StoredSelection::default()
        };
        assert_eq!(store(folder.path()).choice().0, None);
        let change = store(folder.path())
            .change(&session(), &initial, NewPicks::Person(&[]), |choice| choice.pick("a"))
            .unwrap();
        assert!(change.answer);
        assert_eq!(store(folder.path()).choice().0.unwrap().choice.picks, ["pre", "a"]);
        assert_eq!(std::fs::read(folder.path().join(".jaato/refdesk/.gitignore")).unwrap(), b"*\n");
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_reported() {
        for rubbish in [b"{\"picks\": [1]}".as_slice(), b"", b"\xff\xfe", b"{\"picks\":[\"a\"]", b"[]", b"null"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(".jaato/refdesk/selection.json");
            write_atomic(&file, rubbish).unwrap();
            let (choice, diagnostics) = store(folder.path()).choice();
            assert_eq!((choice, diagnostics.len()), (None, 1));
            let aside = folder.path().join(".jaato/refdesk/selection.json.damaged-1800000000");
            assert_eq!(std::fs::read(&aside).unwrap(), rubbish);
            assert_private(&aside);
            assert!(store(folder.path()).choice().1.is_empty(), "reported once");
        }
    }

    #[test]
    fn a_folder_in_place_of_the_file_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".jaato/refdesk/selection.json")).unwrap();
        let (choice, diagnostics) = store(folder.path()).choice();
        assert_eq!((choice, diagnostics.len()), (None, 1));
    }

    #[test]
    fn a_foreign_choice_is_taken_over_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let ids = |count: usize| (0..count).map(|at| format!("id-{at}"));
        let picks: Vec<String> = ["x".repeat(1025)].into_iter().chain(ids(50)).chain(ids(30_000)).collect();
        let forged =
            serde_json::to_vec(&Choice { picks, exclusions: vec!["late".into()], ..Choice::default() }).unwrap();
        write_atomic(&store.selection, &forged).unwrap();
        let expected = Choice { picks: ids(10_000).collect(), ..Choice::default() };
        assert_eq!(store.choice().0.unwrap().choice, expected);
        let limit = "at most 10000, none longer than 1024 bytes";
        assert!(store.foreign().unwrap().message.contains(limit));
        assert_eq!(
            store.change(&session(), &StoredSelection::default(), NewPicks::Person(&[]), |_| ()).unwrap().value,
            expected
        );
        let message = store.foreign().unwrap().message;
        assert!(message.contains(limit) && message.contains("set aside as"), "{message}");
        assert_private(&folder.path().join(".jaato/refdesk/selection.json.foreign-1800000000"));
    }

    #[test]
    fn a_link_inside_the_workspace_is_refused_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("kept")).unwrap();
        std::os::unix::fs::symlink("kept", folder.path().join(".jaato")).unwrap();
        let error = store(folder.path())
            .change(&session(), &StoredSelection::default(), NewPicks::Person(&[]), |choice| choice.pick("a"))
            .unwrap_err();
        assert!(error.to_string().contains(".jaato is a symbolic link, which is not followed"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path().join("kept")).unwrap().count(), 0);
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for at in 0..32 {
                let store = store(folder.path());
                scope.spawn(move || {
                    store
                        .change(&session(), &StoredSelection::default(), NewPicks::Person(&[]), |choice| {
                            choice.pick(&at.to_string())
                        })
                        .unwrap()
                });
            }
        });
        assert_eq!(store(folder.path()).choice().0.unwrap().choice.picks.len(), 32);
    }
}
