//! Keeps what a question loaded from the index for the next one: a server is asked repeatedly about an index that seldom
//! changes, and loading takes longer than comparing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::about::Corpus;
use crate::storage::{Storage, TEXTS_VERSION, TextKey, TextState, VERSION};
use refdesk_text::Error;

/// Size limit in bytes, about 150,000 documents with vectors. A larger corpus is loaded for each question.
const MAX: usize = 64 * 1024 * 1024;

/// The most texts kept; each takes about 400 bytes.
const MAX_TEXTS: usize = 50_000;

/// What the last question loaded. A desk has one cache, even if its index changes.
#[derive(Default)]
pub struct IndexCache {
    corpus: Slot<Corpus>,
    texts: Slot<TextsBySource>,
}

/// The indexed texts of each source, by the id of the source.
pub(crate) type TextsBySource = HashMap<String, HashMap<TextKey, TextState>>;

impl IndexCache {
    /// The documents of all sources with their vectors from this model.
    pub(crate) fn corpus(&self, storage: &dyn Storage, model: &str) -> Result<Arc<Corpus>, Error> {
        let version = storage.metadata(VERSION)?.map(|version| format!("{version} {model}"));
        self.corpus.get(version, || Corpus::load(storage, model), |corpus| corpus.size() <= MAX)
    }

    /// The texts of all sources.
    pub(crate) fn texts(&self, storage: &dyn Storage) -> Result<Arc<TextsBySource>, Error> {
        let load = || {
            let mut texts = TextsBySource::new();
            for (key, state) in storage.texts()? {
                texts.entry(key.source.clone()).or_default().insert(key, state);
            }
            Ok(texts)
        };
        let is_small = |texts: &TextsBySource| texts.values().map(HashMap::len).sum::<usize>() <= MAX_TEXTS;
        self.texts.get(storage.metadata(TEXTS_VERSION)?, load, is_small)
    }
}

/// A value loaded from the index, and the version of the index that it was loaded from.
struct Slot<T>(Mutex<Option<(String, Arc<T>)>>);

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Slot<T> {
    /// The value of this version, loaded if another one or none is kept. Read the version before the value: if a writer
    /// commits in between, the next question loads it again. Without a version, nothing is kept.
    fn get(
        &self,
        version: Option<String>,
        load: impl FnOnce() -> Result<T, Error>,
        is_small: impl Fn(&T) -> bool,
    ) -> Result<Arc<T>, Error> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((kept, value)) = &*slot
            && Some(kept) == version.as_ref()
        {
            return Ok(value.clone());
        }
        // Drop the old value first, so that two are never in memory at once.
        *slot = None;
        let value = Arc::new(load()?);
        *slot = version.filter(|_| is_small(&value)).map(|version| (version, value.clone()));
        Ok(value)
    }
}
