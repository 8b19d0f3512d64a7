//! Writes to and reads from the journal. A failure to write is reported once and blocks nothing (BEHAVIOUR §9).

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::{Desk, TagFilter};
use crate::session::{self, Appended, JournalEvent, Line, Receipt, Session, Tally, advice};
use crate::trust::resolved;
use refdesk_core::catalog::{Mode, Source, SourceId};
use refdesk_core::selection::Choice;
use refdesk_enrich::{BlockKind, OwnCall, Tool, touched};
use refdesk_files::name::sha256_hex;
use refdesk_files::output::{Proposal, WrittenFile};
use refdesk_files::path::display;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The sources a session got as a hint or an expansion, and which of the two.
type Offered = BTreeMap<String, BlockKind>;

impl Desk {
    /// Appends to the journal. Returns the problem the first time this fails; the diagnostics contain it until an
    /// append succeeds, and those of a command as long as it runs.
    pub fn journal(&self, session: &Session, receipt: Receipt) -> Option<Diagnostic> {
        self.journal_all(session, vec![receipt])
    }

    /// Like [`Self::journal`], for several receipts at once.
    pub(super) fn journal_all(&self, session: &Session, receipts: Vec<Receipt>) -> Option<Diagnostic> {
        if receipts.is_empty() {
            return None;
        }
        let whats: Vec<JournalEvent> = receipts.iter().map(|receipt| receipt.what).collect();
        let appended = self.store.append_all(session, receipts);
        let problem = match appended {
            Ok(Appended { last, set_aside }) => {
                if self.options.is_long_running {
                    self.own_lines.note(last, &whats);
                }
                set_aside
            }
            Err(error) => {
                let message = format!("the journal cannot be written: {error}");
                Some(Diagnostic::warning(Code::NotJournalled, message).fix(advice(&error)))
            }
        };
        let mut known = self.unjournalled.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = known.is_none();
        if problem.is_some() || self.options.is_long_running {
            known.clone_from(&problem);
        }
        problem.filter(|_| is_new)
    }

