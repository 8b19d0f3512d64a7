//! The contents of an index, and the operations on them. Everything else in this crate uses the tables through
//! [`Storage`]; only its implementations contain SQL. There are few operations, and each takes many rows at once,
//! because each may be a round trip.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::chunk::ChunkSection;
use crate::pages::{DatabaseSubject, IndexedJoin};
use crate::search::FoundDocument;
use crate::vector::Vector;
use refdesk_files::Stamp;
use refdesk_text::Error;

/// The origin of a join: a foreign key of the database, or a rule about names and types.
pub(crate) const KEY: &str = "key";
pub(crate) const INFERRED: &str = "inferred";

/// Changes with documents and vectors, so that readers can tell whether a loaded corpus is current.
pub(crate) const VERSION: &str = "version of the documents";

/// Changes with texts and their stamps, so that readers can tell whether loaded ones are current.
pub(crate) const TEXTS_VERSION: &str = "version of the texts";

/// Column names or sections as a single value.
pub(crate) fn in_json<T: Serialize>(list: &[T]) -> String {
    // Serializing a list of these cannot fail.
    serde_json::to_string(list).unwrap_or_default()
}

/// The reverse of [`in_json`]; empty for any other text.
pub(crate) fn from_json<T: DeserializeOwned>(list: &str) -> Vec<T> {
    serde_json::from_str(list).unwrap_or_default()
}

/// Identifies an indexed text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct TextKey {
    /// The path of its file; empty for text from the catalog about the source.
    pub path: String,
    /// The id of its source.
    pub source: String,
}

/// The state of a text when its documents were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextState {
    pub stamp: Stamp,
    pub hash: Vec<u8>,
}

/// A change of a text since it was indexed.
#[derive(Debug)]
pub(crate) enum TextUpdate {
    /// Its file was written with the same content.
    Touched(TextKey, TextState),
    /// It has these documents now.
    Changed(TextKey, TextState, Vec<NewDocument>),
    /// The text is gone, and so are its documents.
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
    /// The sections in it; empty for a document that is not part of a text.
    pub sections: Vec<ChunkSection>,
    /// The parts of the names in it.
    pub keywords: String,
    /// Hash of the text that the model reads; empty for a document without a vector.
    pub content_hash: Vec<u8>,
    /// The part of a database that it is about.
    pub subject: Option<DatabaseSubject>,
    /// The join that it describes.
    pub join: Option<IndexedJoin>,
    /// Whether hints must not lead to it.
    pub is_boilerplate: bool,
}

impl NewDocument {
    /// Identifies the part of a file that it is, whatever sources contain the file. A text that is not a file is
    /// distinguished by source.
    pub(crate) fn part_key(&self, text: &TextKey, stored_path: &str) -> i64 {
        let Self { doc_type, line, heading, content_hash, .. } = self;
        let source = if Path::new(&text.path).is_absolute() { "" } else { &text.source };
        let place = format!("{source}\0{stored_path}\0{doc_type}\0{line}\0{heading}\0");
        let hash: [u8; 32] = Sha256::new().chain_update(place).chain_update(content_hash).finalize().into();
        hash.first_chunk().map_or(0, |first| i64::from_le_bytes(*first))
    }
}

/// A stored document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub id: i64,
    pub doc_type: String,
    pub source: String,
    /// The resolved path of its file; empty for text from the catalog.
    pub path: String,
    pub heading: String,
    pub line: usize,
    pub end_line: usize,
    pub content: String,
    pub sections: Vec<ChunkSection>,
    pub content_hash: Vec<u8>,
    pub subject: Option<DatabaseSubject>,
    /// The stamp of its text when it was indexed.
    pub stamp: Stamp,
}

impl Document {
    /// The part that callers get to see.
    pub(crate) fn found(&self) -> FoundDocument<'_> {
        let Self { doc_type: kind, source, path, heading, line, content, sections, .. } = self;
        FoundDocument { kind, source, path, heading, line: *line, content, sections }
    }

    /// Its text from this line of its file on.
    pub(crate) fn text_after(&self, line: usize) -> &str {
        let before = line.saturating_sub(self.line);
        let start = self.content.match_indices('\n').map(|(at, _)| at + 1).nth(before.wrapping_sub(1));
        start.and_then(|start| self.content.get(start..)).unwrap_or(&self.content)
    }

    /// The document with these sections and this first line; 0 for no line.
    pub(crate) fn moved(self, (sections, line): (Vec<ChunkSection>, usize)) -> Self {
        let end_line = if line == 0 { 0 } else { (self.end_line + line).saturating_sub(self.line) };
        let heading = sections.first().map_or(self.heading, |section| section.heading.clone());
        Self { heading, line, end_line, sections, ..self }
    }
}

