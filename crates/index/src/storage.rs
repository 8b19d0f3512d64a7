//! What an index stores, and the operations on it. Everything else in this crate reaches the tables through [`Storage`]; SQL
//! is in its implementations alone. The operations are few and take many rows at once, so that each may be a round trip.

use std::collections::HashMap;

use crate::pages::{DatabaseSubject, IndexedJoin};
use crate::search::FoundDocument;
use crate::vector::Vector;
use refdesk_files::Stamp;
use refdesk_text::Error;

/// Where a join comes from: a key of the database, or a rule over names and types.
pub(crate) const KEY: &str = "key";
pub(crate) const INFERRED: &str = "inferred";

/// Has a new value after each change of documents or vectors, so that loaded ones are known to be current.
pub(crate) const VERSION: &str = "version of the documents";

/// The names of columns as one value.
pub(crate) fn in_json(columns: &[String]) -> String {
    // A list of texts is always JSON.
    serde_json::to_string(columns).unwrap_or_default()
}

/// The reverse of [`in_json`]; none for what it cannot have made.
pub(crate) fn from_json(columns: &str) -> Vec<String> {
    serde_json::from_str(columns).unwrap_or_default()
}

/// A text of the index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TextKey {
    /// The path of its file; empty for what the catalog says about the source.
    pub path: String,
    /// The id of its source.
    pub source: String,
}

/// What a text was when its documents were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextState {
    pub stamp: Stamp,
    pub hash: Vec<u8>,
}

/// What happened to a text since.
#[derive(Debug)]
pub(crate) enum TextUpdate {
    /// Its file was written, with the same content.
    Touched(TextKey, TextState),
    /// It has these documents now.
    Changed(TextKey, TextState, Vec<NewDocument>),
    /// It is gone, and its documents with it.
    Removed(TextKey),
}

impl TextUpdate {
    /// The number of documents that it adds.
    pub(crate) fn added(&self) -> usize {
        if let Self::Changed(_, _, documents) = self { documents.len() } else { 0 }
    }
}

/// A document to store.
#[derive(Debug)]
pub(crate) struct NewDocument {
    pub doc_type: &'static str,
    pub heading: String,
    pub line: usize,
    pub end_line: usize,
    pub content: String,
    /// The parts of the names in it.
    pub keywords: String,
    /// Of what the model reads; empty for a document that gets no vector.
    pub content_hash: Vec<u8>,
    /// What it is about in a database.
    pub subject: Option<DatabaseSubject>,
    /// The join that it describes.
    pub join: Option<IndexedJoin>,
    /// No hint leads to it.
    pub is_boilerplate: bool,
}

/// A stored document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub id: i64,
    pub doc_type: String,
    pub source: String,
    /// The resolved path of its file; empty for what the catalog says.
    pub path: String,
    pub heading: String,
    pub line: usize,
    pub end_line: usize,
    pub content: String,
    pub content_hash: Vec<u8>,
    pub subject: Option<DatabaseSubject>,
    /// Of its text when it was indexed.
    pub stamp: Stamp,
}

impl Document {
    /// What callers learn about it.
    pub(crate) fn found(&self) -> FoundDocument<'_> {
        let Self { doc_type: kind, source, path, heading, line, content, .. } = self;
        FoundDocument { kind, source, path, heading, line: *line, content }
    }

    /// Its text from this line of its file on.
    pub(crate) fn text_after(&self, line: usize) -> &str {
        let before = line.saturating_sub(self.line);
        let start = self.content.match_indices('\n').map(|(at, _)| at + 1).nth(before.wrapping_sub(1));
        start.and_then(|start| self.content.get(start..)).unwrap_or(&self.content)
    }

    /// Has these headings above it and begins at this line, 0 if it has none.
    pub(crate) fn moved(mut self, (heading, line): (String, usize)) -> Self {
        self.end_line = if line == 0 { 0 } else { (self.end_line + line).saturating_sub(self.line) };
        Self { heading, line, ..self }
    }
}