    pub(super) fn unjournalled(&self) -> Option<Diagnostic> {
        self.unjournalled.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The catalog files a tool read according to its arguments, selected or not, or what refdesk's own server did for
    /// the session, which it knows by another name. `offered` is what the session was offered before.
    pub(super) fn readings(&self, tool: &Tool, offered: &Offered) -> Vec<Receipt> {
        if let Some(call) = tool.own_call() {
            let (what, asked): (JournalEvent, Vec<&Source>) = match &call {
                OwnCall::Read(id) => (JournalEvent::Read, self.catalog.find(id).into_iter().collect()),
                OwnCall::Select { ids, tags } => {
                    let tagged = TagFilter::new(tags);
                    let tagged = self.catalog.sources().iter().filter(|source| tagged.matches(source));
                    (JournalEvent::Selected, ids.iter().filter_map(|id| self.catalog.find(id)).chain(tagged).collect())
                }
            };
            let mut seen = HashSet::new();
            // Others were refused.
            let done = asked.into_iter().filter(|source| {
                let is_readable = what == JournalEvent::Read && source.mode == Mode::Auto;
                (is_readable || self.selection.contains(source.id.as_str())) && seen.insert(&source.id)
            });
            let about: Vec<String> = done.map(|source| source.id.to_string()).collect();
            let tool = tool.name.map(str::to_owned);
            let receipt = Receipt { tool, follows: of(offered, &about), about, ..Receipt::new(what) };
            return if receipt.about.is_empty() { Vec::new() } else { vec![receipt] };
        }
        let receipt = |(path, ids): (PathBuf, Vec<&SourceId>)| {
            let about: Vec<String> = ids.iter().map(ToString::to_string).collect();
            Receipt {
                tool: tool.name.map(str::to_owned),
                follows: of(offered, &about),
                path: Some(self.workspace_context().display(&path)),
                about,
                ..Receipt::new(JournalEvent::Read)
            }
        };
        // A path that does not exist may be any text from the call, and text written by an agent is not stored.
        self.touched(tool).into_iter().filter(|(path, _)| path.symlink_metadata().is_ok()).map(receipt).collect()
    }

    /// The resolved paths of those files.
    pub(super) fn files_of(&self, tool: &Tool) -> Vec<PathBuf> {
        let all = |(path, ids): (PathBuf, Vec<&SourceId>)| {
            let places = ids.iter().filter_map(|id| self.catalog.get(id.as_str())?.place());
            places.map(|place| place.real(&path)).chain([path.clone()]).collect::<Vec<_>>()
        };
        self.touched(tool).into_iter().flat_map(all).collect()
    }

    fn touched(&self, tool: &Tool) -> Vec<(PathBuf, Vec<&SourceId>)> {
        let resolve = |path: &Path| std::fs::canonicalize(path).ok();
        touched(&self.catalog, &tool.path_arguments(&self.catalog), &tool.path_base(self.workspace(), &resolve))
    }

    /// Journals that a source was read, and whether it had been offered to the session.
    pub fn note_reading(&self, session: &Session, read: Receipt) {
        let follows = of(&self.store.session_memory(session).0.offered, &read.about);
        self.journal(session, Receipt { follows, ..read });
    }

    /// Journals a change of picks and exclusions; `reason` is empty for a plain request.
    pub(super) fn note_choice(&self, session: &Session, before: &Choice, after: &Choice, reason: &str) {
        let new = |now: &[String], then: &[String]| {
            let then: HashSet<&String> = then.iter().collect();
            now.iter().filter(|id| !then.contains(id)).cloned().collect()
        };
        let changes: [(JournalEvent, Vec<String>); 4] = [
            (JournalEvent::Unselected, new(&before.picks, &after.picks)),
            (JournalEvent::Included, new(&before.exclusions, &after.exclusions)),
            (JournalEvent::Selected, new(&after.picks, &before.picks)),
            (JournalEvent::Excluded, new(&after.exclusions, &before.exclusions)),
        ];
        let receipt = |(what, about): (JournalEvent, Vec<String>)| {
            let follows = if what == JournalEvent::Selected {
                of(&self.store.session_memory(session).0.offered, &about)
            } else {
                Offered::default()
            };
            Receipt { about, follows, reason: reason.to_owned(), ..Receipt::new(what) }
        };
        self.journal_all(session, changes.into_iter().filter(|(_, about)| !about.is_empty()).map(receipt).collect());
    }

    /// Journals that files were written, except those whose content did not change.
    pub(super) fn note_written(
        &self,
        session: &Session,
        proposals: &[Proposal],
        written: &[WrittenFile],
        reason: &str,
    ) {
        let changed = proposals.iter().zip(written).filter(|(proposal, _)| !proposal.is_unchanged());
        let workspace = resolved(self.workspace());
        let receipt = |(proposal, written): (&Proposal, &WrittenFile)| {
            let real = display(&workspace, &proposal.path);
            let path = (real != written.shown).then_some(real);
            Receipt { path, ..file(&written.shown, &proposal.text, reason) }
        };
        self.journal_all(session, changed.map(receipt).collect());
    }

    /// Journals that a file was removed.
    pub(super) fn note_removed(&self, session: &Session, proposal: &Proposal, reason: &str) {
        let about = vec![proposal.shown.clone()];
        self.journal(session, Receipt { about, reason: reason.to_owned(), ..Receipt::new(JournalEvent::Removed) });
    }

    /// Journals that one file was written.
    pub(super) fn note_file(&self, session: &Session, shown: &str, text: &str, reason: &str) {
        self.journal(session, file(shown, text, reason));
    }

    /// Journals in one line that many files were written, with the displayed path and size in bytes of each. Their
    /// hashes are stored elsewhere.
    pub(super) fn note_files(&self, session: &Session, files: Vec<(String, usize)>, reason: &str) {
        if files.is_empty() {
            return;
        }
        let bytes = files.iter().map(|(_, bytes)| bytes).sum();
        let about = files.into_iter().map(|(shown, _)| shown).collect();
        self.journal(
            session,
            Receipt { about, reason: reason.to_owned(), bytes, ..Receipt::new(JournalEvent::Written) },
        );
    }

    /// Journals which files of embedded templates were written and removed.
    pub(super) fn note_templates(&self, session: &Session, done: &session::Written) {
        let removed = match done.removed.len() {
            1 => "no selected source provides this template now",
            _ => "no selected source provides these templates any more",
        };
        self.journal_all(session, templates(done, "templates of documents", removed));
    }

    /// The path of the journal.
    pub fn journal_file(&self) -> std::path::PathBuf {
        self.store.journal_file()
    }

    /// Visits the complete lines of the journal, oldest first; returns the number of incomplete lines.
    ///
    /// # Errors
    /// The file system's error with the path; a missing file is not an error.
    pub fn each_line(&self, each: impl FnMut(Line)) -> io::Result<usize> {
        self.store.each_line(|_| true, each)
    }

    /// The latest line with this number.
    ///
    /// # Errors
    /// As for [`Desk::each_line`].
    pub fn line(&self, n: u64) -> io::Result<Option<Line>> {
        let begin = format!("{{\"n\":{n},");
        let mut found = None;
        self.store.each_line(|line| line.starts_with(begin.as_bytes()), |line| found = Some(line))?;
        Ok(found)
    }

    /// The latest journal line that records the pick of this source; `None` if an unpick follows or it is not picked.
    pub(crate) fn picked_by(&self, id: &str) -> Option<Line> {
        let is_change = |line: &[u8]| session::records_event(line, &[JournalEvent::Selected, JournalEvent::Unselected]);
        let mut newest = None;
        let keep = |line: Line| {
            if line.desk == self.store.desk_name() && line.receipt.about.iter().any(|about| about == id) {
                newest = Some(line);
            }
        };
        // The source counts as picked even if the journal cannot be read.
        let _ = self.store.each_line(is_change, keep);
        newest.filter(|line| {
            line.receipt.what == JournalEvent::Selected && self.choice.picks.iter().any(|pick| pick == id)
        })
    }

    /// How often hints were followed, according to the lines that `is_wanted` accepts.
    ///
    /// # Errors
    /// As for [`Desk::each_line`].
    pub fn tally(&self, is_wanted: impl Fn(&Line) -> bool) -> io::Result<(Tally, usize)> {
        let mut tally = Tally::default();
        let damaged = self.each_line(|line| {
            if is_wanted(&line) {
                tally.count(&line);
            }
        })?;
        Ok((tally, damaged))
    }
}

fn of(offered: &Offered, about: &[String]) -> Offered {
    about.iter().filter_map(|id| Some((id.clone(), *offered.get(id)?))).collect()
}

/// The receipts for template files that were written and removed.
pub(super) fn templates(done: &session::Written, written: &str, removed: &str) -> Vec<Receipt> {
    let several = |what, names: &[String], reason: &str| Receipt {
        about: names.iter().map(|name| format!("{}/{name}", refdesk_templates::FOLDER)).collect(),
        reason: reason.to_owned(),
        ..Receipt::new(what)
    };
    let receipts = [
        several(JournalEvent::Written, &done.written, written),
        several(JournalEvent::Removed, &done.removed, removed),
    ];
    receipts.into_iter().filter(|receipt| !receipt.about.is_empty()).collect()
}

fn file(shown: &str, text: &str, reason: &str) -> Receipt {
    Receipt {
        about: vec![shown.to_owned()],
        reason: reason.to_owned(),
        bytes: text.len(),
        hash: Some(sha256_hex(text.as_bytes())),
        ..Receipt::new(JournalEvent::Written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::output::Scope;

    fn session() -> Session {
        Session::of_client("a test")
    }

    fn desk(folder: &tempfile::TempDir) -> Desk {
        let path = folder.path().join("ws");
        std::fs::create_dir(&path).unwrap();
        let context = WorkspaceContext { workspace: path.clone(), current: path, ..WorkspaceContext::default() };
        Desk::open(Options { state: Some(folder.path().join("state")), ..Options::new(context) })
    }

    /// Comparing all pairs would take a billion comparisons and ten times as long.
    #[test]
    fn many_picks_are_compared_quickly() {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk(&folder);
        let picks = |range: std::ops::Range<usize>| range.map(|at| format!("pick-{at}")).collect();
        let choice = |picks| Choice { picks, ..Choice::default() };
        let began = std::time::Instant::now();
        desk.note_choice(&session(), &choice(picks(0..40_000)), &choice(picks(1..40_001)), "");
        let took = began.elapsed();
        let mut noted = Vec::new();
        desk.each_line(|line| noted.push((line.receipt.what, line.receipt.about))).unwrap();
        assert_eq!(noted, [(JournalEvent::Unselected, picks(0..1)), (JournalEvent::Selected, picks(40_000..40_001))]);
        assert!(took < std::time::Duration::from_secs(3), "{took:?}");
    }

    #[test]
    fn a_write_through_a_link_is_noted_with_the_file_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut desk = desk(&folder);
        std::fs::create_dir(desk.workspace().join("dir")).unwrap();
        std::os::unix::fs::symlink("dir", desk.workspace().join("link")).unwrap();
        let proposals = ["dir/a", "link/b"].map(|path| desk.propose(path, "x", Scope::Workspace).unwrap());
        desk.write(&session(), &proposals, "").unwrap();
        let mut noted = Vec::new();
        desk.each_line(|line| noted.push((line.receipt.about.concat(), line.receipt.path))).unwrap();
        assert_eq!(noted, [("dir/a".to_owned(), None), ("link/b".to_owned(), Some("dir/b".to_owned()))]);
    }

    #[test]
    fn a_failing_journal_is_reported_once_until_it_works_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut desk = desk(&folder);
        desk.options.is_long_running = true;
        let say = || desk.journal(&session(), Receipt::new(JournalEvent::Forgot));
        let stands = || desk.diagnostics().iter().filter(|problem| problem.code == Code::NotJournalled).count();
        let state = desk.journal_file().parent().unwrap().to_owned();
        std::fs::create_dir_all(state.parent().unwrap()).unwrap();
        // Nothing is written through a link.
        let block = || {
            let _ = std::fs::remove_dir_all(&state);
            std::os::unix::fs::symlink("elsewhere", &state).unwrap();
        };
        block();
        for _ in 0..2 {
            assert!(say().is_some_and(|problem| problem.message.contains(".jaato/refdesk")));
            assert_eq!((say(), stands(), desk.opening_diagnostics().len()), (None, 1, 1));
            std::fs::remove_file(&state).unwrap();
            assert_eq!((say(), stands()), (None, 0));
            block();
        }
    }

    #[test]
    fn a_command_reports_a_lost_line_although_a_later_one_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let desk = desk(&folder);
        let state = desk.journal_file().parent().unwrap().to_owned();
        std::fs::create_dir_all(state.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink("elsewhere", &state).unwrap();
        assert!(desk.journal(&session(), Receipt::new(JournalEvent::Forgot)).is_some());
        std::fs::remove_file(&state).unwrap();
        assert!(desk.journal(&session(), Receipt::new(JournalEvent::Forgot)).is_none());
        assert!(desk.diagnostics().iter().any(|problem| problem.code == Code::NotJournalled));
    }
}
