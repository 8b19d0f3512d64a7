//! Reads documents: their mentions complete the selection, and their sizes determine its cost.

use std::ops::Deref;
use std::sync::Arc;

use super::Desk;
use refdesk_core::catalog::{Source, SourceId};
use refdesk_core::mention::Library;
use refdesk_core::selection::{self, ExpansionRules};

/// A desk with a complete selection: every document it depends on has been read. Methods that require this are defined
/// on this type.
pub struct CompleteDesk<'a>(&'a Desk);

impl Deref for CompleteDesk<'_> {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        self.0
    }
}

impl Desk {
    /// Completes the selection, reading only documents not read before.
    pub fn settled(&mut self) -> CompleteDesk<'_> {
        self.settle();
        CompleteDesk(self)
    }

    /// Reads documents until the selection is complete.
    pub(super) fn settle(&mut self) {
        // Selecting may show that a document must be read again, because its trust has changed.
        loop {
            let mut wanted = self.wanted();
            if wanted.is_empty() {
                return;
            }
            while !wanted.is_empty() {
                self.load_documents(&wanted);
                wanted = selection::wanted(&self.choice, &self.catalog, &self.graph, self.rules());
            }
            self.select();
        }
    }

    /// The selected sources whose documents must be read to complete the selection.
    pub fn wanted(&self) -> Vec<SourceId> {
        selection::unscanned(&self.selection, &self.graph, self.rules())
    }

    /// Reads the documents of these sources and recomputes the selection.
    pub fn read(&mut self, ids: &[SourceId]) {
        self.load_documents(ids);
        self.select();
    }

    /// Reads the documents of these sources.
    pub(super) fn load_documents(&mut self, ids: &[SourceId]) {
        let catalog = self.catalog.clone();
        let sources: Vec<&Source> = ids.iter().filter_map(|id| catalog.get(id.as_str())).collect();
        let scanned = self.library().scan(&sources);
        let graph = Arc::make_mut(&mut self.graph);
        let tokens = Arc::make_mut(&mut self.tokens);
        for found in scanned {
            if let Some(count) = found.tokens {
                tokens.insert(found.id.clone(), count);
            }
            if !found.diagnostics.is_empty() {
                self.documents.insert(found.id.clone(), found.diagnostics);
            }
            graph.insert_like(found.id, found.mentions, &self.last.0);
        }
        if graph.len() != catalog.len() {
            return;
        }
        // Everything was read again: share what has not changed.
        let (graph, tokens) = std::mem::take(&mut self.last);
        if *graph == *self.graph {
            self.graph = graph;
        }
        if *tokens == *self.tokens {
            self.tokens = tokens;
        }
    }

    /// Reads every document of the catalog.
    pub fn read_all(&mut self) {
        let unread = self.unread();
        self.read(&unread);
    }

    /// The sources whose documents have not been read, in catalog order.
    pub fn unread(&self) -> Vec<SourceId> {
        let ids = self.catalog.sources().iter().map(|source| &source.id);
        ids.filter(|id| !self.graph.is_scanned(id.as_str())).cloned().collect()
    }

    pub(super) fn library(&self) -> &Library {
        self.library.get_or_init(|| {
            let (workspace, clock) = (self.workspace(), self.options.clock);
            let library = if self.options.is_long_running {
                Library::for_running_desk(workspace, &self.catalog, clock)
            } else {
                Library::for_one_command(workspace, &self.catalog, clock)
            };
            let library = library.within(self.walks.sharing_time());
            // The cache is for the workspace's ids; under a profile with fewer ids it would be overwritten.
            if self.is_narrowed() {
                library
            } else {
                library.with_cache_file(self.store.mentions_file(), self.store.sealer().clone())
            }
        })
    }

    /// Stores mentions in the cache, so that other processes need not read the documents. Commands that promise to
    /// write nothing must not call this.
    ///
    /// # Errors
    /// The file system's error, which can be ignored: the next process only takes longer.
    pub fn cache_mentions(&mut self) -> std::io::Result<()> {
        if self.options.is_trial {
            return Ok(());
        }
        // A folder without a catalog is not a workspace: create nothing in it.
        let begins = |source: &Source| source.origin.file.starts_with(&self.options.context.workspace);
        if !self.store.has_state() && !self.catalog.sources().iter().any(begins) {
            return Ok(());
        }
        let Some(library) = self.library.get_mut() else { return Ok(()) };
        let kept = if self.options.is_long_running { library.keep_all() } else { library.keep() };
        if kept? { self.store.ignore_in_git() } else { Ok(()) }
    }

    pub(super) fn rules(&self) -> ExpansionRules {
        let settings = &self.config.settings;
        ExpansionRules { transitive: settings.transitive_injection, from_auto: settings.transitive_from_auto }
    }
}
