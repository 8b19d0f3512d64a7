//! What was found in each file when it was last read, as long as the file stays: a running desk builds the index after every
//! pick, and reads only what is new to it. The pieces are kept here, never the index.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use super::embedded::Extracted;
use super::{Analysis, Syntax};
use crate::disk::{Stamp, stamp};

/// What is known of a template's file: its analysis, or why it has none, and the language it was told to be in.
pub(super) type Analysed = (Option<Syntax>, Arc<Result<Analysis, String>>);

/// What was found in files.
#[derive(Debug, Default)]
pub struct Cache {
    clock: Option<fn() -> SystemTime>,
    kept: Mutex<Kept>,
}

/// All that is kept; whoever builds an index takes it, and puts back what the index was built of.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub templates: Files<Analysed>,
    pub documents: Files<Arc<Extracted>>,
    /// By content: the texts of inline sources.
    pub contents: HashMap<Arc<str>, Arc<Extracted>>,
}

impl Cache {
    /// A cache for a running desk. One made by default keeps nothing: a command builds one index.
    pub fn remembering(clock: fn() -> SystemTime) -> Self {
        Self { clock: Some(clock), kept: Mutex::default() }
    }

    pub(super) fn take(&self) -> Kept {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put(&self, kept: Kept) {
        if self.clock.is_some() {
            *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        }
    }

    /// When files are read now, if what is read is kept.
    pub(super) fn now(&self) -> Option<SystemTime> {
        self.clock.map(|clock| clock())
    }
}

/// Something of each file, with the stamp that the file had.
#[derive(Debug)]
pub(super) struct Files<T> {
    known: HashMap<Arc<Path>, (Stamp, T)>,
}

impl<T> Default for Files<T> {
    fn default() -> Self {
        Self { known: HashMap::new() }
    }
}

impl<T: Clone> Files<T> {
    /// What is known of this file, if it is as it was; without asking the file system where nothing is known.
    pub fn recall(&self, path: &Path) -> Option<(Stamp, T)> {
        let (then, known) = self.known.get(path)?;
        (stamp(path).ok()? == *then).then(|| (*then, known.clone()))
    }

    /// Keeps what was read `now`, unless the file was written so lately that it might be written again and look the same.
    pub fn keep(&mut self, path: &Arc<Path>, then: Stamp, known: T, now: Option<SystemTime>) {
        if now.is_some_and(|now| then.has_settled(now)) {
            self.known.insert(path.clone(), (then, known));
        }
    }
}
