//! Remembers the reading position of each document.

use std::collections::VecDeque;
use std::path::PathBuf;

use refdesk_core::config::screen_session::PLACES;

/// A position in a document that does not depend on the width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadingPlace {
    /// The source line at the top, from 1; 0 in the details above the document.
    pub line: usize,
    /// Rows below the start of that line.
    pub below: usize,
}

/// A readable document: a source, or a file of a folder source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadableDocument {
    pub source: String,
    /// The file, unless it is the source's own document.
    pub file: Option<PathBuf>,
}

/// The reading positions, most recent first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingPlaces(VecDeque<ReadingStop>);

impl ReadingPlaces {
    /// Stores the position in a document, unless it is at the start.
    pub fn keep(&mut self, document: ReadableDocument, place: ReadingPlace) {
        self.0.retain(|(known, _)| *known != document);
        if place != ReadingPlace::default() {
            self.0.push_front((document, place));
            self.0.truncate(PLACES);
        }
    }

    pub fn all(&self) -> impl Iterator<Item = &ReadingStop> {
        self.0.iter()
    }

    pub fn of(&self, document: &ReadableDocument) -> Option<ReadingPlace> {
        self.0.iter().find(|(known, _)| known == document).map(|(_, place)| *place)
    }
}

/// A document and the reading position in it.
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
        for nth in 0..=PLACES {
            places.keep(document(&nth.to_string()), at(nth + 1));
        }
        assert_eq!((places.of(&document("0")), places.of(&document("1"))), (None, Some(at(2))));
        places.keep(document("1"), at(7));
        assert_eq!((places.of(&document("1")), places.0.len()), (Some(at(7)), PLACES));
        places.keep(document("1"), ReadingPlace::default());
        assert_eq!((places.of(&document("1")), places.0.len()), (None, PLACES - 1));
    }
}
