//! Turns a text into a vector that represents its meaning (SEARCH S2).

use crate::vector::Vector;
use refdesk_text::Error;

/// A model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Identifies model and version: vectors of different models are not comparable.
    fn model(&self) -> &str;

    /// The number of components of a vector.
    fn dimensions(&self) -> usize;

    /// The vector of a text, of length 1. A long text is truncated; a text without words has a vector, too. A text
    /// that consists mostly of words unknown to the model has [`Vector::none`].
    ///
    /// # Errors
    /// The model cannot be run; the message says why.
    fn embed(&self, text: &str) -> Result<Vector, Error>;

    /// The vectors of these texts, in order, computed on all processors if the model supports it.
    ///
    /// # Errors
    /// See [`Embedder::embed`].
    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vector>, Error> {
        texts.iter().map(|text| self.embed(text)).collect()
    }

    /// Whether the vocabulary contains the whole word, so that the model knows its meaning.
    ///
    /// # Errors
    /// See [`Embedder::embed`].
    fn knows(&self, word: &str) -> Result<bool, Error>;

    /// The vectors of the background texts. They are the same for every index, so a model may have them precomputed.
    ///
    /// # Errors
    /// See [`Embedder::embed`].
    fn background(&self, texts: &[String]) -> Result<Vec<Vector>, Error> {
        texts.iter().map(|text| self.embed(text)).collect()
    }
}
