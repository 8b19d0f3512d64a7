//! Keeps the documents and vectors that a question loaded for the next one: a server is asked repeatedly about an index
//! that seldom changes, and loading takes longer than comparing.

use std::sync::{Arc, Mutex, PoisonError};

use crate::about::Corpus;
use crate::storage::{Storage, VERSION};
use refdesk_text::Error;

/// Size limit in bytes, about 150,000 documents with vectors. A larger corpus is loaded for each question.
const MAX: usize = 64 * 1024 * 1024;

/// The corpus loaded by the last question. A desk has one cache, even if its index changes.
#[derive(Default)]
pub struct CorpusCache(Mutex<Option<CachedCorpus>>);

struct CachedCorpus {
    model: String,
    version: String,
    corpus: Arc<Corpus>,
}

impl CorpusCache {
    /// The documents of all sources with their vectors from this model.
    pub(crate) fn corpus(&self, storage: &dyn Storage, model: &str) -> Result<Arc<Corpus>, Error> {
        // Read before the documents: if a writer commits in between, the next question loads them again.
        let version = storage.metadata(VERSION)?;
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = slot.as_ref()
            && kept.model == model
            && Some(&kept.version) == version.as_ref()
        {
            return Ok(kept.corpus.clone());
        }
        // Drop the old corpus first, so that two are never in memory at once.
        *slot = None;
        let corpus = Arc::new(Corpus::load(storage, model)?);
        let version = version.filter(|_| corpus.size() <= MAX);
        *slot = version.map(|version| CachedCorpus { model: model.to_owned(), version, corpus: corpus.clone() });
        Ok(corpus)
    }
}
