//! Writes files: a proposal shows what would change, and is written once approved.

use std::path::{Path, PathBuf};

use super::{Desk, RenderedTemplate, Session};
use crate::session::advice;
use refdesk_core::config::expand_home;
use refdesk_files::Lock;
use refdesk_files::output::{self, Interrupted, PathLookup, Proposal, Recovered, Scope, WriteFailure, WrittenFile};
use refdesk_files::reserved::STATE_FOLDER;
use refdesk_text::report::{Diagnostic, add_new};
use refdesk_text::{Code, Error};

/// Asks the user whether a write outside the workspace is allowed; the error states why not.
pub type OutsideWriteApproval<'a> = &'a dyn Fn(&Proposal) -> Result<(), Error>;

/// A rendering, and the proposal for its file if it has a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderPreview {
    /// The text.
    pub made: RenderedTemplate,
    /// `None` if no path was given and the template suggests none.
    pub proposal: Option<Result<Proposal, Error>>,
}

impl Desk {
    /// Proposes writing this text to this path, relative to the current folder. Changes nothing.
    ///
    /// # Errors
    /// The path may not be written.
    pub fn propose(&self, path: &str, text: &str, scope: Scope) -> Result<Proposal, Error> {
        let context = self.workspace_context();
        output::propose(self.workspace(), &context.current, &expand_home(context, path), text, scope)
    }

    /// Like [`Self::propose`], for the path that a template names itself, which is relative to the workspace.
    ///
    /// # Errors
    /// The path may not be written.
    pub fn propose_offered(&self, path: &str, text: &str, scope: Scope) -> Result<Proposal, Error> {
        let path = expand_home(self.workspace_context(), path);
        output::propose(self.workspace(), self.workspace(), &path, text, scope)
    }

    /// Proposes writing this text to a configuration file. If links or settings lead outside the workspace, `leave`
    /// must allow exactly that write.
    ///
    /// # Errors
    /// The path may not be written, or `leave` refuses.
    pub(super) fn propose_configuration(
        &self,
        file: &Path,
        text: &str,
        leave: OutsideWriteApproval<'_>,
    ) -> Result<Proposal, Error> {
        self.propose_configurations(&mut PathLookup::default(), file, text, leave)
    }

    /// Like [`Self::propose_configuration`], for one of many files.
    ///
    /// # Errors
    /// As for [`Desk::propose_configuration`].
    pub(super) fn propose_configurations(
        &self,
        lookup: &mut PathLookup,
        file: &Path,
        text: &str,
        leave: OutsideWriteApproval<'_>,
    ) -> Result<Proposal, Error> {
        let workspace = self.workspace();
        let propose = |path: &str, scope| output::propose_with(lookup, workspace, workspace, path, text, scope);
        self.propose_leaving(file, leave, propose)
    }

    /// Calls `propose` for this file; outside the workspace only if `leave` allows it.
    pub(super) fn propose_leaving(
        &self,
        file: &Path,
        leave: OutsideWriteApproval<'_>,
        mut propose: impl FnMut(&str, Scope) -> Result<Proposal, Error>,
    ) -> Result<Proposal, Error> {
        let path = file.strip_prefix(self.workspace()).unwrap_or(file).to_str().ok_or_else(|| {
            let message = format!("{} is not UTF-8", file.display());
            Error::new(Code::NoText, message, "rename it")
        })?;
        match propose(path, Scope::Workspace) {
            Err(refusal) if refusal.code == Code::Outside => {
                let proposal = propose(path, Scope::Anywhere)?;
                leave(&proposal)?;
                Ok(proposal)
            }
            proposed => proposed,
        }
    }

    /// Writes approved proposals, all or none. `reason` is for the journal.
    ///
    /// # Errors
    /// A file has changed since it was proposed, or cannot be written.
    pub fn write(
        &mut self,
        session: &Session,
        proposals: &[Proposal],
        reason: &str,
    ) -> Result<Vec<WrittenFile>, WriteFailure> {
        // A single file is replaced atomically. Several files need a record of the write first, and there is only one
        // such record.
        let lock = if proposals.len() > 1 { Some(self.hold()?) } else { None };
        self.write_holding(lock, session, proposals, reason)
    }

