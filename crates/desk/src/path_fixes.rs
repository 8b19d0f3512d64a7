//! Fixes a catalog committed with another machine's paths: rewrites each path that resolves only by the rule for moved
//! catalogs, and keeps the rest of its file byte for byte (BEHAVIOUR §2, `check --fix`).

use std::collections::BTreeMap;
use std::path::Path;

use super::catalog_change::PathEdit;
use super::file_writes::OutsideWriteApproval;
use super::{Desk, Session};
use refdesk_core::catalog::{PathState, Source};
use refdesk_core::config::expand;
use refdesk_files::output;
use refdesk_files::path::{Resolver, is_absolute_anywhere};
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

/// A path that was rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedPath {
    /// The id of its source.
    pub id: String,
    /// The file, as displayed.
    pub file: String,
    /// The old path.
    pub before: String,
    /// The new path.
    pub after: String,
}

impl Desk {
    /// Rewrites every moved path and reloads; also returns what could not be rewritten. If a file is outside the
    /// workspace, by its path or by a link, `leave` must allow the write.
    pub fn fix_paths(
        &mut self,
        session: &Session,
        leave: OutsideWriteApproval<'_>,
    ) -> (Vec<FixedPath>, Vec<Diagnostic>) {
        let mut by_file: BTreeMap<&Path, Vec<&Source>> = BTreeMap::new();
        let resolver = Resolver::default();
        for source in self.catalog.sources().iter().filter(|source| self.is_moved(source, &resolver)) {
            by_file.entry(&source.origin.file).or_default().push(source);
        }
        let mut fixed = Vec::new();
        let mut problems = Vec::new();
        for (file, sources) in by_file {
            match self.fix_file(file, &sources, leave) {
                Ok((done, text)) => {
                    self.note_file(
                        session,
                        &self.workspace_context().display(file),
                        &text,
                        "paths of another machine were rewritten",
                    );
                    fixed.extend(done);
                }
                Err(Error { code, message, fix, .. }) => problems.push(
                    Diagnostic::error(code, format!("the paths could not be rewritten: {message}"))
                        .in_file(self.workspace_context().display(file))
                        .fix(fix),
                ),
            }
        }
        if !fixed.is_empty() {
            self.reload();
        }
        (fixed, problems)
    }

    fn is_moved(&self, source: &Source, resolver: &Resolver) -> bool {
        let Some(place) = source.place().filter(|place| place.state != PathState::Missing) else { return false };
        if self.profile_file() == Some(&*source.origin.file) {
            return false;
        }
        let expanded = expand(self.workspace_context(), &place.written);
        let first = || self.other_candidates(source, resolver).into_iter().next();
        is_absolute_anywhere(&expanded) && first().is_some_and(|first| *first != *place.path)
    }

    /// The rewritten paths of a file, and its new text.
    fn fix_file(
        &self,
        file: &Path,
        sources: &[&Source],
        leave: OutsideWriteApproval<'_>,
    ) -> Result<(Vec<FixedPath>, String), Error> {
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut edits = Vec::new();
        let mut fixed = Vec::new();
        for source in sources {
            let Some(place) = source.place() else { continue };
            edits.push(PathEdit { source, after: place.path.to_path_buf() });
            fixed.push(FixedPath {
                id: source.id.to_string(),
                file: self.workspace_context().display(file),
                before: place.written.to_string(),
                after: self.portable(folder, &place.path),
            });
        }
        let text = self.with_paths(file, &edits)?;
        let proposal = self.propose_configuration(file, &text, leave)?;
        let written = output::write(self.workspace(), self.sealer(), std::slice::from_ref(&proposal));
        written.map_err(|unwritten| unwritten.refused)?;
        Ok((fixed, text))
    }
}
