//! The workspace's search index: maintains it, and queries it for what a text is about (SEARCH).

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use super::search::{CurrentTexts, belongs_to};
use super::{Desk, IndexProcess, Session};
use crate::session::advice;
use refdesk_core::catalog::Source;
use refdesk_core::config::HintSettings;
use refdesk_enrich::{EnrichRequest, TextKind};
use refdesk_files::reserved::STATE_FOLDER;
use refdesk_files::{FileMode, Folder, Lock};
use refdesk_index::{
    CutText, DatabasePages, EarlierText, Embedder, FoundDocument, Index, IndexProgress, IndexStatus, Job, Location,
    Report, SECTIONS_OF_A_TEXT, ScoredSource, TextTopics, TopicQuery,
};
use refdesk_text::escape::one_line;
use refdesk_text::names::first_and_count;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error, tokens};

/// Held by the process that watches the workspace for its index.
const WATCH_LOCK: &str = "index-watch.lock";

/// The most files listed; the rest are counted.
const NAMED_FILES: usize = 5;

/// A sentence that only the first sections of these files are indexed; `None` without files. Untrusted paths are
/// escaped.
pub fn first_sections_only(files: &[String]) -> Option<String> {
    let named = first_and_count(files.iter().map(|file| one_line(file)), NAMED_FILES);
    let (files, most) = (tokens::counted(files.len(), "file"), tokens::grouped(SECTIONS_OF_A_TEXT));
    (!named.is_empty()).then(|| format!("Only the first {most} sections of {files} are indexed: {named}."))
}

/// How to build the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Indexing {
    /// Discard the existing index first.
    pub fresh: bool,
    /// Skip computing vectors.
    pub words_only: bool,
    /// It runs unasked, so an index of an older version that others share stays.
    pub background: bool,
}

impl Desk {
    /// Updates the index from the catalog; `None` if another process is doing so. Stops when `progress` returns false.
    /// Keeps indexed sources that are missing only because part of the catalog cannot be read, or because of a profile.
    ///
    /// # Errors
    /// The index cannot be written, the model cannot be run, or a fresh index is requested while part of the catalog
    /// cannot be read.
    pub fn update_index(
        &self,
        how: Indexing,
        progress: &mut dyn FnMut(IndexProgress) -> bool,
    ) -> Result<Option<Report>, Error> {
        if how.fresh {
            self.check_whole("the index is not rebuilt while a part of the catalog cannot be read")?;
        }
        let is_narrowed = self.is_narrowed();
        if how.fresh && is_narrowed {
            let message = "the index is not rebuilt with a profile that leaves sources out";
            return Err(Error::new(Code::Usage, message, "run it without the profile"));
        }
        let is_whole = !is_narrowed && self.hiding_problem().is_none();
        // A file outside may no longer be trusted.
        let workspace = fs::canonicalize(self.workspace()).unwrap_or_else(|_| self.workspace().to_path_buf());
        let may_stay = |path: &Path| !is_whole && (path.is_relative() || path.starts_with(&workspace));
        #[cfg(feature = "meaning")]
        let model = refdesk_index::LazyModel::default();
        #[cfg(feature = "meaning")]
        let embedder = (!how.words_only).then_some(&model as &dyn Embedder);
        #[cfg(not(feature = "meaning"))]
        let embedder = None;
        let now: SystemTime = (self.options.clock)();
        let pages = self.documented_pages();
        let (catalog, pages, fresh) = (&*self.catalog, Some(&*pages as &dyn DatabasePages), how.fresh);
        let may_affect_others = !how.background;
        let job = Job { catalog, may_stay: &may_stay, pages, embedder, fresh, may_affect_others, now, progress };
        let report = refdesk_index::update(&self.index_location()?, job)?;
        // Make git ignore the state folder, as it did before.
        let _ = self.store.ignore_in_git();
        Ok(report)
    }

    /// Holds the lock of the process that watches the workspace for its index.
    ///
    /// # Errors
    /// Another process has it, or the state folder cannot be written.
    pub fn lock_index_watch(&self) -> Result<Lock, Error> {
        let root = Folder::root(self.workspace());
        let folder = root.and_then(|root| root.make(Path::new(STATE_FOLDER), FileMode::Private));
        folder.and_then(|folder| folder.lock(WATCH_LOCK, Duration::ZERO)).map_err(|error| match error.kind() {
            io::ErrorKind::TimedOut => {
                let message = "another process already updates the search index whenever this workspace changes";
                Error::new(Code::IndexBusy, message, "end it before you start another one")
            }
            _ => Error::new(Code::IndexUnwritable, format!("the index cannot be watched: {error}"), advice(&error)),
        })
    }

