//! Warnings that depend on the whole catalog: sources that nothing brings up. Also remembers which warnings were shown,
//! so that some are shown only once.

use std::collections::HashSet;

use super::Desk;
use refdesk_core::catalog::{Mode, Source, SourceId};
use refdesk_core::config::MemberPart;
use refdesk_core::config::screen_session::workspace_key;
use refdesk_files::name::sha256_hex;
use refdesk_files::{read_state_file, write_private};
use refdesk_text::Code;
use refdesk_text::fold::can_match;
use refdesk_text::report::listed::ListedProblems;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::report::{Diagnostic, Position};

impl Desk {
    /// A warning for each selectable source that only its id brings up: it has no tags, no other source mentions it,
    /// and there is no index to find it by its description. All documents must have been read.
    pub fn unfindable_sources(&self) -> Vec<Diagnostic> {
        if self.has_index() {
            return Vec::new();
        }
        let mut found = self.found_only_by_index();
        found.retain(|problem| self.is_not_selected(problem));
        found
    }

    /// Whether there is an index with which to find sources.
    pub fn has_index(&self) -> bool {
        self.index_file().path().exists() || self.settings().index_url.is_some()
    }

    /// Whether the source of this problem is not selected.
    pub(super) fn is_not_selected(&self, problem: &Diagnostic) -> bool {
        problem.source_id.as_deref().is_none_or(|id| !self.selection.contains(id))
    }

    /// The same warnings regardless of index and selection, so that they depend only on the catalog and the mentions.
    pub(super) fn found_only_by_index(&self) -> Vec<Diagnostic> {
        let ids = self.catalog.sources().iter().map(|source| source.id.as_str());
        let mentioned: HashSet<&SourceId> = ids.flat_map(|id| self.graph.targets(id)).collect();
        let is_hidden = |source: &&Source| {
            source.mode == Mode::Selectable
                && !source.tags.iter().any(|tag| can_match(tag))
                && !source.is_missing()
                && !mentioned.contains(&source.id)
                && !self.is_preselected(source.id.as_str())
        };
        let shown = |source: &Source| {
            let id = source.id.as_str();
            let message = match source.description.trim() {
                "" => format!("nothing brings up '{id}': it has no tags and no description, and nothing mentions it"),
                _ => format!(
                    "nothing brings up '{id}': it has no tags, there is no search index, and nothing mentions it"
                ),
            };
            let problem = Diagnostic::warning(Code::NeverFound, message).about(id);
            let problem = problem.fix("give it tags, or build the search index");
            let problem = problem.in_file(self.workspace_context().display(&source.origin.file));
            let document = self.config.document.as_ref().filter(|document| document.path == source.origin.file);
            match (document, source.origin.entry) {
                (Some(document), Some(at)) => {
                    let path = [PointerStep::Key("sources"), PointerStep::Item(at)];
                    problem.at(document.position(&path, MemberPart::Value))
                }
                // A file of its own is the entry. There can be thousands, so they are not read again for this.
                (_, None) => problem.at(Position { line: 1, column: 1 }),
                _ => problem,
            }
        };
        let mut listed = ListedProblems::default();
        listed.extend(self.catalog.sources().iter().filter(is_hidden).map(shown));
        listed.into_vec()
    }

    /// Whether exactly these problems were shown before; marks them as shown. `kind` is a file name in the user's state
    /// folder, so that an untouched workspace stays untouched.
    pub fn were_shown_before(&self, kind: &str, problems: &[&Diagnostic]) -> bool {
        let mut shown: Vec<String> = problems.iter().map(|it| format!("{:?} {:?}", it.file, it.message)).collect();
        shown.sort();
        let hash = sha256_hex(shown.join("\n").as_bytes());
        let Some(state) = &self.options.state else { return false };
        let file = state.join(format!("workspaces/{}.{kind}", workspace_key(self.workspace())));
        if read_state_file(&file, hash.len() as u64)
            .is_ok_and(|(bytes, is_longer)| !is_longer && bytes == hash.as_bytes())
        {
            return true;
        }
        if let Err(error) = write_private(&file, hash.as_bytes()) {
            tracing::info!("cannot record that {kind} were shown: {error}");
        }
        false
    }
}
