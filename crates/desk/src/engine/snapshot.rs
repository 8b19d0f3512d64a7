//! The state of the desk at one moment, for clients that show it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::requests::Waiting;
use crate::{PrivilegedAction, Spot};
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::mention::MentionGraph;
use refdesk_core::selection::Selection;
use refdesk_templates::TemplateIndex;
use refdesk_text::report::Diagnostic;

/// Everything a screen draws from, at one moment. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Grows with every snapshot.
    pub generation: u64,
    /// The workspace folder, for people.
    pub workspace: Arc<str>,
    /// The desk's name; `default` unless another was asked for.
    pub desk: Arc<str>,
    /// The sources.
    pub catalog: Arc<Catalog>,
    /// What the documents read so far mention.
    pub graph: Arc<MentionGraph>,
    /// What is chosen.
    pub selection: Arc<Selection>,
    /// What the selection brings.
    pub templates: Arc<TemplateIndex>,
    /// Estimated tokens of each source whose size is known.
    pub tokens: Arc<HashMap<SourceId, u64>>,
    /// What is wrong, errors first.
    pub diagnostics: Arc<[Diagnostic]>,
    /// Documents still being read; `None` when all are.
    pub loading: Option<Loading>,
    /// What undo would take back, in words.
    pub undo: Option<Arc<str>>,
    /// What redo would do again, in words.
    pub redo: Option<Arc<str>>,
    /// Names of tools that are not offered.
    pub exclude_tools: Arc<[String]>,
    /// How changes on disk are noticed.
    pub watching: Watching,
    /// How often the workspace was read. A document may have changed since the last time, though its size did not.
    pub reads: u64,
    /// Requests that wait for a person, oldest first; always empty where no person would see them.
    pub requests: Arc<[Waiting]>,
    /// Settings that wait for this person's trust; always empty where no person could be asked.
    pub untrusted: Arc<[PrivilegedAction]>,
}

impl Snapshot {
    /// The file and line of this finding, if it has one.
    pub fn spot(&self, finding: &Diagnostic) -> Option<Spot> {
        // As printed: relative to the workspace inside it, absolute outside.
        let path = Path::new(&*self.workspace).join(finding.file.as_ref()?);
        Some(Spot { path, line: finding.line.unwrap_or(1) })
    }

    /// Whether anything but the generation is different.
    pub fn differs_from(&self, other: &Self) -> bool {
        fn same<T: PartialEq + ?Sized>(one: &Arc<T>, two: &Arc<T>) -> bool {
            Arc::ptr_eq(one, two) || one == two
        }
        !(self.workspace == other.workspace
            && self.desk == other.desk
            && self.loading == other.loading
            && self.undo == other.undo
            && self.redo == other.redo
            && self.watching == other.watching
            && self.reads == other.reads
            && same(&self.exclude_tools, &other.exclude_tools)
            && same(&self.catalog, &other.catalog)
            && same(&self.selection, &other.selection)
            && same(&self.templates, &other.templates)
            && same(&self.diagnostics, &other.diagnostics)
            && same(&self.requests, &other.requests)
            && same(&self.untrusted, &other.untrusted)
            && same(&self.tokens, &other.tokens)
            && same(&self.graph, &other.graph))
    }
}

/// How far the reading of documents is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loading {
    /// Sources read.
    pub done: usize,
    /// Sources to read.
    pub total: usize,
}

/// How changes on disk are noticed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Watching {
    /// The system reports them.
    #[default]
    Live,
    /// The system reports some of them, since there is too much to watch; why, for people.
    Partly(Arc<str>),
    /// Every two seconds refdesk looks for them; why, for people.
    Polling(Arc<str>),
    /// Not at all, until the workspace is read again on request; why, for people.
    Off(Arc<str>),
}