    /// Like [`Self::write`], with the lock if it is held; several files need it.
    ///
    /// # Errors
    /// As for [`Self::write`].
    pub(super) fn write_holding(
        &mut self,
        lock: Option<Lock>,
        session: &Session,
        proposals: &[Proposal],
        reason: &str,
    ) -> Result<Vec<WrittenFile>, WriteFailure> {
        match lock {
            Some(_) => self.settle_interrupted()?,
            None => self.finish_interrupted()?,
        }
        let written = output::write(self.workspace(), self.store.sealer(), proposals)?;
        // The journal takes the lock itself.
        drop(lock);
        self.note_written(session, proposals, &written, reason);
        Ok(written)
    }

    /// Removes a file as proposed, and up to `folders` parent folders that become empty; `reason` is for the journal.
    ///
    /// # Errors
    /// The file has changed since it was proposed, or cannot be removed.
    pub fn remove(
        &mut self,
        session: &Session,
        proposal: &Proposal,
        folders: usize,
        reason: &str,
    ) -> Result<(), WriteFailure> {
        self.finish_interrupted()?;
        output::remove(proposal, folders)?;
        self.note_removed(session, proposal, reason);
        Ok(())
    }

    /// The state folder of this workspace, created if missing and ignored by git.
    ///
    /// # Errors
    /// The folder cannot be created.
    pub fn own_folder(&self) -> Result<PathBuf, Error> {
        drop(self.hold()?);
        Ok(self.workspace().join(STATE_FOLDER))
    }

    /// Records that a file in the state folder is foreign and ignored.
    pub fn note_foreign(&self, file: &Path) {
        self.store.note_foreign(file);
    }

    /// Moves a foreign file aside.
    ///
    /// # Errors
    /// The desk cannot be stored.
    pub fn set_foreign_aside(&self, file: &Path) -> Result<(), Error> {
        let _lock = self.hold()?;
        self.store.set_foreign_aside(file);
        Ok(())
    }

    /// Completes or reverts a write of several files that was killed, and adds the outcome to the diagnostics. Call it
    /// before writing.
    ///
    /// # Errors
    /// The desk cannot be stored, or the record of the write cannot be read.
    pub(crate) fn finish_interrupted(&mut self) -> Result<(), Error> {
        if output::has_record(self.workspace()) {
            let _lock = self.hold()?;
            self.settle_interrupted()?;
        }
        Ok(())
    }

    /// Reports an interrupted or unfinished write of several files.
    pub fn interrupted(&self) -> Option<Diagnostic> {
        match output::interrupted(self.workspace(), self.store.sealer()) {
            Interrupted::No => None,
            Interrupted::Foreign(file) => Some(foreign_record(self.workspace_context().display(&file))),
            Interrupted::Unreadable(error) => Some(Diagnostic::warning(error.code, error.message).fix(error.fix)),
            Interrupted::Yes => {
                let message = "a write of several files was interrupted, or is in progress";
                let hint = "the next command that writes finishes or undoes it";
                Some(Diagnostic::warning(Code::WriteInterrupted, message).fix(hint))
            }
        }
    }

    fn settle_interrupted(&mut self) -> Result<(), Error> {
        match output::recover(self.workspace(), self.store.sealer()) {
            Recovered::Nothing => {}
            Recovered::Reported(reported) => self.set_aside.push(reported),
            Recovered::Foreign(file) => {
                let aside = self.store.rename_aside(&file);
                let place = aside.unwrap_or_else(|| self.workspace_context().display(&file));
                add_new(&mut self.set_aside, &[foreign_record(place)]);
            }
            Recovered::Unreadable(error) => return Err(error),
        }
        Ok(())
    }

    pub(super) fn hold(&self) -> Result<Lock, Error> {
        self.store.lock().map_err(|error| {
            let message = format!("the state of this workspace could not be stored: {error}");
            Error::new(Code::NotStored, message, advice(&error))
        })
    }
}

/// The warning about the record of a write that this user's refdesk did not make in this folder. It names no files,
/// because such a record may contain anything.
fn foreign_record(place: String) -> Diagnostic {
    let message = "this record of an interrupted write was made in another folder or on another machine, so the write \
                   cannot be finished";
    let hint = "if you moved or copied the folder, check the files that were being written, and write them again; \
                otherwise the record came with the repository";
    Diagnostic::warning(Code::WriteInterrupted, message).in_file(place).fix(hint)
}
