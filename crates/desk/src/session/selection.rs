//! The desk's stored selection, `selection.json` or `desks/NAME/selection.json` (BEHAVIOUR §9).

use std::collections::HashSet;
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
    /// Picks from a file that this user's refdesk did not write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub taken_over: Vec<String>,
}

/// The origin of a change's new picks.
#[derive(Clone, Copy)]
pub enum NewPicks<'a> {
    /// These sources were picked here, even if they were picked before.
    Made(&'a [SourceId]),
    /// Picks for which this returns true come with the workspace, or are an agent's and would release what waits for
    /// trust.
    Inherited(&'a dyn Fn(&str) -> bool),
}

impl NewPicks<'_> {
    /// Updates which picks were not made by a person here, after a change of the picks.
    pub(crate) fn mark(self, taken_over: &mut Vec<String>, before: &[String], after: &[String]) {
        match self {
            Self::Made(ids) => taken_over.retain(|id| !ids.iter().any(|made| made.as_str() == id)),
            Self::Inherited(is_brought) => {
                let before: HashSet<&String> = before.iter().collect();
                taken_over.extend(after.iter().filter(|id| !before.contains(id) && is_brought(id)).cloned());
            }
        }
    }
}

/// The outcome of a change under the lock.
#[derive(Debug)]
pub struct Change<T> {
    /// What the change function returned.
    pub answer: T,
    /// The value now stored.
    pub value: Choice,
    /// Its picks that came with the workspace.
    pub taken_over: Vec<String>,
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
    /// The file is damaged; the reason as a diagnostic.
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
        let taken_over = if self.sealer.can_have_key() { choice.picks.clone() } else { Vec::new() };
        StoredSelection { choice, taken_over, ..StoredSelection::default() }
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
        let (stored, diagnostics) = self.read_locked::<StoredSelection>(&self.selection);
        let is_foreign = can_seal && stored.as_ref().is_some_and(|found| !found.is_own);
        let mut taken_over = Vec::new();
        let (stored, is_cut) = match stored {
            Some(found) if !found.is_own => {
                let (choice, is_cut) = limited(found.value.choice);
                taken_over.extend(choice.picks.iter().filter(|_| is_foreign).cloned());
                (Some(choice), Some(is_cut))
            }
            Some(found) => {
                taken_over = found.value.taken_over;
                (Some(found.value.choice), None)
            }
            None => {
                taken_over.clone_from(&initial.taken_over);
                (None, None)
            }
        };
        let known = taken_over.clone();
        let mut value = stored.clone().unwrap_or_else(|| initial.choice.clone());
        let before = value.picks.clone();
        let answer = change(&mut value);
        new.mark(&mut taken_over, &before, &value.picks);
        let picks: HashSet<&String> = value.picks.iter().collect();
        taken_over.retain(|id| picks.contains(id));
        if is_foreign {
            self.copy_aside(&self.selection, is_cut.unwrap_or_default())?;
        }
        if is_foreign || stored.as_ref() != Some(&value) || known != taken_over {
            let (by, session) = (Some(session.who.clone()), Some(session.name()));
            let taken_over = taken_over.clone();
            self.write_choice(&StoredSelection { choice: value.clone(), by, session, taken_over })?;
        }
        Ok(Change { answer, value, taken_over, diagnostics })
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
        let change =
            store(folder.path()).change(&session(), &initial, NewPicks::Made(&[]), |choice| choice.pick("a")).unwrap();
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
            store.change(&session(), &StoredSelection::default(), NewPicks::Made(&[]), |_| ()).unwrap().value,
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
            .change(&session(), &StoredSelection::default(), NewPicks::Made(&[]), |choice| choice.pick("a"))
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
                        .change(&session(), &StoredSelection::default(), NewPicks::Made(&[]), |choice| {
                            choice.pick(&at.to_string())
                        })
                        .unwrap()
                });
            }
        });
        assert_eq!(store(folder.path()).choice().0.unwrap().choice.picks.len(), 32);
    }
}
