//! The headings of documents read before. The jump window lists them if there is no search index.

use std::collections::VecDeque;

use crate::tui::catalog::document::{DocumentHeading, LoadedDocument};
use crate::tui::catalog::places::ReadableDocument;
use crate::tui::state::State;

/// The maximum number of documents.
const MAX: usize = 50;

/// Headings by document, the most recently read first.
#[derive(Debug, Clone, Default)]
pub struct Outlines(VecDeque<(ReadableDocument, Vec<DocumentHeading>)>);

impl Outlines {
    /// Stores the headings of a document when the user leaves it.
    pub fn keep(&mut self, document: ReadableDocument, loaded: &LoadedDocument) {
        let headings = loaded.headings();
        if !headings.is_empty() {
            self.0.retain(|(known, _)| *known != document);
            self.0.push_front((document, headings));
            self.0.truncate(MAX);
        }
    }
}

/// All headings, starting with those of the current document.
pub fn headings(state: &State) -> Vec<(ReadableDocument, DocumentHeading)> {
    let reading = &state.catalog.reading;
    let shown = reading.shown.iter().map(|shown| (shown, reading.loaded.headings()));
    let before = reading.outlines.0.iter().filter(|(known, _)| Some(known) != reading.shown.as_ref());
    let all = shown.chain(before.map(|(document, headings)| (document, headings.clone())));
    all.flat_map(|(document, headings)| headings.into_iter().map(|heading| (document.clone(), heading))).collect()
}
