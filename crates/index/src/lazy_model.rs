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

    /// A lender's answer; `None` without a lender.
    fn ask<T>(&self, question: impl FnOnce(&mut ModelClient) -> Option<T>) -> Option<T> {
        question(&mut self.borrowed.lock().unwrap_or_else(PoisonError::into_inner))
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
        if let Some(vector) = self.ask(|model| model.embed(&[text])).and_then(|mut vectors| vectors.pop()) {
            return Ok(vector);
        }
        MiniLm::shared()?.embed(text)
    }

    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vector>, Error> {
        if let Some(vectors) = self.ask(|model| model.embed(texts)) {
            return Ok(vectors);
        }
        MiniLm::shared()?.embed_all(texts)
    }

    fn knows(&self, word: &str) -> Result<bool, Error> {
        if let Some(is_known) = self.ask(|model| model.knows(word)) {
            return Ok(is_known);
        }
        MiniLm::shared()?.knows(word)
    }

    fn background(&self, texts: &[String]) -> Result<Vec<Vector>, Error> {
        MiniLm::shared()?.background(texts)
    }
}