    /// The process that updates the index in the background. `None` without sources or a workspace, or if the
    /// configuration forbids it and it was not requested explicitly.
    pub fn index_process(&self) -> Option<&IndexProcess> {
        let can_be = !self.catalog.sources().is_empty() && self.workspace_context().is_workspace();
        let is_wanted = |process: &&IndexProcess| process.is_explicit || self.settings().background_index;
        self.options.index_process.as_ref().filter(|_| can_be).filter(is_wanted)
    }

    /// Opens the index for reading; `None` if there is none.
    ///
    /// # Errors
    /// As for [`Index::open`].
    pub fn index(&self) -> Result<Option<Index>, Error> {
        Index::open(&self.index_location()?, self.index_cache.clone())
    }

    /// The model for texts of people and agents: lent by another process, or loaded on first use.
    pub(super) fn lazy_embedder(&self) -> Option<&dyn Embedder> {
        #[cfg(feature = "meaning")]
        {
            Some(&self.model)
        }
        #[cfg(not(feature = "meaning"))]
        None
    }

    /// The status of the index; `None` if there is none.
    ///
    /// # Errors
    /// As for [`Index::open`].
    pub fn index_status(&self) -> Result<Option<IndexStatus>, Error> {
        let Some(index) = self.index()? else { return Ok(None) };
        index.status(self.model_name().unwrap_or_default(), &self.indexable_ids()).map(Some)
    }

    /// The displayed paths of files of which only the first sections are indexed, for sources that `is_wanted` accepts.
    ///
    /// # Errors
    /// As for [`Index::open`].
    pub fn cut_files(&self, is_wanted: impl Fn(&Source) -> bool) -> Result<Vec<String>, Error> {
        let Some(index) = self.index()? else { return Ok(Vec::new()) };
        let file = |text: CutText| {
            let source = self.catalog.get(&text.source).filter(|source| is_wanted(source))?;
            Some(match source.place() {
                Some(place) if text.path.is_empty() => self.workspace_context().display(&place.path),
                Some(place) => self.workspace_context().display(&place.path.join(text.path)),
                None => format!("@{}", source.id),
            })
        };
        Ok(index.cut_texts()?.into_iter().filter_map(file).collect())
    }