/// A stored document with its vector, borrowed from the row that is being read.
pub(crate) struct Embedded<'a> {
    pub id: i64,
    pub doc_type: &'a str,
    pub source: &'a str,
    /// Whether it gets a vector.
    pub is_embedded: bool,
    /// Whether no hint leads to it.
    pub is_boilerplate: bool,
    /// Whether it has one, be it damaged.
    pub has_vector: bool,
    /// The value of one unit; 0 if it has no vector.
    pub scale: f32,
    /// The numbers of its vector as bytes; empty if it has none.
    pub values: &'a [u8],
}

/// The numbers of a vector, if there are as many as were stored.
pub(crate) fn whole(values: &[u8], stored: i64) -> &[u8] {
    if usize::try_from(stored) == Ok(values.len()) { values } else { &[] }
}

/// The tables of an index. A value that was opened for reading refuses to write.
pub(crate) trait Storage: Send {
    /// All texts.
    fn texts(&self) -> Result<HashMap<TextKey, TextState>, Error>;

    /// Stores what happened to some texts, all or nothing; returns the number of documents removed.
    fn update_texts(&mut self, updates: &[TextUpdate]) -> Result<usize, Error>;

    /// The number of documents.
    fn count(&self) -> Result<usize, Error>;

    /// The number of documents that get a vector.
    fn count_embedded(&self) -> Result<usize, Error>;

    /// The documents of these ids, in their order; those that are gone are left out.
    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, Error>;

    /// The first document of a text; `None` if it has none.
    fn opening(&self, text: &TextKey) -> Result<Option<i64>, Error>;

    /// The documents about this database and this domain; about any of what is not given.
    fn about_database(&self, database: Option<&str>, domain: Option<&str>) -> Result<Vec<i64>, Error>;

    /// For those documents about a column or a join: the document about the table on the same page.
    fn tables_of(&self, ids: &[i64]) -> Result<HashMap<i64, i64>, Error>;

    /// The joins that these documents describe.
    fn joins(&self, ids: &[i64]) -> Result<HashMap<i64, IndexedJoin>, Error>;

    /// Passes all documents on with their vectors of a model, in an order that depends on their content alone.
    fn embedded(&self, model: &str, each: &mut dyn FnMut(Embedded)) -> Result<(), Error>;

    /// Passes on the documents that have any of these words and phrases, the best first, until `each` returns false. The
    /// words of a phrase are separated by blanks. A rare word counts more than a frequent one, and as much in a title as in
    /// the text.
    fn best_by_words(&self, terms: &[&str], each: &mut dyn FnMut(i64) -> bool) -> Result<(), Error>;

    /// For each word or phrase the ids of the documents that contain it, in any form that search treats as the same
    /// word; at most `limit` of them.
    fn containing(&self, words: &[&str], limit: usize) -> Result<Vec<Vec<i64>>, Error>;

    /// A document for each content that has no vector of this model, by ascending id.
    fn without_vector(&self, model: &str) -> Result<Vec<i64>, Error>;

    /// The number of documents that get a vector and have none of this model, of any model if its name is empty.
    fn count_without_vector(&self, model: &str) -> Result<usize, Error>;

    /// Stores vectors of a model, all or nothing.
    fn add_vectors(&mut self, model: &str, vectors: &[(Vec<u8>, Vector)]) -> Result<(), Error>;

    /// Removes the vectors of a model that cannot be compared: of another number of dimensions, or of zeros.
    fn remove_damaged_vectors(&mut self, model: &str, dimensions: usize) -> Result<(), Error>;

    /// Removes the vectors of contents that are gone.
    fn remove_unused_vectors(&mut self) -> Result<(), Error>;

    /// Makes sure that nothing of what was removed is left in a log.
    fn empty_log(&mut self) -> Result<(), Error>;

    /// A value by its key.
    fn metadata(&self, key: &str) -> Result<Option<String>, Error>;

    /// Stores a value.
    fn set_metadata(&mut self, key: &str, value: &str) -> Result<(), Error>;
}
