//! Pages of databases. They are files of sources like all others, but their documents are made from their data about
//! tables, columns and joins, not from their prose. The caller decides which files are pages and reads their content.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::storage::NewDocument;
use crate::update::embedded_hash;

#[cfg(test)]
pub(crate) mod tests;

/// A kind of document of pages.
pub const TABLE: &str = "table";
/// See [`TABLE`].
pub const COLUMN: &str = "column";
/// See [`TABLE`].
pub const DOMAIN: &str = "domain";
/// See [`TABLE`].
pub const RELATIONSHIP: &str = "relationship";

/// The part of a database that a document is about.
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
    /// The columns there, in the order of `from_columns`.
    pub to_columns: Vec<String>,
    /// Whether the join was inferred instead of taken from a foreign key or a person's note.
    pub inferred: bool,
}

/// A document of a page. All documents of a page have different headings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PageDocument {
    /// [`TABLE`], [`COLUMN`], [`DOMAIN`] or [`RELATIONSHIP`].
    pub kind: &'static str,
    /// Its name.
    pub heading: String,
    /// Its text.
    pub content: String,
    /// Further words by which it is found, besides those of heading and content.
    pub keywords: String,
    /// What it is about.
    pub subject: DatabaseSubject,
    /// The join that it describes.
    pub join: Option<IndexedJoin>,
}

/// The indexed content of a page.
#[derive(Debug, Clone, Default)]
pub struct PageContent {
    /// The documents made from its data.
    pub documents: Vec<PageDocument>,
    /// Its prose, if it adds to the data.
    pub prose: Option<String>,
    /// What the prose is about.
    pub subject: Option<DatabaseSubject>,
}

/// The role of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageRole {
    /// Not a page; its sections are indexed.
    Other,
    /// Data of a page, which is indexed with the page.
    Data,
    /// A page, whose content is in these files.
    Page(Vec<PathBuf>),
}

/// The pages of databases. Paths must be resolved.
pub trait DatabasePages: Sync {
    /// Changes whenever the set of files that may be pages changes.
    fn version(&self) -> &str;

    /// Whether a file may be a page in some version.
    fn covers(&self, path: &Path) -> bool;

    /// The role of this file.
    fn role(&self, path: &Path) -> PageRole;

    /// Reads the content of a page for the index.
    ///
    /// # Errors
    /// It cannot be read.
    fn content(&self, path: &Path) -> io::Result<PageContent>;
}

impl DatabaseSubject {
    /// Its parts in the order of their columns in the tables; none without a subject.
    pub(crate) fn parts(subject: Option<&Self>) -> [Option<&str>; 5] {
        let Some(Self { database, schema, table, column, domain }) = subject else { return [None; 5] };
        [Some(database.as_str()), schema.as_deref(), table.as_deref(), column.as_deref(), domain.as_deref()]
    }
}

impl PageContent {
    /// A hash that changes whenever a document does.
    pub(crate) fn hash(&self) -> Vec<u8> {
        let mut hash = Sha256::new();
        let mut add = |text: &str| {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        };
        // Distinguishes a page from plain text, even if it is empty.
        add("page");
        for document in &self.documents {
            let PageDocument { kind, heading, content, keywords, subject, join } = document;
            [kind, heading.as_str(), content, keywords].into_iter().for_each(&mut add);
            // The derived `Debug` output of both differs whenever they do.
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
        // The text about a table contains its columns and joins, so they get no vectors of their own: those of a schema
        // would take minutes.
        let content_hash = if matches!(kind, TABLE | DOMAIN) { embedded_hash(&heading, &content) } else { Vec::new() };
        Self {
            doc_type: kind,
            heading,
            line: 1,
            end_line: 1,
            content,
            sections: Vec::new(),
            keywords,
            content_hash,
            subject: Some(subject),
            join,
            is_boilerplate: false,
        }
    }
}