/// A stored document with its vector, borrowed from the row being read.
pub(crate) struct Embedded<'a> {
    pub id: i64,
    pub doc_type: &'a str,
    pub source: &'a str,
    /// Whether it is supposed to have a vector.
    pub is_embedded: bool,
    /// Whether hints must not lead to it.
    pub is_boilerplate: bool,
    /// See [`NewDocument::part_key`].
    pub part_key: i64,
    /// Whether it has a vector, possibly a damaged one.
    pub has_vector: bool,
    /// The scale of its vector; 0 without one.
    pub scale: f32,
    /// The components of its vector as bytes; empty without one.
    pub values: &'a [u8],
}

/// The components of a vector, if their number is the stored one.
pub(crate) fn whole(values: &[u8], stored: i64) -> &[u8] {
    if usize::try_from(stored) == Ok(values.len()) { values } else { &[] }
}

/// The tables of an index. If opened for reading, it refuses to write.
pub(crate) trait Storage: Send {
    /// All texts with their states.
    fn texts(&self) -> Result<HashMap<TextKey, TextState>, Error>;

    /// Stores updates of texts, all or nothing; returns the number of removed documents.
    fn update_texts(&mut self, updates: &[TextUpdate]) -> Result<usize, Error>;

    /// The number of documents.
    fn count(&self) -> Result<usize, Error>;

    /// The number of documents that are supposed to have a vector.
    fn count_embedded(&self) -> Result<usize, Error>;

    /// The documents with these ids, in the same order; missing ones are left out.
    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, Error>;

    /// The first document of a text; `None` if it has no documents.
    fn opening(&self, text: &TextKey) -> Result<Option<i64>, Error>;

    /// The documents of all files below this path, and possibly others, with their texts.
    fn documents_below(&self, path: &str) -> Result<Vec<(i64, TextKey)>, Error>;

    /// The documents about this database and this domain; `None` stands for any.
    fn about_database(&self, database: Option<&str>, domain: Option<&str>) -> Result<Vec<i64>, Error>;

    /// For each document about a column or a join, the document about the table on the same page.
    fn tables_of(&self, ids: &[i64]) -> Result<HashMap<i64, i64>, Error>;

    /// The joins that these documents describe.
    fn joins(&self, ids: &[i64]) -> Result<HashMap<i64, IndexedJoin>, Error>;

    /// Calls `each` for all documents with their vectors of a model, in an order that depends only on their content.
    fn embedded(&self, model: &str, each: &mut dyn FnMut(Embedded)) -> Result<(), Error>;

    /// Calls `each` for the documents with any of these words and phrases, best first, until it returns false. The
    /// words of a phrase are separated by blanks. A rare word counts more than a frequent one, and as much in a title
    /// as in the text.
    fn best_by_words(&self, terms: &[&str], each: &mut dyn FnMut(i64) -> bool) -> Result<(), Error>;

    /// For each word or phrase, the ids of at most `limit` documents that contain it, in any form that search treats as
    /// the same word.
    fn containing(&self, words: &[&str], limit: usize) -> Result<Vec<Vec<i64>>, Error>;

    /// The ids of at most `limit` documents with a word whose stem begins with these letters.
    fn with_stem_start(&self, start: &str, limit: usize) -> Result<Vec<i64>, Error>;

    /// One document for each content without a vector of this model, in ascending order of id.
    fn without_vector(&self, model: &str) -> Result<Vec<i64>, Error>;

    /// The number of documents that lack a vector of this model, or of any model if the name is empty.
    fn count_without_vector(&self, model: &str) -> Result<usize, Error>;

    /// Stores vectors of a model, all or nothing.
    fn add_vectors(&mut self, model: &str, vectors: &[(Vec<u8>, Vector)]) -> Result<(), Error>;

    /// Removes the vectors of a model that cannot be compared: with other dimensions, or all zeros with a scale other
    /// than 0, which stands for a text without meaning.
    fn remove_damaged_vectors(&mut self, model: &str, dimensions: usize) -> Result<(), Error>;

    /// Removes vectors whose content is gone.
    fn remove_unused_vectors(&mut self) -> Result<(), Error>;

    /// Empties the log, so that it contains nothing of what was removed.
    fn empty_log(&mut self) -> Result<(), Error>;

    /// The metadata value with this key.
    fn metadata(&self, key: &str) -> Result<Option<String>, Error>;

    fn set_metadata(&mut self, key: &str, value: &str) -> Result<(), Error>;
}
