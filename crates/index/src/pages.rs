//! Pages of databases. They are files of sources like all others, but their documents come from what they say as data about tables,
//! columns and joins, and not from their prose. Which files are pages, and what they say, is the caller's to know.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::storage::NewDocument;
use crate::update::embedded_hash;

#[cfg(test)]
pub(crate) mod tests;

/// The kinds of documents of pages.
pub const TABLE: &str = "table";
/// See [`TABLE`].
pub const COLUMN: &str = "column";
/// See [`TABLE`].
pub const DOMAIN: &str = "domain";
/// See [`TABLE`].
pub const RELATIONSHIP: &str = "relationship";

/// What a document is about in a database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct DatabaseSubject {
    /// The database.
    pub database: String,
    /// The schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The table, without its schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<String>,
    /// The column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
}

/// A join of two tables by one or more pairs of columns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize)]
pub struct IndexedJoin {
    /// `schema.table`.
    pub from_table: String,
    /// The columns there.
    pub from_columns: Vec<String>,
    /// `schema.table`.
    pub to_table: String,
    /// The columns there, in the order of the others.
    pub to_columns: Vec<String>,
    /// Whether it is inferred rather than a key.
    pub inferred: bool,
}

/// A document of a page. Documents of a page have different headings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PageDocument {
    /// [`TABLE`], [`COLUMN`], [`DOMAIN`] or [`RELATIONSHIP`].
    pub kind: &'static str,
    /// Its name.
    pub heading: String,
    /// Its text.
    pub content: String,
    /// Words that find it in addition to those of heading and content.
    pub keywords: String,
    /// What it is about.
    pub subject: DatabaseSubject,
    /// The join that it describes.
    pub join: Option<IndexedJoin>,
}

/// What is indexed of a page.
#[derive(Debug, Clone, Default)]
pub struct PageContent {
    /// What it says as data.
    pub documents: Vec<PageDocument>,
    /// Its prose, if it adds to the data.
    pub prose: Option<String>,
    /// What its prose is about.
    pub subject: Option<DatabaseSubject>,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRole {
    /// Not a page: it is indexed by its sections.
    Other,
    /// It has the data of a page, and is indexed with it.
    Data,
    /// A page, whose content is in these files.
    Page(Vec<PathBuf>),
}

/// The pages of databases. Paths are resolved.
pub trait DatabasePages: Sync {
    /// Another value whenever another file may be a page than before.
    fn version(&self) -> &str;

    /// Whether a file may be a page in any version.
    fn covers(&self, path: &Path) -> bool;

    /// What this file is.
    fn role(&self, path: &Path) -> PageRole;

    /// What is indexed of a page.
    ///
    /// # Errors
    /// It cannot be read.
    fn content(&self, path: &Path) -> io::Result<PageContent>;
}

impl PageContent {
    /// Changes whenever a document does.
    pub(crate) fn hash(&self) -> Vec<u8> {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        };
        // A text has another hash even if it is empty.
        add("page");
        for document in &self.documents {
            let PageDocument { kind, heading, content, keywords, subject, join } = document;
            [kind, heading.as_str(), content, keywords].into_iter().for_each(&mut add);
            // Both have derived forms that differ whenever they do.
            add(&format!("{subject:?}{join:?}"));
        }
        add(self.prose.as_deref().unwrap_or_default());
        add(&format!("{:?}", self.subject));
        hash.finalize().to_vec()
    }
}

impl From<PageDocument> for NewDocument {
    fn from(document: PageDocument) -> Self {
        let PageDocument { kind, heading, content, keywords, subject, join } = document;
        // The text about a table names its columns and joins, so its vector stands for theirs: a schema would take
        // minutes.
        let content_hash = if matches!(kind, TABLE | DOMAIN) { embedded_hash(&heading, &content) } else { Vec::new() };
        Self {
            doc_type: kind,
            heading,
            line: 1,
            end_line: 1,
            content,
            keywords,
            content_hash,
            subject: Some(subject),
            join,
            is_boilerplate: false,
        }
    }
}
