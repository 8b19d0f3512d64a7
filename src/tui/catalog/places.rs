//! Where documents were left, so that reading continues there.

use std::collections::VecDeque;
use std::path::PathBuf;

/// The most documents whose place is kept.
const MAX: usize = 100;

/// A place in a document that is the same for every width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadingPlace {
    /// The line of the source at the top, from 1; 0 in the details before it.
    pub line: usize,
    /// Rows further down.
    pub below: usize,
}

/// A document that can be read: a source, or a file of its folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadableDocument {
    pub source: String,
    /// The file, if it is not the source's own document.
    pub file: Option<PathBuf>,
}

/// Where each document was left, the last one first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingPlaces(VecDeque<ReadingStop>);

impl ReadingPlaces {
    /// Keeps the place of a document; its beginning is not worth keeping.
    pub fn keep(&mut self, document: ReadableDocument, place: ReadingPlace) {
        self.0.retain(|(known, _)| *known != document);
        if place != ReadingPlace::default() {
            self.0.push_front((document, place));
            self.0.truncate(MAX);
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &ReadingStop> {
        self.0.iter()
    }

    pub fn of(&self, document: &ReadableDocument) -> Option<ReadingPlace> {
        self.0.iter().find(|(known, _)| known == document).map(|(_, place)| *place)
    }
}

/// A document, and where it was read.
pub type ReadingStop = (ReadableDocument, ReadingPlace);

#[cfg(test)]
mod tests {
    use super::*;

    fn document(source: &str) -> ReadableDocument {
        ReadableDocument { source: source.to_owned(), file: None }
    }

    fn at(line: usize) -> ReadingPlace {
        ReadingPlace { line, below: 0 }
    }

    #[test]
    fn the_last_places_are_kept() {
        let mut places = ReadingPlaces::default();
        for nth in 0..=MAX {
            places.keep(document(&nth.to_string()), at(nth + 1));
        }
        assert_eq!((places.of(&document("0")), places.of(&document("1"))), (None, Some(at(2))));
        places.keep(document("1"), at(7));
        assert_eq!((places.of(&document("1")), places.0.len()), (Some(at(7)), MAX));
        places.keep(document("1"), ReadingPlace::default());
        assert_eq!((places.of(&document("1")), places.0.len()), (None, MAX - 1));
    }
}
