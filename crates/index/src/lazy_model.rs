//! The model for callers that may not need it: borrowed from another process, or loaded for the first text.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::embedder::Embedder;
use crate::minilm::{DIMENSIONS, MiniLm, NAME};
use crate::model_server::ModelClient;
use crate::vector::Vector;
use refdesk_text::Error;

/// The model, borrowed from a process that lends it ([`crate::ModelServer`]) or loaded for the first text.
#[derive(Default)]
pub struct LazyModel {
    borrowed: Mutex<ModelClient>,
}

impl LazyModel {
    /// Borrows the model from processes that serve it in this user state folder before loading it.
    #[must_use]
    pub fn with_server_below(state: &Path) -> Self {
        Self { borrowed: Mutex::new(ModelClient::below(state)) }
    }

    /// A lender's answer; without a lender, that of the loaded model.
    fn ask<T>(
        &self,
        lender: impl FnOnce(&mut ModelClient) -> Option<T>,
        loaded: impl FnOnce(&MiniLm) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let lent = lender(&mut self.borrowed.lock().unwrap_or_else(PoisonError::into_inner));
        lent.map_or_else(|| loaded(MiniLm::shared()?), Ok)
    }
}

impl Embedder for LazyModel {
    fn model(&self) -> &str {
        NAME
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, text: &str) -> Result<Vector, Error> {
        self.ask(|lender| lender.embed(&[text])?.pop(), |model| model.embed(text))
    }

    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vector>, Error> {
        self.ask(|lender| lender.embed(texts), |model| model.embed_all(texts))
    }

    fn knows(&self, word: &str) -> Result<bool, Error> {
        self.ask(|lender| lender.knows(word), |model| model.knows(word))
    }

    fn background(&self, texts: &[String]) -> Result<Vec<Vector>, Error> {
        MiniLm::shared()?.background(texts)
    }
}
