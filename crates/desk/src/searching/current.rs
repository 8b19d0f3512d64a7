//! Whether what the index has is still there: an index may be older than the files.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use refdesk_core::catalog::Catalog;
use refdesk_index::pages::{COLUMN, DOMAIN, RELATIONSHIP, TABLE};
use refdesk_index::{DatabasePages, FoundDocument, PageDocument};

use crate::DocumentedPages;

/// The texts of documents as they are now, each read once: several sections are of one file.
pub(crate) struct CurrentTexts<'a> {
    catalog: &'a Catalog,
    pages: &'a DocumentedPages,
    texts: RefCell<HashMap<(String, String), Option<String>>>,
    documents: RefCell<HashMap<String, Vec<PageDocument>>>,
}

impl<'a> CurrentTexts<'a> {
    pub fn new(catalog: &'a Catalog, pages: &'a DocumentedPages) -> Self {
        Self { catalog, pages, texts: RefCell::default(), documents: RefCell::default() }
    }

    /// The headings and the first line of a document as they are now, as far as they are known; `None` if its text is gone.
    pub fn section(&self, found: &FoundDocument) -> Option<(String, usize)> {
        if !self.have(found) {
            return None;
        }
        let texts = self.texts.borrow();
        let text = texts.get(&(found.source.to_owned(), found.path.to_owned()));
        Some(match text {
            Some(Some(text)) => refdesk_index::section_in(found.path, text, found.content).unwrap_or_default(),
            _ => (found.heading.to_owned(), found.line),
        })
    }

    /// Whether a document is as it was when it was indexed.
    pub fn have(&self, found: &FoundDocument) -> bool {
        let Some(source) = self.catalog.get(found.source).filter(|_| !found.path.is_empty()) else {
            return found.path.is_empty();
        };
        if [TABLE, COLUMN, DOMAIN, RELATIONSHIP].contains(&found.kind) {
            let mut documents = self.documents.borrow_mut();
            let read = || self.pages.content(Path::new(found.path)).unwrap_or_default().documents;
            let documents = documents.entry(found.path.to_owned()).or_insert_with(read);
            return documents.iter().any(|it| it.heading == found.heading && it.content == found.content);
        }
        let mut texts = self.texts.borrow_mut();
        let text = texts
            .entry((found.source.to_owned(), found.path.to_owned()))
            .or_insert_with(|| refdesk_index::text_of(source, found.path).ok().flatten());
        text.as_ref().is_some_and(|text| refdesk_index::has_content(found.path, text, found.content))
    }
}
