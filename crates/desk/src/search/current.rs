//! Checks that indexed sections still exist, since the index may be older than the files.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use refdesk_core::catalog::Catalog;
use refdesk_index::pages::{COLUMN, DOMAIN, RELATIONSHIP, TABLE};
use refdesk_index::{ChunkSection, CurrentText, DatabasePages, FoundDocument, PageDocument, about_source};

use crate::DocumentedPages;

/// The current texts of documents, each read once, since several sections may be in one file.
pub(crate) struct CurrentTexts<'a> {
    catalog: &'a Catalog,
    pages: &'a DocumentedPages,
    texts: RefCell<HashMap<(String, String), Option<CurrentText>>>,
    documents: RefCell<HashMap<String, Vec<PageDocument>>>,
}

impl<'a> CurrentTexts<'a> {
    pub(crate) fn new(catalog: &'a Catalog, pages: &'a DocumentedPages) -> Self {
        Self { catalog, pages, texts: RefCell::default(), documents: RefCell::default() }
    }

    /// The current sections and first line of a document; `None` if its text does not exist any more.
    pub(crate) fn sections(&self, found: &FoundDocument) -> Option<(Vec<ChunkSection>, usize)> {
        let as_it_was = || (found.sections.to_vec(), found.line);
        let source = self.catalog.get(found.source)?;
        if found.path.is_empty() {
            return (about_source(source) == found.content).then(as_it_was);
        }
        if [TABLE, COLUMN, DOMAIN, RELATIONSHIP].contains(&found.kind) {
            let mut documents = self.documents.borrow_mut();
            let read = || self.pages.content(Path::new(found.path)).unwrap_or_default().documents;
            let documents = documents.entry(found.path.to_owned()).or_insert_with(read);
            let is_same = |it: &PageDocument| it.heading == found.heading && it.content == found.content;
            return documents.iter().any(is_same).then(as_it_was);
        }
        let mut texts = self.texts.borrow_mut();
        let text = texts
            .entry((found.source.to_owned(), found.path.to_owned()))
            .or_insert_with(|| CurrentText::of(source, found.path).ok().flatten());
        text.as_ref()?.sections(found)
    }
}
