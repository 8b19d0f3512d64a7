//! The documents and vectors that a question loaded, kept for the next one: a server is asked again and again about an index that
//! seldom changes, and loading them takes longer than comparing them.

use std::sync::{Arc, Mutex, PoisonError};

use crate::about::Corpus;
use crate::storage::{Storage, VERSION};
use refdesk_text::Error;

/// More is loaded for each question and not kept, in bytes: about 150,000 documents with vectors.
const MAX: usize = 64 * 1024 * 1024;

/// What the last question loaded. One value belongs to a desk, whatever index it has.
#[derive(Default)]
pub struct CorpusCache(Mutex<Option<CachedCorpus>>);

struct CachedCorpus {
    model: String,
    version: String,
    corpus: Arc<Corpus>,
}

impl CorpusCache {
    /// The documents of all sources with their vectors of this model.
    pub(crate) fn corpus(&self, storage: &dyn Storage, model: &str) -> Result<Arc<Corpus>, Error> {
        // Read before the documents: what a writer commits in between makes the next question load them again.
        let version = storage.metadata(VERSION)?;
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = slot.as_ref()
            && kept.model == model
            && Some(&kept.version) == version.as_ref()
        {
            return Ok(kept.corpus.clone());
        }
        // Both need not be in memory at once.
        *slot = None;
        let corpus = Arc::new(Corpus::load(storage, model)?);
        let version = version.filter(|_| corpus.size() <= MAX);
        *slot = version.map(|version| CachedCorpus { model: model.to_owned(), version, corpus: corpus.clone() });
        Ok(corpus)
    }
}
