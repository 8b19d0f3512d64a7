//! What was found in each file when it was last read, as long as the file stays: a running desk builds the index after every
//! pick, and reads only what is new to it. The pieces are kept here, never the index.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::embedded::Extracted;
use super::{Analysis, Syntax};
use refdesk_files::{Stamp, stamp};

/// What is known of a template's file: its analysis, or why it has none, and the language it was told to be in.
pub(super) type Analysed = (Option<Syntax>, Arc<Result<Analysis, String>>);

/// What was found in files.
#[derive(Debug, Default)]
pub struct Cache {
    clock: Option<fn() -> SystemTime>,
    kept: Mutex<CachedFiles>,
}

/// Everything in the cache. Building an index takes it, and puts back what the index was built from.
#[derive(Debug, Default)]
pub(super) struct CachedFiles {
    pub templates: StampedFiles<Analysed>,
    pub documents: StampedFiles<Arc<Extracted>>,
    /// By content: the texts of inline sources.
    pub contents: HashMap<Arc<str>, Arc<Extracted>>,
    /// Whether files were looked at since something may have changed: until then their stamps say whether they did.
    looked: bool,
}

impl Cache {
    /// A cache for a running desk. One made by default keeps nothing: a command builds one index.
    pub fn remembering(clock: fn() -> SystemTime) -> Self {
        Self { clock: Some(clock), kept: Mutex::default() }
    }

    /// Something on disk may have changed.
    pub fn look_anew(&mut self) {
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner).looked = false;
    }

    pub(super) fn take(&self) -> CachedFiles {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put(&self, kept: CachedFiles) {
        if self.clock.is_some() {
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = CachedFiles { looked: true, ..kept };
        }
    }

    /// When files are read now, if what is read is kept.
    pub(super) fn now(&self) -> Option<SystemTime> {
        self.clock.map(|clock| clock())
    }
}

impl CachedFiles {
    /// The same, taken for what the files hold without another look at them.
    pub fn trusted(self) -> Self {
        Self { looked: true, ..self }
    }

    /// What is known of this template's file, if that is as it was.
    pub fn template(&self, path: &Path) -> Option<(Stamp, Analysed)> {
        self.templates.recall(path, self.looked)
    }

    /// What is known of this document, if it is as it was.
    pub fn document(&self, path: &Path) -> Option<(Stamp, Arc<Extracted>)> {
        self.documents.recall(path, self.looked)
    }
}

/// Something of each file, with the stamp that the file had.
#[derive(Debug)]
pub(super) struct StampedFiles<T> {
    known: HashMap<Arc<Path>, (Stamp, T)>,
}

impl<T> Default for StampedFiles<T> {
    fn default() -> Self {
        Self { known: HashMap::new() }
    }
}

impl<T: Clone> StampedFiles<T> {
    /// What is known of a file, if it is as it was; the file system is not asked where nothing is known, nor where it was
    /// asked already.
    fn recall(&self, path: &Path, looked: bool) -> Option<(Stamp, T)> {
        let (then, known) = self.known.get(path)?;
        (looked || stamp(path).ok()? == *then).then(|| (*then, known.clone()))
    }

    /// Keeps what was read `now`, unless the file was written so lately that it might be written again and look the same.
    pub fn keep(&mut self, path: &Arc<Path>, then: Stamp, known: T, now: Option<SystemTime>) {
        if now.is_some_and(|now| then.has_settled(now)) {
            self.known.insert(path.clone(), (then, known));
        }
    }
}
