//! From a text to a vector that says what it is about (SEARCH S2).

use crate::vector::Vector;
use refdesk_text::Error;

/// A model that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Names model and version: vectors of different models are not comparable.
    fn model(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// The vector of a text, of length 1. A long text is cut; a text without words has a vector, too.
    ///
    /// # Errors
    /// The model cannot be run; the message says why.
    fn embed(&self, text: &str) -> Result<Vector, Error>;

    /// The vectors of these texts, in their order, on all processors if the model can: somebody waits for them.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vector>, Error> {
        texts.iter().map(|text| self.embed(text)).collect()
    }

    /// Whether it knows a word as a whole, so that it can tell what the word means.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    fn knows(&self, word: &str) -> Result<bool, Error>;

    /// The known vectors of these texts, which are the same in every index and need not be computed again.
    ///
    /// # Errors
    /// As [`Embedder::embed`].
    fn background(&self, texts: &[String]) -> Result<Vec<Vector>, Error> {
        texts.iter().map(|text| self.embed(text)).collect()
    }
}
