//! Caches analyses of files until the file changes: a running desk rebuilds the index after every pick, and reads only
//! new or changed files. The cache contains the analyses, never the index.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::embedded::Extracted;
use super::{Analysis, ReadError, Syntax};
use refdesk_files::{Stamp, stamp};

/// The cached analysis of a template file, or why it has none, and the syntax override that applied.
pub(super) type Analysed = (Option<Syntax>, Arc<Result<Analysis, ReadError>>);

/// Analyses by file.
#[derive(Debug, Default)]
pub struct Cache {
    clock: Option<fn() -> SystemTime>,
    kept: Mutex<CachedFiles>,
}

/// The whole cache. Building an index takes it and returns the entries that the index used.
#[derive(Debug, Default)]
pub(super) struct CachedFiles {
    pub templates: StampedFiles<Analysed>,
    pub documents: StampedFiles<Arc<Extracted>>,
    /// By content, for the texts of inline sources.
    pub contents: HashMap<Arc<str>, Arc<Extracted>>,
    /// Whether files were checked since the last possible change. If not, compare their stamps.
    is_checked: bool,
}

impl Cache {
    /// A cache for a running desk. The default cache keeps nothing, because a command builds only one index.
    pub fn remembering(clock: fn() -> SystemTime) -> Self {
        Self { clock: Some(clock), kept: Mutex::default() }
    }

    /// Examines files again on the next read, because something on disk may have changed.
    pub fn invalidate(&mut self) {
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).is_checked = false;
    }

    pub(super) fn take(&self) -> CachedFiles {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put(&self, kept: CachedFiles) {
        if self.clock.is_some() {
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = CachedFiles { is_checked: true, ..kept };
        }
    }

    /// The current time, if reads are cached.
    pub(super) fn now(&self) -> Option<SystemTime> {
        self.clock.map(|clock| clock())
    }
}

impl CachedFiles {
    /// The same entries, to be used without checking the files again.
    pub(crate) fn trusted(self) -> Self {
        Self { is_checked: true, ..self }
    }

    /// The cached analysis of this template file, if the file has not changed.
    pub(crate) fn template(&self, path: &Path) -> Option<(Stamp, Analysed)> {
        self.recall(&self.templates, path)
    }

    /// The cached analysis of this document, if the file has not changed.
    pub(crate) fn document(&self, path: &Path) -> Option<(Stamp, Arc<Extracted>)> {
        self.recall(&self.documents, path)
    }

    /// The value of a file, if the file has not changed. Does not access the file system if there is no entry or if
    /// `is_checked` is set.
    fn recall<T: Clone>(&self, files: &StampedFiles<T>, path: &Path) -> Option<(Stamp, T)> {
        let (then, known) = files.get(path)?;
        (self.is_checked || stamp(path).ok()? == *then).then(|| (*then, known.clone()))
    }
}

/// A value per file, with the stamp of the file.
pub(super) type StampedFiles<T> = HashMap<Arc<Path>, (Stamp, T)>;

/// Stores what was read at `now`, unless the file was written so recently that another write could leave the same
/// stamp.
pub(super) fn keep<T>(files: &mut StampedFiles<T>, path: &Arc<Path>, then: Stamp, value: T, now: Option<SystemTime>) {
    if now.is_some_and(|now| then.has_settled(now)) {
        files.insert(path.clone(), (then, value));
    }
}