    /// A note if the index is in the workspace's file only because the configured database is not trusted yet, or cannot be.
    pub fn index_waits_for_trust(&self) -> Option<&'static str> {
        let waits = self.settings().index_url.is_some() && !self.trusts_index_url();
        waits.then(|| match self.refuses_index_url() {
            true => "The database configured for the index cannot be used; the file in the workspace is used instead.",
            false => {
                "The database configured for the index waits for trust; the file in the workspace is used meanwhile."
            }
        })
    }

    /// The number of sources not indexed because they are not trusted yet.
    pub fn untrusted_source_count(&self) -> usize {
        let waits = self.waiting_for_trust();
        self.catalog.sources().iter().filter(|source| waits(source)).count()
    }

    /// The number of catalog sources missing from the index; 0 if there is no readable index.
    pub fn unindexed(&self) -> usize {
        self.index_status().ok().flatten().map_or(0, |status| status.unread)
    }

    /// The number of files that changed since they were indexed, according to a quick check.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn changed_files(&self, index: &Index) -> Result<usize, Error> {
        let now: SystemTime = (self.options.clock)();
        index.changed_files(&self.catalog, Some(&*self.documented_pages()), now)
    }

    /// The ids of the sources that an index can contain: no update reads those that wait for trust.
    pub(super) fn indexable_ids(&self) -> Vec<&str> {
        let waits = self.waiting_for_trust();
        self.catalog.sources().iter().filter(|source| !waits(source)).map(|source| source.id.as_str()).collect()
    }

    /// The name of the model; `None` if this program has none.
    pub fn model_name(&self) -> Option<&str> {
        self.lazy_embedder().map(Embedder::model)
    }

    /// Whether the configuration enables hints by meaning.
    pub fn wants_meaning(&self) -> bool {
        self.settings().hints.semantic
    }

    /// What a text is about according to the index, including the section of `placed` even if it is not among the best;
    /// `None` if there is no index. A failure here only costs hints by meaning.
    pub(super) fn about(
        &self,
        asked: &EnrichRequest,
        earlier: &[EarlierText],
        placed: Option<&str>,
    ) -> (Option<TextTopics>, Option<Diagnostic>) {
        self.about_with(self.settings().hints, asked, earlier, placed, 0)
    }

    /// Like [`Self::about`], with these settings, and with this number of changed files for the report on the index.
    pub(super) fn about_with(
        &self,
        hints: HintSettings,
        asked: &EnrichRequest,
        earlier: &[EarlierText],
        placed: Option<&str>,
        changed: usize,
    ) -> (Option<TextTopics>, Option<Diagnostic>) {
        let is_wanted = asked.kind != TextKind::SystemInstructions && !asked.is_own_list() && !self.hides_select_tool();
        if !is_wanted {
            return (None, None);
        }
        let outside: Vec<&str> =
            refdesk_enrich::outside(asked.text).into_iter().filter_map(|part| asked.text.get(part)).collect();
        let ask = || {
            let Some(index) = self.index()? else { return Ok::<_, Error>(None) };
            let embedder = self.lazy_embedder().filter(|_| hints.semantic);
            let text = outside.concat();
            let text = self.matcher.without_mentions(&text, &self.catalog);
            let pages = self.documented_pages();
            let texts = CurrentTexts::new(&self.catalog, &pages);
            let sections_now = |found: &FoundDocument| texts.sections(found);
            let excluded = self.selection.excluded_files(&self.catalog);
            let tags = || {
                let found = self.matcher.find(&text, &self.catalog, &self.selection, false);
                found.hints.into_iter().flat_map(|hint| hint.firsts).collect()
            };
            let question = TopicQuery {
                text: &text,
                earlier,
                threshold: hints.threshold,
                is_tool_result: asked.kind == TextKind::ToolResult,
                tags: Some(&tags),
                excluded: Some(&excluded),
                pages: Some(&*pages),
                sections_now: Some(&sections_now),
                changed,
            };
            let mut about = index.about(&question, embedder)?;
            placed.map_or(Ok(()), |source| index.place(&mut about, source, &question))?;
            about.read = self.just_read(asked, &about.scored);
            for scored in &mut about.scored {
                let source = self.catalog.get(&scored.source);
                scored.section.take_if(|section| source.is_none_or(|source| !belongs_to(source, &section.path)));
            }
            Ok(Some(about))
        };
        match ask() {
            Ok(about) => (about, None),
            Err(error) => (None, Some(Diagnostic::warning(error.code, error.message).fix(error.fix))),
        }
    }

    /// The ids of sources whose best section is in a file the tool has read.
    fn just_read(&self, asked: &EnrichRequest, scored: &[ScoredSource]) -> Vec<String> {
        let tool = asked.tool.filter(|_| asked.kind == TextKind::ToolResult);
        let files: HashSet<PathBuf> = tool.map(|tool| self.files_of(&tool)).into_iter().flatten().collect();
        let is_in_one =
            |it: &&ScoredSource| it.section.as_ref().is_some_and(|section| files.contains(Path::new(&section.path)));
        scored.iter().filter(is_in_one).map(|it| it.source.clone()).collect()
    }

    /// The session's earlier prompts that still count.
    pub(super) fn earlier_prompts(&self, session: &Session, asked: &EnrichRequest) -> Vec<EarlierText> {
        let is_wanted = self.settings().hints.conversation && asked.kind == TextKind::Prompt && !asked.repeat;
        if is_wanted { self.store.session_memory(session).0.prompts } else { Vec::new() }
    }

    /// Where the index is: in the configured database if trusted, else in the workspace.
    fn index_location(&self) -> Result<Location, Error> {
        let file = self.index_file();
        match &self.settings().index_url {
            Some(url) if self.trusts_index_url() => file.on_server(url.with_password()),
            _ => Ok(file),
        }
    }

    /// Whether there is an index that this version cannot use. Call it when [`Self::index`] finds none.
    pub fn has_older_index(&self) -> bool {
        self.index_location().and_then(|location| location.is_present()).unwrap_or(false)
    }

    /// Where the workspace's indexes may be: in its file, and in the configured database if trusted.
    pub(super) fn index_locations(&self) -> Vec<Location> {
        let in_database = self.settings().index_url.as_ref().filter(|_| self.trusts_index_url());
        let in_database = in_database.and_then(|url| self.index_file().on_server(url.with_password()).ok());
        std::iter::once(self.index_file()).chain(in_database).collect()
    }

    pub(super) fn index_file(&self) -> Location {
        Location::new(self.workspace(), self.store.sealer().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_partly_indexed_files_are_named() {
        for (count, expected) in [
            (0, None),
            (1, Some("of 1 file are indexed: 0.md.")),
            (2, Some("of 2 files are indexed: 0.md, 1.md.")),
            (7, Some("of 7 files are indexed: 0.md, 1.md, 2.md, 3.md, 4.md, +2 more.")),
        ] {
            let files: Vec<String> = (0..count).map(|nth| format!("{nth}.md")).collect();
            let expected = expected.map(|rest| format!("Only the first 2,000 sections {rest}"));
            assert_eq!(first_sections_only(&files), expected);
        }
    }
}
